"""Saving through `authoring`: its refusals become errors of the form, and nothing that was typed is lost.

A page carries the edit token that it was made with as the hidden input `version`. When somebody saved meanwhile, the
form comes back as it was typed, with a message who saved and when and a link to how it is now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from django import forms
from django.db import models
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext as _

from falai_django.admin.acting import actor_of
from falai_django.admin.pages import row_url
from falai_django.admin.scoped import TenantAdmin
from falai_django.authoring.editing import token_row
from falai_django.errors import FalaiError, StaleEditError
from falai_django.models import tenant_key, tenant_lookup
from falai_django.roles import Capability, tenants_of

__all__ = ["EditedAdmin", "EditingForm", "edit_token", "take_over"]

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[Any]
else:
    _ModelForm = forms.ModelForm

_REFUSAL: Final = "_falai_refusal"
_TOKENS: Final = ("version", "config_version")


class EditingForm(_ModelForm):
    """A form that can be told why what it holds was not saved."""

    refusal: ClassVar[FalaiError | None] = None
    way_back: ClassVar[str] = ""
    has_token: ClassVar[bool] = False

    version = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # What the page does not show is not read either.
        for name in set(self.fields) - {"version", *(self._meta.fields or self.fields)}:
            del self.fields[name]
        token = edit_token(self.instance) if self.instance.pk is not None and self.has_token else None
        if token is None:
            del self.fields["version"]
        else:
            self.initial["version"] = token

    def clean(self) -> Any:
        values = super().clean()
        if "version" in self.fields and self.cleaned_data.get("version") is None and "version" not in self.errors:
            self.add_error(None, _("The page did not say which state it shows. Open it again and repeat your change."))
        return values

    def full_clean(self) -> None:
        super().full_clean()
        if self.is_bound and self.refusal is not None:
            self._tell(self.refusal)

    @property
    def token(self) -> int | None:
        """The edit token that the page was made with."""
        token: int | None = self.cleaned_data.get("version")
        return token

    def input_of(self, problem: Any) -> str | None:
        """The input that a problem belongs to; None: the list at the top."""
        return next((name for name in (problem.path, _snake(problem.path)) if name in self.fields), None)

    def _tell(self, refusal: FalaiError) -> None:
        problems = getattr(refusal, "problems", ())
        for problem in problems:
            self.add_error(self.input_of(problem), problem.message)
        if not problems:
            self.add_error(None, _with_way(refusal, self.way_back))


class EditedAdmin(TenantAdmin):
    """An admin whose rows `authoring` writes: `create` and `change` call it with what the form holds."""

    form = EditingForm
    has_token: ClassVar[bool] = True

    def create(self, request: HttpRequest, form: Any) -> Any:
        """The new row."""
        raise NotImplementedError

    def change(self, request: HttpRequest, row: Any, form: Any) -> Any:
        """The row as it is now; `form.changed_data` names what was typed anew, `form.token` what it was made on."""
        raise NotImplementedError

    def remove(self, request: HttpRequest, row: Any) -> None:
        """Delete it."""
        raise NotImplementedError

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        if not issubclass(form, EditingForm):
            return form
        own = {
            "refusal": getattr(request, _REFUSAL, None),
            "way_back": "" if obj is None else row_url(obj, self.admin_site),
            "has_token": self.has_token and change,
        }
        narrowed = type(form.__name__, (form,), own)
        if obj is not None:
            _keep_to_tenant(narrowed, tenant_key(obj))
        return narrowed

    def get_changeform_initial_data(self, request: HttpRequest) -> Any:
        """The tenant is no question for who may do this in one only."""
        initial = super().get_changeform_initial_data(request)
        tenants = tenants_of(actor_of(request), self.capabilities.get("add", Capability.OWN))
        keys = list(tenants.values_list("pk", flat=True)[:2])
        return {**({"tenant": keys[0]} if len(keys) == 1 else {}), **initial}

    def anchor_of(self, path: str) -> str:
        """The element of the page that a machine path of a problem belongs to."""
        return f"id_{_snake(path)}"

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except FalaiError as error:
            # All of it was rolled back; the same again, now with the reason, shows the form as it was typed.
            setattr(request, _REFUSAL, error)
            return super().changeform_view(request, object_id, form_url, extra_context)

    def save_model(self, request: HttpRequest, obj: models.Model, form: Any, change: bool) -> None:
        stored = self.change(request, obj, form) if change else self.create(request, form)
        take_over(obj, stored)

    def delete_model(self, request: HttpRequest, obj: models.Model) -> None:
        self.remove(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        for row in queryset:
            self.remove(request, row)


def edit_token(row: Any) -> int | None:
    """What is raised by every save of the row, for a trigger or step the flow's; None where the last one wins."""
    holder = token_row(row)
    return next((getattr(holder, name) for name in _TOKENS if hasattr(holder, name)), None)


def _keep_to_tenant(form: Any, tenant: int) -> None:
    """A row that is there points at rows of its own tenant only, also for who works for several."""
    for field in form.base_fields.values():
        queryset = getattr(field, "queryset", None)
        if queryset is not None and tenant_lookup(queryset.model) == "tenant":
            field.queryset = queryset.filter(tenant=tenant)


def take_over(row: Any, stored: Any) -> None:
    """Let the object that Django holds be the row that `authoring` wrote."""
    if stored is not row:
        row.__dict__.update(stored.__dict__)


def _with_way(refusal: FalaiError, url: str) -> str:
    if not isinstance(refusal, StaleEditError) or not url:
        return str(refusal)
    return format_html('{} <a href="{}">{}</a>', str(refusal), url, _("See how it is now"))


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
