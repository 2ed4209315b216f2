"""Every error of a flow: found, named by where and path, and told with its remedy (spec: flow-spec.md)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from falai_engine.errors import FlowConfigurationError
from falai_engine.expressions import EXPRESSION_RULES
from falai_engine.flows import Branch, Do, Flow, If, Instruction, MessageTrigger, Prompt, Say
from falai_engine.registry import Action, Tool
from falai_engine.spec import MAX_DEPTH, flow_from_spec
from falai_engine.validation import (
    RULES,
    Problem,
    Registries,
    Severity,
    validate_agent_all,
    validate_flow,
    validate_flow_all,
)
from tests.engine.agent_error_cases import AGENT_ERRORS
from tests.engine.flow_error_cases import FLOW_ERRORS, NAMES, REGISTRIES, SAY, F, errors, flow, step

UNITS = json.loads((Path(__file__).parent.parent / "vectors" / "units.json").read_text(encoding="utf-8"))
UNIT_REGISTRIES = Registries.from_spec(UNITS["registries"])
COUNTED = {"jumps-back", "collect-unguided", "never-collected"}


@pytest.mark.parametrize("case", UNITS["validate"], ids=lambda case: json.dumps(case["spec"]))
def test_vectors_of_validation(case):
    """Every vector raises at the place it says, or gives its number of warnings; ours beyond do not count."""
    if "error" in case:
        with pytest.raises(FlowConfigurationError) as caught:
            validate_flow(case["spec"], UNIT_REGISTRIES)
        assert caught.value.where == case["where"]
    else:
        warnings = validate_flow(case["spec"], UNIT_REGISTRIES)
        assert len([one for one in warnings if one.code in COUNTED]) == case["warnings"]


@pytest.mark.parametrize(("code", "spec", "where", "path", "fix"), FLOW_ERRORS)
def test_an_error_of_a_flow(code, spec, where, path, fix):
    """The one mistake in the flow is the one error told: its code, its place, its form field, its remedy."""
    (problem,) = errors(validate_flow_all(spec, REGISTRIES))
    assert (problem.code, problem.where, problem.path) == (code, where, path)
    assert fix in problem.fix
    assert problem.message.startswith(f"[FlowConfigurationError] {where}: ")
    with pytest.raises(FlowConfigurationError) as caught:
        validate_flow(spec, REGISTRIES)
    assert str(caught.value) == problem.message


@pytest.mark.parametrize(
    ("code", "spec", "where", "path", "fix"), [case for case in FLOW_ERRORS if case[0] != "not-text"]
)
def test_a_flow_read_into_dataclasses_has_the_same_problems(code, spec, where, path, fix):
    """What is wrong does not depend on the form: a Flow that was read is judged like its JSON."""
    try:
        read = flow_from_spec(spec)
    except FlowConfigurationError:
        return
    (problem,) = errors(validate_flow_all(read, REGISTRIES))
    assert (problem.code, problem.where, problem.path) == (code, where, path)


VALID = [
    flow(),
    flow(on=[{"message": []}, {"mention": ["!x", "y"]}]),
    flow(on=[{"message": ["x"], "repeat": {"cooldown": "1.5h"}}]),
    flow(onEnd=None, on=None, tools=None, **{"while": None}),
    step(**{"if": {"equals": {"people": 3.0, "budget": 1, "retries": 0}, "known": [], "vip": True}}),
    step(**{"if": {"equals": {}}}),
    step(prompt="x", maxAsks=2.0),
    step(say="x", then={"flow": "{{input.next}}", "input": [1]}),
    step(say="x", then={"flow": "main"}),
    step(
        do="notify", **{"with": {"to": "x", "level": "{{data.stage}}", "tags": ["{{data.name}}", "b"], "count": None}}
    ),
    step(say="x", then={"step": "bye", "clear": ["retries", "name"]}),
    flow(clearOnStart=["retries"]),
    flow(SAY, {"id": "a", "if": {}, "then": {"step": "bye", "clear": ["name"]}, "else": "end"}),
]


@pytest.mark.parametrize("spec", VALID)
def test_a_valid_flow_has_no_error(spec):
    """What the spec allows is allowed, as JSON and as a Flow."""
    assert errors(validate_flow_all(spec, REGISTRIES)) == []
    assert errors(validate_flow_all(flow_from_spec(spec), REGISTRIES)) == []


def test_chains_are_not_checked_when_the_flows_are_not_known():
    """A flow edited alone may name flows that its registries do not list."""
    spec = step(say="x", then={"flow": "elsewhere"})
    assert errors(validate_flow_all(spec, Registries.from_spec(NAMES))) == []


def test_all_problems_are_told_at_once_in_the_order_of_the_document():
    """A form shows every mistake at its input; strict use raises the first of them."""
    spec = flow(
        {"id": "a", "say": 1, "then": "ghost"},
        {"id": "a", "collect": ["ghost"], "prompt": "x"},
        on=[{"silence": "x"}],
        onEnd="x",
    )
    paths = [problem.path for problem in errors(validate_flow_all(spec, REGISTRIES))]
    assert paths == ["onEnd", "on[0].silence", "steps[0].say", "steps[0].then", "steps[1].id", "steps[1].collect[0]"]
    with pytest.raises(FlowConfigurationError, match="`onEnd`"):
        validate_flow(spec, REGISTRIES)


def test_functions_are_fine_in_python():
    """Predicates, and actions and tools given as values, need no registration; an Action's parameters still hold."""
    act = Action(lambda params, call: None, {"to": {"type": "string"}})
    spec = Flow(
        id="main",
        on=[MessageTrigger(phrases=["hi"], if_=lambda scope: True)],
        while_=lambda scope: True,
        steps=[
            If(id="a", if_=lambda scope: True, else_="end"),
            Do(id="b", do=act, with_={"to": "x"}),
            Prompt(
                id="c",
                prompt="x",
                branches=[Branch("end", if_=lambda scope: True)],
                tools=["search", Tool(id="own", handler=lambda arguments, request: None)],
                instructions=[Instruction("x", if_=lambda scope: True)],
            ),
            Do(id="d", do=act),
        ],
    )
    (problem,) = validate_flow_all(spec, REGISTRIES)
    assert (problem.code, problem.path) == ("parameter-missing", "steps[3].with.to")


def test_a_flow_that_holds_itself_is_told_not_overflown():
    """A circular value in Python is a problem like any other."""
    circle = []
    circle.append(circle)
    (problem,) = validate_flow_all(Flow(id="main", steps=[Say(id="a", say="x", ui=circle)]), REGISTRIES)
    assert (problem.code, problem.where) == ("too-deep", F)


def deep(levels):
    value = {}
    for _ in range(levels):
        value = {"x": value}
    return value


def test_nesting_has_a_limit():
    """A document nested deeper than any flow needs is refused before anything walks into it."""
    (problem,) = validate_flow_all(deep(100_000), REGISTRIES)
    assert (problem.code, problem.where, problem.path) == ("too-deep", "flow", "")
    (problem,) = validate_agent_all({"flows": [deep(MAX_DEPTH)]})
    assert (problem.code, problem.where) == ("too-deep", "agent")


def test_every_error_has_a_case():
    """The table of rules is complete: each error is told by a case above, and each case is of a rule."""
    told = {case[0] for case in [*FLOW_ERRORS, *AGENT_ERRORS]} | {"too-deep", "definition"}
    expressions = {f"expression-{code}" for code in EXPRESSION_RULES}
    assert {code for code, rule in RULES.items() if rule.severity is Severity.ERROR} - expressions <= told
    assert told | expressions <= set(RULES)


@pytest.mark.parametrize("code", RULES)
def test_the_texts_of_a_rule_are_whole(code):
    """A code is a slug, and no text of its rule ends in a full stop, which the message sets."""
    rule = RULES[code]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
    for words in (rule.what, rule.fix, rule.near):
        assert words is None or not words.endswith(".")


def test_a_problem_is_a_value():
    """Two problems of the same kind and place are equal, and can be told apart in a set."""
    one, same = (Problem("flow", "id", "flow-without-id", {"key": "`id`"}) for _ in range(2))
    assert one == same
    assert len({one, same, Problem("flow", "", "flow-without-id")}) == 2
    assert one.message == "[FlowConfigurationError] flow: it has no id. Give it an `id`."
    assert (one.what, one.fix, one.severity) == ("it has no id", "Give it an `id`", "error")


def test_registries_are_read_from_every_shape_that_names_come_in():
    """A list of names, of objects with an id, of values with one, or an object by name."""
    registries = Registries.from_spec(
        {"conditions": ["vip"], "tools": [{"id": "a"}, "b", Tool(id="c", handler=print)], "flows": [{"id": "f"}, 5]}
    )
    assert (list(registries.conditions), list(registries.tools), registries.flows) == (["vip"], ["a", "b", "c"], ("f",))
    assert Registries.from_spec({}).flows is None
    with pytest.raises(FlowConfigurationError):
        Registries.from_spec([])


def test_a_message_stays_short_whatever_was_written():
    """Long texts, numbers and lists are shown by their head, and text that cannot be encoded still can be sent."""
    for junk in ("x" * 10_000, 10**5_000, ["x"] * 10_000, "\ud800"):
        for problem in validate_flow_all(step(say=[], then=junk, label=junk, do={}), REGISTRIES):
            assert len(problem.message) < 400
            problem.message.encode()


def test_guessing_names_has_an_end():
    """A document of nothing but slips is answered in time: only the first ones get a suggestion."""
    spec = step(collect=[f"naem{number}" for number in range(1_000)], prompt="x")
    found = errors(validate_flow_all(spec, REGISTRIES))
    assert len(found) == 1_000
    assert 0 < len([problem for problem in found if "near" in problem.values]) <= 200
