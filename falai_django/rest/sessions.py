"""`agents/{agent}/sessions/{session}`: state, context, silence, close, erase; contacts (spec: host.md section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from falai_django.conversations.ending import close
from falai_django.conversations.erasing import erase, erase_contact
from falai_django.conversations.patching import patch_session
from falai_django.conversations.silence import HUMAN, give_back, take_over
from falai_django.failures import FailureCode
from falai_django.inbox.cleaning import invalid
from falai_django.models import Scope, Wake
from falai_django.rest.access import caller_of
from falai_django.rest.bodies import checked_body
from falai_django.rest.lookups import agent_of, mask_for, session_of
from falai_django.rest.operations import ASYNC, ORDERED_PAGE, Operation, body_example
from falai_django.rest.pages import assert_parameters, page_of
from falai_django.rest.shapes.sessions import (
    CloseBody,
    ContactAnswer,
    ErasingAnswer,
    SessionAnswer,
    SessionPatch,
    WakePage,
)
from falai_django.rest.shapes.turns import TurnAnswer, TurnQueuedAnswer
from falai_django.rest.telling import session_told, wake_told
from falai_django.rest.turn_answers import answer_outcome, prefers_async
from falai_django.rest.turns import TURN_FAILURES
from falai_django.rest.views import ApiView
from falai_django.rows import rows
from falai_django.waiting import Queued, bring_to_its_end, outcome_of
from falai_engine import FlowConfigurationError
from falai_engine.times import duration_ms

__all__ = ["CloseView", "ContactView", "SessionView", "WakesView"]

_TAG: Final = "Sessions"
_PATH: Final = ("agent", "session")


class SessionView(ApiView):
    """The state of a conversation."""

    scopes: ClassVar = {"GET": (Scope.READ,), "PATCH": (Scope.TURNS,), "DELETE": (Scope.ERASE,)}

    @Operation(
        "readSession",
        "The state of a session",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["GET"],
        answers={200: SessionAnswer},
        codes=(FailureCode.ERASING,),
        description="Sensitive fields, and their values in texts, are `***` without the scope `read:sensitive`.",
    )
    def get(self, request: Request, agent: str, session: str) -> Response:
        assert_parameters(request, ())
        return _state(request, agent, session)

    @Operation(
        "patchSession",
        "Change context, anchors or silence at once",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["PATCH"],
        body=SessionPatch,
        answers={200: SessionAnswer},
        codes=(FailureCode.ERASING,),
        examples=(
            body_example("context", {"context": {"crm": {"stage": "won"}}, "anchors": {"lead": "7"}}),
            body_example("a person takes over", {"silence": {"lasts": "2h", "reason": "human"}}),
            body_example("and gives back", {"silence": None}),
        ),
        description="Makes the session when there is none. A turn that runs says nothing any more once it is silenced.",
    )
    def patch(self, request: Request, agent: str, session: str) -> Response:
        assert_parameters(request, ())
        body = checked_body(request, SessionPatch)
        silence = body.get("silence")
        if silence is not None:
            _assert_duration(silence.get("lasts"))
        found = agent_of(request, agent)
        row = patch_session(found, session, context=body.get("context"), anchors=body.get("anchors"))
        row.agent = found
        if "silence" in body:
            _silence(caller_of(request).actor, row, silence)
        return _state(request, agent, session)

    @Operation(
        "eraseSession",
        "Erase a session and all of it",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["DELETE"],
        answers={204: None, 202: ErasingAnswer},
        description="202 while a turn of it runs: it is gone once that has ended, and commits nothing.",
    )
    def delete(self, request: Request, agent: str, session: str) -> Response:
        assert_parameters(request, ())
        row = session_of(request, agent, session, also_erasing=True)
        if erase(caller_of(request).actor, row):
            return Response(status=204)
        return Response({"erasing": True}, status=202)


def _state(request: Request, agent: str, session: str) -> Response:
    row = session_of(request, agent, session)
    return Response(session_told(row, mask_for(caller_of(request), row)))


def _silence(actor: Any, row: Any, silence: Mapping[str, Any] | None) -> None:
    if silence is None:
        give_back(actor, row)
    else:
        take_over(actor, row, silence.get("reason") or HUMAN, silence.get("lasts"))


def _assert_duration(lasts: str | None) -> None:
    if lasts is None:
        return
    try:
        duration_ms(lasts)
    except FlowConfigurationError as error:
        raise invalid("silence.lasts", _("It is no duration. Give one as `30m`, `2h` or `3d`.")) from error


class CloseView(ApiView):
    """Close a conversation."""

    scopes: ClassVar = {"POST": (Scope.TURNS,)}

    @Operation(
        "closeSession",
        "Close the conversation",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["POST"],
        body=CloseBody,
        answers={200: TurnAnswer, 202: TurnQueuedAnswer},
        codes=TURN_FAILURES,
        parameters=ASYNC,
        examples=(body_example("close", {}), body_example("and forget", {"clear": True})),
        description="Its runs end, a new history begins. A turn of its own in the session's queue.",
    )
    def post(self, request: Request, agent: str, session: str) -> Response:
        assert_parameters(request, ())
        body = checked_body(request, CloseBody)
        row = session_of(request, agent, session)
        turn = close(caller_of(request).actor, row, clear=body["clear"], key=body.get("key")).turn
        outcome = outcome_of(turn) or (Queued(turn.pk) if prefers_async(request) else bring_to_its_end(turn))
        return answer_outcome(request, outcome, (agent, session))


class WakesView(ApiView):
    """What is pending."""

    scopes: ClassVar = {"GET": (Scope.READ,)}

    @Operation(
        "listWakes",
        "The pending wakes of a session",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["GET"],
        answers={200: WakePage},
        codes=(FailureCode.ERASING,),
        parameters=ORDERED_PAGE,
    )
    def get(self, request: Request, agent: str, session: str) -> Response:
        row = session_of(request, agent, session)
        return Response(page_of(request, rows(Wake).filter(session=row), "pk", wake_told, "oldest"))


class ContactView(ApiView):
    """Everything about a contact."""

    scopes: ClassVar = {"DELETE": (Scope.ERASE,)}

    @Operation(
        "eraseContact",
        "Erase every session, of every agent, that is about an anchor",
        tag=_TAG,
        path=("anchor", "key"),
        scopes=scopes["DELETE"],
        answers={200: ContactAnswer, 202: ContactAnswer},
        description="202 while turns of some of them run. An anchor that nobody knows erases nothing, and is no error.",
    )
    def delete(self, request: Request, anchor: str, key: str) -> Response:
        assert_parameters(request, ())
        caller = caller_of(request)
        erased, waiting = erase_contact(caller.actor, caller.tenant, anchor, key)
        return Response({"erased": erased, "waiting": waiting}, status=202 if waiting else 200)
