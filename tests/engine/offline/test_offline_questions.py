"""From how an author says to ask to the question."""

from __future__ import annotations

import pytest

from falai_engine.providers.offline.questions import question_of
from tests.engine.offline.build import SIZES, ask


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Pergunte o nome, com leveza.", "Qual é o seu nome?"),
        ("Pergunte a empresa.", "Qual é a sua empresa?"),
        ("Pergunte a faixa de investimento.", "Qual é a faixa de investimento?"),
        ("Pergunte como a pessoa se chama.", "Como você se chama?"),
        ("Pergunte se a proposta chegou.", "A proposta chegou?"),
        ("Confirme se ele quer continuar.", "Você quer continuar?"),
        ("Peça o e-mail do cliente.", "Qual é o seu e-mail?"),
        ("Peça os dados de pagamento", "Quais são os dados de pagamento?"),
        ("Pergunte quanto pensam em investir, deixando claro que uma ideia basta.", "Quanto pensam em investir?"),
        ("Pergunte ao cliente qual o melhor dia", "Qual o melhor dia?"),
        ("Cumprimente e pergunte o nome", "Qual é o seu nome?"),
        ("Pergunte qual é a cor favorita", "Qual é a cor favorita?"),
        ("Quanto a Zeta pensa investir?", "Quanto a Zeta pensa investir?"),
        ("Pode confirmar o e-mail?", "Pode confirmar o e-mail?"),
        ('Pergunte: "E o seu nome?"', "E o seu nome?"),
        ("Me conta seu nome, por favor.", "Me conta seu nome, por favor."),
    ],
)
def test_a_portuguese_instruction_becomes_a_question(text, question):
    """The verb of asking, the manner and the third person go; a question stays as it is."""
    assert question_of(ask("x", text), "pt").text == question


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Ask the company.", "What is your company?"),
        ("Ask for their name, nicely.", "What is your name?"),
        ("Ask how many people they are.", "How many people are you?"),
        ("Ask whether they want to continue.", "Do you want to continue?"),
        ("Ask if the proposal has arrived.", "Has the proposal arrived?"),
        ("Ask what their budget is", "What is your budget?"),
        ("Find out when they want to start", "When do you want to start?"),
        ("Ask which company they work for.", "Which company do you work for?"),
        ("Get the best time to call", "What is the best time to call?"),
        ("Ask for the e-mail that should get it.", "What is the e-mail that should get it?"),
        ("What is your name?", "What is your name?"),
    ],
)
def test_an_english_instruction_becomes_a_question(text, question):
    """They becomes you, and an embedded clause is turned round."""
    assert question_of(ask("x", text), "en").text == question


@pytest.mark.parametrize(
    ("field", "question"),
    [
        (ask("nome"), "Qual é o seu nome?"),
        (ask("x", label="Objetivo"), "Qual é o seu objetivo?"),
        (ask("cor_favorita"), "Qual é a cor favorita?"),
        (ask("tem_site", kind="boolean", description="Se o cliente já tem site"), "Você já tem site?"),
        (ask("aceite", kind="boolean", label="Aceita os termos"), "Aceita os termos?"),
        (ask("confirmado", "Confirme os dados", "boolean"), "Está certo?"),
    ],
)
def test_without_words_of_the_author_the_field_asks_for_itself(field, question):
    """By its role, its label, its description or its slug."""
    assert question_of(field, "pt").text == question


def test_a_summary_is_noticed():
    """The author's "resuma" wants what is known said before the question."""
    asked = question_of(ask("c", "Resuma e pergunte se está certo.", "boolean"), "pt")
    assert (asked.text, asked.wants_summary) == ("Está certo?", True)


def test_the_options_of_an_enum_are_named():
    """In the question when it is ours, after it when it is the author's, once when the author named them."""
    assert question_of(ask("p", "Pergunte o porte.", enum=SIZES), "pt").text == (
        "Qual é o porte: 1-10, 11-50, 51-200 ou 200+?"
    )
    assert question_of(ask("p", "Qual plano?", enum=("A1", "B2")), "pt").text == "Qual plano? Opções: A1 ou B2."
    assert question_of(ask("p", "A1 ou B2?", enum=("A1", "B2")), "pt").text == "A1 ou B2?"


def test_a_field_is_asked_in_the_language_of_the_conversation():
    """An author's Portuguese for a common field does not reach an English customer."""
    assert question_of(ask("nome", "Pergunte o nome."), "en").text == "What is your name?"
