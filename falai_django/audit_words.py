"""What the audit records tell, in words for people (spec: host.md section 6). The codes stay as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

__all__ = ["AUDIT_WORDS", "audit_words"]

AUDIT_WORDS: Final[Mapping[str, Any]] = {
    "activate": _("let a release serve"),
    "agent.delete": _("deleted an agent"),
    "contact.erased": _("erased a contact"),
    "key.make": _("made an API key"),
    "key.revoke": _("revoked an API key"),
    "member.invite": _("invited a member"),
    "member.remove": _("removed a member"),
    "member.role": _("changed the role of a member"),
    "message.resend": _("sent a message again"),
    "provider.add": _("added a model provider"),
    "provider.change": _("changed a model provider"),
    "provider.delete": _("deleted a model provider"),
    "provider.order": _("ordered the model providers"),
    "publish": _("published a release"),
    "request.try": _("sent a request to try it"),
    "run.ended": _("ended a run"),
    "secret.change": _("changed a secret"),
    "secret.delete": _("deleted a secret"),
    "secret.make": _("made a secret"),
    "sender.add": _("added a sender"),
    "sender.change": _("changed a sender"),
    "sender.delete": _("deleted a sender"),
    "session.closed": _("closed a conversation"),
    "session.erased": _("erased a conversation"),
    "session.given_back": _("gave a conversation back to the agent"),
    "session.taken_over": _("took over a conversation"),
    "tenant.create": _("made the tenant"),
    "turn.run_again": _("ran a turn again"),
    "wake.brought_forward": _("brought a wake forward"),
}


def audit_words(action: str) -> str:
    """An action that a record holds; one of another version of the app stays as it is."""
    return str(AUDIT_WORDS.get(action, action))
