"""`agents/{agent}/events`, `outbox`: events to several sessions, messages for a program that sends (host.md 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from falai_django.errors import InputRefusedError
from falai_django.failures import FailureCode
from falai_django.inbox import event
from falai_django.inbox.cleaning import invalid
from falai_django.inbox.door import Accepted
from falai_django.inbox.fan_out import sessions_of_anchor, take_for_each
from falai_django.inbox.inputs import PATH_ID
from falai_django.models import Agent, Scope
from falai_django.outbox import acknowledge, payload, poll_messages
from falai_django.rest.access import caller_of
from falai_django.rest.bodies import checked_body
from falai_django.rest.error_answers import error_body
from falai_django.rest.examples import EVENT_BODY
from falai_django.rest.lookups import agent_of
from falai_django.rest.operations import PAGE, Operation, body_example
from falai_django.rest.pages import assert_parameters, limit_of
from falai_django.rest.shapes.sending import AckAnswer, AckBody, EventAnswer, EventBody, OutboxAnswer
from falai_django.rest.views import ApiView

__all__ = ["AckView", "EventsView", "OutboxView"]

_TAG: Final = "Sending"
MOST_SESSIONS: Final = 1_000
"""That one event goes to."""


class EventsView(ApiView):
    """An event that concerns several conversations."""

    scopes: ClassVar = {"POST": (Scope.TURNS,)}

    @Operation(
        "sendEvent",
        "An event to the sessions of an anchor, or to a list of them",
        tag="Turns",
        path=("agent",),
        scopes=scopes["POST"],
        body=EventBody,
        answers={202: EventAnswer},
        codes=(FailureCode.AGENT_OFF,),
        examples=(EVENT_BODY, body_example("list", {"event": "closing-early", "sessions": ["5511", "5512"]})),
        description=(
            "Each session gets a turn of its own; what the agent says leaves by its sender. "
            "`key` names the event: sent again with it, only the sessions that have not had it get it."
        ),
    )
    def post(self, request: Request, agent: str) -> Response:
        assert_parameters(request, ())
        body = checked_body(request, EventBody)
        found = agent_of(request, agent)
        given = event(body["event"], key=body.get("key"), payload=body.get("payload"), **_given_along(body))
        lines = [_line(*each) for each in take_for_each(found, _sessions(found, body), given)]
        return Response({"key": given.key, "items": lines}, status=202)


def _given_along(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: body[name] for name in ("context", "at", "hop") if body.get(name) is not None}


def _sessions(agent: Agent, body: Mapping[str, Any]) -> list[str]:
    anchor, listed = body.get("anchor"), body.get("sessions")
    if (anchor is None) == (listed is None):
        raise invalid("sessions", _("Give either `anchor` or `sessions`."))
    found = list(listed or ()) if anchor is None else sessions_of_anchor(agent, anchor["name"], anchor["key"])
    if len(found) > MOST_SESSIONS:
        raise invalid("sessions", _("An event goes to at most %(most)d sessions at once.") % {"most": MOST_SESSIONS})
    for index, each in enumerate(found):
        if not PATH_ID.fullmatch(each):
            raise invalid(f"sessions[{index}]", _("Give 1 to 128 letters, digits and . _ : @ + ~ -"))
    return list(dict.fromkeys(found))


def _line(session: str, found: Accepted | InputRefusedError) -> dict[str, Any]:
    """One that refuses is a line of its own; an agent that is off refuses all alike."""
    if isinstance(found, Accepted):
        return {"session": session, "turn": found.turn.pk, "isNew": found.is_new}
    if found.code == FailureCode.AGENT_OFF:
        raise found
    return {"session": session, **error_body(found.code, str(found), found.problems)}


class OutboxView(ApiView):
    """Messages for a program that sends."""

    scopes: ClassVar = {"GET": (Scope.TURNS,)}

    @Operation(
        "pollOutbox",
        "Fetch messages that are to be sent",
        tag=_TAG,
        scopes=scopes["GET"],
        answers={200: OutboxAnswer},
        parameters=PAGE,
        description=(
            "Of each session of agents whose sender is polled, the first message that is due. It is kept from others "
            "for a minute, and comes again under the same id when it is not acknowledged by then."
        ),
    )
    def get(self, request: Request) -> Response:
        assert_parameters(request, ("limit",))
        messages = poll_messages(caller_of(request).tenant, limit_of(request))
        return Response({"items": [payload(each) for each in messages]})


class AckView(ApiView):
    """What became of them."""

    scopes: ClassVar = {"POST": (Scope.TURNS,)}

    @Operation(
        "acknowledgeOutbox",
        "Say which messages were sent, and which never will be",
        tag=_TAG,
        scopes=scopes["POST"],
        body=AckBody,
        answers={200: AckAnswer},
        examples=(
            body_example(
                "sent",
                {
                    "sent": ["0b6c5b0a-6f0f-5d7e-9c1a-2f1b8b1c0001"],
                    "refused": {"0b6c5b0a-6f0f-5d7e-9c1a-2f1b8b1c0002": "blocked"},
                },
            ),
        ),
        description="May be repeated, and may come late.",
    )
    def post(self, request: Request) -> Response:
        assert_parameters(request, ())
        body = checked_body(request, AckBody)
        found = acknowledge(caller_of(request).tenant, body["sent"], body["refused"])
        return Response({"known": list(found.known), "unknown": list(found.unknown)})
