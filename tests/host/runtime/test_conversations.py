"""Hand-off, notice, a person's message, limits, close, host turns (spec: host.md section 3)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from falai_django import registry
from falai_django.conversations.ending import close, end_run
from falai_django.conversations.people import write
from falai_django.conversations.silence import give_back, take_over
from falai_django.errors import InputRefusedError, NotAllowedError
from falai_django.inbox import event, set_values, start
from falai_django.models import AuditRecord, Claim, Message, Session, TokenCount, Turn, Wake
from falai_django.roles import Actor
from tests.host.runtime.flows import ASK_NAME, ASKS, EVENTS, NUDGE, SAY
from tests.host.runtime.stage import PAST, document

BOSS = Actor.command("test")
NOBODY = Actor("nobody")
HOURS = timedelta(hours=1)


def doing(action, **parameters):
    return {
        "id": "f",
        "on": [{"message": []}],
        "steps": [{"id": "d", "do": action, "with": parameters}, {"id": "s", "say": "Um momento."}],
    }


def test_a_hand_off_silences_from_the_commit_on(stage):
    """Its own messages still leave; the next message gets no answer, and costs no model call."""
    stage.publish(document(doing("hand_off", reason="quer um humano"), SAY, idle={"prompt": "Answer."}))
    stage.answers("oi", deliver="sender")
    session = stage.session()
    assert session.silenced == "quer um humano"
    assert 11 * HOURS < session.silenced_until - session.last_now <= 12 * HOURS
    assert Message.objects.get(direction="out").state == "queued"
    turn = stage.answers("alô?")
    assert (turn.response["messages"], turn.calls) == ([], 0)


def test_a_hand_off_lasts_as_long_as_it_says(stage):
    """`for` is a duration; afterwards the agent answers again."""
    stage.publish(document(doing("hand_off", reason="x", **{"for": "2h"}), idle={"prompt": "Answer."}))
    stage.answers("oi")
    assert stage.session().silenced_until - stage.session().last_now == 2 * HOURS
    Session.objects.update(silenced_until=PAST)
    assert stage.answers("alô?", speak=[{"message": "Oi!"}]).response["messages"][0]["text"] == "Oi!"


def test_a_notice_goes_to_the_team(stage):
    """By the sender, with a public id of its own; it is no part of the transcript that a model reads."""
    stage.publish(document(doing("notify", to="vendas", text="Lead quente"), idle={"prompt": "Answer."}))
    turn = stage.answers("oi")
    notice = Message.objects.get(direction="notice")
    assert (notice.recipient, notice.text, notice.state) == ("vendas", "Lead quente", "queued")
    assert [message["text"] for message in turn.response["messages"]] == ["Um momento."]
    stage.answers("e aí?", speak=[{"message": "Oi!"}])
    assert [item["content"] for item in stage.provider.requests[0].history] == ["oi", "Um momento."]


def test_a_replayed_hand_off_is_one(stage):
    """Effects belong to the commit: a crash before it has silenced nobody."""
    stage.publish(document(doing("hand_off", reason="x")))
    stage.says("oi")
    stage.dies_at("before-commit", stage.drains)
    assert stage.session().silenced is None
    stage.drains()
    assert (stage.session().silenced, stage.session().silence_seq) == ("x", 1)


def test_a_person_takes_over_and_gives_back(stage):
    """Both are on record, and only members may."""
    stage.publish(document(SAY | {"on": [{"message": [], "repeat": "always"}]}))
    stage.answers("oi")
    with pytest.raises(NotAllowedError):
        take_over(NOBODY, stage.session())
    take_over(BOSS, stage.session(), lasts="1h")
    assert stage.answers("alô?").response["messages"] == []
    give_back(BOSS, stage.session())
    assert stage.answers("alô?").response["messages"][0]["text"] == "Pronto."
    assert list(AuditRecord.objects.order_by("pk").values_list("action", flat=True)) == [
        "session.taken_over",
        "session.given_back",
    ]


def test_a_persons_message_silences_and_is_history(stage):
    """Recorded at once; `send` queues it; the blob learns of it by a turn, and no silence is waited for."""
    silent = {"id": "n", "on": [{"silence": "1h"}], "steps": [{"id": "s", "say": "Ainda aí?"}]}
    stage.publish(document(SAY, silent, idle={"prompt": "Answer."}))
    stage.answers("oi")
    assert len(stage.wakes()) == 1
    message = write(BOSS, stage.session(), "Sou a Bia.", send=True, key="h1")
    assert (message.author, message.state) == ("human", "queued")
    assert write(BOSS, stage.session(), "Sou a Bia.", send=True, key="h1").pk == message.pk
    stage.drains()
    session = stage.session()
    assert session.silenced == "human"
    assert stage.wakes() == {}
    assert session.blob["lastAssistantAt"] > session.blob["lastUserAt"]
    give_back(BOSS, session)
    stage.answers("obrigado", speak=[{"message": "De nada."}])
    assert [item["content"] for item in stage.provider.requests[0].history] == ["oi", "Pronto.", "Sou a Bia."]
    assert [item["role"] for item in stage.provider.requests[0].history] == ["user", "assistant", "assistant"]


def test_a_persons_next_message_renews_the_silence(stage):
    """It lasts from the last of them; a shorter one does not cut a longer short."""
    stage.set_agent(human_silence="1h").publish()
    stage.answers("oi")
    write(BOSS, stage.session(), "um")
    first = stage.session().silenced_until
    write(BOSS, stage.session(), "dois")
    assert stage.session().silenced_until > first
    take_over(BOSS, stage.session(), lasts="12h")
    longer = stage.session().silenced_until
    write(BOSS, stage.session(), "três")
    assert stage.session().silenced_until == longer


def test_a_turn_may_be_silenced_for_itself_alone(stage):
    """What the caller says of one turn is not kept."""
    stage.publish(document(SAY | {"on": [{"message": [], "repeat": "always"}]}))
    assert stage.answers("oi", silenced="teste").response["messages"] == []
    assert stage.answers("oi").response["messages"][0]["text"] == "Pronto."


# -- limits


def test_too_many_turns_an_hour_run_silenced(stage):
    """The one over the limit says nothing, asks no model, and is told; the next hour begins anew."""
    stage.set_agent(turns_per_hour=2).publish({**document(), "idle": {"prompt": "Answer."}})
    for _ in range(2):
        stage.answers("oi", speak=[{"message": "Oi!"}])
    turn = stage.answers("oi", speak=[{"message": "Oi!"}])
    assert (turn.state, turn.error, turn.calls, turn.response["messages"]) == ("done", "limit", 0, [])
    Session.objects.update(counted_from=PAST)
    assert stage.answers("oi", speak=[{"message": "Oi!"}]).error == ""
    assert stage.session().counted_turns == 1


def test_tokens_of_a_day_are_counted_over_all_sessions(stage):
    """Over the tenant's limit agents keep silent until the next day."""
    type(stage.tenant).objects.update(tokens_per_day=100)
    stage.publish({**document(), "idle": {"prompt": "Answer."}})
    spoken = {"message": "Oi!", "usage": {"promptTokens": 40, "completionTokens": 20}}
    for name in ("a", "b"):
        stage.session_id = name
        assert stage.answers("oi", speak=[spoken]).tokens == 60
    assert TokenCount.objects.get().tokens == 120
    stage.session_id = "c"
    assert stage.answers("oi", speak=[spoken]).error == "limit"
    TokenCount.objects.update(day="2020-01-01")
    assert stage.answers("oi", speak=[spoken]).error == ""


def test_an_agent_does_not_talk_to_itself(stage):
    """After three events in a row that it spoke on without an answer it is silent; an answer counts anew."""
    flow = {"id": "f", "on": [{"event": "go", "repeat": "always"}], "steps": [{"id": "s", "say": "Olha só!"}]}
    stage.publish(document(flow, events=EVENTS))
    said = []
    for number in range(4):
        stage.takes(event("go", key=f"k{number}"))
        stage.drains()
        said.append((stage.last_turn().error, len(stage.last_turn().response["messages"])))
    assert said == [("", 1), ("", 1), ("", 1), ("loop", 0)]
    stage.answers("oi")
    stage.takes(event("go", key="again"))
    stage.drains()
    assert len(stage.last_turn().response["messages"]) == 1


# -- host turns


def test_values_that_are_set_make_a_session(stage):
    """A new session gets its blob; null takes a value away and forgets how often it was asked for."""
    stage.publish(document(ASK_NAME))
    stage.takes(set_values(data={"nome": "Ana"}, metadata={"crm": 7}))
    stage.drains()
    blob = stage.session().blob
    assert (blob["data"], blob["metadata"], blob["version"]) == ({"nome": "Ana"}, {"crm": 7}, 1)
    stage.takes(set_values(data={"nome": None}))
    stage.answers("oi", speak=ASKS)
    assert stage.session().blob["runs"][0]["asked"] == {"nome": 1}
    stage.takes(set_values(data={"nome": None}, metadata={"crm": None}))
    stage.drains()
    blob = stage.session().blob
    assert (blob["runs"][0]["asked"], blob["metadata"]) == ({}, {})


def test_a_run_is_ended_by_hand(stage):
    """Its wake goes with it; one that is gone already changes nothing."""
    stage.publish(document(NUDGE))
    stage.answers("oi")
    (run,) = [run.run_id for run in stage.session().session_runs.all()]
    end_run(BOSS, stage.session(), run)
    end_run(BOSS, stage.session(), run)
    stage.drains()
    assert not stage.session().session_runs.exists()
    assert stage.wakes() == {}
    codes = [[line["code"] for line in turn.outcomes] for turn in stage.turns()[1:]]
    assert codes == [["stopped"], []]


@pytest.mark.parametrize("clear", [False, True], ids=["kept", "cleared"])
def test_closing_ends_everything_but_the_record(stage, clear):
    """Runs, wakes, claims of the session go; history begins anew; data goes if asked; a message starts afresh."""
    stage.publish(document(ASK_NAME, idle={"prompt": "Answer."}))
    stage.answers("oi", speak=ASKS)
    stage.takes(set_values(data={"nome": "Ana"}))
    stage.drains()
    close(BOSS, stage.session(), clear=clear)
    stage.drains()
    session = stage.session()
    assert session.blob["runs"] == []
    assert session.blob["claims"] == {}
    assert "lastAssistantAt" not in session.blob
    assert session.blob["data"] == ({} if clear else {"nome": "Ana"})
    assert not session.session_runs.exists()
    assert len(stage.transcript()) == 2
    stage.takes(set_values(data={"nome": None}))
    stage.answers("voltei", speak=ASKS)
    assert list(stage.provider.requests[0].history) == []
    assert stage.answers("hm", understand=[{"fields": {}}], speak=ASKS).state == "done"
    assert [item["content"] for item in stage.provider.requests[0].history] == ["voltei", "Como se chama?"]


def test_closing_frees_the_contact(stage):
    """A host-anchored run ends with its conversation: another session may start the flow."""
    flow = {
        "id": "c",
        "anchor": "lead",
        "on": [{"message": []}],
        "steps": [{"id": "s", "say": "Oi"}, {"id": "w", "wait": "1d"}],
    }
    stage.publish(document(flow))
    stage.answers("oi", anchors={"lead": "7"})
    assert Claim.objects.get().live
    close(BOSS, stage.session())
    stage.drains()
    assert not Claim.objects.get().live
    assert not Wake.objects.exists()


def test_a_silence_that_was_broken_leaves_no_wake(stage):
    """The customer wrote: the nudge that was scheduled is taken away; the next answer schedules anew."""
    silent = {"id": "n", "on": [{"silence": "1h", "repeat": "always"}], "steps": [{"id": "s", "say": "Ainda aí?"}]}
    stage.publish(document(SAY | {"on": [{"message": [], "repeat": "always"}]}, silent))
    stage.answers("oi")
    (first,) = stage.wakes()
    stage.answers("oi de novo")
    (second,) = stage.wakes()
    assert first != second
    stage.answers("e?", silenced="x")
    assert stage.wakes() == {}


def test_a_step_asked_again_is_a_message_of_its_own(stage):
    """The engine's key is the same, the turn is another: two public ids, both leave."""
    stage.publish(document(ASK_NAME))
    stage.answers("oi", speak=ASKS)
    stage.answers("hã?", understand=[{"fields": {}}], speak=ASKS)
    said = Message.objects.filter(direction="out")
    assert said.values("key").distinct().count() == 1
    assert said.values("public_id").distinct().count() == 2


def test_times_are_the_databases_and_never_go_back(stage):
    """A session whose last turn lies ahead (a clock was wrong) goes on from there."""
    stage.publish(document(SAY | {"on": [{"message": [], "repeat": "always"}]}))
    stage.answers("oi")
    ahead = stage.session().last_now + 2 * HOURS
    Session.objects.update(last_now=ahead)
    stage.answers("oi", at="2020-01-01T00:00:00Z")
    session = stage.session()
    assert session.last_now == ahead
    assert session.blob["lastUserAt"] == ahead.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def test_a_caller_may_say_when_it_was_written(stage):
    """`at` counts when it lies between the last turn and now; else when the message came."""
    stage.publish(document(SAY | {"on": [{"message": [], "repeat": "always"}]}))
    stage.answers("oi", at="2026-01-05T10:00:00Z")
    assert stage.session().blob["lastUserAt"] == "2026-01-05T10:00:00.000Z"
    turn = stage.answers("oi", at="2026-01-05T10:00:00Z")
    assert stage.session().blob["lastUserAt"][:19] == turn.received_at.isoformat()[:19]


def test_context_is_stored_then_fresh_then_the_requests(stage):
    """Each laid over the one before; the request's part is kept, a provider's is not."""
    asked = []

    @registry.context_provider("crm")
    def crm(request):
        asked.append((request.tenant, request.agent, request.session, request.kind))
        return {"plan": "pro", "city": "Lisboa"}

    flow = {
        "id": "f",
        "on": [{"message": [], "repeat": "always"}],
        "steps": [{"id": "s", "say": "{{context.plan}} {{context.city}} {{context.message.text}}"}],
    }
    stage.publish(document(flow))
    stage.answers("oi", context={"city": "Porto"})
    assert stage.texts() == ["pro Porto oi"]
    assert stage.session().context == {"city": "Porto"}
    assert asked == [("acme", "lia", "5511", "message")]


def test_a_wake_knows_what_was_last_given(stage):
    """It has no caller: context and the last message are those of the last one who gave some."""
    flow = {
        "id": "f",
        "on": [{"message": []}],
        "steps": [{"id": "w", "wait": "1h"}, {"id": "s", "say": "{{context.city}}: {{context.message.text}}"}],
    }
    stage.publish(document(flow))
    stage.answers("oi", context={"city": "Porto"})
    (key,) = stage.wakes()
    stage.wakes_up(key)
    assert stage.texts() == ["Porto: oi"]
    assert Turn.objects.get(kind="wake").deliver == "sender"


def test_history_may_be_the_callers(stage):
    """A host that keeps its own gives it; ours is used else, so many of the last messages."""
    stage.publish({**document(), "idle": {"prompt": "Answer."}})
    for _ in range(3):
        stage.answers("oi", speak=[{"message": "Oi!"}])
    given = [{"role": "user", "content": "antes"}]
    stage.answers("e?", history=given, speak=[{"message": "Oi!"}])
    assert list(stage.provider.requests[0].history) == given


@pytest.mark.parametrize(("most", "kept"), [(0, 0), (3, 3), (40, 6)], ids=["none", "three", "all"])
def test_so_many_of_the_last_messages_are_history(stage, settings, most, kept):
    """FALAI_HISTORY_MESSAGES."""
    settings.FALAI_HISTORY_MESSAGES = most
    stage.publish({**document(), "idle": {"prompt": "Answer."}})
    for _ in range(4):
        stage.answers("oi", speak=[{"message": "Oi!"}])
    assert len(stage.provider.requests[0].history) == kept


def test_sensitive_values_are_masked_where_they_need_not_be_read(stage):
    """In the response and the log of what was given, once the turn has ended; the blob keeps them."""
    fields = {"nome": {"type": "string"}, "cpf": {"type": "string"}}
    flow = {
        "id": "f",
        "on": [{"message": []}],
        "steps": [{"id": "a", "collect": ["cpf"], "prompt": "Ask."}, {"id": "s", "say": "Ok."}],
    }
    stage.publish(document(flow, fields=fields), sensitive=["cpf"])
    stage.answers("oi", speak=[{"message": "CPF?", "cpf": None}])
    turn = stage.answers("é 123.456.789-00", understand=[{"fields": {"cpf": "123.456.789-00"}}])
    assert turn.response["data"] == {"cpf": "***"}
    assert turn.input["message"]["text"] == "é ***"
    stage.takes(set_values(data={"cpf": "999", "nome": "Ana"}))
    stage.drains()
    assert stage.last_turn().input["set"]["data"] == {"cpf": "***", "nome": "Ana"}
    assert stage.session().blob["data"] == {"cpf": "999", "nome": "Ana"}


def test_a_draft_and_an_older_release_can_be_tried(stage):
    """A turn may name its release, also before anything is published."""
    stage.publish(document(SAY))
    stage.publish(document(SAY | {"steps": [{"id": "s", "say": "Novo."}]}))
    assert stage.answers("oi", release=1).response["messages"][0]["text"] == "Pronto."
    stage.session_id = "b"
    assert stage.answers("oi").response["messages"][0]["text"] == "Novo."
    stage.set_agent(active_release=None)
    stage.session_id = "c"
    assert stage.answers("oi", release="draft").state == "done"
    with pytest.raises(InputRefusedError):
        stage.says("oi")


def test_a_start_runs_a_flow_for_a_session(stage):
    """With what it is given, by the way that the caller says."""
    flow = {"id": "f", "steps": [{"id": "s", "say": "Olá, {{input.name}}."}]}
    stage.publish(document(flow))
    stage.takes(start("f", input={"name": "Ana"}), deliver="sender")
    stage.drains()
    assert [(row.text, row.state) for row in Message.objects.all()] == [("Olá, Ana.", "queued")]
