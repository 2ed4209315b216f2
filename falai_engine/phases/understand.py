"""Understand: what there is to judge in the customer's words, one call, its answer (spec: engine.md section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from falai_engine.briefs import BranchChoice, FieldChoice, FlowChoice, MentionChoice, UnderstandBrief
from falai_engine.compiled.parts import CompiledBranch, CompiledField, CompiledFlow, CompiledTrigger, TalkStep
from falai_engine.errors import ErrorKind, ProviderError
from falai_engine.model import ModelRequest
from falai_engine.needs import Raised, Steps
from falai_engine.phases.ask import ask
from falai_engine.phases.judgement import Judgement
from falai_engine.phases.movement import repeat_allows
from falai_engine.phases.state import Turn
from falai_engine.prompts import understand_prompt
from falai_engine.records.session import Run
from falai_engine.replies import sections_of
from falai_engine.templates import Scope, Template
from falai_engine.values import is_known
from falai_engine.wire import Aliases, closed_object, leaf

__all__ = ["understand"]

_SCORE = {"type": ["integer", "null"]}
_ANSWER = {"type": ["boolean", "null"]}


@dataclass(slots=True)
class Candidates:
    """What there is to judge. `flows` are scored: the floor's first, then the eligible ones."""

    floor: Run | None
    flows: list[CompiledFlow]
    mentions: list[CompiledFlow]
    branches: list[CompiledBranch]
    fields: list[CompiledField]

    def worth_a_call(self, floor_flow: CompiledFlow | None) -> bool:
        """Something to judge, and not only the floor's own flow with nothing to compare it to."""
        if self.mentions or self.branches or self.fields:
            return True
        return bool(self.flows) and (len(self.flows) > 1 or self.flows[0] is not floor_flow)


def understand(turn: Turn) -> Steps[None]:
    """Fill `turn.judgement`. Raises ProviderError out of the turn when the model fails."""
    judgement = turn.judgement
    floor = turn.asker() or turn.floor
    floor_flow = None if floor is None else turn.flow_of(floor)
    judgement.eligible = yield from _eligible(turn)
    if floor is None:
        yield from _unscored(turn, judgement)
    silenced = turn.input.silenced
    if silenced is not None and not silenced.understand:
        return
    candidates = _candidates(turn, floor, floor_flow)
    if candidates.worth_a_call(floor_flow):
        yield from _ask(turn, candidates)


def _eligible(turn: Turn) -> Steps[tuple[CompiledFlow, ...]]:
    found = []
    for flow in turn.agent.routed_flows:
        trigger = flow.routing
        if trigger is not None and (yield from _passes(turn, flow, trigger)):
            found.append(flow)
    return tuple(found)


def _passes(turn: Turn, flow: CompiledFlow, trigger: CompiledTrigger) -> Steps[bool]:
    """The trigger's `if` holds and its repeat allows a start."""
    if trigger.condition is not None and not (yield from turn.holds(trigger.condition, None)):
        return False
    return repeat_allows(turn, flow, trigger, turn.trigger_key)


def _unscored(turn: Turn, judgement: Judgement) -> Steps[None]:
    """With nobody on the floor: the first catch-all that passes, or the lone flow that needs no score."""
    for flow in turn.agent.catch_all_flows:
        if flow.catch_all is not None and (yield from _passes(turn, flow, flow.catch_all)):
            judgement.catch_all = flow
            return
    if len(judgement.eligible) == 1 and turn.agent.idle is None:
        judgement.lone = judgement.eligible[0]


def _candidates(turn: Turn, floor: Run | None, floor_flow: CompiledFlow | None) -> Candidates:
    judgement = turn.judgement
    flows = [] if floor_flow is None else [floor_flow]
    if judgement.lone is None:
        flows += [flow for flow in judgement.eligible if flow is not floor_flow]
    mentions = [
        flow
        for flow in turn.agent.mention_flows
        if (trigger := flow.mention) is not None
        and trigger.phrases
        and repeat_allows(turn, flow, trigger, turn.trigger_key)
    ]
    step = None if floor is None else turn.step_of(floor)
    branches = [each for each in step.branches if each.when is not None] if type(step) is TalkStep else []
    collecting = (flow for flow in (floor_flow, *judgement.eligible) if flow is not None)
    fields = _unknown_fields(turn, (field for flow in collecting for field in flow.fields))
    candidates = Candidates(floor, flows, mentions, branches, fields)
    if judgement.catch_all is not None:
        _join_catch_all(turn, candidates, judgement.catch_all)
    return candidates


def _unknown_fields(turn: Turn, fields: Iterable[CompiledField]) -> list[CompiledField]:
    data = turn.data()
    unique = {field.slug: field for field in fields}
    return [field for slug, field in unique.items() if field.anywhere and not is_known(data.get(slug))]


def _join_catch_all(turn: Turn, candidates: Candidates, flow: CompiledFlow) -> None:
    """A catch-all's fields are judged with the rest, or when its first step would not ask for all of them anyway."""
    own = _unknown_fields(turn, flow.fields)
    judged = candidates.flows or candidates.mentions or candidates.branches or candidates.fields
    if judged or any(field.slug not in flow.first_step_fields for field in own):
        names = {field.slug for field in candidates.fields}
        candidates.fields += [field for field in own if field.slug not in names]


# -- the call


def _ask(turn: Turn, candidates: Candidates) -> Steps[None]:
    aliases = Aliases(_names_in_use(candidates))
    brief, branch_names = _brief(turn, candidates, aliases)
    request = ModelRequest(
        prompt=understand_prompt(brief, turn.agent.identity(turn.scope(None))),
        schema=_schema(brief, candidates),
        schema_name="understand",
        system=turn.agent.system,
        history=turn.history,
        deadline=turn.deadline,
        brief=brief,
    )
    reply = yield from ask(turn, request)
    if isinstance(reply, Raised):
        raise _provider_error(turn, reply.error)
    _read(turn.judgement, sections_of(reply), aliases.originals, branch_names)


def _provider_error(turn: Turn, error: Exception) -> ProviderError:
    if isinstance(error, ProviderError):
        return error
    failure = ProviderError(turn.agent.provider_name, ErrorKind.UNKNOWN, code=type(error).__name__)
    failure.__cause__ = error
    return failure


def _names_in_use(candidates: Candidates) -> list[str]:
    flows = [flow.id for flow in (*candidates.flows, *candidates.mentions)]
    return flows + [field.slug for field in candidates.fields]


def _brief(turn: Turn, candidates: Candidates, aliases: Aliases) -> tuple[UnderstandBrief, dict[str, str]]:
    """The call as data, and for each branch's name on the wire its `runId/stepId/index`."""
    scope = turn.scope(None)
    floor = candidates.floor
    flows = tuple(_flow_choice(flow, aliases, scope, floor) for flow in candidates.flows)
    mentions = tuple(_mention_choice(flow, aliases, scope) for flow in candidates.mentions)
    branches, names = [], {}
    for branch in candidates.branches:
        assert floor is not None
        assert branch.when is not None
        original = f"{floor.id}/{floor.step_id}/{branch.index}"
        name = aliases.name("q", original, legal=False)
        names[name] = original
        branches.append(BranchChoice(name, branch.when.render(scope)))
    asked = () if floor is None else floor.asked
    fields = tuple(_field_choice(field, aliases, field.slug in asked) for field in candidates.fields)
    message = turn.customer.message if turn.customer is not None else ""
    return UnderstandBrief(message, flows, mentions, tuple(branches), fields, turn.agent.locale), names


def _render(templates: tuple[Template, ...], scope: Scope) -> tuple[str, ...]:
    return tuple([template.text if template.parts is None else template.render(scope) for template in templates])


def _flow_choice(flow: CompiledFlow, aliases: Aliases, scope: Scope, floor: Run | None) -> FlowChoice:
    trigger = flow.routing
    return FlowChoice(
        aliases.name("f", flow.id, legal=flow.legal),
        flow.id,
        flow.title,
        flow.description.render(scope),
        () if trigger is None else _render(trigger.phrases, scope),
        () if trigger is None else _render(trigger.excludes, scope),
        floor is not None and floor.flow_id == flow.id,
    )


def _mention_choice(flow: CompiledFlow, aliases: Aliases, scope: Scope) -> MentionChoice:
    trigger = flow.mention
    assert trigger is not None
    name = aliases.name("f", flow.id, legal=flow.legal)
    phrases, excludes = _render(trigger.phrases, scope), _render(trigger.excludes, scope)
    return MentionChoice(name, flow.id, flow.title, phrases, excludes, flow.extract)


def _field_choice(field: CompiledField, aliases: Aliases, asked: bool) -> FieldChoice:
    name = aliases.name("d", field.slug, legal=field.legal)
    return FieldChoice(name, field.slug, field.type, field.enum, field.label, field.description, asked)


def _schema(brief: UnderstandBrief, candidates: Candidates) -> dict[str, Any]:
    """Only the sections that have content, in their order."""
    sections: dict[str, Any] = {}
    if brief.flows:
        sections["flows"] = closed_object({flow.name: _SCORE for flow in brief.flows})
    if brief.mentions:
        sections["mentions"] = closed_object({mention.name: _ANSWER for mention in brief.mentions})
        extract = {each.name: _extract_schema(each.extract) for each in brief.mentions if each.extract}
        if extract:
            sections["extract"] = closed_object(extract)
    if brief.branches:
        sections["branches"] = closed_object({branch.name: _ANSWER for branch in brief.branches})
    if brief.fields:
        leaves = zip(brief.fields, candidates.fields, strict=True)
        sections["fields"] = closed_object({choice.name: field.leaf for choice, field in leaves})
    return closed_object(sections)


def _extract_schema(params: Mapping[str, Mapping[str, Any]] | None) -> dict[str, Any]:
    return closed_object({name: leaf(each) for name, each in (params or {}).items()})


# -- the answer


def _read(
    judgement: Judgement, sections: Mapping[str, Any], originals: Mapping[str, str], branches: Mapping[str, str]
) -> None:
    judgement.flows = _section(sections, "flows", originals)
    judgement.mentions = _section(sections, "mentions", originals)
    judgement.extract = _section(sections, "extract", originals)
    judgement.fields = _section(sections, "fields", originals)
    judgement.branches = _section(sections, "branches", branches)


def _section(sections: Mapping[str, Any], name: str, originals: Mapping[str, str]) -> Mapping[str, Any]:
    section = sections.get(name)
    if not isinstance(section, Mapping):
        return {}
    if not originals:
        return section
    return {originals.get(key, key): value for key, value in section.items()}
