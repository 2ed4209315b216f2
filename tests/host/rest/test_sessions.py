"""A session through the API: its state, what changes at once, people's part, close, erase."""

from __future__ import annotations

import pytest

from falai_django.models import Agent, AuditRecord, Field, Message, Session, Turn
from falai_django.turns.lease import take_lease
from tests.host.rest.callers import Program
from tests.host.runtime.flows import ASK_NAME, ASKS, NUDGE, SAY, UNDERSTOOD
from tests.host.runtime.stage import document

CPF = "123.456.789-00"


def error(response):
    return response.json()["error"]


@pytest.fixture
def sensitive(stage):
    """`cpf` is sensitive; the session knows one, and the customer has written it."""
    stage.publish(document(SAY, fields={"nome": {"type": "string"}, "cpf": {"type": "string"}}), sensitive=["cpf"])
    stage.answers(f"meu cpf é {CPF}", id="m1")
    program = Program(stage.tenant)
    assert (
        program.post("turns", {"set": {"data": {"nome": "Ana", "cpf": CPF}}, "context": {"doc": CPF}}).status_code
        == 200
    )
    program.patch("", {"context": {"doc": f"doc {CPF}"}})
    return stage


def test_the_state_of_a_session(stage, program):
    """What is known, where its runs stand, what it is about."""
    stage.publish(document(ASK_NAME))
    stage.script(UNDERSTOOD, ASKS)
    program.post("turns", {"message": "oi", "anchors": {"lead": "7"}, "context": {"channel": "web"}})
    told = program.get().json()
    assert (told["id"], told["agent"], told["version"]) == ("5511", "lia", 1)
    (run,) = told["runs"]
    assert (run["flowId"], run["stepId"], run["status"]) == ("greet", "ask", "asking")
    assert (told["anchors"], told["context"], told["data"]) == ({"lead": "7"}, {"channel": "web"}, {})
    assert told["lastUserAt"].endswith("Z")
    assert told["silenced"] is None


@pytest.mark.parametrize("path", ["", "turns", "turns/1", "messages", "wakes"])
def test_a_session_that_is_not_there(stage, program, path):
    response = program.get(path)
    assert (response.status_code, error(response)["code"]) == (404, "not-found")
    assert error(response)["message"] == "There is no such session."


def test_an_agent_that_is_not_there_is_named(stage, program):
    """The key may be of another tenant than the caller thinks."""
    response = program.get("/api/v1/agents/trial/sessions/5511")
    assert response.status_code == 404
    assert error(response)["message"] == "The tenant of this key has no agent “trial”."


@pytest.mark.parametrize("path", ["", "turns", "messages"])
def test_sensitive_fields_are_masked_for_who_may_not_read_them(sensitive, path):
    """Under their names, and their values wherever they stand in a text."""
    reader = Program(sensitive.tenant, scopes=["read"])
    assert CPF.encode() not in reader.get(path).content
    confessor = Program(sensitive.tenant, scopes=["read", "read:sensitive"])
    if path != "turns":
        assert CPF.encode() in confessor.get(path).content
        assert b"***" in reader.get(path).content


def test_what_is_sensitive_in_the_draft_is_masked_too(sensitive):
    """From the moment an author marks it."""
    Field.objects.create(agent=sensitive.agent, slug="nome", is_sensitive=True)
    reader = Program(sensitive.tenant, scopes=["read"])
    assert reader.get().json()["data"] == {"nome": "***", "cpf": "***"}


def test_a_turn_in_full_is_masked(sensitive):
    """Its input, its response."""
    reader = Program(sensitive.tenant, scopes=["read"])
    for item in reader.get("turns").json()["items"]:
        assert CPF.encode() not in reader.get(f"turns/{item['id']}").content


def test_context_and_anchors_are_patched_at_once(stage, program):
    """Merge patches; the session is made when there is none."""
    program.patch("", {"context": {"crm": {"stage": "new", "owner": "Bia"}}, "anchors": {"lead": "7", "deal": "1"}})
    told = program.patch("", {"context": {"crm": {"stage": "won"}}, "anchors": {"deal": None}}).json()
    assert told["context"] == {"crm": {"stage": "won", "owner": "Bia"}}
    assert told["anchors"] == {"lead": "7"}
    assert Session.objects.count() == 1


def test_a_person_takes_over_and_gives_back(stage, program):
    """While silenced, turns run and say nothing."""
    told = program.patch("", {"silence": {"lasts": "2h", "reason": "Bia helps"}}).json()
    assert told["silenced"]["reason"] == "Bia helps"
    assert program.says("oi").json()["messages"] == []
    assert program.patch("", {"silence": None}).json()["silenced"] is None
    assert [record.action for record in AuditRecord.objects.order_by("pk")] == [
        "session.taken_over",
        "session.given_back",
    ]
    assert AuditRecord.objects.first().actor_name == f"bridge ({program.key.prefix})"


def test_a_silence_that_is_over_is_none(stage, program):
    program.patch("", {"silence": {}})
    Session.objects.update(silenced_until="2020-01-01T00:00:00Z")
    assert program.get().json()["silenced"] is None


def test_a_silence_without_end_is_told(stage, program):
    program.patch("", {"silence": {}})
    Session.objects.update(silenced_until=None)
    assert program.get().json()["silenced"] == {"reason": "human", "until": None}


def test_a_person_writes(stage, program):
    """201; recorded, the agent silenced; with `send` queued for the sender; the same id writes nothing."""
    program.says("oi")
    told = program.post("messages", {"text": "Aqui é a Bia.", "send": True, "id": "desk-1"})
    assert told.status_code == 201
    assert (told.json()["author"], told.json()["state"]) == ("human", "queued")
    assert (
        program.post("messages", {"text": "Aqui é a Bia.", "send": True, "id": "desk-1"}).json()["id"]
        == told.json()["id"]
    )
    assert Message.objects.filter(author="human").count() == 1
    assert program.get().json()["silenced"]["reason"] == "human"
    assert [each["text"] for each in program.get("messages").json()["items"]] == ["oi", "Pronto.", "Aqui é a Bia."]


def test_media_alone_is_a_message_of_a_person(stage, program):
    program.says("oi")
    assert program.post("messages", {"media": {"type": "image"}}).json()["media"] == {"type": "image"}


def test_a_conversation_is_closed(stage, program):
    """Its runs end; with `clear` its data goes; the same key closes once."""
    stage.publish(document(ASK_NAME))
    stage.script(UNDERSTOOD, ASKS)
    program.says("oi")
    program.post("turns", {"set": {"data": {"nome": "Ana"}}})
    response = program.post("close", {"clear": True, "key": "c1"})
    assert response.status_code == 200
    assert [run["reason"] for run in response.json()["ended"]] == ["skipped"]
    assert (program.get().json()["runs"], program.get().json()["data"]) == ([], {})
    assert program.post("close", {"clear": True, "key": "c1"}).json() == response.json()
    other = program.post("close", {"key": "c1"})
    assert (other.status_code, error(other)["code"]) == (409, "key-reused")


def test_a_close_may_be_left_to_the_loop(stage, program):
    program.says("oi")
    response = program.post("close", {}, Prefer="respond-async")
    assert response.status_code == 202
    assert program.get(response["Location"]).json()["kind"] == "close"


def test_a_close_without_a_body(stage, program):
    program.says("oi")
    assert program.call("POST", "close").status_code == 200


def test_pending_wakes(stage, program):
    stage.publish(document(NUDGE))
    program.says("oi")
    (wake,) = program.get("wakes").json()["items"]
    assert wake["key"] in stage.wakes()
    assert wake["due"].endswith("Z")


def test_a_wake_that_an_agent_that_is_off_holds_has_its_own_time(stage, program):
    stage.publish(document(NUDGE))
    program.says("oi")
    session = stage.session()
    session.wakes.update(held_due="2030-01-01T00:00:00Z")
    assert program.get("wakes").json()["items"][0]["due"] == "2030-01-01T00:00:00.000Z"


def test_a_session_is_erased(stage, program):
    """204, and nothing is left but the audit record, without a name in it."""
    program.says("oi")
    assert program.delete().status_code == 204
    assert not Session.objects.exists()
    assert not Turn.objects.exists()
    assert program.get().status_code == 404
    assert AuditRecord.objects.get().action == "session.erased"
    assert "5511" not in AuditRecord.objects.get().target


def test_a_session_whose_turn_runs_is_erased_after_it(stage, program):
    """202, as often as it is asked; meanwhile nothing of it is read."""
    stage.says("oi")
    assert take_lease(stage.session().pk, "another", 60)
    for _ in range(2):
        response = program.delete()
        assert (response.status_code, response.json()) == (202, {"erasing": True})
    for path in ("", "turns", "messages", "wakes"):
        assert (program.get(path).status_code, error(program.get(path))["code"]) == (409, "erasing")
    stage.expire()
    assert program.delete().status_code == 204


def test_a_contact_is_erased_everywhere(stage, program):
    """In every agent of the tenant; 202 while a turn runs; an anchor that nobody knows is no error."""
    other = Agent.objects.create(tenant=stage.tenant, slug="bia", active_release=None)
    program.patch("", {"anchors": {"lead": "7"}})
    Program(stage.tenant, "bia").patch("", {"anchors": {"lead": "7"}})
    program.session = "kept"
    program.patch("", {"anchors": {"lead": "8"}})
    assert Session.objects.filter(agent=other).exists()
    response = program.delete("/api/v1/contacts/lead/7")
    assert (response.status_code, response.json()) == (200, {"erased": 2, "waiting": 0})
    assert [session.session_id for session in Session.objects.all()] == ["kept"]
    assert program.delete("/api/v1/contacts/lead/7").json() == {"erased": 0, "waiting": 0}
    program.says("oi")
    Session.objects.update(lease_until="2100-01-01T00:00:00Z", lease_owner="another")
    response = program.delete("/api/v1/contacts/lead/8")
    assert (response.status_code, response.json()) == (202, {"erased": 0, "waiting": 1})
