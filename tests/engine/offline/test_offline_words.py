"""Spelling: two ways to write a word meet, two words do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falai_engine.providers.offline.concepts import topic_weights
from falai_engine.providers.offline.message import Message
from falai_engine.providers.offline.words import distance_within, fold, same_word, stem


@given(st.text())
def test_folding_keeps_every_offset(text):
    """A span found in the folded text is the same span of the original."""
    assert len(fold(text)) == len(text)
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("text", "folded"), [("Orçamento", "orcamento"), ("É isso", "e isso"), ("NÃO", "nao"), ("İstanbul", "istanbul")]
)
def test_folding_takes_accents_and_capitals_away(text, folded):
    """An accent or a capital never parts two words."""
    assert fold(text) == folded


@pytest.mark.parametrize(
    "words",
    [
        ("entrega", "entregas", "entregar", "entregam", "entregamos"),
        ("agendar", "agenda", "agendamento", "agendando"),
        ("price", "prices", "pricing"),
        ("plano", "planos", "plans"),
        ("desconto", "descontinho"),
    ],
)
def test_forms_of_a_word_have_one_stem(words):
    """Plurals, verb forms and diminutives count as the word they come from."""
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("orcamento", "orcamneto", True),
        ("entrega", "entrga", True),
        ("weight", "wieght", True),
        ("preco", "preso", True),
        ("prato", "praza", False),
        ("casa", "cama", False),
        ("2015", "2016", False),
        ("12345", "12346", False),
        ("reserva", "conversa", False),
    ],
)
def test_a_slip_of_the_finger_is_forgiven_in_long_words_only(left, right, same):
    """One letter off in a word of five, two from nine; short words and figures must be exact."""
    assert same_word(left, right) is same


@given(st.text(alphabet="abcd", max_size=6), st.text(alphabet="abcd", max_size=6), st.integers(0, 3))
def test_the_bounded_distance_is_the_distance(left, right, limit):
    """Stopping early gives the answer that the whole table would give."""
    assert distance_within(left, right, limit) is (full_distance(left, right) <= limit)


def full_distance(left, right):
    rows = [[i + j if 0 in (i, j) else 0 for j in range(len(right) + 1)] for i in range(len(left) + 1)]
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            change = rows[i - 1][j - 1] + (left[i - 1] != right[j - 1])
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, change)
            if i > 1 and j > 1 and left[i - 1] == right[j - 2] and left[i - 2] == right[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@pytest.mark.parametrize(
    ("short", "written_out"),
    [
        ("qto custa p/ vc?", "quanto custa para voce"),
        ("obg, blz", "obrigado , beleza"),
        ("ñ tbm", "nao tambem"),
        ("I'm idk", "i am i do not know"),
        ("siiiim", "sim"),
    ],
)
def test_abbreviations_are_written_out(short, written_out):
    """What is typed short is read as what it stands for."""
    assert Message(short).normal == written_out


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("qto custa", "pede um orçamento"),
        ("how much is it", "asks about the price"),
        ("tem preço?", "what is the cost"),
        ("não funciona", "relata um problema"),
        ("quero desmarcar", "wants to cancel"),
    ],
)
def test_other_words_for_a_topic_are_the_topic(one, other):
    """Synonyms meet, within a language and across the two."""
    assert topic_weights(Message(one).normal).keys() & topic_weights(Message(other).normal).keys()


def test_what_is_turned_down_is_not_said():
    """Whoever says "não quero orçamento" asks for none."""
    assert "#price" not in Message("não quero orçamento").said
    assert "#price" in Message("não quero esperar, quero orçamento").said
