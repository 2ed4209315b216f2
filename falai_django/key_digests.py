"""What is kept of an API key: enough to know it again, too little to use it (spec: host.md section 1)."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final, NamedTuple

__all__ = ["PREFIX_CHARACTERS", "NewKey", "key_digest", "new_key"]

_PREFIX_BYTES: Final = 5
_SECRET_BYTES: Final = 32
PREFIX_CHARACTERS: Final = len("falai_") + 2 * _PREFIX_BYTES
"""So many of a secret's characters are its prefix."""


class NewKey(NamedTuple):
    """A key that was just made; `secret` is what a program sends, and is seen nowhere else."""

    secret: str
    prefix: str
    digest: str


def new_key() -> NewKey:
    """`falai_<prefix>_<random>`: the prefix tells keys apart in lists and logs."""
    prefix = f"falai_{secrets.token_hex(_PREFIX_BYTES)}"
    secret = f"{prefix}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    return NewKey(secret, prefix, key_digest(secret))


def key_digest(secret: str) -> str:
    """SHA-256 in hex: the secret is random and long, so nothing slower is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()
