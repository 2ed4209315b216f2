"""What `manage.py check` says of a site: settings, keys, its database, its address (README, settings).

Errors are what cannot work; warnings are what works until it is needed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from django.conf import settings as django_settings
from django.core.checks import CheckMessage, Error, Warning, register  # noqa: A004 - Django's own name
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.urls import NoReverseMatch, reverse

from falai_django.conf import Settings, setting_problems, settings
from falai_django.encryption import is_key
from falai_django.outgoing.allow_list import LAST_PORT, unreadable_entries
from falai_django.rows import write_alias

__all__ = ["CHECKS", "register_checks"]

_SECONDS_TO_WAIT: Final = 5
_INPUTS_OF_A_PAGE: Final = 5000


def check_settings(**_options: Any) -> list[CheckMessage]:
    """E001: a name that is no setting. E002: a value that cannot be."""
    return [
        Error(f"{problem.name}: {problem.what}.", hint=f"{problem.fix}.", id=_setting_id(problem.what))
        for problem in setting_problems()
    ]


def _setting_id(what: str) -> str:
    return "falai.E001" if what == "there is no such setting" else "falai.E002"


def check_encryption_keys(**_options: Any) -> list[CheckMessage]:
    """E003: a key that is none. W001: no key at all, and no DEBUG."""
    return list(_of_settings(_encryption_keys))


def _encryption_keys(ours: Settings) -> Iterator[CheckMessage]:
    for number, key in enumerate(ours.encryption_keys, 1):
        if not is_key(key):
            yield Error(
                f"FALAI_ENCRYPTION_KEYS: key {number} is no Fernet key.",
                hint="`manage.py falai_rotate_secrets --new-key` prints one: 32 bytes in URL-safe base64.",
                id="falai.E003",
            )
    if not ours.encryption_keys and not django_settings.DEBUG:
        yield Warning(
            "FALAI_ENCRYPTION_KEYS is empty: this site can keep no secret.",
            hint="Put the output of `manage.py falai_rotate_secrets --new-key` there.",
            id="falai.W001",
        )


def check_credentials(**_options: Any) -> list[CheckMessage]:
    """W002: a variable that is listed and not there."""
    return list(_of_settings(_credentials))


def _credentials(ours: Settings) -> Iterator[CheckMessage]:
    for name in ours.credential_env:
        if not os.environ.get(name):
            yield Warning(
                f"FALAI_CREDENTIAL_ENV lists {name}, and the environment has no such variable.",
                hint="Set it before the site starts, or take the name out: providers that use it cannot answer.",
                id="falai.W002",
            )


def check_address(**_options: Any) -> list[CheckMessage]:
    """E004: an address that is none. W003: none at all, and no DEBUG. W004: no page for new passwords."""
    return list(_of_settings(_address))


def _address(ours: Settings) -> Iterator[CheckMessage]:
    parts = urlsplit(ours.base_url)
    if ours.base_url and not (parts.scheme in ("http", "https") and parts.hostname and not parts.query):
        yield Error(
            f"FALAI_BASE_URL is {ours.base_url!r}, which is no address.",
            hint="Write scheme and host, as https://falai.example.com.",
            id="falai.E004",
        )
    if not ours.base_url and not django_settings.DEBUG:
        yield Warning(
            "FALAI_BASE_URL is empty: nobody can be invited, since no link could lead to this site.",
            hint="Write scheme and host, as https://falai.example.com.",
            id="falai.W003",
        )
    if not _has_password_page():
        yield Warning(
            "No URL is named password_reset_confirm: who is invited could not set a password.",
            hint="Give django.contrib.auth.views.PasswordResetConfirmView an address with that name.",
            id="falai.W004",
        )


def _has_password_page() -> bool:
    try:
        reverse("password_reset_confirm", kwargs={"uidb64": "x", "token": "-"})
    except (NoReverseMatch, ImproperlyConfigured):
        return False
    return True


def check_database(**_options: Any) -> list[CheckMessage]:
    """W005 to W007: an SQLite file whose writers get in each other's way. Nothing is connected to."""
    connection = connections[write_alias()]
    name = str(connection.settings_dict["NAME"])
    if connection.vendor != "sqlite" or name == ":memory:" or "mode=memory" in name:
        return []
    return list(_sqlite_file(connection.settings_dict["OPTIONS"]))


def _sqlite_file(options: dict[str, Any]) -> Iterator[CheckMessage]:
    if str(options.get("transaction_mode")).upper() != "IMMEDIATE":
        yield _sqlite_warning(
            "transactions begin without the right to write, and fail when two want it",
            '"transaction_mode": "IMMEDIATE"',
            "falai.W005",
        )
    if not re.search(r"journal_mode\s*=\s*wal", str(options.get("init_command", "")), re.IGNORECASE):
        yield _sqlite_warning(
            "readers and the writer wait for each other", '"init_command": "PRAGMA journal_mode=WAL;"', "falai.W006"
        )
    timeout = options.get("timeout", _SECONDS_TO_WAIT)
    if not isinstance(timeout, int | float) or timeout < _SECONDS_TO_WAIT:
        yield _sqlite_warning(
            f"a writer gives up after {timeout!r} seconds of waiting for another", '"timeout": 20', "falai.W007"
        )


def _sqlite_warning(what: str, option: str, id: str) -> CheckMessage:
    return Warning(f"SQLite: {what}.", hint=f'Add {option} to the "OPTIONS" of this database.', id=id)


def check_times(**_options: Any) -> list[CheckMessage]:
    """E005: times without zones. E006: no time zones to choose from."""
    found: list[CheckMessage] = []
    if not django_settings.USE_TZ:
        found.append(
            Error(
                "USE_TZ is off: waits and wakes would be told by a clock that is changed twice a year.",
                hint="Set USE_TZ = True.",
                id="falai.E005",
            )
        )
    if "America/Sao_Paulo" not in available_timezones():
        found.append(
            Error(
                "This system knows no time zones, and tenants live in one.",
                hint="Install the package tzdata, here or in the system.",
                id="falai.E006",
            )
        )
    return found


def check_outgoing(**_options: Any) -> list[CheckMessage]:
    """E007: an entry of the allow-list that opens nothing. E008: a port that is none."""
    return list(_of_settings(_outgoing))


def _outgoing(ours: Settings) -> Iterator[CheckMessage]:
    for entry in unreadable_entries(ours.outgoing_allow):
        yield Error(
            f"FALAI_OUTGOING_ALLOW: {entry!r} is neither a host, a host with its port, nor a network.",
            hint='Write entries such as "ollama.lan", "127.0.0.1:11434" or "10.1.0.0/16".',
            id="falai.E007",
        )
    for port in ours.outgoing_ports:
        if not 0 < port <= LAST_PORT:
            yield Error(
                f"FALAI_OUTGOING_PORTS: {port} is no port.", hint="Give numbers from 1 to 65535.", id="falai.E008"
            )


def check_form_size(**_options: Any) -> list[CheckMessage]:
    """W008: a long flow step would be refused by Django before anything read it."""
    most: int | None = django_settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    if most is None or most >= _INPUTS_OF_A_PAGE:
        return []
    return [
        Warning(
            f"DATA_UPLOAD_MAX_NUMBER_FIELDS is {most}: the page of a step with many branches sends more inputs.",
            hint=f"Set DATA_UPLOAD_MAX_NUMBER_FIELDS = {_INPUTS_OF_A_PAGE}.",
            id="falai.W008",
        )
    ]


def check_cache(**_options: Any) -> list[CheckMessage]:
    """W009: requests are counted in each process for itself, or not at all, and no DEBUG."""
    return list(_of_settings(_cache))


def _cache(ours: Settings) -> Iterator[CheckMessage]:
    backend = str(django_settings.CACHES.get("default", {}).get("BACKEND", ""))
    is_shared = backend.rpartition(".")[2] not in ("LocMemCache", "DummyCache")
    if is_shared or django_settings.DEBUG or not (ours.requests_per_key or ours.requests_per_session):
        return
    yield Warning(
        "The default cache is one of each process: FALAI_REQUESTS_PER_KEY and FALAI_REQUESTS_PER_SESSION are "
        "counted there, so that several processes let several times as many requests through.",
        hint="Set CACHES to one that all processes share, such as django.core.cache.backends.redis.RedisCache.",
        id="falai.W009",
    )


def _of_settings(look: Callable[[Settings], Iterable[CheckMessage]]) -> Iterable[CheckMessage]:
    """What a look at our settings finds; nothing while one of them cannot be, which `check_settings` tells."""
    try:
        return look(settings())
    except ImproperlyConfigured:
        return ()


CHECKS: Final = (
    check_settings,
    check_encryption_keys,
    check_credentials,
    check_address,
    check_database,
    check_times,
    check_outgoing,
    check_form_size,
    check_cache,
)


def register_checks() -> None:
    """Have Django run them."""
    for check in CHECKS:
        register(check, "falai")
