"""Ending a run from outside a turn (engine.md, sections 1 and 9)."""

from __future__ import annotations

import pytest

from falai_engine import Action, Defer, Event, assert_session, end_run, result_to_json, session_to_json
from tests.engine.conversation import Conversation, lines, reasons

AT = "2026-09-22T08:00:00.000Z"
FLOWS = [
    {
        "id": "nudge",
        "steps": [{"id": "w", "kind": "wait", "wait": "2d"}, {"id": "x", "kind": "say", "say": "Still there?"}],
    },
    {"id": "ask", "steps": [{"id": "c", "kind": "collect", "collect": ["name"], "prompt": "Ask."}]},
    {"id": "late", "on": [{"event": "booked", "after": "1h"}], "steps": [{"id": "x", "kind": "say", "say": "Booked."}]},
    {"id": "call", "steps": [{"id": "d", "kind": "do", "do": "call"}]},
]


@pytest.fixture
def session():
    """Four live runs: one waits, one asks, one is parked before its first step, one deferred its action."""
    talk = Conversation(
        fields={"name": {"type": "string"}},
        flows=FLOWS,
        events={"booked": Event()},
        actions={"call": Action(lambda params, call: Defer("1h"))},
    )
    talk.starts("nudge")
    talk.starts("ask", speak=[{"message": "Your name?"}])
    talk.hears("booked", "e1")
    talk.starts("call")
    return talk.session


RUNS = {"nudge#k": "wait", "ask#k": "collect", "late#e1": "if", "call#k": "do"}


@pytest.mark.parametrize("run_id", RUNS)
def test_a_live_run_ends_as_skipped(session, run_id):
    """The run leaves with one line: the kind of its step, `if` before the first, skipped, the host's code."""
    before = next(run for run in session_to_json(session)["runs"] if run["id"] == run_id)
    result = end_run(session, run_id, "closed-by-host", AT)
    assert run_id not in {run.id for run in result.session.runs}
    assert reasons(result) == [(run_id, "skipped")]
    assert lines(result, "run_id", "kind", "status", "code", "at", "step_id", "key", "next") == [
        (run_id, RUNS[run_id], "skipped", "closed-by-host", AT, before["stepId"], None, None)
    ]
    ended = result_to_json(result)["ended"][0]
    assert ended["outcomes"][:-1] == before["outcomes"]
    assert {**ended, "outcomes": before["outcomes"]} == {**before, "reason": "skipped"}


def test_everything_else_stays_as_it_is(session):
    """Data, claims, inputs, the other runs and the version are the same: the run's claim still stands."""
    left = session_to_json(end_run(session, "ask#k", "closed-by-host", AT).session)
    whole = session_to_json(session)
    assert left == {**whole, "runs": [run for run in whole["runs"] if run["id"] != "ask#k"]}
    assert "ask:s:k" in left["claims"]
    assert assert_session(left, "s").version == session.version


def test_it_is_pure(session):
    """The session that was given is not changed, and the same call gives the same again."""
    before = session_to_json(session)
    first = result_to_json(end_run(session, "nudge#k", "closed-by-host", AT))
    assert result_to_json(end_run(session, "nudge#k", "closed-by-host", AT)) == first
    assert session_to_json(session) == before


def test_a_run_that_is_not_there_changes_nothing(session):
    """A wake that comes twice, or a run that ended by itself: nothing is left to end."""
    result = end_run(session, "nobody#k", "closed-by-host", AT)
    assert (result.changed, result.ended, result.outcomes) == (False, [], [])
    assert session_to_json(result.session) == session_to_json(session)


def test_ending_the_asker_leaves_the_next_turn_a_free_floor(session):
    """The turn after it works from what is left: here nobody asks any more."""
    talk = Conversation(fields={"name": {"type": "string"}}, flows=FLOWS[1:2])
    talk.session = end_run(session, "ask#k", "closed-by-host", AT).session
    talk.session.runs = [run for run in talk.session.runs if run.flow_id == "ask"]
    result = talk.says("hello")
    assert (result.messages, result.llm_calls) == ([], 0)


def test_a_run_s_log_keeps_its_last_fifty_lines(session):
    """The line of the end is one of a run's lines, and a run keeps its last 50."""
    run = session.runs[0]
    run.outcomes = run.outcomes[:1] * 50
    ended = end_run(session, run.id, "closed-by-host", AT).ended[0].run
    assert len(ended.outcomes) == 50
    assert ended.outcomes[-1].code == "closed-by-host"
