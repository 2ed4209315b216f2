"""The app's settings: one table of names, defaults, types and meanings (README, settings).

A setting is a name `FALAI_...` of the site's settings module. `settings()` gives them typed; a name that is not in the
table and a value of the wrong type are errors of `manage.py check`.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured

__all__ = ["PREFIX", "SettingProblem", "SettingRow", "Settings", "setting_problems", "settings", "settings_table"]

PREFIX: Final = "FALAI_"


def _setting(default: Any, meaning: str, least: float | None = None) -> Any:
    """A row of the table; `least` is the least value of a number."""
    return dataclasses.field(default=default, metadata={"meaning": meaning, "least": least})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting; FALAI_ and the name in capitals is what it is called in the site's settings."""

    # What a site must bring
    base_url: str = _setting("", "Where this site is reached (`https://falai.example.com`): links in mails lead there.")
    encryption_keys: tuple[str, ...] = _setting(
        (),
        "Fernet keys that secrets are encrypted with, the newest first; older ones still read. "
        "With DEBUG and without any, one is derived from SECRET_KEY.",
    )
    credential_env: tuple[str, ...] = _setting(
        (),
        "Names of environment variables that hold a vendor's API key; a superuser may let a model provider use one.",
    )
    invited_are_staff: bool = _setting(
        default=True,
        meaning="Whether who is invited to a tenant gets `is_staff`, without which Django's admin lets nobody in. "
        "Off: a superuser gives it.",
    )
    outgoing_allow: tuple[str, ...] = _setting(
        (),
        "What outgoing requests may reach although it is private: hosts (`ollama.lan`), hosts with a port "
        "(`127.0.0.1:11434`) and networks (`10.1.0.0/16`). A host that is named may be reached over http.",
    )
    outgoing_ports: tuple[int, ...] = _setting((), "Ports that outgoing requests may use beside 80 and 443.")
    outgoing_timeout_seconds: float = _setting(
        10.0, "What an HTTP action or tool may take, repeats included, unless it says.", 0.01
    )
    outgoing_connect_seconds: float = _setting(5.0, "What connecting to one address may take.", 0.01)
    outgoing_max_bytes: int = _setting(1_000_000, "The largest answer that is read, and body that is sent.", 1)
    outgoing_connections: int = _setting(64, "Connections that a process holds open to other sites.", 1)
    outgoing_per_tenant: int = _setting(
        16, "Requests of actions and tools of one tenant that a process makes at once; the others wait.", 1
    )
    trials_per_minute: int = _setting(
        20, "Requests of actions and tools that a person may send in a minute to try them.", 1
    )

    # Conversations
    history_messages: int = _setting(40, "How many of the last messages a model is given.", 0)
    turns_per_hour: int = _setting(60, "Turns with a model call per conversation and hour, unless the agent says.", 1)
    unanswered_in_a_row: int = _setting(
        3, "How often an agent writes on its own without an answer, unless the agent says.", 1
    )
    message_characters: int = _setting(65_536, "The longest text that a message may have.", 1)
    waiting_inputs: int = _setting(50, "Inputs that may wait in one conversation; the next is refused with 429.", 1)

    # Times of a turn
    request_budget_seconds: float = _setting(45.0, "What a turn in a request may take, all calls included.", 1)
    worker_budget_seconds: float = _setting(120.0, "What a turn in a worker may take, all calls included.", 1)
    lease_margin_seconds: float = _setting(15.0, "How much longer than its budget a turn holds its conversation.", 1)
    wait_seconds: float = _setting(20.0, "How long a request waits for a turn that another process runs.", 0)
    wait_poll_seconds: float = _setting(0.2, "How often a waiting request looks again.", 0.01)
    waiters_per_session: int = _setting(2, "Requests that may wait for one conversation; others get 202 at once.", 0)
    waiters_per_process: int = _setting(16, "Requests that may wait in one process; others get 202 at once.", 0)
    request_drain_seconds: float = _setting(
        20.0, "How long a request also runs what others have put before it in its conversation.", 0
    )
    worker_drain_seconds: float = _setting(60.0, "How long a worker stays with one conversation.", 1)
    worker_drain_turns: int = _setting(10, "How many turns a worker runs of one conversation before the next.", 1)

    # The loop
    loop_interval_seconds: float = _setting(1.0, "How often a worker looks for work when nothing is due sooner.", 0.01)
    use_celery: bool = _setting(
        default=False,
        meaning="Whether commits hint at new work to Celery's workers; without, falai_worker finds it by itself.",
    )
    sessions_per_tenant: int = _setting(20, "Conversations of one tenant that one look at what is due takes.", 1)
    wake_batch: int = _setting(500, "Wakes that one transaction moves into the inbox.", 1)
    wake_spread_seconds: int = _setting(
        600, "After a downtime, late wakes of parked runs are spread over at most so long.", 0
    )
    outbox_expiry_seconds: int = _setting(3_600, "A message that could not leave for so long is not sent any more.", 1)
    outbox_lease_seconds: int = _setting(
        60, "How long a message may be on its way; after it, another worker sends it again.", 1
    )
    webhook_seconds: float = _setting(10.0, "How long a webhook may take to answer.", 0.1)
    poll_lease_seconds: int = _setting(60, "How long what a poll got is kept from the next one.", 1)
    retention_turn_days: int = _setting(90, "Turns, with what they were given, are kept so long.", 1)
    retention_message_days: int = _setting(180, "Transcripts are kept so long.", 1)
    retention_delivery_days: int = _setting(
        30, "The log of tries to send messages, with what was sent and answered, is kept so long.", 1
    )

    # The REST API
    requests_per_key: int = _setting(
        6_000, "Requests with one API key per minute; the next is refused with 429. 0: no limit.", 0
    )
    requests_per_session: int = _setting(
        120, "Requests about one conversation per minute; the next is refused with 429. 0: no limit.", 0
    )
    heartbeat_seconds: float = _setting(15.0, "How often a stream of events says that it lives.", 0.01)
    page_rows: int = _setting(100, "The most rows of a page of a list.", 1)

    # Sizes
    request_max_bytes: int = _setting(2_000_000, "The largest body of a request, but for a draft (import).", 1)
    import_max_bytes: int = _setting(5_000_000, "The largest file that an import reads.", 1)
    compiled_agents: int = _setting(128, "Compiled agents that a process keeps ready; the least used leave first.", 1)


class SettingProblem(NamedTuple):
    """A setting that cannot be: its whole name, what is wrong, how to mend it."""

    name: str
    what: str
    fix: str


class SettingRow(NamedTuple):
    """A row of the table for people; `default` as it is written in Python."""

    name: str
    type: str
    default: str
    meaning: str


class _Kind(NamedTuple):
    """How values of a type are recognised, kept, and told to people."""

    fits: Callable[[Any], bool]
    keep: Callable[[Any], Any]
    words: str


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list_of(is_one: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list | tuple) and all(map(is_one, value))


_KINDS: Final[Mapping[str, _Kind]] = {
    "bool": _Kind(lambda value: isinstance(value, bool), bool, "True or False"),
    "int": _Kind(_is_whole, int, "a whole number"),
    "float": _Kind(_is_number, float, "a number"),
    "str": _Kind(lambda value: isinstance(value, str), str, "text"),
    "tuple[str, ...]": _Kind(_is_list_of(lambda each: isinstance(each, str)), tuple, "a list of texts"),
    "tuple[int, ...]": _Kind(_is_list_of(_is_whole), tuple, "a list of whole numbers"),
}
_FIELDS: Final = {f"{PREFIX}{each.name.upper()}": each for each in dataclasses.fields(Settings)}


def settings() -> Settings:
    """The settings as they are now, `override_settings` included; ImproperlyConfigured for the first that cannot be."""
    # Overriding puts another object in this place, so that each has its own reading and none is read twice.
    holder = django_settings._wrapped  # type: ignore[misc] # noqa: SLF001 - the object itself; the stubs leave it out
    return _read(holder)


@lru_cache(maxsize=4)
def _read(_holder: object) -> Settings:
    for problem in _wrong_values():
        raise ImproperlyConfigured(f"{problem.name}: {problem.what}. {problem.fix}.")
    given = ((name, each) for name, each in _FIELDS.items() if hasattr(django_settings, name))
    return Settings(**{each.name: _KINDS[str(each.type)].keep(getattr(django_settings, name)) for name, each in given})


def setting_problems() -> list[SettingProblem]:
    """All that is wrong with the site's settings of ours: names first."""
    return [*_unknown_names(), *_wrong_values()]


def _unknown_names() -> Iterator[SettingProblem]:
    for name in sorted(dir(django_settings)):
        if name.startswith(PREFIX) and name not in _FIELDS:
            near = difflib.get_close_matches(name, _FIELDS, 1)
            fix = f"Write {near[0]}" if near else "Take it away; README lists the settings"
            yield SettingProblem(name, "there is no such setting", fix)


def _wrong_values() -> Iterator[SettingProblem]:
    for name, each in _FIELDS.items():
        value = getattr(django_settings, name, each.default)
        kind, least = _KINDS[str(each.type)], each.metadata["least"]
        if not kind.fits(value):
            # The value itself may be a key.
            yield SettingProblem(name, f"it is {type(value).__name__}, not {kind.words}", f"Give {kind.words}")
        elif least is not None and value < least:
            yield SettingProblem(name, f"it is {value}", f"Give {least} or more")


def settings_table() -> list[SettingRow]:
    """The table, in its order."""
    return [
        SettingRow(name, _KINDS[str(each.type)].words, repr(each.default), each.metadata["meaning"])
        for name, each in _FIELDS.items()
    ]
