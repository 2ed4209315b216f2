"""A fake WhatsApp, the bridge, the real API, the loop and the real outbox: a message goes all the way and back."""

from __future__ import annotations

import httpx

from falai_django.loop import tick
from falai_django.models import Message, Session, Turn
from tests.host.bridge.channel import NUMBER, text


def runs():
    while not tick(["wakes", "sessions", "outbox"]).wait_seconds:
        pass


def test_a_customer_writes_and_is_answered(joined, channel):
    assert channel.brings(joined, text("Tudo bem?")) == 200
    runs()
    assert channel.sent == [(NUMBER, "Oi! Tudo bem?")]
    assert Message.objects.get(direction="out").state == "sent"
    session = Session.objects.get()
    assert (session.session_id, session.anchors) == (f"whatsapp:{NUMBER}", {"whatsapp": NUMBER})


def test_a_webhook_that_comes_twice_is_one_turn(joined, channel):
    channel.brings(joined, text("oi"))
    runs()
    channel.brings(joined, text("oi"))
    runs()
    assert Turn.objects.count() == 1
    assert len(channel.sent) == 1


def test_several_messages_are_answered_in_order(joined, channel):
    channel.brings(joined, text("um"), text("dois", id="wamid.2"), text("três", id="wamid.3"))
    runs()
    assert [said for _, said in channel.sent] == ["Oi! um", "Oi! dois", "Oi! três"]


def test_a_customer_who_cannot_be_written_to_is_listed(joined, channel):
    channel.answers = [httpx.Response(400, json={"error": {"code": 131047}})]
    channel.brings(joined, text("oi"))
    runs()
    message = Message.objects.get(direction="out")
    assert (message.state, message.error) == ("refused", "window-closed")


def test_an_agent_that_is_off_says_so_by_the_bridge(joined, channel, site):
    agent, _ = site
    type(agent).objects.filter(pk=agent.pk).update(is_active=False)
    assert channel.brings(joined, text("oi")) == 200
    assert channel.sent == [(NUMBER, "Voltamos amanhã.")]
    assert not Turn.objects.exists()
