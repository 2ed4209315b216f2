"""The lists of a flow's page: its triggers and its steps, with what can be done with each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.admin import AdminSite
from django.utils.translation import gettext_lazy as _

from falai_django.admin.draft_view import DraftView
from falai_django.admin.flow_outline import Line, flow_lines
from falai_django.admin.pages import Text, page_url, registered_admin
from falai_django.models import Flow, Step, Trigger

__all__ = ["Section", "flow_sections"]

_PAGES: Final = ("change", "move", "duplicate", "delete")


@dataclass(frozen=True, slots=True)
class Section:
    """A list. `lines`: each with the addresses of its row's pages by name; `kinds`: what can be added, and where."""

    title: Text
    name: str
    lines: Sequence[tuple[Line, dict[str, str]]]
    kinds: Sequence[tuple[Text, str]]


def flow_sections(site: AdminSite, view: DraftView, flow: Flow) -> list[Section]:
    """How it starts, and what it does."""
    return [_section(site, view, flow, Trigger, _("When it starts")), _section(site, view, flow, Step, _("Steps"))]


def _section(site: AdminSite, view: DraftView, flow: Flow, model: Any, title: Text) -> Section:
    model_admin = registered_admin(site, model)
    rows = list(model.objects.filter(flow=flow).order_by("position", "pk"))
    lines = flow_lines(view, rows) if view.draft is not None else []
    adding = page_url(model_admin, "add")
    return Section(
        title,
        model._meta.model_name,
        [(line, {page: page_url(model_admin, page, line.row) for page in _PAGES}) for line in lines],
        [(told, f"{adding}?flow={flow.pk}&kind={kind}") for kind, told in model.Kind.choices],
    )
