"""Compile a flow: templates parsed, names resolved, durations in milliseconds, targets worked out (style.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from falai_engine.compiled.conditions import Condition, bind_condition
from falai_engine.compiled.parts import (
    ActionStep,
    CompiledBranch,
    CompiledField,
    CompiledFlow,
    CompiledInstruction,
    CompiledStep,
    CompiledTrigger,
    EventStep,
    ForkStep,
    SayStep,
    TalkStep,
    Target,
    TimerStep,
)
from falai_engine.error_words import shown
from falai_engine.errors import FlowConfigurationError
from falai_engine.flows import (
    END,
    Branch,
    Collect,
    Cooldown,
    Do,
    EventTrigger,
    Field,
    Flow,
    GoTo,
    If,
    Instruction,
    MentionTrigger,
    MessageTrigger,
    Next,
    OnEnd,
    Prompt,
    Repeat,
    Say,
    SilenceTrigger,
    Step,
    ToolChoice,
    Trigger,
    Wait,
    WaitEvent,
)
from falai_engine.phrases import split_phrases
from falai_engine.prompts import instruction_parts
from falai_engine.records.outcomes import OutcomeKind
from falai_engine.registry import Action, ConditionDefinition, Tool, as_action, as_tool, handler_name
from falai_engine.templates import compile_template, render_deep
from falai_engine.times import duration_ms
from falai_engine.update_state import StateUpdates
from falai_engine.values import MISSING, coercer
from falai_engine.wire import is_legal_name, leaf

__all__ = ["Parts", "compile_field", "compile_flow", "compile_instruction"]

INLINE_MS: Final = 10_000
DEFAULT_MAX_ASKS: Final = 3
DEFAULT_UP_TO: Final = "30d"
FINISH: Final = Target(text=END)


@dataclass(frozen=True, slots=True)
class Parts:
    """The registries that names in flows are resolved against."""

    fields: Mapping[str, CompiledField]
    actions: Mapping[str, Action | StateUpdates]
    conditions: Mapping[str, ConditionDefinition]
    tools: Mapping[str, Tool | StateUpdates]

    def pick_tools(self, chosen: Sequence[ToolChoice]) -> tuple[Tool | StateUpdates, ...]:
        """Tools by name, always in the agent's order; tools given as values come after."""
        names = {each for each in chosen if isinstance(each, str)}
        named = [tool for name, tool in self.tools.items() if name in names]
        return (*named, *[as_tool(each) for each in chosen if not isinstance(each, str)])


def compile_field(slug: str, field: Field) -> CompiledField:
    """A field with its coercion and its property on the wire."""
    definition = {"type": field.type, "description": field.description, "enum": field.enum}
    return CompiledField(
        slug,
        field.type,
        None if field.enum is None else tuple(field.enum),
        field.label,
        field.description,
        None if not field.ask else compile_template(field.ask),
        not field.only_when_asked,
        is_legal_name(slug),
        leaf(definition),
        coercer(field.type, field.enum),
    )


def compile_instruction(instruction: Instruction, conditions: Mapping[str, ConditionDefinition]) -> CompiledInstruction:
    """An instruction with all of its line but the rendered text."""
    when = instruction.when
    phrases = [] if when is None else [when] if isinstance(when, str) else when
    head, tail = instruction_parts(instruction.kind or "should", *split_phrases(phrases))
    condition = bind_condition(instruction.if_, conditions)
    return CompiledInstruction(head, compile_template(instruction.prompt), tail, condition)


def compile_flow(flow: Flow, parts: Parts) -> CompiledFlow:
    """A flow ready to run; it must be valid."""
    steps = _Steps(flow, parts).compile()
    talks = [step for step in steps if type(step) is TalkStep]
    triggers = tuple(_trigger(each, parts) for each in flow.on or ())
    first = steps[0] if steps else None
    asked_first = first.collect if isinstance(first, TalkStep) and first.question is None else ()
    compiled = CompiledFlow(
        id=flow.id,
        title=flow.name or flow.id,
        legal=is_legal_name(flow.id),
        description=compile_template(flow.description or ""),
        anchor=None if flow.anchor in (None, "", "session") else flow.anchor,
        steps=steps,
        by_id={step.id: step for step in steps},
        on_end=OnEnd(flow.on_end or OnEnd.END),
        clear_on_start=tuple(flow.clear_on_start or ()),
        while_=bind_condition(flow.while_, parts.conditions),
        instructions=_instructions(flow.instructions, parts),
        triggers=triggers,
        fields=_collected(flow, talks, parts),
        first_step_fields=frozenset(field.slug for field in asked_first),
        last_talk=talks[-1].id if talks else None,
    )
    _assign_triggers(compiled)
    return compiled


def _collected(flow: Flow, talks: Sequence[TalkStep], parts: Parts) -> tuple[CompiledField, ...]:
    """The flow's own `collect`, then its talk steps', each once."""
    own = [parts.fields[slug] for slug in flow.collect or ()]
    unique = {field.slug: field for field in [*own, *[field for step in talks for field in step.collect]]}
    return tuple(unique.values())


def _instructions(instructions: Sequence[Instruction] | None, parts: Parts) -> tuple[CompiledInstruction, ...]:
    return tuple(compile_instruction(each, parts.conditions) for each in instructions or ())


# -- triggers


def _assign_triggers(flow: CompiledFlow) -> None:
    """For each kind the one trigger that is judged, and the premises of a run of that kind."""
    by_kind: dict[str, list[CompiledTrigger]] = {}
    for trigger in flow.triggers:
        by_kind.setdefault(trigger.kind, []).append(trigger)
    messages = by_kind.get("message", [])
    mentions = by_kind.get("mention", [])
    flow.message = next(iter(messages), None)
    flow.routing = next((each for each in messages if each.phrases), None)
    flow.catch_all = next((each for each in messages if not each.phrases), None)
    flow.mention = next(iter(mentions), None)
    flow.silence = next(iter(by_kind.get("silence", ())), None)
    flow.extract = next((each.extract for each in mentions if each.extract), None)
    flow.premises = {
        kind: tuple(each.condition for each in triggers if each.condition is not None)
        for kind, triggers in by_kind.items()
        if all(each.condition is not None for each in triggers)
    }


def _trigger(trigger: Trigger, parts: Parts) -> CompiledTrigger:
    if isinstance(trigger, MessageTrigger | MentionTrigger):
        counts, excludes = split_phrases(trigger.phrases)
        kind = "message" if isinstance(trigger, MessageTrigger) else "mention"
        return CompiledTrigger(
            kind,
            *_repeat(trigger.repeat, "once"),
            bind_condition(trigger.if_, parts.conditions),
            tuple(map(compile_template, counts)),
            tuple(map(compile_template, excludes)),
            getattr(trigger, "extract", None) or None,
        )
    hours = trigger.business_hours is True
    if isinstance(trigger, SilenceTrigger):
        return CompiledTrigger(
            "silence",
            *_repeat(trigger.repeat, "once"),
            bind_condition(trigger.if_, parts.conditions),
            silence_ms=duration_ms(trigger.after),
            business_hours=hours,
        )
    assert isinstance(trigger, EventTrigger)
    return CompiledTrigger(
        "event",
        *_repeat(trigger.repeat, "always"),
        bind_condition(trigger.if_, parts.conditions),
        event=trigger.event,
        after_ms=None if trigger.after is None else duration_ms(trigger.after),
        business_hours=hours,
    )


def _repeat(repeat: Repeat | Cooldown | None, default: str) -> tuple[str, int]:
    if isinstance(repeat, Cooldown):
        return "cooldown", duration_ms(repeat.after)
    return (default if repeat is None else str(repeat)), 0


# -- steps


def _check_steps(flow: Flow) -> None:
    for index, step in enumerate(flow.steps):
        if type(step) not in _STEP_KINDS:
            where, fix = f'flow "{flow.id}", step #{index + 1}', "Write the step as a value, or all as JSON"
            raise FlowConfigurationError(where, f"is {shown(step)} in a flow of Python values", fix)


class _Steps:
    """The steps of one flow; a step's default target is the one after it."""

    def __init__(self, flow: Flow, parts: Parts) -> None:
        self.flow = flow
        self.parts = parts
        _check_steps(flow)
        self.by_id = {step.id: step for step in flow.steps}

    def compile(self) -> tuple[CompiledStep, ...]:
        steps = self.flow.steps
        following = [Target(step=step.id) for step in steps[1:]] + [Target()]
        return tuple(
            _STEP_KINDS[type(step)](self, step, self.target(step.then, default))
            for step, default in zip(steps, following, strict=False)
        )

    def target(self, next_: Next | None, default: Target) -> Target:
        if next_ is None:
            return default
        if isinstance(next_, str):
            return FINISH if next_ == END else Target(next_, next_)
        if isinstance(next_, GoTo):
            return Target(next_.step, next_.step, tuple(next_.clear or ()))
        given = MISSING if next_.input is None else next_.input
        return Target(f"flow:{next_.flow}", chain=compile_template(next_.flow), chain_input=given)

    def branches(self, branches: Sequence[Branch] | None) -> tuple[CompiledBranch, ...]:
        return tuple(
            CompiledBranch(
                index,
                None if branch.when is None else compile_template(branch.when),
                bind_condition(branch.if_, self.parts.conditions),
                self.target(branch.then, FINISH),
            )
            for index, branch in enumerate(branches or ())
        )

    def talk(self, step: Prompt | Collect, then: Target) -> TalkStep:
        collects = isinstance(step, Collect)
        chosen = step.tools if step.tools is not None else self.flow.tools
        return TalkStep(
            step.id,
            OutcomeKind.COLLECT if collects else OutcomeKind.PROMPT,
            then,
            None if step.prompt is None else compile_template(step.prompt),
            compile_template(step.question) if isinstance(step, Collect) and step.question is not None else None,
            tuple(self.parts.fields[slug] for slug in step.collect) if isinstance(step, Collect) else (),
            {slug: compile_template(text) for slug, text in (step.ask or {}).items()},
            step.max_asks or DEFAULT_MAX_ASKS,
            self.branches(step.branches),
            tuple(self.parts.tools.values()) if chosen is None else self.parts.pick_tools(chosen),
            _instructions(step.instructions, self.parts),
        )

    def say(self, step: Say, then: Target) -> SayStep:
        return SayStep(step.id, OutcomeKind.SAY, then, compile_template(step.say), step.media, step.once is True)

    def act(self, step: Do, then: Target) -> ActionStep:
        if isinstance(step.do, str):
            name, action = step.do, self.parts.actions.get(step.do)
        else:
            given: Action = as_action(step.do)
            name, action = given.name or handler_name(given.handler), given
        params = render_deep(step.with_ or {})
        return ActionStep(step.id, OutcomeKind.DO, then, name, action, params, self.target(step.on_fail, then))

    def timer(self, step: Wait, then: Target) -> TimerStep:
        wait_ms = duration_ms(step.wait)
        leads_to = None if then.step is None else self.by_id.get(then.step)
        inline = wait_ms <= INLINE_MS and isinstance(leads_to, Say | Prompt | Collect)
        otherwise = None if step.else_ is None else self.target(step.else_, FINISH)
        branches = self.branches(step.branches)
        return TimerStep(
            step.id, OutcomeKind.WAIT, then, wait_ms, step.business_hours is True, otherwise, branches, inline
        )

    def event(self, step: WaitEvent, then: Target) -> EventStep:
        up_to = duration_ms(step.up_to or DEFAULT_UP_TO)
        return EventStep(step.id, OutcomeKind.WAIT, then, step.event, up_to, self.target(step.else_, FINISH))

    def fork(self, step: If, then: Target) -> ForkStep:
        condition = bind_condition(step.if_, self.parts.conditions) or Condition(())
        return ForkStep(step.id, OutcomeKind.IF, then, condition, self.target(step.else_, FINISH))


_STEP_KINDS: Final[Mapping[type[Step], Any]] = {
    Prompt: _Steps.talk,
    Collect: _Steps.talk,
    Say: _Steps.say,
    Do: _Steps.act,
    Wait: _Steps.timer,
    WaitEvent: _Steps.event,
    If: _Steps.fork,
}
