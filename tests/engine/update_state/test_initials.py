"""A variable without a value reads as its initial, and nothing else changes by it (spec: update-state.md)."""

from __future__ import annotations

import pytest

from falai_engine import Action, Agent, session_to_json
from falai_engine.flows import Field, Variable
from falai_engine.testing import FakeClock, ScriptedProvider
from tests.engine.update_state.offered import Heard, talk

COUNT = Variable("integer", 0)


def performed(handler, variables):
    """The result of a flow with one action."""
    agent = Agent(
        provider=ScriptedProvider(),
        clock=FakeClock(),
        idle="silent",
        fields={"plan": Field("string")},
        variables=variables,
        actions={"act": Action(handler)},
        flows=[{"id": "f", "steps": [{"id": "a", "do": "act"}]}],
    )
    return agent.turn({"sessionId": "s", "start": {"flow": "f", "key": "k"}})


def test_an_action_reads_the_initial_and_stores_nothing():
    """A host's action is told the variable as templates read it; the session stays empty."""
    seen = []
    result = performed(lambda params, call: seen.append(dict(call.data)), {"n": COUNT})
    assert seen == [{"n": 0}]
    assert session_to_json(result.session)["data"] == {}


def test_an_action_takes_a_value_away():
    """`set` with null brings the initial back, as `clear` does."""

    def forget(params, call):
        call.set({"n": 5})
        call.set({"n": None})

    assert performed(forget, {"n": COUNT}).session.data == {}


@pytest.mark.parametrize(
    "variables",
    [{}, {"n": COUNT}],
    ids=["no variable", "a variable with an initial"],
)
def test_an_action_reads_what_it_has_set(variables):
    """`set` writes into the live data at once, whatever the agent declares."""
    seen = []

    def act(params, call):
        call.set({"plan": "gold"})
        seen.append(call.data.get("plan"))

    performed(act, variables)
    assert seen == ["gold"]


@pytest.mark.parametrize(
    "variables",
    [{}, {"n": {"type": "integer", "initial": 0}}],
    ids=["no variable", "a variable with an initial"],
)
def test_a_null_that_was_stored_reads_as_before(variables):
    """A path through a null renders as nothing, whatever the agent declares."""
    flow = {**talk(), "steps": [{"id": "a", "say": "[{{data.plan.name}}]"}]}
    fields = {"plan": {"type": "string"}}
    assert Heard(fields=fields, variables=variables, data={"plan": None}, flows=[flow]).result.messages[0].text == "[]"


@pytest.mark.parametrize(
    ("type_", "initial", "texts"),
    [
        ("integer", 0, ["known", "[0]"]),
        ("number", 0.5, ["known", "[0.5]"]),
        ("boolean", False, ["known", "[false]"]),
        ("string", "x", ["known", "[x]"]),
        ("string", "", ["[]"]),
        ("string", None, ["[{{data.v}}]"]),
    ],
)
def test_an_initial_may_be_any_value_of_its_type(type_, initial, texts):
    """Zero and false are values that are known; an empty text reads as such and is not known, as no initial is."""
    flow = {**talk(), "steps": [{"id": "a", "if": {"known": ["v"]}, "else": "c"}, {"id": "b", "say": "known"}]}
    flow["steps"] += [{"id": "c", "say": "[{{data.v}}]"}]
    heard = Heard(variables={"v": {"type": type_, "initial": initial}}, flows=[flow])
    assert [message.text for message in heard.result.messages] == texts
    assert heard.data == {}
