"""`agents/{agent}/sessions/{session}/messages`: the transcript, and what people write (spec: host.md section 5)."""

from __future__ import annotations

from typing import ClassVar, Final

from rest_framework.request import Request
from rest_framework.response import Response

from falai_django.conversations.people import write
from falai_django.failures import FailureCode
from falai_django.models import Message, Scope
from falai_django.rest.access import caller_of
from falai_django.rest.bodies import checked_body
from falai_django.rest.lookups import mask_for, session_of
from falai_django.rest.operations import ORDERED_PAGE, Operation, body_example
from falai_django.rest.pages import assert_parameters, page_of
from falai_django.rest.shapes.sessions import HumanBody, MessagePage, MessageShape
from falai_django.rest.telling import message_told
from falai_django.rest.views import ApiView
from falai_django.rows import rows

__all__ = ["MessagesView"]

_TAG: Final = "Messages"
_PATH: Final = ("agent", "session")


class MessagesView(ApiView):
    """The transcript of a conversation."""

    scopes: ClassVar = {"GET": (Scope.READ,), "POST": (Scope.TURNS,)}

    @Operation(
        "listMessages",
        "The transcript of a session",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["GET"],
        answers={200: MessagePage},
        codes=(FailureCode.ERASING,),
        parameters=ORDERED_PAGE,
    )
    def get(self, request: Request, agent: str, session: str) -> Response:
        row = session_of(request, agent, session)
        mask = mask_for(caller_of(request), row)
        found = rows(Message).filter(session=row)
        return Response(page_of(request, found, "seq", lambda message: message_told(message, mask), "oldest"))

    @Operation(
        "writeMessage",
        "A person of the team wrote",
        tag=_TAG,
        path=_PATH,
        scopes=scopes["POST"],
        body=HumanBody,
        answers={201: MessageShape},
        codes=(FailureCode.ERASING, FailureCode.KEY_REUSED, FailureCode.TOO_MANY_INPUTS),
        examples=(
            body_example("recorded and sent", {"text": "Aqui é a Bia, já te ajudo.", "send": True, "id": "desk-1"}),
        ),
        description=(
            "Records it and, with `send`, queues it for the agent's sender. The agent says nothing for as long as its "
            "settings say; what it had not sent yet is withheld."
        ),
    )
    def post(self, request: Request, agent: str, session: str) -> Response:
        assert_parameters(request, ())
        body = checked_body(request, HumanBody)
        row = session_of(request, agent, session)
        caller = caller_of(request)
        message = write(caller.actor, row, body["text"], media=body.get("media"), send=body["send"], key=body.get("id"))
        return Response(message_told(message, mask_for(caller, row)), status=201)
