"""The stand-ins of a scenario's agent (falai_engine/testing/README.md)."""

from falai_engine.testing import run_scenario

SAY = {"id": "y", "kind": "say", "say": "Yes.", "then": "end"}


def scenario(conditions, expected):
    """A detector that asks the condition `open` on each of three messages."""
    fork = {"id": "f", "kind": "if", "if": {"open": True}, "then": "y", "else": "end"}
    flow = {"id": "f", "on": [{"mention": [], "repeat": "always"}], "steps": [fork, SAY]}
    turn = {"at": "2026-09-21T10:00:00.000Z"}
    turns = [
        {**turn, "input": {"sessionId": "s", "message": "x", "id": f"m{n}"}, "expect": {"result": {"messages": texts}}}
        for n, texts in enumerate(expected)
    ]
    agent = {"flows": [flow], "conditions": conditions, "idle": "silent"}
    return {"name": "x", "start": turn["at"], "agent": agent, "turns": turns}


def said(n):
    """The one message of turn n."""
    run = f"f#m{n}"
    return [{"text": "Yes.", "kind": "verbatim", "afterMs": 0, "key": f"{run}:y:1", "runId": run, "stepId": "y"}]


def test_a_condition_answers_what_its_script_says():
    """Scripted conditions answer in turn, the last answer over and over, under their Python name too."""
    for entry in ({}, {"kind": "python", "name": "agenda.is_open"}):
        given = {"open": {**entry, "results": [False, True]}}
        assert run_scenario(scenario(given, [[], said(1), said(2)])) == (3, None)


def test_a_condition_without_a_script_holds_where_its_argument_is_true():
    """A document with Python conditions can be staged without writing a script for each."""
    assert run_scenario(scenario({"open": {"kind": "python"}}, [said(0)])) == (1, None)
