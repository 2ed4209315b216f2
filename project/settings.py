"""The demo site's settings, told by the environment (`.env` beside manage.py is read when it is there).

Without any, the site runs for one developer: SQLite beside manage.py, DEBUG on, e-mail printed to the terminal. With
DEBUG off it is a site for customers; `deploy/environment` lists what it needs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import environ

from project.environment import database_of, redis_of, secret_key_of

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

DEBUG = env.bool("DEBUG", default=True)
# With DEBUG off there is no default: a site that customers reach must have a key of its own.
SECRET_KEY = env.str("SECRET_KEY", default="only-for-development-" * 3) if DEBUG else secret_key_of(env, "SECRET_KEY")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"] if DEBUG else [])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "falai_django",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]
if DEBUG:
    # Agents to try, `manage.py quickstart`, and a page to chat with them.
    INSTALLED_APPS.append("project.demo")
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "falai_django.content_policy.ContentPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "project.urls"
WSGI_APPLICATION = "project.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES: dict[str, dict[str, Any]] = {
    "default": database_of(env, "DATABASE_URL", default=f"sqlite:///{BASE_DIR / 'db.sqlite3'}")
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # One writer at a time who waits for the other, and readers who wait for nobody.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
# A step with many branches sends more inputs than Django takes unasked.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000
# What requests are counted in, by all processes together.
if REDIS_URL := redis_of(env, "REDIS_URL"):
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Redis (redis://...) or RabbitMQ (amqp://...); without a broker, `manage.py falai_worker` does all the work.
if env.str("CELERY_BROKER_URL", default=""):
    FALAI_USE_CELERY = True
    CELERY_BROKER_URL = env.str("CELERY_BROKER_URL")
    CELERY_BROKER_CONNECTION_TIMEOUT = 2
    CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
    # A broker that is away for an hour is still waited for.
    CELERY_BROKER_CONNECTION_MAX_RETRIES = None
    CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 2, "socket_timeout": 5}
    # Sites that share a broker share no queue.
    CELERY_TASK_DEFAULT_QUEUE = env.str("CELERY_TASK_DEFAULT_QUEUE", default="falai")
    CELERY_TASK_IGNORE_RESULT = True
    # A task is only a hint that somebody should look: none is hoarded by who is busy.
    CELERY_WORKER_PREFETCH_MULTIPLIER = 1

# The app's own settings that a site brings (all of them: falai_django/conf.py).
FALAI_BASE_URL = env.str("FALAI_BASE_URL", default="http://localhost:8000" if DEBUG else "")
FALAI_ENCRYPTION_KEYS = env.list("FALAI_ENCRYPTION_KEYS", default=[])
FALAI_CREDENTIAL_ENV = env.list("FALAI_CREDENTIAL_ENV", default=[])
FALAI_OUTGOING_ALLOW = env.list("FALAI_OUTGOING_ALLOW", default=[])

LANGUAGE_CODE = env.str("LANGUAGE_CODE", default="en")
LANGUAGES = [("en", "English"), ("pt-br", "Português (Brasil)")]
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = env.path("STATIC_ROOT", default=str(BASE_DIR / "staticfiles"))
if not DEBUG:
    # `manage.py collectstatic` names each file by its content: browsers keep them for ever.
    STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }

if not DEBUG:
    # Over https alone. Whoever serves other things under this host's name loosens the two that speak of all of it.
    SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=True)
    SECURE_REDIRECT_EXEMPT = [r"^api/v1/health/"]  # a load balancer asks over http, from nearby
    SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=31_536_000)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("SECURE_HSTS_INCLUDE_SUBDOMAINS", default=True)
    SECURE_HSTS_PRELOAD = env.bool("SECURE_HSTS_PRELOAD", default=True)
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    # Only behind a proxy that sets the header itself: else anybody could claim https.
    if env.bool("TRUST_X_FORWARDED_PROTO", default=False):
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# `json`: a line an event, with stable names and nothing personal; `text`: for a developer's terminal.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {"()": "project.log_lines.JsonLines"},
        "text": {"format": "{levelname} {name}: {message}", "style": "{"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": env.str("LOG_FORMAT", default="text" if DEBUG else "json"),
        },
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "falai": {"level": env.str("LOG_LEVEL", default="WARNING" if DEBUG else "INFO")},
        # Django's own would mail, or print in its own way.
        "django": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        "uvicorn": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        # It writes addresses, and with them ids.
        "uvicorn.access": {"handlers": [], "propagate": False},
    },
}

EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="falai@localhost")

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# `manage.py spectacular` writes the document that /api/schema serves.
SPECTACULAR_SETTINGS = {"DEFAULT_GENERATOR_CLASS": "falai_django.rest.openapi.ApiGenerator"}
