"""The demo's addresses."""

from __future__ import annotations

from django.urls import path

from project.demo import views

__all__ = ["app_name", "urlpatterns"]

app_name = "demo"
urlpatterns = [
    path("", views.page, name="home"),
    path("demo/<slug:slug>/", views.page, name="page"),
    path("demo/<slug:slug>/state", views.state, name="state"),
    path("demo/<slug:slug>/say", views.say, name="say"),
    path("demo/<slug:slug>/event", views.event, name="event"),
    path("demo/<slug:slug>/wake", views.wake, name="wake"),
    path("demo/<slug:slug>/silence", views.silence, name="silence"),
    path("demo/<slug:slug>/new", views.new, name="new"),
]
