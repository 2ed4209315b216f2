"""Taking one turn by the engine, up to what its commit will write; no transaction is open (spec: host.md section 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from falai_django.built_in_actions import collected_effects
from falai_django.faults import fault_point
from falai_django.models import Turn
from falai_django.receipts import Receipts, with_receipts
from falai_django.turns.agents import agent_of
from falai_django.turns.claims import claim_changes, read_claims
from falai_django.turns.current import running_turn
from falai_django.turns.ending import Ending
from falai_django.turns.given import given_for
from falai_django.turns.overhearing import overheard
from falai_django.turns.picking import Picked
from falai_django.turns.wakes import wake_changes
from falai_engine import Provider, StreamItem, TurnResult
from falai_engine.drive import drive, drive_stream
from falai_engine.needs import Steps

__all__ = ["Watch", "work"]

Watch: TypeAlias = Callable[[StreamItem], None]
"""Is handed the text of the message while it is phrased, and what makes it void."""


def work(picked: Picked, receipts: Receipts, watch: Watch | None = None) -> Ending:
    """Take the turn. Raises what the engine raises out of one, and AgentUnavailableError."""
    session = picked.session
    running = agent_of(session, picked.turn.wanted_release)
    claims = read_claims(session, running)
    given = given_for(picked, claims)
    fault_point("after-load")
    with running_turn(picked.turn), collected_effects() as effects:
        steps = overheard(picked.turn, running.agent.steps(given.input, picked.deadline))
        result = _driven(with_receipts(steps, receipts), running.agent.provider, watch)
    fault_point("turn-taken")
    before = given.input.session
    return Ending(
        picked,
        Turn.State.DONE,
        given.now,
        before,
        result,
        wakes=wake_changes(before, result, running.agent),
        claims=claim_changes(session, running, claims, result),
        effects=effects,
        receipts=receipts,
        release=None if running.release is None else running.release.pk,
        sensitive=running.sensitive,
        message=given.message if picked.turn.kind == Turn.Kind.MESSAGE else None,
        apologizes=_owes_apology(picked, result),
        error=given.limited,
    )


def _driven(steps: Steps[TurnResult], provider: Provider, watch: Watch | None) -> TurnResult:
    if watch is None:
        return drive(steps, provider)
    *_, result = (_watched(item, watch) for item in drive_stream(steps, provider))
    assert isinstance(result, TurnResult)
    return result


def _watched(item: StreamItem, watch: Watch) -> StreamItem:
    if not isinstance(item, TurnResult):
        watch(item)
    return item


def _owes_apology(picked: Picked, result: TurnResult) -> bool:
    """The idle answer did not come, and nobody has said sorry since the last answer."""
    session = picked.session
    deferred = any(line.kind == "idle" and line.status == "deferred" for line in result.outcomes)
    return deferred and not result.messages and bool(session.agent.apology) and not session.apologized
