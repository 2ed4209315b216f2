"""What a document says that an import does not do, or does besides, in words (spec: host.md section 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from falai_django.documents import DocumentRows, Draft, FlowRows, document_locale
from falai_django.models import Agent, Tenant

__all__ = ["notes_of_copy", "notes_of_replacing"]


def notes_of_replacing(before: Draft, new: DocumentRows, kept: Sequence[FlowRows]) -> tuple[str, ...]:
    """Of a document that takes the place of a draft."""
    agent = before.agent
    return (
        *_of_the_tenants(agent.tenant, new),
        *_settings_left(agent, new),
        *(_kept(each) for each in kept),
        *_no_longer_sensitive(before, new),
        *_switched(before, new),
    )


def notes_of_copy(agent: Agent, new: DocumentRows) -> tuple[str, ...]:
    """Of a document that becomes a new agent."""
    return (*_of_the_tenants(agent.tenant, new), *_without_sender(agent, new), *_renamed(agent, new))


def _of_the_tenants(tenant: Tenant, new: DocumentRows) -> Iterator[str]:
    """Language and time zone are the tenant's."""
    locale = document_locale(tenant.locale)
    if new.locale is not None and _folded(new.locale) != _folded(locale):
        yield _("The document speaks %(theirs)s; here the agent speaks the language of its tenant, %(ours)s.") % {
            "theirs": new.locale,
            "ours": locale,
        }
    if new.timezone is not None and new.timezone != tenant.time_zone:
        yield _("The document is for the time zone %(theirs)s; here that of the tenant counts, %(ours)s.") % {
            "theirs": new.timezone,
            "ours": tenant.time_zone,
        }


def _folded(locale: Any) -> str:
    return str(locale).replace("_", "-").lower()


def _settings_left(agent: Agent, new: DocumentRows) -> Iterator[str]:
    sender = agent.sender.name if agent.sender is not None else ""
    given = {name: value for name, value in new.host.settings.items() if getattr(agent, name) != value}
    names = [_called(name) for name in given]
    if new.host.sender and new.host.sender != sender:
        names.append(_called("sender"))
    if names:
        yield _("Settings are live and stay as they are here. The file has others for: %(names)s.") % {
            "names": ", ".join(names)
        }


def _called(setting: str) -> str:
    column: Any = Agent._meta.get_field(setting)
    return str(column.verbose_name)


def _kept(each: FlowRows) -> str:
    return _("The flow “%(flow)s” is switched off and not in the file: it stays as it is.") % {"flow": each.flow}


def _no_longer_sensitive(before: Draft, new: DocumentRows) -> Iterator[str]:
    sensitive = new.host.sensitive
    for slug, field in before.named["fields"].items():
        if sensitive is not None and getattr(field, "is_sensitive", False) and slug not in sensitive:
            yield _("The field “%(field)s” is sensitive here and will not be any more.") % {"field": field}


def _switched(before: Draft, new: DocumentRows) -> Iterator[str]:
    now = {each.flow["slug"]: each.flow["is_enabled"] for each in new.flows}
    for each in before.flows:
        enabled = now.get(each.flow.slug, each.flow.is_enabled)
        if enabled and not each.flow.is_enabled:
            yield _("The flow “%(flow)s” is switched off here and will be switched on.") % {"flow": each.flow}
        elif each.flow.is_enabled and not enabled:
            yield _("The flow “%(flow)s” will be switched off.") % {"flow": each.flow}


def _without_sender(agent: Agent, new: DocumentRows) -> Iterator[str]:
    if new.host.sender and agent.sender is None:
        yield _("This tenant has no sender “%(sender)s”. Choose one in the settings of the new agent.") % {
            "sender": new.host.sender
        }


def _renamed(agent: Agent, new: DocumentRows) -> Iterator[str]:
    if new.host.slug and new.host.slug != agent.slug:
        yield _("The new agent is called “%(slug)s” in addresses; in the file it is “%(theirs)s”.") % {
            "slug": agent.slug,
            "theirs": new.host.slug,
        }
