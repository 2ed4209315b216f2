"""What is live, outside of any release: the next turn goes by it (spec: host.md section 2).

Each change raises the tenant's `config_version`, by which every process sees that it has to build its agents anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from falai_django.authoring.editable import LIVE, cleaned, set_values
from falai_django.authoring.editing import editing_agent, editing_tenant, hold_tenant, stamp, went_live
from falai_django.authoring.row_problems import RowProblem, refused, refused_at
from falai_django.models import Agent, Holiday, OpeningSpan, Sender, Tenant
from falai_django.roles import Actor, Capability
from falai_django.rows import rows
from falai_engine.validation import Severity

__all__ = ["change_agent_settings", "change_tenant", "set_holidays", "set_opening_hours"]


def change_agent_settings(actor: Actor, agent: Agent, values: Mapping[str, Any], *, version: int | None) -> Agent:
    """Set live settings of an agent (`editable.LIVE` lists them). Customers notice at once, so a publisher does it."""
    with editing_agent(actor, agent, version=version, capability=Capability.PUBLISH) as fresh:
        clean = cleaned(fresh, values, LIVE[Agent])
        _assert_own_sender(fresh, clean.get("sender"))
        changed = set_values(fresh, clean)
        if changed:
            stamp(actor, fresh, *changed)
            went_live(fresh.tenant)
        return fresh


def _assert_own_sender(agent: Agent, sender: Sender | None) -> None:
    if sender is None:
        return
    hold_tenant(agent.tenant)  # as who deletes a sender does: it is given before, or gone
    if not rows(Sender).filter(pk=sender.pk, tenant=agent.tenant).exists():
        raise refused_at(agent, "sender", _("There is no such sender in this tenant. Choose one of the list."))


def change_tenant(actor: Actor, tenant: Tenant, values: Mapping[str, Any], *, version: int | None) -> Tenant:
    """Set what concerns a whole tenant; `version` is its `config_version`. An owner does it."""
    with editing_tenant(actor, tenant, Capability.OWN, version=version) as fresh:
        changed = set_values(fresh, cleaned(fresh, values, LIVE[Tenant]))
        if changed:
            fresh.save(update_fields=changed)
            went_live(fresh)
        return fresh


def set_opening_hours(
    actor: Actor, tenant: Tenant, spans: Iterable[tuple[int, time, time]], *, version: int | None
) -> Tenant:
    """Replace the week: `(weekday, opens, closes)`, Monday is 0. None at all: always open. An owner does it.

    Two spans of a day may not begin at the same time; one that closes not later than it opens goes past midnight.
    """
    with editing_tenant(actor, tenant, Capability.OWN, version=version) as fresh:
        new = [OpeningSpan(tenant=fresh, weekday=day, opens=opens, closes=closes) for day, opens, closes in spans]
        _assert_sound(
            new, [(span.weekday, span.opens) for span in new], _("Two spans of a day begin at the same time.")
        )
        return _replaced(OpeningSpan, fresh, new)


def set_holidays(
    actor: Actor,
    tenant: Tenant,
    holidays: Iterable[tuple[date, str, time | None, time | None]],
    *,
    version: int | None,
) -> Tenant:
    """Replace the holidays: `(date, name, opens, closes)`, both times None for closed all day. An owner does it."""
    with editing_tenant(actor, tenant, Capability.OWN, version=version) as fresh:
        new = [
            Holiday(tenant=fresh, date=day, name=name, opens=opens, closes=closes)
            for day, name, opens, closes in holidays
        ]
        _assert_sound(new, [holiday.date for holiday in new], _("Two holidays have the same date."))
        return _replaced(Holiday, fresh, new)


def _assert_sound(new: Sequence[Any], keys: Sequence[Any], twice: str) -> None:
    """AuthoringError with all that is wrong; `path` of a problem is the row's number and its attribute: `2.opens`."""
    problems = [
        RowProblem(row, f"{number}.{name}", Severity.ERROR, message, "value")
        for number, row in enumerate(new)
        for name, messages in _unsound(row).items()
        for message in messages
    ]
    problems += [
        RowProblem(row, str(number), Severity.ERROR, twice, "twice")
        for number, (row, key) in enumerate(zip(new, keys, strict=True))
        if key in keys[:number]
    ]
    if problems:
        raise refused(problems)


def _unsound(row: Any) -> dict[str, list[str]]:
    try:
        row.clean_fields(exclude=["tenant"])
        row.validate_constraints(exclude=["tenant"])
    except ValidationError as error:
        return dict(error.message_dict)
    return {}


def _replaced(model: Any, tenant: Tenant, new: Sequence[Any]) -> Tenant:
    rows(model).filter(tenant=tenant).delete()
    rows(model).bulk_create(new)
    went_live(tenant)
    return tenant
