"""Sensitive values where they need not be read: inputs, receipts, outcomes, responses, logs (host.md sections 3, 6)."""

from __future__ import annotations

import json
import logging

import pytest

from falai_django import registry
from falai_django.conversations.running_again import run_again
from falai_django.inbox import event, set_values
from falai_django.masking import masked, sensitive_values
from falai_django.models import Field, Receipt, Turn
from falai_django.roles import Actor
from tests.host.runtime.flows import ACTIONS, EVENTS, SAY, acting
from tests.host.runtime.stage import document

CPF = "123.456.789-00"
FIELDS = {"nome": {"type": "string"}, "cpf": {"type": "string"}}
ASK_CPF = {
    "id": "f",
    "on": [{"message": []}],
    "steps": [{"id": "a", "collect": ["cpf"], "prompt": "Ask."}, {"id": "s", "say": "Anotei {{data.cpf}}."}],
}
ASKED = [{"message": "CPF?", "cpf": None}]
GIVEN = [{"fields": {"cpf": CPF}}]


@pytest.fixture
def asking(stage):
    """It has asked for what is sensitive."""
    stage.publish(document(ASK_CPF, fields=FIELDS), sensitive=["cpf"])
    stage.answers("oi", speak=ASKED)
    return stage


@pytest.mark.parametrize("said", [CPF, "12345678900", "123 456 789 00", "123.456.789/00"])
@pytest.mark.parametrize("kept", [CPF, "12345678900"])
def test_a_number_is_known_in_whatever_groups_it_was_written(said, kept):
    """A model tidies what it reads, so that the text and the value differ."""
    values = sensitive_values({"cpf": kept}, ["cpf"])
    assert masked({"text": f"é {said}, tá?"}, ["cpf"], values) == {"text": "é ***, tá?"}


@pytest.mark.parametrize(
    ("value", "text", "left"),
    [
        ("Ana Silva", "sou a ANA SILVA", "sou a ***"),
        ("ab", "ab abc", "ab abc"),
        (1500.0, "ganho 1500", "ganho ***"),
        (1500, "ganho 1500.0", "ganho ***.0"),
        (True, "True", "True"),
        ({"rua": "Rua Sete"}, "moro na rua sete", "moro na ***"),
        ("99999", "às 9:99:99", "às 9:99:99"),
    ],
    ids=["letters", "short", "whole", "integer", "boolean", "nested", "no-number"],
)
def test_what_is_looked_for_in_texts(value, text, left):
    values = sensitive_values({"x": value}, ["x"])
    assert masked(text, ["x"], values) == left


def test_a_value_of_many_characters_is_looked_for_as_it_is():
    """Searching stays cheap however long it is."""
    value = "1" * 60_000
    assert masked(f"a{value}b", ["x"], sensitive_values({"x": value}, ["x"])) == "a***b"


def test_a_value_that_was_replaced_or_taken_away_is_masked_too(asking):
    """The turn was about the old one as much as about the new."""
    asking.answers(CPF, understand=GIVEN)
    asking.takes(set_values(data={"cpf": None}, metadata={"note": f"era {CPF}"}))
    asking.drains()
    assert CPF not in json.dumps(asking.last_turn().input)


def test_every_message_of_a_group_is_masked(asking):
    """Not only the last, which has the fate of all."""
    asking.set_agent(gather_ms=2_000)
    asking.says(f"meu cpf é {CPF}")
    asking.says("ok?")
    asking.make_due_for_gathering()
    asking.script(GIVEN)
    asking.drains()
    assert [state for _, state in asking.states()] == ["done", "merged", "done"]
    assert [turn.input["message"]["text"] for turn in asking.turns()[1:]] == ["meu cpf é ***", "ok?"]
    assert asking.transcript()[2] == ("customer", f"meu cpf é {CPF}")


@pytest.fixture
def telling(stage):
    """An action that tells of the value in its result, and is replayed by what it told."""

    @registry.action("act", parameters={})
    def act(params, call):
        call.set({"cpf": CPF})
        return {"ok": True, "detail": f"cpf {CPF} is new"}

    stage.publish(document(acting(), SAY, actions=ACTIONS, events=EVENTS, fields=FIELDS), sensitive=["cpf"])
    return stage


def test_what_an_action_tells_is_masked_in_outcomes_and_responses(telling):
    """Its receipt keeps that it was done, not what it gave."""
    telling.takes(event("go", key="k", payload={"cpf": CPF}))
    telling.drains()
    turn = telling.last_turn()
    assert turn.state == "done"
    assert CPF not in json.dumps([turn.outcomes, turn.response, turn.input, turn.error_detail])
    assert "cpf *** is new" in json.dumps(turn.outcomes)
    assert [(receipt.state, receipt.result) for receipt in Receipt.objects.all()] == [("done", None)]
    assert telling.session().blob["data"]["cpf"] == CPF


def test_keys_stay_what_they_are(telling):
    """A message's id is how its caller knows it, whatever it looks like."""
    telling.takes(event("go", key=CPF))
    telling.drains()
    turn = telling.last_turn()
    assert turn.key == turn.response["turn"]["key"] == CPF
    assert turn.response["messages"][0]["key"] == f"acting#{CPF}:done:1"


def test_receipts_of_a_turn_that_fails_after_its_action_are_masked(telling, monkeypatch):
    """The action was done, the turn was not: nobody runs it again."""
    from falai_engine import ErrorKind, ProviderError  # noqa: PLC0415 - what a provider raises

    def refuses(given):
        raise ProviderError("x", ErrorKind.AUTH)

    telling.takes(event("go", key="k"))
    with monkeypatch.context() as patched:
        patched.setattr("falai_django.turns.working.claim_changes", lambda *given: refuses(given))
        telling.drains()
    assert telling.last_turn().state == "failed"
    assert [receipt.result for receipt in Receipt.objects.all()] == [None]


def test_a_dead_turn_keeps_what_it_needs_until_it_has_been_run_again(telling, monkeypatch):
    """Its receipt says what was done already; when it is done at last, that goes too."""
    turn = telling.takes(event("go", key="k", payload={"cpf": CPF}))

    def raises(*given):
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr("falai_django.turns.working.claim_changes", raises)
        for _ in range(3):
            telling.drains()
            telling.make_due()
    turn.refresh_from_db()
    assert (turn.state, turn.input["event"]["payload"]) == ("dead", {"cpf": CPF})
    assert Receipt.objects.get().result["set"] == [{"cpf": CPF}]
    run_again(Actor.command("test"), turn)
    telling.drains()
    turn.refresh_from_db()
    assert (turn.state, turn.input["event"]["payload"]) == ("done", {"cpf": "***"})
    assert Receipt.objects.get().result is None


def test_receipts_of_an_earlier_try_are_masked_though_this_one_needed_none(telling):
    """A publish in between took the action away."""
    telling.takes(event("go", key="k"))
    telling.dies_at("turn-taken", telling.drains)
    telling.publish(document(SAY, events=EVENTS, fields=FIELDS), sensitive=["cpf"])
    telling.drains()
    assert telling.last_turn().state == "done"
    assert [receipt.result for receipt in Receipt.objects.all()] == [None]


def test_the_draft_s_sensitive_fields_count_for_a_turn_of_the_draft(asking):
    """Also for one that no engine takes."""
    Field.objects.create(agent=asking.agent, slug="nome", type="string", is_sensitive=True)
    asking.takes(set_values(data={"nome": "Ana Silva"}), release="draft")
    asking.drains()
    assert Turn.objects.get(kind="set").input["set"]["data"] == {"nome": "***"}


def test_nothing_of_it_is_in_the_log(telling, caplog):
    """Not when all goes well, not when an action raises with it in its words."""

    @registry.action("loud", parameters={})
    def loud(params, call):
        raise RuntimeError(CPF)

    actions = {"act": {"kind": "python", "name": "loud", "parameters": {}}}
    with caplog.at_level(logging.INFO):
        telling.takes(event("go", key="k1"))
        telling.drains()
        telling.publish(
            document(acting(onFail="end"), SAY, actions=actions, events=EVENTS, fields=FIELDS), sensitive=["cpf"]
        )
        telling.takes(event("go", key="k2"))
        telling.drains()
    assert "turn.ended" in caplog.text
    assert CPF not in caplog.text
    assert CPF not in json.dumps(telling.last_turn().outcomes)
