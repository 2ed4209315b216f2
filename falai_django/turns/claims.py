"""What the sessions of one contact share: claims of host-anchored flows (spec: host.md section 3).

They are kept in Claim rows only: taken out of the blob when it is saved, given to the engine as `claims`. A commit
locks the Anchor rows of what it starts, then compares: a start that somebody else made meanwhile is a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db.models import Q

from falai_django.models import Anchor, Claim, Session
from falai_django.rows import rows
from falai_django.turns.agents import RunningAgent
from falai_engine import CrossClaims, TurnResult

__all__ = ["ClaimChanges", "HeldClaims", "claim_changes", "claims_stand", "read_claims", "write_claims"]

ALWAYS_KEPT: Final = 50
"""Of the claims of one flow and anchor whose key is that of one start; as engine.md section 4, step 5."""


@dataclass(frozen=True, slots=True)
class HeldClaims:
    """Claims as they were read: `at` by dedupe key, and `flow:anchor` of the live runs of other sessions."""

    at: Mapping[str, str] = field(default_factory=dict)
    active: frozenset[str] = frozenset()

    def for_engine(self) -> CrossClaims:
        return CrossClaims(self.at, self.active)


@dataclass(frozen=True, slots=True)
class ClaimChanges:
    """What a turn did to claims. `started`: rows to write; `ended`: dedupe keys of runs that live no more."""

    started: Sequence[Claim] = ()
    ended: Sequence[str] = ()
    read: HeldClaims = field(default_factory=HeldClaims)

    def __bool__(self) -> bool:
        return bool(self.started or self.ended)


def read_claims(session: Session, running: RunningAgent) -> HeldClaims:
    """One query, and none when nothing of the session or the agent is anchored."""
    wanted = Q()
    for flow in running.agent.compiled.flows.values():
        if flow.anchor in session.anchors:
            wanted |= Q(flow=flow.id, anchor=session.anchors[flow.anchor])
    if not wanted:
        return HeldClaims()
    found = list(rows(Claim).filter(wanted, agent=session.agent))
    active = {f"{each.flow}:{each.anchor}" for each in found if each.live and each.session_id != session.pk}
    return HeldClaims({each.dedupe_key: each.at for each in found}, frozenset(active))


def claim_changes(session: Session, running: RunningAgent, read: HeldClaims, result: TurnResult) -> ClaimChanges:
    """What the commit writes; the claims leave the result's session."""
    if not session.anchors:
        return ClaimChanges()
    live = {run.dedupe_key for run in result.session.runs}
    started = []
    for run in result.started:
        name = running.anchor_name(run.flow_id)
        if name is None or session.anchors.get(name) != run.anchor:
            continue
        at = result.session.claims.get(run.dedupe_key) or ""
        result.session.claims.discard(run.dedupe_key)
        claim = Claim(agent=session.agent, dedupe_key=run.dedupe_key, flow=run.flow_id, name=name, anchor=run.anchor)
        claim.at, claim.live, claim.session = at, run.dedupe_key in live, session
        started.append(claim)
    return ClaimChanges(started, [each.run.dedupe_key for each in result.ended], read)


def claims_stand(session: Session, changes: ClaimChanges) -> bool:
    """Lock the anchors, then compare: whether what the turn read of claims is still so. In the commit."""
    if not changes.started:
        return True
    _lock_anchors(session, changes.started)
    keys = [each.dedupe_key for each in changes.started]
    pairs = Q()
    for each in changes.started:
        pairs |= Q(flow=each.flow, anchor=each.anchor, live=True)
    now = list(rows(Claim).filter(Q(dedupe_key__in=keys) | pairs, agent=session.agent))
    at = {each.dedupe_key: each.at for each in now}
    elsewhere = any(each.live and each.session_id != session.pk for each in now)
    return not elsewhere and all(at.get(key) == changes.read.at.get(key) for key in keys)


def _lock_anchors(session: Session, started: Iterable[Claim]) -> None:
    """In the order in which every commit takes them; the session's row is locked already."""
    wanted = Q()
    for each in started:
        wanted |= Q(name=each.name, key=each.anchor)
    locked = rows(Anchor).filter(wanted, agent=session.agent).order_by("name", "key").select_for_update()
    list(locked.values_list("pk", flat=True))


def write_claims(session: Session, changes: ClaimChanges) -> None:
    """Runs that ended live no more; then those that started. In the commit."""
    if changes.ended:
        rows(Claim).filter(agent=session.agent, dedupe_key__in=changes.ended, session=session).update(live=False)
    if not changes.started:
        return
    # The last of two starts of one turn under the same key is the one that stands.
    unique = {each.dedupe_key: each for each in changes.started}
    rows(Claim).bulk_create(
        unique.values(),
        update_conflicts=True,
        unique_fields=["agent", "dedupe_key"],
        update_fields=["at", "live", "session"],
    )
    for flow, anchor in sorted({(each.flow, each.anchor) for each in unique.values()}):
        _prune(session, flow, anchor)


def _prune(session: Session, flow: str, anchor: str) -> None:
    """Starts that may come `always` leave a claim each: the oldest go."""
    of_starts = (
        rows(Claim).filter(agent=session.agent, flow=flow, anchor=anchor).exclude(dedupe_key=f"{flow}:{anchor}:")
    )
    old = list(of_starts.order_by("-at", "-pk").values_list("pk", flat=True)[ALWAYS_KEPT:])
    if old:
        rows(Claim).filter(pk__in=old).delete()
