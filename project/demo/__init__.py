"""The demo: a tenant with agents to try, `manage.py quickstart`, and a page to chat with them. Off without DEBUG."""
