"""What the door takes: one thing that happened, and what its caller gives along (spec: host.md sections 3 and 5).

`read_input` reads the JSON of a request, the other functions make an input in Python. All of them clean it, and raise
InputRefusedError with the code `invalid-input` when it is none.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.conf import settings
from falai_django.inbox.cleaning import cleaned, invalid
from falai_django.models import Turn
from falai_engine.times import instant

__all__ = [
    "MOST_KEY",
    "PATH_ID",
    "Input",
    "checked_anchors",
    "checked_context",
    "close",
    "end",
    "event",
    "human",
    "message",
    "read_input",
    "set_values",
    "start",
]

MOST_KEY: Final = 255
"""Characters of a key from outside: those that the engine makes of it hold it whole."""
PATH_ID: Final = re.compile(r"[A-Za-z0-9._:@+~-]{1,128}")
"""What sessions and anchors may be called: it stands in paths."""
MOST_HISTORY: Final = 200
Kind = Turn.Kind


@dataclass(frozen=True, slots=True)
class Input:
    """One input, cleaned. `what` is what happened, the same for every repeat of it; `key` names it, made if not given.

    `given` holds what the caller gives for this turn alone, by the names of engine.md section 2: `context`, `history`,
    `silenced`, `at`, `hop`, and `anchors` (`{name: key}`), which the session keeps.
    """

    kind: Kind
    what: Mapping[str, Any]
    key: str
    given: Mapping[str, Any] = field(default_factory=dict)

    def stored(self) -> dict[str, Any]:
        """As it lies in `Turn.input`."""
        return {str(self.kind): dict(self.what), **self.given}


def message(text: str = "", *, id: str | None = None, media: Any = None, reply: Any = None, **given: Any) -> Input:
    """The customer wrote. Media without a text is told to the model by a placeholder."""
    return _input(Kind.MESSAGE, _present(text=text, media=media, reply=reply), id, given)


def event(name: str, *, key: str | None = None, payload: Any = None, **given: Any) -> Input:
    """A registered event happened."""
    return _input(Kind.EVENT, _present(event=name, payload=payload), key, given)


def start(flow: str, *, key: str | None = None, input: Any = None, **given: Any) -> Input:
    """A flow is to start."""
    return _input(Kind.START, _present(flow=flow, input=input), key, given)


def set_values(
    *,
    data: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    key: str | None = None,
    **given: Any,
) -> Input:
    """Declared fields and variables, and metadata, are to have these values; null takes one away.

    `given` may hold `context` and `anchors`, which the session keeps; nothing is said, so that the rest has no meaning.
    """
    for name in given:
        if name not in ("context", "anchors"):
            raise invalid(name, _("A set takes no turn of the agent's. Take this away."))
    return _input(Kind.SET, _present(data=data, metadata=metadata), key, given)


def human(at: str, *, key: str | None = None) -> Input:
    """A person of the team wrote; `conversations.people.write` records what, this is for the session's blob alone."""
    return _input(Kind.HUMAN, {"at": at}, key, {})


def end(run: str, code: str, *, key: str | None = None) -> Input:
    """A live run is to end, as skipped with this code."""
    return _input(Kind.END, {"run": run, "code": code}, key, {})


def close(*, clear: bool = False, key: str | None = None) -> Input:
    """The conversation is closed: its runs end, a new history begins; `clear`: its data goes, too."""
    return _input(Kind.CLOSE, {"clear": clear}, key, {})


def read_input(payload: Any) -> Input:
    """The JSON of a request: exactly one of message, event, start, set, and what is given along."""
    if not isinstance(payload, Mapping):
        raise invalid("", _("It is no object. Send one with message, event, start or set."))
    named = [name for name in _READERS if payload.get(name) is not None]
    if len(named) != 1:
        raise invalid("", _("It holds %(count)d of message, event, start and set. Send one.") % {"count": len(named)})
    strange = sorted(set(map(str, payload)) - set(_READERS) - set(_GIVEN) - set(_MISPLACED))
    if strange:
        raise invalid(strange[0], _("There is no such part. Take it away."))
    for name, tell in _MISPLACED.items():
        if payload.get(name) is not None and (why := tell().get(named[0])):
            raise invalid(name, why)
    given = {name: payload[name] for name in _GIVEN if payload.get(name) is not None}
    return _READERS[named[0]](payload, given)


_MISPLACED: Final[Mapping[str, Callable[[], Mapping[str, str]]]] = {
    "key": lambda: {
        "message": _("A message is named by `message.id`. Give that, or take the key away."),
        "start": _("A start is named by `start.key`. Give that, or take the key away."),
    },
    "payload": lambda: dict.fromkeys(
        ("message", "start", "set"), _("Only an event has a payload. Take it away, or give it as the input of a start.")
    ),
}
"""Parts of some inputs that would do nothing beside another: a repeat would not be known, or something be lost."""


def _read_message(payload: Mapping[str, Any], given: dict[str, Any]) -> Input:
    body = payload["message"]
    if isinstance(body, str):
        body = {"text": body}
    parts = _parts(body, "message", ("text", "media", "reply", "id", "at"))
    if parts.get("at") is not None:
        given = {**given, "at": parts["at"]}
    what = {name: parts[name] for name in ("text", "media", "reply") if parts.get(name) is not None}
    return _input(Kind.MESSAGE, what, parts.get("id"), given)


def _read_event(payload: Mapping[str, Any], given: dict[str, Any]) -> Input:
    return _input(
        Kind.EVENT, _present(event=payload["event"], payload=payload.get("payload")), payload.get("key"), given
    )


def _read_start(payload: Mapping[str, Any], given: dict[str, Any]) -> Input:
    parts = _parts(payload["start"], "start", ("flow", "input", "key", "hop"))
    if parts.get("hop") is not None:
        given = {**given, "hop": parts["hop"]}
    return _input(Kind.START, _present(flow=parts.get("flow"), input=parts.get("input")), parts.get("key"), given)


def _read_set(payload: Mapping[str, Any], given: dict[str, Any]) -> Input:
    parts = _parts(payload["set"], "set", ("data", "metadata", "key"))
    key = parts.get("key") or payload.get("key")
    return set_values(data=parts.get("data"), metadata=parts.get("metadata"), key=key, **given)


_READERS: Final[Mapping[str, Callable[[Mapping[str, Any], dict[str, Any]], Input]]] = {
    "message": _read_message,
    "event": _read_event,
    "start": _read_start,
    "set": _read_set,
}


def _parts(body: Any, path: str, names: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        raise invalid(path, _("It is no object. Send one with %(names)s.") % {"names": ", ".join(names)})
    for name in body:
        if name not in names:
            raise invalid(f"{path}.{name}", _("There is no such part. Take it away."))
    return body


# -- checks


def _present(**parts: Any) -> dict[str, Any]:
    return {name: value for name, value in parts.items() if value is not None}


def _input(kind: Kind, what: dict[str, Any], key: Any, given: Mapping[str, Any]) -> Input:
    clean = cleaned({"what": what, "given": dict(given)}, str(kind))
    for name, check in _WHAT[kind].items():
        if name in clean["what"] or name in _NEEDED[kind]:
            check(f"{kind}.{name}", clean["what"].get(name))
    if kind == Kind.MESSAGE:
        _check_message(clean["what"])
    for name, value in clean["given"].items():
        if name not in _GIVEN:
            raise invalid(name, _("There is no such part. Take it away."))
        _GIVEN[name](name, value)
    return Input(kind, clean["what"], _key(kind, key), clean["given"])


def _key(kind: Kind, key: Any) -> str:
    """One that names this input for ever: a repeat with it is the same input."""
    if key is None:
        return uuid.uuid4().hex
    path = "message.id" if kind == Kind.MESSAGE else "key"
    if not isinstance(key, str) or not key.strip() or not key.isprintable() or len(key) > MOST_KEY:
        raise invalid(path, _("Give text of 1 to %(most)d printable characters, or leave it out.") % {"most": MOST_KEY})
    return key


def _text(path: str, value: Any) -> None:
    if not isinstance(value, str) or not value:
        raise invalid(path, _("It is no text. Give some."))


def _any_text(path: str, value: Any) -> None:
    if not isinstance(value, str):
        raise invalid(path, _("It is no text. Give some, or leave it out."))


def _object(path: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise invalid(path, _("It is no object. Give one, or leave it out."))


def _whatever(_path: str, _value: Any) -> None:
    """Any JSON."""


def _flag(path: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise invalid(path, _("It is no boolean. Give true or false."))


def _time(path: str, value: Any) -> None:
    if instant(value) is None:
        raise invalid(path, _("It is no time. Give ISO 8601, as 2026-09-21T10:00:00Z, or leave it out."))


def _hop(path: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise invalid(path, _("It is no whole number from 0. Give the hop of the run that caused this."))


def _silenced(path: str, value: Any) -> None:
    if isinstance(value, str) or (isinstance(value, Mapping) and isinstance(value.get("reason"), str)):
        return
    raise invalid(path, _("It is neither text nor {reason, understand?}. Give one of them, or leave it out."))


def _history(path: str, value: Any) -> None:
    if not isinstance(value, list) or len(value) > MOST_HISTORY:
        raise invalid(path, _("It is no list of at most %(most)d items.") % {"most": MOST_HISTORY})
    for index, item in enumerate(value):
        sound = isinstance(item, Mapping) and isinstance(item.get("content"), str)
        if not sound or item.get("role") not in ("user", "assistant") or set(item) - {"role", "content"}:
            raise invalid(f"{path}[{index}]", _("Give {role, content} with the role user or assistant."))


def _anchors(path: str, value: Any) -> None:
    _object(path, value)
    for name, key in value.items():
        if not PATH_ID.fullmatch(name) or len(name) > 64:  # noqa: PLR2004 - Anchor.name
            raise invalid(f"{path}.{name}", _("It is no name of an anchor. Use letters, digits and . _ : @ + ~ -"))
        if key is not None and not (isinstance(key, str) and PATH_ID.fullmatch(key)):
            raise invalid(f"{path}.{name}", _("Give a key of 1 to 128 letters, digits and . _ : @ + ~ -, or null."))


def _check_message(what: dict[str, Any]) -> None:
    text, most = what.get("text", ""), settings().message_characters
    if len(text) > most:
        raise invalid("message.text", _("It is longer than %(most)d characters. Send less.") % {"most": most})
    if not text.strip() and not what.get("media"):
        raise invalid("message.text", _("The message holds neither text nor media. Give some."))


Check = Callable[[str, Any], None]
_WHAT: Final[Mapping[Kind, Mapping[str, Check]]] = {
    Kind.MESSAGE: {"text": _any_text, "media": _whatever, "reply": _whatever},
    Kind.EVENT: {"event": _text, "payload": _whatever},
    Kind.START: {"flow": _text, "input": _whatever},
    Kind.SET: {"data": _object, "metadata": _object},
    Kind.HUMAN: {"at": _time},
    Kind.END: {"run": _text, "code": _text},
    Kind.CLOSE: {"clear": _flag},
}
_NEEDED: Final[Mapping[Kind, frozenset[str]]] = {
    Kind.MESSAGE: frozenset(),
    Kind.EVENT: frozenset({"event"}),
    Kind.START: frozenset({"flow"}),
    Kind.SET: frozenset(),
    Kind.HUMAN: frozenset({"at"}),
    Kind.END: frozenset({"run", "code"}),
    Kind.CLOSE: frozenset({"clear"}),
}
_GIVEN: Final[Mapping[str, Check]] = {
    "context": _object,
    "history": _history,
    "silenced": _silenced,
    "anchors": _anchors,
    "at": _time,
    "hop": _hop,
}


def checked_context(context: Any) -> Any:
    """A context's patch as it is. InputRefusedError when it is none."""
    _object("context", context)
    return context


def checked_anchors(anchors: Any) -> Any:
    """A patch of anchors as it is. InputRefusedError when a name or key is none."""
    _anchors("anchors", anchors)
    return anchors
