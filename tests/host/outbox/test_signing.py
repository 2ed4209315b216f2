"""A receiver knows our webhooks by their signature, and nobody else's."""

from __future__ import annotations

import hashlib
import hmac
import subprocess
import sys

import pytest

from falai_django.signing import signature, verify

BODY = '{"text": "olá"}'.encode()
NOW = 1_790_000_000.9


def test_the_signature_is_hmac_sha256_over_time_dot_body():
    expected = hmac.new(b"s3cret", b"1790000000." + BODY, hashlib.sha256).hexdigest()
    assert signature(BODY, ["s3cret"], NOW) == f"t=1790000000,v1={expected}"
    assert verify(signature(BODY, ["s3cret"], NOW), BODY, ["s3cret"], NOW)


def test_while_a_secret_is_replaced_receivers_with_either_accept():
    header = signature(BODY, ["old", "new"], NOW)
    assert header.count("v1=") == 2
    assert verify(header, BODY, ["old"], NOW)
    assert verify(header, BODY, ["new"], NOW)
    assert verify(signature(BODY, ["old"], NOW), BODY, ["new", "old"], NOW)


@pytest.mark.parametrize(
    ("header", "body", "secrets", "later"),
    [
        (signature(BODY, ["s"], NOW), BODY + b" ", ["s"], 0),
        (signature(BODY, ["s"], NOW), BODY, ["other"], 0),
        (signature(BODY, ["s"], NOW), BODY, [], 0),
        (signature(BODY, [], NOW), BODY, ["s"], 0),
        (signature(BODY, ["s"], NOW), BODY, ["s"], 301),
        (signature(BODY, ["s"], NOW), BODY, ["s"], -302),
        (signature(BODY, ["s"], NOW).replace("t=179", "t=178"), BODY, ["s"], 0),
        (signature(BODY, ["s"], NOW).replace("t=", "t=-"), BODY, ["s"], 0),
        ("", BODY, ["s"], 0),
        ("t=,v1=", BODY, ["s"], 0),
        ("t=1790000000,v1=\u00e9\ud800", BODY, ["s"], 0),
        ("t=" + "9" * 5_000, BODY, ["s"], 0),
        (",,=,==;t", BODY, ["s"], 0),
    ],
    ids=[
        "another body",
        "another secret",
        "no secret",
        "unsigned",
        "too old",
        "from the future",
        "another time",
        "negative",
        "empty",
        "empty parts",
        "no ascii",
        "huge",
        "junk",
    ],
)
def test_anything_else_is_refused_without_an_exception(header, body, secrets, later):
    assert not verify(header, body, secrets, NOW + later)


def test_a_receiver_needs_neither_django_nor_its_settings():
    """The module is there to be copied, or imported where no site is."""
    code = "import sys; import falai_django.signing; assert 'django' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)  # noqa: S603 - our own line
