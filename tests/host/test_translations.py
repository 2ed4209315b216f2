"""The catalogues say all that is marked, in Brazilian Portuguese, and everything that people read is marked."""

from __future__ import annotations

import re
from pathlib import Path

import polib
import pytest
from django.utils import translation
from django.utils.translation import gettext, ngettext

from falai_engine.validation import RULES
from tests.host.marked_texts import ROOT, bare_texts, marked_in_python, marked_in_template, python_files, templates

APPS = {"app": ROOT / "falai_django", "demo": ROOT / "project" / "demo"}
CATALOGUE = Path("locale/pt_BR/LC_MESSAGES/django.po")
SOURCES = (ROOT / "falai_django", ROOT / "project", ROOT / "templates")

each_app = pytest.mark.parametrize("app", APPS)


def named(path):
    return path.relative_to(ROOT).as_posix()


def texts_of(folder):
    """(text, plural) -> where it stands, and what is wrong with how texts are marked."""
    found, wrong = [], []
    for path in python_files(folder):
        marked, problems = marked_in_python(path)
        found += marked
        wrong += problems
    for path in templates(folder):
        found += marked_in_template(path)
    return {each.key: each.place for each in reversed(found)}, wrong


def catalogue(app):
    return polib.pofile(str(APPS[app] / CATALOGUE))


def forms(entry):
    """The translations of an entry: one, or one a plural form."""
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


PLACEHOLDER = re.compile(r"%\(\w+\)[a-z0-9.]*[a-z]|%[sd%]|\{\{|\}\}|\{\w+\}|`[^`]*`")


def placeholders(text):
    """What is filled in, and what is quoted as code: a translation that changes it says something else."""
    return sorted(PLACEHOLDER.findall(text))


# -- what is marked


def test_texts_are_marked_so_that_makemessages_finds_them():
    """By the names that it knows, and never put together before they are looked up."""
    assert [problem for folder in SOURCES if folder.is_dir() for problem in texts_of(folder)[1]] == []


def test_every_text_lies_where_a_catalogue_is():
    folders = [folder for folder in SOURCES if folder.is_dir()]
    places = {place.split(":")[0] for folder in folders for place in texts_of(folder)[0].values()}
    assert [place for place in sorted(places) if not any(app in (ROOT / place).parents for app in APPS.values())] == []


NAMES = {"falai", "OpenAPI"}


@pytest.mark.parametrize("path", [path for folder in SOURCES for path in templates(folder)], ids=named)
def test_templates_say_nothing_that_is_not_marked(path):
    """Text, and attributes that are shown or read out; names of things are the same in every language."""
    bare = [re.sub("|".join(NAMES), "", text) for text in bare_texts(path)]
    assert [text for text in bare if any(letter.isalpha() for letter in text)] == []


SENTENCE = re.compile(r"""(["'`])([A-Z][a-z’']* [a-z][^"'`]*)\1""")


@pytest.mark.parametrize(
    "path", [path for folder in SOURCES for path in sorted(folder.rglob("static/**/*.js"))], ids=named
)
def test_scripts_have_no_texts_of_their_own(path):
    """They take them from the page, which is translated."""
    assert [match[2] for match in SENTENCE.finditer(path.read_text(encoding="utf-8"))] == []


# -- the catalogues


@each_app
def test_the_catalogue_holds_the_marked_texts_and_no_others(app):
    """After a change of texts: `make messages`, then translate what came and was changed."""
    marked = texts_of(APPS[app])[0]
    held = {(entry.msgid, entry.msgid_plural) for entry in catalogue(app) if not entry.obsolete}
    missing = {text: place for text, place in marked.items() if text not in held}
    assert missing == {}
    assert held - marked.keys() == set()
    assert catalogue(app).obsolete_entries() == []


@each_app
def test_every_text_is_translated(app):
    entries = list(catalogue(app))
    assert [entry.msgid for entry in entries if not all(forms(entry))] == []
    assert [entry.msgid for entry in entries if entry.fuzzy] == []


@each_app
def test_translations_keep_what_is_filled_in(app):
    for entry in catalogue(app):
        sources = {0: entry.msgid, 1: entry.msgid_plural} if entry.msgid_plural else {0: entry.msgid}
        for source, told in zip(sources.values(), forms(entry), strict=True):
            assert placeholders(told) == placeholders(source), (source, told)


@each_app
def test_translations_begin_and_end_as_the_texts_do(app):
    """The blanks and the closing mark are part of the sentence that others make of it."""
    edges = re.compile(r"^(\s*).*?([.:?!…]?)(\s*)$", re.DOTALL)
    for entry in catalogue(app):
        for told in forms(entry):
            assert edges.match(told).groups() == edges.match(entry.msgid_plural or entry.msgid).groups(), entry.msgid


@each_app
def test_there_is_a_form_for_one_and_one_for_many(app):
    po = catalogue(app)
    assert po.metadata["Plural-Forms"] == "nplurals=2; plural=(n > 1);"
    assert [entry.msgid for entry in po if entry.msgid_plural and sorted(entry.msgstr_plural) != [0, 1]] == []


@each_app
def test_what_is_compiled_is_what_is_written(app):
    """Sites read the .mo: `make messages` makes it of the .po."""
    path = APPS[app] / CATALOGUE
    compiled = polib.mofile(str(path.with_suffix(".mo")))
    assert {(each.msgid, each.msgid_plural): forms(each) for each in compiled} == {
        (each.msgid, each.msgid_plural): forms(each) for each in catalogue(app)
    }


def test_the_catalogue_begins_with_its_words():
    """Whoever adds a text finds the words that the others use."""
    assert "One word per thing" in catalogue("app").header


# -- as people get them


def test_every_rule_of_the_engine_is_in_the_catalogue():
    texts = {text for rule in RULES.values() for text in (rule.what, rule.fix, rule.near) if text is not None}
    assert texts - {entry.msgid for entry in catalogue("app")} == set()


def test_a_problem_of_the_engine_is_told_in_portuguese():
    rule = RULES["not-a-list"]
    with translation.override("pt-br"):
        told = gettext(rule.what).format(key="steps", shown=gettext("an object"))
    assert told == "steps é um objeto, não uma lista"


@pytest.mark.parametrize(("count", "told"), [(0, "0 dia"), (1, "1 dia"), (2, "2 dias")], ids=["none", "one", "many"])
def test_one_and_many_are_told_by_their_forms(count, told):
    with translation.override("pt-br"):
        assert ngettext("%(count)s day", "%(count)s days", count) % {"count": count} == told
