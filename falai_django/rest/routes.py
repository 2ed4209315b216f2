"""The addresses of the API, the table of host.md section 5."""

from __future__ import annotations

from typing import Final

from django.apps import apps
from django.urls import URLPattern, path, re_path

from falai_django.rest.drafts import ActivateView, DraftView, PublishView, ReleasesView, ValidateView
from falai_django.rest.health import LiveView, ReadyView
from falai_django.rest.messages import MessagesView
from falai_django.rest.openapi import SchemaView, docs
from falai_django.rest.sending import AckView, EventsView, OutboxView
from falai_django.rest.sessions import CloseView, ContactView, SessionView, WakesView
from falai_django.rest.turns import TurnsView, TurnView
from falai_django.rest.views import NowhereView

__all__ = ["API", "API_PATTERNS", "DOCUMENT_PATTERNS"]

API: Final = "api/v1/"
_AGENT: Final = f"{API}agents/<str:agent>"
_SESSION: Final = f"{_AGENT}/sessions/<str:session>"

API_PATTERNS: Final[list[URLPattern]] = [
    path(f"{_SESSION}/turns", TurnsView.as_view(), name="turns"),
    path(f"{_SESSION}/turns/<int:turn>", TurnView.as_view(), name="turn"),
    path(_SESSION, SessionView.as_view(), name="session"),
    path(f"{_SESSION}/close", CloseView.as_view(), name="close"),
    path(f"{_SESSION}/messages", MessagesView.as_view(), name="messages"),
    path(f"{_SESSION}/wakes", WakesView.as_view(), name="wakes"),
    path(f"{_AGENT}/events", EventsView.as_view(), name="events"),
    path(f"{API}contacts/<str:anchor>/<str:key>", ContactView.as_view(), name="contact"),
    path(f"{API}outbox", OutboxView.as_view(), name="outbox"),
    path(f"{API}outbox/ack", AckView.as_view(), name="ack"),
    path(f"{_AGENT}/draft", DraftView.as_view(), name="draft"),
    path(f"{_AGENT}/validate", ValidateView.as_view(), name="validate"),
    path(f"{_AGENT}/publish", PublishView.as_view(), name="publish"),
    path(f"{_AGENT}/releases", ReleasesView.as_view(), name="releases"),
    path(f"{_AGENT}/releases/<int:number>/activate", ActivateView.as_view(), name="activate"),
    path(f"{API}health/live", LiveView.as_view(), name="live"),
    path(f"{API}health/ready", ReadyView.as_view(), name="ready"),
]
"""A trailing slash is another address: there is one for each thing."""

DOCUMENT_PATTERNS: Final[list[URLPattern]] = [
    path("api/schema", SchemaView.as_view(), name="schema"),
    *([path("api/docs", docs, name="docs")] if apps.is_installed("drf_spectacular_sidecar") else []),
    re_path(rf"^{API}", NowhereView.as_view(), name="nowhere"),
]
"""The API about itself; the page needs the static files of `drf_spectacular_sidecar`."""
