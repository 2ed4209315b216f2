"""The chat as a host: it keeps the session as JSON, the history and the time, and brings wakes that are due."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from falai_engine.agent import Agent
from falai_engine.chat.recording import Heard
from falai_engine.drive import drive
from falai_engine.records.results import ScheduledWake, TurnResult
from falai_engine.records.session import Session
from falai_engine.store import MemoryStore
from falai_engine.testing.clock import FakeClock
from falai_engine.times import instant, iso, moment, ms_of
from falai_engine.values import MISSING

__all__ = ["SESSION_ID", "Conversation", "TakenTurn"]

SESSION_ID: Final = "chat"
SECONDS_AN_INPUT: Final = 5
MOST_WAKES_AT_ONCE: Final = 50
"""A flow that waits no time at all would be woken for ever between two inputs."""


@dataclass(frozen=True, slots=True)
class TakenTurn:
    """One turn: `given` without session and history, the data `before` it, and its `result` or its `error`.

    After an error nothing was kept.
    """

    at: str
    given: Mapping[str, Any]
    before: Session
    history: list[dict[str, Any]]
    heard: Heard
    result: TurnResult | None = None
    error: Exception | None = None


class Conversation:
    """One session with an agent whose clock is `clock`.

    `silenced` and `context` go with every turn from now on; each input moves the clock five seconds.
    """

    def __init__(self, agent: Agent, clock: FakeClock) -> None:
        self.agent = agent
        self.clock = clock
        self.silenced: str | None = None
        self.context: Any = MISSING
        self._store = MemoryStore()
        self._history: list[dict[str, Any]] = []
        self._counts: dict[str, int] = {}
        self._fired: set[str] = set()

    @property
    def session(self) -> Session:
        """The session as stored, a fresh one before the first turn."""
        return self._store.load(SESSION_ID) or Session(SESSION_ID)

    @property
    def pending(self) -> list[ScheduledWake]:
        """The wakes still to come, the earliest first."""
        session = self._store.load(SESSION_ID)
        found = [] if session is None else self.agent.pending_wakes(session, self.context)
        return sorted((wake for wake in found if wake.key not in self._fired), key=_due)

    def say(self, text: str) -> Iterator[TakenTurn]:
        """The customer writes. As every input, it comes after the turns of the wakes that fall due before it."""
        yield from self._let_time_pass()
        yield self._take({"message": text, "id": self._new_key("message")})

    def event(self, name: str, payload: Any = MISSING) -> Iterator[TakenTurn]:
        """A registered event happens."""
        yield from self._let_time_pass()
        yield self._take(_with({"event": name, "key": self._new_key("event")}, "payload", payload))

    def start(self, flow: str, given: Any = MISSING) -> Iterator[TakenTurn]:
        """The host starts a flow."""
        yield from self._let_time_pass()
        yield self._take({"start": _with({"flow": flow, "key": self._new_key("start")}, "input", given)})

    def wake(self) -> TakenTurn | None:
        """Move to the next wake and bring it; None when nothing waits."""
        wake = next(iter(self.pending), None)
        return None if wake is None else self._bring(wake)

    def _let_time_pass(self) -> Iterator[TakenTurn]:
        until = ms_of(self.clock()) + SECONDS_AN_INPUT * 1_000
        for _ in range(MOST_WAKES_AT_ONCE):
            wake = next(iter(self.pending), None)
            if wake is None or _due(wake) > until:
                break
            yield self._bring(wake)
        self.clock.set(moment(until))

    def _bring(self, wake: ScheduledWake) -> TakenTurn:
        """The clock never goes back, whenever the wake was due."""
        self.clock.set(moment(max(_due(wake), ms_of(self.clock()))))
        taken = self._take({"wake": wake.key})
        self._fired.add(wake.key)
        if taken.result is not None:
            self._fired -= {again.key for again in taken.result.schedule}
        return taken

    def _take(self, what: Mapping[str, Any]) -> TakenTurn:
        given = {"sessionId": SESSION_ID, **what}
        if self.silenced is not None:
            given["silenced"] = self.silenced
        given = _with(given, "context", self.context)
        stored, history, heard = self._store.load(SESSION_ID), list(self._history), Heard()
        before, at = stored or Session(SESSION_ID), iso(ms_of(self.clock()))
        try:
            steps = self.agent.steps({**given, "session": stored, "history": history})
            result = drive(heard.listen(steps), self.agent.provider)
            if result.changed:
                self._store.save(result.session, result.session.version)
        except Exception as error:  # noqa: BLE001 - whatever a provider or a handler raises, the chat goes on
            return TakenTurn(at, given, before, history, heard, error=error)
        self._remember(what, result)
        return TakenTurn(at, given, before, history, heard, result)

    def _remember(self, what: Mapping[str, Any], result: TurnResult) -> None:
        if "message" in what:
            self._history.append({"role": "user", "content": what["message"]})
        self._history += [{"role": "assistant", "content": message.text} for message in result.messages]

    def _new_key(self, sort: str) -> str:
        self._counts[sort] = self._counts.get(sort, 0) + 1
        return f"{sort}-{self._counts[sort]}"


def _due(wake: ScheduledWake) -> int:
    return instant(wake.at) or 0


def _with(given: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    return {**given} if value is MISSING else {**given, key: value}
