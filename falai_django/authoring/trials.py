"""Trying the HTTP request of an action or a tool of a draft (spec: host.md section 6; ux.md).

What is stored is tried. To look costs nothing; what is sent is sent in truth, so it is counted and recorded.
"""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.audit import record
from falai_django.authoring.editing import editing_agent
from falai_django.conf import settings
from falai_django.databases import now_and
from falai_django.documents import draft_document, row_spec
from falai_django.errors import AuthoringError
from falai_django.models import Action, AuditRecord, Tool
from falai_django.outgoing.placeholders import Values
from falai_django.outgoing.request import compile_request
from falai_django.outgoing.shares import send_for
from falai_django.outgoing.trials import Trial, sent_trial, shown_trial
from falai_django.releases.http_kinds import declared_of, secret_names, secrets_of
from falai_django.roles import Actor, Capability, require
from falai_django.rows import rows

__all__ = ["send_request", "show_request"]

_ACT: Final = "request.try"
_MINUTE: Final = 60


def show_request(actor: Actor, row: Action | Tool, given: Values) -> Trial:
    """The request as it would leave, its secrets masked. NotAllowedError; OutgoingError for what keeps it back."""
    tenant = row.agent.tenant
    require(actor, tenant, Capability.EDIT)
    spec = row_spec(row)
    secret_of = secrets_of(tenant, set(secret_names(spec)))
    return shown_trial(spec, given, secret_of, is_tool=isinstance(row, Tool))


def send_request(actor: Actor, row: Action | Tool, given: Values) -> Trial:
    """The request sent once, and what its answer comes to; no field is set and nothing said is kept.

    As `show_request`; AuthoringError after so many in a minute (FALAI_TRIALS_PER_MINUTE).
    """
    show_request(actor, row, given)
    spec = row_spec(row)
    with editing_agent(actor, row.agent) as agent:
        _assert_seldom(actor, agent.tenant)
        host = compile_request(spec["request"]).url.origin.host
        record(actor, agent.tenant, _ACT, f"{row._meta.verbose_name} {row.slug}", agent=agent.slug, host=host)
        declared = declared_of(draft_document(agent).document)
        secret_of = secrets_of(agent.tenant, set(secret_names(spec)))
    return sent_trial(spec, given, secret_of, declared, send_for(agent.tenant.pk), is_tool=isinstance(row, Tool))


def _assert_seldom(actor: Actor, tenant: Any) -> None:
    """The records themselves are counted, so that all processes count together."""
    user = actor.user if getattr(actor.user, "pk", None) is not None else None
    lately = rows(AuditRecord).filter(tenant=tenant, action=_ACT, actor=user, at__gte=now_and(-_MINUTE))
    if lately.count() >= settings().trials_per_minute:
        raise AuthoringError(
            _("That were %(count)d requests within a minute. Wait a little before the next one.")
            % {"count": settings().trials_per_minute}
        )
