"""What happened, in words: outcome lines, starts, ends, wakes, data, each in one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Final

from falai_engine.chat.recording import Performed
from falai_engine.chat.words import SENTENCES, Language, code_sentence, say
from falai_engine.records.outcomes import Outcome
from falai_engine.records.results import EndedRun, ScheduledWake, SkippedStart, StartedRun
from falai_engine.records.session import Run, Session
from falai_engine.times import instant, moment
from falai_engine.values import is_known, json_equal, json_text

__all__ = ["Narrator", "span"]

_TALK: Final = frozenset({"prompt", "collect"})
_UNITS: Final = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"))
_SILENCE_WAKE: Final = "silence:"


def span(ms: int) -> str:
    """A time span as people write it: `3 s`, `1 h 30 min`; seconds only where nothing larger is left."""
    parts = []
    for size, unit in _UNITS:
        count, ms = divmod(ms, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2]) or f"{ms / 1_000:g} s"


@dataclass(frozen=True, slots=True)
class Narrator:
    """Tells in the agent's language and time zone."""

    language: Language
    zone: tzinfo

    def time(self, iso: str) -> str:
        """`2026-01-05 09:00:05`, in the agent's time zone; a text that is no time as it is."""
        ms = instant(iso)
        return iso if ms is None else moment(ms).astimezone(self.zone).isoformat(" ", "seconds")[:19]

    def outcome(self, line: Outcome) -> str:
        """What happened, where and with which details: `flow/step: sentence (details)`."""
        place = "/".join(filter(None, [line.flow_id, line.step_id]))
        extras = [line.detail, line.until and say(self.language, "until", self.time(line.until)), self._next(line.next)]
        told = ", ".join(filter(None, extras))
        return f"{place}: " * bool(place) + self._sentence(line) + f" ({told})" * bool(told)

    def _sentence(self, line: Outcome) -> str:
        if line.code is not None:
            return code_sentence(self.language, line.code)
        if line.kind in _TALK:
            return say(self.language, "talk_ok" if line.llm_calls is not None else "talk_done")
        key = f"{line.kind}_{line.status}"
        return say(self.language, key) if key in SENTENCES else f"{line.kind}, {line.status}."

    def _next(self, target: str | None) -> str | None:
        if target is None:
            return None
        if target == "end":
            return say(self.language, "next_end")
        sort, _, flow = target.partition(":")
        return (
            say(self.language, "next_flow", flow)
            if sort == "flow" and flow
            else say(self.language, "next_step", target)
        )

    def started(self, run: StartedRun) -> str:
        """A run that started."""
        return say(self.language, "started", run.flow_id)

    def skipped(self, start: SkippedStart) -> str:
        """A flow that did not start, and why."""
        return say(self.language, "not_started", start.flow_id, code_sentence(self.language, start.code))

    def ended(self, ended: EndedRun) -> str:
        """A run that ended, and how."""
        return say(self.language, f"ended_{ended.reason}", ended.run.flow_id)

    def performed(self, call: Performed) -> str:
        """A handler's call with what it was given and what it gave."""
        return say(self.language, "performed", call.name, json_text(call.given), json_text(call.result))

    def changes(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
        """What a turn wrote and forgot, None when it did neither."""
        changed = {slug: value for slug, value in after.items() if not json_equal(before.get(slug), value)}
        told = [self.value(slug, value) for slug, value in changed.items()]
        told += [
            say(self.language, "forgotten", slug) for slug, value in before.items() if _is_gone(value, slug, after)
        ]
        return say(self.language, "data", ", ".join(told)) if told else None

    def value(self, slug: str, value: Any) -> str:
        """`slug = value`, the value as JSON."""
        return f"{slug} = {json_text(value)}"

    def waits(self, wakes: Sequence[ScheduledWake], session: Session, now: int) -> str | None:
        """The pending wakes in one line, None without any."""
        told = "; ".join(self.wakes(wakes, session, now))
        return say(self.language, "waits", told) if told else None

    def wakes(self, wakes: Sequence[ScheduledWake], session: Session, now: int) -> Iterator[str]:
        """Each wake: what waits, and when it is due."""
        for wake in wakes:
            left = (instant(wake.at) or 0) - now
            at = self.time(wake.at)
            due = say(self.language, "in_time", span(left), at) if left > 0 else say(self.language, "overdue", at)
            yield f"{self.wake_name(wake.key, session)} {due}"

    def wake_name(self, key: str, session: Session) -> str:
        """What a wake is for: the step that waits, or the flow that a silence starts."""
        run = next((each for each in session.runs if each.waiting is not None and each.waiting.key == key), None)
        if run is None or run.waiting is None:
            flow = key.removeprefix(_SILENCE_WAKE).partition(":")[0]
            return say(self.language, "of_silence", flow) if key.startswith(_SILENCE_WAKE) else key
        event = run.waiting.event
        return _place(run) if event is None else say(self.language, "of_event", _place(run), event)

    def run(self, run: Run) -> str:
        """A live run: where it stands, what it does, what it asked."""
        status = say(self.language, "status_staying" if run.staying else f"status_{run.status}")
        if run.step_id is None:
            return say(self.language, "run_new", run.id, status)
        told = say(self.language, "run_at", run.id, run.step_id, status)
        asked = ", ".join(f"{slug} {count}x" for slug, count in run.asked.items() if count)
        return f"{told}, {say(self.language, 'run_asked', asked)}" if asked else told


def _place(run: Run) -> str:
    return f"{run.flow_id}/{run.step_id}" if run.step_id is not None else run.flow_id


def _is_gone(value: Any, slug: str, after: Mapping[str, Any]) -> bool:
    return is_known(value) and not is_known(after.get(slug))
