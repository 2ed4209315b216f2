"""Outcome lines: their kinds, statuses and codes, each code with its sentence (spec: engine.md section 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["CODE_MESSAGES", "Code", "Outcome", "OutcomeKind", "OutcomeStatus", "SkipCode"]


class OutcomeKind(StrEnum):
    """The kind of the step a line is about, or `idle`."""

    PROMPT = "prompt"
    COLLECT = "collect"
    SAY = "say"
    DO = "do"
    WAIT = "wait"
    IF = "if"
    IDLE = "idle"


class OutcomeStatus(StrEnum):
    """How it went."""

    OK = "ok"
    SKIPPED = "skipped"
    FAILED = "failed"
    WAITING = "waiting"
    DEFERRED = "deferred"


class Code(StrEnum):
    """Why a line says what it says; most lines need no code."""

    ACTION_DEFERRED = "action-deferred"
    ACTION_FAILED = "action-failed"
    ACTION_SKIPPED = "action-skipped"
    ALREADY_KNOWN = "already-known"
    ALREADY_SENT = "already-sent"
    ANOTHER_REPLY = "another-reply"
    ASKED_FIXED = "asked-fixed"
    AWAITING_EVENT = "awaiting-event"
    AWAITING_TRIGGER = "awaiting-trigger"
    BAD_VALUE = "bad-value"
    BRANCH = "branch"
    CUSTOMER_REPLIED = "customer-replied"
    DUPLICATE_INPUT = "duplicate-input"
    EVENT_ARRIVED = "event-arrived"
    FLOW_GONE = "flow-gone"
    INLINE_DELAY = "inline-delay"
    MAX_ASKS = "max-asks"
    NO_EVENT = "no-event"
    NO_REPLY = "no-reply"
    NO_SESSION = "no-session"
    NOT_IN_ENUM = "not-in-enum"
    PREMISE_CHANGED = "premise-changed"
    PROVIDER_AUTH = "provider-auth"
    PROVIDER_CONTEXT = "provider-context"
    PROVIDER_INVALID = "provider-invalid"
    PROVIDER_QUOTA = "provider-quota"
    PROVIDER_UNAVAILABLE = "provider-unavailable"
    REPLIED = "replied"
    SILENCE_BROKEN = "silence-broken"
    SILENCED = "silenced"
    STALE_WAKE = "stale-wake"
    STEP_GONE = "step-gone"
    STEP_LOOP = "step-loop"
    UNKNOWN_FIELD = "unknown-field"


class SkipCode(StrEnum):
    """Why a flow did not start."""

    ALREADY_CLAIMED = "already-claimed"
    ALREADY_RUNNING = "already-running"
    COOLDOWN = "cooldown"
    FLOW_GONE = "flow-gone"
    HOP_LIMIT = "hop-limit"


CODE_MESSAGES: Final[Mapping[str, str]] = {
    Code.ACTION_DEFERRED: "The action asked to be run again later.",
    Code.ACTION_FAILED: "The action failed.",
    Code.ACTION_SKIPPED: "The action had nothing to do.",
    Code.ALREADY_KNOWN: "Everything this step asks for was known already.",
    Code.ALREADY_SENT: "This message goes out once a session, and it did.",
    Code.ANOTHER_REPLY: "Another flow answered this message, so this step waits for the next one.",
    Code.ASKED_FIXED: "The fixed question was asked word for word.",
    Code.AWAITING_EVENT: "Waiting for the event.",
    Code.AWAITING_TRIGGER: "Waiting for the trigger's delay before the first step.",
    Code.BAD_VALUE: "The value does not fit the field's type and was dropped.",
    Code.BRANCH: "A branch of the step held.",
    Code.CUSTOMER_REPLIED: "The customer wrote meanwhile, so the reminder is off.",
    Code.DUPLICATE_INPUT: "A message with this id was handled already.",
    Code.EVENT_ARRIVED: "The event arrived.",
    Code.FLOW_GONE: "The flow is no longer part of the agent.",
    Code.INLINE_DELAY: "A short pause before the next message.",
    Code.MAX_ASKS: "The field was asked as often as allowed and stays open.",
    Code.NO_EVENT: "The event did not arrive in time.",
    Code.NO_REPLY: "The time was over without a reply.",
    Code.NO_SESSION: "There is no session for this wake.",
    Code.NOT_IN_ENUM: "The value is none of the field's choices and was dropped.",
    Code.PREMISE_CHANGED: "What the flow was started for no longer holds.",
    Code.PROVIDER_AUTH: "The model provider refused the credentials.",
    Code.PROVIDER_CONTEXT: "The conversation is too long for the model.",
    Code.PROVIDER_INVALID: "The model provider refused the request.",
    Code.PROVIDER_QUOTA: "The model provider's quota is used up.",
    Code.PROVIDER_UNAVAILABLE: "The model gave no usable answer.",
    Code.REPLIED: "The customer replied.",
    Code.SILENCE_BROKEN: "The customer wrote, or something was sent, since this wake was set.",
    Code.SILENCED: "The assistant may not speak now.",
    Code.STALE_WAKE: "No run waits for this wake any more.",
    Code.STEP_GONE: "The step is no longer part of the flow.",
    Code.STEP_LOOP: "The steps went round without an end.",
    Code.UNKNOWN_FIELD: "The agent has no field of this name.",
    SkipCode.ALREADY_CLAIMED: "The flow has run for this anchor already.",
    SkipCode.ALREADY_RUNNING: "The flow is running for this anchor.",
    SkipCode.COOLDOWN: "The flow ran for this anchor a short while ago.",
    SkipCode.FLOW_GONE: "The flow is not part of the agent.",
    SkipCode.HOP_LIMIT: "Too many flows started one another in a row.",
}
"""Our own English sentence for every code; a host's own codes have none."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One line of what happened; see engine.md section 1 for when each part is there. Times are ISO 8601."""

    kind: str
    status: str
    at: str
    code: str | None = None
    run_id: str | None = None
    flow_id: str | None = None
    step_id: str | None = None
    key: str | None = None
    detail: str | None = None
    next: str | None = None
    until: str | None = None
    llm_calls: int | None = None

    @property
    def message(self) -> str | None:
        """The sentence for the code, None without one."""
        return CODE_MESSAGES.get(self.code) if self.code is not None else None
