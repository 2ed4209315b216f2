"""What a caller reads of a turn: the TurnResult without the session, and where the conversation stands (host.md 5).

It is stored with the Turn, in the commit, and given again to every repeat of the input. Sensitive fields are masked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from falai_django.masking import masked
from falai_django.models import Message, Turn
from falai_engine import Run, Session, TurnResult, result_to_json

__all__ = ["merged_response", "response_of"]

_SEARCHED: Final = ("outcomes", "ended")
_FREE: Final = ("detail", "input", "payload")
"""Of an outcome, a run, a trigger: what others wrote."""


def response_of(
    turn: Turn,
    state: str,
    result: TurnResult,
    messages: Sequence[Message],
    sensitive: Collection[str],
    values: Collection[str] = (),
) -> dict[str, Any]:
    """The stored response of a turn that ends now. `messages`: the rows that leave, apology and all.

    What stands in sensitive fields is masked; `values`, too, where handlers and triggers tell of them. Not in what the
    customer reads, and not in keys.
    """
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
    masked_response: dict[str, Any] = masked(response, sensitive)
    return {
        **masked_response,
        **{name: _searched(masked_response[name], sensitive, values) for name in _SEARCHED if values},
    }


def _searched(part: Any, sensitive: Collection[str], values: Collection[str]) -> Any:
    """Free text without the values; keys stay what other rows know them by."""
    if isinstance(part, list):
        return [_searched(each, sensitive, values) for each in part]
    if not isinstance(part, Mapping):
        return part
    return {
        name: masked(each, sensitive, values) if name in _FREE else _searched(each, sensitive, values)
        for name, each in part.items()
    }


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
