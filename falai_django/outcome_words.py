"""What happened in a turn, in words for people (spec: engine.md section 1, outcome lines).

The engine has an English sentence for every code; here each can be translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

__all__ = ["CODE_WORDS", "KIND_WORDS", "STATUS_WORDS", "outcome_words"]

Text = str | Promise

KIND_WORDS: Final[Mapping[str, Text]] = {
    "prompt": _("Talk"),
    "collect": _("Talk and collect"),
    "say": _("Fixed text"),
    "do": _("Action"),
    "wait": _("Wait"),
    "if": _("Fork"),
    "idle": _("No flow"),
}

STATUS_WORDS: Final[Mapping[str, Text]] = {
    "ok": _("done"),
    "skipped": _("skipped"),
    "failed": _("failed"),
    "waiting": _("waiting"),
    "deferred": _("put off"),
}

CODE_WORDS: Final[Mapping[str, Text]] = {
    "action-deferred": _("The action asked to be run again later."),
    "action-failed": _("The action failed."),
    "action-skipped": _("The action had nothing to do."),
    "already-known": _("Everything this step asks for was known already."),
    "already-sent": _("This message goes out once a session, and it did."),
    "another-reply": _("Another flow answered this message, so this step waits for the next one."),
    "asked-fixed": _("The fixed question was asked word for word."),
    "awaiting-event": _("Waiting for the event."),
    "awaiting-trigger": _("Waiting for the trigger's delay before the first step."),
    "bad-value": _("The value does not fit the field's type and was dropped."),
    "branch": _("A branch of the step held."),
    "customer-replied": _("The customer wrote meanwhile, so the reminder is off."),
    "duplicate-input": _("A message with this id was handled already."),
    "event-arrived": _("The event arrived."),
    "flow-gone": _("The flow is not part of the agent."),
    "inline-delay": _("A short pause before the next message."),
    "max-asks": _("The field was asked as often as allowed and stays open."),
    "no-event": _("The event did not arrive in time."),
    "no-reply": _("The time was over without a reply."),
    "no-session": _("There is no session for this wake."),
    "not-in-enum": _("The value is none of the field's choices and was dropped."),
    "premise-changed": _("What the flow was started for no longer holds."),
    "provider-auth": _("The model provider refused the credentials."),
    "provider-context": _("The conversation is too long for the model."),
    "provider-invalid": _("The model provider refused the request."),
    "provider-quota": _("The model provider's quota is used up."),
    "provider-unavailable": _("The model gave no usable answer."),
    "replied": _("The customer replied."),
    "silence-broken": _("The customer wrote, or something was sent, since this wake was set."),
    "silenced": _("The assistant may not speak now."),
    "stale-wake": _("No run waits for this wake any more."),
    "step-gone": _("The step is no longer part of the flow."),
    "step-loop": _("The steps went round without an end."),
    "unknown-field": _("The agent has no field of this name."),
    "already-claimed": _("The flow has run for this anchor already."),
    "already-running": _("The flow is running for this anchor."),
    "cooldown": _("The flow ran for this anchor a short while ago."),
    "hop-limit": _("Too many flows started one another in a row."),
}
"""By the code of a line or of a start that was skipped; a host's own codes have none."""


def outcome_words(line: Any) -> str:
    """One line of what happened: the kind of step, how it went, and why when there is more to say.

    `line` is the JSON of an outcome; what cannot be read is told as it is.
    """
    if not isinstance(line, Mapping):
        return str(line)
    kind, status, code = (str(line.get(key) or "") for key in ("kind", "status", "code"))
    told = ": ".join(filter(None, [str(KIND_WORDS.get(kind, kind)), str(STATUS_WORDS.get(status, status))]))
    why = str(CODE_WORDS.get(code, code))
    return ". ".join(filter(None, [told, why.rstrip(".")])) + "."
