"""Several connections at once: each work in a thread with one of its own. It takes a database server."""

from __future__ import annotations

import threading
import time

from django.db import connection, transaction

__all__ = ["at_once", "behind"]

LONGEST = 20
"""Seconds; a work that waits for ever is a failure."""


def at_once(*works):
    """Run these, begun together; what each returned or raised."""
    ready, results = threading.Barrier(len(works)), [None] * len(works)

    def run(number, work):
        try:
            ready.wait(LONGEST)
            results[number] = work()
        except Exception as error:  # noqa: BLE001 - told to the test
            results[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONGEST)
        assert not thread.is_alive()
    return results


def behind(holding, work, then=None):
    """What `work` returned or raised, which began within the transaction of `holding`, and had to wait for it.

    `then` is done in that transaction while it waits.
    """
    results = []
    thread = threading.Thread(target=lambda: results.extend(at_once(work)))
    with transaction.atomic():
        holding()
        thread.start()
        _until_somebody_waits()
        if then is not None:
            then()
    thread.join(LONGEST)
    (result,) = results
    return result


def _until_somebody_waits():
    """For what this transaction holds."""
    end = time.monotonic() + LONGEST
    with connection.cursor() as cursor:
        while time.monotonic() < end:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
            )
            if cursor.fetchone()[0]:
                return
    raise AssertionError("nobody waits")
