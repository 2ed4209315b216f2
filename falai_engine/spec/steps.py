"""The steps of a flow (spec: flow-spec.md, `step`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from falai_engine.flows import Collect, Do, If, Prompt, Say, Wait, WaitEvent
from falai_engine.spec.declarations import instructions_from_spec, instructions_to_spec
from falai_engine.spec.nulls import condition_json, without_nulls
from falai_engine.spec.rows import Shape, each, names, row, shape
from falai_engine.spec.targets import branches_from_spec, branches_to_spec, next_from_spec, next_to_spec

__all__ = ["BODIES", "STEPS", "WAIT_EVENT", "step_kind", "steps_from_spec", "steps_to_spec"]

BODIES = ("say", "do", "wait", "if", "collect", "prompt")
"""The keys that tell what a step does, in the order in which they are looked for."""

_ID, _LABEL, _UI = row("id"), row("label"), row("ui")
_THEN = row("then", next_from_spec, next_to_spec)
_ELSE = row("else_", next_from_spec, next_to_spec)
_BRANCHES = row("branches", branches_from_spec, branches_to_spec)
_TALK = (
    row("ask"),
    row("max_asks"),
    _BRANCHES,
    row("tools", names),
    row("instructions", instructions_from_spec, instructions_to_spec),
)
_ALL = (_ID, _LABEL, _THEN, _UI)

STEPS: Mapping[str, Shape[Any]] = {
    "prompt": shape(Prompt, *_ALL, row("prompt"), *_TALK),
    "collect": shape(Collect, *_ALL, row("collect", names), row("prompt"), row("question"), *_TALK),
    "say": shape(Say, *_ALL, row("say"), row("media"), row("once")),
    "do": shape(Do, *_ALL, row("do"), row("with_"), row("on_fail", next_from_spec, next_to_spec)),
    "wait": shape(Wait, *_ALL, row("wait"), row("business_hours"), _ELSE, _BRANCHES),
    "waitEvent": shape(WaitEvent, *_ALL, row("event"), row("up_to"), _ELSE),
    "if": shape(If, *_ALL, row("if_", condition_json, condition_json), _ELSE),
}
"""The shape of each kind. The event and `upTo` of a `waitEvent` lie inside its `wait` in JSON."""

WAIT_EVENT = frozenset({"event", "upTo"})
"""The keys of that inner object."""

_KIND_OF: Mapping[Any, str] = {shape.make: kind for kind, shape in STEPS.items()}


def step_kind(spec: Mapping[str, Any]) -> str | None:
    """The kind that the body tells: the first of BODIES that is there, `waitEvent` for a `wait` that is an object."""
    body = next((key for key in BODIES if spec.get(key) is not None), None)
    return "waitEvent" if body == "wait" and isinstance(spec["wait"], Mapping) else body


def _step_or_json(spec: Any) -> Any:
    if not isinstance(spec, Mapping):
        return without_nulls(spec)
    kind = step_kind(spec)
    if kind is None or spec.get("kind", kind) not in (kind, None) or _other_bodies(spec, kind):
        return without_nulls(spec)
    shape = STEPS[kind]
    flat = {**spec, **{key: spec["wait"].get(key) for key in WAIT_EVENT}} if kind == "waitEvent" else spec
    return shape.read(flat) if shape.missing(flat) is None else without_nulls(spec)


def _other_bodies(spec: Mapping[str, Any], kind: str) -> bool:
    """Whether it also has the body of another kind; a `question` is one of a collect step only."""
    own = {"waitEvent": {"wait"}, "collect": {"collect", "prompt", "question"}}.get(kind, {kind})
    return any(spec.get(key) is not None for key in (*BODIES, "question") if key not in own)


def _json_of_step(value: Any) -> Any:
    kind = _KIND_OF.get(type(value))
    if kind is None:
        return without_nulls(value)
    spec = {"kind": kind, **STEPS[kind].write(value)}
    if kind == "waitEvent":
        spec["wait"] = {key: spec.pop(key) for key in WAIT_EVENT if key in spec}
    return spec


steps_from_spec = each(_step_or_json, tuple)
"""The steps of a flow; one without id, or whose body does not tell one kind, stays as it was written."""

steps_to_spec = each(_json_of_step, list)
"""The way back; `kind` is always written."""
