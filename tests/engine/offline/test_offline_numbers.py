"""Numbers in both languages, in figures and words."""

from __future__ import annotations

import pytest

from falai_engine.providers.offline.numbers import numbers_in
from falai_engine.providers.offline.words import fold


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("mil e quinhentos", [1500]),
        ("2,5 mil", [2500]),
        ("10k", [10_000]),
        ("1.5k", [1500]),
        ("R$ 1.500,00", [1500]),
        ("$1,500.50", [1500.5]),
        ("1.500", [1500]),
        ("0.125", [0.125]),
        ("12,5", [12.5]),
        ("two thousand", [2000]),
        ("three hundred thousand", [300_000]),
        ("a hundred and twenty", [120]),
        ("twelve hundred", [1200]),
        ("cento e vinte e um", [121]),
        ("dois milhões e meio", [2_500_000]),
        ("3 milhões e 200 mil", [3_200_000]),
        ("cinco e meio", [5.5]),
        ("30 e 50", [30, 50]),
        ("um, dois, três", [1, 2, 3]),
        ("entre 5 e 10 mil", [5000, 10_000]),
        ("5k a 10k", [5000, 10_000]),
        ("11-50", [11, 50]),
        ("plano m, tamanho k", []),
        ("nada", []),
        ("", []),
    ],
)
def test_numbers_are_read_as_people_write_them(text, values):
    """Both decimal marks, thousands, scales, words, and a scale that a range names once."""
    assert [number.value for number in numbers_in(fold(text))] == values


def test_a_number_knows_its_place_and_its_money():
    """The span is the number's own, and a currency before or after it marks it."""
    dollars, reais, plain = numbers_in("us$ 20 ou 30 reais ou 40")
    assert [number.money for number in (dollars, reais, plain)] == [True, True, False]
    assert "us$ 20 ou 30 reais ou 40"[reais.start : reais.end] == "30"


def test_a_lone_article_is_a_weak_number():
    """No amount is named by "um plano"; inside a number "um" counts."""
    assert [number.weak for number in numbers_in("um plano de vinte e um meses")] == [True, False]


def test_a_number_too_large_is_cut():
    """No text makes a number that JSON cannot carry."""
    assert numbers_in("9" * 400)[0].value == 1e15
    assert numbers_in("milhao " * 200)[0].value <= 1e15
