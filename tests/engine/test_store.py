"""The store's contract, as MemoryStore keeps it (engine.md, section 13)."""

from __future__ import annotations

import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from falai_engine import (
    InputError,
    InvalidSessionError,
    MemoryStore,
    MessageInput,
    Session,
    SessionConflictError,
    Store,
    TurnInput,
    session_to_json,
)
from tests.engine.conversation import build
from tests.engine.junk import SESSION


def conflict(store, session, expected):
    """The version that was found instead."""
    with pytest.raises(SessionConflictError) as raised:
        store.save(session, expected)
    assert (raised.value.session_id, raised.value.expected_version) == (session.id, expected)
    return raised.value.actual_version


def with_data(session, **data):
    return replace(session.copy(), data=data)


def test_a_session_that_was_never_saved_is_none():
    """There is no row, so there is no session; a fresh one is the turn's to make."""
    assert MemoryStore().load("s") is None


def test_the_first_save_inserts_at_version_1():
    """Expected 0 inserts; success stores, and gives back, expected + 1."""
    store = MemoryStore()
    saved = store.save(Session("s", data={"name": "Ana"}), 0)
    assert saved.version == 1
    assert store.load("s") == saved
    assert saved.data == {"name": "Ana"}


def test_an_insert_refuses_an_existing_row():
    """Two first turns at once: the second one is told the version it met."""
    store = MemoryStore()
    store.save(Session("s"), 0)
    assert conflict(store, Session("s", data={"name": "Bia"}), 0) == 1
    assert store.load("s").data == {}


def test_an_update_needs_the_row_at_its_version():
    """Expected n updates only a row at n, in steps of one; an older or a newer expectation is refused."""
    store = MemoryStore()
    first = store.save(Session("s"), 0)
    second = store.save(with_data(first, name="Ana"), 1)
    assert (second.version, store.load("s").data) == (2, {"name": "Ana"})
    assert conflict(store, with_data(first, name="Bia"), 1) == 2
    assert conflict(store, with_data(first, name="Bia"), 3) == 2
    assert store.load("s") == second


def test_an_update_of_a_row_that_is_gone_says_so():
    """With no row there is no version: the conflict tells None."""
    assert conflict(MemoryStore(), Session("s"), 1) is None


def test_the_expectation_counts_and_not_the_session_s_own_version():
    """`save` is told what to expect; the version inside the session is not asked."""
    store = MemoryStore()
    assert store.save(Session("s", version=7), 0).version == 1
    assert store.save(Session("s", version=7), 1).version == 2


def test_sessions_do_not_meet():
    """Each id has its own row and version."""
    store = MemoryStore()
    store.save(Session("a"), 0)
    store.save(Session("b"), 0)
    store.save(Session("b"), 1)
    assert (store.load("a").version, store.load("b").version) == (1, 2)


def test_what_was_saved_is_out_of_reach():
    """A session changed after it was saved, or after it was loaded, changes nothing in the store."""
    store = MemoryStore()
    session = Session("s", data={"list": [1]})
    saved = store.save(session, 0)
    session.data["list"].append(2)
    saved.data["list"].append(3)
    store.load("s").data["list"].append(4)
    assert store.load("s").data == {"list": [1]}


def test_a_session_that_is_no_json_is_not_saved():
    """A value that JSON cannot carry fails before the row is touched."""
    store = MemoryStore()
    store.save(Session("s"), 0)
    for value in (object(), float("nan"), {1, 2}):
        with pytest.raises(InvalidSessionError):
            store.save(Session("s", data={"when": value}), 1)
    assert store.load("s").version == 1


@pytest.mark.parametrize("expected", [0, 1])
def test_of_threads_that_race_exactly_one_wins(expected):
    """Check and write are one step: of sixteen savers with the same expectation one stores, the others are told."""
    for _ in range(20):
        store = MemoryStore()
        if expected:
            store.save(Session("s"), 0)
        together = threading.Barrier(16)

        def save(number, store=store, together=together):
            together.wait(5)
            try:
                return store.save(Session("s", data={"by": number}), expected).data["by"]
            except SessionConflictError as error:
                assert error.actual_version == expected + 1  # noqa: PT017 - in a thread, where only the value counts
                return None

        with ThreadPoolExecutor(16) as pool:
            winners = [number for number in pool.map(save, range(16)) if number is not None]
        assert len(winners) == 1
        assert store.load("s").data == {"by": winners[0]}
        assert store.load("s").version == expected + 1


def broken(**parts):
    """A stored row with parts replaced; a part that is `...` is missing."""
    blob = json.loads(json.dumps(SESSION))
    return {key: value for key, value in {**blob, **parts}.items() if value is not ...}


def run_with(**parts):
    """The first run of the row with parts replaced, alone; a part that is `...` is missing."""
    run = {**SESSION["runs"][0], **parts}
    return {"runs": [{key: value for key, value in run.items() if value is not ...}]}


BROKEN = {
    "null": None,
    "a list": [],
    "text": "text",
    "empty": {},
    "version 3 of the format": broken(v=3),
    "v is true": broken(v=True),
    "another id": broken(id="other"),
    "no version": broken(version=...),
    "half a version": broken(version=1.5),
    "version is true": broken(version=True),
    "data is a list": broken(data=[]),
    "no metadata": broken(metadata=...),
    "a claim that is text": broken(claims={"f:s:": "now"}),
    "an input that is null": broken(inputs=[None]),
    "runs are an object": broken(runs={}),
    "history is null": broken(history=None),
    "lastUserAt is null": broken(lastUserAt=None),
    "lastAssistantAt is a number": broken(lastAssistantAt=5),
    "a run of a strange status": broken(**run_with(status="resting")),
    "a run that waits for null": broken(**run_with(waiting=None)),
    "a hop that is text": broken(**run_with(hop="0")),
    "a trigger without key": broken(**run_with(trigger={"kind": "message"})),
    "a run without stepId": broken(**run_with(stepId=...)),
    "outcomes that are an object": broken(**run_with(outcomes={})),
    "asked is a list": broken(**run_with(asked=[])),
}


@pytest.mark.parametrize("blob", BROKEN.values(), ids=BROKEN)
def test_a_broken_row_raises(blob):
    """A row that is no session of version 4 for that id raises, when it is loaded; it never becomes a fresh one."""
    store = MemoryStore()
    store.save(Session("s"), 0)
    store._blobs["s"] = json.dumps(blob)  # noqa: SLF001 - breaking the row is the point
    with pytest.raises(InvalidSessionError) as raised:
        store.load("s")
    assert raised.value.session_id == "s"


def test_a_broken_row_is_not_overwritten_by_a_save():
    """Saving over a row that nobody can read would lose it: that raises too, and the row stays."""
    store = MemoryStore()
    store.save(Session("s"), 0)
    store._blobs["s"] = "{}"  # noqa: SLF001 - breaking the row is the point
    for expected in (0, 1):
        with pytest.raises((InvalidSessionError, SessionConflictError)):
            store.save(Session("s"), expected)
    assert store._blobs["s"] == "{}"  # noqa: SLF001 - the row as it is


@pytest.mark.parametrize("part", ["input", "payload"])
def test_null_counts_where_it_means_something(part):
    """A null input or payload was carried, and stays; a missing one stays missing."""
    run = {**SESSION["runs"][0], "outcomes": []}
    with_null = {**run, "input": None} if part == "input" else {**run, "trigger": {**run["trigger"], "payload": None}}
    store = MemoryStore()
    for each in (run, with_null):
        store._blobs["s"] = json.dumps(broken(runs=[each]))  # noqa: SLF001 - a row from elsewhere
        assert session_to_json(store.load("s"))["runs"] == [each]


def test_unknown_keys_are_dropped():
    """What a later version of ours may have written beside the known keys does not come back."""
    store = MemoryStore()
    run = {**SESSION["runs"][0], "mood": "good"}
    store._blobs["s"] = json.dumps(broken(runs=[run], colour="red"))  # noqa: SLF001 - a row from elsewhere
    loaded = session_to_json(store.load("s"))
    assert "colour" not in loaded
    assert "mood" not in loaded["runs"][0]
    assert loaded["metadata"] == SESSION["metadata"]


def test_the_errors_say_where_what_and_how():
    """Both errors of a store are sentences of one shape, and come through pickling as they were."""
    for error in (SessionConflictError("s", 3, 5), SessionConflictError("s", 3, None), InvalidSessionError("s")):
        assert str(error).startswith(f'[{type(error).__name__}] session "s": ')
        assert str(error).count(". ") >= 1
        assert str(error).endswith(".")
        again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
        assert (str(again), vars(again)) == (str(error), vars(error))


def test_a_memory_store_is_a_store():
    """It has the two functions that every store has, and no others that a host could come to need."""
    wanted = {name for name in vars(Store) if not name.startswith("_")}
    assert {name for name in vars(MemoryStore) if not name.startswith("_")} == wanted == {"load", "save"}


def test_a_session_of_another_id_is_refused():
    """A turn is never taken on the session of somebody else's conversation."""
    with pytest.raises(InputError, match="Pass the session that sessionId names"):
        build(flows=[]).turn(TurnInput("a", MessageInput("hi"), Session("b")))
