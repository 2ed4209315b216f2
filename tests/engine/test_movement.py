"""How runs start, move and end, where the vectors hardly look (engine.md, sections 2 to 4, 7 and 9)."""

from __future__ import annotations

import functools
import json

import pytest

from falai_engine import (
    Action,
    ConditionDefinition,
    Defer,
    Do,
    Event,
    Failed,
    Flow,
    Idle,
    Ok,
    Prompt,
    Skipped,
    Tool,
    Variable,
    session_to_json,
)
from tests.engine.conversation import START, Conversation, codes, lines, reasons, saved, texts

EVENTS = {"booked": Event(), "reaction": Event("inbound"), "human": Event("outbound")}
FIELDS = {"name": {"type": "string"}, "size": {"type": "integer"}, "next": {"type": "string"}}
SAY = {"id": "x", "kind": "say", "say": "Said."}
ASK = {"id": "c", "kind": "collect", "collect": ["name"], "prompt": "Ask."}
ALWAYS = {"message": [], "repeat": "always"}
HI = [{"message": "Hi."}]


def flow(id_, *steps, on=(), **parts):
    return {"id": id_, "on": list(on), "steps": list(steps), **parts}


def talk(*flows, **parts):
    return Conversation(flows=flows, fields=FIELDS, events=EVENTS, **parts)


def ifs(count, first="i0", after=None):
    """`count` steps that only pass, and then `after`."""
    names = [f"{first}{number}" for number in range(count)]
    return [
        {"id": name, "kind": "if", "if": {"known": []}, "else": "end", "then": then}
        for name, then in zip(names, [*names[1:], after or "end"], strict=True)
    ]


# -- claims


def test_the_newest_fifty_always_claims_of_a_flow_are_kept():
    """Older ones go, by their time and then their order; what never repeats, and other flows' claims, stay."""
    chat = talk(
        flow("f", SAY, on=[{"event": "booked"}]),
        flow("once", {**SAY, "once": True}, on=[{"event": "booked", "repeat": "once"}]),
    )
    for number in range(60):
        if number % 2:
            chat.clock.move(seconds=1)
        chat.hears("booked", f"e{number}")
    kept = list(chat.session.claims)
    assert [key for key in kept if key.startswith("f:")] == [f"f:s:e{number}" for number in range(10, 60)]
    assert [key for key in kept if not key.startswith("f:")] == ["once:s:", "once:x:s"]


def test_the_oldest_claim_goes_by_its_time_and_not_by_its_place():
    """A clock that was ahead once wrote a claim first that is the newest: the oldest goes, wherever it stands."""
    chat = talk(flow("f", SAY, on=[{"event": "booked"}]))
    chat.hears("booked", "ahead", now="2026-09-22T10:00:00.000Z")
    for number in range(50):
        chat.hears("booked", f"e{number}", now=f"2026-09-21T10:{number:02}:00.000Z")
    assert list(chat.session.claims) == ["f:s:ahead", *[f"f:s:e{number}" for number in range(1, 50)]]


def test_a_flow_s_claim_without_nonce_is_never_pruned():
    """A flow that starts once by message and always by event keeps its once-claim under any number of events."""
    chat = talk(flow("f", SAY, on=[{"message": []}, {"event": "booked"}]))
    chat.says("hi", id="m1")
    chat.clock.move(hours=1)
    for number in range(55):
        chat.hears("booked", f"e{number}")
    assert "f:s:" in chat.session.claims
    assert len(chat.session.claims) == 51


def test_fifty_claims_are_kept_for_each_anchor():
    """Another anchor has claims of its own."""
    chat = talk(flow("f", SAY, on=[{"event": "booked"}], anchor="lead"))
    for number in range(52):
        for lead in ("lead:1", "lead:2"):
            chat.hears("booked", f"e{number}", anchors={"lead": {"key": lead}})
    for lead in ("lead:1", "lead:2"):
        assert len([key for key in chat.session.claims if key.startswith(f"f:{lead}:")]) == 50


def test_a_cooldown_is_over_at_its_last_millisecond():
    """A claim younger than the cooldown refuses, one of just its age is overwritten with the new time."""
    chat = talk(flow("f", SAY, on=[{"event": "booked", "repeat": {"cooldown": "1h"}}]))
    chat.hears("booked", "e1")
    chat.clock.move(hours=1, milliseconds=-1)
    assert codes(chat.hears("booked", "e2")) == [("f", "cooldown")]
    assert dict(chat.session.claims.items()) == {"f:s:": START}
    chat.clock.move(milliseconds=1)
    assert texts(chat.hears("booked", "e3")) == ["Said."]
    assert dict(chat.session.claims.items()) == {"f:s:": "2026-09-21T11:00:00.000Z"}


def test_the_session_s_own_claim_is_asked_first():
    """An own claim whose cooldown is over counts, whatever the other sessions hold; without one, theirs counts."""
    trigger = {"event": "booked", "repeat": {"cooldown": "1h"}}
    fresh = {"claims": {"held": {"f:s:": "2026-09-21T12:00:00+01:00"}}}
    chat = talk(flow("f", SAY, on=[trigger]))
    chat.hears("booked", "e1")
    chat.clock.move(hours=1, minutes=30)
    assert texts(chat.hears("booked", "e2", **fresh)) == ["Said."]
    other = talk(flow("f", SAY, on=[trigger]))
    other.clock.move(hours=1, minutes=30)
    assert codes(other.hears("booked", "e2", **fresh)) == [("f", "cooldown")]
    other.clock.move(minutes=30)
    assert texts(other.hears("booked", "e3", **fresh)) == ["Said."]


def test_clear_on_start_forgets_before_the_first_step():
    """The named fields are gone when a run starts, and only these."""
    chat = talk(flow("f", SAY, clearOnStart=["name"]))
    chat.starts("f", "k0")
    chat.session.data |= {"name": "Ana", "size": 3}
    chat.starts("f")
    assert chat.data == {"size": 3}


def test_a_reset_clears_nothing():
    """`clearOnStart` is not applied when a flow starts itself anew by `onEnd: reset`."""
    ask = {**ASK, "collect": ["name", "size"]}
    chat = talk(flow("f", ask, SAY, clearOnStart=["name"], onEnd="reset"))
    chat.starts("f", speak=HI)
    chat.session.data["size"] = 3
    result = chat.says("Ana", understand=[{"fields": {"name": "Ana"}}], speak=HI)
    assert chat.data == {"name": "Ana", "size": 3}
    assert [ended.reason for ended in result.ended][:2] == ["reset", "reset"]
    assert result.started[0].dedupe_key == "f:s:f#k:x:1"


# -- the start order


def test_a_run_that_has_not_begun_gives_way_to_the_next():
    """A delayed start is replaced by another of the same flow and anchor: no line, and its wake is stale."""
    chat = talk(flow("f", SAY, on=[{"event": "booked", "after": "1h"}]))
    first = chat.hears("booked", "e1").schedule[0]
    chat.clock.move(minutes=30)
    result = chat.hears("booked", "e2")
    assert reasons(result) == [("f#e1", "replaced")]
    assert result.ended[0].run.waiting.key == first.key
    assert lines(result, "run_id", "code") == [("f#e2", "awaiting-trigger")]
    assert lines(chat.wakes(first.key)) == [("wait", "skipped", "stale-wake")]
    assert texts(chat.wakes(result.schedule[0].key)) == ["Said."]


def test_a_run_that_has_begun_does_not_give_way():
    """Once it stands on a step, a second start of the flow for that anchor is refused; another anchor is free."""
    chat = talk(flow("f", {"id": "w", "kind": "wait", "wait": "1h"}, anchor="lead"))
    chat.starts("f", "k1", anchors={"lead": {"key": "lead:1"}})
    assert codes(chat.starts("f", "k2", anchors={"lead": {"key": "lead:1"}})) == [("f", "already-running")]
    assert codes(chat.starts("f", "k3", anchors={"lead": {"key": "lead:2"}})) == []
    assert codes(chat.starts("f", "k4", claims={"active": ["f:s"]})) == [("f", "already-running")]


def test_a_flow_started_by_the_fifth_hop_does_not_start():
    """Hop 5 is one too many; a run of hop 4 starts, and what it chains does not."""
    chat = talk(flow("f", {**SAY, "then": {"flow": "g"}}), flow("g", SAY))
    assert codes(chat.starts("f", "k5", hop=5)) == [("f", "hop-limit")]
    result = chat.starts("f", "k4", hop=4)
    assert codes(result) == [("g", "hop-limit")]
    assert reasons(result) == [("f#k4", "flow")]
    assert texts(chat.starts("f", "k3", hop=3)) == ["Said.", "Said."]


def test_the_order_of_what_refuses_a_start():
    """The claim is asked before the hop, the hop before a live run."""
    chat = talk(flow("f", {"id": "w", "kind": "wait", "wait": "1h"}))
    chat.starts("f", "k1")
    assert codes(chat.starts("f", "k1", hop=9)) == [("f", "already-claimed")]
    assert codes(chat.starts("f", "k2", hop=9)) == [("f", "hop-limit")]
    assert codes(chat.starts("f", "k2")) == [("f", "already-running")]
    assert "f:s:k2" not in chat.session.claims


def test_a_trigger_whose_if_fails_leaves_no_trace():
    """No line, no skip, no claim; `if` sees the run as it would be, with the payload as input."""
    seen = []

    def vip(wanted, scope):
        seen.append((scope.run.id, scope.run.step_id, scope.input, scope.context, scope.silenced))
        return scope.input == wanted

    chat = talk(
        flow("f", SAY, on=[{"event": "booked", "if": {"vip": 1}}]), conditions={"vip": ConditionDefinition(vip)}
    )
    result = chat.hears("booked", "e1", payload=0, context={"a": 1}, silenced="")
    assert (result.outcomes, result.skipped, result.started, len(result.session.claims)) == ([], [], [], 0)
    assert seen == [("f#e1", None, 0, {"a": 1}, "")]
    assert [run.run_id for run in chat.hears("booked", "e2", payload=1).started] == ["f#e2"]


def test_a_null_payload_was_carried_and_a_missing_one_was_not():
    """The run keeps the difference, in its trigger and as its input."""
    chat = talk(flow("f", {"id": "w", "kind": "wait", "wait": "1h"}, on=[{"event": "booked"}], anchor="lead"))
    for key, payload in (("null", {"payload": None}), ("none", {})):
        chat.hears("booked", key, anchors={"lead": {"key": key}}, **payload)
    null, none = session_to_json(chat.session)["runs"]
    assert (null["trigger"], null["input"]) == ({"kind": "event", "key": "null", "payload": None}, None)
    assert none["trigger"] == {"kind": "event", "key": "none"}
    assert "input" not in none


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"id": "m1", "at": "2026-09-21T09:59:00Z"}, "m1"),
        ({"at": "2026-09-21T09:59:00Z"}, "2026-09-21T09:59:00Z"),
        ({}, START),
    ],
)
def test_a_message_s_trigger_key(given, key):
    """Its id, else when it was written, else now."""
    result = talk(flow("f", SAY, on=[ALWAYS])).says("hi", **given)
    assert result.started[0].dedupe_key == f"f:s:{key}"
    assert result.messages[0].key == f"f#{key}:x:1"


def test_times_that_come_in_are_kept_as_written_and_compared_as_instants():
    """Half past eleven in Berlin is half past nine: earlier than what was said at ten, however it is written."""
    chat = talk(flow("hello", SAY), flow("n", SAY, on=[{"silence": "1h"}]))
    wake = chat.starts("hello").schedule[0]
    chat.says("late", at="2026-09-21T11:30:00+02:00")
    assert chat.session.last_user_at == "2026-09-21T11:30:00+02:00"
    assert texts(chat.wakes(wake.key)) == ["Said."]


def test_fifty_message_ids_are_remembered():
    """The fifty-first pushes the first one out."""
    chat = talk(flow("f", SAY))
    for number in range(51):
        chat.says("hi", id=f"m{number}")
    assert chat.session.inputs == [f"m{number}" for number in range(1, 51)]
    assert lines(chat.says("hi", id="m1")) == [("wait", "skipped", "duplicate-input")]
    assert lines(chat.says("hi", id="m0")) == []


def test_an_event_that_concerns_nobody_changes_nothing():
    """It is no ignored input, and there is nothing to save."""
    chat = talk(flow("f", SAY))
    chat.says("hi")
    result = chat.hears("booked", "e1")
    assert (result.changed, result.outcomes) == (False, [])
    assert chat.hears("never registered", "e1").changed is False
    chat.clock.move(seconds=1)
    assert chat.hears("reaction", "e2").changed is True


# -- several triggers of one kind


def test_of_several_mentions_and_silences_the_first_is_judged():
    """A later one that would pass is never tried."""
    no, yes = {"if": {"known": ["name"]}}, {"if": {"silenced": False}}
    chat = talk(
        flow("m", SAY, on=[{"mention": [], **no}, {"mention": [], **yes}]),
        flow("s", SAY, on=[{"silence": "1h", **no}, {"silence": "2h", **yes}]),
        flow("hello", SAY),
    )
    assert texts(chat.says("hi")) == []
    assert chat.starts("hello").schedule == []


def test_of_several_event_triggers_each_is_tried_until_one_starts():
    """The first that starts ends it; one whose claim is held says so and the next is tried."""
    once, again = {"event": "booked", "repeat": "once"}, {"event": "booked", "repeat": "always"}
    chat = talk(flow("f", SAY, on=[{"event": "booked", "if": {"known": ["name"]}}, once, again]))
    first = chat.hears("booked", "e1")
    assert ([run.dedupe_key for run in first.started], codes(first)) == (["f:s:"], [])
    second = chat.hears("booked", "e2")
    assert ([run.dedupe_key for run in second.started], codes(second)) == (["f:s:e2"], [("f", "already-claimed")])


def test_a_routed_flow_starts_by_its_first_message_trigger_of_either_sort():
    """Routed by its phrases, the flow starts by the catch-all that stands before them, with its repeat."""
    on = [{"message": [], "repeat": "once"}, {"message": ["wants this"], "repeat": "always"}]
    chat = talk(flow("f", SAY, on=on), flow("g", SAY, on=[{"message": ["wants that"]}]))
    first = chat.says("this", id="m1", understand=[{"flows": {"f": 90}}])
    assert first.started[0].dedupe_key == "f:s:"
    second = chat.says("this", id="m2", understand=[{"flows": {"f": 90}}])
    assert codes(second) == [("f", "already-claimed")]


# -- business hours and delays of events


def nine(at, scope):
    """Open from nine; before and after it is the next nine."""
    opens = at.replace(hour=9, minute=0, second=0, microsecond=0)
    return at if opens <= at < opens.replace(hour=18) else opens if at < opens else opens.replace(day=at.day + 1)


@pytest.mark.parametrize(
    ("trigger", "now", "until"),
    [
        ({"businessHours": True}, "2026-09-21T10:00:00.000Z", None),
        ({"businessHours": True}, "2026-09-21T20:00:00.000Z", "2026-09-22T09:00:00.000Z"),
        ({"after": "1h", "businessHours": True}, "2026-09-21T17:30:00.000Z", "2026-09-22T09:00:00.000Z"),
        ({"after": "1h", "businessHours": True}, "2026-09-21T10:00:00.000Z", "2026-09-21T11:00:00.000Z"),
        ({"after": "1h"}, "2026-09-21T17:30:00.000Z", "2026-09-21T18:30:00.000Z"),
        ({"after": "0s"}, "2026-09-21T10:00:00.000Z", "2026-09-21T10:00:00.000Z"),
        ({"businessHours": False}, "2026-09-21T20:00:00.000Z", None),
    ],
)
def test_when_an_event_trigger_fires(trigger, now, until):
    """Now and the delay, moved by business hours; it waits when a delay is set or the time is later than now."""
    chat = talk(flow("f", SAY, on=[{"event": "booked", **trigger}]), business_hours=nine, at=now)
    result = chat.hears("booked", "e1")
    if until is None:
        assert (texts(result), result.schedule) == (["Said."], [])
        return
    assert lines(result, "kind", "status", "code", "until", "key", "step_id") == [
        ("wait", "waiting", "awaiting-trigger", until, None, None)
    ]
    (wake,) = result.schedule
    assert wake.at == until
    assert wake.key.startswith("f#e1:start:")
    assert chat.run("f")["stepId"] is None
    assert texts(chat.wakes(wake.key)) == ["Said."]


# -- silence, where the flow has a host's anchor

NUDGE = flow("n", SAY, on=[{"silence": "1h"}], anchor="lead")


def lead(last_inbound_at=None):
    anchor = {"key": "lead:7"} if last_inbound_at is None else {"key": "lead:7", "lastInboundAt": last_inbound_at}
    return {"anchors": {"lead": anchor}}


@pytest.mark.parametrize(
    ("elsewhere", "code"),
    [
        (None, None),
        ("2026-09-21T09:59:59.999Z", None),
        (START, None),
        ("2026-09-21T10:30:00.000Z", "silence-broken"),
        ("2026-09-21T12:30:00.000+02:00", "silence-broken"),
    ],
)
def test_a_silence_is_broken_where_else_the_customer_wrote(elsewhere, code):
    """The customer wrote since counts what the anchor says was written elsewhere; then the wake is ignored."""
    chat = talk(NUDGE, flow("hello", SAY))
    wake = chat.starts("hello", **lead()).schedule[0]
    chat.clock.move(hours=1)
    result = chat.wakes(wake.key, **lead(elsewhere))
    if code is None:
        assert texts(result) == ["Said."]
        assert result.started[0].dedupe_key == "n:lead:7:"
    else:
        assert lines(result) == [("wait", "skipped", code)]
        assert result.changed is False


def test_without_a_host_anchor_only_this_session_counts():
    """What was written elsewhere about a lead is nothing to a flow of the session."""
    chat = talk({**NUDGE, "anchor": "session"}, flow("hello", SAY))
    wake = chat.starts("hello").schedule[0]
    chat.clock.move(hours=1)
    assert texts(chat.wakes(wake.key, **lead("2026-09-21T10:30:00.000Z"))) == ["Said."]


def test_a_parked_silence_run_ends_when_the_customer_wrote_elsewhere():
    """On its wake a silence run ends if the customer wrote after it started, here or elsewhere."""
    wait = {"id": "w", "kind": "wait", "wait": "1h"}
    for elsewhere, texts_out in (("2026-09-21T11:30:00.000Z", []), ("2026-09-21T10:30:00.000Z", ["Said."])):
        chat = talk({**NUDGE, "steps": [wait, SAY]}, flow("hello", SAY))
        wake = chat.starts("hello", **lead()).schedule[0]
        chat.clock.move(hours=1)
        parked = chat.wakes(wake.key, **lead()).schedule[0]
        chat.clock.move(hours=1)
        result = chat.wakes(parked.key, **lead(elsewhere))
        assert texts(result) == texts_out
        if not texts_out:
            assert lines(result)[-1] == ("say", "skipped", "customer-replied")
            assert reasons(result) == [("n#1789984800000", "skipped")]


def test_a_wait_with_else_is_answered_elsewhere_too():
    """When its time is over, a reply on another channel since the wait was set takes the `else`."""
    wait = {"id": "w", "kind": "wait", "wait": "1h", "then": "x", "else": "y"}
    for elsewhere, code, text in (
        ("2026-09-21T10:30:00.000Z", "replied", "Thanks."),
        ("2026-09-21T09:30:00.000Z", "no-reply", "Said."),
    ):
        chat = talk(
            flow("f", wait, {**SAY, "then": "end"}, {"id": "y", "kind": "say", "say": "Thanks."}, anchor="lead")
        )
        wake = chat.starts("f", **lead()).schedule[0]
        chat.clock.move(hours=1)
        result = chat.wakes(wake.key, **lead(elsewhere))
        assert lines(result, "code")[0] == (code,)
        assert texts(result) == [text]


def test_the_anchor_does_not_count_when_silence_is_armed():
    """A wake is set after every word of the assistant, whatever the customer wrote elsewhere meanwhile."""
    chat = talk(NUDGE, flow("hello", SAY))
    result = chat.starts("hello", **lead("2026-09-21T10:30:00.000Z"))
    assert [wake.key for wake in result.schedule] == ["silence:n:s:1789984800000"]


def test_each_word_moves_the_silence_wake():
    """Every turn that speaks arms anew and replaces the wake before; one that does not, leaves it."""
    chat = talk(flow("hello", SAY), flow("n", SAY, on=[{"silence": "1h"}]))
    first = chat.starts("hello", "k1").schedule[0]
    assert first.replaces is None
    chat.clock.move(minutes=10)
    assert chat.hears("booked", "e1").schedule == []
    second = chat.starts("hello", "k2").schedule[0]
    assert (second.at, second.replaces) == ("2026-09-21T11:10:00.000Z", first.key)
    chat.clock.move(minutes=10)
    third = chat.hears("human", "e2").schedule[0]
    assert third.replaces == second.key
    assert lines(chat.wakes(first.key)) == [("wait", "skipped", "silence-broken")]


def test_a_silence_wake_of_a_flow_that_is_gone_is_told():
    """It is no ignored input: the flow is skipped under the session's id and the wake's time."""
    chat = talk(flow("hello", SAY), flow("n", SAY, on=[{"silence": "1h"}]))
    wake = chat.starts("hello").schedule[0]
    chat.edit(flows=[flow("hello", SAY)])
    result = chat.wakes(wake.key)
    (skip,) = result.skipped
    assert (skip.flow_id, skip.anchor, skip.trigger_key, str(skip.code)) == ("n", "s", "1789984800000", "flow-gone")
    assert result.changed is True


def test_a_silence_wake_starts_a_flow_that_lost_its_silence_trigger():
    """The wake was set when the flow had one; it still starts, as a run that silence started."""
    chat = talk(flow("hello", SAY), flow("n", SAY, on=[{"silence": "1h"}]))
    wake = chat.starts("hello").schedule[0]
    chat.edit(flows=[flow("hello", SAY), flow("n", SAY)])
    chat.clock.move(hours=1)
    result = chat.wakes(wake.key)
    assert (texts(result), result.started[0].dedupe_key) == (["Said."], "n:s:")


# -- walking


def test_fifty_steps_are_a_walk_and_one_more_is_a_loop():
    """A run that is not done after 50 steps fails where it stands; one that is done with the fiftieth is fine."""
    assert reasons(talk(flow("f", *ifs(50))).starts("f")) == [("f#k", "end")]
    result = talk(flow("f", *ifs(51))).starts("f")
    assert reasons(result) == [("f#k", "failed")]
    assert lines(result, "kind", "status", "code", "step_id")[-1] == ("if", "failed", "step-loop", "i050")


def test_speaking_starts_a_new_walk():
    """Forty steps before a talk and forty after it are two walks, and no loop."""
    prompt = {"id": "p", "kind": "prompt", "prompt": "p", "then": "b0"}
    result = talk(flow("f", *ifs(40, "a", "p"), prompt, *ifs(40, "b"))).starts("f", speak=HI)
    assert reasons(result) == [("f#k", "end")]
    assert texts(result) == ["Hi."]


def test_a_loop_after_speaking_fails_too():
    """The new walk has the same bound, and what was said stays said."""
    prompt = {"id": "p", "kind": "prompt", "prompt": "p", "then": "b0"}
    result = talk(flow("f", prompt, *ifs(60, "b"))).starts("f", speak=HI)
    assert texts(result) == ["Hi."]
    assert reasons(result) == [("f#k", "failed")]


def test_a_run_keeps_its_last_fifty_lines():
    """Its log does not grow with its age; the result has every line of the turn."""
    chat = talk(flow("f", *ifs(45, after="w"), {"id": "w", "kind": "wait", "wait": "1h", "then": "i00"}))
    wake = chat.starts("f").schedule[0]
    chat.clock.move(hours=1)
    result = chat.wakes(wake.key)
    log = chat.run("f")["outcomes"]
    assert (len(log), len(result.outcomes)) == (50, 47)
    assert log[-1]["status"] == "waiting"


@pytest.mark.parametrize("on_end", ["end", "reset", "stay"])
def test_a_flow_without_steps_ends_at_once(on_end):
    """No steps: it finishes; `reset` without steps, and `stay` without a talk step, are as `end`."""
    result = talk(flow("f", onEnd=on_end)).starts("f")
    assert reasons(result) == [("f#k", "end")]
    assert [run.run_id for run in result.started] == ["f#k"]


def test_a_step_that_is_gone_ends_its_run():
    """A flow edited under a live run: the run ends where it stood, with a line of kind `if`."""
    chat = talk(flow("f", {"id": "w", "kind": "wait", "wait": "1h"}, SAY))
    wake = chat.starts("f").schedule[0]
    chat.edit(flows=[flow("f", SAY)])
    result = chat.wakes(wake.key)
    assert lines(result, "kind", "status", "code", "step_id", "key") == [("if", "skipped", "step-gone", "w", None)]
    assert reasons(result) == [("f#k", "skipped")]


# -- pauses


@pytest.mark.parametrize(
    ("wait", "next_step", "inline"),
    [
        ("10s", SAY, True),
        ("11s", SAY, False),
        ("10.001s", SAY, False),
        ("0s", SAY, True),
        ("3s", {"id": "x", "kind": "prompt", "prompt": "p"}, True),
        ("3s", {**ASK, "id": "x"}, True),
        ("3s", {"id": "x", "kind": "if", "if": {"known": []}, "else": "end"}, False),
        ("3s", {"id": "x", "kind": "wait", "wait": "1s"}, False),
    ],
)
def test_a_short_pause_before_a_message_rides_with_it(wait, next_step, inline):
    """Up to ten seconds, when the step it leads to speaks; anything else parks."""
    result = talk(flow("f", {"id": "w", "kind": "wait", "wait": wait}, next_step)).starts("f", speak=HI)
    assert result.outcomes[0].code == ("inline-delay" if inline else None)
    assert [message.after_ms for message in result.messages] == ([int(wait[:-1]) * 1000] if inline else [])
    assert len(result.schedule) == (not inline)


def test_a_pause_rides_with_whoever_speaks_next():
    """The talk of one flow has paused, but another flow's text goes out before it, and takes the pause along."""
    pause = {"id": "w", "kind": "wait", "wait": "1.5s"}
    chat = talk(
        flow("a", pause, {"id": "p", "kind": "prompt", "prompt": "p"}, on=[{"event": "booked"}]),
        flow("b", {**pause, "wait": "2s"}, SAY, on=[{"event": "booked"}]),
    )
    result = chat.hears("booked", "e1", speak=HI)
    assert [(message.text, message.after_ms) for message in result.messages] == [("Said.", 3500), ("Hi.", 0)]
    assert lines(result, "code", "detail", "next")[:2] == [
        ("inline-delay", "1500ms", None),
        ("inline-delay", "2000ms", None),
    ]


def test_a_pause_that_leads_elsewhere_looks_at_where_it_leads():
    """The step of its `then` counts, not the one below it."""
    steps = [{"id": "w", "kind": "wait", "wait": "3s", "then": "x"}, {**ASK, "then": "end"}, SAY]
    result = talk(flow("f", *steps)).starts("f")
    assert [(message.text, message.after_ms) for message in result.messages] == [("Said.", 3000)]
    assert lines(result, "code", "next")[0] == ("inline-delay", "x")


# -- going on elsewhere


def test_a_chain_s_target_is_a_template():
    """Rendered from data, context or input; the line says it as written, and its input stays as written."""
    target = {"flow": "{{data.next}}", "input": {"from": "{{data.next}}", "n": [1]}}
    chat = talk(flow("f", {**SAY, "then": target}), flow("g", {"id": "w", "kind": "wait", "wait": "1h"}))
    chat.starts("f", "k0")
    chat.session.data["next"] = "g"
    result = chat.starts("f")
    assert lines(result, "next")[0] == ("flow:{{data.next}}",)
    child = chat.run("g")
    assert child["input"] == {"from": "{{data.next}}", "n": [1]}
    assert child["trigger"] == {"kind": "flow", "key": "f#k:x:1", "payload": child["input"]}
    assert (child["id"], child["hop"], child["dedupeKey"]) == ("g#f#k:x:1", 1, "g:s:f#k:x:1")


def test_a_chain_to_nowhere_ends_the_run_all_the_same():
    """An unknown path stays as written and names no flow: the run ends `flow`, and the skip says so."""
    result = talk(flow("f", {**SAY, "then": {"flow": "{{data.next}}"}})).starts("f")
    assert reasons(result) == [("f#k", "flow")]
    (skip,) = result.skipped
    assert (skip.flow_id, skip.anchor, skip.trigger_key, str(skip.code)) == (
        "{{data.next}}",
        "s",
        "f#k:x:1",
        "flow-gone",
    )


def test_a_child_has_its_parent_s_input_unless_given_one():
    """The run's own input goes along, a null one too, and a missing one stays missing."""
    chat = talk(flow("f", {**SAY, "then": {"flow": "g"}}), flow("g", {"id": "w", "kind": "wait", "wait": "1h"}))
    for key, given in (("k1", {"input": {"a": 1}}), ("k2", {"input": None}), ("k3", {})):
        chat.starts("f", key, **given)
        child = chat.run("g")
        assert child.get("input", "none") == given.get("input", "none")
        assert child["trigger"].get("payload", "none") == given.get("input", "none")
        chat.session.runs.clear()


@pytest.mark.parametrize("clears", [False, True])
def test_a_flow_may_chain_into_itself(clears):
    """The run has ended when its child starts, so it is not in its own way; the child clears on start as any start."""
    steps = [
        {"id": "i", "kind": "if", "if": {"known": ["name"]}, "then": "w", "else": "a"},
        {"id": "a", "kind": "do", "do": "act", "then": {"flow": "f"}},
        {"id": "w", "kind": "wait", "wait": "1h"},
    ]
    named = Action(lambda params, call: call.set({"name": "Ana"}))
    chat = talk(flow("f", *steps, clearOnStart=["name"] if clears else []), actions={"act": named})
    result = chat.starts("f")
    if clears:
        assert [ended.reason for ended in result.ended] == ["flow"] * 5
        assert codes(result) == [("f", "hop-limit")]
    else:
        assert reasons(result) == [("f#k", "flow")]
        assert chat.run("f")["id"] == "f#f#k:a:1"


def test_clear_forgets_values_and_how_often_was_asked():
    """A jump that clears asks anew, though the field was asked as often as allowed."""
    steps = [
        {**ASK, "maxAsks": 1, "then": "i"},
        {"id": "i", "kind": "if", "if": {"known": ["size"]}, "then": "end", "else": {"step": "c", "clear": ["name"]}},
    ]
    chat = talk(flow("f", *steps))
    chat.starts("f", speak=HI)
    result = chat.says("no", understand=[{}], speak=[{"message": "Again?"}])
    assert lines(result) == [
        ("collect", "skipped", "max-asks"),
        ("collect", "ok", None),
        ("if", "ok", None),
        ("collect", "ok", None),
    ]
    assert texts(result) == ["Again?"]
    assert (chat.run("f")["asked"], chat.run("f")["visits"]) == ({"name": 1}, {"c": 2, "i": 1})


def test_without_clear_a_jump_back_does_not_ask_again():
    """What was asked as often as allowed stays given up: the same flow without `clear` runs round until it fails."""
    steps = [
        {**ASK, "maxAsks": 1, "then": "i"},
        {"id": "i", "kind": "if", "if": {"known": ["size"]}, "then": "end", "else": {"step": "c"}},
    ]
    chat = talk(flow("f", *steps))
    chat.starts("f", speak=HI)
    assert reasons(chat.says("no", understand=[{}])) == [("f#k", "failed")]


# -- staying

STAY = flow("stay", {"id": "p", "kind": "prompt", "prompt": "p"}, onEnd="stay")


def status_of(chat):
    return {run["flowId"]: (run["status"], run.get("staying", False)) for run in session_to_json(chat.session)["runs"]}


def test_a_run_that_stays_waits_behind_another_asker():
    """It stays, suspended; when the other is done it asks again and answers."""
    chat = talk(flow("ask", ASK), STAY)
    chat.starts("ask", speak=HI)
    chat.starts("stay", speak=HI)
    assert status_of(chat) == {"ask": ("suspended", False), "stay": ("asking", True)}
    other = talk(flow("ask", ASK), flow("say", SAY, {**ASK, "collect": ["size"]}, onEnd="stay"))
    other.starts("ask", speak=HI)
    other.session.data["size"] = 3
    result = other.starts("say")
    assert texts(result) == ["Said."]
    assert status_of(other) == {"ask": ("asking", False), "say": ("suspended", True)}
    answered = other.says("Ana", understand=[{"fields": {"name": "Ana"}}], speak=[{"message": "Anything else?"}])
    assert texts(answered) == ["Anything else?"]
    assert status_of(other) == {"say": ("asking", True)}


def test_a_run_whose_message_it_is_stays_before_the_asker():
    """A reply that ends its wait and its flow makes the message its own: it suspends the asker and answers."""
    wait = {"id": "w", "kind": "wait", "wait": "1h", "else": "end"}
    steps = [{"id": "p", "kind": "prompt", "prompt": "p"}, wait]
    chat = talk(flow("stay", *steps, onEnd="stay"), flow("ask", ASK))
    chat.starts("stay", speak=HI)
    chat.starts("ask", speak=HI)
    assert status_of(chat) == {"stay": ("waiting", False), "ask": ("asking", False)}
    result = chat.says("hello", understand=[{}], speak=[{"message": "Here I am."}])
    assert texts(result) == ["Here I am."]
    assert result.messages[0].run_id == "stay#k"
    assert status_of(chat) == {"stay": ("asking", True), "ask": ("suspended", False)}


CHILD = flow(
    "child",
    {"id": "i", "kind": "if", "if": {"known": []}, "else": "end", "then": "end"},
    {"id": "p", "kind": "prompt", "prompt": "p"},
    onEnd="stay",
)


def test_a_child_inherits_the_message_of_its_parent():
    """The flow that took the message chains on, and its child stays: the message is the child's, before the asker."""
    parent = flow("parent", on=[{"message": ["wants this"]}])
    parent["steps"] = [{"id": "i", "kind": "if", "if": {"known": []}, "else": "end", "then": {"flow": "child"}}]
    chat = talk(flow("ask", ASK), parent, CHILD)
    chat.starts("ask", speak=HI)
    result = chat.says("this", understand=[{"flows": {"parent": 90}}], speak=[{"message": "Here."}])
    assert [(message.text, message.run_id.partition("#")[0]) for message in result.messages] == [("Here.", "child")]
    assert status_of(chat) == {"ask": ("suspended", False), "child": ("asking", True)}


def test_a_child_does_not_take_a_message_that_is_another_s():
    """A run beside the conversation chains on, and its child stays: the message is the asker's, so it waits behind."""
    beside = flow("beside", on=[{"mention": []}])
    beside["steps"] = [{"id": "i", "kind": "if", "if": {"known": []}, "else": "end", "then": {"flow": "child"}}]
    chat = talk(flow("ask", ASK), beside, CHILD)
    chat.starts("ask", speak=HI)
    result = chat.says("so", understand=[{}], speak=[{"message": "Your name?"}])
    assert [(message.text, message.run_id) for message in result.messages] == [("Your name?", "ask#k")]
    assert status_of(chat) == {"ask": ("asking", False), "child": ("suspended", True)}


def test_a_stay_reached_with_the_reply_only_asks_and_then_takes_its_branch():
    """Reached in ingest it only asks: its branches are judged as the asker's, and here it leaves by one."""
    steps = [
        {"id": "p", "kind": "prompt", "prompt": "p", "branches": [{"if": {"known": ["size"]}, "then": "x"}]},
        {"id": "w", "kind": "wait", "wait": "1h", "else": "end", "then": "end"},
        SAY,
    ]
    chat = talk(flow("stay", *steps, onEnd="stay"))
    chat.starts("stay", speak=HI)
    chat.session.data["size"] = 3
    result = chat.says("hello", understand=[{}])
    assert texts(result) == ["Said."]
    assert lines(result) == [("wait", "ok", "replied"), ("prompt", "ok", "branch"), ("say", "ok", None)]
    assert result.llm_calls == 0


def test_a_run_that_stays_answers_each_message_under_a_new_key():
    """Each answer is a new visit of its talk step."""
    chat = talk(STAY)
    chat.starts("stay", speak=HI)
    keys = [chat.says("and?", speak=HI).messages[0].key for _ in range(3)]
    assert keys == [f"stay#k:p:{visit}" for visit in (2, 3, 4)]


def test_a_flow_that_no_longer_stays_finishes_as_it_now_ends():
    """An edited `onEnd` counts when the staying run moves next."""
    chat = talk(STAY)
    chat.starts("stay", speak=HI)
    chat.edit(flows=[{**STAY, "onEnd": "end"}])
    assert reasons(chat.says("and?")) == [("stay#k", "end")]


def test_a_staying_run_goes_back_to_the_talk_it_last_took():
    """Of two talk steps the one of its last line, not the last of the flow."""
    steps = [
        {"id": "i", "kind": "if", "if": {"known": ["size"]}, "then": "q", "else": "p"},
        {"id": "p", "kind": "prompt", "prompt": "First.", "then": "end"},
        {"id": "q", "kind": "prompt", "prompt": "Second.", "then": "end"},
    ]
    chat = talk(flow("stay", *steps, onEnd="stay"))
    chat.starts("stay", speak=HI)
    assert (chat.run("stay")["stepId"], chat.run("stay")["visits"]) == ("p", {"i": 1, "p": 2})


def test_a_run_that_asks_is_not_marked_as_suspended():
    """`suspendedAt` is there while it applies: a speaker that was suspended meanwhile, and goes on to ask, has none."""
    asker = flow(
        "a",
        {**ASK, "branches": [{"if": {"known": ["size"]}, "then": "x"}]},
        SAY,
        {"id": "p", "kind": "prompt", "prompt": "p"},
        {**ASK, "id": "q", "collect": ["next"]},
    )
    wait = {"id": "w", "kind": "wait", "wait": "1h", "else": "i"}
    done = {"id": "i", "kind": "if", "if": {"known": []}, "else": "end", "then": "end"}
    stayer = flow("b", {"id": "t", "kind": "prompt", "prompt": "p"}, wait, done, onEnd="stay")
    chat = talk(asker, stayer)
    chat.starts("a", speak=HI)
    chat.starts("b", speak=HI)
    chat.session.data["size"] = 3
    chat.says("hello", understand=[{}], speak=HI)
    marked = {run["flowId"]: (run["status"], "suspendedAt" in run) for run in session_to_json(chat.session)["runs"]}
    assert marked == {"a": ("asking", False), "b": ("suspended", True)}


# -- actions


def acting(handler, *, variables=None, **given):
    step = {"id": "a", "kind": "do", "do": "act", "then": "w", "onFail": "y"}
    steps = [step, {"id": "w", "kind": "wait", "wait": "1h", "then": "end"}, {"id": "y", "kind": "wait", "wait": "1h"}]
    chat = talk(flow("f", *steps), actions={"act": Action(handler)}, variables=variables or {})
    return chat, chat.starts("f", **given)


def test_what_an_action_is_told():
    """{context, data, input, run, key, dedupeKey, silenced, now, set}."""
    calls = []
    acting(lambda params, call: calls.append(call), input={"n": 1}, context={"a": 1}, silenced="", hop=2)
    (call,) = calls
    assert (call.context, dict(call.data), call.input, call.silenced) == ({"a": 1}, {}, {"n": 1}, "")
    assert (call.key, call.dedupe_key) == ("f#k:a:1", "f:s:k")
    assert (call.run.id, call.run.flow_id, call.run.anchor, call.run.step_id, call.run.hop) == ("f#k", "f", "s", "a", 2)
    assert call.now.isoformat(timespec="milliseconds") == START.replace("Z", "+00:00")


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (None, ("ok", None, None, "w")),
        (Ok("sent"), ("ok", None, "sent", "w")),
        (Ok(""), ("ok", None, None, "w")),
        ({"ok": True, "detail": "sent"}, ("ok", None, "sent", "w")),
        (Skipped("had it"), ("skipped", "action-skipped", "had it", "w")),
        ({"skipped": "had it"}, ("skipped", "action-skipped", "had it", "w")),
        (Failed("down"), ("failed", "action-failed", "down", "y")),
        ({"failed": "down"}, ("failed", "action-failed", "down", "y")),
        (Defer("1h", "later"), ("deferred", "action-deferred", "later", None)),
        ({"defer": "1h"}, ("deferred", "action-deferred", None, None)),
    ],
)
def test_what_an_action_answers(answer, line):
    """Each answer is its line: status, code, detail and where the run goes."""
    _, result = acting(lambda params, call: answer)
    assert lines(result, "status", "code", "detail", "next")[0] == line


class MuteError(Exception):
    """An exception that cannot even be told."""

    def __str__(self):
        raise ValueError("no words")


def mute(params, call):
    raise MuteError


STRANGE = {
    "a number": lambda params, call: 5,
    "text": lambda params, call: "ok",
    "an empty object": lambda params, call: {},
    "detail that is a number": lambda params, call: Ok(5),
    "detail that is an object": lambda params, call: Failed({"code": 7}),
    "skipped by a number": lambda params, call: {"skipped": 5},
    "deferred by nothing": lambda params, call: Defer(None),
    "deferred by words": lambda params, call: {"defer": "soon"},
    "deferred for ever": lambda params, call: Defer("9" * 30 + "d"),
    "deferred by a number too long to print": lambda params, call: Defer("9" * 5000 + "d"),
    "an exception without words": mute,
    "set of nothing": lambda params, call: call.set(None),
    "set by a name that is a number": lambda params, call: call.set({5: 1}),
}


@pytest.mark.parametrize("handler", STRANGE.values(), ids=STRANGE)
def test_whatever_an_action_gives_the_session_can_be_stored_and_read(handler):
    """A handler of the host that answers nonsense has failed, or done nothing; it breaks neither turn nor session."""
    chat, result = acting(handler)
    assert len(result.outcomes) >= 1
    assert session_to_json(saved(session_to_json(result.session))) == json.loads(
        json.dumps(session_to_json(result.session))
    )
    assert chat.run("f") is not None


@pytest.mark.parametrize("variables", [{}, {"count": Variable("integer", 0)}], ids=["fields", "fields and variables"])
def test_what_an_action_sets_is_there_at_once(variables):
    """`set` writes into the live data: the action reads it back, and it stays when the action then fails."""
    seen = []

    def handler(params, call):
        call.set({"name": "Ana", "size": 1, "next": "g"})
        call.set({"size": None, "count": 2} if variables else {"size": None})
        seen.append(dict(call.data))
        raise RuntimeError("and then it broke")

    _, result = acting(handler, variables=variables)
    written = {"name": "Ana", "next": "g"} | ({"count": 2} if variables else {})
    assert result.session.data == written
    assert lines(result, "status", "detail")[0] == ("failed", "and then it broke")
    assert seen == [written]


def test_an_action_runs_when_silenced():
    """It is told why; what it does is its own affair."""
    _, result = acting(lambda params, call: Ok(call.silenced), silenced="a human is here")
    assert lines(result, "status", "detail")[0] == ("ok", "a human is here")


def test_what_an_action_says_counts_as_speaking():
    """Nobody else answers the message, and silence is counted from it."""
    chat = talk(
        flow("f", {"id": "a", "kind": "do", "do": "act"}, on=[ALWAYS]),
        actions={"act": Action(lambda params, call: Ok(spoke=call.key.startswith("f#m1")))},
        idle=Idle(),
    )
    first = chat.says("hi", id="m1", speak=HI)
    assert (texts(first), first.llm_calls, first.session.last_assistant_at) == ([], 0, START)
    assert texts(chat.says("hi", id="m2", speak=HI)) == ["Hi."]


def did(params, call, detail=None):
    return Ok(detail)


class Did:
    """A handler that is an object."""

    def __call__(self, params, call):
        return Ok("did")


@pytest.mark.parametrize(
    "action",
    [Action(did), Action(functools.partial(did, detail="did")), Action(Did()), did],
    ids=["action", "partial", "object", "function"],
)
def test_an_action_may_be_given_as_a_value(action):
    """In Python code a step may hold its action instead of a name, whatever kind of callable its handler is."""
    chat = talk(Flow(id="f", steps=[Do(id="a", do=action)]))
    assert lines(chat.starts("f"), "kind", "status") == [("do", "ok")]


def price(arguments, request):
    return 420


@pytest.mark.parametrize("tool", [Tool(id="price", handler=price), price], ids=["tool", "function"])
def test_a_tool_may_be_given_as_a_value(tool):
    """In Python code a step may hold its tools instead of their names."""
    chat = talk(Flow(id="f", steps=[Prompt(id="a", prompt="p", tools=[tool])]))
    chat.starts("f", speak=HI)
    assert [offer.name for offer in chat.provider.requests[0].tools] == ["price"]
