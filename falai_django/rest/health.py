"""`health/live` and `health/ready`, for whoever runs the site (spec: host.md section 5)."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db import Error as DatabaseError
from rest_framework.request import Request
from rest_framework.response import Response

from falai_django.models import Scope
from falai_django.readiness import Readiness, readiness
from falai_django.rest.access import Caller
from falai_django.rest.operations import Operation
from falai_django.rest.shapes.health import HealthAnswer
from falai_django.rest.views import ApiView

__all__ = ["LiveView", "ReadyView"]

_TAG: Final = "Health"


class LiveView(ApiView):
    """Whether the process answers at all; the database is not asked."""

    authentication_classes = ()

    @Operation("live", "Whether the process runs", tag=_TAG, answers={200: HealthAnswer})
    def get(self, _request: Request) -> Response:
        return Response({"status": "ok"})


class ReadyView(ApiView):
    """Whether it could take a turn."""

    def perform_authentication(self, request: Request) -> None:
        """Where the database cannot say whose key it is, nobody's is told that the database does not answer."""
        try:
            super().perform_authentication(request)
        except DatabaseError:
            request.user, request.auth = AnonymousUser(), None

    @Operation(
        "ready",
        "Whether turns can be taken: database, migrations, releases",
        tag=_TAG,
        answers={200: HealthAnswer, 503: HealthAnswer},
        codes=("unauthenticated",),
        description=(
            "503 when the database does not answer, a migration is missing, or no agent's release compiles; `degraded` "
            "when some agent's does not. Which ones of its tenant, and why, a key with the scope `read` is told."
        ),
    )
    def get(self, request: Request) -> Response:
        found = readiness()
        told: dict[str, Any] = {"status": _status(found), "checks": _checks(found)}
        caller = request.auth
        if isinstance(caller, Caller) and caller.has(Scope.READ):
            told["unavailable"] = [
                {"agent": agent.slug, "message": why}
                for agent, why in found.unavailable
                if agent.tenant_id == caller.tenant.pk
            ]
        return Response(told, status=200 if found.is_ready else 503)


def _status(found: Readiness) -> str:
    if not found.is_ready:
        return "unavailable"
    return "degraded" if found.unavailable else "ok"


def _checks(found: Readiness) -> dict[str, str]:
    words = {True: "ok", False: "failed"}
    return {
        "database": words[found.has_database],
        "migrations": words[found.is_migrated],
        "releases": words[found.is_migrated and not found.unavailable],
    }
