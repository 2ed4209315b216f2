"""Agents: what they are, drafted; how they serve, live; and the pages that check, publish, import and export them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of
from falai_django.admin.agent_pages import AGENT_PAGES
from falai_django.admin.body_admin import BodyAdmin
from falai_django.admin.body_forms import BodyForm
from falai_django.admin.draft_view import DraftView
from falai_django.admin.inputs import DurationField, SecondsField
from falai_django.admin.narrowing import TenantFilter
from falai_django.admin.pages import Text, row_url
from falai_django.admin.ways import ways_in
from falai_django.authoring import (
    LIVE,
    change,
    change_agent_settings,
    create_agent,
    delete_agent,
    rename,
)
from falai_django.authoring.editing import in_one_transaction
from falai_django.failures import failure_words
from falai_django.forms import Assembly, agent_head_fields
from falai_django.models import Agent, Flow
from falai_django.roles import Capability

__all__ = ["AgentAdmin", "AgentForm"]

_DRAFT_FIELDSETS: Final = (
    (_("Who it is"), ("goal", "persona", "knowledgeBase")),
    (_("How it talks"), ("instructions", "idle")),
    (_("What it remembers besides its fields"), ("variables",)),
    (_("Tools and long conversations"), ("maxToolLoops", "compaction")),
)
_LIVE_FIELDSETS: Final = (
    (
        _("How it serves"),
        {
            "description": _("What is below takes effect at once, without publishing."),
            "fields": ("is_active", "deliver", "sender", "gather_ms", "close_after_days", "human_silence"),
        },
    ),
    (_("What it says when it cannot answer"), {"fields": ("apology", "off_text")}),
    (_("Limits"), {"fields": ("turns_per_hour", "unanswered_in_a_row")}),
)


class AgentForm(BodyForm):
    """Times as people write them."""

    slug = forms.SlugField(
        label=_("Slug"),
        required=False,
        max_length=64,
        help_text=_("Its name in addresses, which stays once something is published. Empty: made of the name."),
    )
    gather_ms = SecondsField(
        label=_("Wait for more (seconds)"),
        help_text=_("Messages that follow each other so fast are answered together. 0: each by itself."),
    )
    human_silence = DurationField(
        label=_("Silence after a person wrote"),
        help_text=_("How long the agent then leaves the conversation to the team."),
    )


@admin.register(Agent)
class AgentAdmin(BodyAdmin):
    """Authors change the draft, publishers also what is live."""

    form: Any = AgentForm
    pages = AGENT_PAGES
    list_display = ("__str__", "slug", "tenant", "serves", "enabled_flows", "is_active", "in_trouble")
    list_filter = (TenantFilter, "is_active", ("trouble", admin.EmptyFieldListFilter))
    list_select_related = ("tenant", "active_release")
    search_fields = ("name", "slug")

    def assembly(self, row: Any, spec: Mapping[str, Any], view: DraftView) -> Assembly:
        return agent_head_fields(spec, view.names)

    def agent_of(self, row: Any) -> Agent:
        agent: Agent = row
        return agent

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return ((None, {"fields": ("tenant", "name", "slug", "goal", "persona")}),)
        trouble = ((_("What is wrong"), {"fields": ("in_trouble", "trouble_detail", "trouble_at", "paused_until")}),)
        head = (None, {"fields": ("tenant", "name", "slug", "serves")})
        return (*(trouble if obj.trouble else ()), head, *_draft_fieldsets(self.inputs(request, obj)), *_LIVE_FIELDSETS)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        if obj is None:
            return ()
        shown = ("tenant", "serves", "in_trouble", "trouble_detail", "trouble_at", "paused_until")
        live = () if self.may_with(request, Capability.PUBLISH, obj) else tuple(sorted(LIVE[Agent]))
        return (*shown, *live, *(("slug",) if obj.is_released else ()))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        enabled = Flow.objects.filter(agent=OuterRef("pk"), is_enabled=True).order_by().values("agent")
        agents: QuerySet[Any] = super().get_queryset(request)
        counted: QuerySet[Any] = agents.annotate(flow_count=Subquery(enabled.values(n=Count("pk"))))
        return counted

    @admin.display(description=_("serves"), ordering="active_release__number")
    def serves(self, agent: Agent) -> str:
        release = agent.active_release
        return gettext("nothing yet") if release is None else gettext("release %(number)d") % {"number": release.number}

    @admin.display(description=_("enabled flows"), ordering="flow_count", empty_value="0")
    def enabled_flows(self, agent: Any) -> int | None:
        count: int | None = agent.flow_count
        return count

    @admin.display(description=_("trouble"), ordering="trouble", empty_value="–")
    def in_trouble(self, agent: Agent) -> str | None:
        return failure_words(agent.trouble) or None

    def create(self, request: HttpRequest, form: Any) -> Agent:
        typed = form.cleaned_data
        return create_agent(
            actor_of(request), typed["tenant"], slug=typed["slug"], values=self.values(request, None, form)
        )

    def change(self, request: HttpRequest, row: Any, form: Any) -> Agent:
        actor, slug, version = actor_of(request), form.cleaned_data.get("slug"), form.token
        live = {name: form.cleaned_data[name] for name in form.changed_data if name in LIVE[Agent]}
        stored: Agent = row
        with in_one_transaction():
            if "slug" in form.changed_data and slug:
                stored = rename(actor, row, slug, version=version)
                version = stored.version
            if draft := self.values(request, row, form):
                stored = change(actor, row, draft, version=version)
                version = stored.version
            if live:
                stored = change_agent_settings(actor, row, live, version=version)
        return stored

    def ways(self, request: HttpRequest, row: Any) -> list[tuple[Text, str]]:
        return ways_in(self, request, row)

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        """To its page: what it knows and does is still to be said."""
        messages.info(request, gettext("What comes next: add its fields and its flows, then check and publish it."))
        return HttpResponseRedirect(row_url(obj, self.admin_site))

    def remove(self, request: HttpRequest, row: Any) -> None:
        delete_agent(actor_of(request), row, version=None)


def _draft_fieldsets(inputs: Sequence[str]) -> list[Any]:
    """The inputs of the draft by what they are about; what has no place of its own comes last."""
    placed = {name for _title, names in _DRAFT_FIELDSETS for name in names}
    other = [name for name in inputs if name not in placed]
    last = [(_("The rest"), {"fields": other})] if other else []
    return [*((title, {"fields": names}) for title, names in _DRAFT_FIELDSETS), *last]
