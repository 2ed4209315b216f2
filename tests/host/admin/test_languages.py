"""The admin speaks the language that the browser asks for, on every page and in full."""

from __future__ import annotations

import ast
import re
from html.parser import HTMLParser
from zoneinfo import available_timezones

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from falai_django.audit_words import AUDIT_WORDS, audit_words
from falai_django.failures import FailureCode, failure_words
from falai_django.models import PROVIDER_KINDS, Membership, Role, SessionRun
from falai_engine.records.session import RunStatus
from tests.host.admin.doors import DOORS, addresses
from tests.host.marked_texts import ROOT, python_files

# Words that are the same in both languages.
ALIKE = frozenset({"E-mail", "Id", "Persona", "Slug", "Tokens", "Top p", "URL", "Webhook", "falai"})
# What Django's own templates say in English to everybody.
OF_DJANGO = frozenset({"False", "Search", "True"})
# What the world's rows hold, besides its word: names, codes, keys of JSON.
OF_THE_ROWS = frozenset(
    {
        *("cpf", "data", "data.", "fields", "from", "lead", "messages", "model", "name", "nome", "note", "root", "s1"),
        *("said", "said.", "specVersion", "string", "text", "type", "root (root@example.com)"),
        *("falai.hand_off", "falai.notify"),
        *available_timezones(),
        *PROVIDER_KINDS,
    }
)
# Ids, digests and measures.
NO_WORDS = re.compile(r"[0-9a-f-]{36,}|[\d.,]+ ms")


class Texts(HTMLParser):
    """What a page says, and reads out."""

    SAID = frozenset({"alt", "aria-label", "placeholder", "title"})
    NO_PROSE = frozenset({"code", "pre", "script", "style", "textarea"})

    def __init__(self, page):
        super().__init__()
        self.found = set()
        self.inside = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag in self.NO_PROSE:
            self.inside.append(tag)
        values = dict(attrs)
        said = [values[name] for name in self.SAID & values.keys()]
        if tag == "input" and values.get("type") in ("submit", "button"):
            said.append(values.get("value"))
        for text in said:
            self.take(text or "")

    def handle_endtag(self, tag):
        if self.inside and tag == self.inside[-1]:
            self.inside.pop()

    def handle_data(self, data):
        if not self.inside:
            self.take(data)

    def take(self, text):
        told = " ".join(text.split()).removesuffix(":")
        if any(letter.isalpha() for letter in told):
            self.found.add(told)


def texts(client, url, language):
    """Of a page; of what is none, or is closed to everybody, nothing."""
    response = client.get(url, headers={"accept-language": language})
    is_page = response.status_code == 200 and response.headers["Content-Type"].startswith("text/html")
    return Texts(response.content.decode()).found if is_page else set()


@pytest.fixture
def client_of_root(alpha, enter):
    root = User.objects.create_superuser("root", "root@example.com", "x")
    Membership.objects.create(user=root, tenant=alpha.tenant, role=Role.OWNER)
    return enter(root)


def is_of_the_world(text):
    return "alphawor" in text.casefold() or NO_WORDS.fullmatch(text) is not None


@pytest.mark.parametrize("name", sorted(DOORS))
def test_no_page_says_in_english_what_it_can_say_in_portuguese(alpha, client_of_root, name):
    """What stays the same in the other language is a name, or a word that both have."""
    alike = set()
    for url in addresses(alpha, name).values():
        alike |= texts(client_of_root, url, "en") & texts(client_of_root, url, "pt-br")
    assert {text for text in alike if not is_of_the_world(text)} - ALIKE - OF_DJANGO - OF_THE_ROWS == set()


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("pt-br", "Selecione conversa para visualizar"),
        ("en", "Select conversation to view"),
        ("fr", "Select conversation"),
    ],
    ids=["portuguese", "english", "neither"],
)
def test_the_language_is_the_browsers(client_of_root, language, words):
    """And English for who speaks neither."""
    page = client_of_root.get(reverse("admin:falai_session_changelist"), headers={"accept-language": language})
    assert words in page.content.decode()


# -- codes in words


def test_every_status_of_a_run_has_words():
    assert {status.value for status in RunStatus} == set(SessionRun.Status.values)


def recorded(path):
    """The codes that a file calls `record` with, also by a constant of its own."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        ast.unparse(node.target): node.value for node in tree.body if isinstance(node, ast.AnnAssign) and node.value
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "record":
            yield ast.literal_eval(constants.get(ast.unparse(node.args[2]), node.args[2]))


def test_every_audit_record_has_words():
    assert {code for path in python_files(ROOT / "falai_django") for code in recorded(path)} == AUDIT_WORDS.keys()


def test_codes_without_words_stay_as_they_are():
    """Rows of a newer version of the app, and of a site's own."""
    assert audit_words("x.y") == "x.y"
    assert failure_words("x-y") == "x-y"
    assert failure_words("") == ""
    assert failure_words(FailureCode.TURN_MISSED.value) == "It was due too long ago, and was not run any more."
