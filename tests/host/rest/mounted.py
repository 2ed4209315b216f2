"""A site that includes the API under addresses of its own, twice."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("falai/", include("falai_django.urls")),
    path("second/", include("falai_django.urls", namespace="second")),
]
