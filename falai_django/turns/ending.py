"""All that a turn leaves behind, worked out before the commit writes it (spec: host.md section 3)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from falai_django.built_in_actions import Effect, HandOff, Notice
from falai_django.inbox.cleaning import cleaned_text
from falai_django.models import Deliver, Message, Turn
from falai_django.outbox.queue import leaving
from falai_django.prepared import new
from falai_django.receipts import Receipts
from falai_django.turns.claims import ClaimChanges
from falai_django.turns.picking import Picked
from falai_django.turns.wakes import WakeChanges
from falai_engine import Session, TurnResult

__all__ = ["APOLOGY", "SPEAKING_KINDS", "Ending", "messages_of", "public_id"]

Kind = Turn.Kind
APOLOGY: Final = "apology"
SPEAKING_KINDS: Final = frozenset({Kind.WAKE, Kind.EVENT, Kind.START})
"""Those whose result a message from the customer makes void."""
_IDS: Final = uuid.UUID("0d4c8a53-6d0c-5e0e-9a55-6f5a3d1e7a10")


@dataclass(slots=True)
class Ending:
    """What the commit of a turn writes. `before` and `result.session`: the engine's session, before and after."""

    picked: Picked
    state: str
    now: datetime
    before: Session | None
    result: TurnResult
    wakes: WakeChanges = field(default_factory=WakeChanges)
    claims: ClaimChanges = field(default_factory=ClaimChanges)
    effects: Sequence[Effect] = ()
    receipts: Receipts | None = None
    release: int | None = None
    sensitive: Collection[str] = frozenset()
    message: Mapping[str, Any] | None = None
    apologizes: bool = False
    opens_epoch: bool = False
    error: str = ""
    error_detail: str = ""
    response: Mapping[str, Any] | None = None
    """As it was stored, once it was."""

    @property
    def handed_off(self) -> HandOff | None:
        """The last one counts."""
        return next((each for each in reversed(self.effects) if isinstance(each, HandOff)), None)

    @property
    def speaks(self) -> bool:
        return bool(self.result.messages)

    @property
    def tokens(self) -> int:
        usage = self.result.usage
        return 0 if usage is None else usage.prompt_tokens + usage.completion_tokens


def public_id(turn: Turn, key: str) -> uuid.UUID:
    """Under which a message leaves for ever: of session, turn and key."""
    return uuid.uuid5(_IDS, f"{turn.session_id}:{turn.pk}:{key}")


def messages_of(ending: Ending) -> list[Message]:
    """The rows of what was said in this turn, numbered: the customer's, the agent's, notices to the team."""
    picked = ending.picked
    said = [*_heard(picked), *_spoken(ending), *_notices(ending)]
    for seq, message in enumerate(said, picked.session.next_seq):
        message.seq = seq
    return said


def _message(picked: Picked, turn: Turn, **columns: Any) -> Message:
    of_turn = {"session_id": picked.session.pk, "epoch": picked.session.epoch, "turn_id": turn.pk}
    return new(Message, {**of_turn, "public_id": None, **columns})


def _heard(picked: Picked) -> list[Message]:
    """What the customer wrote; a turn that ended once already has left it in the transcript then."""
    if picked.turn.kind != Kind.MESSAGE or picked.turn.ended_at is not None:
        return []
    return [
        _message(
            picked,
            each,
            direction=Message.Direction.IN,
            author=Message.Author.CUSTOMER,
            text=each.input["message"].get("text", ""),
            media=each.input["message"].get("media"),
            key=each.key,
            public_id=public_id(each, "in"),
            created_at=each.received_at,
        )
        for each in picked.group
    ]


def _spoken(ending: Ending) -> list[Message]:
    said = [
        _leaving(
            ending, each.text, each.kind, each.key, each.after_ms, media=each.media, run=each.run_id, step=each.step_id
        )
        for each in ending.result.messages
    ]
    if ending.apologizes:
        said.append(_leaving(ending, ending.picked.session.agent.apology, "verbatim", APOLOGY, 0))
    _part_same_keys(said, ending.picked.turn)
    behind_ms = 0
    for message in said:
        _queue(ending, message, behind_ms)
        behind_ms += message.after_ms
    return said


def _part_same_keys(said: Sequence[Message], turn: Turn) -> None:
    """No two messages of a turn under one id."""
    met: dict[str, int] = {}
    for message in said:
        met[message.key] = met.get(message.key, 0) + 1
        name = message.key if met[message.key] == 1 else f"{message.key}#{met[message.key]}"
        message.public_id = public_id(turn, name)


def _leaving(
    ending: Ending,
    text: str,
    kind: str,
    key: str,
    after_ms: int,
    *,
    media: Any = None,
    run: Any = None,
    step: Any = None,
) -> Message:
    return _message(
        ending.picked,
        ending.picked.turn,
        direction=Message.Direction.OUT,
        author=Message.Author.ASSISTANT,
        text=cleaned_text(text),
        kind=kind,
        media=media,
        key=key,
        run_id=run or "",
        step=step or "",
        after_ms=after_ms,
        created_at=_commits_at(ending),
    )


def _queue(ending: Ending, message: Message, behind_ms: int) -> None:
    """Those for the sender wait to leave; those in a response have left with it."""
    if ending.picked.turn.deliver == Deliver.SENDER:
        for name, value in _leaving_fields(ending, message.after_ms, behind_ms).items():
            setattr(message, name, value)


def _leaving_fields(ending: Ending, after_ms: int = 0, behind_ms: int = 0) -> dict[str, Any]:
    return leaving(_commits_at(ending), ending.picked.session.inbound_seq, after_ms=after_ms, behind_ms=behind_ms)


def _notices(ending: Ending) -> list[Message]:
    return [
        _message(
            ending.picked,
            ending.picked.turn,
            direction=Message.Direction.NOTICE,
            author=Message.Author.ASSISTANT,
            text=cleaned_text(each.text),
            recipient=cleaned_text(each.to)[:200],
            key=each.key,
            public_id=public_id(ending.picked.turn, f"notice:{each.key}"),
            created_at=_commits_at(ending),
            **_leaving_fields(ending),
        )
        for each in ending.effects
        if isinstance(each, Notice)
    ]


def _commits_at(ending: Ending) -> datetime:
    """The database's time of the commit: as it was read, and what has passed here since."""
    passed = time.monotonic() - ending.picked.looked
    now: datetime = ending.picked.session.now
    return now + timedelta(seconds=passed)
