"""When a run starts (spec: flow-spec.md, `trigger`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from falai_engine.flows import Cooldown, EventTrigger, MentionTrigger, MessageTrigger, Repeat, SilenceTrigger
from falai_engine.spec.nulls import condition_json, without_nulls
from falai_engine.spec.rows import Shape, each, names, row, shape

__all__ = ["TRIGGERS", "triggers_from_spec", "triggers_to_spec"]


_REPEATS = {member.value: member for member in Repeat}


def _repeat_from_spec(spec: Any) -> Any:
    if isinstance(spec, str):
        return _REPEATS.get(spec, spec)
    if isinstance(spec, Mapping) and spec.keys() == {"cooldown"} and spec["cooldown"] is not None:
        return Cooldown(without_nulls(spec["cooldown"]))
    return without_nulls(spec)


def _repeat_to_spec(value: Any) -> Any:
    if isinstance(value, Cooldown):
        return {"cooldown": value.after}
    return value.value if isinstance(value, Repeat) else without_nulls(value)


_REPEAT = row("repeat", _repeat_from_spec, _repeat_to_spec)
_IF = row("if_", condition_json, condition_json)
_HOURS = row("business_hours")

TRIGGERS: Mapping[str, Shape[Any]] = {
    "message": shape(MessageTrigger, row("phrases", names, key="message"), _REPEAT, _IF),
    "mention": shape(MentionTrigger, row("phrases", names, key="mention"), row("extract"), _REPEAT, _IF),
    "silence": shape(SilenceTrigger, row("after", key="silence"), _HOURS, _REPEAT, _IF),
    "event": shape(EventTrigger, row("event"), row("after"), _HOURS, _REPEAT, _IF),
}
"""The shape of each kind, by the key that tells it."""

_SHAPE_OF: Mapping[Any, Shape[Any]] = {shape.make: shape for shape in TRIGGERS.values()}


def _trigger_or_json(spec: Any) -> Any:
    kinds = [kind for kind in TRIGGERS if isinstance(spec, Mapping) and spec.get(kind) is not None]
    return TRIGGERS[kinds[0]].read(spec) if len(kinds) == 1 else condition_json(spec)


def _json_of_trigger(value: Any) -> Any:
    shape = _SHAPE_OF.get(type(value))
    return shape.write(value) if shape else condition_json(value)


triggers_from_spec = each(_trigger_or_json, tuple)
"""The triggers of a flow; one of no kind or of two stays as it was written."""

triggers_to_spec = each(_json_of_trigger, list)
"""The way back."""
