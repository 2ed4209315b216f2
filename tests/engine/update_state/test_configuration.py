"""What can be wrong with updates is found on save, each at its path, and refuses the agent (update-state.md, rules)."""

from __future__ import annotations

import pytest

from falai_engine import Agent, FlowConfigurationError
from falai_engine.expressions import UPDATE_LIMIT, Update, parse_expression
from falai_engine.flows import Field, Variable
from falai_engine.testing import FakeClock, ScriptedProvider, Stage
from falai_engine.update_state import UpdateStateAction, UpdateStateTool
from falai_engine.validation import Severity, validate_agent_all
from tests.engine.update_state.offered import action, talk, tool, update

NUMBER = {"type": "number_literal", "value": 1}
STATE = {
    "fields": {"plan": {"type": "string", "enum": ["basic", "gold"]}, "people": {"type": "integer"}},
    "variables": {"n": {"type": "integer", "initial": 0}, "flag": {"type": "boolean"}},
}


def raw(variable, expression, **more):
    return {"variable": variable, "expression": expression, **more}


def binary(left, right, operator="add"):
    return {"type": f"{operator}_operator", "left": left, "right": right}


def nested(levels):
    """An AND in an AND in an AND: `levels` deep."""
    node = {"type": "boolean_literal", "value": True}
    for _ in range(levels - 1):
        node = {"type": "and_operator", "children": [node]}
    return node


def wide(nodes):
    return {"type": "or_operator", "children": [{"type": "boolean_literal", "value": True}] * (nodes - 1)}


def llm(**schema):
    return {"type": "llm", "value_schema": schema}


MANY = [raw(f"v{index}", NUMBER) for index in range(UPDATE_LIMIT + 1)]
DECLARED = {f"v{index}": {"type": "integer"} for index in range(UPDATE_LIMIT + 1)}

WRONG = {
    "no list": (None, "updates", "not-a-list"),
    "no update": ([], "updates", "not-a-list"),
    "too many updates": (MANY, "updates", "too-many-updates"),
    "an update that is no object": ([5], "updates[0]", "not-an-object"),
    "no variable": ([{"expression": NUMBER}], "updates[0].variable", "missing"),
    "no expression": ([{"variable": "n"}], "updates[0].expression", "missing"),
    "a typo in a key": ([raw("n", NUMBER, requierd=False)], "updates[0]", "unknown-key"),
    "required that is no boolean": ([raw("n", NUMBER, required="no")], "updates[0].required", "not-a-boolean"),
    "a variable that is set twice": ([raw("n", NUMBER)] * 2, "updates[1].variable", "set-twice"),
    "an undeclared variable": ([raw("m", NUMBER)], "updates[0].variable", "undeclared"),
    "a type of node there is none of": ([raw("n", {"type": "pow"})], "updates[0].expression.type", "unknown-type"),
    "a node without a type": ([raw("n", {"value": 1})], "updates[0].expression.type", "missing"),
    "an operand left out": (
        [raw("n", {"type": "add_operator", "left": NUMBER})],
        "updates[0].expression.right",
        "missing",
    ),
    "an undeclared name deep inside": (
        [raw("flag", {"type": "and_operator", "children": [nested(2), {"type": "dynamic_variable", "name": "flga"}]})],
        "updates[0].expression.children[1].name",
        "undeclared",
    ),
    "no children": (
        [raw("flag", {"type": "or_operator", "children": []})],
        "updates[0].expression.children",
        "not-a-list",
    ),
    "a constant of another kind": (
        [raw("n", {"type": "number_literal", "value": "1"})],
        "updates[0].expression.value",
        "literal-kind",
    ),
    "a constant that cannot fit": (
        [raw("n", {"type": "string_literal", "value": "many"})],
        "updates[0].expression.value",
        "literal-misfit",
    ),
    "a constant outside the enum, in one of two branches": (
        [
            raw(
                "plan",
                {
                    "type": "conditional_operator",
                    "condition": {"type": "dynamic_variable", "name": "flag"},
                    "trueExpression": {"type": "string_literal", "value": "gold"},
                    "falseExpression": {"type": "string_literal", "value": "silver"},
                },
            )
        ],
        "updates[0].expression.falseExpression.value",
        "literal-misfit",
    ),
    "a judgement without text": ([raw("flag", {"type": "llm"})], "updates[0].expression.prompt", "missing"),
    "a judgement with a blank text": (
        [raw("flag", {"type": "llm", "prompt": " "})],
        "updates[0].expression.prompt",
        "blank",
    ),
    "a judged value without text": (
        [raw("n", llm(type="integer"))],
        "updates[0].expression.value_schema.description",
        "missing",
    ),
    "a judged value of a type there is none of": (
        [raw("n", llm(type="date", description="x"))],
        "updates[0].expression.value_schema.type",
        "value-type",
    ),
    "a choice of another type": (
        [raw("n", llm(type="integer", description="x", enum=[1, "2"]))],
        "updates[0].expression.value_schema.enum[1]",
        "enum-value",
    ),
    "both forms of a judgement": (
        [raw("flag", {**llm(type="boolean", description="x"), "prompt": "y"})],
        "updates[0].expression.prompt",
        "llm-twice",
    ),
    "too deep": ([raw("flag", nested(21))], "updates[0].expression" + ".children[0]" * 20, "too-deep"),
    "too many nodes": ([raw("flag", wide(51))], "updates[0].expression.children[49]", "too-many-nodes"),
}


def document(**more):
    return {**STATE, "idle": "silent", "flows": [talk()], **more, "variables": {**STATE["variables"], **DECLARED}}


def errors(given):
    return [problem for problem in validate_agent_all(given) if problem.severity is Severity.ERROR]


def build(given):
    return Stage(ScriptedProvider(), FakeClock()).build(given)


@pytest.mark.parametrize(("updates", "path", "code"), WRONG.values(), ids=WRONG)
def test_a_tool_that_cannot_work_is_told_at_its_path(updates, path, code):
    """The one mistake is the one error, on the form field where it stands; and no agent is built."""
    given = document(
        tools=[tool("fine", update("n", "n + 1")), {"id": "t", "kind": "update_state", "updates": updates}]
    )
    (problem,) = errors(given)
    assert (problem.where, problem.path, problem.code) == ('tool "t"', f"tools[1].{path}", f"expression-{code}")
    with pytest.raises(FlowConfigurationError, match=r'tool "t"') as refusal:
        build(given)
    assert path in str(refusal.value)


@pytest.mark.parametrize(
    ("updates", "path", "code"),
    [
        *WRONG.values(),
        ([raw("flag", {"type": "llm", "prompt": "x"})], "updates[0].expression", "llm-in-action"),
        (
            [raw("n", binary(NUMBER, llm(type="integer", description="x")))],
            "updates[0].expression.right",
            "llm-in-action",
        ),
    ],
    ids=[*WRONG, "a judgement", "a judgement deep inside"],
)
def test_an_action_that_cannot_work_is_told_at_its_path(updates, path, code):
    """As a tool; and an action runs without a model, so it judges nothing."""
    given = document(actions={"a": {"kind": "update_state", "updates": updates}})
    told = {(problem.path, problem.code) for problem in errors(given)}
    assert (f"actions.a.{path}", f"expression-{code}") in told
    assert {code for _, code in told} <= {f"expression-{code}", "expression-llm-in-action"}
    with pytest.raises(FlowConfigurationError, match=r'action "a"'):
        build(given)


def test_every_mistake_is_told_at_once():
    """Whoever saves sees all of them, in the order of the document."""
    given = document(
        tools=[
            {
                "id": "t",
                "kind": "update_state",
                "updates": [raw("m", {"type": "pow"}), raw("n", binary({"type": "x"}, None)), raw("n", NUMBER)],
            }
        ],
        actions={"a": {"kind": "update_state", "updates": []}},
    )
    assert [problem.path for problem in errors(given)] == [
        "actions.a.updates",
        "tools[0].updates[0].variable",
        "tools[0].updates[0].expression.type",
        "tools[0].updates[1].expression.left.type",
        "tools[0].updates[1].expression.right",
        "tools[0].updates[2].variable",
    ]


def test_what_is_within_the_limits_is_fine():
    """Ten updates, twenty levels, fifty nodes, nulls for what is not given, and a constant that is coerced."""
    updates = [
        raw("flag", nested(20)),
        raw("n", {"type": "string_literal", "value": "12"}, required=None),
        raw("plan", {"type": "null_literal", "value": None}),
        *MANY[:7],
    ]
    assert len(updates) == UPDATE_LIMIT
    given = document(
        tools=[{"id": "t", "kind": "update_state", "description": None, "updates": updates}],
        actions={"a": {"kind": "update_state", "updates": [raw("flag", wide(50))]}},
    )
    assert validate_agent_all(given) == []
    assert build(given).warnings == ()


@pytest.mark.parametrize(
    "declaration",
    [
        *({"type": type_} for type_ in (None, 5, [], {}, ["string"], "date")),
        *({"type": "string", "enum": enum} for enum in (5, {}, [], "basic", [[1]], [None])),
        None,
        [],
        "string",
    ],
    ids=repr,
)
@pytest.mark.parametrize("kind", ["fields", "variables"])
def test_a_declaration_of_any_json_is_its_own_error(kind, declaration):
    """No declaration makes the check of updates raise; it is the declaration that is told first, at its place."""
    given = {kind: {"x": declaration}, "tools": [tool("t", update("x", '"basic"')), tool("u", update("x", "x"))]}
    told = validate_agent_all(given)
    assert told
    assert told[0].path.startswith(f"{kind}.x")
    assert not {problem.path for problem in told[1:]} - {"fields.x.enum[0]", "tools[0].updates[0].expression.value"}


def test_values_of_python_are_refused_as_documents_are():
    """A tool or action made in Python is judged when the agent is built, and its place is named."""
    parts = {
        "provider": ScriptedProvider(),
        "fields": {"plan": Field("string")},
        "variables": {"n": Variable("integer")},
    }
    for more, place in (
        ({"tools": [UpdateStateTool(id="t", updates=[Update("ghost", parse_expression("1"))])]}, "updates[0].variable"),
        ({"tools": [UpdateStateTool(id="t", updates=[])]}, "updates"),
        (
            {"actions": {"a": UpdateStateAction(updates=[Update("n", parse_expression('llm integer: "x"'))])}},
            "expression",
        ),
        (
            {"actions": {"a": UpdateStateAction(updates=[Update("n", parse_expression("nn + 1"))])}},
            "expression.left.name",
        ),
    ):
        with pytest.raises(FlowConfigurationError) as refusal:
            Agent(**parts, **more)
        assert place in str(refusal.value)


def test_variables_may_be_named_wherever_state_is_read():
    """`clear`, `clearOnStart`, `known`, `equals`, `compare` and templates; no error, and no warning."""
    flow = talk("Tries: {{data.n}}.", clearOnStart=["n"])
    flow["steps"] = [
        {"id": "a", "if": {"known": ["n"], "equals": {"n": 1, "flag": True}, "few": 3}, "then": "c", "else": "b"},
        {"id": "b", "say": "{{data.n}}"},
        {"id": "c", "do": "bump", "then": {"step": "d", "clear": ["n", "flag"]}},
        {"id": "d", "prompt": "Tries: {{data.n}}."},
    ]
    few = {"kind": "compare", "path": "data.n", "op": "lt"}
    given = document(flows=[flow], actions={"bump": action(update("n", "n + 1"))}, conditions={"few": few})
    assert validate_agent_all(given) == []


@pytest.mark.parametrize(
    ("flow", "path"),
    [
        ({"collect": ["n"]}, "flows[0].collect[0]"),
        ({"steps": [{"id": "a", "collect": ["n"], "prompt": "x"}]}, "flows[0].steps[0].collect[0]"),
        ({"steps": [{"id": "a", "if": {"equals": {"n": "1"}}}]}, "flows[0].steps[0].if.equals.n"),
        ({"steps": [{"id": "a", "if": {"equals": {"flag": 1}}}]}, "flows[0].steps[0].if.equals.flag"),
        ({"steps": [{"id": "a", "if": {"known": ["m"]}}]}, "flows[0].steps[0].if.known[0]"),
        ({"clearOnStart": ["m"]}, "flows[0].clearOnStart[0]"),
    ],
)
def test_a_variable_is_no_field_and_has_its_type(flow, path):
    """It is never collected; a condition on it has a value of its type; only what is declared can be named."""
    (problem,) = errors(document(flows=[talk(**flow)]))
    assert problem.path == path


def test_a_host_that_compares_names_a_variable_that_is_there():
    """The path of a `compare` is checked as any name of state."""
    given = document(conditions={"few": {"kind": "compare", "path": "data.m", "op": "lt"}})
    assert [problem.path for problem in errors(given)] == ["conditions.few.path"]
