"""The rules for changing what authors write."""
