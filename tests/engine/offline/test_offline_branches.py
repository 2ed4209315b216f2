"""When a `when` of the asking step holds."""

from __future__ import annotations

import pytest

from tests.engine.offline.build import choice, understand

NAME, COMPANY, SIZE, BUDGET = (
    "quer corrigir o nome",
    "quer corrigir a empresa",
    "quer corrigir o número de pessoas",
    "quer corrigir o orçamento",
)


def holding(message, *whens, **about):
    """Which of the branches hold."""
    return [when for when, holds in understand(message, whens=whens, **about)["branches"].items() if holds]


@pytest.mark.parametrize(
    ("message", "corrected"),
    [
        ("não, o orçamento é 500", [BUDGET]),
        ("na verdade o orçamento é 500", [BUDGET]),
        ("quero corrigir o orçamento, são 500", [BUDGET]),
        ("queria mudar o orçamento", [BUDGET]),
        ("não, são 500 por mês", [BUDGET]),
        ("não, somos 15 pessoas", [SIZE]),
        ("não, somos 15", [SIZE]),
        ("somos 40 funcionários", [SIZE]),
        ("não, a empresa é Zeta Ltda", [COMPANY]),
        ("não, meu nome é Ana Paula", [NAME]),
        ("não tá certo, a empresa é Visão Clara", [COMPANY]),
        ("tá certo, mas o nome é Ana Lima", [NAME]),
        ("o nome da empresa tá errado", [COMPANY]),
        ("não", []),
        ("tá errado isso aí", []),
        ("sim, somos 40 funcionários", []),
        ("isso, o orçamento é 500", []),
        ("não, obrigado", []),
        ("vocês atendem empresas de 40 pessoas?", []),
    ],
)
def test_a_correction_holds_for_what_is_corrected(message, corrected):
    """Told anew, with a no before it or asked to be changed: that fact and no other; a plain no corrects none."""
    assert holding(message, NAME, COMPANY, SIZE, BUDGET) == corrected


def test_what_is_corrected_must_be_said():
    """That something is wrong corrects nothing that was merely asked for."""
    asked = [choice("orcamento", "number", description="Quanto a empresa pensa em investir.", asked=True)]
    assert holding("tá errado isso aí", COMPANY, BUDGET, fields=asked) == []


@pytest.mark.parametrize(
    ("message", "holds"),
    [
        ("no, the budget is 500", True),
        ("please change the budget", True),
        ("can you fix the budget?", True),
        ("no", False),
        ("no thanks", False),
    ],
)
def test_an_english_correction_holds(message, holds):
    """The same in English."""
    assert bool(holding(message, "wants to correct the budget", locale="en")) is holds


@pytest.mark.parametrize(
    ("message", "holds"),
    [("a empresa está ótima", False), ("na verdade a empresa é Zeta", True), ("na verdade me chamo Ana", True)],
)
def test_alternatives_share_what_stands_before_them(message, holds):
    """Of "quer corrigir o nome ou a empresa" the second is a correction, too, not the mere word."""
    assert bool(holding(message, "quer corrigir o nome ou a empresa")) is holds


@pytest.mark.parametrize(
    ("message", "holds"),
    [
        ("e na sexta?", True),
        ("pode ser sexta então", True),
        ("prefiro outro dia", True),
        ("às 10h30", False),
        ("sexta às 10h30", False),
        ("não sei", False),
        ("vocês atendem plano de saúde?", False),
    ],
)
def test_another_day_is_wanted_by_who_names_one(message, holds):
    """Where an hour was asked for, a day without an hour is another day."""
    fields = [choice("horario", description="A que horas a pessoa quer vir.", asked=True)]
    assert bool(holding(message, "prefere outro dia", fields=fields)) is holds


@pytest.mark.parametrize(("message", "holds"), [("esquece, deixa pra lá", True), ("chama um atendente", False)])
def test_giving_up_on_a_person_is_giving_up(message, holds):
    """Who gives up on talking to somebody is told from who wants to."""
    assert bool(holding(message, "desiste de falar com alguém")) is holds
