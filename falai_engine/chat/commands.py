"""The commands of the chat. What is wrong with one is said with what to write; nothing happens and nothing is lost."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from falai_engine.chat.conversation import Conversation, TakenTurn
from falai_engine.chat.screen import Screen
from falai_engine.chat.words import say
from falai_engine.values import MISSING

__all__ = ["Commands", "Quit"]

_UNREADABLE: Final = object()


class Quit(Exception):  # noqa: N818 - no error: the person leaves
    """The conversation is over."""


class Commands:
    """Carries out a line of input: a command, or a message of the customer.

    `took(turn)` is called for every turn as soon as it was taken, so that what happened is known even if a later one
    is interrupted.
    """

    def __init__(
        self,
        conversation: Conversation,
        screen: Screen,
        took: Callable[[TakenTurn], None],
        *,
        events: Collection[str],
        flows: Collection[str],
    ) -> None:
        self._conversation = conversation
        self._screen = screen
        self._took = took
        self._events = events
        self._flows = flows
        self._commands: Mapping[str, Callable[[str], None]] = {
            "/wake": self._wake,
            "/event": self._event,
            "/start": self._start,
            "/silence": self._silence,
            "/context": self._context,
            "/state": self._state,
            "/help": self._help,
            "/quit": self._quit,
        }

    def carry_out(self, line: str) -> None:
        """Raises Quit when the person wants to leave."""
        text = line.strip()
        if not text:
            return
        if not text.startswith("/") or text.startswith("//"):
            self._show(self._conversation.say(text.removeprefix("/")))
            return
        name, rest = _split(text)
        command = self._commands.get(name)
        if command is None:
            self._screen.say("unknown_command", name)
        else:
            command(rest)

    def _show(self, turns: Iterable[TakenTurn]) -> None:
        for taken in turns:
            self._took(taken)
            self._screen.turn(taken, self._conversation)

    def _wake(self, rest: str) -> None:
        if rest:
            self._screen.say("takes_nothing", "/wake")
            return
        taken = self._conversation.wake()
        if taken is None:
            self._screen.say("no_wake")
        else:
            self._show([taken])

    def _event(self, rest: str) -> None:
        found = self._named("/event", rest, self._conversation.agent.compiled.events)
        if found is not None:
            self._show(self._conversation.event(*found))

    def _start(self, rest: str) -> None:
        found = self._named("/start", rest, self._conversation.agent.compiled.flows)
        if found is not None:
            self._show(self._conversation.start(*found))

    def _named(self, command: str, rest: str, names: Collection[str]) -> tuple[str, Any] | None:
        """The name and the JSON after it; None, with what to do, when one of them is wrong."""
        name, text = _split(rest)
        there_are = ", ".join(names) or say(self._screen.narrator.language, "none")
        if not name:
            self._screen.say("no_name", command, there_are)
        elif name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            self._screen.say("unknown_name", f'"{name}"', near[0] if near else there_are)
        else:
            value = self._json(text, f'{command} {name} {{"id": 7}}')
            return None if value is _UNREADABLE else (name, value)
        return None

    def _json(self, text: str, example: str) -> Any:
        if not text:
            return MISSING
        try:
            return json.loads(text, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            self._screen.say("bad_json", error, example)
            return _UNREADABLE

    def _silence(self, rest: str) -> None:
        self._conversation.silenced = rest or None
        if rest:
            self._screen.say("silenced", rest)
        else:
            self._screen.say("may_speak")

    def _context(self, rest: str) -> None:
        value = self._json(rest, '/context {"lead": {"name": "Ana"}}')
        if value is not _UNREADABLE:
            self._conversation.context = value
            self._screen.say("context_gone" if value is MISSING else "context_set")

    def _state(self, _rest: str) -> None:
        self._screen.state(self._conversation)

    def _help(self, _rest: str) -> None:
        self._screen.say("help")

    def _quit(self, _rest: str) -> None:
        raise Quit


def _split(text: str) -> tuple[str, str]:
    """The first word, and what follows."""
    first, *rest = text.split(maxsplit=1) or [""]
    return first, rest[0] if rest else ""


def _refuse(constant: str) -> None:
    """Python would read NaN and Infinity, which are no JSON."""
    raise ValueError(f"{constant} is no JSON value")
