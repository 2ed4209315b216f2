"""Pages of rows that hold flow-spec JSON: the right inputs for their kind, pickers of their agent (spec: ux.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import AdminForm
from django.contrib.admin.utils import flatten_fieldsets, unquote
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of, tell_error
from falai_django.admin.beginnings import beginning_form
from falai_django.admin.body_forms import BodyForm, row_anchor
from falai_django.admin.draft_view import DraftView, draft_view
from falai_django.admin.editing import EditedAdmin
from falai_django.admin.narrowing import asked_key
from falai_django.admin.pages import Text, page_url, registered_admin, render_page
from falai_django.admin.ways import agent_list_url, ways_back
from falai_django.authoring import (
    DRAFT,
    change,
    create_row,
    delete,
    in_one_transaction,
    references_to,
    rename,
    spec_changes,
)
from falai_django.authoring.editing import token_row
from falai_django.documents import path_parts, row_spec
from falai_django.errors import AuthoringError, DocumentError
from falai_django.forms import Assembly
from falai_django.models import Agent

__all__ = ["BodyAdmin", "BodyPage", "DraftRowAdmin", "posted_version"]

_PAGES: Final = "_falai_pages"


@dataclass(frozen=True, slots=True)
class BodyPage:
    """What a page shows: a row, stored or begun, what it says, the inputs for it, and the draft around it."""

    row: Any
    spec: Mapping[str, Any]
    assembly: Assembly
    view: DraftView


class BodyAdmin(EditedAdmin):
    """An admin of rows that say something in flow-spec JSON.

    `columns` are inputs for columns of the row, above those of its JSON; `anchors` says which input a key of flow-spec
    is edited by, where that is not the one of its name.
    """

    form = BodyForm
    change_form_template = "falai_django/admin/body_form.html"
    columns: ClassVar[tuple[str, ...]] = ()
    anchors: ClassVar[Mapping[str, str]] = {}

    class Media:
        css = {"all": ["falai_django/flows.css"]}

    def assembly(self, row: Any, spec: Mapping[str, Any], view: DraftView) -> Assembly:
        """The inputs for what a row says."""
        raise NotImplementedError

    def agent_of(self, row: Any) -> Agent:
        """The agent in whose draft a row lies."""
        agent: Agent = row.agent
        return agent

    def view_of(self, request: HttpRequest, row: Any) -> DraftView:
        """The draft around a row."""
        return draft_view(request, self.agent_of(row))

    def begun(self, request: HttpRequest) -> Any:
        """The row that is being added, as far as it is known; None when its form asks for nothing in JSON."""
        return None

    def page(self, request: HttpRequest, row: Any = None) -> BodyPage | None:
        """The page of a row, made once a request; without a row, that of the one which is begun."""
        pages: dict[tuple[type[Any], int | None], BodyPage] = request.__dict__.setdefault(_PAGES, {})
        key = (self.model, None if row is None else row.pk)
        shown = self.begun(request) if row is None and key not in pages else row
        if key not in pages and shown is not None:
            spec, view = row_spec(shown), self.view_of(request, shown)
            pages[key] = BodyPage(shown, spec, self.assembly(shown, spec, view), view)
        return pages.get(key)

    def inputs(self, request: HttpRequest, row: Any = None) -> tuple[str, ...]:
        """The names of the inputs for what a row says."""
        page = self.page(request, row)
        return () if page is None else tuple(page.assembly.fields)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        page = self.page(request, obj)
        if page is not None:
            # What is only to be read has no input, as Django does it for a form that it makes itself.
            read = [name for name in self.get_readonly_fields(request, obj) if name in self.form.declared_fields]
            own = {**dict.fromkeys(read), **page.assembly.fields, "assembly": page.assembly}
            own |= self.form_parts(request, page)
            kwargs["form"] = type(self.form.__name__, (self.form,), own)
        made = super().get_form(request, obj, change, **kwargs)
        if obj is not None and not self.has_change_permission(request, obj):
            for name in self.inputs(request, obj):
                made.base_fields[name].disabled = True
        return made

    def form_parts(self, request: HttpRequest, page: BodyPage) -> Mapping[str, Any]:
        """What the form has beside the inputs of the page."""
        return {}

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        row, form = context["original"], context["adminform"].form
        page = self.page(request, row)
        if row is not None and not self.has_change_permission(request, row):
            context["adminform"] = self._to_read(request, row, form)
            context["media"] += form.media
        if page is not None:
            if row is not None and not form.is_bound:
                context["row_problems"] = form.show(page.view.problems_of(row))
            context["trouble"] = page.view.trouble
        return super().render_change_form(request, context, *args, **kwargs)

    def _to_read(self, request: HttpRequest, row: Any, form: Any) -> AdminForm:
        """Django shows a reader no input at all; those of flow-spec JSON are the only ones that can show it."""
        inputs = self.inputs(request, row)
        fieldsets: Any = self.get_fieldsets(request, row)
        read = [name for name in flatten_fieldsets(fieldsets) if name not in inputs]
        return AdminForm(form, fieldsets, {}, read, model_admin=self)

    def anchor_of(self, path: str) -> str:
        first = next(iter(path_parts(path)), "")
        return row_anchor(self.anchors.get(str(first), str(first)))

    def values(self, request: HttpRequest, row: Any, form: Any) -> dict[str, Any]:
        """The attributes that were typed anew, of a new row also its kind."""
        page = self.page(request, row)
        known = DRAFT[self.model] - {*self.inputs(request, row)}
        typed = {name: form.cleaned_data[name] for name in form.changed_data if name in known}
        if page is None:
            return typed
        kind = {"kind": page.row.kind} if row is None and "kind" in known else {}
        return {**kind, **typed, **spec_changes(page.row, page.spec, form.spec)}

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except DocumentError as error:
            tell_error(request, error)
            return HttpResponseRedirect(page_url(self, "changelist"))

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        response: HttpResponse = super().response_add(request, obj, post_url_continue)
        self._tell_problems(request, obj)
        return response

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        response: HttpResponse = super().response_change(request, obj)
        self._tell_problems(request, obj)
        return response

    def _tell_problems(self, request: HttpRequest, row: Any) -> None:
        """A draft that is wrong is kept all the same; what is missing before it can be published is told."""
        agent = self.agent_of(row)
        before = self.view_of(request, row)
        count = sum(problem.is_error for problem in DraftView(agent, before.flow).problems)
        if count:
            told = ngettext(
                "Saved as a draft. %(count)d problem remains before it can be published.",
                "Saved as a draft. %(count)d problems remain before it can be published.",
                count,
            )
            url = page_url(registered_admin(self.admin_site, Agent), "check", agent)
            way = format_html('{} <a href="{}">{}</a>', told % {"count": count}, url, gettext("See all of them"))
            messages.warning(request, way)


class DraftRowAdmin(BodyAdmin):
    """An admin of rows inside a draft. `parent`: the relation to what a row lies in, which stays as it is."""

    delete_confirmation_template = "falai_django/admin/delete_named.html"
    parent: ClassVar[str] = "agent"

    def begun(self, request: HttpRequest) -> Any:
        form = beginning_form(request, self.model, self.parent)
        return self.model(**form.values) if form.is_valid() else None

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        if object_id is None:
            if not self.has_add_permission(request):
                raise PermissionDenied
            if self.begun(request) is None:
                return self._ask(request)
        return super().changeform_view(request, object_id, form_url, extra_context)

    def _ask(self, request: HttpRequest) -> HttpResponse:
        """For what must be known first."""
        form = beginning_form(request, self.model, self.parent)
        title = gettext("Add %(what)s") % {"what": self.opts.verbose_name}
        return render_page(self, request, "beginning.html", title, form=form)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = (*self.shown_first(request, obj), *self.columns, *self.inputs(request, obj))
        return ((None, {"fields": fields}),)

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        # Another one would begin with the question where it lies.
        context["show_save_and_add_another"] = False
        return super().render_change_form(request, context, *args, **kwargs)

    def shown_first(self, request: HttpRequest, obj: Any) -> tuple[str, ...]:
        """What a row has beside what it says."""
        kind = ("kind",) if hasattr(self.model, "Kind") else ()
        if not hasattr(self.model, "slug"):
            return (self.parent, *kind)
        return (self.parent, *kind, "fixed_slug" if obj is not None and obj.is_released else "slug")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return (self.parent, "kind", "fixed_slug", "step_id")

    @admin.display(description=_("slug"))
    def fixed_slug(self, row: Any) -> str:
        return gettext("%(slug)s (a release uses it, so it stays)") % {"slug": row.slug}

    def form_parts(self, request: HttpRequest, page: BodyPage) -> Mapping[str, Any]:
        if page.row.pk is not None:
            return {}
        asked = beginning_form(request, self.model, self.parent).asked
        return {"begun": {name: getattr(page.row, name) for name in asked}, **self._new_slug()}

    def _new_slug(self) -> dict[str, Any]:
        if not hasattr(self.model, "slug"):
            return {}
        help_text = _("What programs and flows call it: small letters, digits, - and _. Empty: made for you.")
        most = self.model._meta.get_field("slug").max_length
        return {"slug": forms.CharField(label=_("Slug"), required=False, max_length=most, help_text=help_text)}

    def create(self, request: HttpRequest, form: Any) -> Any:
        row = self.begun(request)
        slug = form.cleaned_data.get("slug", "")
        return create_row(actor_of(request), row.agent, self.model, slug=slug, values=self.values(request, None, form))

    def change(self, request: HttpRequest, row: Any, form: Any) -> Any:
        actor, version = actor_of(request), form.token
        slug = form.cleaned_data.get("slug")
        with in_one_transaction():
            if "slug" in form.changed_data and slug:
                version = rename(actor, row, slug, version=version).version
            return change(actor, row, self.values(request, row, form), version=version)

    def remove(self, request: HttpRequest, row: Any) -> None:
        left = delete(actor_of(request), row, version=posted_version(request))
        if left:
            messages.warning(request, _told_left(left))

    def ways(self, request: HttpRequest, row: Any) -> list[tuple[Text, str]]:
        return ways_back(self, request, self.agent_of(row))

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        """To the others of its agent."""
        return HttpResponseRedirect(agent_list_url(self, self.agent_of(obj)))

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        """To the list as it was filtered, else to the others of its agent."""
        if self.get_preserved_filters(request):
            return super().response_post_save_change(request, obj)
        return HttpResponseRedirect(agent_list_url(self, self.agent_of(obj)))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        row = self.get_object(request, unquote(object_id))
        if row is not None and self.has_delete_permission(request, row):
            try:
                names = [_told_reference(each) for each in references_to(row)]
            except DocumentError as error:
                # What names it cannot be told, so nobody could say what the deletion would leave behind.
                tell_error(request, error)
                return HttpResponseRedirect(page_url(self, "change", row))
            extra_context = {**(extra_context or {}), "named_by": names, "version": token_row(row).version}
        return super().delete_view(request, object_id, extra_context)


def posted_version(request: HttpRequest) -> int:
    """The edit token that a page sent. AuthoringError when there is none."""
    version = asked_key(request.POST.get("version"))
    if version is None:
        raise AuthoringError(
            gettext("The page did not say which state it shows. Open it again and repeat your change.")
        )
    return version


def _told_reference(reference: Any) -> str:
    row = reference.row
    named = gettext("%(kind)s “%(name)s”") % {"kind": row._meta.verbose_name, "name": row}
    flow = getattr(row, "flow", None)
    return named if flow is None else gettext("%(part)s of flow “%(flow)s”") % {"part": named, "flow": flow}


def _told_left(references: Sequence[Any]) -> str:
    rows = dict.fromkeys(map(_told_reference, references))
    return gettext("It is still named by: %(rows)s. Change them before you publish.") % {"rows": "; ".join(rows)}
