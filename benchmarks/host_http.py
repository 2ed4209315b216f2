"""Turns over HTTP against a bare view that runs the same statements: what the runtime and the API cost beside them.

One server of two processes, asked by the same client; the sides take turns. And how long a server that was just
started takes to its first turn.
"""

from __future__ import annotations

import atexit
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.host_database import database_url, open_database
from benchmarks.rounds import Row, compared

__all__ = ["ROWS"]

PROCESSES = 2
CONNECTIONS = 8
TURNS = 25  # of each connection, a round
TARGET = 1 / 0.5
AGENTS = 100
COLD_STARTS = 5
COLD_TARGET = 2.0
_SLUG = "served"
_BODY = json.dumps({"message": {"text": "hello", "id": "m1"}})
# Numbers that nothing else in a statement is.
_FIRST_SESSION = 700_000_000
_FIRST_TURN = 800_000_000
_keys = count(_FIRST_SESSION)


@cache
def _agent() -> tuple[Any, str]:
    """The agent, and the secret of a key of its tenant."""
    open_database()
    from benchmarks.host_drain import FLOW  # noqa: PLC0415 - as below: Django is set up by now
    from falai_django.models import ModelProvider  # noqa: PLC0415
    from tests.host.loop_rows import make_agent  # noqa: PLC0415
    from tests.host.rest.callers import make_key  # noqa: PLC0415
    from tests.host.runtime.stage import document  # noqa: PLC0415

    agent = make_agent(_SLUG, document=document(FLOW))
    ModelProvider.objects.create(tenant=agent.tenant, kind="offline")
    return agent, make_key(agent.tenant)[1]


def _sessions(size: int) -> list[int]:
    """So many new conversations."""
    from falai_django.models import Session  # noqa: PLC0415

    keys = [next(_keys) for _ in range(size)]
    Session.objects.bulk_create([Session(pk=key, agent=_agent()[0], session_id=f"s{key}") for key in keys])
    return keys


# -- the statements


def _captured() -> list[tuple[str, bool]]:
    """Those of one request, for `BareView`: its session, its Turn and its ids are places to fill."""
    from django.db import connection  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    client, headers = Client(), _headers()
    first, key = _sessions(2)
    client.post(_address(first), _BODY, "application/json", headers=headers)
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER SEQUENCE falai_turn_id_seq RESTART {_FIRST_TURN}")
    with CaptureQueriesContext(connection) as captured:
        answer = client.post(_address(key), _BODY, "application/json", headers=headers)
    assert answer.status_code == http.client.OK, answer.content
    return [_with_places(each["sql"], key) for each in captured]


def _with_places(sql: str, key: int) -> tuple[str, bool]:
    sql = sql.replace("%", "%%").replace(str(key), "%(row)s").replace(str(_FIRST_TURN), "%(turn)s")
    ids = count()
    sql = re.sub(r"'[0-9a-f-]{32,36}'::uuid", lambda _: f"'%(id{next(ids)})s'::uuid", sql)
    return sql, sql.startswith('INSERT INTO "falai_turn"')


# -- the server, and its client


class _Server:
    """The benchmarks' site, served by uvicorn; `started` is when it was begun."""

    def __init__(self, processes: int, statements: Path | None = None) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        told = {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "benchmarks.http_site"}
        if statements is not None:
            told["BENCHMARK_STATEMENTS"] = str(statements)
        words = ["--port", str(self.port), "--workers", str(processes), "--log-level", "warning", "--no-access-log"]
        self.started = time.perf_counter()
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-m", "uvicorn", "project.asgi:application", *words],
            env={**os.environ, **told},
            start_new_session=True,
        )
        atexit.register(self.stop)

    def connected(self) -> http.client.HTTPConnection:
        """A connection, as soon as it takes one."""
        while True:
            assert self._process.poll() is None, "the benchmark's server ended before its time"
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            with contextlib.suppress(OSError):
                connection.connect()
                return connection
            time.sleep(0.01)

    def stop(self) -> None:
        """With all its processes."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def _headers() -> dict[str, str]:
    return {"Authorization": f"Bearer {_agent()[1]}", "Content-Type": "application/json"}


def _address(key: int) -> str:
    return f"/api/v1/agents/{_SLUG}/sessions/s{key}/turns"


def _bare_address(key: int) -> str:
    return f"/bare/{key}"


def _post(connection: http.client.HTTPConnection, address: str, headers: dict[str, str]) -> None:
    connection.request("POST", address, _BODY, headers)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == http.client.OK, body


def _a_second(server: _Server, address: Callable[[int], str]) -> float:
    """Answers a second, to CONNECTIONS at once."""
    headers, keys = _headers(), _sessions(CONNECTIONS * TURNS)
    connections = [server.connected() for _ in range(CONNECTIONS)]

    def ask(number: int) -> None:
        for key in keys[number::CONNECTIONS]:
            _post(connections[number], address(key), headers)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(CONNECTIONS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    for connection in connections:
        connection.close()
    _assert_done(keys)
    return len(keys) / seconds


def _assert_done(keys: list[int]) -> None:
    """Each had its turn, whoever ran it: a statement that hits no row would be quick, and no turn."""
    from falai_django.models import Message, Turn  # noqa: PLC0415

    assert Turn.objects.filter(session__in=keys, state="done").count() == len(keys)
    assert Message.objects.filter(session__in=keys).count() == 2 * len(keys)


# -- the rows


def turns_over_http() -> Row:
    """A turn by the API, against the bare view."""
    _agent()
    with tempfile.TemporaryDirectory() as folder:
        statements = Path(folder) / "statements.json"
        statements.write_text(json.dumps(_captured()), encoding="utf-8")
        server = _Server(PROCESSES, statements)
        bare, ours = partial(_a_second, server, _bare_address), partial(_a_second, server, _address)
        bare(), ours()  # warm
        row = compared("requests a second by a bare view, same statements / turns by the API", TARGET, bare, ours)
        server.stop()
    return row


def cold_start() -> Row:
    """From the start of a server to its first answer: Python, Django, a connection, one agent compiled, one turn."""
    slug, times = _many_agents(), []
    for number in range(COLD_STARTS):
        server = _Server(1)
        connection = server.connected()
        _post(connection, f"/api/v1/agents/{slug}/sessions/cold-{number}/turns", _headers())
        times.append(time.perf_counter() - server.started)
        connection.close()
        server.stop()
    value = statistics.median(times)
    return {
        "name": f"from the start of a server to its first turn, {AGENTS} agents",
        "value": round(value, 3),
        "unit": "s",
        "target": COLD_TARGET,
        "met": value < COLD_TARGET,
        "detail": {"each": [round(each, 2) for each in times]},
    }


@cache
def _many_agents() -> str:
    """AGENTS of them, each as big as the largest of the examples; the slug of one."""
    tenant = _agent()[0].tenant
    from falai_django.models import Agent, Release  # noqa: PLC0415

    document = _example()
    for number in range(AGENTS):
        agent = Agent.objects.create(tenant=tenant, slug=f"agent-{number}")
        agent.active_release = Release.objects.create(
            agent=agent, number=1, document=document, spec_version=1, digest="0" * 64
        )
        agent.save()
    return f"agent-{AGENTS // 2}"


def _example() -> dict[str, Any]:
    """With an action that needs no Python of a site."""
    told = json.loads((Path(__file__).parents[1] / "examples/triage.json").read_text(encoding="utf-8"))
    notify = {"kind": "python", "name": "falai.notify"}
    return {**told, "actions": {name: {**action, **notify} for name, action in told["actions"].items()}}


ROWS = (turns_over_http, cold_start)
