"""`manage.py check` tells what cannot work on a site before anybody meets it, each with an id and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.core.checks import run_checks
from django.test import override_settings

from falai_django import checks

KEY = Fernet.generate_key().decode()
SOUND = {
    "FALAI_ENCRYPTION_KEYS": [KEY],
    "FALAI_BASE_URL": "https://falai.example.com",
    "CACHES": {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://x"}},
}
ALONE = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
SQLITE = {"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": "PRAGMA journal_mode=WAL;"}


def found(**settings):
    """The ids of what the checks say of these settings, in a site that is sound but for them."""
    with override_settings(**{**SOUND, **settings}):
        return sorted(message.id for message in run_checks(tags=["falai"]))


def without(name):
    return {key: value for key, value in SQLITE.items() if key != name}


def test_a_sound_site_has_nothing_to_tell():
    assert found() == []
    assert found(DEBUG=True, FALAI_ENCRYPTION_KEYS=[], FALAI_BASE_URL="", CACHES=ALONE) == []
    assert found(CACHES=ALONE, FALAI_REQUESTS_PER_KEY=0, FALAI_REQUESTS_PER_SESSION=0) == []
    assert found(DATA_UPLOAD_MAX_NUMBER_FIELDS=None) == []


@pytest.mark.parametrize(
    ("settings", "ids"),
    [
        ({"FALAI_HISTORY": 3}, ["falai.E001"]),
        ({"FALAI_HISTORY_MESSAGES": "3"}, ["falai.E002"]),
        ({"FALAI_ENCRYPTION_KEYS": [KEY, "x"]}, ["falai.E003"]),
        ({"FALAI_ENCRYPTION_KEYS": []}, ["falai.W001"]),
        ({"FALAI_CREDENTIAL_ENV": ["NO_SUCH_VARIABLE_OF_FALAI"]}, ["falai.W002"]),
        ({"FALAI_BASE_URL": "falai.example.com"}, ["falai.E004"]),
        ({"FALAI_BASE_URL": ""}, ["falai.W003"]),
        ({"ROOT_URLCONF": "tests.host.no_urls"}, ["falai.W004"]),
        ({"USE_TZ": False}, ["falai.E005"]),
        ({"DATA_UPLOAD_MAX_NUMBER_FIELDS": 1000}, ["falai.W008"]),
        ({"CACHES": ALONE}, ["falai.W009"]),
        (
            {"FALAI_OUTGOING_ALLOW": ["localhost:11434", "10.1.0.0/16", "http://lan"], "FALAI_OUTGOING_PORTS": [81, 0]},
            ["falai.E007", "falai.E008"],
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_each_slip_has_its_id(settings, ids):
    assert found(**settings) == ids


def test_a_system_without_time_zones_is_told(monkeypatch):
    monkeypatch.setattr(checks, "available_timezones", set)
    assert found() == ["falai.E006"]


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (SQLITE, []),
        (without("transaction_mode"), ["falai.W005"]),
        (without("init_command"), ["falai.W006"]),
        ({**SQLITE, "timeout": 1}, ["falai.W007"]),
        (without("timeout"), []),
        ({}, ["falai.W005", "falai.W006"]),
    ],
    ids=["sound", "deferred", "no-wal", "impatient", "patient", "bare"],
)
def test_an_sqlite_file_is_looked_at(monkeypatch, options, ids):
    class Connection:
        vendor = "sqlite"
        settings_dict = {"NAME": "/srv/db.sqlite3", "OPTIONS": options}

    monkeypatch.setattr(checks, "connections", {"default": Connection})
    assert [message.id for message in checks.check_database()] == ids


@pytest.mark.parametrize(("vendor", "name"), [("postgresql", "falai"), ("sqlite", ":memory:")])
def test_other_databases_are_left_alone(monkeypatch, vendor, name):
    class Connection:
        settings_dict = {"NAME": name, "OPTIONS": {}}

    Connection.vendor = vendor
    monkeypatch.setattr(checks, "connections", {"default": Connection})
    assert checks.check_database() == []


def test_a_wrong_setting_hides_no_other_check():
    """The checks run, and the one of settings tells the value, however wrong it is."""
    assert found(FALAI_CREDENTIAL_ENV="SITE_KEY", USE_TZ=False) == ["falai.E002", "falai.E005"]


def test_no_message_shows_a_key():
    with override_settings(**{**SOUND, "FALAI_ENCRYPTION_KEYS": ["half-a-key"]}):
        assert "half-a-key" not in str(run_checks(tags=["falai"]))


def test_every_message_says_what_to_do_and_every_id_is_given_once():
    source = Path(checks.__file__).read_text("utf-8")
    ids = re.findall(r'"(falai\.[EW]\d{3})"', source)
    assert ids
    assert len(ids) == len(set(ids))
    assert source.count("hint=") >= source.count('id="falai.')
    assert len(checks.CHECKS) == len(set(checks.CHECKS))
