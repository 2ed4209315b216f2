"""One line for a step or a trigger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.differences.excerpts import excerpt
from falai_django.differences.labels import Labels
from falai_django.differences.words import condition, duration, json_text, listed, quoted
from falai_engine.spec.steps import step_kind

__all__ = ["STEP_SUMMARIES", "TRIGGER_SUMMARIES", "step_summary", "summary", "trigger_summary"]

_Summary = Callable[[Mapping[str, Any], Labels], str]
_LONGEST: Final = 160


def summary(kind: str, body: Any, labels: Labels) -> str:
    """What a step or a trigger of a kind does, in one line: “Collect Name, City”, “Wait 3 days, business hours”.

    `kind` is one of flow-spec.md's steps or triggers, `body` its JSON; a body that is none of that kind is told as it
    is. Never raises.
    """
    tell = STEP_SUMMARIES.get(kind) or TRIGGER_SUMMARIES.get(kind)
    key = "wait" if kind == "waitEvent" else kind
    if tell is None or not isinstance(body, Mapping) or body.get(key) is None:
        return excerpt(json_text(body), _LONGEST)
    return excerpt(tell(body, labels), _LONGEST)


def step_summary(body: Any, labels: Labels) -> str:
    """The summary of a step whose kind its body tells."""
    return summary((step_kind(body) or "") if isinstance(body, Mapping) else "", body, labels)


def trigger_summary(body: Any, labels: Labels) -> str:
    """The summary of a trigger whose kind its body tells."""
    kinds = [kind for kind in TRIGGER_SUMMARIES if isinstance(body, Mapping) and body.get(kind) is not None]
    return summary(kinds[0] if kinds else "", body, labels)


def _quoted_excerpt(text: Any) -> str:
    return quoted(excerpt(text)) if isinstance(text, str) else json_text(text)


def _prompt(body: Mapping[str, Any], _labels: Labels) -> str:
    return _("Talk: %(text)s") % {"text": _quoted_excerpt(body["prompt"])}


def _collect(body: Mapping[str, Any], labels: Labels) -> str:
    fields = body["collect"]
    names = listed(map(labels.field, fields)) if isinstance(fields, list) else json_text(fields)
    return _("Collect %(fields)s") % {"fields": names}


def _say(body: Mapping[str, Any], _labels: Labels) -> str:
    media = body.get("media")
    slug = media.get("slug") if isinstance(media, Mapping) else media
    if slug is None:
        return _("Send %(text)s") % {"text": _quoted_excerpt(body["say"])}
    return _("Send %(text)s with %(media)s") % {"text": _quoted_excerpt(body["say"]), "media": quoted(slug)}


def _do(body: Mapping[str, Any], _labels: Labels) -> str:
    return _("Do %(action)s") % {"action": quoted(body["do"])}


def _wait(body: Mapping[str, Any], _labels: Labels) -> str:
    return _in_hours(_("Wait %(duration)s") % {"duration": duration(body["wait"])}, body)


def _wait_event(body: Mapping[str, Any], _labels: Labels) -> str:
    wait = body["wait"]
    event, up_to = (wait.get("event"), wait.get("upTo")) if isinstance(wait, Mapping) else (wait, None)
    if up_to is None:
        return _("Wait for the event %(event)s") % {"event": quoted(event)}
    return _("Wait for the event %(event)s, %(duration)s at most") % {
        "event": quoted(event),
        "duration": duration(up_to),
    }


def _if(body: Mapping[str, Any], labels: Labels) -> str:
    return _("If %(condition)s") % {"condition": condition(body["if"], labels)}


def _in_hours(told: str, body: Mapping[str, Any]) -> str:
    return _("%(what)s, business hours") % {"what": told} if body.get("businessHours") is True else told


def _phrase(given: Any) -> str:
    """A phrase that starts a flow, or with a `!` one that does not."""
    if isinstance(given, str) and given.startswith("!"):
        return _("except %(phrase)s") % {"phrase": quoted(given[1:].strip())}
    return quoted(given)


def _phrases(given: Any) -> str:
    return listed(map(_phrase, given)) if isinstance(given, list) else json_text(given)


def _message(body: Mapping[str, Any], _labels: Labels) -> str:
    if body["message"] == []:
        return _("When the customer writes anything that nothing else answers")
    return _("When the customer writes: %(phrases)s") % {"phrases": _phrases(body["message"])}


def _mention(body: Mapping[str, Any], _labels: Labels) -> str:
    if body["mention"] == []:
        return _("On every message of the customer")
    return _("When the customer mentions: %(phrases)s") % {"phrases": _phrases(body["mention"])}


def _silence(body: Mapping[str, Any], _labels: Labels) -> str:
    told = _("After %(duration)s without an answer") % {"duration": duration(body["silence"])}
    return _in_hours(told, body)


def _event(body: Mapping[str, Any], _labels: Labels) -> str:
    told = _("On the event %(event)s") % {"event": quoted(body["event"])}
    if body.get("after") is not None:
        told = _("%(what)s, %(duration)s later") % {"what": told, "duration": duration(body["after"])}
    return _in_hours(told, body)


STEP_SUMMARIES: Final[Mapping[str, _Summary]] = {
    "prompt": _prompt,
    "collect": _collect,
    "say": _say,
    "do": _do,
    "wait": _wait,
    "waitEvent": _wait_event,
    "if": _if,
}
TRIGGER_SUMMARIES: Final[Mapping[str, _Summary]] = {
    "message": _message,
    "mention": _mention,
    "silence": _silence,
    "event": _event,
}
