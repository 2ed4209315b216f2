"""Host names as they are compared and sent (spec: host.md section 6): small letters, ASCII, one form for each."""

from __future__ import annotations

import re
from typing import Final

import idna
from django.utils.translation import gettext as _

from falai_django.errors import OutgoingError
from falai_django.outgoing.addresses import address_of

__all__ = ["is_local_name", "plain_host"]

_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_LONGEST: Final = 253
# Names under which clouds and clusters answer for the machine itself, and what ends like them.
_LOCAL: Final = frozenset(
    {
        "cluster.local",
        "instance-data.ec2.internal",
        "localhost",
        "localdomain",
        "metadata.azure.internal",
        "metadata.goog",
        "metadata.google.internal",
        "metadata.oraclecloud.com",
        "metadata.packet.net",
        "metadata.platformequinix.com",
        "metadata.tencentyun.com",
    }
)


def _refused(what: str, fix: str) -> OutgoingError:
    return OutgoingError("refused", what, fix)


def plain_host(text: str) -> str:
    """The one form of a host: a name in ASCII, an IPv4 address, or an IPv6 address without brackets.

    Raises OutgoingError: for numbers that some readers take for an address (`127.1`, `0x7f000001`) above all.
    """
    if text.startswith("[") or ":" in text:
        return _ipv6(text)
    host = _ascii(text)
    if host.endswith("."):
        raise _refused(_("the host ends with a dot"), _("Leave the dot away"))
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        address = address_of(host)
        if address is None:
            raise _refused(
                _("the host is a number, but no plain address"), _("Write the address as 203.0.113.7, or a name")
            )
        return str(address)
    if len(host) > _LONGEST or not all(_LABEL.fullmatch(label) for label in labels):
        raise _refused(_("the host is no host name"), _("Write a name such as api.example.com"))
    return host


def _ipv6(text: str) -> str:
    inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    address = address_of(inner)
    if address is None or address.version != 6:  # noqa: PLR2004 - of IP
        raise _refused(_("the host is no IPv6 address"), _("Write it as [2001:db8::7], without a zone"))
    return str(address)


def _ascii(text: str) -> str:
    """As IDNA has it; what is mapped to other characters is read afterwards, so that it hides nothing."""
    try:
        if text.isascii() and "xn--" not in text.lower():
            return text.lower()
        return idna.encode(text, uts46=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        raise _refused(_("the host is no host name"), _("Write a name such as api.example.com")) from None


def is_local_name(host: str) -> bool:
    """Whether a plain host is a name that means this machine or network, whatever it resolves to."""
    if address_of(host) is not None:
        return False
    return "." not in host or any(host == name or host.endswith(f".{name}") for name in _LOCAL)
