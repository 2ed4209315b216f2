"""Secrets on their way into a request, and out of everything that is told about it (spec: host.md section 6)."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeAlias
from urllib.parse import quote, quote_plus

from falai_django.errors import OutgoingError
from falai_django.outgoing.hosts import plain_host
from falai_django.outgoing.url import Origin
from falai_engine.providers.log_guard import guard

__all__ = ["MASK", "SecretOf", "SecretValue", "is_among", "masked", "masked_deep", "no_secrets"]

MASK: Final = "••••"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class SecretValue:
    """A secret that was read; `hosts` are the only ones that it goes to: `api.example.com`, or with a port.

    As long as it lives, no line of the HTTP libraries' logs holds its value.
    """

    name: str
    value: str = field(repr=False)
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        guard(self, self.value)

    def is_for(self, origin: Origin) -> bool:
        """Whether it may go there."""
        return is_among(origin, self.hosts)


SecretOf: TypeAlias = Callable[[str], SecretValue | None]
"""The secret of a name; None when the tenant has none of that name."""


def no_secrets(_name: str) -> None:
    """Where there are none."""


def is_among(origin: Origin, hosts: Iterable[str]) -> bool:
    """Whether hosts, as an owner typed them, name where a request goes; one with a port names that port only."""
    return any(_names(host, origin) for host in hosts)


def _names(entry: str, origin: Origin) -> bool:
    host, colon, port = entry.strip().rpartition(":")
    has_port = bool(colon) and port.isascii() and port.isdigit() and (":" not in host or host.endswith("]"))
    try:
        if has_port:
            return plain_host(host) == origin.host and int(port) == origin.port
        return plain_host(entry.strip()) == origin.host
    except OutgoingError:
        return False


def masked(text: str, secrets: Iterable[str]) -> str:
    """A text in which no value of a secret stands, as it is or as a URL, JSON, a page or base64 would hold it."""
    values = {form for secret in secrets if secret for form in _forms(secret)}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, MASK)
    return text


@lru_cache(maxsize=256)
def _forms(secret: str) -> frozenset[str]:
    whole = (secret, quote(secret, safe=""), quote(secret), quote_plus(secret), html.escape(secret))
    in_json = (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    plain = secret.encode(errors="surrogatepass")
    in_base64 = (base64.b64encode(plain).decode(), base64.urlsafe_b64encode(plain).decode())
    return frozenset((*whole, *in_json, *in_base64))


def masked_deep(value: Any, secrets: Iterable[str]) -> Any:
    """The same for every text inside a JSON value, keys too."""
    if isinstance(value, str):
        return masked(value, secrets)
    if isinstance(value, Mapping):
        return {masked(key, secrets): masked_deep(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [masked_deep(item, secrets) for item in value]
    return value
