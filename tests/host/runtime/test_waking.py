"""A person need not wait for what a conversation waits for."""

from __future__ import annotations

import pytest

from falai_django.conversations.waking import bring_forward
from falai_django.errors import NotAllowedError
from falai_django.models import AuditRecord, Wake
from falai_django.roles import Actor
from falai_django.wakes import move_due_wakes
from tests.host.runtime.flows import NUDGE
from tests.host.runtime.stage import document

OPERATOR = Actor.command("test")


def test_the_next_wake_happens_now(stage):
    stage.publish(document(NUDGE))
    stage.answers("oi")
    (key,) = stage.wakes()
    assert bring_forward(OPERATOR, stage.session()) == key
    move_due_wakes()
    stage.script(speak=[{"message": "Alguma dúvida?"}]).drains()
    assert stage.texts() == ["Oi!", "Alguma dúvida?"]
    assert AuditRecord.objects.get().action == "wake.brought_forward"


def test_only_the_first_of_several_is_brought_forward(stage):
    stage.publish(document(NUDGE))
    stage.answers("oi")
    first = Wake.objects.get()
    later = Wake.objects.create(session=first.session, key="later", due=first.due.replace(year=2040))
    assert bring_forward(OPERATOR, stage.session()) == first.key
    later.refresh_from_db()
    assert later.due.year == 2040


def test_where_nothing_waits_nothing_happens(stage):
    stage.publish(document(NUDGE))
    stage.answers("oi")
    Wake.objects.all().delete()
    assert bring_forward(OPERATOR, stage.session()) is None
    assert not AuditRecord.objects.exists()


def test_it_takes_somebody_who_operates(stage):
    stage.publish(document(NUDGE))
    stage.answers("oi")
    with pytest.raises(NotAllowedError):
        bring_forward(Actor("a viewer"), stage.session())
