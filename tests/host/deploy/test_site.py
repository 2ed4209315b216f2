"""With DEBUG off and the environment of `deploy/environment`, the demo site is fit for customers."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.core.management import get_commands
from django.utils.module_loading import import_string

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
GIVEN = {"SECRET_KEY": secrets.token_urlsafe(50)}


def told():
    """The example's variables, with the secrets that it leaves open."""
    lines = (DEPLOY / "environment").read_text(encoding="utf-8").splitlines()
    pairs = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return {**pairs, **GIVEN, "FALAI_ENCRYPTION_KEYS": Fernet.generate_key().decode()}


def ran(*command, **changes):
    """A command of the site, started as a deployment would start it: nothing of this test's environment."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = {name: value for name, value in {**kept, **told(), **changes}.items() if value is not None}
    return subprocess.run(  # noqa: S603 - our own commands
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_deployment_check_has_nothing_to_say():
    done = ran("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    assert done.returncode == 0, done.stderr
    assert "no issues (0 silenced)" in done.stdout


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("SECRET_KEY", None, "a long random text"),
        ("SECRET_KEY", "", "a long random text"),
        ("DATABASE_URL", "", "postgres://"),
        ("DATABASE_URL", "s3cret", "postgres://"),
        ("DATABASE_URL", "mysql://me:s3cret@db/falai", "postgres://"),
        ("DATABASE_URL", "postgres://me:s3cret@db:port/falai", "postgres://"),
        ("REDIS_URL", "http://:s3cret@cache", "redis://"),
        ("REDIS_URL", "redis://cache,s3cret", "redis://"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(name, value, hint):
    """It says what to write, and not what was written. No site runs on a key that stands in a repository."""
    done = ran("manage.py", "check", **{name: value})
    assert done.returncode != 0
    sentence = done.stderr.splitlines()[-1]
    assert sentence.startswith(f"django.core.exceptions.ImproperlyConfigured: Set {name} to {hint}")
    assert "s3cret" not in sentence


TELL = """
import json, django
django.setup()
from django.apps import apps
from django.conf import settings
from django.urls import get_resolver
print(json.dumps({
    "demo": apps.is_installed("project.demo"),
    "engine": settings.DATABASES["default"]["ENGINE"],
    "cache": settings.CACHES["default"]["BACKEND"],
    "broker": getattr(settings, "CELERY_BROKER_URL", None),
    "celery": getattr(settings, "FALAI_USE_CELERY", False),
    "static": settings.STORAGES["staticfiles"]["BACKEND"],
    "hosts": settings.ALLOWED_HOSTS,
    "subdomains": settings.SECURE_HSTS_INCLUDE_SUBDOMAINS,
}))
"""


def test_the_environment_says_what_the_site_runs_on():
    changes = {"CELERY_BROKER_URL": "redis://127.0.0.1:6379/1", "SECURE_HSTS_INCLUDE_SUBDOMAINS": "false"}
    done = ran("-c", TELL, DJANGO_SETTINGS_MODULE="project.settings", **changes)
    assert json.loads(done.stdout) == {
        "demo": False,
        "engine": "django.db.backends.postgresql",
        "cache": "django.core.cache.backends.redis.RedisCache",
        "broker": "redis://127.0.0.1:6379/1",
        "celery": True,
        "static": "whitenoise.storage.CompressedManifestStaticFilesStorage",
        "hosts": ["falai.example.com"],
        "subdomains": False,
    }


LOG = """
import os
from celery.utils.log import get_logger, get_task_logger
from project.celery import app
app.log.setup(loglevel=os.environ["LEVEL"], redirect_stdouts=True)
get_logger("celery.worker").info("%s is ready", "5511988887777")
get_task_logger("falai").warning("%s is late", "5511988887777")
"""


@pytest.mark.parametrize(("level", "lines"), [("INFO", ["%s is ready", "%s is late"]), ("WARNING", ["%s is late"])])
def test_a_celery_worker_logs_as_the_site_does(level, lines):
    """JSON lines, without what was put into them; how much Celery tells is said by its `--loglevel`."""
    done = ran("-c", LOG, LEVEL=level, CELERY_BROKER_URL="memory://")
    assert [json.loads(line)["text"] for line in done.stderr.splitlines()] == lines


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """The folder of `collectstatic`: a name in a style sheet that leads nowhere would have failed it."""
    folder = tmp_path_factory.mktemp("static")
    done = ran("manage.py", "collectstatic", "--no-input", STATIC_ROOT=str(folder))
    assert done.returncode == 0, done.stderr
    return folder


def test_static_files_are_collected_under_names_of_their_content(collected):
    names = json.loads((collected / "staticfiles.json").read_text())["paths"]
    assert re.fullmatch(r"falai_django/admin\.[0-9a-f]{12}\.css", names["falai_django/admin.css"])
    assert (collected / (names["falai_django/admin.css"] + ".gz")).exists()


ASK = """
import django
django.setup()
from django.test import Client
for secure in (True, False):
    answer = Client().get("/admin/login/", secure=secure, headers={"host": "falai.example.com"})
    print(answer.status_code, answer.headers.get("Strict-Transport-Security"), answer.headers.get("Location"))
for place in ("/", "/demo/triage/", "/api/v1/health/live"):
    print(Client().get(place, secure=place == "/", headers={"host": "falai.example.com"}).status_code)
"""


def test_it_serves_over_https_alone_and_without_the_demo(collected, tmp_path):
    """A load balancer may still ask over http how the site is."""
    changes = {"DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3", "STATIC_ROOT": str(collected)}
    done = ran("-c", ASK, DJANGO_SETTINGS_MODULE="project.settings", **changes)
    assert done.stdout.splitlines() == [
        "200 max-age=31536000; includeSubDomains; preload None",
        "301 None https://falai.example.com/admin/login/",
        "404",
        "301",
        "200",
    ], done.stderr
    for line in done.stderr.splitlines():
        assert json.loads(line)["action"]


# -- the examples


def test_what_the_settings_and_the_examples_start_with_is_in_the_extra():
    """Whoever deploys has no extra `dev`; and the lock holds whatever there is."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in extras["site"]}
    assert names == {"django-environ", "redis", "uvicorn", "whitenoise"}
    locked = re.search(r"^LOCKED_EXTRAS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert set(locked.split()) == set(extras)


def commands():
    """Each command line of the Procfiles and units, as (file and line, words)."""
    for path in sorted(DEPLOY.glob("Procfile*")):
        for line in path.read_text(encoding="utf-8").splitlines():
            name, _, command = line.partition(": ")
            yield pytest.param(command.split(), id=f"{path.name}-{name}")
    for path in sorted((DEPLOY / "systemd").glob("*.service")):
        (command,) = re.findall(r"^ExecStart=(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        yield pytest.param(command.split(), id=path.name)


@pytest.mark.parametrize("words", list(commands()))
def test_what_the_examples_start_is_there(words):
    """A renamed command or application would break who copied them: it breaks here."""
    program = words[0].rpartition("/")[2]
    if program == "python":
        assert words[1] == "manage.py"
        assert words[2] in get_commands()
    elif program == "uvicorn":
        assert words[1] == "project.asgi:application"
        assert "--no-access-log" in words
    else:
        assert words[:3][1:] == ["-A", "project"]
        assert import_string("project.celery.app")


def test_each_variable_of_the_example_is_read_by_the_settings():
    settings = (ROOT / "project" / "settings.py").read_text(encoding="utf-8")
    lines = (DEPLOY / "environment").read_text(encoding="utf-8").splitlines()
    names = {found[1] for line in lines if (found := re.match(r"(?:# )?([A-Z_]+)=", line))}
    assert {name for name in names if f'"{name}"' not in settings} == {"OPENAI_API_KEY"}
