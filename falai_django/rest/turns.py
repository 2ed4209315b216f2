"""`agents/{agent}/sessions/{session}/turns`: taking turns, and their log (spec: host.md section 5)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from falai_django.failures import FailureCode
from falai_django.inbox import Accepted, Input, read_input, take
from falai_django.inbox.cleaning import invalid
from falai_django.journal import note
from falai_django.models import Deliver, Scope, Turn
from falai_django.rest.access import caller_of, require_scope
from falai_django.rest.bodies import assert_known, read_json
from falai_django.rest.error_answers import error_body
from falai_django.rest.error_table import row_for
from falai_django.rest.examples import TURN_ANSWER, TURN_BODIES, TURN_EVENTS
from falai_django.rest.lookups import agent_of, mask_for, session_of, turn_of
from falai_django.rest.operations import ASYNC, ORDERED_PAGE, Operation
from falai_django.rest.pages import assert_parameters, page_of
from falai_django.rest.shapes.turns import TurnAnswer, TurnBody, TurnPage, TurnQueuedAnswer, TurnShape
from falai_django.rest.streams import MEDIA_TYPE, Event, Tell, stream_of, wants_stream
from falai_django.rest.telling import turn_told, turn_told_in_full
from falai_django.rest.turn_answers import (
    address_of_turn,
    answer_outcome,
    prefers_async,
    queued_told,
    refusal_told,
)
from falai_django.rest.views import ApiView
from falai_django.rows import rows
from falai_django.waiting import Answered, Outcome, Queued, bring_to_its_end, outcome_of, turn_and_wait
from falai_engine import Reset, StreamItem

__all__ = ["TURN_FAILURES", "TurnView", "TurnsView"]

_TAG: Final = "Turns"
_PATH: Final = ("agent", "session")
TURN_FAILURES: Final = tuple(FailureCode)
"""All that a turn may answer with."""
_OWN_PARTS: Final = ("deliver", "release")
"""Of a body: how to take the input; the rest is the input."""


class TurnsView(ApiView):
    """Take a turn, or read the log."""

    scopes: ClassVar = {"POST": (Scope.TURNS,), "GET": (Scope.READ,)}

    @Operation(
        "takeTurn",
        "Take a turn",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["POST"],
        body=TurnBody,
        answers={(200, "application/json"): TurnAnswer, (200, MEDIA_TYPE): OpenApiTypes.STR, 202: TurnQueuedAnswer},
        codes=TURN_FAILURES,
        parameters=ASYNC,
        examples=(*TURN_BODIES, TURN_ANSWER, TURN_EVENTS),
        description=(
            "Takes one input and answers with the turn's result. An input whose id or key was there before joins its "
            "turn and gets the same answer. It answers 202 with `Location` when the turn takes too long, when many "
            "wait already, or at once with `Prefer: respond-async`. A 503 with a `Location` is accepted, and runs "
            "again by itself.\n\nWith `Accept: text/event-stream` it answers with events: `delta` {text}, `reset` "
            "(forget what you showed), `message` (each as in the result), then one `result` or `error`. The turn goes "
            "on when the client leaves. A `result` whose state is `received` has not ended: its `location` tells."
        ),
    )
    def post(self, request: Request, agent: str, session: str) -> HttpResponseBase:
        assert_parameters(request, ())
        caller = caller_of(request)
        payload = read_json(request)
        assert_known(payload, TurnBody)
        given, how = _read(payload)
        if how["release"] is not None:
            require_scope(caller, Scope.AUTHOR)
        row = agent_of(request, agent)
        if wants_stream(request):
            return _streamed(request, row, session, given, how)
        outcome = turn_and_wait(row, session, given, **how, wait=not prefers_async(request))
        return answer_outcome(request, outcome, (agent, session))

    @Operation(
        "listTurns",
        "The log of a session's turns",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["GET"],
        answers={200: TurnPage},
        codes=(FailureCode.ERASING,),
        parameters=ORDERED_PAGE,
    )
    def get(self, request: Request, agent: str, session: str) -> Response:
        row = session_of(request, agent, session)
        mask = mask_for(caller_of(request), row)
        unread = ("input", "response", "error_detail", "release__document", "release__note")
        found = rows(Turn).filter(session=row).select_related("release").defer(*unread)
        return Response(page_of(request, found, "pk", lambda turn: turn_told(turn, mask)))


class TurnView(ApiView):
    """One turn."""

    scopes: ClassVar = {"GET": (Scope.READ, Scope.TURNS)}

    @Operation(
        "readTurn",
        "The state of a turn and, once it has ended, its response",
        tag=_TAG,
        path=(*_PATH, "turn"),
        scopes=scopes["GET"],
        answers={200: TurnShape},
        codes=(FailureCode.ERASING,),
    )
    def get(self, request: Request, agent: str, session: str, turn: int) -> Response:
        assert_parameters(request, ())
        row = session_of(request, agent, session)
        found = turn_of(row, turn)
        return Response(turn_told_in_full(found, mask_for(caller_of(request), row)))


def _read(payload: Mapping[str, Any]) -> tuple[Input, dict[str, Any]]:
    """The input, and how it is to be taken."""
    given = read_input({name: part for name, part in payload.items() if name not in _OWN_PARTS})
    deliver, release = payload.get("deliver"), payload.get("release")
    if deliver is not None and deliver not in Deliver.values:
        raise invalid("deliver", _("Give `response` or `sender`, or leave it out."))
    is_number = isinstance(release, int) and not isinstance(release, bool)
    if release is not None and not is_number and not isinstance(release, str):
        raise invalid("release", _("Give the number of a release, or `draft`, or leave it out."))
    return given, {"deliver": deliver, "release": release}


# -- streams


def _streamed(request: Request, agent: Any, session: str, given: Input, how: Mapping[str, Any]) -> HttpResponseBase:
    """What the door refuses is an answer as any other; from then on there are events."""
    waits = not prefers_async(request)
    accepted = take(agent, session, given, **how, is_awaited=waits)
    turn = accepted.turn
    location = address_of_turn(request, (agent.slug, session), turn.pk)

    def run(tell: Tell) -> None:
        try:
            _tell_outcome(tell, _ended(accepted, tell, waits=waits), location)
        except Exception as error:  # noqa: BLE001 - a thread has nobody above it; the turn itself is safe in its row
            row = row_for(error)
            note("request.failed", logging.ERROR, error=error, code=str(row.code), turn=turn.pk)
            tell(Event("error", error_body(row.code, str(row.meaning)), is_last=True))

    return stream_of(request._request, run)  # noqa: SLF001 - how it came in decides how it goes out


def _ended(accepted: Accepted, tell: Tell, *, waits: bool) -> Outcome:
    turn = accepted.turn
    found = outcome_of(turn)
    if found is not None:
        return found
    return bring_to_its_end(turn, _watching(tell), held=accepted.held) if waits else Queued(turn.pk)


def _watching(tell: Tell) -> Any:
    def watch(item: StreamItem) -> None:
        if isinstance(item, str):
            tell(Event("delta", {"text": item}))
        elif isinstance(item, Reset):
            tell(Event("reset", {}))

    return watch


def _tell_outcome(tell: Tell, outcome: Outcome, location: str) -> None:
    if isinstance(outcome, Answered):
        for message in outcome.response.get("messages", ()):
            tell(Event("message", message))
        tell(Event("result", outcome.response, is_last=True))
    elif isinstance(outcome, Queued):
        tell(Event("result", {**queued_told(outcome.turn), "location": location}, is_last=True))
    else:
        tell(Event("error", refusal_told(outcome), is_last=True))
