"""What became of an input as an answer: 200, 202 with the Turn's address, or its error (spec: host.md section 5)."""

from __future__ import annotations

import math
from typing import Any

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from falai_django.databases import database_now
from falai_django.models import Turn
from falai_django.rest.error_answers import error_body, error_response
from falai_django.rest.error_table import meaning_of
from falai_django.rows import rows, write_alias
from falai_django.waiting import Answered, Outcome, Queued, Refused

__all__ = ["address_of_turn", "answer_outcome", "prefers_async", "queued_told", "refusal_told"]


def prefers_async(request: Request) -> bool:
    """`Prefer: respond-async` (RFC 7240)."""
    preferences = request.headers.get("Prefer", "").lower().split(",")
    return any(each.partition(";")[0].strip() == "respond-async" for each in preferences)


def answer_outcome(request: Request, outcome: Outcome, session: tuple[str, str]) -> Response:
    """The answer; `session`: the slug of the agent and the id of the session."""
    if isinstance(outcome, Answered):
        return Response(outcome.response)
    if isinstance(outcome, Queued):
        response = Response(queued_told(outcome.turn), status=202)
        if prefers_async(request):
            response["Preference-Applied"] = "respond-async"
    else:
        response = _refused(outcome)
    if outcome.turn is not None:
        response["Location"] = address_of_turn(request, session, outcome.turn)
    return response


def address_of_turn(request: Request, session: tuple[str, str], turn: int) -> str:
    """Where the turn can be read, wherever the API is mounted."""
    match = request._request.resolver_match  # noqa: SLF001 - the namespace under which the site included us
    assert match is not None
    name = ":".join([*match.namespaces, "turn"])
    return reverse(name, kwargs={"agent": session[0], "session": session[1], "turn": turn})


def queued_told(turn: int) -> dict[str, Any]:
    """`{"turn": {...}}` of a turn that has not ended."""
    row = rows(Turn).filter(pk=turn).values("pk", "kind", "key", "state").first() or {}
    return {"turn": {"id": turn, "kind": row.get("kind"), "key": row.get("key"), "state": row.get("state")}}


def refusal_told(refused: Refused) -> dict[str, Any]:
    """The error of a turn, with what it has stored."""
    body = error_body(refused.code, _message(refused), refused.problems)
    return body if refused.response is None else {**body, "turn": refused.response}


def _refused(refused: Refused) -> Response:
    wait = None
    if refused.retry_at is not None:
        wait = max(1, math.ceil((refused.retry_at - database_now(write_alias())).total_seconds()))
    response = error_response(refused.code, _message(refused), refused.problems, retry_after=wait)
    if refused.response is not None:
        response.data = {**response.data, "turn": refused.response}
    return response


def _message(refused: Refused) -> str:
    """Also an agent without an off text has something to say to the program that asks."""
    return refused.message or meaning_of(refused.code)
