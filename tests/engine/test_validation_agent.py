"""Every error of an agent: found, named by where and path, and told with its remedy (spec: flow-spec.md)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from falai_engine.errors import FlowConfigurationError
from falai_engine.expressions import Llm, Update
from falai_engine.flows import Collect, Do, Field, Flow, Idle, If, Instruction, MessageTrigger, Variable
from falai_engine.registry import Action, ConditionDefinition, Event, Tool
from falai_engine.spec import flow_from_spec
from falai_engine.update_state import UpdateStateAction, UpdateStateTool
from falai_engine.validation import Registries, validate_agent, validate_agent_all
from tests.engine.agent_error_cases import AGENT_ERRORS, agent, merged
from tests.engine.flow_error_cases import errors, flow

VECTORS = Path(__file__).parent.parent / "vectors"


def scenario_agents(name):
    packed = VECTORS / f"scenarios-{name}.json.gz"
    text = gzip.decompress(packed.read_bytes()) if packed.exists() else packed.with_suffix("").read_bytes()
    for scenario in json.loads(text):
        yield scenario["agent"]
        yield from (turn["agent"] for turn in scenario.get("turns", ()) if "agent" in turn)


@pytest.mark.parametrize(("code", "more", "where", "path", "fix"), AGENT_ERRORS)
def test_an_error_of_an_agent(code, more, where, path, fix):
    """The one mistake in the agent is the one error told: its code, its place, its form field, its remedy."""
    (problem,) = errors(validate_agent_all(merged(more)))
    assert (problem.code, problem.where, problem.path) == (code, where, path)
    assert fix in problem.fix
    with pytest.raises(FlowConfigurationError) as caught:
        validate_agent(merged(more))
    assert str(caught.value) == problem.message


def test_the_agent_of_these_tests_is_sound():
    """Nothing is wrong, and nothing surprising, where nothing was changed."""
    assert validate_agent(agent()) == []
    assert validate_agent({}) == []
    assert [problem.where for problem in validate_agent_all(5)] == ["agent"]


def test_one_bad_declaration_does_not_make_its_name_unknown():
    """A field whose type is wrong is told once, not again at every place that names it."""
    document = agent(
        fields={"name": {"type": "x", "enum": 5}}, flows=[flow({"id": "a", "collect": ["name"], "prompt": "x"})]
    )
    assert [problem.path for problem in errors(validate_agent_all(document))] == [
        "fields.name.type",
        "fields.name.enum",
    ]


def test_parts_of_an_agent_may_be_values_of_python():
    """An agent made in Python is judged in the same shape: each part is JSON or its dataclass."""
    document = {
        "fields": {"name": Field("string", ask="x"), "bad": Field("txt")},
        "variables": {"count": Variable("integer", "0"), "name": Variable("string")},
        "events": {"paid": Event("sideways")},
        "actions": {
            "act": Action(lambda params, call: None, {"to": {"type": "string"}}),
            "judge": UpdateStateAction(updates=[Update("name", Llm("who"))]),
        },
        "conditions": {"vip": lambda argument, scope: True, "known": ConditionDefinition(lambda argument, scope: True)},
        "tools": [
            Tool(id="t", handler=lambda arguments, request: None),
            Tool(id="u", handler=lambda arguments, request: None, parameters={"type": "array"}),
            UpdateStateTool(id="note", updates=[Update("name", Llm("who"))]),
        ],
        "instructions": [Instruction("x", if_={"vip": 1}), Instruction("x", kind="maybe")],
        "idle": Idle("x", tools=["t", "v"]),
        "flows": [
            Flow(
                id="main",
                on=[MessageTrigger()],
                steps=[Collect(id="a", collect=["name", "ghost"]), Do(id="b", do="act"), If(id="c", if_={"vip": True})],
            )
        ],
    }
    assert [(problem.code, problem.path) for problem in errors(validate_agent_all(document))] == [
        ("not-one-of", "fields.bad.type"),
        ("value-type", "variables.count.initial"),
        ("variable-is-field", "variables.name"),
        ("not-one-of", "events.paid.direction"),
        ("expression-llm-in-action", "actions.judge.updates[0].expression"),
        ("condition-name-reserved", "conditions.known"),
        ("tool-parameters", "tools[1].parameters"),
        ("not-one-of", "instructions[1].kind"),
        ("unknown-tool", "idle.tools[1]"),
        ("unknown-field", "flows[0].steps[0].collect[1]"),
        ("parameter-missing", "flows[0].steps[1].with.to"),
    ]


@pytest.mark.parametrize("name", ["named", "random"])
def test_the_agents_of_the_scenarios_have_no_error(name):
    """Whatever the vectors run is valid, as JSON and read into dataclasses."""
    registered = Registries(conditions=["contextEquals", "inputEquals", "dataAtLeast", "tagsAny", "always"])
    for document in scenario_agents(name):
        assert errors(validate_agent_all(document, registered)) == []
        flows = [flow_from_spec(spec) for spec in document["flows"]]
        assert errors(validate_agent_all({**document, "flows": flows}, registered)) == []


def test_names_that_code_brings_along_are_known():
    """A document may name what the host registers in Python beside it."""
    document = agent(idle={"prompt": "", "tools": ["lookup"]}, instructions=[{"prompt": "x", "if": {"late": 1}}])
    registered = Registries(conditions=["late"], tools=["lookup"])
    assert len(errors(validate_agent_all(document))) == 2
    assert errors(validate_agent_all(document, registered)) == []


def test_a_host_looks_at_the_kinds_that_are_its_own():
    """What the host finds in its `http` or `python` definitions is told like our own problems, at its place."""

    def check(definition):
        assert definition.sort in ("action", "tool")
        yield SimpleNamespace(path="request.url", what=f"{definition.name} has no scheme", fix="Begin it with https://")

    http = {"kind": "http", "request": {"method": "GET", "url": "x"}, "answer": {}}
    document = merged({"actions": {"x": http}, "tools": [{"id": "search", **http}]})
    assert errors(validate_agent_all(document)) == []
    found = errors(validate_agent_all(document, checks={"http": check}))
    assert [(problem.code, problem.path) for problem in found] == [
        ("definition", "actions.x.request.url"),
        ("definition", "tools[0].request.url"),
    ]
    assert found[0].message == (
        '[FlowConfigurationError] action "x": `request.url`: x has no scheme. Begin it with https://.'
    )
