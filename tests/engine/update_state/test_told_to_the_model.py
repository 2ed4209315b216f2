"""What the model is offered, what it reads back, and what later prompts show (spec: update-state.md, rules)."""

from __future__ import annotations

import jsonschema
import pytest

from falai_engine import session_to_json
from falai_engine.values import json_text
from tests.engine.update_state.offered import Heard, calls, talk, tool, update

COUNT = {"type": "integer", "initial": 0}
FRUSTRATED = '(llm: "the customer sounds frustrated") OR (retry_count > 3)'
JUDGE = tool(
    "judge",
    update("should_escalate", FRUSTRATED),
    update("retry_count", "retry_count + 1"),
    update("plan", 'llm string("basic", "gold"): "the plan that is wanted"', required=False),
    description="Call it once for every answer.",
)
STATE = {
    "fields": {"plan": {"type": "string", "enum": ["basic", "gold"], "label": "Plan"}},
    "variables": {"should_escalate": {"type": "boolean"}, "retry_count": COUNT},
}


# -- the offer


def test_the_function_has_a_parameter_for_each_judged_value_and_no_other():
    """Named after the variable, typed and described as the node; an optional update's is not required."""
    offered = Heard(**STATE, tools=[JUDGE]).tools["judge"]
    assert offered.parameters == {
        "type": "object",
        "properties": {
            "should_escalate": {"type": "boolean", "description": "the customer sounds frustrated"},
            "plan": {"type": "string", "description": "the plan that is wanted", "enum": ["basic", "gold"]},
        },
        "required": ["should_escalate"],
        "additionalProperties": False,
    }
    jsonschema.Draft202012Validator.check_schema(offered.parameters)


def test_parameters_that_a_document_gives_are_not_the_functions():
    """The parameters come from the nodes alone, whatever else stands in the document."""
    schema = {"type": "object", "properties": {"secret": {"type": "string"}}}
    given = tool("count", update("retry_count", "retry_count + 1"), parameters=schema)
    parameters = Heard(**STATE, tools=[given]).tools["count"].parameters
    assert parameters == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def test_the_description_shows_what_the_tool_sets_as_text():
    """The author's words, then each update in the text form; without words the updates alone."""
    bare = tool("count", update("retry_count", "retry_count + 1"))
    offered = Heard(**STATE, tools=[JUDGE, bare]).tools
    assert offered["judge"].description == (
        "Call it once for every answer.\nSets:\n"
        'should_escalate = (llm: "the customer sounds frustrated") OR (retry_count > 3)\n'
        "retry_count = retry_count + 1\n"
        'plan = llm string("basic", "gold"): "the plan that is wanted"'
    )
    assert offered["count"].description == "Sets:\nretry_count = retry_count + 1"


def test_a_name_that_no_vendor_takes_is_never_a_parameter():
    """A variable may be named anything; its parameter is `field_<i>`, past a name that is in use."""
    odd = tool(
        "odd",
        update("humor do cliente", 'llm string: "mood"'),
        update("field_0", 'llm: "urgent"'),
        update("nº", '(llm integer: "adults") + (llm integer: "children")'),
    )
    names = {"humor do cliente": "string", "field_0": "boolean", "nº": "integer"}
    offered = Heard(variables={name: {"type": type_} for name, type_ in names.items()}, tools=[odd]).tools["odd"]
    assert list(offered.parameters["properties"]) == ["field_0_2", "field_0", "field_2", "field_2_2"]
    assert offered.parameters["required"] == list(offered.parameters["properties"])


def test_only_the_tools_of_the_step_are_offered():
    """An update-state tool is chosen like any other."""
    flow = {**talk(), "steps": [{"id": "p", "prompt": "Answer.", "tools": ["count"]}]}
    count = tool("count", update("retry_count", "retry_count + 1"))
    assert list(Heard(**STATE, tools=[JUDGE, count], flows=[flow]).tools) == ["count"]


# -- what is read back


def test_the_model_reads_the_new_values():
    """`updated` has what was written, coerced; `skipped` is there only when something was."""
    heard = Heard(calls(("judge", {"should_escalate": "sim", "plan": "gold"})), **STATE, tools=[JUDGE])
    assert heard.read == [{"updated": {"should_escalate": True, "retry_count": 1, "plan": "gold"}}]


def test_the_model_reads_what_was_skipped_and_why():
    """An optional value left out, and one that the field refuses; the others are written."""
    heard = Heard(
        calls(("judge", {"should_escalate": False}), ("judge", {"should_escalate": False, "plan": "silver"})),
        **STATE,
        tools=[JUDGE],
    )
    left_out, refused = heard.read
    assert left_out == {"updated": {"should_escalate": False, "retry_count": 1}, "skipped": {"plan": "left out"}}
    assert refused["updated"] == {"should_escalate": False, "retry_count": 2}
    assert refused["skipped"] == {"plan": 'not-in-enum: "silver" is none of "basic", "gold"'}


@pytest.mark.parametrize("arguments", [{}, {"should_escalate": None}, '{"should_escalate": tru', "[true]", None, 7])
def test_a_required_value_that_is_missing_is_an_invalid_input(arguments):
    """The model reads which one it owes; nothing is written, no prompt changes."""
    heard = Heard(calls(("judge", arguments)), **STATE, tools=[JUDGE])
    assert heard.read == [{"error": "required, but missing or null: should_escalate"}]
    assert heard.data == {}
    assert heard.prompts[0] == heard.prompts[1]


def test_an_invalid_call_says_the_names_that_the_function_has():
    """What is owed is called as it was offered, also where a variable travels under another name."""
    odd = tool("odd", update("humor do cliente", 'llm string: "mood"'))
    heard = Heard(calls("odd"), variables={"humor do cliente": {"type": "string"}}, tools=[odd])
    assert heard.read == [{"error": "required, but missing or null: field_0"}]


def test_a_null_is_read_back_as_null():
    """A value that was taken away is told like any other."""
    heard = Heard(calls("drop"), **STATE, tools=[tool("drop", update("plan", "null"))], data={"plan": "gold"})
    assert (heard.read, heard.data) == ([{"updated": {"plan": None}}], {})


@pytest.mark.parametrize(
    ("text", "data", "why"),
    [
        ("a + b", {"a": "x" * 9_999, "b": "yy"}, "10,001 characters"),
        ("n / 0", {"n": 3}, "division by zero"),
        ("n + 1", {}, "not null and number"),
        ("a * 2", {"a": "x"}, "not text and number"),
        ("n * 1e308", {"n": 10}, "not finite"),
    ],
)
def test_what_cannot_be_computed_is_skipped_and_says_so(text, data, why):
    """The update is skipped, the variable keeps its value, and the rest of the call is written."""
    declared = {"a": {"type": "string"}, "b": {"type": "string"}, "n": {"type": "number"}, "to": {"type": "string"}}
    given = tool("t", update("to", text), update("n", "7"))
    heard = Heard(calls("t"), variables=declared, tools=[given], data={**data, "to": "kept"})
    (read,) = heard.read
    assert read["updated"] == {"n": 7}
    assert why in read["skipped"]["to"]
    assert heard.data == {**data, "to": "kept", "n": 7}


def test_a_judged_text_that_is_too_long_is_skipped():
    """Over 10,000 characters nothing is kept; 10,000 are."""
    given = tool("t", update("a", 'llm string: "x"'))
    for length, kept in ((10_000, True), (10_001, False)):
        heard = Heard(calls(("t", {"a": "x" * length})), variables={"a": {"type": "string"}}, tools=[given])
        assert ("a" in heard.data) is kept


def test_numbers_are_read_back_as_templates_print_them():
    """A whole result has no `.0`, for the model as for the customer."""
    given = tool("t", update("n", "n / 2"))
    heard = Heard(calls("t"), variables={"n": {"type": "number"}}, tools=[given], data={"n": 6})
    content = heard.provider.requests[-1].history[-1]["content"]
    assert content == json_text({"updated": {"n": 3}}) == '{"updated":{"n":3}}'


# -- what later prompts show


def test_the_next_round_reads_the_new_values_everywhere():
    """In the step's prompt, in a rule and whether it holds, in persona and settled values, all in the same speaking."""
    flow = talk("Tries: {{data.retry_count}}.")
    rules = [
        {"prompt": "Rule for try {{data.retry_count}}."},
        {"prompt": "Be very kind.", "if": {"equals": {"should_escalate": True}}},
        {"prompt": "Be brief.", "if": {"equals": {"retry_count": 0}}},
    ]
    state = {**STATE, "variables": {**STATE["variables"], "retry_count": {**COUNT, "shown": True}}}
    arguments = {"should_escalate": True, "plan": "gold"}
    persona = "You have tried {{data.retry_count}} times."
    document = {**state, "tools": [JUDGE], "flows": [flow], "instructions": rules, "persona": persona}
    heard = Heard(calls(("judge", arguments)), **document)
    before, after = heard.prompts
    for number, prompt in ((0, before), (1, after)):
        assert f"Tries: {number}." in prompt
        assert f"Rule for try {number}." in prompt
        assert f"You have tried {number} times." in prompt
        assert f"\n- retry_count: {number}" in prompt
    assert ("Be brief." in before, "Be very kind." in before, "- Plan: gold" in before) == (True, False, False)
    assert ("Be brief." in after, "Be very kind." in after, "- Plan: gold" in after) == (False, True, True)


def test_only_a_shown_variable_is_settled():
    """A variable that is not `shown` is never listed; a shown one is, by its initial too; without a value it is not."""
    declared = {
        "open": {"type": "integer", "initial": 7, "shown": True},
        "empty": {"type": "string", "shown": True},
        "hidden": {"type": "integer", "initial": 8},
        "secret": {"type": "string"},
    }
    heard = Heard(variables=declared, tools=[], data={"secret": "xyz"})
    (prompt,) = heard.prompts
    assert "# Settled (never ask for these)\n- open: 7\n" in prompt
    assert not {word for word in ("empty", "hidden", "secret", "xyz") if word in prompt}
    assert heard.data == {"secret": "xyz"}


def test_a_registered_condition_reads_the_new_values():
    """A host's own condition judges a rule of the next round by the state as it is then."""
    rules = [{"prompt": "Be very kind.", "if": {"dataAtLeast": {"retry_count": 1}}}]
    before, after = Heard(
        calls(("judge", {"should_escalate": False})), **STATE, tools=[JUDGE], instructions=rules
    ).prompts
    assert ("Be very kind." in before, "Be very kind." in after) == (False, True)


def test_a_value_that_an_ordinary_tool_wrote_over_it_is_shown_as_it_is_now():
    """No prompt keeps a value that is gone: whoever wrote last, in this round or a later one."""
    store = {"id": "store", "results": [{"data": {"retry_count": 9}}, {"data": {"retry_count": 20}}, {}]}
    heard = Heard(
        calls(("judge", {"should_escalate": False}), "store"),
        calls("store"),
        **STATE,
        tools=[JUDGE, store],
        flows=[talk("Tries: {{data.retry_count}}.")],
    )
    assert [prompt.partition("Tries: ")[2].partition(".")[0] for prompt in heard.prompts] == ["0", "9", "20"]
    assert heard.data["retry_count"] == 20


def test_the_idle_speaker_reads_the_new_values_too():
    """Its prompt is made anew after a round that set state."""
    idle = {"prompt": "Tries: {{data.retry_count}}."}
    heard = Heard(calls(("judge", {"should_escalate": False})), **STATE, tools=[JUDGE], idle=idle, flows=[])
    assert ["Tries: 1." in prompt for prompt in heard.prompts] == [False, True]


def test_after_a_failure_no_prompt_shows_what_was_not_kept():
    """The rounds of a speaking that failed leave nothing for the next one to read."""
    heard = Heard(
        calls(("judge", {"should_escalate": True})),
        {"fail": {"kind": "overload"}},
        **STATE,
        tools=[JUDGE],
        flows=[talk("Tries: {{data.retry_count}}.")],
    )
    assert "Tries: 1." in heard.prompts[1]
    (wake,) = heard.result.schedule
    heard.provider.script(speak=[{"message": "Hello."}])
    given = {"sessionId": "s", "session": session_to_json(heard.result.session), "now": wake.at}
    result = heard.agent.turn({**given, "wake": wake.key})
    assert "Tries: 0." in heard.prompts[0]
    assert result.session.data == {}


def test_a_field_that_was_set_is_no_longer_missing_in_the_next_round():
    """A later prompt does not ask for what a tool has just set: it is settled, and no property of the answer."""
    flow = {**talk(), "steps": [{"id": "p", "collect": ["plan", "size"], "prompt": "Ask."}]}
    fields = {"plan": {"type": "string", "label": "Plan"}, "size": {"type": "string", "label": "Size"}}
    pick = tool("pick", update("plan", 'llm string: "the plan"'))
    heard = Heard(calls(("pick", {"plan": "gold"})), fields=fields, tools=[pick], flows=[flow])
    first, second = heard.provider.requests
    assert list(first.schema["properties"]) == ["message", "plan", "size"]
    assert list(second.schema["properties"]) == ["message", "size"]
    assert "# Still missing\n- size: Size" in second.prompt
    assert "- Plan: gold" in second.prompt


def test_an_initial_was_not_given_in_this_turn():
    """What the customer is thanked for is what was said or set now, not what was there from the start."""
    declared = {"tries": {**COUNT, "shown": True}, "level": {**COUNT, "shown": True}}
    flow = talk()
    heard = Heard(calls("up"), variables=declared, tools=[tool("up", update("level", "level + 1"))], flows=[flow])
    fresh = [{known.slug for known in request.brief.known if known.fresh} for request in heard.provider.requests]
    assert fresh == [set(), {"level"}]
