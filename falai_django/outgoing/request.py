"""A `request` of flow-spec.md and values, made into what leaves (spec: host.md section 6).

A query value that is one placeholder is left out when that has no value; a header never is, so that their number is the
author's. A leaf of the body that is one placeholder gets the value with its type, null when there is none; any other
text is filled as text. So what a customer says is always the inside of one value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from django.utils.translation import gettext as _

from falai_django.conf import settings
from falai_django.errors import OutgoingError
from falai_django.outgoing.connection import OutgoingRequest
from falai_django.outgoing.findings import KnownNames
from falai_django.outgoing.json_values import sound
from falai_django.outgoing.placeholders import Text, Values, parsed
from falai_django.outgoing.request_checks import PLACES, request_findings
from falai_django.outgoing.secret_values import MASK, SecretOf, SecretValue, masked
from falai_django.outgoing.url import UrlTemplate, encoded, parse_url
from falai_engine.replies import sound_text
from falai_engine.times import duration_ms

__all__ = ["IDEMPOTENCY_HEADER", "BuiltRequest", "RequestTemplate", "ShownRequest", "compile_request"]

IDEMPOTENCY_HEADER: Final = "idempotency-key"
_DEFAULTS: Final = {"accept": "application/json", "user-agent": "falai"}
_HEADER_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")
_LONGEST_HEADER: Final = 8_192
_LONGEST_URL: Final = 8_192

Pairs: TypeAlias = tuple[tuple[str, str], ...]
Pieces: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """A request as it would leave, for people: what a secret gives is ••••; `body` is its JSON, None without one."""

    method: str
    url: str
    headers: Pairs
    body: str | None


@dataclass(frozen=True, slots=True)
class BuiltRequest:
    """What leaves, and how it is shown."""

    request: OutgoingRequest
    shown: ShownRequest


@dataclass(frozen=True, slots=True)
class _SecretUse:
    secret: str
    place: str
    name: str
    prefix: str


@dataclass(frozen=True, slots=True)
class RequestTemplate:
    """A `request`, read once; `timeout` in seconds, None when it says none."""

    method: str
    url: UrlTemplate
    query: tuple[tuple[str, Text], ...]
    headers: tuple[tuple[str, Text], ...]
    body: Callable[[Values], Any] | None
    secrets: tuple[_SecretUse, ...]
    timeout: float | None

    def build(self, values: Values, secret_of: SecretOf, idempotency_key: str | None = None) -> BuiltRequest:
        """The request filled. OutgoingError when a value cannot stand in its place, or a secret is not for the host."""
        placed = [(use, use.prefix + self._secret(use, secret_of).value) for use in self.secrets]
        secrets = tuple(value[len(use.prefix) :] for use, value in placed)
        url = self.url.render(values, [(name, text.render(values)) for name, text in self.query if _sent(text, values)])
        body = self._body(values)
        headers = [(name, _header(name, text.render(values))) for name, text in self.headers]
        headers += [(IDEMPOTENCY_HEADER, idempotency_key)] if idempotency_key else []
        headers += self._defaults(has_body=body is not None)
        request = OutgoingRequest(
            self.method,
            _short(_with_pairs(url, [(use.name, encoded(value)) for use, value in placed if use.place == "query"])),
            (*headers, *((use.name, _header(use.name, value)) for use, value in placed if use.place == "header")),
            body,
            secrets,
        )
        return BuiltRequest(request, self._shown(url, headers, body, secrets))

    def _shown(self, url: str, headers: list[tuple[str, str]], body: bytes | None, secrets: Pieces) -> ShownRequest:
        """The same without its secrets: a mask in their places, and wherever else their values stand."""
        masks = {
            place: [(use.name, use.prefix + MASK) for use in self.secrets if use.place == place] for place in PLACES
        }
        told = [(name, masked(value, secrets)) for name, value in headers]
        return ShownRequest(
            self.method,
            _with_pairs(masked(url, secrets), masks["query"]),
            (*told, *masks["header"]),
            None if body is None else masked(body.decode(), secrets),
        )

    def _secret(self, use: _SecretUse, secret_of: SecretOf) -> SecretValue:
        secret = secret_of(use.secret)
        if secret is None or not secret.value:
            what = _("there is no secret “%(name)s”") % {"name": use.secret}
            raise OutgoingError("refused", what, _("Have an owner make it, or name another"))
        if not secret.is_for(self.url.origin):
            what = _("the secret “%(name)s” may not be sent to %(host)s")
            raise OutgoingError(
                "refused",
                what % {"name": use.secret, "host": self.url.origin.host},
                _("Have an owner add the host to the secret, or name another"),
            )
        return secret

    def _body(self, values: Values) -> bytes | None:
        if self.body is None:
            return None
        try:
            text = json.dumps(self.body(values), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except ValueError:
            raise OutgoingError("refused", _("a value for the body is no JSON, or nested too deep")) from None
        body = text.encode()
        if len(body) > settings().outgoing_max_bytes:
            raise OutgoingError("refused", _("the body is too large"), _("Send less"))
        return body

    def _defaults(self, *, has_body: bool) -> Iterator[tuple[str, str]]:
        named = {name.lower() for name, _text in self.headers}
        named |= {use.name.lower() for use in self.secrets if use.place == "header"}
        defaults = {**_DEFAULTS, **({"content-type": "application/json"} if has_body else {})}
        return ((name, value) for name, value in defaults.items() if name not in named)


def _sent(text: Text, values: Values) -> bool:
    return text.sole is None or text.sole.value(values) is not None


def _short(url: str) -> str:
    if len(url) > _LONGEST_URL:
        raise OutgoingError("refused", _("the URL is too long"), _("Put long values into the body"))
    return url


def _header(name: str, value: str) -> str:
    value = value.strip(" \t")
    if not _HEADER_VALUE.fullmatch(value) or len(value) > _LONGEST_HEADER:
        raise OutgoingError(
            "refused",
            _("the value for the header %(name)s is no plain ASCII text in one line") % {"name": name},
            _("Put such values into the query or the body"),
        )
    return value


def _with_pairs(url: str, pairs: list[tuple[str, str]]) -> str:
    for name, value in pairs:
        url += f"{'&' if '?' in url else '?'}{encoded(name)}={value}"
    return url


# -- reading


def compile_request(request: Mapping[str, Any]) -> RequestTemplate:
    """The request, read once. OutgoingError (`refused`) for the first error of its form."""
    for found in request_findings(request, KnownNames(), reach=False):
        raise OutgoingError("refused", f"{found.path}: {found.what}", found.fix)
    timeout, body = request.get("timeout"), request.get("body")
    return RequestTemplate(
        method=request["method"],
        url=parse_url(request["url"]),
        query=_texts(request.get("query")),
        headers=_texts(request.get("headers")),
        body=None if body is None else _tree(body),
        secrets=tuple(
            _SecretUse(name, use["in"], use["as"], use.get("prefix") or "")
            for name, use in (request.get("secrets") or {}).items()
        ),
        timeout=None if timeout is None else duration_ms(timeout) / 1_000,
    )


def _texts(values: Mapping[str, str] | None) -> tuple[tuple[str, Text], ...]:
    return tuple((sound_text(name), parsed(sound_text(value))) for name, value in (values or {}).items())


def _tree(body: Any) -> Callable[[Values], Any]:
    if isinstance(body, str):
        text = parsed(sound_text(body))
        sole = text.sole
        return (lambda values: sound(sole.value(values))) if sole else text.render
    if isinstance(body, Mapping):
        members = [(sound_text(key), _tree(value)) for key, value in body.items()]
        return lambda values: {key: fill(values) for key, fill in members}
    if isinstance(body, list | tuple):
        items = [_tree(value) for value in body]
        return lambda values: [fill(values) for fill in items]
    return lambda _values: body
