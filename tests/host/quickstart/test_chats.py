"""What a visitor does with a demo agent, and what the page is told of it."""

from __future__ import annotations

import pytest
from django.db.models import F
from django.utils.html import escape

from falai_django.loop import tick
from falai_django.models import Message, Session, Turn
from project.demo.catalog import AGENTS
from project.demo.models import Heard


def authors(state):
    return [each["author"] for each in state["messages"]]


def texts(state, author="assistant"):
    return [each["text"] for each in state["messages"] if each["author"] == author]


def last(state):
    return state["turns"][0]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.slug)
def test_what_the_page_suggests_works(visitor, agent):
    """A newcomer who follows the suggestions meets no trouble, and is answered until somebody takes over."""
    for number, text in enumerate(agent.says, 1):
        state = visitor.says(agent.slug, text)
        assert state["trouble"] is None
        assert len(texts(state, "customer")) == number
        assert state["silence"] is not None or authors(state)[-1] == "assistant"
    assert not Turn.objects.exclude(state="done").exists()


def test_the_triage_reaches_its_end_as_suggested(visitor):
    """The whole of what a newcomer may see in two minutes: values, a correction, an action, a farewell."""
    for text in AGENTS[0].says:
        state = visitor.says("triage", text)
    assert {each["label"]: each["value"] for each in state["data"]}["Orçamento"] == "500"
    assert [each["where"] for each in last(state)["performed"]] == ["Action salvar_lead"]
    assert any(each["tone"] == "end" for each in last(state)["lines"])
    assert state["runs"] == []


def test_what_was_understood_is_told_by_the_authors_names(visitor):
    visitor.says("triage", "Oi, boa tarde! Queria saber quanto custa o sistema de vocês")
    state = visitor.says("triage", "Sou a Marina, da Padaria Sol Nascente")
    understood = last(state)["understood"]
    assert [each["title"] for each in understood["flows"]] == ["Triagem comercial"]
    assert {each["label"]: each["value"] for each in understood["fields"]} == {
        "Nome": "Marina",
        "Empresa": "Padaria Sol Nascente",
    }


def test_a_mention_is_told_with_what_it_was_about(visitor):
    for text in AGENTS[2].says[:3]:
        state = visitor.says("competitor", text)
    (mention,) = last(state)["understood"]["mentions"]
    assert mention["holds"]
    assert "Pague Fácil" in mention["more"]
    assert [each["where"] for each in last(state)["performed"]] == ["Action anotar_concorrente"]


def test_a_tool_and_an_action_that_fails_are_told(visitor):
    """The hour is gone: the page shows the call, red, with the diary's reason."""
    for text in AGENTS[4].says[:5]:
        state = visitor.says("booking", text)
    (call,) = last(state)["performed"]
    assert (call["tone"], call["more"]) == ("failed", "sexta 10h is not free")
    assert any(each["where"].startswith("Tool") for turn in state["turns"] for each in turn["performed"])


def test_a_value_that_is_dropped_says_why(visitor):
    visitor.says("triage", "oi")
    turn = Turn.objects.get()
    kept = {"flows": [], "mentions": [], "branches": [], "fields": [{"slug": "porte", "value": "mil"}]}
    Heard.objects.update_or_create(turn=turn, defaults={"understood": kept})
    (value,) = last(visitor.sees("triage"))["understood"]["fields"]
    assert (value["label"], value["value"]) == ("Porte", "mil")
    assert "choices" in value["more"]


def test_a_repeated_message_is_one(visitor):
    """The page tries again under the same key when an answer was lost."""
    visitor.says("triage", "oi", key="k1")
    state = visitor.says("triage", "oi", key="k1")
    assert authors(state) == ["customer", "assistant"]


def test_an_empty_or_endless_message_is_refused_in_words(visitor):
    assert visitor.says("triage", "  ")["trouble"]
    assert visitor.says("triage", "x" * 4_001)["trouble"]
    assert not Turn.objects.exists()


def test_the_campaign_begins_by_an_event_and_a_wake_that_need_not_be_awaited(visitor):
    state = visitor.does("campaign", "event", name="carrinho_abandonado")
    (wake,) = state["wakes"]
    assert wake["label"] == "Carrinho abandonado"
    visitor.does("campaign", "wake")
    _let_leave()
    state = visitor.sees("campaign")
    assert "Bruna" in texts(state)[0]
    assert "Esperar o pagamento" in state["wakes"][0]["label"]
    visitor.does("campaign", "event", name="pagamento_confirmado")
    _let_leave()
    state = visitor.sees("campaign")
    assert "Pagamento confirmado" in texts(state)[-1]
    assert state["wakes"] == []


def _let_leave():
    """The loop sends what has to leave, without the pauses before it."""
    queued = Message.objects.filter(state="queued")
    while queued.exists():
        queued.update(due=F("created_at"))
        assert tick(["outbox"]).done["outbox"]


def test_a_silence_is_nudged_without_waiting_for_three_hours(visitor):
    state = visitor.says("follow-up", AGENTS[1].says[0])
    (wake,) = state["wakes"]
    assert "(silence)" in wake["label"]
    visitor.does("follow-up", "wake")
    _let_leave()
    state = visitor.sees("follow-up")
    assert authors(state)[-2:] == ["assistant", "assistant"]
    assert last(state)["what"] == "A time has come"


def test_where_nothing_waits_the_page_is_told(visitor):
    assert visitor.does("triage", "wake")["trouble"]


def test_a_hand_off_silences_and_the_team_gives_back(visitor):
    for text in AGENTS[3].says[1:3]:
        state = visitor.says("handoff", text)
    assert "Meu colchão chegou rasgado" in state["silence"]["text"]
    state = visitor.says("handoff", "Tá aí?")
    assert authors(state)[-1] == "customer"
    assert [each["text"] for each in last(state)["lines"]] == ["Nothing came of it."]
    visitor.does("handoff", "event", name="atendimento_encerrado")
    _let_leave()
    state = visitor.sees("handoff")
    assert state["silence"] is None
    assert "Nina de volta" in texts(state)[-1]


def test_a_visitor_may_take_over_and_give_back(visitor):
    state = visitor.does("triage", "silence", on="true")
    assert "a person took over" in state["silence"]["text"]
    assert texts(visitor.says("triage", "oi")) == []
    state = visitor.does("triage", "silence", on="false")
    assert state["silence"] is None


def test_an_event_that_nobody_knows_does_no_harm(visitor):
    visitor.does("campaign", "event", name="nobody_knows")
    assert visitor.does("campaign", "event", name="")["trouble"]


def test_a_new_conversation_begins_with_nothing(visitor):
    visitor.says("triage", "Sou a Marina")
    state = visitor.does("triage", "new")
    assert (state["messages"], state["turns"], state["data"]) == ([], [], [])
    assert Session.objects.count() == 1


def test_a_message_is_handed_on_as_it_was_written(visitor):
    """It is the page that shows it as text: nothing is rendered or taken away here."""
    hostile = "<img src=x onerror=alert(1)> \u202e\U0001f600"
    state = visitor.says("triage", hostile)
    assert texts(state, "customer") == [hostile]
    assert escape(hostile) not in visitor.get("/").content.decode()


def test_another_tenants_turns_are_not_listened_to(visitor, monkeypatch):
    visitor.says("triage", "oi")
    heard = Heard.objects.count()
    monkeypatch.setattr("project.demo.hearing.TENANTS", {})
    visitor.says("triage", "Sou a Marina")
    assert Heard.objects.count() == heard


@pytest.mark.parametrize(("language", "word"), [("en", "The fixed question"), ("pt-br", "A pergunta fixa")])
def test_words_are_those_of_the_readers_language(visitor, language, word):
    visitor.cookies["django_language"] = language
    for text in AGENTS[0].says[:4]:
        visitor.says("triage", text)
    lines = [line["text"] for turn in visitor.sees("triage")["turns"] for line in turn["lines"]]
    assert any(word in line for line in lines)
