"""The demo site: a runnable Django project around falai_django."""
