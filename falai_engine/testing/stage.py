"""The agent of a scenario: its document with scripted actions, tools, conditions and business hours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any, TypeVar

from falai_engine.agent import Agent
from falai_engine.document import Registrations, agent_from_spec
from falai_engine.model import Provider
from falai_engine.registry import (
    Action,
    ActionCall,
    BusinessHours,
    ConditionDefinition,
    ConditionScope,
    Invalid,
    Tool,
    ToolRequest,
    ToolResult,
)
from falai_engine.values import MISSING, finite, json_equal

__all__ = ["SCENARIO_CONDITIONS", "Stage", "with_scripts_of"]


class Stage:
    """Builds the agent of a scenario file and records what its handlers were told."""

    def __init__(self, provider: Provider, clock: Callable[[], datetime]) -> None:
        self.provider = provider
        self.clock = clock
        self.actions: list[dict[str, Any]] = []
        self.tools: list[dict[str, Any]] = []

    def clear(self) -> None:
        """Forget the calls so far."""
        self.actions, self.tools = [], []

    def build(self, document: Mapping[str, Any]) -> Agent:
        """The agent; its scripts start anew."""
        actions = _staged((document.get("actions") or {}).items(), self._action)
        tools = _staged(((each["id"], each) for each in document.get("tools") or ()), self._tool)
        conditions = {**SCENARIO_CONDITIONS, **_staged((document.get("conditions") or {}).items(), _condition)}
        registrations = Registrations(actions, conditions, tools, _hours(document.get("businessHours")))
        return agent_from_spec(document, provider=self.provider, registrations=registrations, clock=self.clock)

    def _action(self, name: str, spec: Mapping[str, Any]) -> Action:
        following = _in_turn(spec.get("results") or ({"ok": True},))

        def handler(params: Mapping[str, Any], call: ActionCall) -> Any:
            self.actions.append(_action_record(name, params, call))
            result = dict(following())
            if "set" in result:
                call.set(result.pop("set"))
            if "throw" in result:
                raise RuntimeError(result["throw"])
            return result

        return Action(handler, spec.get("parameters") or {})

    def _tool(self, name: str, spec: Mapping[str, Any]) -> Tool:
        following = _in_turn(spec.get("results") or ({},))

        def handler(arguments: Mapping[str, Any], request: ToolRequest) -> ToolResult:
            self.tools.append({"id": name, "args": dict(arguments), "data": dict(request.data)})
            result = following()
            if "throw" in result:
                raise RuntimeError(result["throw"])
            return ToolResult(result.get("value"), result.get("data"))

        invalid, denied = spec.get("invalid"), spec.get("denied")
        return Tool(
            id=name,
            handler=handler,
            validate=None if invalid is None else lambda arguments, request: Invalid(str(invalid)),
            permit=None if denied is None else lambda arguments, request: denied if isinstance(denied, str) else False,
        )


def _action_record(name: str, params: Mapping[str, Any], call: ActionCall) -> dict[str, Any]:
    record = {"name": name, "params": params, "key": call.key, "dedupeKey": call.dedupe_key}
    if call.silenced is not None:
        record["silenced"] = call.silenced
    if call.input is not None:
        record["input"] = call.input
    return record


T = TypeVar("T")


def _staged(
    entries: Iterable[tuple[str, Mapping[str, Any]]], stand_in: Callable[[str, Mapping[str, Any]], T]
) -> dict[str, T]:
    """Stand-ins under the names that the document looks up: an entry's Python name, else its own."""
    return {spec.get("name") or name: stand_in(name, spec) for name, spec in entries}


def _condition(name: str, spec: Mapping[str, Any]) -> ConditionDefinition:
    """A condition of the document: its scripted answers in turn, else whether its argument is true."""
    if not spec.get("results"):
        return SCENARIO_CONDITIONS.get(name) or SCENARIO_CONDITIONS["always"]
    following = _in_turn(spec["results"])
    return ConditionDefinition(lambda argument, scope: following())


def _in_turn(results: Sequence[T]) -> Callable[[], T]:
    """Call n gives result n, the last one from then on."""
    left = list(results)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def with_scripts_of(document: Mapping[str, Any], scripted: Mapping[str, Any]) -> dict[str, Any]:
    """A document that was changed, with the scripts that a scenario's own agent has for the same names."""
    out = dict(document)
    for part in ("actions", "conditions"):
        old = scripted.get(part) or {}
        out[part] = {name: _scripted(each, old.get(name)) for name, each in (document.get(part) or {}).items()}
    old_tools = {each.get("id"): each for each in scripted.get("tools") or ()}
    out["tools"] = [_scripted(each, old_tools.get(each.get("id"))) for each in document.get("tools") or ()]
    return {**out, **{key: scripted[key] for key in ("businessHours",) if key in scripted}}


def _scripted(spec: Mapping[str, Any], old: Mapping[str, Any] | None) -> dict[str, Any]:
    scripts = {key: old[key] for key in ("results", "invalid", "denied") if old is not None and key in old}
    return {**spec, **scripts}


# -- the conditions every scenario has


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key, MISSING) if isinstance(value, Mapping) else MISSING
    return value


def _context_equals(wanted: Mapping[str, Any], scope: ConditionScope) -> bool:
    return all(json_equal(_at(scope.context, path), value) for path, value in wanted.items())


def _input_equals(wanted: Mapping[str, Any], scope: ConditionScope) -> bool:
    return all(json_equal(_at(scope.input, path), value) for path, value in wanted.items())


def _data_at_least(wanted: Mapping[str, Any], scope: ConditionScope) -> bool:
    return all(finite(scope.data.get(slug)) and scope.data[slug] >= least for slug, least in wanted.items())


def _tags_any(wanted: Sequence[Any], scope: ConditionScope) -> bool:
    tags = _at(scope.context, "tags")
    return isinstance(tags, list) and any(tag in tags for tag in wanted)


SCENARIO_CONDITIONS: Mapping[str, ConditionDefinition] = {
    "contextEquals": ConditionDefinition(_context_equals),
    "inputEquals": ConditionDefinition(_input_equals),
    "dataAtLeast": ConditionDefinition(_data_at_least),
    "tagsAny": ConditionDefinition(_tags_any),
    "always": ConditionDefinition(lambda wanted, scope: wanted is True),
}


def _hours(spec: Mapping[str, Any] | None) -> BusinessHours | None:
    """`{open, close, days}`: UTC hours, day 0 is Sunday."""
    if spec is None:
        return None
    opens, closes, days = spec["open"], spec["close"], spec["days"]

    def opening_after(at: datetime, _scope: Mapping[str, Any]) -> datetime:
        for ahead in range(8):
            day = (at + timedelta(days=ahead)).date()
            if day.isoweekday() % 7 not in days:
                continue
            start = datetime.combine(day, time(opens), at.tzinfo)
            end = datetime.combine(day, time(), at.tzinfo) + timedelta(hours=closes)
            if at < end:
                return max(at, start)
        return at

    return opening_after
