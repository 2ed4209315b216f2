"""Secrets as they lie in the database: encrypted with FALAI_ENCRYPTION_KEYS (spec: host.md sections 1 and 6).

The first key encrypts, each of them reads; so a key is replaced by putting a new one first, running
`falai_rotate_secrets`, and taking the old one away. While developing (DEBUG) and without a key, one is derived from
SECRET_KEY; a site without DEBUG refuses, since a SECRET_KEY is replaced without a thought for what depends on it.
"""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings as django_settings
from django.utils.translation import gettext as _

from falai_django.conf import settings
from falai_django.errors import EncryptionError

__all__ = ["decrypt", "encrypt", "is_key", "rotate"]


def encrypt(value: str) -> str:
    """The ciphertext of a value. EncryptionError when the site has no key."""
    return _fernet().encrypt(value.encode()).decode()


def decrypt(ciphertext: str) -> str:
    """The value of a ciphertext. EncryptionError when no key of this site reads it."""
    try:
        return _fernet().decrypt(ciphertext.encode()).decode()
    except InvalidToken:
        raise _unreadable() from None


def rotate(ciphertext: str) -> str:
    """The same value encrypted with the first key. EncryptionError when no key of this site reads it."""
    try:
        return _fernet().rotate(ciphertext.encode()).decode()
    except InvalidToken:
        raise _unreadable() from None


def is_key(text: str) -> bool:
    """Whether a text is a key: 32 bytes in URL-safe base64."""
    try:
        Fernet(text)
    except ValueError:
        return False
    return True


def _unreadable() -> EncryptionError:
    return EncryptionError(
        _(
            "No key of this site reads this secret. Put the key that it was encrypted with back into "
            "FALAI_ENCRYPTION_KEYS, or type the secret again."
        )
    )


def _fernet() -> MultiFernet:
    keys = settings().encryption_keys
    if keys:
        return _of_keys(keys)
    if django_settings.DEBUG:
        return _of_keys((_derived(str(django_settings.SECRET_KEY)),))
    raise EncryptionError(
        _(
            "This site has no key for secrets. Put the output of `manage.py falai_rotate_secrets --new-key` into "
            "FALAI_ENCRYPTION_KEYS."
        )
    )


@lru_cache(maxsize=4)
def _of_keys(keys: tuple[str, ...]) -> MultiFernet:
    bad = [number for number, key in enumerate(keys, 1) if not is_key(key)]
    if bad:
        raise EncryptionError(
            _("Key %(number)d of FALAI_ENCRYPTION_KEYS is no Fernet key. `manage.py check` says more.")
            % {"number": bad[0]}
        )
    return MultiFernet([Fernet(key) for key in keys])


def _derived(secret_key: str) -> str:
    digest = hashlib.sha256(b"falai secrets while developing\0" + secret_key.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode()
