"""Erasing leaves nothing, whatever happens meanwhile (spec: host.md section 3)."""

from __future__ import annotations

import pytest

from falai_django.conversations import erasing
from falai_django.conversations.ending import close, end_run
from falai_django.conversations.erasing import erase, erase_contact
from falai_django.conversations.people import write
from falai_django.conversations.silence import give_back, take_over
from falai_django.conversations.waking import bring_forward
from falai_django.errors import InputRefusedError
from falai_django.loop.housekeeping import keep_house
from falai_django.models import (
    Anchor,
    AnchorSession,
    AuditRecord,
    Claim,
    Message,
    Receipt,
    Session,
    SessionRun,
    Turn,
    Wake,
)
from falai_django.roles import Actor
from tests.host.runtime.flows import SAY
from tests.host.runtime.stage import document

BOSS = Actor.command("test")
OF_A_SESSION = (Session, Turn, Message, Wake, SessionRun, Receipt, AnchorSession)
CAMPAIGN = {
    "id": "camp",
    "anchor": "lead",
    "on": [{"message": []}],
    "steps": [{"id": "s", "say": "Oferta!"}, {"id": "w", "wait": "1d"}],
}


@pytest.fixture
def contact(stage):
    """Two conversations of one contact; the first runs the campaign."""
    stage.publish(document(CAMPAIGN))
    for name in ("a", "b"):
        stage.says("oi", name, anchors={"lead": "7"})
        stage.drains(name)
    assert Claim.objects.filter(live=True).count() == 1
    return stage


def test_nothing_is_left_of_a_contact(contact):
    assert erase_contact(BOSS, contact.tenant, "lead", "7") == (2, 0)
    assert {model.__name__: model.objects.count() for model in (*OF_A_SESSION, Anchor, Claim)} == {
        model.__name__: 0 for model in (*OF_A_SESSION, Anchor, Claim)
    }
    assert [row.detail for row in AuditRecord.objects.all()] == [{"sessions": 2}]
    assert "7" not in AuditRecord.objects.get().target


def test_a_crash_in_the_middle_is_finished_by_housekeeping(contact):
    """Marked at once and together with anchors and claims; then each session by itself."""
    contact.dies_at("erasure-marked", lambda: erase_contact(BOSS, contact.tenant, "lead", "7"))
    assert Session.objects.filter(erasing_at=None).count() == 0
    assert (Anchor.objects.count(), Claim.objects.count()) == (0, 0)
    with pytest.raises(InputRefusedError):
        contact.says("oi", "a", anchors={"lead": "7"})
    assert not Anchor.objects.exists()
    keep_house(lambda: False)
    assert {model.objects.count() for model in OF_A_SESSION} == {0}


def test_a_turn_that_runs_writes_no_claim_of_an_erased_contact(contact):
    """Its commit is refused; then it is gone, too."""
    contact.says("oi de novo", "b")
    told = []
    with contact.meanwhile("turn-taken", lambda: told.append(erase_contact(BOSS, contact.tenant, "lead", "7"))):
        contact.drains("b")
    assert told == [(1, 1)]
    assert {model.objects.count() for model in (*OF_A_SESSION, Anchor, Claim)} == {0}


def test_a_session_that_comes_to_the_contact_meanwhile_is_erased_too(contact, monkeypatch):
    """It was linked after the first look: all is looked at once more."""
    read, looks = erasing._linked, []  # noqa: SLF001 - the moment between two looks
    late = Session.objects.create(agent=contact.agent, session_id="late", anchors={"lead": "7"})

    def linking(anchors):
        looks.append(1)
        if len(looks) == 2:
            AnchorSession.objects.create(anchor=anchors.get(), session=late)
        found = read(anchors)
        if len(looks) == 2:
            monkeypatch.setattr(erasing, "_linked", lambda again: _link_first(again, late, read))
        return found

    monkeypatch.setattr(erasing, "_linked", linking)
    assert erase_contact(BOSS, contact.tenant, "lead", "7") == (3, 0)
    assert not Session.objects.exists()
    assert AuditRecord.objects.count() == 1


def _link_first(anchors, session, read):
    """The other's link as it was committed; here the first round's undoing took it along."""
    AnchorSession.objects.get_or_create(anchor=anchors.get(), session=session)
    return read(anchors)


def test_a_door_whose_anchor_is_erased_under_its_hands_makes_it_anew(stage, monkeypatch):
    """The session is linked to what is there, not to what was."""
    from falai_django.inbox import anchors as module  # noqa: PLC0415 - the module, for the moment between two steps

    stage.publish(document(SAY))
    stored, looks = module._stored, []  # noqa: SLF001 - see above

    def losing(session, wanted):
        looks.append(1)
        if len(looks) == 1:
            Anchor.objects.all().delete()
        return stored(session, wanted)

    monkeypatch.setattr(module, "_stored", losing)
    stage.says("oi", anchors={"lead": "7"})
    assert [link.anchor.key for link in stage.session().anchor_links.all()] == ["7"]


def test_another_tenant_s_contact_of_the_same_key_stays(contact, monkeypatch):
    """Keys are telephone numbers: two tenants may well know the same person."""
    from tests.host.runtime.stage import Stage  # noqa: PLC0415 - a second one

    other = Stage(monkeypatch, "globex").publish(document(CAMPAIGN))
    other.says("oi", "a", anchors={"lead": "7"})
    other.drains("a")
    erase_contact(BOSS, contact.tenant, "lead", "7")
    assert Anchor.objects.get().agent == other.agent
    assert Claim.objects.get().live
    assert Session.objects.get().agent == other.agent


def test_a_flow_of_the_contact_is_free_when_its_session_was_erased(contact):
    """The claim stays with the contact, but nobody lives in it; `once` is still once."""
    assert erase(BOSS, contact.session("a"))
    claim = Claim.objects.get()
    assert (claim.live, claim.session) == (False, None)


@pytest.mark.parametrize(
    "act",
    [
        lambda row: take_over(BOSS, row),
        lambda row: give_back(BOSS, row),
        lambda row: write(BOSS, row, "Sou a Bia."),
        lambda row: bring_forward(BOSS, row),
        lambda row: close(BOSS, row),
        lambda row: end_run(BOSS, row, "r"),
    ],
    ids=["take over", "give back", "write", "bring forward", "close", "end a run"],
)
def test_what_was_erased_does_not_come_back_by_what_somebody_did_to_it(contact, act):
    """A page that was opened before; the id may be a telephone number."""
    row = Session.objects.select_related("agent__tenant").get(session_id="a")
    erase(BOSS, row)
    with pytest.raises(InputRefusedError) as caught:
        act(row)
    assert caught.value.code == "erasing"
    assert not Session.objects.filter(session_id="a").exists()


def test_a_customer_who_writes_again_begins_anew(contact):
    """The same id is another conversation."""
    old = contact.session("a").pk
    erase(BOSS, contact.session("a"))
    contact.says("oi", "a", anchors={"lead": "8"})
    contact.drains("a")
    session = contact.session("a")
    assert session.pk != old
    assert [row.text for row in Message.objects.filter(session=session).order_by("seq")] == ["oi", "Oferta!"]
