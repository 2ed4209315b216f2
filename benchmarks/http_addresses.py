"""The API, and a bare view that runs the statements of a turn and does nothing else."""

from __future__ import annotations

import json
import os
import uuid
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from django.db import connection, transaction
from django.urls import include, path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

__all__ = ["STATEMENTS", "BareView", "urlpatterns"]

STATEMENTS = "BENCHMARK_STATEMENTS"
"""The environment's name for a file: JSON, a list of [SQL, whether it returns the Turn's key], see `host_http`."""


@cache
def _statements() -> list[tuple[str, bool]]:
    return [tuple(each) for each in json.loads(Path(os.environ[STATEMENTS]).read_text(encoding="utf-8"))]


class _Fresh(dict[str, Any]):
    """What is filled in; an id that is new wherever one is asked for."""

    def __missing__(self, name: str) -> str:
        return uuid.uuid4().hex


class BareView(APIView):
    """What anybody would write for the same statements."""

    authentication_classes: ClassVar[list[Any]] = []
    permission_classes: ClassVar[list[Any]] = []

    def post(self, request: Request, row: int) -> Response:
        told = _Fresh(row=row, turn=0)
        text = request.data["message"]["text"]
        with connection.cursor() as cursor:
            for sql, gives_turn in _statements():
                cursor.execute(sql % told)
                if cursor.description is not None:
                    found = cursor.fetchall()
                    if gives_turn:
                        told["turn"] = found[0][0]
        return Response({"turn": told["turn"], "text": text})


urlpatterns = [
    path("bare/<int:row>", transaction.non_atomic_requests(BareView.as_view())),
    path("", include("falai_django.urls")),
]
