"""When a flow starts (spec: flow-spec.md, `trigger`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from falai_engine.phrases import split_phrases
from falai_engine.spec.places import trigger_where
from falai_engine.spec.triggers import TRIGGERS
from falai_engine.validation.conditions import check_condition
from falai_engine.validation.placeholders import check_placeholders
from falai_engine.validation.registries import Known
from falai_engine.validation.report import Spot
from falai_engine.validation.shapes import check_duration, check_flags, check_keys, is_list, is_object, is_text
from falai_engine.validation.values import check_parameters

__all__ = ["check_triggers"]


def check_triggers(triggers: Any, spot: Spot, known: Known) -> None:
    """The `on` of a flow; `spot` is its."""
    if triggers is None or not is_list(triggers, spot):
        return
    for index, trigger in enumerate(triggers):
        at = spot.item(index).named(trigger_where(spot.where, index))
        if is_object(trigger, at):
            _check_trigger(trigger, at, known)


def _check_trigger(trigger: Mapping[str, Any], spot: Spot, known: Known) -> None:
    kinds = [kind for kind in TRIGGERS if trigger.get(kind) is not None]
    if len(kinds) > 1:
        spot.at(kinds[1]).problem("trigger-with-two-kinds", first=f"`{kinds[0]}`", second=f"`{kinds[1]}`")
    if not kinds:
        spot.problem("trigger-without-kind")
        check_keys(trigger, frozenset().union(*(shape.keys for shape in TRIGGERS.values())), spot)
        return
    _CHECKS[kinds[0]](trigger, spot, known)
    _check_repeat(trigger.get("repeat"), spot.at("repeat"))
    check_condition(trigger.get("if"), spot.at("if"), known)
    check_keys(trigger, TRIGGERS[kinds[0]].keys.union(kinds), spot)


def _check_phrases(phrases: Any, spot: Spot, known: Known) -> None:
    if not is_list(phrases, spot):
        return
    texts = [phrase for index, phrase in enumerate(phrases) if is_text(phrase, spot.item(index))]
    if texts and len(texts) == len(phrases) and not split_phrases(texts)[0]:
        spot.problem("trigger-without-phrases")
    for index, phrase in enumerate(phrases):
        check_placeholders(phrase, spot.item(index), known)


def _check_message(trigger: Mapping[str, Any], spot: Spot, known: Known) -> None:
    _check_phrases(trigger["message"], spot.at("message"), known)


def _check_mention(trigger: Mapping[str, Any], spot: Spot, known: Known) -> None:
    _check_phrases(trigger["mention"], spot.at("mention"), known)
    check_parameters(trigger.get("extract"), spot.at("extract"))


def _check_silence(trigger: Mapping[str, Any], spot: Spot, _: Known) -> None:
    check_duration(trigger["silence"], spot.at("silence"))
    check_flags(trigger, spot, "businessHours")
    if trigger.get("repeat") == "always":
        spot.at("repeat").problem("silence-always")


def _check_event(trigger: Mapping[str, Any], spot: Spot, known: Known) -> None:
    event, at = trigger["event"], spot.at("event")
    if is_text(event, at) and event not in known.events:
        at.misnamed("unknown-event", event, known.events)
    check_duration(trigger.get("after"), spot.at("after"))
    check_flags(trigger, spot, "businessHours")


_CHECKS: Final[Mapping[str, Callable[[Mapping[str, Any], Spot, Known], None]]] = {
    "message": _check_message,
    "mention": _check_mention,
    "silence": _check_silence,
    "event": _check_event,
}


def _check_repeat(repeat: Any, spot: Spot) -> None:
    if repeat is None or (isinstance(repeat, str) and repeat in ("once", "always")):
        return
    if not isinstance(repeat, Mapping) or repeat.get("cooldown") is None:
        spot.misfit("bad-repeat", repeat)
        return
    check_duration(repeat["cooldown"], spot.at("cooldown"))
    check_keys(repeat, ("cooldown",), spot)
