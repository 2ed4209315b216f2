"""The demo site's settings, for tests: fast, and on the database that DATABASE_URL names (SQLite in memory if none)."""

from __future__ import annotations

import os

os.environ.setdefault("DATABASE_URL", "sqlite://:memory:")

from project.settings import *  # noqa: F403 - all of them, but for what follows
from project.settings import DATABASES

# Runs beside each other have a database each; the processes of one run are told of its name by the environment.
os.environ.setdefault("TEST_RUN", str(os.getpid()))
if DATABASES["default"]["ENGINE"] != "django.db.backends.sqlite3":
    DATABASES["default"]["TEST"] = {"NAME": f"test_falai_{os.environ['TEST_RUN']}"}

DEBUG = False
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
# Tests look at records as they are made, whatever a site does with them.
LOGGING = {}
# Looked for at each request, so that a folder that nobody has filled yet is no warning.
WHITENOISE_AUTOREFRESH = True
# The app's own defaults, whatever this machine's environment says.
for _name in [name for name in vars() if name.startswith("FALAI_")]:
    del vars()[_name]
