"""What happened, in words of the reader's language and the author's names (flow and step labels, not ids)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.utils import formats, timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from falai_engine.chat.sentences import span
from falai_engine.chat.words import SENTENCES, Language, code_sentence, language_of, say
from falai_engine.times import instant, moment
from falai_engine.values import coerce, json_text

__all__ = ["Names", "language", "short", "told_time"]

_TALK: Final = frozenset({"prompt", "collect"})
_LONGEST: Final = 400


def language() -> Language:
    """Of who reads, as the engine's sentences know it."""
    return language_of(get_language() or "en")


def short(value: Any) -> str:
    """A value in a line: text as it is, anything else as JSON."""
    text = value if isinstance(value, str) else _yes_or_no(value) or json_text(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _yes_or_no(value: Any) -> str:
    return {True: _("yes"), False: _("no")}[value] if isinstance(value, bool) else ""


def told_time(at: datetime, zone: str) -> str:
    """The time of day, with the date when it is another day."""
    local, now = at.astimezone(ZoneInfo(zone)), timezone.now().astimezone(ZoneInfo(zone))
    hour = formats.date_format(local, "TIME_FORMAT")
    return hour if local.date() == now.date() else f"{formats.date_format(local, 'SHORT_DATE_FORMAT')}, {hour}"


@dataclass(frozen=True, slots=True)
class Names:
    """The words of one agent's document, `zone` its time zone."""

    document: Mapping[str, Any]
    zone: str

    def flow(self, flow_id: str) -> str:
        return str(self._flow(flow_id).get("name") or flow_id)

    def step(self, flow_id: str, step_id: str) -> str:
        steps = self._flow(flow_id).get("steps") or ()
        return next((str(step.get("label") or step_id) for step in steps if step.get("id") == step_id), step_id)

    def field(self, slug: str) -> str:
        spec = (self.document.get("fields") or {}).get(slug) or {}
        return str(spec.get("label") or slug)

    def dropped(self, slug: str, value: Any) -> str:
        """Why a value that was understood is not kept; empty when it is."""
        spec = (self.document.get("fields") or {}).get(slug)
        code = "unknown-field" if spec is None else coerce(spec["type"], value, spec.get("enum"))[1]
        return code_sentence(language(), code) if code else ""

    def event(self, name: str) -> str:
        spec = (self.document.get("events") or {}).get(name) or {}
        return str(spec.get("description") or "")

    def place(self, flow_id: str, step_id: str | None) -> str:
        return f"{self.flow(flow_id)} · {self.step(flow_id, step_id)}" if step_id else self.flow(flow_id)

    def lines(self, response: Mapping[str, Any], outcomes: Any) -> Iterator[dict[str, str]]:
        """Starts, outcome lines, starts that were not, ends: as they came."""
        own = language()
        for run in _objects(response.get("started")):
            yield _line("start", say(own, "started", self.flow(run["flowId"])))
        for line in _objects(outcomes):
            yield self._outcome(line)
        for start in _objects(response.get("skipped")):
            told = say(own, "not_started", self.flow(start["flowId"]), code_sentence(own, start["code"]))
            yield _line("skipped", told)
        for ended in _objects(response.get("ended")):
            key = f"ended_{ended.get('reason')}"
            flow = self.flow(ended.get("flowId") or "")
            yield _line("end", say(own, key, flow) if key in SENTENCES else flow)

    def _outcome(self, line: Mapping[str, Any]) -> dict[str, str]:
        flow = line.get("flowId")
        where = self.place(flow, line.get("stepId")) if flow else ""
        more = [line.get("detail"), self._until(line.get("until")), self._next(flow or "", line.get("next"))]
        return _line(str(line.get("status")), self._sentence(line), where, ", ".join(filter(None, more)))

    def _sentence(self, line: Mapping[str, Any]) -> str:
        own, kind, status = language(), line.get("kind"), line.get("status")
        if line.get("code"):
            return code_sentence(own, str(line["code"]))
        if kind in _TALK:
            return say(own, "talk_ok" if line.get("llmCalls") is not None else "talk_done")
        key = f"{kind}_{status}"
        return say(own, key) if key in SENTENCES else f"{kind}, {status}."

    def _until(self, until: Any) -> str:
        at = instant(until)
        return "" if at is None else say(language(), "until", told_time(moment(at), self.zone))

    def _next(self, flow: str, target: Any) -> str:
        if not isinstance(target, str):
            return ""
        if target == "end":
            return say(language(), "next_end")
        sort, _colon, other = target.partition(":")
        if sort == "flow" and other:
            return say(language(), "next_flow", self.flow(other))
        return say(language(), "next_step", self.step(flow, target))

    def due(self, due: datetime, now: datetime) -> str:
        """When a wake comes."""
        left = int((due - now).total_seconds() * 1_000)
        at = told_time(due, self.zone)
        return say(language(), "in_time", span(left), at) if left > 0 else say(language(), "overdue", at)

    def _flow(self, flow_id: str) -> Mapping[str, Any]:
        return next((flow for flow in self.document.get("flows") or () if flow.get("id") == flow_id), {})


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _line(tone: str, text: str, where: str = "", more: str = "") -> dict[str, str]:
    return {"tone": tone, "where": where, "text": text, "more": more}
