"""The URL of a request: scheme and host are literal, templates fill path segments and query values (host.md 6).

A value is percent-encoded whole, so that it adds no `/`, `?`, `#` or `&`. In a path, one that would leave its segment
all the same, at a server that decodes too much, is refused: an empty one, `.`, `..` between slashes, a backslash, a
control character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote

from django.utils.translation import gettext as _

from falai_django.conf import settings
from falai_django.errors import OutgoingError
from falai_django.outgoing.addresses import address_of
from falai_django.outgoing.allow_list import LAST_PORT, USUAL_PORTS, allow_list
from falai_django.outgoing.hosts import is_local_name, plain_host
from falai_django.outgoing.placeholders import PLACEHOLDER, Placeholder, Text, Values, parsed

__all__ = ["Origin", "UrlTemplate", "check_origin", "check_url", "encoded", "literal_url", "parse_url", "usual_ports"]

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_SPLIT: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#\\]*)(.*)", re.DOTALL)
_PORT: Final = re.compile(r"[0-9]{1,5}")
_CONTROL: Final = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff]")
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})|%(?:0[0-9A-Fa-f]|1[0-9A-Fa-f]|7[Ff])")
# What RFC 3986 lets a segment and a query hold as it is.
_SEGMENT_SAFE: Final = "%:@!$&'()*+,;=~"
_QUERY_SAFE: Final = _SEGMENT_SAFE + "/?"
_DECODINGS: Final = 4


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request goes; `host` is plain (`hosts.plain_host`)."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}")

    @property
    def is_named(self) -> bool:
        """Whether the site's allow-list names this host for this port."""
        return allow_list(settings().outgoing_allow).names(self.host, self.port, usual_ports())


@dataclass(frozen=True, slots=True)
class UrlTemplate:
    """A URL, read once: `segments` of the path, and the query's pairs as they follow each other."""

    origin: Origin
    segments: tuple[Text, ...]
    query: tuple[tuple[str, Text], ...]

    def render(self, values: Values, more: Sequence[tuple[str, str]] = ()) -> str:
        """The URL as it leaves; `more` are pairs of the query that come after its own. OutgoingError when refused."""
        path = "".join(f"/{_segment(segment, values)}" for segment in self.segments) or "/"
        own = [(name, _query_text(text, values)) for name, text in self.query]
        pairs = [*own, *((encoded(name), encoded(value)) for name, value in more)]
        return f"{self.origin}{path}" + "".join(
            f"{'&' if index else '?'}{name}={value}" for index, (name, value) in enumerate(pairs)
        )

    @property
    def placeholders(self) -> Iterator[Placeholder]:
        for text in (*self.segments, *(text for _name, text in self.query)):
            yield from text.placeholders


def usual_ports() -> tuple[int, ...]:
    """The ports that any host may be reached on."""
    return (*USUAL_PORTS, *settings().outgoing_ports)


def encoded(text: str) -> str:
    """A value with everything encoded that has a meaning anywhere in a URL."""
    return quote(text, safe="")


def _refused(what: str, fix: str) -> OutgoingError:
    return OutgoingError("refused", what, fix)


# -- reading


def parse_url(text: str) -> UrlTemplate:
    """The URL of a `request`; OutgoingError says what is wrong with its form. Who may be reached is `check_origin`."""
    if _CONTROL.search(PLACEHOLDER.sub("", text)):
        raise _refused(_("the URL has blanks or control characters"), _("Write a blank as %20"))
    match = _SPLIT.fullmatch(text)
    if match is None or match[1].lower() not in _DEFAULT_PORTS:
        raise _refused(_("the URL does not begin with https:// and a host"), _("Write https://api.example.com/path"))
    origin = _origin(match[1].lower(), match[2])
    path, query = _split_rest(match[3])
    return UrlTemplate(origin, tuple(_segments(path)), tuple(_pairs(query)))


def _origin(scheme: str, authority: str) -> Origin:
    if "{" in authority or "}" in authority:
        raise _refused(_("the host holds a template"), _("Write the host out; templates may stand behind it"))
    if "@" in authority:
        raise _refused(_("the URL holds a user name or a password"), _("Use a secret, in a header"))
    host, port = authority, ""
    if not authority.endswith("]"):
        host, colon, port = authority.rpartition(":")
        host, port = (host, port) if colon else (authority, "")
        if colon and not (_PORT.fullmatch(port) and 0 < int(port) <= LAST_PORT):
            raise _refused(_("the port is no number up to 65535"), _("Leave it away, or write a number"))
    if ":" in host and not host.startswith("["):
        raise _refused(_("the host is no host name"), _("Write a name such as api.example.com"))
    return Origin(scheme, plain_host(host), int(port) if port else _DEFAULT_PORTS[scheme])


def _split_rest(rest: str) -> tuple[str, str]:
    """Path and query; only what the author wrote outside of templates parts them."""
    outside = PLACEHOLDER.sub(lambda match: "x" * len(match[0]), rest)
    if "#" in outside:
        raise _refused(_("the URL has a fragment (#)"), _("Leave it away, or write %23"))
    if "\\" in outside or "{" in outside or "}" in outside:
        raise _refused(
            _("the URL has a backslash, or a brace that belongs to no template"),
            _("Write a template as {{input.name}}, a backslash as %5C"),
        )
    if _BAD_ESCAPE.search(outside):
        raise _refused(_("the URL has a percent sign that encodes nothing, or a control character"), _("Write %25"))
    at = outside.find("?")
    return (rest, "") if at < 0 else (rest[:at], rest[at + 1 :])


def _cut(text: str, sign: str) -> Iterator[str]:
    """The pieces between signs, those inside of templates not counted."""
    outside = PLACEHOLDER.sub(lambda match: "x" * len(match[0]), text)
    start = 0
    for match in re.finditer(re.escape(sign), outside):
        yield text[start : match.start()]
        start = match.end()
    yield text[start:]


def _segments(path: str) -> Iterator[Text]:
    for piece in _cut(path[1:], "/") if path else ():
        text = _known(piece)
        if not text.placeholders and _leaves(text.literal):
            raise _refused(_("the path has a segment “.” or “..”"), _("Write the path as it is meant"))
        yield text


def _pairs(query: str) -> Iterator[tuple[str, Text]]:
    for piece in _cut(query, "&") if query else ():
        name, *value = _cut(piece, "=")
        if parsed(name).placeholders or PLACEHOLDER.search(name):
            raise _refused(_("a name in the query holds a template"), _("Only its value may hold one"))
        yield quote(name, safe=_QUERY_SAFE), _known("=".join(value))


def _known(piece: str) -> Text:
    text = parsed(piece)
    unknown = PLACEHOLDER.search(text.literal)
    if unknown:
        raise _refused(
            _("%(written)s names nothing") % {"written": unknown[0]}, _("Write {{input.name}} for a parameter")
        )
    return text


def literal_url(text: str) -> str:
    """A URL without templates, in the form in which it leaves. OutgoingError as `parse_url`."""
    template = parse_url(text)
    if any(template.placeholders):
        raise _refused(_("this URL holds a template"), _("Write it out"))
    return template.render(Values())


# -- filling


def _segment(text: Text, values: Values) -> str:
    pieces = []
    for part in text.parts:
        if isinstance(part, str):
            pieces.append(quote(part, safe=_SEGMENT_SAFE))
            continue
        value = part.text(values)
        if not value:
            raise _unfilled(part)
        if _leaves(value) or "\\" in value or _has_control(value):
            raise _refused(
                _("the value of %(written)s cannot stand in a path") % {"written": part.written},
                _("Use it in the query or in the body"),
            )
        pieces.append(encoded(value))
    segment = "".join(pieces)
    if text.placeholders and _leaves(segment):
        raise _refused(_("the values make a segment “..” of the path"), _("Use them in the query or in the body"))
    return segment


def _unfilled(part: Placeholder) -> OutgoingError:
    return _refused(
        _("%(written)s has no value, and the path cannot do without") % {"written": part.written},
        _("Ask for it before this step"),
    )


def _query_text(text: Text, values: Values) -> str:
    return "".join(
        quote(part, safe=_QUERY_SAFE) if isinstance(part, str) else encoded(part.text(values)) for part in text.parts
    )


def _has_control(value: str) -> bool:
    return any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in value)  # noqa: PLR2004 - C0, C1


def _decodings(value: str) -> Iterable[str]:
    for _time in range(_DECODINGS):
        yield value
        value = unquote(value)


def _leaves(segment: str) -> bool:
    """Whether a server that decodes more often than it should would read a step up or aside."""
    return any(
        piece.split(";")[0] in {".", ".."} for decoded in _decodings(segment) for piece in re.split(r"[/\\]", decoded)
    )


# -- who may be reached


def check_origin(origin: Origin) -> None:
    """Whether a request may go there, as far as the URL tells. OutgoingError when not; its addresses come later."""
    is_named = origin.is_named
    if origin.scheme != "https" and not is_named:
        raise _refused(_("the URL is not https"), _("Write https://, or have the host put into FALAI_OUTGOING_ALLOW"))
    if origin.port not in usual_ports() and not is_named:
        raise _refused(
            _("port %(port)d is not among those that may be used") % {"port": origin.port},
            _("Leave it away, or have it put into FALAI_OUTGOING_PORTS"),
        )
    address = address_of(origin.host)
    local = is_local_name(origin.host) and not is_named
    closed = address is not None and allow_list(settings().outgoing_allow).refusal(address, is_named=is_named)
    if local or closed:
        raise _refused(_("the host is not public"), _("Name a public one, or have it put into FALAI_OUTGOING_ALLOW"))


def check_url(text: str) -> None:
    """Whether a URL without templates, that an owner typed, may be reached; OutgoingError when not."""
    literal_url(text)
    check_origin(parse_url(text).origin)
