"""Steps, kind by kind (spec: flow-spec.md, `step`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from falai_engine.error_words import shown
from falai_engine.flows import END
from falai_engine.registry import Action, as_action
from falai_engine.spec.places import step_where
from falai_engine.spec.steps import BODIES, STEPS, WAIT_EVENT, step_kind
from falai_engine.validation.conditions import check_condition
from falai_engine.validation.instructions import check_instructions, check_tools
from falai_engine.validation.placeholders import check_placeholders, check_placeholders_deep
from falai_engine.validation.report import Spot
from falai_engine.validation.shapes import (
    check_choice,
    check_duration,
    check_flags,
    check_keys,
    check_texts,
    check_whole,
    is_list,
    is_object,
    is_text,
)
from falai_engine.validation.targets import Surroundings, check_branches, check_next
from falai_engine.validation.values import check_value

__all__ = ["check_field_names", "check_steps"]

_NO_BODY: Final = frozenset({"id", "kind", "label", "then", "ui"})

_KEYS: Final[Mapping[str, frozenset[str]]] = {
    kind: (shape.keys - WAIT_EVENT | {"wait"} if kind == "waitEvent" else shape.keys) | {"kind", "question"}
    for kind, shape in STEPS.items()
}
"""The words of each kind; `question` in the wrong place is an error of its own."""


def check_steps(steps: list[Any], spot: Spot, around: Surroundings) -> None:
    """The steps of a flow; `spot` is theirs, its `where` the flow's."""
    for index, step in enumerate(steps):
        at = spot.item(index)
        if is_object(step, at):
            _check_step(step, at.named(step_where(spot.where, step.get("id"), index)), around, index)


def _check_step(step: Mapping[str, Any], spot: Spot, around: Surroundings, here: int) -> None:
    _check_id(step.get("id"), spot.at("id"), around, here)
    check_texts(step, spot, "label")
    kind = _check_kind(step, spot)
    if kind is not None:
        _CHECKS[kind](step, spot, around, here)
        check_keys(step, _KEYS[kind].union(BODIES), spot)
    if kind != "collect" and step.get("question") is not None:
        spot.at("question").problem("question-without-collect")
    if kind != "if":
        check_next(step.get("then"), spot.at("then"), around, here)


def _check_id(step_id: Any, spot: Spot, around: Surroundings, here: int) -> None:
    if step_id is None or step_id == "":
        spot.problem("step-without-id")
    elif not isinstance(step_id, str):
        spot.misfit("not-text", step_id)
    elif step_id == END:
        spot.problem("step-id-reserved")
    elif around.steps[step_id] != here:
        spot.problem("step-id-twice")
    elif ":" in step_id or "#" in step_id:
        spot.problem("separator-in-id")


def _misspelt_body(step: Mapping[str, Any], spot: Spot) -> dict[str, str]:
    """The key that was probably meant to say what the step does, and what it should be."""
    bodies = dict.fromkeys((*STEPS, "wait"))
    for key in step:
        near = None if key in _NO_BODY else spot.report.nearest(key, bodies)
        if near is not None and key not in bodies:
            return {"shown": shown(key), "near": f"`{near}`"}
    return {}


def _check_kind(step: Mapping[str, Any], spot: Spot) -> str | None:
    """The kind that the body tells, None when there is no body."""
    written, kind = step.get("kind"), step_kind(step)
    known = check_choice(written, tuple(STEPS), spot.at("kind"))
    if kind is None:
        body = {"waitEvent": "wait"}.get(written, written) if known and written else "kind"
        spot.at(body).problem("step-empty", **_misspelt_body(step, spot))
        return None
    _check_single(step, spot)
    if known and written is not None and written != kind:
        spot.at("kind").misfit("step-kind-mismatch", written, kind=f'"{kind}"')
    return kind


def _check_single(step: Mapping[str, Any], spot: Spot) -> None:
    bodies = [key for key in BODIES if step.get(key) is not None]
    if len(bodies) > 1 and bodies != ["collect", "prompt"]:
        spot.at(bodies[1]).problem("step-does-two-things", first=f"`{bodies[0]}`", second=f"`{bodies[1]}`")


def _check_talk(step: Mapping[str, Any], spot: Spot, around: Surroundings, here: int) -> None:
    known = around.known
    check_texts(step, spot, "prompt", "question")
    check_placeholders(step.get("prompt"), spot.at("prompt"), known)
    check_placeholders(step.get("question"), spot.at("question"), known)
    _check_ask(step.get("ask"), spot.at("ask"), around)
    check_whole(step.get("maxAsks"), 1, spot.at("maxAsks"))
    check_branches(step.get("branches"), spot.at("branches"), around, here, model=True)
    check_tools(step.get("tools"), spot.at("tools"), known)
    check_instructions(step.get("instructions"), spot.at("instructions"), known)


def _check_ask(ask: Any, spot: Spot, around: Surroundings) -> None:
    if ask is None or not is_object(ask, spot):
        return
    for name, text in ask.items():
        at = spot.key(name)
        if name not in around.known.fields:
            _unknown_field(name, at, around)
        elif text is not None and is_text(text, at):
            check_placeholders(text, at, around.known)


def _unknown_field(name: Any, spot: Spot, around: Surroundings) -> None:
    variable = isinstance(name, str) and name in around.known.data
    spot.misnamed("variable-collected" if variable else "unknown-field", name, around.known.fields)


def check_field_names(names: Any, spot: Spot, around: Surroundings) -> None:
    """A list of fields; a variable is none."""
    if names is None or not is_list(names, spot):
        return
    for index, name in enumerate(names):
        if not isinstance(name, str) or name not in around.known.fields:
            _unknown_field(name, spot.item(index), around)


def _check_collect(step: Mapping[str, Any], spot: Spot, around: Surroundings, here: int) -> None:
    collect, at = step["collect"], spot.at("collect")
    check_field_names(collect, at, around)
    if collect in ([], ()):
        at.problem("collect-empty")
    _check_talk(step, spot, around, here)
    if isinstance(collect, (list, tuple)) and collect and not _guided(step, collect, around):
        at.problem("collect-unguided", names=", ".join(map(str, collect)))
    if step.get("maxAsks") == 1 and isinstance(collect, (list, tuple)):
        _check_answer_heard(collect, spot.at("maxAsks"), around)


def _check_answer_heard(collect: Sequence[Any], spot: Spot, around: Surroundings) -> None:
    """Warn of fields whose answer comes when the step, asked as often as allowed, has gone on."""
    for name in collect:
        field = around.known.fields.get(name) if isinstance(name, str) else None
        if field is not None and field.only_when_asked:
            spot.misfit("answer-unheard", name, name=f'"{name}"')


def _guided(step: Mapping[str, Any], collect: Sequence[Any], around: Surroundings) -> bool:
    """Whether anything tells the model how to ask for any of the fields."""
    if step.get("prompt") is not None or step.get("question") is not None:
        return True
    ask = step.get("ask")
    asked = ask if isinstance(ask, Mapping) else {}
    fields = around.known.fields
    return any(
        not isinstance(name, str) or asked.get(name) is not None or (name in fields and fields[name].ask is not None)
        for name in collect
    )


def _check_say(step: Mapping[str, Any], spot: Spot, around: Surroundings, _: int) -> None:
    check_texts(step, spot, "say")
    check_placeholders(step["say"], spot.at("say"), around.known)
    check_flags(step, spot, "once")
    media, at = step.get("media"), spot.at("media")
    if media is not None and is_object(media, at):
        if media.get("slug") is None:
            at.at("slug").problem("missing")
        check_texts(media, at, "slug")


def _check_do(step: Mapping[str, Any], spot: Spot, around: Surroundings, here: int) -> None:
    named, at = step["do"], spot.at("do")
    value = as_action(named)
    action = value if isinstance(value, Action) else None
    if action is None and is_text(named, at):
        action = around.known.actions.get(named)
        if action is None:
            at.misnamed("unknown-action", named, around.known.actions)
    given: Any = step.get("with")
    if given is None or is_object(given, spot.at("with")):
        _check_with(given or {}, action, spot.at("with"))
        check_placeholders_deep(given, spot.at("with"), around.known)
    check_next(step.get("onFail"), spot.at("onFail"), around, here)


def _check_with(given: Mapping[str, Any], action: Action | None, spot: Spot) -> None:
    if action is None or action.parameters is None:
        return
    parameters: Mapping[str, Any] = action.parameters
    for name, parameter in parameters.items():
        declared = parameter if isinstance(parameter, Mapping) else {}
        value = given.get(name)
        if value is not None:
            check_value(value, declared, spot.key(name))
        elif declared.get("optional") is not True:
            spot.key(name).problem("parameter-missing")
    for name, value in given.items():
        if name not in parameters and value is not None:
            spot.key(name).misnamed("parameter-unknown", name, parameters)


def _check_wait(step: Mapping[str, Any], spot: Spot, around: Surroundings, here: int) -> None:
    check_duration(step["wait"], spot.at("wait"))
    check_flags(step, spot, "businessHours")
    check_next(step.get("else"), spot.at("else"), around, here)
    check_branches(step.get("branches"), spot.at("branches"), around, here, model=False)


def _check_wait_event(step: Mapping[str, Any], spot: Spot, around: Surroundings, here: int) -> None:
    wait, at = step["wait"], spot.at("wait")
    event, events = wait.get("event"), around.known.events
    if event is None:
        at.at("event").problem("wait-without-event")
    elif is_text(event, at.at("event")) and event not in events:
        at.at("event").misnamed("unknown-event", event, events)
    check_duration(wait.get("upTo"), at.at("upTo"))
    check_keys(wait, WAIT_EVENT, at)
    check_next(step.get("else"), spot.at("else"), around, here)


def _check_if(step: Mapping[str, Any], spot: Spot, around: Surroundings, here: int) -> None:
    check_condition(step["if"], spot.at("if"), around.known)
    check_next(step.get("else"), spot.at("else"), around, here)
    then = step.get("then")
    target = then.get("step") if isinstance(then, Mapping) else then
    if step.get("else") is None and isinstance(target, str) and around.steps.get(target, here + 1) <= here:
        spot.at("then").misfit("if-jumps-back", target, name=f'"{target}"')
    else:
        check_next(then, spot.at("then"), around, here)


_CHECKS: Final[Mapping[str, Callable[[Mapping[str, Any], Spot, Surroundings, int], None]]] = {
    "prompt": _check_talk,
    "collect": _check_collect,
    "say": _check_say,
    "do": _check_do,
    "wait": _check_wait,
    "waitEvent": _check_wait_event,
    "if": _check_if,
}
