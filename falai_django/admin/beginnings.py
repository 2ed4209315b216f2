"""What must be known before a row can be added: what it lies in and its kind, for both shape its form (spec: ux.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of
from falai_django.admin.narrowing import agent_words
from falai_django.models import Agent, Flow, tenant_lookup
from falai_django.roles import Capability, tenants_of

__all__ = ["BeginningForm", "beginning_form"]


if TYPE_CHECKING:
    _ModelChoice = forms.ModelChoiceField[Any]
else:
    _ModelChoice = forms.ModelChoiceField


class _WordedChoice(_ModelChoice):
    """Offers rows as `words` call them."""

    words: Callable[[Any], str] = str

    def label_from_instance(self, obj: Any) -> str:
        return self.words(obj)


class BeginningForm(forms.Form):
    """Asks by GET, so that the answers stand in the address of the form that follows."""

    asked: ClassVar[tuple[str, ...]] = ()

    @property
    def values(self) -> dict[str, Any]:
        """What a new row is made with."""
        return {name: self.cleaned_data[name] for name in self.asked}


def beginning_form(request: HttpRequest, model: Any, parent: str) -> BeginningForm:
    """The form of a model; bound to what the address says. One choice only is no question: it is taken."""
    fields: dict[str, forms.Field] = {parent: _parent_field(request, parent)}
    if kinds := _kinds(model):
        fields["kind"] = forms.ChoiceField(label=_("kind"), choices=kinds)
    made: type[BeginningForm] = type("BeginningForm", (BeginningForm,), {**fields, "asked": tuple(fields)})
    given = {name: request.GET[name] for name in fields if name in request.GET}
    known = {**_only_choices(fields), **given}
    return made(known, auto_id="id_%s") if known.keys() >= fields.keys() else made(initial=known)


def _only_choices(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The answers that are clear."""
    found = {}
    for name, field in fields.items():
        queryset = getattr(field, "queryset", None)
        keys = [] if queryset is None else list(queryset.values_list("pk", flat=True)[:2])
        if len(keys) == 1:
            found[name] = keys[0]
    return found


def _parent_field(request: HttpRequest, parent: str) -> forms.ModelChoiceField[Any]:
    tenants = tenants_of(actor_of(request), Capability.EDIT).values("pk")
    agent_told = agent_words(request)
    if parent == "agent":
        field = _WordedChoice(_of(Agent, tenants, "tenant"), label=_("agent"))
        field.words = agent_told
    else:
        field = _WordedChoice(_of(Flow, tenants, "agent__tenant"), label=_("flow"))
        field.words = lambda flow: f"{agent_told(flow.agent)}: {flow}"
    return field


def _of(model: Any, tenants: Any, *related: str) -> QuerySet[Any]:
    rows: QuerySet[Any] = model.objects.filter(**{f"{tenant_lookup(model)}__in": tenants})
    return rows.select_related(*related)


def _kinds(model: Any) -> list[tuple[str, Any]]:
    kind = getattr(model, "Kind", None)
    return [] if kind is None else list(kind.choices)
