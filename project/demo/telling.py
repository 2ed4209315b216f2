"""Where a conversation stands, as the JSON that the chat page shows: words throughout, nothing that it must judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext as _

from falai_django.conversations.silence import HUMAN
from falai_django.models import Message, Session, Turn, Wake
from falai_django.turns.given import session_of
from falai_engine import InvalidSessionError
from falai_engine import Session as EngineSession
from falai_engine.chat.words import say
from project.demo.chats import Chat
from project.demo.models import Heard
from project.demo.words import Names, language, short, told_time

__all__ = ["state_of"]

_MESSAGES: Final = 200
_TURNS: Final = 30
_SILENCE: Final = "silence:"
_UNSAID: Final = frozenset(
    {Message.State.WITHHELD, Message.State.REFUSED, Message.State.EXPIRED, Message.State.DEAD, Message.State.QUEUED}
)
_FAILED: Final = frozenset({Turn.State.FAILED, Turn.State.DEAD, Turn.State.MISSED})


def state_of(chat: Chat) -> dict[str, Any]:
    """All that the page shows of it. `messages` are those that the customer has seen."""
    release = chat.agent.active_release
    assert release is not None
    names = Names(release.document, chat.agent.tenant.time_zone)
    row = chat.session
    told: dict[str, Any] = {"events": _events(names), "says": list(chat.demo.says), "trouble": None}
    if row is None:
        return {**told, **_NOTHING}
    session = _session(row)
    return {
        **told,
        "messages": _messages(row, names),
        "isWorking": Turn.objects.filter(session=row, state=Turn.State.RECEIVED).exists() or _is_leaving(row),
        "turns": _turns(row, names),
        "data": [] if session is None else [_pair(names.field(slug), value) for slug, value in session.data.items()],
        "runs": [] if session is None else _runs(session, names),
        "wakes": _wakes(row, session, names),
        "silence": _silence(row, names),
    }


_NOTHING: Final[Mapping[str, Any]] = {
    "messages": [],
    "isWorking": False,
    "turns": [],
    "data": [],
    "runs": [],
    "wakes": [],
    "silence": None,
}


def _session(row: Session) -> EngineSession | None:
    try:
        return session_of(row)
    except InvalidSessionError:
        return None


def _pair(label: str, value: Any) -> dict[str, str]:
    return {"label": label, "value": short(value)}


def _events(names: Names) -> list[dict[str, str]]:
    declared = names.document.get("events") or {}
    return [{"name": name, "label": _label(name), "about": names.event(name)} for name in declared]


def _label(name: str) -> str:
    """`carrinho_abandonado` as people write it."""
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def _is_leaving(row: Session) -> bool:
    return Message.objects.filter(session=row, state__in=[Message.State.QUEUED, Message.State.SENDING]).exists()


def _messages(row: Session, names: Names) -> list[dict[str, Any]]:
    said = Message.objects.filter(session=row).exclude(direction=Message.Direction.NOTICE).exclude(state__in=_UNSAID)
    return [
        {
            "id": str(each.public_id),
            "author": each.author,
            "text": each.text,
            "at": told_time(each.sent_at or each.created_at, names.zone),
        }
        for each in reversed(said.order_by("-seq")[:_MESSAGES])
    ]


# -- turns


def _turns(row: Session, names: Names) -> list[dict[str, Any]]:
    """The last ones, the newest first."""
    found = list(Turn.objects.filter(session=row).order_by("-pk")[:_TURNS])
    heard = {each.turn_id: each for each in Heard.objects.filter(turn__in=found)}
    return [_turn(turn, heard.get(turn.pk), names) for turn in found]


def _turn(turn: Turn, heard: Heard | None, names: Names) -> dict[str, Any]:
    response = turn.response if isinstance(turn.response, Mapping) else {}
    return {
        "id": turn.pk,
        "what": _what(turn),
        "at": told_time(turn.received_at, names.zone),
        "state": str(turn.get_state_display()),
        "isFailed": turn.state in _FAILED,
        "understood": None if heard is None or heard.understood is None else _understood(heard.understood, names),
        "performed": [] if heard is None else [_performed(call) for call in heard.performed.values()],
        "lines": list(names.lines(response, turn.outcomes)) or _nothing(turn),
    }


def _nothing(turn: Turn) -> list[dict[str, str]]:
    """When a turn has ended, and nothing came of it."""
    if turn.state == Turn.State.RECEIVED:
        return []
    return [{"tone": "skipped", "where": "", "text": say(language(), "nothing_came"), "more": ""}]


def _what(turn: Turn) -> str:
    given = turn.input if isinstance(turn.input, Mapping) else {}
    body = given.get(turn.kind)
    if turn.kind == Turn.Kind.MESSAGE and isinstance(body, Mapping):
        return short(body.get("text") or "")
    if turn.kind == Turn.Kind.EVENT and isinstance(body, Mapping):
        return _("Event: %(event)s") % {"event": _label(str(body.get("event")))}
    if turn.kind == Turn.Kind.WAKE:
        return _("A time has come")
    return str(turn.get_kind_display())


def _understood(kept: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """`flows` are ordered by their scores; what is not so is left to the page to show faintly."""
    flows = sorted(kept["flows"], key=lambda each: -(each["score"] or 0))
    return {
        "flows": [
            {
                "title": names.flow(each["flow"]),
                "score": each["score"] or 0,
                "isAsking": each["asking"],
            }
            for each in flows
        ],
        "mentions": [
            {
                "title": names.flow(each["flow"]),
                "holds": each["holds"],
                "more": ", ".join(f"{name}: {short(value)}" for name, value in each["extract"].items() if value),
            }
            for each in kept["mentions"]
        ],
        "branches": [{"title": each["when"], "holds": each["holds"], "more": ""} for each in kept["branches"]],
        "fields": [
            {**_pair(names.field(each["slug"]), each["value"]), "more": names.dropped(each["slug"], each["value"])}
            for each in kept["fields"]
        ],
    }


def _performed(call: Mapping[str, Any]) -> dict[str, str]:
    given = ", ".join(f"{name}: {short(value)}" for name, value in call["given"].items())
    sort = _("Tool") if call["sort"] == "tool" else _("Action")
    return {"tone": call["how"], "where": f"{sort} {call['name']}", "text": given or "–", "more": call["said"]}


# -- what goes on


def _runs(session: EngineSession, names: Names) -> list[dict[str, str]]:
    own = language()
    return [
        {
            "label": names.place(run.flow_id, run.step_id),
            "value": say(own, "status_staying" if run.staying else f"status_{run.status}"),
        }
        for run in session.runs
    ]


def _wakes(row: Session, session: EngineSession | None, names: Names) -> list[dict[str, str]]:
    now = timezone.now()
    found = Wake.objects.filter(session=row).order_by("due", "pk")
    return [{"label": _wake(wake.key, session, names), "value": names.due(wake.due, now)} for wake in found]


def _wake(key: str, session: EngineSession | None, names: Names) -> str:
    """What a wake is for: the step that waits, or the flow that a silence starts."""
    runs = [] if session is None else session.runs
    run = next((each for each in runs if each.waiting is not None and each.waiting.key == key), None)
    if run is not None and run.waiting is not None:
        place = names.place(run.flow_id, run.step_id)
        event = run.waiting.event
        return place if event is None else say(language(), "of_event", place, _label(event))
    if key.startswith(_SILENCE):
        return say(language(), "of_silence", names.flow(key.removeprefix(_SILENCE).partition(":")[0]))
    return key


def _silence(row: Session, names: Names) -> dict[str, str] | None:
    until = row.silenced_until
    if row.silenced is None or (until is not None and until <= timezone.now()):
        return None
    told = {
        "reason": _("a person took over") if row.silenced == HUMAN else row.silenced,
        "until": "–" if until is None else told_time(until, names.zone),
    }
    return {"text": _("The agent keeps silent until %(until)s: %(reason)s.") % told}
