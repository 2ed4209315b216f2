"""When a tool is called, and what is made of its result."""

from __future__ import annotations

import pytest

from falai_engine.model import ToolCall, ToolOffer
from tests.engine.offline.build import EARLIER, ask, known, speak


def tool(name, description, required=(), **properties):
    return ToolOffer(name, description, {"type": "object", "properties": properties, "required": list(required)})


TEXT = {"type": "string"}
ZIP = tool("buscar_cep", "Busca o endereço pelo CEP", ["cep"], cep=TEXT)
BOOK = tool("agendar", "Agenda uma consulta", ["data", "nome"], data=TEXT, nome=TEXT)
HUMAN = tool("escalar", "o cliente pede um humano")
TOOLS = (ZIP, BOOK, HUMAN)


def result(content):
    call = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call-1-0", "name": "agendar", "arguments": {}}],
    }
    return (*EARLIER, call, {"role": "tool", "tool_call_id": "call-1-0", "content": content})


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("qual o endereço do cep 01310-100?", ToolCall("buscar_cep", {"cep": "01310-100"})),
        ("quero agendar para amanhã às 15h", ToolCall("agendar", {"data": "amanhã às 15h", "nome": "Ana"})),
        ("quero falar com uma pessoa", ToolCall("escalar", {})),
    ],
)
def test_a_tool_that_is_plainly_meant_is_called(message, call):
    """By the customer's words, with what is known and what was said."""
    reply = speak(message, tools=TOOLS, known=[known("nome", "Ana")], idle=True)
    assert list(reply.tool_calls) == [call]
    assert reply.finish == "tool_calls"


@pytest.mark.parametrize("message", ["bom dia", "qual o endereço?", "quero agendar", "obrigado", None])
def test_no_tool_is_called_on_a_guess(message):
    """Not without a plain match, and not without what the tool needs."""
    assert speak(message, tools=TOOLS, idle=True).tool_calls == ()


def test_a_guideline_names_a_tool():
    """A tool's name in the guideline means the tool, as soon as its arguments are there."""
    reply = speak("amanhã", tools=[BOOK], known=[known("nome", "Ana")], guideline="Use agendar para marcar.")
    assert list(reply.tool_calls) == [ToolCall("agendar", {"data": "amanhã", "nome": "Ana"})]


def test_a_judgement_asked_of_the_model_is_given():
    """A boolean parameter is whether what its description says is so."""
    judged = {"type": "boolean", "description": "the customer sounds frustrated"}
    escalate = tool("update_state", "the customer asks for a human", ["should_escalate"], should_escalate=judged)
    reply = speak("I'm fed up, let me talk to a person", tools=[escalate], idle=True, locale="en")
    assert list(reply.tool_calls) == [ToolCall("update_state", {"should_escalate": True})]


DAYS = {"type": "string", "enum": ["quarta", "quinta", "sexta"]}
FREE = tool("horarios_livres", "Consulta os horários livres de um dia da semana", ["dia"], dia=DAYS)
USE_FREE = "Use horarios_livres para o dia escolhido e descubra o horário."


@pytest.mark.parametrize(
    ("message", "asked", "fresh", "day"),
    [
        ("quarta", 0, True, "quarta"),
        ("sou a Ana", 0, False, "quarta"),
        ("que horas tem?", 1, False, "quarta"),
        ("e na sexta?", 1, False, "sexta"),
        ("vocês atendem plano de saúde?", 1, False, None),
        ("hmm", 1, False, None),
    ],
)
def test_a_tool_named_by_the_guideline_is_called_for_news_only(message, asked, fresh, day):
    """At first, for a new value, or when asked for; what the message names goes ahead of what is known."""
    pending = [ask("horario", "Pergunte o horário.", asked=asked)]
    reply = speak(
        message, tools=[FREE], pending=pending, known=[known("dia", "quarta", fresh=fresh)], guideline=USE_FREE
    )
    assert [call.arguments for call in reply.tool_calls] == ([{"dia": day}] if day else [])


def test_one_round_of_tools_is_enough():
    """After a result the tool is not called again."""
    assert speak("quero falar com uma pessoa", tools=TOOLS, history=result("ok"), idle=True).tool_calls == ()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Livres: 9h e 10h.", "Livres: 9h e 10h."),
        ('{"ok": true}', "Pronto, está feito."),
        ('{"error": "permission denied"}', "Não consegui fazer essa consulta agora."),
        ('{"horarios": ["9h", "10h"], "gratis": true}', "Aqui está o que encontrei: horarios: 9h; 10h, gratis: sim."),
        ("42", "Aqui está o que encontrei: 42."),
        ("", "Pronto, está feito."),
        (None, "Pronto, está feito."),
    ],
)
def test_the_result_is_told(content, text):
    """Text as it is, JSON as names and values, an error without its reason."""
    assert speak("quero agendar", history=result(content), idle=True).message == text


def test_after_the_result_the_questions_go_on():
    """The result first, then what is still missing."""
    reply = speak("e amanhã?", pending=[ask("cor", "Pergunte a cor.", asked=1)], history=result("Livre: 9h."))
    assert reply.message == "Livre: 9h. Qual é a cor?"
