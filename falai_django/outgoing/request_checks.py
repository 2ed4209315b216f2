"""Every error of the form of a `request` (spec: flow-spec.md), at its path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.errors import OutgoingError
from falai_django.outgoing.findings import HttpFinding, KnownNames, below, nearest_fix, object_findings
from falai_django.outgoing.json_values import sound
from falai_django.outgoing.placeholders import PLACEHOLDER, Text, parsed
from falai_django.outgoing.secret_values import is_among
from falai_django.outgoing.url import Origin, check_origin, parse_url
from falai_engine.errors import FlowConfigurationError
from falai_engine.times import duration_ms

__all__ = ["BODILESS", "LONGEST_TIMEOUT_MS", "METHODS", "PLACES", "header_name_findings", "request_findings"]

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
BODILESS: Final = ("GET", "HEAD")
LONGEST_TIMEOUT_MS: Final = 120_000
_KEYS: Final = ("method", "url", "query", "headers", "body", "secrets", "timeout")
_SECRET_KEYS: Final = ("in", "as", "prefix")
PLACES: Final = ("header", "query")
_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}")
_HEADER_TEXT: Final = re.compile(r"[\t\x20-\x7e]*")
_DOTTED: Final = re.compile(r"\s*[A-Za-z_]\w*\.[\w.]+\s*")
# What belongs to the connection, or is set here and must mean the same for every receiver.
_OURS: Final = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "expect",
        "host",
        "idempotency-key",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


def request_findings(request: Any, names: KnownNames, *, reach: bool = True) -> Iterator[HttpFinding]:
    """All that is wrong with a request. `reach`: that its host may be reached, by the settings of now, counts too."""
    yield from object_findings(request, "request", _KEYS)
    if not isinstance(request, Mapping):
        return
    yield from _method(request)
    yield from _url(request.get("url"), names, reach=reach)
    yield from _texts(request.get("query"), "request.query", names)
    yield from _headers(request.get("headers"), names)
    yield from _body(request.get("body"), "request.body", names)
    yield from _secrets(request, names)
    yield from _timeout(request.get("timeout"))


def _method(request: Mapping[str, Any]) -> Iterator[HttpFinding]:
    method = request.get("method")
    if method not in METHODS:
        fix = _("Choose one of %(methods)s") % {"methods": ", ".join(METHODS)}
        yield HttpFinding("request.method", _("it is no method that can be used"), fix)
    elif method in BODILESS and request.get("body") is not None:
        yield HttpFinding("request.body", _("a request of this method has no body"), _("Use POST, or the query"))


def _url(url: Any, names: KnownNames, *, reach: bool) -> Iterator[HttpFinding]:
    path = "request.url"
    if not isinstance(url, str) or not url:
        yield HttpFinding(path, _("there is no URL"), _("Write https://api.example.com/path"))
        return
    try:
        origin = parse_url(url).origin
        if reach:
            check_origin(origin)
    except OutgoingError as error:
        yield HttpFinding(path, error.what, error.fix)
        return
    yield from _unknown_names(parsed(url), path, names)


def _origin(url: Any) -> Origin | None:
    """Where a URL leads; None when it cannot be read, which is told at its own place."""
    try:
        return parse_url(url).origin if isinstance(url, str) else None
    except OutgoingError:
        return None


def _unknown_names(text: Text, path: str, names: KnownNames) -> Iterator[HttpFinding]:
    known = {"input": names.parameters, "data": names.data}
    for placeholder in text.placeholders:
        among = known.get(placeholder.root)
        if among is not None and placeholder.keys[0] not in among:
            sentence = {
                "input": _("%(written)s names no parameter of it"),
                "data": _("%(written)s names no field and no variable"),
            }[placeholder.root]
            fix = nearest_fix(placeholder.keys[0], among, _("Declare it, or name one that there is"))
            yield HttpFinding(path, sentence % {"written": placeholder.written}, fix)


def _text(value: Any, path: str, names: KnownNames) -> Iterator[HttpFinding]:
    """A text with templates, all of which name something."""
    if not isinstance(value, str):
        yield HttpFinding(path, _("it is not a text"), _("Write it in quotes; a template is {{input.name}}"))
        return
    text = parsed(value)
    unknown = PLACEHOLDER.search(text.literal)
    if unknown:
        what = _("%(written)s names nothing") % {"written": unknown[0]}
        yield HttpFinding(path, what, _("Write {{input.name}} for a parameter"))
    yield from _unknown_names(text, path, names)


def _texts(values: Any, path: str, names: KnownNames) -> Iterator[HttpFinding]:
    if values is None:
        return
    if not isinstance(values, Mapping):
        yield HttpFinding(path, _("it is not an object"), _("Write a name and a text for each"))
        return
    for name, value in values.items():
        at = below(path, str(name))
        if not name or PLACEHOLDER.search(str(name)):
            yield HttpFinding(at, _("a name is empty or holds a template"), _("Only its value may hold one"))
        yield from _text(value, at, names)


def _headers(headers: Any, names: KnownNames) -> Iterator[HttpFinding]:
    yield from _texts(headers, "request.headers", names)
    seen: set[str] = set()
    for name, value in headers.items() if isinstance(headers, Mapping) else ():
        at = below("request.headers", str(name))
        yield from header_name_findings(name, at)
        if str(name).lower() in seen:
            yield HttpFinding(at, _("this header is there twice"), _("Take one away"))
        seen.add(str(name).lower())
        if isinstance(value, str) and not _HEADER_TEXT.fullmatch(parsed(value).literal):
            what = _("a header holds plain ASCII text in one line")
            yield HttpFinding(at, what, _("Put other text into the query or the body"))


def header_name_findings(name: Any, path: str) -> Iterator[HttpFinding]:
    """What is wrong with the name of a header that an author sets."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield HttpFinding(path, _("it is no name of a header"), _("Write it like X-Customer"))
    elif name.lower() in _OURS or name.lower().startswith("proxy-"):
        yield HttpFinding(path, _("this header is set by itself"), _("Take it away"))


def _body(body: Any, path: str, names: KnownNames) -> Iterator[HttpFinding]:
    try:
        sound(body)
    except ValueError:
        yield HttpFinding(path, _("it is no JSON, or nested too deep"), _("Write a smaller tree of plain values"))
        return
    yield from _leaves(body, path, names)


def _leaves(body: Any, path: str, names: KnownNames) -> Iterator[HttpFinding]:
    if isinstance(body, Mapping):
        for key, value in body.items():
            at = below(path, str(key))
            if parsed(str(key)).placeholders:
                yield HttpFinding(at, _("a name holds a template"), _("Only its value may hold one"))
            yield from _leaves(value, at, names)
    elif isinstance(body, list | tuple):
        for index, value in enumerate(body):
            yield from _leaves(value, f"{path}[{index}]", names)
    elif isinstance(body, str):
        text = parsed(body)
        # Braces of other kinds are left alone: the receiver may have templates of its own.
        for unknown in PLACEHOLDER.finditer(text.literal):
            if _DOTTED.fullmatch(unknown[1]):
                what = _("%(written)s names nothing") % {"written": unknown[0]}
                yield HttpFinding(path, what, _("Write {{input.name}} for a parameter"))
        yield from _unknown_names(text, path, names)


def _secrets(request: Mapping[str, Any], names: KnownNames) -> Iterator[HttpFinding]:
    secrets, path = request.get("secrets"), "request.secrets"
    if secrets is None:
        return
    if not isinstance(secrets, Mapping):
        yield HttpFinding(path, _("it is not an object"), _("Write the name of a secret and where it goes"))
        return
    origin = _origin(request.get("url"))
    taken = {"header": _names_of(request.get("headers")), "query": _names_of(request.get("query"))}
    for name, use in secrets.items():
        at = below(path, str(name))
        yield from _secret_name(str(name), at, names, origin)
        yield from object_findings(use, at, _SECRET_KEYS)
        if isinstance(use, Mapping):
            yield from _secret_use(use, at, taken)


def _names_of(values: Any) -> set[str]:
    return {str(name).lower() for name in values} if isinstance(values, Mapping) else set()


def _secret_name(name: str, path: str, names: KnownNames, origin: Origin | None) -> Iterator[HttpFinding]:
    if names.secrets is None:
        return
    if name not in names.secrets:
        fix = nearest_fix(name, names.secrets, _("Have an owner make it, or name another"))
        yield HttpFinding(path, _("there is no secret “%(name)s”") % {"name": name}, fix)
    elif origin is not None and not is_among(origin, names.secrets[name]):
        what = _("the secret “%(name)s” may not be sent to %(host)s") % {"name": name, "host": origin.host}
        yield HttpFinding(path, what, _("Have an owner add the host to the secret, or name another"))


def _secret_use(use: Mapping[str, Any], path: str, taken: Mapping[str, set[str]]) -> Iterator[HttpFinding]:
    place, name, prefix = use.get("in"), use.get("as"), use.get("prefix")
    if place not in PLACES:
        yield HttpFinding(f"{path}.in", _("it is neither header nor query"), _("Write header or query"))
    if not isinstance(name, str) or not name or PLACEHOLDER.search(name):
        yield HttpFinding(f"{path}.as", _("there is no name"), _("Write the name of the header or parameter"))
    elif place == "header":
        yield from header_name_findings(name, f"{path}.as")
    others = taken.get(place, set()) if isinstance(place, str) else set()
    if str(name).lower() in others:
        yield HttpFinding(f"{path}.as", _("this name is used already"), _("Take the other one away"))
    others.add(str(name).lower())
    if prefix is not None and not (isinstance(prefix, str) and _HEADER_TEXT.fullmatch(prefix)):
        yield HttpFinding(f"{path}.prefix", _("it is no plain text"), _("Write a text such as “Bearer ”"))


def _timeout(timeout: Any) -> Iterator[HttpFinding]:
    if timeout is None:
        return
    try:
        milliseconds = duration_ms(timeout)
    except FlowConfigurationError:
        milliseconds = 0
    if not 0 < milliseconds <= LONGEST_TIMEOUT_MS:
        what = _("it is no duration between 0 and 2 minutes")
        yield HttpFinding("request.timeout", what, _("Write a number and s or m, such as 10s"))
