"""An update-state call among the calls of a round: its place and its neighbours (update-state.md, engine.md 8)."""

from __future__ import annotations

from falai_engine.drive import drive
from falai_engine.needs import AskModel, RunTools
from falai_engine.testing import FakeClock, ScriptedProvider, Stage
from tests.engine.update_state.offered import Heard, calls, talk, tool, update

COUNT = {"type": "integer", "initial": 0}
BUMP = tool("bump", update("n", "n + 1"))
LOOK = {"id": "look", "readOnly": True, "results": [{"value": "seen"}]}
AGENT = {"variables": {"n": COUNT}, "tools": [LOOK, BUMP]}


def needs(document, *replies):
    """What the turn asks of its host, in order."""
    provider = ScriptedProvider(speak=[*replies, {"message": "Done."}])
    agent = Stage(provider, FakeClock()).build({"idle": "silent", "flows": [talk()], **document})
    asked = []

    def listen(steps):
        answer = None
        while True:
            try:
                need = steps.send(answer)
            except StopIteration as stop:
                return stop.value
            asked.append(need)
            answer = yield need

    drive(listen(agent.steps({"sessionId": "s", "message": "Hi."})), provider)
    return asked


def test_it_asks_nothing_of_the_host():
    """A call that sets state is code of the engine: the turn asks for model calls alone."""
    assert [type(need) for need in needs(AGENT, calls("bump", "bump"))] == [AskModel, AskModel]


def test_safe_calls_on_either_side_of_it_do_not_run_together():
    """What stands before it is finished before the state changes, so it is read by those after it alone."""
    groups = [
        [(run.tool.id, run.request.data["n"]) for run in need.runs]
        for need in needs(AGENT, calls("look", "look", "bump", "look", "bump", "bump", "look", "look"))
        if isinstance(need, RunTools)
    ]
    assert groups == [[("look", 0), ("look", 0)], [("look", 1)], [("look", 3), ("look", 3)]]


def test_what_a_tool_was_given_does_not_change_afterwards():
    """The data of a call before it stays as it was, also when the handler kept it."""
    (round_,) = [need for need in needs(AGENT, calls("look", "bump")) if isinstance(need, RunTools)]
    assert round_.runs[0].request.data["n"] == 0


def test_a_refused_neighbour_does_not_stop_it():
    """A tool whose input is invalid, which is denied, is not offered or fails, and a call that sets state beside it."""
    others = [
        {"id": "strict", "invalid": "no"},
        {"id": "closed", "denied": "not you"},
        {"id": "broken", "results": [{"throw": "oh"}]},
    ]
    heard = Heard(
        calls("strict", "bump", "closed", "bump", "broken", "ghost", "bump"),
        variables={"n": COUNT},
        tools=[*others, BUMP],
    )
    assert heard.read == [
        {"error": "no"},
        {"updated": {"n": 1}},
        {"error": "not you"},
        {"updated": {"n": 2}},
        {"error": "oh"},
        {"error": 'tool "ghost" is not offered here'},
        {"updated": {"n": 3}},
    ]


def test_it_does_not_read_what_an_ordinary_tool_of_its_round_wrote():
    """Only an update-state call shows its values within a round: it counts from what stood before the round."""
    store = {"id": "store", "results": [{"data": {"n": 9}}]}
    heard = Heard(calls("store", "bump"), calls("store"), calls("bump"), variables={"n": COUNT}, tools=[store, BUMP])
    assert heard.read == [{"ok": True}, {"updated": {"n": 1}}, {"ok": True}, {"updated": {"n": 10}}]
    assert heard.data == {"n": 10}


def test_a_tools_value_stands_over_one_that_was_said():
    """Values of the reply are written first, what tools set over them, whichever came later."""
    flow = {**talk(), "steps": [{"id": "p", "collect": ["plan"], "prompt": "Ask."}]}
    fields = {"plan": {"type": "string", "enum": ["basic", "gold"]}}
    pick = tool("pick", update("plan", 'llm string: "the plan"'))
    said = {**calls(("pick", {"plan": "gold"})), "plan": "basic"}
    heard = Heard(said, fields=fields, tools=[pick], flows=[flow])
    assert heard.data == {"plan": "gold"}
    assert heard.result.session.runs == []


def test_a_value_that_a_tool_takes_away_is_asked_for_again():
    """Null over a field that the same reply gave: the step is not done, and asks."""
    flow = {**talk(), "steps": [{"id": "p", "collect": ["plan"], "prompt": "Ask."}]}
    drop = tool("drop", update("plan", "null"))
    said = {**calls("drop"), "plan": "basic"}
    heard = Heard(said, fields={"plan": {"type": "string"}}, tools=[drop], flows=[flow])
    assert heard.data == {}
    assert [(run.step_id, run.asked) for run in heard.result.session.runs] == [("p", {"plan": 1})]
