"""What a caller reads of a turn: the TurnResult without the session, and where the conversation stands (host.md 5).

It is stored with the Turn, in the commit, and given again to every repeat of the input. Sensitive fields are masked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from falai_django.masking import masked
from falai_django.models import Message, Turn
from falai_engine import Run, Session, TurnResult, result_to_json

__all__ = ["merged_response", "response_of"]


def response_of(
    turn: Turn, state: str, result: TurnResult, messages: Sequence[Message], sensitive: Collection[str]
) -> dict[str, Any]:
    """The stored response of a turn that ends now. `messages`: the rows that leave, apology and all."""
    told = result_to_json(result)
    del told["session"], told["messages"]
    session = result.session
    response = {
        "turn": {"id": turn.pk, "kind": turn.kind, "key": turn.key, "state": state},
        "messages": [_message(each) for each in messages],
        **told,
        "data": session.data,
        "asking": _asking(session),
        "waiting": [_waiting(run) for run in session.runs if run.waiting is not None],
    }
    return masked(response, sensitive)  # type: ignore[no-any-return]


def merged_response(turn: Turn, into: Turn) -> dict[str, Any]:
    """The response of a message that was answered together with a later one."""
    own = {"id": turn.pk, "kind": turn.kind, "key": turn.key, "state": str(turn.state)}
    return {**(into.response or {}), "turn": own, "messages": [], "mergedInto": into.key}


def _message(row: Message) -> dict[str, Any]:
    told = {"id": str(row.public_id), "text": row.text, "kind": row.kind, "afterMs": row.after_ms, "key": row.key}
    more = {"media": row.media, "runId": row.run_id or None, "stepId": row.step or None}
    return {**told, **{name: value for name, value in more.items() if value is not None}}


def _asking(session: Session) -> dict[str, Any] | None:
    run = next((each for each in session.runs if each.status == "asking"), None)
    return None if run is None else _where(run)


def _waiting(run: Run) -> dict[str, Any]:
    assert run.waiting is not None
    told = {**_where(run), "kind": run.waiting.kind, "until": run.waiting.until}
    return told if run.waiting.event is None else {**told, "event": run.waiting.event}


def _where(run: Run) -> dict[str, Any]:
    return {"runId": run.id, "flowId": run.flow_id, "stepId": run.step_id}
