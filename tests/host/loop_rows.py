"""Rows for the tests of the loop and the outbox: a tenant, an agent that is on, sessions, messages, wakes.

Time is the database's: a test moves the times of rows, never a clock.
"""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from falai_django.models import Agent, Message, Release, Sender, Session, Tenant, Wake

__all__ = ["ago", "make_agent", "make_session", "make_wake", "queue", "states"]


def ago(**units):
    """A moment in the past: `ago(hours=1)`; with negative numbers, one to come."""
    return timezone.now() - timedelta(**units)


def make_agent(slug="acme", *, kind=None, document=None, **more):
    """An agent of a tenant of its own, both called by the slug, with a release and, when a kind is named, a sender."""
    tenant = Tenant.objects.create(slug=slug, name=slug.title())
    sender = kind and Sender.objects.create(tenant=tenant, name="out", kind=kind, python_name="test")
    agent = Agent.objects.create(tenant=tenant, slug=slug, sender=sender or None, **more)
    release = Release.objects.create(
        agent=agent, number=1, document=document or {"specVersion": 1}, spec_version=1, digest="0" * 64
    )
    agent.active_release = release
    agent.activated_at = ago(days=30)
    agent.save()
    return agent


def make_session(agent, name="s1", **more):
    return Session.objects.create(agent=agent, session_id=name, **more)


def make_wake(session, key="flow#k:step:1", *, due=None, **more):
    return Wake.objects.create(session=session, key=key, due=due or ago(seconds=1), **more)


def queue(session, *texts, **more):
    """Messages of the assistant that are to leave, due since a second unless told else."""
    first = Message.objects.filter(session=session).count()
    fields = {
        "direction": "out",
        "author": "assistant",
        "state": "queued",
        "due": ago(seconds=1),
        "expires_at": ago(hours=-1),
        "inbound_seq": 0,
        **more,
    }
    return [
        Message.objects.create(session=session, seq=first + number, text=text, **fields)
        for number, text in enumerate(texts, 1)
    ]


def states(session):
    """The state of each of the session's messages, by its text."""
    return dict(Message.objects.filter(session=session).order_by("seq").values_list("text", "state"))
