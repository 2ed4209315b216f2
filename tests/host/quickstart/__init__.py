"""The demo, from `manage.py quickstart` to its chat page."""
