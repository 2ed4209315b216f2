"""The chat page and what it asks for. Answers are JSON of words: the page shows them as text, and decides nothing."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import wraps
from typing import TypeAlias

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect, ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from falai_django.content_policy import with_content_policy
from falai_django.errors import InputRefusedError
from falai_django.waiting import Outcome, Refused
from project.demo.access import for_this_machine
from project.demo.catalog import AGENTS
from project.demo.chats import Chat, agent_of, begin, chat_of, demo_agent
from project.demo.telling import state_of

__all__ = ["event", "new", "page", "say", "silence", "state", "wake"]

_MOST_CHARACTERS = 4_000
Act: TypeAlias = Callable[[HttpRequest, Chat], "str | None"]


@require_safe
@for_this_machine
@never_cache
@ensure_csrf_cookie
@with_content_policy
def page(request: HttpRequest, slug: str = AGENTS[0].slug) -> HttpResponse:
    """One page for all agents of the demo; this one is chosen."""
    demo = demo_agent(slug)
    if demo is None:
        raise Http404
    agent = agent_of(demo)
    if agent is not None:
        chat_of(request, demo, agent)  # there is one before the page asks for several things at once
    return render(request, "demo/chat.html", {"demo": demo, "agents": AGENTS, "agent": agent})


def _chat(request: HttpRequest, slug: str) -> Chat:
    demo = demo_agent(slug)
    agent = None if demo is None else agent_of(demo)
    if demo is None or agent is None or agent.active_release is None:
        raise Http404
    return chat_of(request, demo, agent)


@require_safe
@for_this_machine
@never_cache
def state(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the conversation stands."""
    return JsonResponse(state_of(_chat(request, slug)))


def _acting(act: Act) -> Callable[[HttpRequest, str], HttpResponse]:
    """A view that does something to the visitor's conversation, and answers where it stands then.

    What it did not do is told in `trouble`; the conversation goes on.
    """

    @wraps(act)
    def view(request: HttpRequest, slug: str) -> HttpResponse:
        try:
            trouble = act(request, _chat(request, slug))
        except InputRefusedError as error:
            trouble = str(error)
        return JsonResponse({**state_of(_chat(request, slug)), "trouble": trouble})

    guarded = require_POST(for_this_machine(never_cache(csrf_protect(view))))
    # A turn commits on its own.
    return transaction.non_atomic_requests(guarded)


@_acting
def say(request: HttpRequest, chat: Chat) -> str | None:
    """The customer writes: `text`, and a `key` that is the same when the page tries again."""
    text = request.POST.get("text", "")
    if len(text) > _MOST_CHARACTERS:
        return _("This message is too long. Write at most %(most)d characters.") % {"most": _MOST_CHARACTERS}
    return _trouble(chat.say(text, _key(request)))


@_acting
def event(request: HttpRequest, chat: Chat) -> str | None:
    """The event `name` happens."""
    return _trouble(chat.happen(request.POST.get("name", ""), _key(request)))


@_acting
def wake(_request: HttpRequest, chat: Chat) -> str | None:
    """The next wake happens now."""
    return None if chat.wake() else _("Nothing waits for a time.")


@_acting
def silence(request: HttpRequest, chat: Chat) -> str | None:
    """`on`: a person takes over; else they give back."""
    if request.POST.get("on") == "true":
        chat.silence()
    else:
        chat.unsilence()
    return None


@_acting
def new(request: HttpRequest, chat: Chat) -> str | None:
    """Another conversation with the same agent."""
    begin(request, chat.demo, chat.agent)
    return None


def _key(request: HttpRequest) -> str:
    return request.POST.get("key") or uuid.uuid4().hex


def _trouble(outcome: Outcome) -> str | None:
    return outcome.message if isinstance(outcome, Refused) else None
