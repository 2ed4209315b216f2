"""Ways between an agent's page and those of what lies in its draft; each only for who may go there (spec: ux.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext

from falai_django.admin.narrowing import AgentFilter
from falai_django.admin.pages import Text, page_url, registered_admin, row_url
from falai_django.models import Agent, Field, Flow

__all__ = ["agent_list_url", "ways_back", "ways_in"]

_IN: Final = (Flow, Field)
_BACK: Final = frozenset({"check", "publish"})


def agent_list_url(model_admin: Any, agent: Agent) -> str:
    """The list of the rows that lie in an agent."""
    return f"{page_url(model_admin, 'changelist')}?{urlencode({AgentFilter.parameter_name: agent.pk})}"


def ways_in(model_admin: Any, request: HttpRequest, agent: Agent) -> list[tuple[Text, str]]:
    """From the page of an agent to the lists of what it is made of, and to where more of it is added."""
    return [*_lists(model_admin.admin_site, request, agent), *_additions(model_admin.admin_site, request, agent)]


def ways_back(model_admin: Any, request: HttpRequest, agent: Agent) -> list[tuple[Text, str]]:
    """To the page of the agent that a row lies in, and to the agent's pages that come next."""
    pages = registered_admin(model_admin.admin_site, Agent).offered_pages(request, agent)
    next_ones = [(page.title, url) for page, url in pages if page.name in _BACK]
    return [(str(agent), row_url(agent, model_admin.admin_site)), *next_ones]


def _lists(site: Any, request: HttpRequest, agent: Agent) -> Iterator[tuple[Text, str]]:
    for model in _IN:
        model_admin = registered_admin(site, model)
        if model_admin.has_view_permission(request, agent):
            yield str(capfirst(model._meta.verbose_name_plural)), agent_list_url(model_admin, agent)


def _additions(site: Any, request: HttpRequest, agent: Agent) -> Iterator[tuple[Text, str]]:
    for model in _IN:
        model_admin = registered_admin(site, model)
        if model_admin.may_with(request, model_admin.capabilities["add"], agent):
            title = gettext("Add %(what)s") % {"what": model._meta.verbose_name}
            yield title, f"{page_url(model_admin, 'add')}?{urlencode({'agent': agent.pk})}"
