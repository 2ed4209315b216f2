"""Secrets are encrypted with the first key, read with any, and never without one on a site that serves."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from falai_django.encryption import decrypt, encrypt, is_key, rotate
from falai_django.errors import EncryptionError

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_was_encrypted_is_read_again_and_does_not_lie_open(value):
    with override_settings(FALAI_ENCRYPTION_KEYS=[OLD]):
        ciphertext = encrypt(value)
        assert decrypt(ciphertext) == value
        assert len(value) < 6 or value not in ciphertext


def test_older_keys_still_read_and_the_first_one_writes():
    with override_settings(FALAI_ENCRYPTION_KEYS=[OLD]):
        before = encrypt("s3cret")
    with override_settings(FALAI_ENCRYPTION_KEYS=[NEW, OLD]):
        assert decrypt(before) == "s3cret"
        after = rotate(before)
    with override_settings(FALAI_ENCRYPTION_KEYS=[NEW]):
        assert decrypt(after) == "s3cret"
        for refused in (decrypt, rotate):
            with pytest.raises(EncryptionError, match="FALAI_ENCRYPTION_KEYS"):
                refused(before)


@pytest.mark.parametrize("broken", ["", "gAAAA", "é"])
def test_a_broken_ciphertext_is_an_error_of_ours(broken):
    with override_settings(FALAI_ENCRYPTION_KEYS=[OLD]), pytest.raises(EncryptionError):
        decrypt(broken)


def test_a_developer_needs_no_key_and_another_site_does_not_read_what_was_written():
    with override_settings(DEBUG=True, SECRET_KEY="one"):
        ciphertext = encrypt("s3cret")
        assert decrypt(ciphertext) == "s3cret"
    with override_settings(DEBUG=True, SECRET_KEY="two"), pytest.raises(EncryptionError):
        decrypt(ciphertext)


def test_a_site_that_serves_refuses_without_a_key():
    with override_settings(DEBUG=False), pytest.raises(EncryptionError, match="no key for secrets"):
        encrypt("s3cret")


def test_a_key_that_is_none_is_told_by_its_number_and_not_shown():
    with override_settings(FALAI_ENCRYPTION_KEYS=[OLD, "half-a-key"]), pytest.raises(EncryptionError) as refused:
        encrypt("s3cret")
    assert "Key 2" in str(refused.value)
    assert "half-a-key" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "answer"), [(OLD, True), ("", False), ("é" * 44, False), (OLD[:-2], False)], ids=["key", "", "é", "cut"]
)
def test_what_is_a_key(text, answer):
    assert is_key(text) is answer
