"""The chat's own words, in two languages."""

from __future__ import annotations

import string

import pytest

from falai_engine import Code, OutcomeKind, SkipCode
from falai_engine.chat.sentences import span
from falai_engine.chat.words import CODES_IN_PORTUGUESE, SENTENCES, code_sentence, language_of
from falai_engine.records.outcomes import CODE_MESSAGES


def fields(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


@pytest.mark.parametrize("key", SENTENCES)
def test_every_sentence_is_there_in_both_languages_with_the_same_values(key):
    """Nobody reads half a table."""
    told = SENTENCES[key]
    assert set(told) == {"en", "pt"}
    if key != "help":  # holds braces of its own and takes no values
        assert fields(told["en"]) == fields(told["pt"])


def test_every_code_has_a_sentence_in_both_languages():
    """A new outcome or skip code needs its words here too."""
    codes = {*map(str, Code), *map(str, SkipCode)}
    assert set(map(str, CODE_MESSAGES)) == codes
    assert set(map(str, CODES_IN_PORTUGUESE)) == codes


def test_a_host_s_own_code_stands_for_itself():
    """Hosts end runs with codes that no table of ours knows."""
    assert code_sentence("pt", "closed-by-host") == "closed-by-host"


def test_every_kind_of_step_has_words_for_its_plain_line():
    """Lines without a code are told by their kind."""
    talk = {OutcomeKind.PROMPT, OutcomeKind.COLLECT}
    plain = {f"{kind}_{'waiting' if kind is OutcomeKind.WAIT else 'ok'}" for kind in set(OutcomeKind) - talk}
    assert plain <= set(SENTENCES)


@pytest.mark.parametrize(
    ("locale", "language"),
    [("pt", "pt"), ("pt-BR", "pt"), ("PT_pt", "pt"), ("en-US", "en"), ("es", "en"), (None, "en")],
)
def test_the_language_is_the_agent_s(locale, language):
    """Portuguese for every Portuguese locale, English for all others."""
    assert language_of(locale) == language


@pytest.mark.parametrize(
    ("ms", "told"),
    [
        (0, "0 s"),
        (1_500, "1.5 s"),
        (3_000, "3 s"),
        (90_000, "1 min"),
        (3_600_000, "1 h"),
        (5_400_000, "1 h 30 min"),
        (90_000_000, "1 d 1 h"),
        (86_400_000 * 30, "30 d"),
    ],
)
def test_a_span_is_told_as_people_tell_it(ms, told):
    """At most two units, seconds only below a minute."""
    assert span(ms) == told
