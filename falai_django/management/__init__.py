"""Commands of the app for manage.py."""
