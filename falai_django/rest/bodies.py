"""Bodies of requests, read strictly, and of responses (spec: host.md section 5).

A body is JSON that every program reads alike: no key twice, no NaN, no number beyond doubles; UTF-8; of a bounded size.
A key that nobody knows is refused, with the nearest one that is known: a mistyped name never does nothing.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

from django.utils.translation import gettext as _
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer, ListSerializer, Serializer

from falai_django.authoring.json_files import parse_json
from falai_django.conf import settings
from falai_django.errors import AuthoringError
from falai_django.inbox.cleaning import cleaned, invalid
from falai_django.rest.refusals import BodyTooLargeError, InvalidJsonError

__all__ = ["AlwaysJson", "JsonRenderer", "assert_known", "checked_body", "nearest", "read_json", "render"]

Names: TypeAlias = Mapping[str, Any]
_EMPTY: Final[Names] = {}


class JsonRenderer(BaseRenderer):
    """UTF-8 JSON, whatever the site's own renderers do."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, *_more: Any, **_named: Any) -> bytes:
        return b"" if data is None else render(data)


def render(data: Any) -> bytes:
    """JSON as it goes out. Half a surrogate pair, which a blob of old may hold, goes as its escape."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)
    return text.encode("utf-8", "backslashreplace")


class AlwaysJson(BaseContentNegotiation):
    """The API speaks JSON to everybody; who may have a stream of events asks for it where there is one."""

    def select_parser(self, _request: Any, _parsers: Any) -> None:
        return None

    def select_renderer(self, _request: Any, renderers: Any, _suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


def _raw(request: Request, most: int) -> bytes:
    """The bytes of the body, empty when there is none. BodyTooLargeError beyond `most` of them."""
    found = request._request  # noqa: SLF001 - the framework's own reading has no bound
    length = found.META.get("CONTENT_LENGTH") or "0"
    if length.isdigit() and int(length[:20]) > most:
        raise BodyTooLargeError(most)
    body: bytes = found.read(most + 1)
    if len(body) > most:
        raise BodyTooLargeError(most)
    return body


def read_json(request: Request, most: int | None = None) -> Any:
    """The JSON of the body, an empty object when there is none.

    UnsupportedMediaType, BodyTooLargeError or InvalidJsonError when it is not what the API takes.
    """
    body = _raw(request, settings().request_max_bytes if most is None else most)
    if not body:
        return {}
    media_type = (request.content_type or "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise UnsupportedMediaType(media_type)
    try:
        return parse_json(body)
    except AuthoringError as error:
        raise InvalidJsonError(str(error), error.problems) from error


def checked_body(request: Request, shape: type[Serializer[Any]]) -> dict[str, Any]:
    """The body as this shape says, sound text only. InputRefusedError or ValidationError tell every problem."""
    payload = cleaned(read_json(request), "body")
    assert_known(payload, shape)
    serializer = shape(data=payload)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def assert_known(payload: Any, shape: type[Serializer[Any]]) -> None:
    """InputRefusedError for a key that the shape has not, at any depth where it says which there are."""
    if not isinstance(payload, Mapping):
        raise invalid("body", _("It is no JSON object. Send one."))
    _look(payload, _names(shape), "")


def _look(payload: Mapping[str, Any], names: Names, path: str) -> None:
    for name, part in payload.items():
        if name not in names:
            raise invalid(f"{path}{name}", nearest(name, names))
        if names[name] and isinstance(part, Mapping):
            _look(part, names[name], f"{path}{name}.")


def nearest(name: str, names: Collection[str]) -> str:
    """What to say of a name that nobody knows."""
    near = difflib.get_close_matches(name, list(names), 1, 0.5)
    if near:
        return _("There is no such part. Did you mean `%(near)s`?") % {"near": near[0]}
    return _("There is no such part. There are %(names)s.") % {"names": ", ".join(f"`{each}`" for each in names)}


@lru_cache(maxsize=64)
def _names(shape: type[Serializer[Any]]) -> Names:
    return _names_of(shape())


def _names_of(field: Any) -> Names:
    """The keys of an object and, where it says, of the objects in it; nothing where any key may stand."""
    if isinstance(field, ListSerializer) or not isinstance(field, BaseSerializer):
        return _EMPTY
    fields: Mapping[str, Any] = getattr(field, "fields", _EMPTY)
    return {name: _names_of(part) for name, part in fields.items()}
