"""A tenant with a published agent whose model is scripted, and short ways to take turns of it."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from falai_django.databases import database_now
from falai_django.faults import at_fault_point
from falai_django.inbox import message, take
from falai_django.models import Agent, Message, Release, Session, Tenant, Turn, Wake
from falai_django.releases import forget_compiled
from falai_django.rows import write_alias
from falai_django.turns.drain import Errand, drain
from falai_django.wakes import move_due_wakes
from falai_engine.testing import ScriptedProvider

__all__ = ["EXAMPLES", "PAST", "Killed", "Stage", "document"]

PAST = datetime(2020, 1, 1, tzinfo=UTC)

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def document(*flows, **parts):
    """An agent document; idle is silent unless given, so that only the flows speak."""
    parts.setdefault("idle", "silent")
    fields = parts.pop("fields", {"nome": {"type": "string"}})
    return {"specVersion": 1, "name": "Lia", "fields": fields, "flows": list(flows), **parts}


def _just_now():
    return database_now(write_alias()) - timedelta(seconds=1)


class Killed(BaseException):
    """Stands for the end of a process."""


def _kill():
    raise Killed


class Stage:
    """One tenant, one agent. `stage.says("oi")` takes a message through the door, `stage.drains()` runs the queue."""

    def __init__(self, monkeypatch, tenant="acme", **agent):
        self.provider = ScriptedProvider()
        forget_compiled()
        monkeypatch.setattr("falai_django.releases.compiled.provider_of", lambda _tenant: self.provider)
        self.tenant = Tenant.objects.create(slug=tenant, name=tenant)
        self.agent = Agent.objects.create(tenant=self.tenant, slug="lia", **agent)
        self.session_id = "5511"

    def set_agent(self, **columns):
        for name, value in columns.items():
            setattr(self.agent, name, value)
        self.agent.save()
        return self

    # -- releases

    def publish(self, given=None, *, sensitive=()):
        """Make this document the active release."""
        given = document() if given is None else given
        number = Release.objects.filter(agent=self.agent).count() + 1
        digest = hashlib.sha256(json.dumps(given).encode()).hexdigest()
        release = Release.objects.create(
            agent=self.agent,
            number=number,
            document=given,
            spec_version=1,
            digest=digest,
            sensitive=list(sensitive),
        )
        self.agent.active_release, self.agent.activated_at = release, database_now(write_alias())
        self.agent.save()
        return self

    def script(self, understand=(), speak=()):
        self.provider.script(understand, speak)
        return self

    # -- turns

    def takes(self, given, session_id=None, **how):
        return take(self.agent, session_id or self.session_id, given, **how).turn

    def says(self, text, session_id=None, *, deliver=None, release=None, **more):
        return self.takes(message(text, **more), session_id, deliver=deliver, release=release)

    def drains(self, session_id=None, errand=None):
        return drain(self.session(session_id).pk, errand)

    def answers(self, text, *, understand=(), speak=(), **more):
        """A message, and all that is due; the turn as it is then."""
        self.script(understand, speak)
        turn = self.says(text, **more)
        self.drains(more.get("session_id"))
        turn.refresh_from_db()
        return turn

    @staticmethod
    def one_turn():
        """An errand of one turn."""
        return Errand(budget_seconds=45, most_turns=1, pause=lambda seconds: None)

    def wakes_up(self, key, session_id=None):
        """A wake is due: it is moved into the inbox, and run."""
        Wake.objects.filter(session=self.session(session_id), key=key).update(due=_just_now())
        move_due_wakes()
        self.drains(session_id)

    # -- what is stored

    def session(self, session_id=None):
        return Session.objects.get(agent=self.agent, session_id=session_id or self.session_id)

    def turns(self, session_id=None):
        return list(Turn.objects.filter(session=self.session(session_id)).order_by("pk"))

    def states(self, session_id=None):
        return [(turn.kind, str(turn.state)) for turn in self.turns(session_id)]

    def transcript(self, session_id=None):
        rows = Message.objects.filter(session=self.session(session_id)).order_by("seq")
        return [(row.author, row.text) for row in rows]

    def texts(self):
        """What the agent said."""
        return [text for author, text in self.transcript() if author == "assistant"]

    def last_turn(self):
        return self.turns()[-1]

    def wakes(self):
        return {wake.key: wake.due for wake in Wake.objects.filter(session=self.session())}

    # -- what goes wrong

    def dies_at(self, name, act):
        """Do this in a process that is killed at a fault point; then its lease expires."""
        with at_fault_point(name, _kill), pytest.raises(Killed):
            act()
        self.expire()

    def expire(self):
        Session.objects.filter(lease_until__isnull=False).update(lease_until=PAST)

    def meanwhile(self, name, act):
        """Do this once, when a turn comes by a fault point."""
        done = []

        def once():
            if not done:
                done.append(True)
                act()

        return at_fault_point(name, once)

    def make_due(self):
        """What was put off may run now."""
        Turn.objects.filter(state="received", not_before__isnull=False).update(not_before=PAST)
        Session.objects.filter(due__isnull=False).update(due=PAST)
        Agent.objects.filter(paused_until__isnull=False).update(paused_until=PAST)

    def make_due_for_gathering(self):
        """Nothing came for long enough."""
        Turn.objects.filter(state="received").update(received_at=PAST)
        Session.objects.filter(due__isnull=False).update(due=PAST)

    def move(self, model, field, delta, **which):
        """Move a time of rows: the database's clock stands where it stands."""
        for row in model.objects.filter(**which):
            model.objects.filter(pk=row.pk).update(**{field: getattr(row, field) + delta})
