"""The drain loop against pgbench with the very statements that it sends: what Python costs beside the database.

Both run every turn of a set of sessions of the same kind, each once, by two processes; short rounds take turns, so that
whatever else the machine does meets both.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.host_database import database_url, open_database
from benchmarks.rounds import Row, compared

__all__ = ["FLOW", "ROWS"]

PROCESSES = 2
TURNS = 100  # of each process, a round
WARM_UP = 20
TARGET = 1 / 0.6
# Numbers that nothing else in a statement is: there the script puts its own.
_FIRST = 900_000_000
_STRIDE = 100_000
FLOW = {
    "id": "talk",
    "name": "Talk",
    "on": [{"message": []}],
    "steps": [
        {"id": "ask", "kind": "collect", "collect": ["nome"], "prompt": "Ask for the name."},
        {"id": "bye", "kind": "say", "say": "Bye, {{data.nome}}."},
    ],
}
_blocks = count()


@cache
def _sample() -> tuple[Any, Any]:
    """A session and its Turn as the door leaves them, to be multiplied."""
    open_database()
    from falai_django.inbox import message, take  # noqa: PLC0415 - as below: Django is set up by now
    from falai_django.models import ModelProvider, Session  # noqa: PLC0415
    from tests.host.loop_rows import make_agent  # noqa: PLC0415
    from tests.host.runtime.stage import document  # noqa: PLC0415

    agent = make_agent("drained", document=document(FLOW))
    ModelProvider.objects.create(tenant=agent.tenant, kind="offline")
    turn = take(agent, "sample", message("hello")).turn
    return Session.objects.get(pk=turn.session_id), turn


def _block(size: int) -> int:
    """So many sessions with a received Turn each; the key of the first, the others follow. A Turn has its session's."""
    from falai_django.models import Session, Turn  # noqa: PLC0415

    session, turn = _sample()
    first = _FIRST + next(_blocks) * _STRIDE
    keys = range(first, first + size)
    Session.objects.bulk_create([_copy(session, pk=key, session_id=f"s{key}") for key in keys])
    Turn.objects.bulk_create([_copy(turn, pk=key, session_id=key) for key in keys])
    return first


def _copy(row: Any, **columns: Any) -> Any:
    values = {each.attname: getattr(row, each.attname) for each in row._meta.concrete_fields}
    made = type(row)(**{**values, "id": columns["pk"]})
    for name, value in columns.items():
        setattr(made, name, value)
    return made


# -- the drain loop


class _Drainer:
    """A process that drains blocks of sessions as it is told."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.host_drain"],
            env={**os.environ, "DATABASE_URL": database_url()},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(self._process.kill)

    def begin(self, first: int, size: int) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{first} {size}\n")
        self._process.stdin.flush()

    def seconds(self) -> float:
        """What it took for what it had begun."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a drainer of the benchmark ended before its time")
        return float(line)


@cache
def _drainers() -> tuple[_Drainer, ...]:
    """PROCESSES of them, warm."""
    found = tuple(_Drainer() for _ in range(PROCESSES))
    _drained_by(found, WARM_UP)
    return found


def _drained_by(drainers: Sequence[_Drainer], size: int) -> float:
    blocks = [_block(size) for _ in drainers]
    for drainer, first in zip(drainers, blocks, strict=True):
        drainer.begin(first, size)
    return len(drainers) * size / max(drainer.seconds() for drainer in drainers)


def _drained() -> float:
    """Turns a second by PROCESSES drainers."""
    return _drained_by(_drainers(), TURNS)


def _work() -> None:
    """What a drainer's process does: drain what it is told to, say how long it took, until nobody tells it more."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmarks.http_site")
    import django  # noqa: PLC0415

    django.setup()
    from falai_django.turns.drain import drain  # noqa: PLC0415

    for line in sys.stdin:
        first, size = map(int, line.split())
        began = time.perf_counter()
        for key in range(first, first + size):
            drain(key)
        print(time.perf_counter() - began, flush=True)


# -- pgbench


@cache
def _script() -> str:
    """The statements of one drained turn, with the script's own session, Turn and ids in them."""
    from django.db import connection  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    from falai_django.turns.drain import drain  # noqa: PLC0415

    drain(_block(1))
    key = _block(1)
    with CaptureQueriesContext(connection) as captured:
        drain(key)
    ids = count()
    lines = ["\\set i :i + 1", "\\set row_key :first + :client_id * 1000 + :i"]
    for query in captured:
        sql = re.sub(rf"\b{key}\b", ":row_key", query["sql"])
        sql = re.sub(r"'\{([0-9a-f,]+)\}'::uuid\[\]", lambda found: _fresh_ids(found[1].count(",") + 1, ids), sql)
        sql = re.sub(r"'[0-9a-f-]{32,36}'::uuid", lambda _: _fresh_id(ids), sql)
        lines.append(f"{sql.rstrip(';')};")
    return "\n".join(lines) + "\n"


def _fresh_id(ids: Iterator[int]) -> str:
    return f"md5(:row_key || '-{next(ids)}')::uuid"


def _fresh_ids(size: int, ids: Iterator[int]) -> str:
    return f"ARRAY[{', '.join(_fresh_id(ids) for _ in range(size))}]"


def _benched() -> float:
    """Turns a second by pgbench with PROCESSES clients."""
    from django.db import connection  # noqa: PLC0415

    script, first, where = _script(), _block(PROCESSES * 1_000), connection.settings_dict
    pgbench = shutil.which("pgbench")
    if pgbench is None:
        raise SystemExit("pgbench is not installed (Debian: postgresql-contrib or postgresql-client)")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "turn.sql"
        file.write_text(script, encoding="utf-8")
        done = subprocess.run(  # noqa: S603 - with our own script
            [
                *(pgbench, "-n", "-M", "simple", "-c", str(PROCESSES), "-j", str(PROCESSES), "-t", str(TURNS)),
                *("-D", "i=-1", "-D", f"first={first}", "-f", str(file)),
                *("-h", where["HOST"], "-p", str(where["PORT"] or 5432), "-U", where["USER"], where["NAME"]),
            ],
            env={**os.environ, "PGPASSWORD": where["PASSWORD"]},
            check=False,
            capture_output=True,
            text=True,
        )
    if done.returncode:
        raise SystemExit(f"pgbench: {done.stderr}")
    _assert_done(first)
    found = re.search(r"tps = ([0-9.]+) \(without", done.stdout)
    assert found is not None, done.stdout
    return float(found[1])


def _assert_done(first: int) -> None:
    """That pgbench did the turns: a statement that hits no row would be quick, and no turn."""
    from falai_django.models import Message, Turn  # noqa: PLC0415

    keys = list(_keys(first))
    assert Turn.objects.filter(pk__in=keys, state="done").count() == len(keys)
    assert Message.objects.filter(session__in=keys).count() >= 2 * len(keys)


def _keys(first: int) -> Iterator[int]:
    for client in range(PROCESSES):
        yield from range(first + client * 1_000, first + client * 1_000 + TURNS)


# -- the row


def drain_loop() -> Row:
    """A turn by the drain loop, against one by pgbench that sends the same statements."""
    _sample()
    _script()
    _drainers()
    return compared("turns a second by pgbench, same statements / by the drain loop", TARGET, _benched, _drained)


ROWS = (drain_loop,)

if __name__ == "__main__":
    _work()
