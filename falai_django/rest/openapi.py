"""The OpenAPI document of the API, and the page that shows it (spec: host.md section 5)."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from rest_framework.request import Request
from rest_framework.response import Response

from falai_django.content_policy import with_content_policy
from falai_django.rest.error_table import rows_of_table
from falai_django.rest.views import ApiView

__all__ = ["ApiGenerator", "KeyScheme", "SchemaView", "docs"]

VERSION: Final = "1"
TAGS: Final = ("Turns", "Sessions", "Messages", "Sending", "Flows as code", "Health")
"""In the order that they are shown in."""
_DESCRIPTION: Final = """\
Conversations with agents: post what happened, get what to say.

Every request but those about health brings `Authorization: Bearer` with an API key. A key sees its tenant alone, and
may do what its scopes say. Bodies are JSON; times are ISO 8601 in UTC; a key that nobody knows is refused.

Errors have one shape, `{"error": {"code", "message", "problems"?, "retryAfter"?}}`; what is made of a turn that was
taken stands beside it as `turn`. Codes stay as they are:

| status | code | when |
|---|---|---|
"""


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call] # its metaclass has no types
    """How a key is sent."""

    target_class = "falai_django.rest.access.KeyAuthentication"
    name = "ApiKey"

    def get_security_definition(self, _auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An API key, as an owner of the tenant made it."}


class ApiGenerator(SchemaGenerator):
    """Of our API alone, whatever else the site has; it needs no settings of the site's."""

    def _initialise_endpoints(self) -> None:
        super()._initialise_endpoints()  # type: ignore[no-untyped-call]
        found: Any = self.endpoints  # more than its stubs say: the view stands fourth
        self.endpoints = [each for each in found if _is_ours(each[3])]

    def get_schema(self, request: Any = None, public: bool = False) -> dict[str, Any]:
        schema: dict[str, Any] = super().get_schema(request, public)  # type: ignore[no-untyped-call]
        schema["info"] = {"title": "falai", "version": VERSION, "description": _DESCRIPTION + _table()}
        schema["tags"] = [{"name": name} for name in TAGS]
        return schema


def _is_ours(view: Any) -> bool:
    return issubclass(getattr(view, "cls", object), ApiView)


def _table() -> str:
    return "".join(f"| {row.status} | `{row.code}` | {row.meaning} |\n" for row in rows_of_table())


class SchemaView(ApiView):
    """The document, for everybody: it says nothing of any tenant."""

    authentication_classes = ()
    throttle_classes = ()
    schema = None

    def get(self, _request: Request) -> Response:
        return Response(ApiGenerator().get_schema(public=True))  # type: ignore[no-untyped-call]


@with_content_policy
@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Swagger UI from the site's own static files."""
    match = request.resolver_match
    assert match is not None
    schema = reverse(":".join([*match.namespaces, "schema"]))
    return render(request, "falai_django/docs.html", {"schema": schema})
