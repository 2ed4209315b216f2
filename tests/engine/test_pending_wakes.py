"""The wakes a session waits for, worked out without a turn (engine.md, section 9)."""

from __future__ import annotations

import pytest

from falai_engine import Anchor, ConditionDefinition, CrossClaims, Event, ScheduledWake, Session, session_to_json
from tests.engine.conversation import START, Conversation, build

WAIT = {"id": "wait", "steps": [{"id": "w", "kind": "wait", "wait": "2h"}, {"id": "x", "kind": "say", "say": "Hello?"}]}
EVENT = {"id": "event", "steps": [{"id": "w", "kind": "waitEvent", "wait": {"event": "booked", "upTo": "1d"}}]}
LATE = {
    "id": "late",
    "on": [{"event": "booked", "after": "1h"}],
    "steps": [{"id": "x", "kind": "say", "say": "Booked."}],
}
CHAT = {"id": "chat", "on": [{"message": []}], "steps": [{"id": "a", "kind": "prompt", "prompt": "Answer."}]}
SAY = {"id": "hello", "on": [{"message": []}], "steps": [{"id": "a", "kind": "say", "say": "Hello."}]}


def nudge(flow_id="nudge", **trigger):
    return {"id": flow_id, "on": [{"silence": "1h", **trigger}], "steps": [{"id": "a", "kind": "say", "say": "There?"}]}


def pending(talk, *rest):
    return [(wake.key, wake.at, wake.replaces) for wake in talk.agent.pending_wakes(talk.session, *rest)]


def test_every_parked_run_and_then_silence():
    """Parked runs' wakes in order of start, each as it was scheduled, then the silence wakes in agent order."""
    talk = Conversation(
        flows=[nudge("later", silence="2h"), WAIT, EVENT, LATE, nudge(), SAY], events={"booked": Event()}
    )
    scheduled = [
        *talk.starts("wait").schedule,
        *talk.starts("event").schedule,
        *talk.hears("booked", "e1").schedule,
        *talk.says("hi").schedule,
    ]
    # The event ended the run that waited for it.
    expected = [wake for wake in scheduled if not wake.key.startswith("event#k")]
    assert [key.split(":")[0] for key, _, _ in pending(talk)] == ["wait#k", "late#e1", "silence", "silence"]
    assert talk.agent.pending_wakes(talk.session) == expected
    assert pending(talk)[-2:] == [
        ("silence:later:s:1789984800000", "2026-09-21T12:00:00.000Z", None),
        ("silence:nudge:s:1789984800000", "2026-09-21T11:00:00.000Z", None),
    ]


def test_none_of_them_replaces_another():
    """A turn's silence wake replaces the one before; asked for anew there is nothing to replace."""
    talk = Conversation(flows=[SAY | {"on": [{"message": [], "repeat": "always"}]}, nudge()])
    talk.says("hi", id="m1")
    talk.clock.move(minutes=1)
    (wake,) = talk.says("hi", id="m2").schedule
    assert wake.replaces == "silence:nudge:s:1789984800000"
    assert talk.agent.pending_wakes(talk.session) == [ScheduledWake(wake.key, wake.at)]


def test_a_retry_is_a_parked_run():
    """A deferred talk waits like any other parked run."""
    talk = Conversation(flows=[CHAT])
    (wake,) = talk.says("hi", id="m1", speak=[{"fail": {"kind": "rate"}}]).schedule
    assert wake.key.startswith("chat#m1:a:1:retry:")
    assert talk.agent.pending_wakes(talk.session) == [wake]


def test_no_silence_wake_after_the_customer_wrote():
    """Silence is armed by the assistant's word, and only while it is the last."""
    talk = Conversation(flows=[SAY, nudge()])
    talk.says("hi")
    talk.clock.move(minutes=1)
    talk.says("bye")
    assert pending(talk) == []


def test_no_silence_wake_when_nothing_was_ever_said():
    """Without a word of the assistant there is no silence."""
    assert build(flows=[nudge()]).pending_wakes(Session("s")) == []
    assert build(flows=[nudge()]).pending_wakes(Session("s", last_user_at=START)) == []


def test_the_trigger_s_if_and_repeat_are_asked():
    """A flow whose `if` fails, or whose claim is held here or elsewhere, has no wake; context and claims are told."""
    flow = nudge(**{"if": {"known": ["name"]}})
    talk = Conversation(fields={"name": {"type": "string"}}, flows=[SAY, flow])
    talk.says("hi")
    assert pending(talk) == []
    talk.session.data["name"] = "Ana"
    assert len(pending(talk)) == 1
    held = CrossClaims(held={"nudge:s:": START})
    assert pending(talk, None, None, held) == []
    talk.session.claims.write("nudge:s:", START)
    assert pending(talk) == []


def test_the_context_is_read_by_conditions_and_business_hours():
    """What the host tells of this turn is told to a registered condition and to business hours."""
    seen = []

    def hours(at, scope):
        seen.append(scope["context"])
        return at.replace(hour=15, minute=0)

    talk = Conversation(
        flows=[SAY, nudge(businessHours=True, **{"if": {"vip": True}})],
        conditions={"vip": ConditionDefinition(lambda wanted, scope: scope.context == {"vip": wanted})},
        business_hours=hours,
    )
    talk.says("hi")
    seen.clear()
    assert pending(talk, {"vip": False}) == []
    assert pending(talk, {"vip": True}) == [("silence:nudge:s:1789984800000", "2026-09-21T15:00:00.000Z", None)]
    assert seen == [{"vip": True}]


def test_a_host_anchor_names_the_claim_and_its_word_elsewhere_does_not_count():
    """The anchor's key is the claim's; a word of the customer elsewhere disarms no wake (it is asked when it fires)."""
    talk = Conversation(flows=[SAY, {**nudge(), "anchor": "lead"}])
    talk.says("hi")
    anchors = {"lead": Anchor("lead:7", "2026-09-21T10:30:00.000Z")}
    assert len(pending(talk, None, anchors)) == 1
    assert pending(talk, None, anchors, CrossClaims(held={"nudge:lead:7:": START})) == []
    assert len(pending(talk, None, anchors, CrossClaims(held={"nudge:s:": START}))) == 1


@pytest.mark.parametrize("silenced_or_not", [None, "a reason"])
def test_it_changes_nothing_and_calls_nobody(silenced_or_not):
    """The session is as it was, and no model was asked."""
    talk = Conversation(flows=[SAY, WAIT, nudge()])
    talk.says("hi", silenced=silenced_or_not)
    talk.starts("wait")
    talk.provider.script()
    before = session_to_json(talk.session)
    assert pending(talk) == pending(talk)
    assert session_to_json(talk.session) == before
    assert talk.provider.requests == []


def test_each_pending_wake_is_one_that_a_turn_takes():
    """No key is stale: a host that lost its schedule gets every wake back."""
    talk = Conversation(flows=[SAY, WAIT, EVENT, nudge()], events={"booked": Event()})
    talk.starts("wait")
    talk.starts("event")
    talk.says("hi")
    for wake in talk.agent.pending_wakes(talk.session):
        result = talk.agent.turn({"sessionId": "s", "session": talk.session, "wake": wake.key, "now": wake.at})
        assert result.changed, wake
