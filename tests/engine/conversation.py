"""A conversation kept as a host keeps it: each session goes through JSON, and its version counts what was saved."""

from __future__ import annotations

import json

from falai_engine import Agent, assert_session, session_to_json
from falai_engine.spec import field_from_spec
from falai_engine.testing import FakeClock, ScriptedProvider

START = "2026-09-21T10:00:00.000Z"


def build(*, fields=None, provider=None, clock=None, **parts):
    """An agent with fields as JSON; idle is silent unless given, so that only the flows speak."""
    parts.setdefault("idle", "silent")
    read = {slug: field_from_spec(spec) for slug, spec in (fields or {}).items()}
    return Agent(provider=provider or ScriptedProvider(), clock=clock or FakeClock(START), fields=read, **parts)


class Conversation:
    """One session `s` with one agent. Each turn scripts the model and keeps what a host would save."""

    def __init__(self, *, session=None, at=START, **parts):
        self.clock = FakeClock(at)
        self.provider = ScriptedProvider()
        self.parts = parts
        self.agent = build(provider=self.provider, clock=self.clock, **parts)
        self.session = None if session is None else saved(session)

    def edit(self, **parts):
        """The agent is edited under the live session."""
        self.parts |= parts
        self.agent = build(provider=self.provider, clock=self.clock, **self.parts)

    def take(self, given, *, understand=(), speak=(), **common):
        """One turn, saved."""
        self.provider.script(understand, speak)
        result = self.agent.turn({"sessionId": "s", "session": self.session, **given, **common})
        if result.changed:
            self.session = saved({**session_to_json(result.session), "version": result.session.version + 1})
        return result

    def says(self, message, **more):
        """The customer writes."""
        parts = {name: more.pop(name) for name in ("id", "at") if name in more}
        return self.take({"message": message, **parts}, **more)

    def wakes(self, key, **more):
        """A wake is due."""
        return self.take({"wake": key}, **more)

    def hears(self, event, key, **more):
        """An event arrives."""
        parts = {name: more.pop(name) for name in ("payload", "hop") if name in more}
        return self.take({"event": event, "key": key, **parts}, **more)

    def starts(self, flow, key="k", **more):
        """The host starts a flow."""
        parts = {name: more.pop(name) for name in ("input", "hop") if name in more}
        return self.take({"start": {"flow": flow, "key": key, **parts}}, **more)

    def run(self, flow):
        """The live run of a flow, as JSON; None when there is none."""
        runs = session_to_json(self.session)["runs"]
        return next((run for run in runs if run["flowId"] == flow), None)

    @property
    def data(self):
        return self.session.data


def saved(blob):
    """A session as it comes back from a store."""
    return assert_session(json.loads(json.dumps(blob)), "s")


def texts(result):
    """The texts that go out."""
    return [message.text for message in result.messages]


def lines(result, *parts):
    """The outcome lines as tuples of some of their parts (kind, status and code unless named)."""
    return [tuple(getattr(line, part) for part in parts or ("kind", "status", "code")) for line in result.outcomes]


def codes(result):
    """The codes of the starts that were refused, with their flows."""
    return [(skip.flow_id, str(skip.code)) for skip in result.skipped]


def reasons(result):
    """The runs that ended, each with its reason."""
    return [(ended.run.id, ended.reason) for ended in result.ended]
