"""`host`: the one key that an export adds to a document, for what rows hold beyond it (spec: host.md section 2).

{slug, settings, sensitive, triggerLabels, disabledFlows, flowOrder, needs}. Of secrets, senders and providers it holds
the names. `needs` is for people: what the tenant must have so that the agent works.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.documents.columns import Column, split, written
from falai_django.documents.readings import Reading
from falai_django.documents.storable import is_storable_text
from falai_django.models import Agent, Deliver

__all__ = ["LIVE_COLUMNS", "Host", "read_host", "settings_spec"]


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _whole(most: int, least: int = 0) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _default(attribute: str) -> Any:
    column: Any = Agent._meta.get_field(attribute)
    return column.get_default()


LIVE_COLUMNS: Final = (
    Column("isActive", "is_active", _is_flag, unset=True),
    Column("deliver", "deliver", lambda value: value in Deliver.values, _default("deliver")),
    Column("gatherMs", "gather_ms", _whole(60_000), 0),
    Column("closeAfterDays", "close_after_days", _whole(32_767), None),
    Column("humanSilence", "human_silence", lambda value: is_storable_text(value, 16), _default("human_silence")),
    Column("apology", "apology", is_storable_text),
    Column("offText", "off_text", is_storable_text),
    Column("turnsPerHour", "turns_per_hour", _whole(2**31 - 1, 1), None),
    Column("unansweredInARow", "unanswered_in_a_row", _whole(32_767, 1), None),
)
"""An agent's live settings but for its sender, which is a row of the tenant; `unset` is what a new agent has."""


@dataclass(frozen=True, slots=True)
class Host:
    """What an export said of the rows; `is_given` False: the document is no export, and says nothing of them.

    `settings`: attributes of the agent. `sensitive` None: not told.
    """

    is_given: bool = False
    slug: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    sender: str = ""
    sensitive: frozenset[str] | None = None
    trigger_labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    disabled_flows: Any = None
    flow_order: tuple[str, ...] = ()


def settings_spec(agent: Agent) -> dict[str, Any]:
    """The live settings that are not what a new agent has, and the name of its sender."""
    sender = {"sender": agent.sender.name} if agent.sender is not None else {}
    return {**written(agent, LIVE_COLUMNS, {}), **sender}


def read_host(host: Any, reading: Reading) -> Host:
    """The value of the key; notes what it cannot read."""
    if host is None:
        return Host()
    given = {key: value for key, value in (reading.an_object(host) or {}).items() if value is not None}
    settings, sender = _settings(given.get("settings"), reading.at("settings"))
    sensitive = given.get("sensitive")
    return Host(
        is_given=True,
        slug=_text(given.get("slug", ""), reading.at("slug")),
        settings=settings,
        sender=sender,
        sensitive=None if sensitive is None else frozenset(_texts(sensitive, reading.at("sensitive"))),
        trigger_labels={
            flow: tuple(_texts(labels, at))
            for flow, labels, at in reading.at("triggerLabels").members(given.get("triggerLabels"))
        },
        disabled_flows=given.get("disabledFlows"),
        flow_order=tuple(_texts(given.get("flowOrder"), reading.at("flowOrder"))),
    )


def _settings(settings: Any, reading: Reading) -> tuple[dict[str, Any], str]:
    given = reading.an_object({} if settings is None else settings) or {}
    sender = _text(given.pop("sender", ""), reading.at("sender"))
    told = {column.key for column in LIVE_COLUMNS if given.get(column.key) is not None}
    values, rest = split({key: value for key, value in given.items() if value is not None}, LIVE_COLUMNS)
    for key in rest:
        reading.at(key).refuse(
            _("This setting is unknown, or its value cannot be kept. Correct it, or take it out of the file.")
        )
    return {column.attribute: values[column.attribute] for column in LIVE_COLUMNS if column.key in told}, sender


def _text(value: Any, reading: Reading) -> str:
    if is_storable_text(value, 200):
        return str(value)
    reading.refuse(_("This is no text of at most 200 characters. Write one, or take it out of the file."))
    return ""


def _texts(value: Any, reading: Reading) -> list[str]:
    return [_text(item, at) for item, at in reading.items(value)]
