"""What is shown: the messages, and beside them, dimmed in a terminal, what the turn did."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from falai_engine.chat.conversation import Conversation, TakenTurn
from falai_engine.chat.sentences import Narrator, span
from falai_engine.chat.words import say
from falai_engine.records.results import OutgoingMessage, TurnResult
from falai_engine.times import ms_of

__all__ = ["Screen"]

_DIM: Final = "\x1b[2m{0}\x1b[0m"


def _is_dimmed() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


@dataclass(slots=True)
class Screen:
    """Prints for one conversation; `name` is what the agent is called."""

    narrator: Narrator
    name: str
    dimmed: bool = field(default_factory=_is_dimmed)
    _announced: set[tuple[str, str]] = field(default_factory=set)

    def say(self, key: str, *values: object) -> None:
        """A sentence of the chat's own."""
        self.note(say(self.narrator.language, key, *values))

    def note(self, text: str, indent: str = "") -> None:
        """Something that is not said to the customer."""
        for line in text.splitlines():
            print(_DIM.format(f"{indent}{line}") if self.dimmed else f"{indent}{line}", flush=True)

    def stand_in(self, sort: str, name: str) -> None:
        """A name that nobody registered was used; said once."""
        if (sort, name) not in self._announced:
            self._announced.add((sort, name))
            self.say(f"stand_in_{sort}", name)

    def turn(self, taken: TakenTurn, conversation: Conversation) -> None:
        """Everything that came of a turn."""
        if "wake" in taken.given:
            self.say(
                "clock", f"{self.narrator.time(taken.at)} {self.narrator.wake_name(taken.given['wake'], taken.before)}"
            )
        if taken.result is None:
            self.say("turn_failed", taken.error)
            return
        self._messages(taken.result.messages)
        lines = list(self._lines(taken, taken.result))
        if not taken.result.messages and ("message" in taken.given or not lines):
            self.say("nothing_said" if "message" in taken.given else "nothing_came")
        for line in lines:
            self.note(line, "  · ")
        session, pending = conversation.session, conversation.pending
        waits = self.narrator.waits(pending, session, ms_of(conversation.clock()))
        if waits is not None:
            self.note(waits, "  · ")

    def _messages(self, messages: Iterable[OutgoingMessage]) -> None:
        language = self.narrator.language
        for message in messages:
            if message.after_ms:
                self.say("after", span(message.after_ms))
            media = message.media.get("slug", "?") if message.media else None
            told = f" {say(language, 'media', media)}" if media else ""
            print(f"{self.name}: {message.text}{told}", flush=True)

    def _lines(self, taken: TakenTurn, result: TurnResult) -> Iterator[str]:
        tell = self.narrator
        yield from map(tell.started, result.started)
        yield from map(tell.performed, taken.heard.performed)
        yield from map(tell.outcome, result.outcomes)
        yield from map(tell.skipped, result.skipped)
        yield from map(tell.ended, result.ended)
        changes = tell.changes(taken.before.data, result.session.data)
        if changes is not None:
            yield changes

    def state(self, conversation: Conversation) -> None:
        """The whole state of the conversation."""
        tell, session, now = self.narrator, conversation.session, conversation.clock()
        self.say("state_time", tell.time(now.isoformat()))
        if conversation.silenced is not None:
            self.say("state_silenced", conversation.silenced)
        claims = (f"{key} {tell.time(at)}" for key, at in session.claims.items())
        parts = {
            "state_runs": map(tell.run, session.runs),
            "state_data": (tell.value(slug, value) for slug, value in session.data.items()),
            "state_claims": claims,
            "state_wakes": tell.wakes(conversation.pending, session, ms_of(now)),
        }
        for heading, lines in parts.items():
            self.say(heading)
            for line in list(lines) or [say(tell.language, "state_none")]:
                self.note(line, "  ")
