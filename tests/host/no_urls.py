"""A site without any page."""

from __future__ import annotations

urlpatterns = []
