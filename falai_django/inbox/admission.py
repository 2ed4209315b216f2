"""What an input needs of its agent before it is taken (spec: host.md sections 2 and 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.documents import draft_document
from falai_django.errors import InputRefusedError
from falai_django.failures import FailureCode
from falai_django.inbox.inputs import Input
from falai_django.inbox.off import is_switched_off
from falai_django.models import Agent, Release, Session, Turn
from falai_django.rows import rows
from falai_engine.values import BAD_VALUE, coerce

__all__ = ["DRAFT", "OF_THE_HOST", "Admitted", "admit"]

Kind = Turn.Kind
DRAFT: Final = "draft"
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")
OF_THE_HOST: Final = frozenset({Kind.HUMAN, Kind.END, Kind.CLOSE})
"""They need no release, and a session that is there."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """An input that the agent takes: as it lies in the Turn, and whether it counts as the customer writing."""

    stored: Mapping[str, Any]
    wanted_release: str
    is_inbound: bool
    anchors: Mapping[str, Any]


def admit(session: Session, given: Input, release: int | str | None) -> Admitted:
    """Look at what the input is about. InputRefusedError when the agent is off, or has no such release or field."""
    wanted = "" if release is None else str(release)
    if given.kind in OF_THE_HOST:
        return Admitted(given.stored(), "", is_inbound=False, anchors={})
    _assert_on(session.agent, wanted)
    stored = given.stored()
    anchors = stored.pop("anchors", {})
    inbound = given.kind == Kind.MESSAGE
    if wanted or given.kind in _LOOK_AT:
        document = _document(session.agent, wanted)
        inbound = inbound or _LOOK_AT.get(given.kind, _nothing)(document, stored)
    if inbound and given.kind == Kind.EVENT:
        stored["inbound"] = True
    return Admitted(stored, wanted, inbound, anchors)


def _assert_on(agent: Agent, wanted: str) -> None:
    if is_switched_off(agent) or (not wanted and agent.active_release_id is None):
        raise InputRefusedError(FailureCode.AGENT_OFF, agent.off_text)


def _document(agent: Agent, wanted: str) -> Mapping[str, Any]:
    if wanted == DRAFT:
        return draft_document(agent).document
    found = rows(Release).filter(agent=agent)
    if not wanted:
        found = found.filter(pk=agent.active_release_id)
    elif _NUMBER.fullmatch(wanted):
        found = found.filter(number=int(wanted))
    else:
        found = found.none()
    document: Mapping[str, Any] | None = found.values_list("document", flat=True).first()
    if document is None:
        raise InputRefusedError(
            FailureCode.UNKNOWN_RELEASE,
            _("The agent has no release “%(release)s”. Give the number of one, or `draft`.") % {"release": wanted},
        )
    return document


# -- what an input says of the document


def _nothing(_document: Mapping[str, Any], _stored: dict[str, Any]) -> bool:
    return False


def _is_inbound_event(document: Mapping[str, Any], stored: dict[str, Any]) -> bool:
    """Unregistered ones are neither inbound nor outbound."""
    declared = (document.get("events") or {}).get(stored[Kind.EVENT]["event"]) or {}
    return bool(declared.get("direction") == "inbound")


def _coerce_set(document: Mapping[str, Any], stored: dict[str, Any]) -> bool:
    """Values as their fields and variables take them, in place. Refused as a whole, with every problem."""
    data = stored[Kind.SET].get("data") or {}
    declared = {**(document.get("variables") or {}), **(document.get("fields") or {})}
    problems = list(_set_problems(data, declared))
    if problems:
        message = " ".join(f"`{path}`: {what}" for path, what in problems)
        raise InputRefusedError(FailureCode.INVALID_INPUT, message, problems)
    if data:
        stored[Kind.SET] = {**stored[Kind.SET], "data": {slug: _coerced(declared[slug], data[slug]) for slug in data}}
    return False


def _set_problems(data: Mapping[str, Any], declared: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for slug, raw in data.items():
        path = f"set.data.{slug}"
        if slug not in declared:
            yield path, _("There is no such field or variable. Use one of the release.")
        elif raw is not None and (code := coerce(declared[slug]["type"], raw, declared[slug].get("enum"))[1]):
            yield path, _bad_value(code, declared[slug]["type"])


def _bad_value(code: str, type_: str) -> str:
    if code == BAD_VALUE:
        return _("This is no %(type)s. Give one, or null to take the value away.") % {"type": type_}
    return _("This is none of its choices. Give one of them.")


def _coerced(declared: Mapping[str, Any], raw: Any) -> Any:
    return None if raw is None else coerce(declared["type"], raw, declared.get("enum"))[0]


_LOOK_AT: Final = {Kind.EVENT: _is_inbound_event, Kind.SET: _coerce_set}
