"""The pages of the stock admin."""
