"""The reusable Django app: conversation flows edited in the admin, compiled, stored and served (spec: host.md)."""
