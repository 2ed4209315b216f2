"""A million pending wakes: what the look at what is due costs, and moving what is due into the inbox."""

from __future__ import annotations

import statistics
import time
from functools import cache
from typing import Any

from benchmarks.host_database import open_database

__all__ = ["ROWS"]

Row = dict[str, Any]
PENDING = 1_000_000
SESSIONS = 20_000
DUE = 10_000
_BATCH = 500


@cache
def _fill() -> None:
    """SESSIONS conversations of one agent with PENDING wakes in the next 30 days."""
    open_database()
    from django.db import connection  # noqa: PLC0415 - as below: Django is set up by now

    from tests.host.loop_rows import make_agent  # noqa: PLC0415

    agent = make_agent("benchmark")
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO falai_session (agent_id, session_id, version, next_seq, inbound_seq, queue_seq, silence_seq,
                 context, last_given, anchors, lease_owner, unreadable, epoch, unanswered, apologized, counted_turns,
                 last_activity_at, created_at)
               SELECT %s, 's' || n, 0, 1, 0, 0, 0, '{}', '{}', '{}', '', 0, 0, 0, false, 0, now(), now()
               FROM generate_series(1, %s) n""",
            [agent.pk, SESSIONS],
        )
        cursor.execute("SELECT min(id) FROM falai_session")
        (first,) = cursor.fetchone()
        cursor.execute(
            """INSERT INTO falai_wake (session_id, key, due, created_at)
               SELECT %s + n %% %s, 'flow#' || n || ':pause:' || n, now() + n * interval '2.5 seconds', now()
               FROM generate_series(1, %s) n""",
            [first, SESSIONS, PENDING],
        )
        cursor.execute("VACUUM ANALYZE falai_wake")
        cursor.execute("VACUUM ANALYZE falai_session")


def _make_due(count: int) -> None:
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE falai_wake SET due = now() - interval '1 second' WHERE id IN
               (SELECT id FROM falai_wake WHERE due > now() ORDER BY due LIMIT %s)""",
            [count],
        )
        cursor.execute("VACUUM falai_wake")


def due_query() -> Row:
    """The loop's look at what is due, with a million wakes pending and a full batch of them due."""
    _fill()
    from falai_django.wakes import due_wakes  # noqa: PLC0415

    _make_due(_BATCH)
    look = due_wakes().values_list("pk", "session_id")
    plan = look[:_BATCH].explain()
    times = []
    for _ in range(100):
        began = time.perf_counter()
        found = len(list(look[:_BATCH]))
        times.append((time.perf_counter() - began) * 1_000)
    assert found == _BATCH
    value = statistics.median(times)
    return {
        "name": "look at what is due, 1,000,000 wakes pending, 500 due",
        "value": round(value, 3),
        "unit": "ms",
        "target": 5.0,
        "met": value < 5.0 and "Index Only Scan" in plan,  # noqa: PLR2004 - the target above
        "detail": {"index_only": "Index Only Scan" in plan, "slowest_ms": round(max(times), 2)},
    }


def moving() -> Row:
    """From due to a Turn in the inbox; the target is 500 a second, so 2 ms each."""
    _fill()
    from falai_django.wakes import move_due_wakes  # noqa: PLC0415

    _make_due(DUE)
    began, moved = time.perf_counter(), 0
    while done := move_due_wakes(seconds=600).moved:
        moved += done
    value = (time.perf_counter() - began) * 1_000 / moved
    return {
        "name": "a wake moved to the inbox, 1,000,000 pending",
        "value": round(value, 3),
        "unit": "ms",
        "target": 2.0,
        "met": value <= 2.0,  # noqa: PLR2004 - the target above
        "detail": {"a_second": round(1_000 / value), "moved": moved},
    }


ROWS = (due_query, moving)
