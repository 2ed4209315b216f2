"""How the views' methods are told in the OpenAPI document: one decorator, from the tables that the code runs by."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, TypeVar

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from falai_django.models import Scope
from falai_django.rest.error_table import rows_of_table
from falai_django.rest.shapes.errors import ErrorAnswer

__all__ = [
    "ASYNC",
    "ORDERED_PAGE",
    "PAGE",
    "ApiSchema",
    "Operation",
    "answer_example",
    "body_example",
    "header",
    "query",
]

F = TypeVar("F", bound=Callable[..., Any])

_PATH_ID: Final = {"type": "string", "pattern": "^[A-Za-z0-9._:@+~-]{1,128}$"}
_SLUG: Final = {"type": "string", "pattern": "^[a-z0-9_-]{1,64}$"}
_NUMBER: Final = {"type": "integer", "minimum": 1, "maximum": 2_147_483_647}
_PATH: Final[Mapping[str, tuple[Any, str]]] = {
    "agent": (_SLUG, "The slug of an agent of the key's tenant."),
    "session": (_PATH_ID, "The id of a conversation, as the caller names it."),
    "turn": (_NUMBER, "The number of a turn."),
    "number": (_NUMBER, "The number of a release."),
    "anchor": (_PATH_ID, "The name of an anchor, such as `lead`."),
    "key": (_PATH_ID, "The key of an anchor."),
}
_OF_ALL: Final = ("internal", "database-unavailable")
_OF_KEYED: Final = ("unauthenticated", "missing-scope", "not-found", "too-many-requests", "invalid-input")
_OF_BODIES: Final = ("invalid-json", "too-large", "unsupported-media-type")


def query(name: str, type_: Any, description: str, **more: Any) -> OpenApiParameter:
    """A parameter of the address."""
    return OpenApiParameter(name, type_, OpenApiParameter.QUERY, description=description, **more)


def header(name: str, description: str) -> OpenApiParameter:
    """A header that may be sent."""
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=description)


ASYNC: Final = (header("Prefer", "`respond-async`: the address of the turn at once."),)
PAGE: Final = (query("limit", int, "At most so many rows; 50 unless told."),)
ORDERED_PAGE: Final = (
    *PAGE,
    query("cursor", str, "The `next` of the page before."),
    query("order", str, "`newest` or `oldest` first.", enum=["newest", "oldest"]),
)


def body_example(name: str, value: Any) -> OpenApiExample:
    """A body that may be sent."""
    return OpenApiExample(name, value=value, request_only=True)


def answer_example(name: str, value: Any, status: int = 200) -> OpenApiExample:
    """An answer that may come."""
    return OpenApiExample(name, value=value, response_only=True, status_codes=[str(status)])


@dataclass(frozen=True, slots=True)
class _Errors:
    """The codes that an operation may answer, as its responses and examples."""

    codes: Collection[str]

    def by_status(self) -> dict[int, list[Any]]:
        found: dict[int, list[Any]] = {}
        for row in rows_of_table():
            if row.code in self.codes:
                found.setdefault(row.status, []).append(row)
        return found

    def responses(self) -> dict[int, OpenApiResponse]:
        return {
            status: OpenApiResponse(ErrorAnswer, "\n".join(f"`{row.code}`: {row.meaning}" for row in rows))
            for status, rows in self.by_status().items()
        }

    def examples(self) -> list[OpenApiExample]:
        return [
            answer_example(row.code, {"error": {"code": str(row.code), "message": str(row.meaning)}}, row.status)
            for rows in self.by_status().values()
            for row in rows
        ]


@dataclass(frozen=True, slots=True)
class Operation:
    """Tells of a view's method, as its decorator: `name` is its operationId, `answers` are the good ones by status.

    `codes`: its own errors; those that every operation shares, its path and its scopes are added.
    """

    name: str
    summary: str
    _: KW_ONLY
    tag: str
    answers: Mapping[Any, Any]
    path: Sequence[str] = ()
    body: Any = None
    codes: Sequence[str] = ()
    scopes: Collection[Scope] = ()
    examples: Sequence[OpenApiExample] = ()
    parameters: Sequence[OpenApiParameter] = ()
    description: str = ""

    def __call__(self, method: F) -> F:
        errors = _Errors(self._all_codes())
        # The framework builds upon the schema class that it finds here, else upon the site's own.
        method.kwargs = {"schema": ApiSchema}  # type: ignore[attr-defined]
        decorate: Callable[[F], F] = extend_schema(
            operation_id=self.name,
            summary=self.summary,
            description="\n\n".join(filter(None, (self.description, _scopes_told(self.scopes)))),
            tags=[self.tag],
            request=None if self.body is None else {"application/json": self.body},
            responses={**errors.responses(), **{status: _told(shape) for status, shape in self.answers.items()}},
            examples=[*self.examples, *errors.examples()],
            parameters=[*(_in_path(each) for each in self.path), *self.parameters],
            auth=None if self.scopes else [],
            extensions={"x-error-codes": sorted(map(str, errors.codes))},
        )
        return decorate(method)

    def _all_codes(self) -> set[str]:
        shared = {*_OF_ALL, *(_OF_KEYED if self.scopes else ()), *(_OF_BODIES if self.body is not None else ())}
        return {*map(str, self.codes), *shared}


def _in_path(name: str) -> OpenApiParameter:
    schema, meaning = _PATH[name]
    return OpenApiParameter(name, schema, OpenApiParameter.PATH, description=meaning)


def _told(shape: Any) -> Any:
    return OpenApiResponse(description="Nothing") if shape is None else shape


def _scopes_told(scopes: Collection[Scope]) -> str:
    return f"Scope: {' or '.join(f'`{scope}`' for scope in scopes)}." if scopes else ""


class ApiSchema(AutoSchema):
    """As the framework's, without guessing: what is not told by `operation` is not there."""

    def get_override_parameters(self) -> list[Any]:
        return []

    def get_filter_backends(self) -> list[Any]:
        return []

    def map_renderers(self, _attribute: str) -> list[str]:
        return ["application/json"]
