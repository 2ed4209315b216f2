"""The working state of one turn: born from a copy of the session, gone with the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from falai_engine.compiled.agent import CompiledAgent
from falai_engine.compiled.conditions import Condition, RegisteredTest, is_async
from falai_engine.compiled.parts import CompiledFlow, CompiledStep
from falai_engine.error_words import shown
from falai_engine.model import HistoryItem, Usage
from falai_engine.needs import Await, Raised, Steps
from falai_engine.phases.judgement import Judgement
from falai_engine.records.inputs import MessageInput, TurnInput, WakeInput
from falai_engine.records.outcomes import Outcome, OutcomeKind
from falai_engine.records.results import TurnResult
from falai_engine.records.session import Run, RunStatus, Session
from falai_engine.registry import ConditionScope, RunView
from falai_engine.templates import Scope
from falai_engine.times import instant, moment
from falai_engine.values import MISSING, copied

__all__ = ["Turn", "run_view"]

LONGEST_DETAIL = 2_000


def run_view(run: Run) -> RunView:
    """What a handler may know of a run."""
    return RunView(run.id, run.flow_id, run.anchor, run.step_id, run.started_at, run.hop)


@dataclass(slots=True)
class Turn:
    """Everything the rooms of a turn share. `floor`: the run whose message this is. `speaker`: the talk step's run."""

    agent: CompiledAgent
    input: TurnInput
    session: Session
    result: TurnResult
    now: int
    now_iso: str
    history: Sequence[HistoryItem]
    deadline: float | None
    customer: MessageInput | None
    trigger_key: str
    ignored: bool = False
    floor: Run | None = None
    owner: Run | None = None
    """In ingest: the run whose message this is until it comes to rest."""
    judgement: Judgement = field(default_factory=Judgement)
    queue: list[Run] = field(default_factory=list)
    speaker: Run | None = None
    spoken: bool = False
    spoken_by: set[str] = field(default_factory=set)
    speak_over: bool = False
    ingesting: bool = False
    unsettled: dict[str, Any] = field(default_factory=dict)
    """What update-state calls set while the speaker speaks; kept only when it gives a message."""
    delay_ms: int = 0

    @property
    def silenced(self) -> bool:
        return self.input.silenced is not None

    @property
    def on_wake(self) -> bool:
        return type(self.input.what) is WakeInput

    @property
    def reason(self) -> str | None:
        """Why the assistant is silenced; None when it is not, or for no stated reason."""
        silenced = self.input.silenced
        return silenced.reason or None if silenced is not None else None

    def unanswered(self) -> bool:
        """A message, not silenced, and nothing has been spoken yet."""
        return self.customer is not None and not self.silenced and not self.spoken

    def may_answer(self) -> bool:
        """Unanswered, and nobody is about to speak."""
        return self.speaker is None and self.unanswered()

    # -- what authored text and conditions read

    def data(self) -> dict[str, Any]:
        """The live data, with what tools set in this speaking; a variable without a value reads as its initial."""
        initials = self.agent.initials
        data = {**self.session.data, **self.unsettled} if self.unsettled else self.session.data
        if not initials:
            return data
        return {**data, **{slug: value for slug, value in initials.items() if data.get(slug) is None}}

    def write(self, values: Mapping[str, Any]) -> None:
        """Write data as given; null takes a value away. TypeError, and nothing written, when it is no JSON object."""
        if not isinstance(values, Mapping):
            raise TypeError(f"fields are set as {{field: value}}, not by {shown(values)}")
        for slug, value in copied(values).items():
            if value is None:
                self.session.data.pop(slug, None)
            else:
                self.session.data[slug] = value

    def scope(self, run: Run | None) -> Scope:
        """What templates read."""
        return self.data(), self.input.context, MISSING if run is None else run.input

    def condition_scope(self, run: Run | None) -> ConditionScope:
        """What a registered condition is told."""
        value = MISSING if run is None else run.input
        silenced = self.input.silenced
        return ConditionScope(
            context=None if self.input.context is MISSING else self.input.context,
            data=MappingProxyType(self.data()),
            input=None if value is MISSING else value,
            run=None if run is None else run_view(run),
            silenced=None if silenced is None else silenced.reason,
            now=self.moment(),
        )

    def moment(self) -> datetime:
        return moment(self.now)

    def holds(self, condition: Condition | None, run: Run | None) -> Steps[bool]:
        """Judge a condition; none holds."""
        if condition is None:
            return True
        for test in condition.tests:
            if type(test) is RegisteredTest:
                answer = test.handler(self.condition_scope(run))
                if is_async(answer):
                    answer = yield Await(answer, f'condition "{test.name}"')
                if isinstance(answer, Raised):
                    raise answer.error
            else:
                answer = test(self.data(), self.silenced)  # type: ignore[operator]
            if not answer:
                return False
        return True

    # -- runs

    def asker(self) -> Run | None:
        """The run that holds the floor."""
        for run in self.session.runs:
            if run.status == RunStatus.ASKING:
                return run
        return None

    def flow_of(self, run: Run) -> CompiledFlow | None:
        return self.agent.flows.get(run.flow_id)

    def step_of(self, run: Run) -> CompiledStep | None:
        """The step a run stands on, None before the first and when flow or step is gone."""
        flow = self.agent.flows.get(run.flow_id)
        return None if flow is None or run.step_id is None else flow.by_id.get(run.step_id)

    def is_live(self, run: Run) -> bool:
        return any(each is run for each in self.session.runs)

    def take_floor(self, run: Run) -> None:
        """The message is this run's, unless another has it already."""
        if self.floor is None:
            self.floor = run

    def message_is_of(self, run: Run) -> bool:
        """Whether the customer's message belongs to this run."""
        return self.customer is not None and (self.floor is run or (self.floor is None and self.owner is run))

    def customer_wrote_since(self, flow: CompiledFlow, time: str) -> bool:
        """Whether the customer wrote after a time, here or (host-anchored flow) anywhere else."""
        since = instant(time)
        if since is None:
            return False
        here = instant(self.session.last_user_at)
        if here is not None and here > since:
            return True
        anchor = None if flow.anchor is None else self.input.anchors.get(flow.anchor)
        elsewhere = None if anchor is None else instant(anchor.last_inbound_at)
        return elsewhere is not None and elsewhere > since

    # -- what is written down

    def line(  # noqa: PLR0913, PLR0917 - the parts of a line, in the order of their use
        self,
        run: Run,
        kind: str,
        status: str,
        code: str | None = None,
        key: str | None = None,
        detail: str | None = None,
        next: str | None = None,  # noqa: A002 - the spec's word for it
        until: str | None = None,
        llm_calls: int | None = None,
    ) -> None:
        """Write an outcome line of a run, in its own log and in the result."""
        if detail is not None and len(detail) > LONGEST_DETAIL:
            detail = detail[:LONGEST_DETAIL] + "…"
        outcome = Outcome(
            kind, status, self.now_iso, code, run.id, run.flow_id, run.step_id, key, detail, next, until, llm_calls
        )
        run.log(outcome)
        self.result.outcomes.append(outcome)

    def loose_line(
        self,
        kind: str,
        status: str,
        code: str | None = None,
        key: str | None = None,
        detail: str | None = None,
        llm_calls: int | None = None,
    ) -> None:
        """Write an outcome line that belongs to no run."""
        self.result.outcomes.append(
            Outcome(kind, status, self.now_iso, code, key=key, detail=detail, llm_calls=llm_calls)
        )

    def ignore(self, code: str, key: str) -> None:
        """Nothing happens on such an input."""
        self.ignored = True
        self.loose_line(OutcomeKind.WAIT, "skipped", code, key)

    def spoke(self, run: Run) -> None:
        self.spoken = True
        self.spoken_by.add(run.id)

    def another_spoke(self, run: Run) -> bool:
        """On a message: whether a run other than this one has spoken."""
        return self.customer is not None and bool(self.spoken_by - {run.id})

    def take_delay(self) -> int:
        """The pause before the next message, taken once."""
        delay, self.delay_ms = self.delay_ms, 0
        return delay

    def count(self, usage: Usage | None) -> None:
        """Add one model call and what was counted for it."""
        result = self.result
        result.llm_calls += 1
        if usage is None:
            return
        so_far = result.usage or Usage()
        result.usage = Usage(
            so_far.prompt_tokens + usage.prompt_tokens,
            so_far.completion_tokens + usage.completion_tokens,
            so_far.cached_input_tokens + usage.cached_input_tokens,
        )
