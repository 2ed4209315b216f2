"""How webhooks are signed, and how a receiver checks them (spec: host.md section 4). The standard library alone.

A webhook comes with the header

    Falai-Signature: t=1790000000,v1=<hex>[,v1=<hex>]

`t` is when it was sent, in seconds since 1970; each `v1` is HMAC-SHA256, under one secret, over `t`, a dot and the body
as it came, byte for byte. While a secret is being replaced there are two. A receiver in Python copies this module:

    if not verify(request.headers["Falai-Signature"], request.body, [secret], time.time()):
        return 401
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator
from typing import Final

__all__ = ["SIGNATURE_HEADER", "TOLERANCE_SECONDS", "signature", "verify"]

SIGNATURE_HEADER: Final = "Falai-Signature"
TOLERANCE_SECONDS: Final = 300
"""A signature that is older, or that much ahead, is refused: nobody plays an overheard one again."""
_SECONDS: Final = re.compile("[0-9]{1,15}")


def signature(body: bytes, secrets: Iterable[str], now: float) -> str:
    """The header's value: one `v1` a secret, in their order."""
    sent = str(int(now))
    return ",".join([f"t={sent}", *(f"v1={_digest(body, secret, sent)}" for secret in secrets)])


def verify(header: str, body: bytes, secrets: Iterable[str], now: float, tolerance: float = TOLERANCE_SECONDS) -> bool:
    """Whether one of the secrets made one of the signatures within `tolerance` seconds; False for any junk."""
    parts = list(_parts(header))
    sent = next((value for name, value in parts if name == "t"), "")
    if not _SECONDS.fullmatch(sent) or abs(now - int(sent)) > tolerance:
        return False
    given = [value.encode(errors="replace") for name, value in parts if name == "v1"]
    expected = [_digest(body, secret, sent).encode() for secret in secrets]
    # All are compared, so that the time it takes tells nothing.
    same = [hmac.compare_digest(one, other) for one in given for other in expected]
    return True in same


def _digest(body: bytes, secret: str, sent: str) -> str:
    return hmac.new(secret.encode(), f"{sent}.".encode() + body, hashlib.sha256).hexdigest()


def _parts(header: str) -> Iterator[tuple[str, str]]:
    for part in header.split(","):
        name, _, value = part.strip().partition("=")
        yield name, value
