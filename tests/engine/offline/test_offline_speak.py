"""What the offline provider says."""

from __future__ import annotations

import pytest

from tests.engine.offline.build import EARLIER, SIZES, ask, known, said, speak

NAME = ask("nome", "Pergunte o nome, com leveza.")
COMPANY = ask("empresa", "Pergunte a empresa.")
SIZE = ask("porte", "Pergunte o porte, com as faixas.", enum=SIZES)
BUDGET = ask("orcamento", "Pergunte a faixa de investimento.", "number")
CONFIRMED = ask("confirmado", "Resuma e pergunte se está certo.", "boolean")


def again(field, times=1):
    return ask(field.slug, field.ask, field.type, enum=field.enum, asked=times)


def test_a_conversation_opens_with_a_greeting_and_two_questions():
    """The customer's greeting comes back, then what is missing is asked, two simple things at once."""
    assert said("bom dia", pending=[NAME, COMPANY], history=()) == (
        "Bom dia! Qual é o seu nome? E qual é a sua empresa?"
    )


def test_what_was_just_given_is_acknowledged():
    """A name is thanked for by name, another value repeated, then the next thing asked."""
    assert said("sou a Ana", pending=[COMPANY], known=[known("nome", "Ana Souza", fresh=True)]) == (
        "Obrigado, Ana! Qual é a sua empresa?"
    )
    assert said("Zeta", pending=[SIZE], known=[known("nome", "Ana"), known("empresa", "Zeta", fresh=True)]) == (
        "Anotado: Zeta. Qual é o porte: 1-10, 11-50, 51-200 ou 200+?"
    )


def test_pending_fields_are_read_from_the_answer():
    """A field that was asked for before is read in the speak call too, booleans with it."""
    reply = speak("30", pending=[again(SIZE), BUDGET])
    assert reply.structured == {"message": reply.message, "porte": "11-50", "orcamento": None}
    assert "investimento" in reply.message
    assert speak("sim", pending=[again(CONFIRMED)]).structured["confirmado"] is True


def test_a_boolean_that_was_not_asked_is_not_read():
    """The yes that brought us here confirms nothing yet."""
    assert speak("sim", pending=[CONFIRMED]).structured["confirmado"] is None


def test_what_already_gave_a_value_is_not_another_answer():
    """A message that was understood as the name is not the company, too."""
    reply = speak("Marcos", pending=[again(COMPANY)], known=[known("nome", "Marcos", fresh=True)])
    assert reply.structured["empresa"] is None


def test_all_given_is_said_to_be_so():
    """With nothing left to ask there still is a message."""
    assert said("Ana", pending=[again(NAME)]) == "Obrigado, Ana!"
    assert said("sim", pending=[again(CONFIRMED)]) == "Ótimo, obrigado por confirmar!"
    assert said("5 mil", pending=[again(BUDGET)]) == "Anotado: 5.000."


def test_a_question_asked_again_is_asked_otherwise():
    """Once more by another word each time, and by what the customer said: a refusal, a doubt, a question."""
    texts = [said(text, pending=[again(BUDGET, times)]) for text, times in (("hm", 1), ("hm", 2))]
    texts += [said(text, pending=[again(BUDGET)]) for text in ("prefiro não dizer", "não sei", "quanto custa?")]
    texts += [said(None, pending=[again(BUDGET)]), said("oi", pending=[BUDGET])]
    assert len(set(texts)) == len(texts)
    assert all(text.lower().endswith("qual é a faixa de investimento?") for text in texts)


def test_after_a_refusal_another_field_comes_first():
    """Nobody is pressed while something else is missing."""
    assert "empresa" in said("prefiro não dizer", pending=[again(NAME), again(COMPANY)])


def test_a_summary_names_what_is_known():
    """Labels and values, then the question."""
    text = said(
        "5 mil",
        pending=[CONFIRMED],
        known=[known("nome", "Ana"), known("orcamento", 5000, fresh=True, label="Orçamento"), known("vip", value=True)],
    )
    assert text == "Só para confirmar: nome: Ana, orçamento: 5.000, vip: sim. Está certo?"


@pytest.mark.parametrize(
    ("guideline", "text"),
    [
        ("Agradeça e diga que um vendedor continua.", "Muito obrigado! Um vendedor continua."),
        ("Pergunte se a proposta chegou.", "A proposta chegou?"),
        ('Diga: "Seu pedido saiu!"', "Seu pedido saiu!"),
        ("Ofereça uma demonstração gratuita", "Que tal uma demonstração gratuita?"),
        ("Peça desculpas pelo atraso. Seja breve.", "Pedimos desculpas pelo atraso."),
        ("Despeça-se", "Até logo!"),
        ("Retome de leve.", "Oi! Podemos continuar de onde paramos?"),
        ("Explique o plano anual.", "Claro! O que você gostaria de saber sobre o plano anual?"),
        ("Abrimos às 9h. Nunca prometa desconto.", "Abrimos às 9h."),
    ],
)
def test_a_guideline_is_followed_not_read_out(guideline, text):
    """An imperative becomes what it wants said; rules of conduct are kept, not told."""
    assert said("ok", guideline=guideline) == text


@pytest.mark.parametrize(
    ("guideline", "text"),
    [
        (
            "Thank them for the interest and say that a seller will continue.",
            "Thank you for the interest! A seller will continue.",
        ),
        ("Ask if the proposal has arrived.", "Has the proposal arrived?"),
        ("Tell the customer that we open at 9.", "We open at 9."),
    ],
)
def test_an_english_guideline_is_followed(guideline, text):
    """The same in English."""
    assert said("ok", guideline=guideline, locale="en-US") == text


@pytest.mark.parametrize(
    "guideline", ["Responda.", "Responda pela empresa.", "Fale.", "Explique.", "Não achou.", "", "..."]
)
def test_an_instruction_without_content_is_never_shown(guideline):
    """What only a model could do is answered in general, never blank and never the raw instruction."""
    text = said("ok", guideline=guideline or None)
    assert text.strip()
    assert guideline.rstrip(".") not in text or not guideline.strip(".")


def test_news_is_told_beside_a_question():
    """What a guideline wants told comes before the first question, and an introduction opens the conversation."""
    guideline = "Cumprimente, apresente-se como a Lia da Vereda e avise que o teste é gratuito."
    assert said("oi", pending=[NAME], guideline=guideline, history=()) == (
        "Oi! Aqui é a Lia da Vereda. O teste é gratuito. Qual é o seu nome?"
    )


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("oi", "Oi! Como posso ajudar?"),
        ("obrigado!", "De nada! Se precisar de mais alguma coisa, é só chamar."),
        ("tchau", "Até logo!"),
        ("que horas vocês abrem?", "O horário de funcionamento é das 9h às 18h."),
        ("entregam em Marte?", "Boa pergunta! Ainda não tenho essa resposta aqui. Posso ajudar em mais alguma coisa?"),
    ],
)
def test_idle_answers_kindly(message, text):
    """By what the customer does, and with a fact of the guideline when one is about the question."""
    guideline = "Responda com simpatia. O horário de funcionamento é das 9h às 18h."
    assert said(message, guideline=guideline, idle=True) == text


def test_the_language_is_the_agents_else_the_customers():
    """A locale decides; without one the message, then the author's words."""
    assert said("oi", idle=True, locale="en") == "Hi! How can I help?"
    assert said("hello there", idle=True, locale=None) == "Hi! How can I help?"
    assert said("Zeta", pending=[ask("x", "Ask for the color.")], locale=None).endswith("What is your color?")
    assert said("Zeta", pending=[ask("x", "Pergunte a cor.")], locale=None).endswith("Qual é a cor?")
    assert said("hm", idle=True, locale="fr") == "Entendi. Como posso ajudar?"


FACTS = "Entregamos às terças. A cesta custa R$ 79. Na cesta vêm oito itens."


def test_a_question_that_no_fact_answers_gets_none():
    """The facts of a guideline are not recited to a question about something else, nor twice."""
    assert said("vocês vendem carne?", guideline=FACTS).startswith("Boa pergunta!")
    assert said("qual o preço da cesta?", guideline=FACTS) == "A cesta custa R$ 79."
    told = (*EARLIER, {"role": "assistant", "content": "Entregamos às terças."})
    assert "terças" not in said("ah tá", guideline=FACTS, history=told)


@pytest.mark.parametrize("message", ["minha cesta não chegou", "veio tudo amassado", "it arrived broken"])
def test_trouble_is_heard_before_facts_are_told(message):
    """Who tells of something that went wrong hears that it is a pity."""
    sorry = said(message, guideline=FACTS, locale="pt-BR")
    assert sorry == "Sinto muito por isso. Pode me contar o que aconteceu?"


@pytest.mark.parametrize("message", ["beleza, vou esperar", "ok, entendi", "fico no aguardo", "combinado"])
def test_who_only_agrees_is_not_asked_what_it_is_about(message):
    """Somebody who waits or agrees wants nothing."""
    assert said(message, idle=True) == "Combinado! Se precisar de mais alguma coisa, é só chamar."


def test_what_cannot_be_done_is_said_to_be_so():
    """A wish that no flow serves is not answered as if nothing had been said; a mere greeting in a question is."""
    assert said("preciso remarcar", idle=True).startswith("Entendi. Ainda não consigo cuidar disso")
    assert said("oi, vocês abrem sábado?", idle=True, history=()).startswith("Oi! Boa pergunta!")
    assert said("queria entender a garantia", idle=True).startswith("Boa pergunta!")
    assert said("oi, tudo bem?", idle=True, history=()) == "Oi! Como posso ajudar?"


@pytest.mark.parametrize(
    "value", ["começou ontem depois da academia, dói quando eu abaixo", "um dois três quatro cinco seis"]
)
def test_a_sentence_is_not_said_back(value):
    """A short value is repeated, a long one only noted."""
    assert said(value, pending=[NAME], known=[known("queixa", value, fresh=True)]).startswith("Anotado, obrigado!")
    assert said("x", pending=[NAME], known=[known("queixa", "dor no joelho", fresh=True)]).startswith("Anotado: dor")


@pytest.mark.parametrize(
    ("message", "start"),
    [
        ("não", "Tudo bem, sem problema."),
        ("que saco, já falei", "Desculpe a insistência."),
        ("o teste é grátis mesmo?", "O teste é grátis. "),
        ("vocês têm app?", "Sobre isso ainda não tenho a resposta"),
        ("hmm por que vocês querem saber", "Sobre isso ainda não tenho a resposta"),
        ("tanto faz", "Pode ser o que for melhor para você:"),
        ("não entendi", "Só para eu seguir:"),
    ],
)
def test_what_stands_before_a_question_fits_what_was_said(message, start):
    """A no is no misunderstanding, anger gets an excuse, and what the guideline tells answers a question."""
    guideline = "Avise que o teste é grátis."
    assert said(message, pending=[again(NAME)], guideline=guideline).startswith(start)
