"""The ways that a tenant's messages leave (spec: host.md sections 1 and 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from falai_django.audit import record
from falai_django.authoring.editable import cleaned, set_values
from falai_django.authoring.editing import editing_tenant, went_live
from falai_django.authoring.row_problems import refused_at
from falai_django.errors import AuthoringError, OutgoingError, RegistrationError
from falai_django.models import Agent, Sender, Tenant
from falai_django.outgoing.url import check_url
from falai_django.registry import Kind, registration
from falai_django.roles import Actor, Capability
from falai_django.rows import rows

__all__ = ["add_sender", "change_sender", "delete_sender"]

_VALUES: Final = frozenset({"name", "kind", "url", "secret", "next_secret", "python_name"})


def add_sender(actor: Actor, tenant: Tenant, **values: Any) -> Sender:
    """A way out. `values`: the row's columns; AuthoringError for one that cannot work."""
    with editing_tenant(actor, tenant, Capability.OWN, version=None) as fresh:
        row = Sender(tenant=fresh)
        _keep(row, values)
        record(actor, fresh, "sender.add", row.name, kind=row.kind)
        return row


def change_sender(actor: Actor, sender: Sender, **values: Any) -> Sender:
    """Other values for a sender; what leaves from now on goes by them."""
    with editing_tenant(actor, sender.tenant, Capability.OWN, version=None) as tenant:
        row = _stored(sender, tenant)
        changed = _keep(row, values)
        record(actor, tenant, "sender.change", row.name, changed=sorted(changed))
        return row


def delete_sender(actor: Actor, sender: Sender) -> None:
    """Refused while an agent sends by it."""
    with editing_tenant(actor, sender.tenant, Capability.OWN, version=None) as tenant:
        row = _stored(sender, tenant)
        agents = [str(agent) for agent in rows(Agent).filter(sender=row)]
        if agents:
            raise AuthoringError(
                _("%(agents)s send by “%(sender)s”. Give them another sender first.")
                % {"agents": ", ".join(agents), "sender": row.name}
            )
        row.delete()
        went_live(tenant)
        record(actor, tenant, "sender.delete", row.name)


def _stored(sender: Sender, tenant: Tenant) -> Sender:
    row: Sender | None = (
        rows(Sender).filter(pk=sender.pk, tenant=tenant).select_related("secret", "next_secret").first()
    )
    if row is None:
        raise AuthoringError(_("This sender is gone: somebody deleted it meanwhile."))
    return row


def _keep(row: Sender, values: dict[str, Any]) -> list[str]:
    """Set, judge and store the values; the names of those that changed."""
    changed = set_values(row, cleaned(row, values, _VALUES))
    try:
        row.validate_constraints()
    except ValidationError as error:
        raise refused_at(row, "name", " ".join(error.messages)) from error
    if row.kind in _CHECKS:
        _CHECKS[row.kind](row)
    row.save()
    went_live(row.tenant)
    return changed


def _assert_webhook(row: Sender) -> None:
    try:
        check_url(row.url)
    except OutgoingError as error:
        raise refused_at(row, "url", capfirst(str(error))) from error
    if row.secret is None:
        raise refused_at(row, "secret", _("Choose the secret that messages are signed with."))


def _assert_python(row: Sender) -> None:
    try:
        registration(Kind.SENDER, row.python_name, row.tenant.slug)
    except RegistrationError as error:
        raise refused_at(row, "python_name", str(error)) from error


_CHECKS: Final[Mapping[str, Callable[[Sender], None]]] = {
    Sender.Kind.WEBHOOK: _assert_webhook,
    Sender.Kind.PYTHON: _assert_python,
}
"""A sender of kind `poll` has nothing to reach: a program fetches the messages."""
