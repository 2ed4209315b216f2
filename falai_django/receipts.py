"""Receipts: what of a turn had an effect outside, so that a replay does not do it again (spec: host.md section 3).

`started` is written before an action or tool runs, `done` with its result after it, each in a small transaction of its
own, whatever becomes of the turn. A replay takes a `done` result. One that was started and is not done is in doubt: it
runs again if it is idempotent, else it counts as failed. Who writes `started` runs it: a worker that slept past its
lease meets the receipt of its successor, and does not run what that one runs.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.db import IntegrityError, transaction

from falai_django.built_in_actions import BUILT_IN_ACTIONS
from falai_django.databases import Now
from falai_django.faults import fault_point
from falai_django.models import Receipt, Turn
from falai_django.outgoing.idempotency import keyed
from falai_django.rows import rows, write_alias
from falai_engine import ActionResult, Defer, Failed, Ok, Skipped, ToolResult
from falai_engine.error_words import told
from falai_engine.needs import Need, Raised, RunAction, RunTools, Steps, ToolRun
from falai_engine.phases.action_result import read_result
from falai_engine.values import copied

__all__ = ["Receipts", "idempotency_key", "with_receipts"]

Kind = Receipt.Kind
_WITHOUT: Final = frozenset(id(action.handler) for action in BUILT_IN_ACTIONS.values())
"""Built-in actions do nothing before the commit."""
IN_DOUBT: Final = "it was begun before a crash, and nobody knows whether it was done"


def idempotency_key(turn: Turn, key: str) -> str:
    """What one call is called for ever, for a receiver that drops repeats. `turn` comes with its session's agent."""
    session = turn.session
    named = f"{session.agent.tenant_id}:{session.pk}:{turn.pk}:{key}"
    return hashlib.sha256(named.encode()).hexdigest()


@dataclass(slots=True)
class Receipts:
    """Those of one attempt of a turn; read once, when the first action or tool is to run."""

    turn: Turn
    known: dict[tuple[str, str], Receipt] | None = None
    calls: Counter[str] = field(default_factory=Counter)

    def again(self) -> Receipts:
        """For the next replay of the same pick."""
        return Receipts(self.turn, self.known)

    def find(self, kind: str, key: str) -> Receipt | None:
        if self.known is None:
            # A turn that is run for the first time has none.
            self._know(() if self.turn.picked_at is None else self._stored())
        return self._known().get((kind, key))

    def begin(self, kind: str, keys: Sequence[str]) -> bool:
        """Write `started` for those that have no receipt yet, all of them or none.

        False when another worker has begun one of them meanwhile: what is known is read anew, and judged again.
        IntegrityError when nobody has: the turn was deleted.
        """
        new = [
            Receipt(turn=self.turn, kind=kind, key=key, started_at=Now())
            for key in keys
            if self.find(kind, key) is None
        ]
        if not new:
            return True
        try:
            with transaction.atomic(using=write_alias()):
                rows(Receipt).bulk_create(new)
        except IntegrityError:
            self._know(self._stored())
            if all(self.find(kind, each.key) is None for each in new):
                raise
            return False
        self._known().update({(each.kind, each.key): each for each in new})
        return True

    def finish(self, kind: str, key: str, result: Mapping[str, Any]) -> None:
        """Write `done`; the first result stands."""
        started = rows(Receipt).filter(turn=self.turn, kind=kind, key=key, state=Receipt.State.STARTED)
        started.update(state=Receipt.State.DONE, result=dict(result), done_at=Now())
        receipt = self._known()[kind, key]
        receipt.state, receipt.result = Receipt.State.DONE, dict(result)

    def tool_key(self, run: ToolRun) -> str:
        """Its id, what it is called with, and which of the same calls of this turn it is."""
        arguments = json.dumps(run.arguments, sort_keys=True, default=repr).encode()
        name = f"{run.tool.id}:{hashlib.sha256(arguments).hexdigest()[:32]}"
        self.calls[name] += 1
        return f"{name}:{self.calls[name]}"

    def keyed(self, handler: Callable[..., Any], key: str) -> Callable[..., Any]:
        """The handler, whose requests leave under the key of this call."""
        return keyed(handler, idempotency_key(self.turn, key))

    def keyed_run(self, key: str, run: ToolRun) -> ToolRun:
        return replace(run, tool=replace(run.tool, handler=self.keyed(run.tool.handler, key)))

    def _stored(self) -> Iterable[Receipt]:
        return rows(Receipt).filter(turn=self.turn)

    def _know(self, found: Iterable[Receipt]) -> None:
        self.known = {(each.kind, each.key): each for each in found}

    def _known(self) -> dict[tuple[str, str], Receipt]:
        assert self.known is not None
        return self.known


def with_receipts(steps: Steps[Any], receipts: Receipts) -> Steps[Any]:
    """The same turn, whose actions and tools are written down; what is done already is not asked for."""
    answer: Any = None
    while True:
        try:
            need = steps.send(answer)
        except StopIteration as stop:
            return stop.value
        answer = yield from _brought(need, receipts)


def _brought(need: Need, receipts: Receipts) -> Steps[Any]:
    if isinstance(need, RunAction) and id(need.action.handler) not in _WITHOUT:
        return (yield from _action(need, receipts))
    if isinstance(need, RunTools):
        return (yield from _tools(need, receipts))
    return (yield need)


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _is_in_doubt(receipt: Receipt | None, is_idempotent: bool) -> bool:
    """Begun, or done in a turn that has ended since, which takes its results along; and not to be run again."""
    return receipt is not None and (receipt.state == Receipt.State.DONE or not is_idempotent)


# -- actions


def _action(need: RunAction, receipts: Receipts) -> Steps[Any]:
    receipt = receipts.find(Kind.ACTION, need.call.key)
    if receipt is not None and receipt.result is not None:
        for patch in receipt.result["set"]:
            need.call.set(patch)
        return receipt.result["result"]
    if _is_in_doubt(receipt, need.action.idempotent):
        return Failed(IN_DOUBT)
    if _is_over(need.call.deadline):
        return (yield need)  # it will not run, so it leaves no doubt
    if not receipts.begin(Kind.ACTION, [need.call.key]):
        return (yield from _action(need, receipts))
    fault_point("receipt-started")
    patches: list[Mapping[str, Any]] = []

    def write(values: Mapping[str, Any]) -> None:
        need.call.set(values)
        patches.append(copied(values))

    keyed_action = replace(need.action, handler=receipts.keyed(need.action.handler, need.call.key))
    answer = yield replace(need, action=keyed_action, call=replace(need.call, set=write))
    fault_point("action-ran")
    result = Failed(told(answer.error)) if isinstance(answer, Raised) else read_result(answer)
    receipts.finish(Kind.ACTION, need.call.key, {"result": _action_json(result), "set": patches})
    fault_point("receipt-done")
    return result


def _action_json(result: ActionResult) -> dict[str, Any]:
    match result:
        case Ok():
            return {"ok": True, "detail": result.detail, "spoke": result.spoke}
        case Skipped():
            return {"skipped": result.detail or ""}
        case Failed():
            return {"failed": result.detail or ""}
        case Defer():
            return {"defer": str(result.after), "detail": result.detail}


# -- tools


def _tools(need: RunTools, receipts: Receipts) -> Steps[list[Any]]:
    keyed = [(receipts.tool_key(run), run) for run in need.runs]
    answers: dict[str, Any] | None = None
    while answers is None:
        answers = yield from _answered(keyed, receipts)
    return [answers[key] for key, _ in keyed]


def _answered(keyed: list[tuple[str, ToolRun]], receipts: Receipts) -> Steps[dict[str, Any] | None]:
    """The answers by key; None when another worker has begun one of them meanwhile."""
    answers: dict[str, Any] = {}
    due = []
    for key, run in keyed:
        receipt = receipts.find(Kind.TOOL, key)
        if receipt is not None and receipt.result is not None:
            answers[key] = _tool_answer(receipt.result)
        elif _is_in_doubt(receipt, run.tool.idempotent):
            answers[key] = Raised(RuntimeError(IN_DOUBT))
        else:
            due.append((key, run))
    if not due:
        return answers
    brought = yield from _run_tools(due, receipts)
    return None if brought is None else {**answers, **brought}


def _run_tools(due: list[tuple[str, ToolRun]], receipts: Receipts) -> Steps[dict[str, Any] | None]:
    if _is_over(due[0][1].request.deadline):
        yield RunTools(tuple(run for _, run in due))  # they will not run
    if not receipts.begin(Kind.TOOL, [key for key, _ in due]):
        return None
    fault_point("receipt-started")
    brought = yield RunTools(tuple(receipts.keyed_run(key, run) for key, run in due))
    fault_point("action-ran")
    for (key, _), answer in zip(due, brought, strict=True):
        receipts.finish(Kind.TOOL, key, _tool_json(answer))
    fault_point("receipt-done")
    return {key: answer for (key, _), answer in zip(due, brought, strict=True)}


def _tool_json(answer: Any) -> dict[str, Any]:
    if isinstance(answer, Raised):
        return {"raised": told(answer.error)}
    result = answer if isinstance(answer, ToolResult) else ToolResult(answer)
    try:
        return {"value": copied(result.value), "data": copied(result.data)}
    except TypeError as error:
        return {"raised": told(error)}


def _tool_answer(stored: Mapping[str, Any]) -> Any:
    if "raised" in stored:
        return Raised(RuntimeError(stored["raised"]))
    return ToolResult(stored["value"], stored["data"])
