"""A person sends again what was given up: first in its queue, under its old id, and it is known who did."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from falai_django import registry
from falai_django.errors import NotAllowedError, NotResendableError
from falai_django.models import AuditRecord, Membership, Message
from falai_django.outbox import RESENDABLE, resend, send_due
from falai_django.roles import Actor
from tests.host.loop_rows import ago, make_agent, make_session, queue, states

pytestmark = pytest.mark.django_db


@pytest.fixture
def session():
    return make_session(make_agent(kind="python"))


def _member(session, role):
    user = User.objects.create_user("ana")
    Membership.objects.create(user=user, tenant=session.agent.tenant, role=role)
    return Actor.of_user(user)


@pytest.mark.parametrize("state", sorted(RESENDABLE))
def test_what_was_given_up_leaves_first_and_under_its_id(session, state):
    (old, _) = queue(session, "old", "new")
    Message.objects.filter(pk=old.pk).update(
        state=state, attempts=7, error="http-500", expires_at=ago(hours=5), after_ms=9_000
    )
    resend(_member(session, "operator"), old)
    got = []
    with registry.isolated():
        registry.sender("test")(got.append)
        while send_due().tried:
            pass
    assert [message.text for message in got] == ["old", "new"]
    assert got[0].id == str(old.public_id)
    record = AuditRecord.objects.get()
    assert (record.action, record.actor_name, record.actor.username) == ("message.resend", "ana", "ana")
    assert (record.target, record.detail) == (f"message {old.pk}", {"session": session.pk})


@pytest.mark.parametrize("state", sorted(set(Message.State.values) - set(RESENDABLE)))
def test_what_left_or_is_to_leave_is_not_sent_twice(session, state):
    (row,) = queue(session, "one", state=state)
    with pytest.raises(NotResendableError):
        resend(Actor.command("shell"), row)
    assert states(session) == {"one": state}
    assert not AuditRecord.objects.exists()


def test_it_takes_an_operator(session):
    (row,) = queue(session, "one", state="dead")
    with pytest.raises(NotAllowedError):
        resend(_member(session, "viewer"), row)
    assert states(session) == {"one": "dead"}


def test_nothing_of_a_conversation_that_is_being_erased_is_sent_again(session):
    (row,) = queue(session, "one", state="dead")
    session.erasing_at = ago(seconds=1)
    session.save()
    with pytest.raises(NotResendableError):
        resend(Actor.command("shell"), row)
