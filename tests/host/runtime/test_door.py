"""The door: what is taken, what is refused, and what is kept of it (spec: host.md section 3)."""

from __future__ import annotations

import pytest
from django.db import transaction

from falai_django.conf import settings
from falai_django.errors import InputRefusedError, InsideTransactionError
from falai_django.inbox import event, message, read_input, set_values, start
from falai_django.inbox.fan_out import sessions_of_anchor, take_for_each
from falai_django.models import Anchor, Session, Turn
from tests.host.runtime.flows import ASK_NAME, EVENTS, SAY
from tests.host.runtime.stage import PAST, document


@pytest.fixture
def open_stage(stage):
    return stage.publish(document(SAY, events=EVENTS, fields={"nome": {"type": "string"}, "vip": {"type": "boolean"}}))


def refusal(act):
    with pytest.raises(InputRefusedError) as caught:
        act()
    return caught.value


def test_what_is_sound_comes_out_as_it_went_in(open_stage):
    """Emoji, right-to-left, combining marks and 64 KB of text are kept to the letter."""
    for text in ("👩‍👩‍👧 ok", "مرحبا بالعالم", "e\u0301", "x" * 65_536):
        turn = open_stage.says(text)
        turn.refresh_from_db()
        assert turn.input["message"]["text"] == text


@pytest.mark.parametrize("bad", [chr(0), chr(0xD800), chr(0xDFFF)], ids=["nul", "high", "low"])
def test_what_no_database_takes_is_left_out(open_stage, bad):
    """NUL and lone surrogates go from texts and from keys of objects, the rest stays."""
    turn = open_stage.says(f"a{bad}b", media={f"k{bad}": [f"v{bad}"]}, context={"deep": {f"x{bad}": f"y{bad}"}})
    turn.refresh_from_db()
    assert turn.input["message"] == {"text": "ab", "media": {"k": ["v"]}}
    assert turn.input["context"] == {"deep": {"x": "y"}}


def nested(levels):
    value = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (lambda: message("x" * 65_537), "message.text"),
        (lambda: message("  "), "message.text"),
        (lambda: message("a", id=""), "message.id"),
        (lambda: message("a", id="x" * 256), "message.id"),
        (lambda: message("a", id="a\nb"), "message.id"),
        (lambda: message("a", at="yesterday"), "at"),
        (lambda: message("a", context={"deep": nested(100)}), "message"),
        (lambda: message("a", context={"wide": "x" * 1_000_001}), "message"),
        (lambda: message("a", context={"n": float("nan")}), "message"),
        (lambda: message("a", context={1: "x"}), "message"),
        (lambda: message("a", context=[]), "context"),
        (lambda: message("a", history=[{"role": "system", "content": "x"}]), "history[0]"),
        (lambda: message("a", silenced=7), "silenced"),
        (lambda: message("a", anchors={"lead": "a b"}), "anchors.lead"),
        (lambda: message("a", colour="red"), "colour"),
        (lambda: event(""), "event.event"),
        (lambda: start("f", hop=-1), "hop"),
        (lambda: set_values(data=[]), "set.data"),
        (lambda: read_input([]), ""),
        (lambda: read_input({"message": {"text": "a"}, "event": "go"}), ""),
        (lambda: read_input({"message": {"text": "a", "txt": 1}}), "message.txt"),
        (lambda: read_input({"message": "a", "contxt": {}}), "contxt"),
        (lambda: read_input({"start": "flow"}), "start"),
        (lambda: read_input({"message": "a", "key": "k"}), "key"),
        (lambda: read_input({"start": {"flow": "f"}, "key": "k"}), "key"),
        (lambda: read_input({"message": "a", "payload": 1}), "payload"),
        (lambda: read_input({"set": {"data": {}}, "payload": 1}), "payload"),
        (lambda: read_input({"set": {"data": {}}, "silenced": "x"}), "silenced"),
        (lambda: set_values(data={}, history=[]), "history"),
    ],
    ids=[f"bad{number}" for number in range(29)],
)
def test_what_is_no_input_is_told_by_its_place(given, path):
    """Each refusal names the part that is wrong, and says what to do."""
    error = refusal(given)
    assert error.code == "invalid-input"
    assert [where for where, _ in error.problems] == [path]


def test_deep_json_is_refused_without_a_crash():
    """However deep, it is the caller's error, not a RecursionError of ours."""
    assert refusal(lambda: message("a", media=nested(100_000))).code == "invalid-input"


@pytest.mark.parametrize(
    ("payload", "kind", "stored"),
    [
        ({"message": "oi"}, "message", {"message": {"text": "oi"}}),
        (
            {"message": {"text": "oi", "id": "m1", "at": "2026-01-01T00:00:00Z"}, "context": {"a": 1}},
            "message",
            {"message": {"text": "oi"}, "at": "2026-01-01T00:00:00Z", "context": {"a": 1}},
        ),
        ({"event": "go", "payload": {"n": 1}, "key": "k"}, "event", {"event": {"event": "go", "payload": {"n": 1}}}),
        ({"start": {"flow": "f", "hop": 2}}, "start", {"start": {"flow": "f"}, "hop": 2}),
        ({"set": {"data": {"nome": None}}}, "set", {"set": {"data": {"nome": None}}}),
        (
            {"set": {"metadata": {"a": 1}}, "key": "k", "context": {"b": 2}, "anchors": {"lead": "7"}},
            "set",
            {"set": {"metadata": {"a": 1}}, "context": {"b": 2}, "anchors": {"lead": "7"}},
        ),
    ],
    ids=["text", "message", "event", "start", "set", "set with more"],
)
def test_requests_are_read_as_the_functions_make_them(payload, kind, stored):
    """The JSON of a request becomes one input."""
    given = read_input(payload)
    assert (str(given.kind), given.stored()) == (kind, stored)


def test_the_same_key_joins_the_turn_and_stamps_nothing(open_stage):
    """A repeat, however late, is the same Turn; nothing of the session moves."""
    first = open_stage.says("oi", id="m1")
    before = Session.objects.values().get()
    again = open_stage.says("oi", id="m1", context={"other": 1}, at="2020-01-01T00:00:00Z", deliver="sender")
    assert again.pk == first.pk
    assert Session.objects.values().get() == before


def test_the_same_key_with_something_else_is_refused(open_stage):
    """Another text, another payload: 409, nothing recorded."""
    open_stage.says("oi", id="m1")
    assert refusal(lambda: open_stage.says("olá", id="m1")).code == "key-reused"
    open_stage.takes(event("go", key="m1"))
    assert refusal(lambda: open_stage.takes(event("go", key="m1", payload=1))).code == "key-reused"
    assert Turn.objects.count() == 2


def test_at_most_so_many_inputs_wait(open_stage):
    """The 51st is refused; one that is known already still joins."""
    for number in range(settings().waiting_inputs):
        open_stage.says("oi", id=f"m{number}")
    assert refusal(lambda: open_stage.says("oi")).code == "too-many-inputs"
    assert open_stage.says("oi", id="m7").key == "m7"


@pytest.mark.parametrize("field", ["agent", "tenant", "release"])
def test_an_agent_that_is_off_takes_nothing(open_stage, field):
    """409 with the agent's own text; not even a session is recorded."""
    open_stage.agent.off_text = "Voltamos amanhã."
    if field == "agent":
        open_stage.agent.is_active = False
    elif field == "release":
        open_stage.agent.active_release = None
    open_stage.agent.save()
    if field == "tenant":
        type(open_stage.tenant).objects.update(is_active=False)
    error = refusal(lambda: open_stage.says("oi"))
    assert (error.code, str(error)) == ("agent-off", "Voltamos amanhã.")
    assert not Session.objects.exists()


def test_what_was_taken_before_waits_while_the_agent_is_off(open_stage):
    """Its Turn stays received, and runs when the agent is on again."""
    turn = open_stage.says("oi")
    type(open_stage.agent).objects.update(is_active=False)
    assert open_stage.drains().turns == 0
    type(open_stage.agent).objects.update(is_active=True)
    Session.objects.update(due=turn.received_at)
    assert open_stage.drains().turns == 1


def test_a_release_that_is_not_there_is_refused(open_stage):
    """By number, and what is no number."""
    for wanted in (7, "last", "0"):
        assert refusal(lambda wanted=wanted: open_stage.says("oi", release=wanted)).code == "unknown-release"
    assert open_stage.says("oi", release=1).wanted_release == "1"


def test_values_are_coerced_and_checked_as_a_whole(open_stage):
    """`set` takes what its fields take; otherwise every problem is told and nothing is recorded."""
    turn = open_stage.takes(set_values(data={"vip": "sim", "nome": None}))
    turn.refresh_from_db()
    assert turn.input["set"]["data"] == {"vip": True, "nome": None}
    error = refusal(lambda: open_stage.takes(set_values(data={"vip": "talvez", "cor": "azul"})))
    assert [path for path, _ in error.problems] == ["set.data.vip", "set.data.cor"]


def test_what_is_given_along_with_values_is_kept(open_stage):
    """A program that sets values tells of the contact by the same call."""
    open_stage.takes(set_values(data={"nome": "Ana"}, context={"plan": "pro"}, anchors={"lead": "7"}))
    open_stage.drains()
    session = open_stage.session()
    assert (session.context, session.anchors, session.blob["data"]) == ({"plan": "pro"}, {"lead": "7"}, {"nome": "Ana"})
    assert Anchor.objects.get().last_inbound_at is None


@pytest.mark.parametrize(
    ("huge", "is_taken"), [(10**308, True), (10**400, False), (10**5_000, False)], ids=["double", "over", "digits"]
)
def test_a_number_is_one_that_json_has(open_stage, huge, is_taken):
    """Beyond doubles no two programs read it alike; it is the caller's error, whatever Python makes of it."""
    if is_taken:
        assert open_stage.says("oi", context={"n": huge}).input["context"] == {"n": huge}
    else:
        assert refusal(lambda: message("oi", context={"n": huge})).code == "invalid-input"


def test_a_turn_is_not_begun_inside_a_transaction(transactional_stage):
    """It would hold locks for as long as that one, and be undone with it; the error says so."""
    with transaction.atomic(), pytest.raises(InsideTransactionError, match="non_atomic_requests"):
        transactional_stage.says("oi")
    transactional_stage.says("oi")
    with transaction.atomic(), pytest.raises(InsideTransactionError):
        transactional_stage.drains()


@pytest.mark.parametrize(
    ("given", "inbound"),
    [(message("oi"), True), (event("paid"), True), (event("go"), False), (start("say"), False)],
    ids=["message", "inbound", "event", "start"],
)
def test_who_counts_as_the_customer_writing(open_stage, given, inbound):
    """A message and an event registered inbound are heard of the contact; the rest is not."""
    open_stage.takes(event("go", anchors={"lead": "7"}))
    Session.objects.update(unanswered=2)
    open_stage.takes(given)
    session = open_stage.session()
    assert session.inbound_seq == int(inbound)
    assert session.unanswered == (0 if inbound else 2)
    assert (Anchor.objects.get(name="lead", key="7").last_inbound_at is not None) is inbound


def test_a_session_moves_to_another_contact(open_stage):
    """Anchors are a merge patch; the rows follow."""
    open_stage.says("oi", anchors={"lead": "7", "deal": "1"})
    open_stage.says("oi", anchors={"lead": "8", "deal": None})
    session = open_stage.session()
    assert session.anchors == {"lead": "8"}
    assert [(link.anchor.name, link.anchor.key) for link in session.anchor_links.all()] == [("lead", "8")]


def test_a_wrong_session_id_is_refused(open_stage):
    """It stands in paths and logs."""
    for name in ("", "a b", "a/b", "x" * 129, "é"):
        assert refusal(lambda name=name: open_stage.says("oi", name or " ")).code == "invalid-input"


def test_a_wrong_way_out_is_refused(open_stage):
    """Messages would never leave."""
    assert refusal(lambda: open_stage.says("oi", deliver="pigeon")).code == "invalid-input"


def test_ids_follow_arrival(open_stage):
    """The order of the queue is the order of the door."""
    assert [open_stage.says(f"{n}").pk for n in range(3)] == sorted(turn.pk for turn in open_stage.turns())


def test_media_without_a_text_is_told_by_a_placeholder(stage):
    """The model reads that something came, the transcript and the context keep what."""
    stage.publish(document(ASK_NAME))
    media = {"type": "image", "url": "https://x.example/1.png"}
    stage.answers("", media=media, understand=[{"fields": {}}], speak=[{"message": "Bonita foto!", "nome": None}])
    assert "[image]" in stage.provider.requests[0].prompt
    assert stage.session().last_given["message"]["media"] == media
    assert stage.session().messages.get(direction="in").media == media


def test_an_event_goes_to_every_session_of_a_contact(open_stage):
    """A refusal of one is told and stops no other; repeated, it reaches nobody twice."""
    for name in ("a", "b", "c"):
        open_stage.says("oi", name, anchors={"lead": "7" if name != "c" else "8"})
    Session.objects.filter(session_id="a").update(erasing_at=PAST)
    names = sessions_of_anchor(open_stage.agent, "lead", "7")
    assert names == ["a", "b"]
    for is_new in (True, False):
        told = dict(take_for_each(open_stage.agent, names, event("go", key="k")))
        assert told["a"].code == "erasing"
        assert told["b"].is_new is is_new
        assert told["b"].turn.deliver == "sender"
    assert Turn.objects.filter(kind="event").count() == 1
