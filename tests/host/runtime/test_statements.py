"""What a turn costs in statements, young and old (spec: quality.md)."""

from __future__ import annotations

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.test.utils import CaptureQueriesContext

from falai_django import prepared
from falai_django.models import Message, Turn
from falai_django.turns.drain import drain, request_errand
from falai_django.turns.picking import look_at
from tests.host.runtime.stage import document

TALK = {
    "id": "talk",
    "on": [{"message": []}],
    "steps": [
        {"id": "one", "kind": "collect", "collect": ["nome"], "prompt": "Ask."},
        {"id": "two", "kind": "collect", "collect": ["cidade"], "prompt": "Ask."},
        {"id": "bye", "say": "Tchau."},
    ],
}
FIELDS = {"nome": {"type": "string"}, "cidade": {"type": "string"}}
FRAME = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE SAVEPOINT")
MOST = 14


def statements(stage, text, understand, speak):
    """The statements of one message turn, transactions' own left out."""
    stage.script(understand, speak)
    with CaptureQueriesContext(connection) as captured:
        turn = stage.says(text)
        drain(turn.session_id, request_errand(turn))
    turn.refresh_from_db()
    assert turn.state == "done"
    return [each["sql"] for each in captured if not each["sql"].startswith(FRAME)]


def prepared_count():
    return len(prepared._made)  # noqa: SLF001 - there is no other way to see it


@pytest.fixture
def talking(stage):
    return stage.publish(document(TALK, fields=FIELDS))


ASKED = ([{"fields": {}}], [{"message": "E?", "nome": None, "cidade": None}])


def test_the_first_turn_of_a_session(talking):
    """A new session, a run that starts: within the bound."""
    talking.answers("oi", session_id="warm", understand=ASKED[0], speak=ASKED[1])
    found = statements(talking, "oi", *ASKED)
    assert len(found) <= MOST, "\n".join(found)


def test_a_turn_that_moves_a_run(talking):
    """A step is answered and the next one asks: within the bound."""
    talking.answers("oi", understand=ASKED[0], speak=ASKED[1])
    found = statements(talking, "Ana", [{"fields": {"nome": "Ana"}}], [{"message": "E a cidade?", "cidade": None}])
    assert len(found) <= MOST, "\n".join(found)


def test_no_turn_costs_more_for_the_past(talking):
    """2,000 old turns and messages: the same statements as in a young session."""
    talking.answers("oi", understand=ASKED[0], speak=ASKED[1])
    young = statements(talking, "e", *ASKED)
    session = talking.session()
    old = [
        Turn(
            session=session,
            kind="message",
            key=f"old-{n}",
            input={"message": {"text": "x"}},
            digest="",
            deliver="response",
            state="done",
        )
        for n in range(2_000)
    ]
    Turn.objects.bulk_create(old)
    said = [
        Message(session=session, seq=session.next_seq + n, direction="in", author="customer", text="x")
        for n in range(2_000)
    ]
    Message.objects.bulk_create(said)
    type(session).objects.filter(pk=session.pk).update(next_seq=session.next_seq + 2_000)
    assert len(statements(talking, "e", *ASKED)) == len(young)


def test_the_sql_of_a_turn_is_made_once(talking):
    """What differs from turn to turn is filled in: however many turns, no more statements are kept ready."""
    kept = 0
    for session in ("warm", "another"):
        kept = prepared_count()
        for number in range(6):
            talking.answers(
                f"oi {number}", understand=ASKED[0], speak=ASKED[1], context={"a": number}, session_id=session
            )
    assert prepared_count() == kept > 8


def test_what_was_made_serves_every_thread(transactional_stage, monkeypatch):
    """A request that has a thread of its own makes no SQL anew, and what it made keeps its connection from no end."""
    talking = transactional_stage.publish(document(TALK, fields=FIELDS))
    monkeypatch.setattr(prepared, "_made", {})

    def elsewhere():
        for _ in range(2):
            talking.answers("oi", understand=ASKED[0], speak=ASKED[1])
        connection.close()
        return weakref.ref(connections[DEFAULT_DB_ALIAS])

    with ThreadPoolExecutor(1) as pool:
        of_thread = pool.submit(elsewhere).result()
    gc.collect()
    assert of_thread() is None

    def refuse(*_):
        raise AssertionError("made anew")

    for name in ("_Reading", "_updating", "_inserting"):
        monkeypatch.setattr(prepared, name, refuse)
    talking.answers("oi", understand=ASKED[0], speak=ASKED[1])


def test_a_connection_that_was_closed_is_opened_again(transactional_stage):
    """The cursor that is kept for a connection ends with it."""
    transactional_stage.answers("oi")
    connection.close()
    assert transactional_stage.answers("oi de novo").state == "done"


def test_threads_that_share_a_connection_read_rows_of_their_own(transactional_stage):
    """As those of a live server in a test: one runs a statement while the other has not read its rows yet."""
    keys = []
    for session in ("here", "there"):
        transactional_stage.answers("oi", session_id=session)
        keys.append(transactional_stage.session(session).pk)
    shared, found = connections[DEFAULT_DB_ALIAS], []

    def elsewhere():
        connections[DEFAULT_DB_ALIAS] = shared
        found.append(look_at(keys[1]))

    def interrupted(execute, *given):
        ran = execute(*given)
        if threading.current_thread() is threading.main_thread() and not found:
            other = threading.Thread(target=elsewhere)
            other.start()
            other.join()
        return ran

    shared.inc_thread_sharing()
    try:
        with shared.execute_wrapper(interrupted):
            found.append(look_at(keys[0]))
    finally:
        shared.dec_thread_sharing()
    assert [each.session.pk for each in found] == [keys[1], keys[0]]
