"""Operators see what became of each try to send, and send again what was given up."""

from __future__ import annotations

import pytest

from falai_django.models import AuditRecord, Delivery, Message, Role
from falai_django.outbox import RESENDABLE
from tests.host.admin.doors import url_of
from tests.host.admin.posting import post_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(alpha, enter):
    return enter(alpha.user(Role.OPERATOR))


@pytest.fixture
def dead(alpha):
    message = Message.objects.create(
        session=alpha.session, seq=9, direction="out", author="assistant", text="Hello", state="dead", error="http-500"
    )
    for attempt, (outcome, code, status) in enumerate([("failed", "http-500", 500), ("failed", "timeout", None)], 1):
        Delivery.objects.create(
            message=message, attempt=attempt, outcome=outcome, code=code, status=status, milliseconds=12,
            request='{"text": "<b>Hello</b>"}', response="<i>no</i>",
        )  # fmt: skip
    return message


def listed(client, **asked):
    return [row.pk for row in client.get(url_of("message", "changelist"), asked).context["cl"].result_list]


def test_what_was_given_up_is_a_list_of_its_own(operator, alpha, dead):
    refused = Message.objects.create(
        session=alpha.session,
        seq=10,
        direction="out",
        author="assistant",
        text="x",
        state="refused",
        error="unknown-number",
    )
    again = Message.objects.create(
        session=alpha.session, seq=11, direction="out", author="assistant", text="x", state="queued", attempts=2
    )
    assert listed(operator, given_up="yes") == [refused.pk, dead.pk]
    assert listed(operator, given_up="waiting") == [again.pk]
    assert "unknown-number" in operator.get(url_of("message", "changelist")).content.decode()


def test_a_message_shows_its_tries_and_leads_to_each(operator, dead):
    page = operator.get(url_of("message", "change", dead)).content.decode()
    for told in ("http-500", "timeout", "500", "12 ms"):
        assert told in page
    for each in Delivery.objects.filter(message=dead):
        assert url_of("delivery", "change", each) in page


def test_a_try_shows_what_was_sent_and_answered_as_text(operator, dead):
    page = operator.get(url_of("delivery", "change", dead.deliveries.first())).content.decode()
    assert "&lt;b&gt;Hello&lt;/b&gt;" in page
    assert "&lt;i&gt;no&lt;/i&gt;" in page
    assert "<i>no" not in page


@pytest.mark.parametrize("state", sorted(RESENDABLE))
def test_what_was_given_up_is_sent_again_from_its_page(operator, alpha, dead, state):
    Message.objects.filter(pk=dead.pk).update(state=state)
    url = url_of("message", "resend", dead)
    assert url in operator.get(url_of("message", "change", dead)).content.decode()
    response = operator.post(url, post_of(operator.get(url)), follow=True)
    assert "The message is on its way again." in response.content.decode()
    dead.refresh_from_db()
    assert (dead.state, dead.attempts, dead.error) == ("queued", 0, "")
    assert AuditRecord.objects.get(action="message.resend").actor == alpha.user(Role.OPERATOR)


def test_what_is_on_its_way_or_left_has_no_button_and_says_so(operator, alpha):
    url = url_of("message", "resend", alpha.message)
    assert url not in operator.get(url_of("message", "change", alpha.message)).content.decode()
    response = operator.post(url, {}, follow=True)
    assert "Only a message that was given up can be sent again" in response.content.decode()


def test_several_are_sent_again_at_once_and_the_others_are_told(operator, alpha, dead):
    data = {"action": "resend_all", "_selected_action": [dead.pk, alpha.message.pk]}
    response = operator.post(url_of("message", "changelist"), data, follow=True)
    page = response.content.decode()
    assert "1 message is on its way again." in page
    assert "Only a message that was given up can be sent again" in page
    assert Message.objects.get(pk=dead.pk).state == "queued"


def test_who_may_only_look_sees_no_button(alpha, enter, dead):
    viewer = enter(alpha.user(Role.VIEWER))
    page = viewer.get(url_of("message", "changelist")).content.decode()
    assert "resend_all" not in page
    assert viewer.get(url_of("message", "resend", dead)).status_code == 403
    viewer.post(url_of("message", "changelist"), {"action": "resend_all", "_selected_action": [dead.pk]})
    assert Message.objects.get(pk=dead.pk).state == "dead"
