"""The host against a peer, LangGraph: turns a second and bytes stored, by one dialogue with one fake model.

Both sides run in this process, on one database as it is set up, with one connection each, by turns. Ours is what a
request does with a message, without HTTP (`turn_and_wait`). Each answer is compared with what the dialogue says, and so
is how often the model was asked. Details also tell of the peer with durability "exit", which keeps nothing of a turn
before its end.
"""

from __future__ import annotations

import atexit
import importlib.util
import statistics
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from typing import Any
from unittest.mock import patch

from benchmarks.engine import measured
from benchmarks.host_database import IS_POSTGRES, database_url, open_database
from benchmarks.peer_dialogue import DIALOGUE, FIELDS, MODEL_CALLS, FakeModel
from benchmarks.rounds import Row, compared
from benchmarks.stored_bytes import RowsOf, stored_bytes

__all__ = ["ROWS", "why_left_out"]

CONVERSATIONS = 20  # of each side, a round
STORED = 100  # conversations that are weighed
TARGET = 1 / 3
FLOW = {
    "id": "offer",
    "name": "Offer",
    "on": [{"message": ["wants an offer"]}],
    "steps": [
        {"id": "who", "kind": "collect", "collect": list(FIELDS), "prompt": "Find out who wants the offer."},
        {"id": "check", "kind": "collect", "collect": ["confirmed"], "prompt": "Ask whether all of it is right."},
        {
            "id": "agreed",
            "kind": "if",
            "if": {"equals": {"confirmed": True}},
            "then": "bye",
            "else": {"step": "check", "clear": ["confirmed"]},
        },
        {"id": "bye", "kind": "say", "say": "Thank you, {{data.name}}. You will hear from us within a day."},
    ],
}
_TYPES = {
    "name": {"type": "string"},
    "company": {"type": "string"},
    "size": {"type": "integer"},
    "confirmed": {"type": "boolean", "extract": "anywhere"},
}
_model = FakeModel()
_numbers = count()
_Answer = Callable[[str, str], str]


def why_left_out() -> str:
    """What is missing to measure; empty when nothing is."""
    if not IS_POSTGRES:
        return "DATABASE_URL names no PostgreSQL"
    if not (_is_there("langgraph") and _is_there("langgraph.checkpoint.postgres")):
        return "LangGraph and its PostgreSQL checkpointer are not installed (make bench-peer)"
    return ""


def _is_there(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


# -- the sides


@cache
def _peer() -> Any:
    open_database()
    from benchmarks.peer_langgraph import Peer  # noqa: PLC0415 - it can be imported only where this suite is run

    peer = Peer(database_url(), _model)
    atexit.register(peer.connection.close)
    return peer


def _peers_answer(conversation: str, text: str) -> str:
    return _peer().answer(conversation, text)


def _peers_answer_at_exit(conversation: str, text: str) -> str:
    return _peer().answer(conversation, text, "exit")


@cache
def _agent() -> Any:
    """A published agent whose model is the fake one, compiled."""
    open_database()
    from falai_django.releases import compile_release  # noqa: PLC0415 - as below: Django is set up by now
    from tests.host.loop_rows import make_agent  # noqa: PLC0415
    from tests.host.runtime.stage import document  # noqa: PLC0415

    agent = make_agent("peer", document=document(FLOW, fields=_TYPES))
    with patch("falai_django.releases.compiled.provider_of", lambda _tenant: _model):
        compile_release(agent.active_release)
    return agent


def _our_answer(conversation: str, text: str) -> str:
    from falai_django.inbox import message  # noqa: PLC0415 - Django is set up by now
    from falai_django.waiting import Answered, turn_and_wait  # noqa: PLC0415 - as above

    done = turn_and_wait(_agent(), conversation, message(text))
    assert isinstance(done, Answered), done
    (answer,) = done.response["messages"]
    return answer["text"]


# -- what they do


def _talk(answer: _Answer, conversation: str) -> None:
    """A whole conversation of a side."""
    _model.calls = 0
    for line in DIALOGUE:
        _model.line = line
        answered = answer(conversation, line.said)
        assert answered == line.answer, f"{answer.__name__}: {answered}"
    assert _model.calls == MODEL_CALLS, f"{answer.__name__}: {_model.calls} calls"


def _a_second(answer: _Answer) -> float:
    """Turns a second."""
    names = [f"talk-{next(_numbers)}" for _ in range(CONVERSATIONS)]
    began = time.perf_counter()
    for name in names:
        _talk(answer, name)
    return CONVERSATIONS * len(DIALOGUE) / (time.perf_counter() - began)


def _stored(answer: _Answer, rows_of: Callable[[list[str]], Iterator[RowsOf]]) -> tuple[int, int]:
    """Bytes that a conversation of a side takes: its rows alone, and with pages and indexes."""
    names = [f"stored-{next(_numbers)}" for _ in range(STORED)]
    for name in names:
        _talk(answer, name)
    alone, whole = stored_bytes(_peer().connection, rows_of(names))
    return round(alone / STORED), round(whole / STORED)


def _rows_of_peer(names: list[str]) -> Iterator[RowsOf]:
    from benchmarks.peer_langgraph import TABLES  # noqa: PLC0415 - as in _peer

    for table in TABLES:
        yield RowsOf(table, "thread_id", names)


def _our_rows(names: list[str]) -> Iterator[RowsOf]:
    """Of all tables whose rows go with a conversation."""
    from falai_django import models  # noqa: PLC0415 - Django is set up by now

    sessions = models.Session.objects.filter(agent=_agent(), session_id__in=names)
    ways = {
        models.Session: "pk",
        **dict.fromkeys((models.SessionRun, models.Turn, models.Message, models.Wake), "session"),
        **dict.fromkeys((models.Claim, models.AnchorSession), "session"),
        models.Receipt: "turn__session",
        models.Delivery: "message__session",
    }
    for model, way in ways.items():
        found = model.objects.filter(**{f"{way}__in": sessions})
        yield RowsOf(model._meta.db_table, "id", list(found.values_list("pk", flat=True)))


# -- the rows


def turns() -> Row:
    """A turn of the peer, against one of ours."""
    for answer in (_peers_answer, _peers_answer_at_exit, _our_answer):
        _talk(answer, f"warm-{next(_numbers)}")
    row = compared("turns a second by LangGraph, same dialogue / by the host", TARGET, _ruler, _ours)
    row["detail"]["ruler_at_exit_a_second"] = round(statistics.median(_a_second(_peers_answer_at_exit) for _ in "123"))
    return row


def _ruler() -> float:
    return _a_second(_peers_answer)


def _ours() -> float:
    return _a_second(_our_answer)


def stored() -> Row:
    """What a conversation leaves in the tables."""
    ours, ours_whole = _stored(_our_answer, _our_rows)
    theirs, theirs_whole = _stored(_peers_answer, _rows_of_peer)
    at_exit, at_exit_whole = _stored(_peers_answer_at_exit, _rows_of_peer)
    return measured(
        "bytes stored of a conversation by the host / by LangGraph",
        ours / theirs,
        "x",
        round(TARGET, 3),
        rows={"ours": ours, "ruler": theirs, "ruler_at_exit": at_exit},
        with_indexes={"ours": ours_whole, "ruler": theirs_whole, "ruler_at_exit": at_exit_whole},
    )


ROWS = (turns, stored)
