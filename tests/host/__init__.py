"""The Django app: falai_django."""
