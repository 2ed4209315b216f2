"""A visitor's conversation with a demo agent. Which one is kept in their Django session: no id comes from outside."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest

from falai_django.conversations.patching import patch_session
from falai_django.conversations.silence import give_back, take_over
from falai_django.conversations.waking import bring_forward
from falai_django.inbox import Input, event, message
from falai_django.models import Agent, Deliver, Session
from falai_django.roles import Actor
from falai_django.turns.drain import drain
from falai_django.waiting import Outcome, turn_and_wait
from falai_django.wakes import move_due_wakes
from project.demo.catalog import AGENTS, DemoAgent

__all__ = ["Chat", "agent_of", "begin", "chat_of", "demo_agent"]

_KEY: Final = "demo_chats"
_ACTOR: Final = Actor.command("demo chat")
_SILENCE: Final = "2h"


@dataclass(frozen=True, slots=True)
class Chat:
    """`agent` is the row, with its tenant and active release; `session_id` the conversation's."""

    demo: DemoAgent
    agent: Agent
    session_id: str

    @property
    def session(self) -> Session | None:
        """None before anything happened."""
        found = Session.objects.filter(agent=self.agent, session_id=self.session_id)
        session: Session | None = found.select_related("agent__tenant").first()
        return session

    def say(self, text: str, key: str) -> Outcome:
        """The customer writes; the answer comes with the response."""
        return turn_and_wait(self.agent, self.session_id, message(text, id=key), deliver=Deliver.RESPONSE)

    def happen(self, name: str, key: str) -> Outcome:
        """An event happens; what is said leaves by the sender. By its own one the team gives the conversation back."""
        if name == self.demo.returning and self.session is not None:
            give_back(_ACTOR, self._row())
        given: Input = event(name, key=key, payload=self.demo.payloads.get(name))
        return turn_and_wait(self.agent, self.session_id, given, deliver=Deliver.SENDER)

    def wake(self) -> bool:
        """What would come next by itself comes now; False when nothing would."""
        session = self.session
        if session is None or bring_forward(_ACTOR, session) is None:
            return False
        # The loop would do it a moment later.
        move_due_wakes()
        drain(session.pk)
        return True

    def silence(self) -> None:
        """A person takes over."""
        take_over(_ACTOR, self._row(), lasts=_SILENCE)

    def unsilence(self) -> None:
        """And gives back."""
        give_back(_ACTOR, self._row())

    def _row(self) -> Session:
        patch_session(self.agent, self.session_id)  # there is one from now on
        session = self.session
        assert session is not None
        return session


def demo_agent(slug: str) -> DemoAgent | None:
    """By its slug."""
    return next((each for each in AGENTS if each.slug == slug), None)


def agent_of(demo: DemoAgent) -> Agent | None:
    """Its row; None when the demo was not made, or somebody deleted it."""
    found = Agent.objects.filter(tenant__slug=demo.tenant, slug=demo.slug)
    agent: Agent | None = found.select_related("tenant", "active_release").first()
    return agent


def chat_of(request: HttpRequest, demo: DemoAgent, agent: Agent) -> Chat:
    """The visitor's conversation with this agent, begun when they have none."""
    chats: dict[str, str] = request.session.get(_KEY, {})
    return Chat(demo, agent, chats[demo.slug]) if demo.slug in chats else begin(request, demo, agent)


def begin(request: HttpRequest, demo: DemoAgent, agent: Agent) -> Chat:
    """A new conversation; the one before it stays in the admin."""
    chats: Any = request.session.get(_KEY, {})
    request.session[_KEY] = {**chats, demo.slug: f"demo-{secrets.token_hex(8)}"}
    return Chat(demo, agent, request.session[_KEY][demo.slug])
