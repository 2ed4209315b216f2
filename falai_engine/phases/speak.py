"""Speak: who speaks this turn, and from what (spec: engine.md section 8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from falai_engine.briefs import FieldAsk, KnownValue, SpeakBrief
from falai_engine.compiled.parts import CompiledField, CompiledFlow, CompiledIdle, CompiledInstruction, TalkStep
from falai_engine.needs import Steps
from falai_engine.phases.movement import step_key
from falai_engine.phases.settle import settle_idle, settle_talk
from falai_engine.phases.speech import Part, utter
from falai_engine.phases.state import Turn
from falai_engine.phases.talk import ask_fixed, opens_fixed, pending_fields
from falai_engine.prompts import speak_prompt
from falai_engine.records.outcomes import Code
from falai_engine.records.session import Run
from falai_engine.templates import Scope
from falai_engine.values import is_known
from falai_engine.wire import closed_object, speak_names

__all__ = ["speak"]

_TEXT: Final = {"type": ["string", "null"]}


def speak(turn: Turn) -> Steps[None]:
    """Let the speaker speak, and settle what came of it; without one, the idle speaker answers a message."""
    if turn.speaker is not None:
        yield from _talk(turn, turn.speaker)
    elif turn.may_answer() and turn.asker() is None:
        yield from _idle(turn)
    turn.speak_over = True


def _talk(turn: Turn, run: Run) -> Steps[None]:
    flow, step = turn.flow_of(run), turn.step_of(run)
    assert flow is not None
    assert type(step) is TalkStep
    if turn.another_spoke(run):
        turn.line(run, step.kind, "skipped", Code.ANOTHER_REPLY, step_key(run))
    elif opens_fixed(turn, run, step):
        ask_fixed(turn, run, step)
    else:
        speech = yield from utter(turn, run, lambda: _talk_part(turn, run, flow, step))
        turn.speak_over = True
        yield from settle_talk(turn, run, flow, step, speech)


def _idle(turn: Turn) -> Steps[None]:
    idle = turn.agent.idle
    if idle is not None:
        settle_idle(turn, (yield from utter(turn, None, lambda: _idle_part(turn, idle))))


def _idle_part(turn: Turn, idle: CompiledIdle) -> Steps[Part]:
    scope = turn.scope(None)
    rules = yield from _rules(turn, None, scope, (*turn.agent.instructions, *idle.instructions))
    brief = SpeakBrief(
        message=turn.customer.message if turn.customer is not None else None,
        idle=True,
        flow_name=None,
        flow_description=None,
        guideline=idle.prompt.render(scope) or None,
        pending=(),
        known=(),
        instructions=rules,
        today=turn.agent.today(turn.now),
        locale=turn.agent.locale,
    )
    prompt = speak_prompt(brief, turn.agent.identity(scope))
    return Part(prompt, brief, closed_object({"message": _TEXT}), {}, idle.tools)


def _talk_part(turn: Turn, run: Run, flow: CompiledFlow, step: TalkStep) -> Steps[Part]:
    scope = turn.scope(run)
    fields = pending_fields(turn, run, step)
    pending = list(zip(speak_names([each.slug for each in fields]), fields, strict=True))
    rules = yield from _rules(turn, run, scope, (*turn.agent.instructions, *flow.instructions, *step.instructions))
    brief = SpeakBrief(
        message=turn.customer.message if turn.customer is not None else None,
        idle=False,
        flow_name=flow.title,
        flow_description=flow.description.render(scope),
        guideline=None if step.prompt is None else step.prompt.render(scope) or None,
        pending=tuple(_field_ask(name, each, run, step, scope) for name, each in pending),
        known=_known(turn, scope[0]),
        instructions=rules,
        today=turn.agent.today(turn.now),
        unanswered=turn.customer is None and _ends_on_customer(turn),
        locale=turn.agent.locale,
    )
    schema = closed_object({"message": _TEXT, **{name: each.leaf for name, each in pending}})
    prompt = speak_prompt(brief, turn.agent.identity(scope))
    return Part(prompt, brief, schema, {name: each.slug for name, each in pending}, step.tools)


def _rules(
    turn: Turn, run: Run | None, scope: Scope, instructions: Iterable[CompiledInstruction]
) -> Steps[tuple[str, ...]]:
    """The instructions whose `if` holds, as they stand in the prompt."""
    rules = []
    for each in instructions:
        if each.condition is None or (yield from turn.holds(each.condition, run)):
            rules.append(f"{each.head}{each.prompt.render(scope)}{each.tail}")  # noqa: PERF401 - it yields
    return tuple(rules)


def _field_ask(name: str, field: CompiledField, run: Run, step: TalkStep, scope: Scope) -> FieldAsk:
    ask = step.asks.get(field.slug) or field.ask
    return FieldAsk(
        name,
        field.slug,
        field.type,
        field.enum,
        field.label,
        field.description,
        None if ask is None else ask.render(scope),
        run.asked.get(field.slug, 0),
    )


def _known(turn: Turn, data: Mapping[str, Any]) -> tuple[KnownValue, ...]:
    """Fields and shown variables that have a value; `fresh` are those that came or changed this turn."""
    stored: Mapping[str, Any] = {} if turn.input.session is None else turn.input.session.data
    before = {**turn.agent.initials, **{slug: value for slug, value in stored.items() if value is not None}}
    return tuple(
        KnownValue(slug, label, data[slug], before.get(slug) != data[slug])
        for slug, label in turn.agent.shown
        if is_known(data.get(slug))
    )


def _ends_on_customer(turn: Turn) -> bool:
    history: Sequence[Mapping[str, Any]] = turn.history
    return bool(history) and history[-1].get("role") == "user"
