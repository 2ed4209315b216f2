"""Texts that customers, models and other systems may say, chosen to break out of where they stand."""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["HOSTILE", "hostile_text"]

HOSTILE = [
    "plain",
    "",
    '"',
    "'",
    '","admin":true,"x":"',
    "\r\nX-Evil: 1",
    "\nX-Evil: 1",
    "a\rb",
    "\x85X-Evil: 1",
    "\u2028",
    "../",
    "../../etc/passwd",
    "..",
    ".",
    "..%2f",
    "%2e%2e%2f",
    "..\\",
    "a/b",
    "//evil.example",
    "?admin=1",
    "#x",
    "&admin=1",
    "a=b;c",
    "\0",
    "..\0",
    "\ud800",
    "{{input.y}}",
    "{{data.secret}}",
    "${7*7}",
    "@evil.example",
    "https://evil.example/",
    "ção 😀 \u202e",
    " lead and trail ",
    "\t",
    "x" * 300,
]

_signs = st.text(alphabet=st.sampled_from(list("./\\?#&=%;:@{}\"'\r\n\0\x85\ud800é😀a1 ")), max_size=12)
hostile_text = st.one_of(st.sampled_from(HOSTILE), _signs, st.text(alphabet=st.characters(), max_size=20))
