"""Who asks for a page, and what the page tells them when a rule refuses."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest

from falai_django.errors import FalaiError
from falai_django.roles import Actor

__all__ = ["actor_of", "tell_error"]

_ACTOR: Final = "_falai_actor"


def actor_of(request: HttpRequest) -> Actor:
    """Who asks; read once a request."""
    actor = getattr(request, _ACTOR, None)
    if not isinstance(actor, Actor):
        actor = Actor.of_user(request.user)
        setattr(request, _ACTOR, actor)
    return actor


def tell_error(request: HttpRequest, error: FalaiError) -> None:
    """Show the sentence of an error that a rule raised, and that of each problem that it lists."""
    for sentence in dict.fromkeys([str(error), *map(_sentence, getattr(error, "problems", ()))]):
        messages.error(request, sentence)


def _sentence(problem: Any) -> str:
    """Of a problem as `authoring` and `documents` report it, or the pair of a refused input."""
    return str(problem[1] if isinstance(problem, tuple) else problem.message)
