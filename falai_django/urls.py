"""What a site includes: `path("falai/", include("falai_django.urls"))` puts the API under `/falai/api/v1/`.

The demo site includes it at its root. Nothing depends on where it is, nor on the name of the namespace.
"""

from __future__ import annotations

from falai_django.rest.routes import API_PATTERNS, DOCUMENT_PATTERNS

__all__ = ["app_name", "urlpatterns"]

app_name = "falai"
urlpatterns = [*API_PATTERNS, *DOCUMENT_PATTERNS]
