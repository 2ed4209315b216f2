"""Everything that the demo says of its own is there in Portuguese, and what is served is what was translated."""

from __future__ import annotations

import re
from pathlib import Path

import polib
import pytest

from project import demo

FOLDER = Path(demo.__file__).parent
CATALOGUE = FOLDER / "locale" / "pt_BR" / "LC_MESSAGES" / "django.po"
SAID = [
    (re.compile(r"""{% translate (["'])(.*?)\1"""), "templates/**/*.html"),
    (re.compile(r"""\b_\(\s*(["'])(.*?)\1\s*\)"""), "**/*.py"),
]


@pytest.fixture(scope="module")
def entries():
    return {entry.msgid: entry for entry in polib.pofile(str(CATALOGUE))}


def texts():
    """The English texts of the source, but for those in several pieces."""
    for pattern, paths in SAID:
        for path in FOLDER.glob(paths):
            yield from (found[1] for found in pattern.findall(path.read_text(encoding="utf-8")))


def test_every_text_is_translated(entries):
    found = set(texts())
    assert len(found) > 50
    assert {text for text in found if text not in entries} == set()
    assert [entry.msgid for entry in entries.values() if not entry.translated()] == []


def test_a_translation_has_the_same_places(entries):
    places = re.compile(r"%\(\w+\)[.\d]*[a-z]")
    for entry in entries.values():
        assert sorted(places.findall(entry.msgid)) == sorted(places.findall(entry.msgstr)), entry.msgid


def test_what_is_served_is_what_was_translated(entries):
    """After a change of the .po: msgfmt -o django.mo django.po."""
    served = {entry.msgid: entry.msgstr for entry in polib.mofile(str(CATALOGUE.with_suffix(".mo")))}
    assert served == {entry.msgid: entry.msgstr for entry in entries.values()}
