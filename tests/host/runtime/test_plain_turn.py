"""A message comes in, the agent answers, and what is stored says so."""

from __future__ import annotations

from tests.host.runtime.stage import document

GREET = {
    "id": "greet",
    "on": [{"message": []}],
    "steps": [
        {"id": "ask", "kind": "collect", "collect": ["nome"], "prompt": "Ask for the name."},
        {"id": "bye", "say": "Oi, {{data.nome}}."},
    ],
}


def test_a_message_is_answered_and_recorded(stage):
    """The Turn holds the response, the transcript both sides, the session the run."""
    stage.publish(document(GREET))
    turn = stage.answers("oi", understand=[{"fields": {}}], speak=[{"message": "Como se chama?", "nome": None}])
    assert turn.state == "done"
    assert turn.response["messages"][0]["text"] == "Como se chama?"
    assert stage.transcript() == [("customer", "oi"), ("assistant", "Como se chama?")]
    session = stage.session()
    assert session.version == 1
    assert session.due is None
    assert session.lease_until is None
    assert [run.step for run in session.session_runs.all()] == ["ask"]


def test_the_conversation_goes_on_from_what_was_saved(stage):
    """The second message fills the field, and the history of the first is given to the model."""
    stage.publish(document(GREET))
    stage.answers("oi", understand=[{"fields": {}}], speak=[{"message": "Como se chama?", "nome": None}])
    turn = stage.answers("Ana", understand=[{"fields": {"nome": "Ana"}}])
    assert [message["text"] for message in turn.response["messages"]] == ["Oi, Ana."]
    assert turn.response["data"] == {"nome": "Ana"}
    assert [item["content"] for item in stage.provider.requests[0].history] == ["oi", "Como se chama?"]
    assert stage.session().version == 2
    assert not stage.session().session_runs.exists()
