"""The vectors, to the letter: every scenario and every line of units.json (their formats are in their README)."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from falai_engine import Agent, ConditionDefinition, MessageInput, Session, Silenced, TurnInput
from falai_engine.compiled.conditions import bind_condition
from falai_engine.drive import drive
from falai_engine.errors import FlowConfigurationError, InvalidSessionError
from falai_engine.phrases import split_phrases
from falai_engine.records.decode import assert_session, turn_input_from_json
from falai_engine.records.encode import session_to_json
from falai_engine.records.migrate import migrate_session
from falai_engine.templates import compile_template, render_deep
from falai_engine.testing import FakeClock, ScriptedProvider, first_difference, run_scenario, scenario_turns
from falai_engine.times import duration_ms
from falai_engine.turn import new_turn
from falai_engine.values import MISSING, coerce, is_known
from falai_engine.wire import wire_schema
from tests.engine.conversation import build

VECTORS = Path(__file__).resolve().parent.parent / "vectors"


def read(name):
    raw = (VECTORS / name).read_bytes()
    return json.loads(gzip.decompress(raw) if name.endswith(".gz") else raw)


NAMED = read("scenarios-named.json")
RANDOM = read("scenarios-random.json.gz")
UNITS = read("units.json")


def each_scenario(scenarios):
    return pytest.mark.parametrize("scenario", scenarios, ids=[scenario["name"] for scenario in scenarios])


def each_unit(section):
    """A parameter a line; a long or strange line is told by its number."""
    return pytest.mark.parametrize("unit", UNITS[section], ids=map(str, range(len(UNITS[section]))))


def as_json(value):
    """The same text for the same JSON, a boolean told from a number."""
    return json.dumps(value, sort_keys=True)


# -- scenarios


@pytest.fixture
def watched(monkeypatch):
    """Every turn also checks that what it was given, as JSON and as records, is the same afterwards."""
    turn = Agent.turn

    def watch(agent, given, deadline=None):
        typed = turn_input_from_json(given)
        before = as_json(given)
        kept = None if typed.session is None else as_json(session_to_json(typed.session))
        try:
            return turn(agent, typed, deadline)
        finally:
            assert as_json(given) == before
            if typed.session is not None:
                assert as_json(session_to_json(typed.session)) == kept

    monkeypatch.setattr(Agent, "turn", watch)


@each_scenario([*NAMED, *RANDOM])
def test_scenario(scenario, watched):
    """Every turn gives exactly what the vector says, and changes nothing of what it was given."""
    turns, difference = run_scenario(scenario)
    assert difference is None, str(difference)
    assert turns == len(scenario["turns"])


@each_scenario([*NAMED, *RANDOM])
def test_what_a_scenario_does_not_list_did_not_happen(scenario):
    """A turn whose expectations name no calls, actions or tools made none; and what came of it is strict JSON."""
    for number, (turn, got) in enumerate(scenario_turns(scenario)):
        expected = {part: turn["expect"].get(part, []) for part in ("calls", "actions", "tools")}
        assert first_difference(expected, {part: got[part] for part in expected}) is None, number
        assert ("error" in turn["expect"]) == ("error" in got), number
        assert ("result" in turn["expect"]) == ("result" in got), number
        result = got.get("result")
        assert json.loads(json.dumps(result, allow_nan=False)) == result, number


def test_there_are_as_many_scenarios_as_were_given():
    """No vector was lost on the way here."""
    assert (len(NAMED), len(RANDOM)) == (40, 120)
    assert {section: len(units) for section, units in UNITS.items() if isinstance(units, list)} == {
        "templates": 35,
        "templatesDeep": 1,
        "coerce": 222,
        "known": 8,
        "durations": 19,
        "phrases": 6,
        "conditions": 14,
        "conditionsSilenced": 2,
        "validate": 107,
        "roundTrip": 94,
        "assertSession": 20,
        "migrate": 8,
        "wireSchema": 4,
    }


# -- units


SCOPE = tuple(UNITS["scope"].get(root, MISSING) for root in ("data", "context", "input"))


@each_unit("templates")
def test_template(unit):
    """A text with placeholders comes out as written in the vector."""
    assert compile_template(unit["template"]).render(SCOPE) == unit["out"]


@each_unit("templatesDeep")
def test_template_deep(unit):
    """Texts at every depth are rendered, everything else stays."""
    assert as_json(render_deep(unit["value"])(SCOPE)) == as_json(unit["out"])


@each_unit("coerce")
def test_coerce(unit):
    """A model's value becomes the field's type, or the code that says why not."""
    definition = unit["def"]
    value, code = coerce(definition["type"], unit["raw"], definition.get("enum"))
    got = {"ok": True, "value": value} if code is None else {"ok": False, "code": code}
    assert first_difference(unit["out"], got) is None, got


@each_unit("known")
def test_known(unit):
    """What counts as known."""
    value = MISSING if unit["value"] == {"absent": True} else unit["value"]
    assert is_known(value) is unit["known"]


@each_unit("durations")
def test_duration(unit):
    """A duration in whole milliseconds, or a configuration error."""
    if "error" in unit:
        with pytest.raises(FlowConfigurationError):
            duration_ms(unit["duration"])
    else:
        assert duration_ms(unit["duration"]) == unit["ms"]


@each_unit("phrases")
def test_phrases(unit):
    """Which phrases count and which exclude."""
    counts, excludes = split_phrases(unit["phrases"])
    assert {"counts": list(counts), "excludes": list(excludes)} == unit["out"]


def holds(condition, *, data=None, silenced=None):
    """Judge a condition as a turn does."""
    given = TurnInput("s", MessageInput("hi"), Session("s", data=data or {}), silenced=silenced)
    turn = new_turn(build(flows=[]).compiled, given, None)
    registry = {"gt": ConditionDefinition(lambda least, scope: len(scope.data) > least)}
    return drive(turn.holds(bind_condition(condition, registry), None), ScriptedProvider())


@each_unit("conditions")
def test_condition(unit):
    """A condition holds, or not, or names what nobody registered."""
    if "error" in unit:
        with pytest.raises(FlowConfigurationError):
            holds(unit["condition"], data=unit["data"])
    else:
        assert holds(unit["condition"], data=unit["data"]) is unit["holds"]


@each_unit("conditionsSilenced")
def test_condition_silenced(unit):
    """`silenced` holds when the assistant may not speak, for whatever reason, an empty one too."""
    for reason in ("a reason", ""):
        assert holds(unit["condition"], silenced=Silenced(reason)) is unit["holds"]


@each_unit("assertSession")
def test_assert_session(unit):
    """A stored row is a session, or an error; never a fresh conversation."""
    if "error" in unit:
        with pytest.raises(InvalidSessionError):
            assert_session(unit["blob"], "s")
    else:
        assert as_json(session_to_json(assert_session(unit["blob"], "s"))) == as_json(unit["out"])


@each_unit("migrate")
def test_migrate(unit):
    """An older blob becomes a session at version 0."""

    def migrate():
        now = datetime(2026, 9, 21, 10, tzinfo=UTC)
        return migrate_session(unit["blob"], "s", lambda name: unit["flowIdOf"].get(name, name), now)

    if "error" in unit:
        with pytest.raises(InvalidSessionError):
            migrate()
    else:
        assert as_json(session_to_json(migrate())) == as_json(unit["out"])


@each_unit("wireSchema")
def test_wire_schema(unit):
    """The schema that definitions make; only the order of `required` and `enum` counts."""
    got = wire_schema(unit["defs"], nullable=unit["nullable"])
    assert first_difference(unit["out"], got) is None
    assert got["required"] == unit["out"]["required"]


def test_the_watch_over_given_sessions_can_fail(watched):
    """The check of unchanged input above is no decoration: a turn that writes into what it was given is caught."""
    from falai_engine import Action  # noqa: PLC0415 - only this test breaks the rule on purpose

    def break_the_rule(params, call):
        call.context["list"].append(1)

    agent = build(
        flows=[{"id": "f", "steps": [{"id": "a", "kind": "do", "do": "break"}]}],
        actions={"break": Action(break_the_rule)},
        clock=FakeClock(),
    )
    with pytest.raises(AssertionError):
        agent.turn({"sessionId": "s", "context": {"list": []}, "start": {"flow": "f", "key": "k"}})
