"""Nights of which an hour is missing or comes twice, and days without any worker (spec: host.md sections 3 and 4)."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest

from falai_django.conf import settings
from falai_django.inbox import event
from falai_django.loop import tick
from falai_django.models import Claim, Message, OpeningSpan, Session, SessionRun, Tenant, Turn, Wake
from falai_django.turns.agents import agent_of
from falai_django.turns.days import tenant_day
from falai_engine import StartInput, TurnInput
from tests.host.runtime.stage import document

SAO_PAULO, LISBON = "America/Sao_Paulo", "Europe/Lisbon"
WAITS = {
    "id": "w",
    "steps": [{"id": "p", "wait": "5h", "businessHours": True}, {"id": "s", "say": "Bom dia."}],
}


def _utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "begun", "due"),
    [
        (SAO_PAULO, "2018-11-03T23:00", "2018-11-04T10:00"),
        (SAO_PAULO, "2018-02-17T22:00", "2018-02-18T11:00"),
        (SAO_PAULO, "2026-09-21T23:00", "2026-09-22T11:00"),
        (LISBON, "2026-03-28T20:00", "2026-03-29T07:00"),
        (LISBON, "2026-10-24T19:00", "2026-10-25T08:00"),
    ],
    ids=["sao-paulo-forward", "sao-paulo-back", "sao-paulo-now", "lisbon-forward", "lisbon-back"],
)
def test_a_wait_over_the_night_ends_when_the_tenant_opens_by_its_own_clock(stage, zone, begun, due):
    """Eight o'clock is eight o'clock on the wall, whatever the night did. By the agent as the runtime compiles it."""
    Tenant.objects.update(time_zone=zone)
    for weekday in range(7):
        OpeningSpan.objects.create(tenant=stage.tenant, weekday=weekday, opens=time(8), closes=time(18))
    stage.tenant.refresh_from_db()
    stage.publish(document(WAITS))
    stage.agent.tenant = stage.tenant
    running = agent_of(Session(agent=stage.agent, session_id="s"), "")
    result = running.agent.turn(TurnInput("s", StartInput("w", "k"), now=_utc(begun)))
    assert [each.at for each in result.schedule] == [f"{due}:00.000Z"]


@pytest.mark.parametrize(
    ("zone", "now", "day"),
    [
        (SAO_PAULO, "2018-11-04T02:59", "2018-11-03"),
        (SAO_PAULO, "2018-11-04T03:00", "2018-11-04"),
        (SAO_PAULO, "2018-02-18T01:59", "2018-02-17"),
        (SAO_PAULO, "2018-02-18T02:59", "2018-02-17"),
        (SAO_PAULO, "2018-02-18T03:00", "2018-02-18"),
        (LISBON, "2026-03-28T23:59", "2026-03-28"),
        (LISBON, "2026-03-29T22:59", "2026-03-29"),
        (LISBON, "2026-03-29T23:00", "2026-03-30"),
        (LISBON, "2026-10-25T23:59", "2026-10-25"),
        (LISBON, "2026-10-26T00:00", "2026-10-26"),
    ],
)
def test_a_day_of_tokens_is_the_tenant_s(zone, now, day):
    """It begins at its midnight, once, also when that hour comes twice or not at all."""
    assert tenant_day(Tenant(time_zone=zone), _utc(now)).isoformat() == day


# -- three days without a worker

PARKED = {"id": "parked", "on": [{"event": "buy"}], "steps": [{"id": "p", "wait": "1h"}, {"id": "s", "say": "Chegou?"}]}
DELAYED = {
    "id": "delayed",
    "anchor": "lead",
    "on": [{"event": "go", "after": "1h"}],
    "steps": [{"id": "s", "say": "Oferta!"}],
}
NUDGES = {"id": "nudge", "on": [{"silence": "2h"}], "steps": [{"id": "s", "say": "Ainda aí?"}]}
HELLO = {"id": "hello", "on": [{"message": []}], "steps": [{"id": "s", "say": "Oi!"}]}
DOWN = timedelta(days=3)
FORTY = range(40)


@pytest.fixture
def after_three_days(stage):
    """Ten conversations with a nudge to come, ten with a start, twenty with a parked run; then nobody worked."""
    stage.publish(document(PARKED, DELAYED, NUDGES, HELLO, events={"buy": {}, "go": {}}))
    for number in FORTY:
        name = f"s{number}"
        if number < 10:
            stage.says("oi", name)
        elif number < 20:
            stage.takes(event("go", key="k", anchors={"lead": f"{number}"}), name)
        else:
            stage.takes(event("buy", key="k"), name)
        stage.drains(name)
    assert Wake.objects.count() == len(FORTY)
    stage.move(Wake, "due", -DOWN - timedelta(hours=2))
    stage.move(SessionRun, "waiting_until", -DOWN - timedelta(hours=2), waiting_until__isnull=False)
    return stage


def _said():
    return sorted(Message.objects.filter(turn__kind="wake", direction="out").values_list("text", flat=True))


def test_after_three_days_forty_due_wakes_come_to_rest(after_three_days):
    """Nudges and starts of the day before yesterday are told, not said; parked runs go on, each once, spread."""
    tick()
    spread = Turn.objects.filter(kind="wake", not_before__isnull=False)
    ahead = [turn.not_before - turn.received_at for turn in spread]
    assert len(ahead) == 20
    assert max(ahead) <= timedelta(seconds=settings().wake_spread_seconds)
    assert len(set(ahead)) == 20
    after_three_days.make_due()
    for _ in range(5):
        tick()
    assert set(Wake.objects.values_list("session__session_id", flat=True)) == {f"s{n}" for n in FORTY if n >= 20}
    assert not Wake.objects.exclude(key__startswith="silence:").exists()
    states = [(turn.kind, turn.state) for turn in Turn.objects.exclude(kind__in=["message", "event"])]
    assert {each: states.count(each) for each in states} == {
        ("wake", "missed"): 20,
        ("wake", "done"): 20,
        ("end", "done"): 10,
    }
    assert _said() == ["Chegou?"] * 20
    assert not SessionRun.objects.exists()
    assert not Session.objects.exclude(due=None).exists()


def test_the_contact_of_a_start_that_was_missed_is_free(after_three_days):
    """Its run is ended as missed: else it would hold the flow for ever."""
    assert Claim.objects.filter(live=True).count() == 10
    tick()
    assert not Claim.objects.filter(live=True).exists()
    (line,) = Turn.objects.get(kind="end", session__session_id="s10").outcomes
    assert (line["status"], line["code"]) == ("skipped", "missed")


def test_who_writes_before_the_late_wake_is_run_is_answered_first(after_three_days):
    """A wake that is put off to be spread holds up nobody."""
    tick()
    after_three_days.says("oi", "s30")
    assert after_three_days.drains("s30").turns == 1
    assert after_three_days.states("s30")[-2:] == [("wake", "received"), ("message", "done")]
