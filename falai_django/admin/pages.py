"""Pages beside Django's own: what each is called, who may open it, and what it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.admin.utils import quote
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise

from falai_django.roles import Capability

__all__ = ["Page", "Text", "page_url", "registered_admin", "render_page", "row_url"]

Text: TypeAlias = str | Promise
View: TypeAlias = Callable[[Any, HttpRequest, Any], HttpResponse]


@dataclass(frozen=True, slots=True)
class Page:
    """`name` ends its address and its URL's name, `title` is what the link to it says.

    `view(model_admin, request, row)` is given a row of a tenant where the person has the `capability`; a page `of_list`
    belongs to all rows and is given None. `is_offered(row)`: whether the row's page shows the link.
    """

    name: str
    title: Text
    capability: Capability
    view: View
    of_list: bool = False
    is_offered: Callable[[Any], bool] = lambda _row: True

    @property
    def route(self) -> str:
        return f"{self.name}/" if self.of_list else f"<path:object_id>/{self.name}/"


def page_url(model_admin: ModelAdmin[Any], name: str, row: Any = None) -> str:
    """The address of a page of ours, or of Django's (`changelist`, `change`, `history`, `delete`)."""
    options = model_admin.opts
    arguments = [] if row is None else [quote(row.pk)]
    name = f"admin:{options.app_label}_{options.model_name}_{name}"
    return reverse(name, args=arguments, current_app=model_admin.admin_site.name)


def row_url(row: Any, site: AdminSite) -> str:
    """The address of a row's own page in an admin."""
    name = f"admin:{row._meta.app_label}_{row._meta.model_name}_change"
    return reverse(name, args=[quote(row.pk)], current_app=site.name)


def registered_admin(site: AdminSite, model: Any) -> Any:
    """The admin of a model, None when it has no pages."""
    return site.get_model_admin(model) if site.is_registered(model) else None


def render_page(
    model_admin: ModelAdmin[Any], request: HttpRequest, template: str, title: Text, row: Any = None, **context: Any
) -> TemplateResponse:
    """A page of ours within the admin's frame: its one heading is the title, the row's way leads to it."""
    request.current_app = model_admin.admin_site.name
    return TemplateResponse(
        request,
        f"falai_django/admin/{template}",
        {
            **model_admin.admin_site.each_context(request),
            "opts": model_admin.opts,
            "original": row,
            "title": title,
            "subtitle": None if row is None else str(row),
            "media": model_admin.media,
            "list_url": page_url(model_admin, "changelist"),
            "row_url": page_url(model_admin, "change", row) if row is not None else "",
            **context,
        },
    )
