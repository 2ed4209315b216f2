"""A site's processes, for tests: workers, beats and a broker, each to be killed, and what they have to do."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import httpx
from django.db import connection
from django.db.models import Count

from falai_django.databases import now_and
from falai_django.inbox import start, take
from falai_django.models import Agent, Message, Session, SessionRun, Wake
from falai_django.turns.drain import drain

__all__ = ["LATER", "RedisServer", "SiteProcesses", "free_port", "park", "said_once_each", "until"]

ROOT = Path(__file__).resolve().parents[3]
LATER = {
    "specVersion": 1,
    "name": "Lia",
    "idle": "silent",
    "flows": [
        {"id": "later", "steps": [{"id": "wait", "wait": "1h"}, {"id": "say", "say": "Mais tarde."}]},
    ],
}
_SAMPLE = "sample-00000"


def until(is_so, what, seconds=120):
    """Look again and again until it is so."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.1)


def park(agent: Agent, count: int):
    """So many sessions whose run waits for a wake that is due now: one is run, the others are its copies."""
    take(agent, _SAMPLE, start("later", key="k"))
    session = Session.objects.get(agent=agent, session_id=_SAMPLE)
    drain(session.pk)
    session.refresh_from_db()
    run, wake = SessionRun.objects.get(session=session), Wake.objects.get(session=session)
    names = [f"parked-{number:05}" for number in range(count - 1)]
    made = Session.objects.bulk_create([_renamed(session, name) for name in names])
    SessionRun.objects.bulk_create([_copy(run, session_id=each.pk) for each in made])
    Wake.objects.bulk_create([_copy(wake, session_id=each.pk) for each in made])
    Wake.objects.update(due=now_and(-1))


def _renamed(session, name):
    blob = _replaced(session.blob, name)
    return _copy(session, session_id=name, blob=blob)


def _replaced(value, name):
    if isinstance(value, str):
        return value.replace(_SAMPLE, name)
    if isinstance(value, dict):
        return {_replaced(key, name): _replaced(each, name) for key, each in value.items()}
    return [_replaced(each, name) for each in value] if isinstance(value, list) else value


def _copy(row, **columns):
    values = {each.attname: getattr(row, each.attname) for each in row._meta.concrete_fields if each.attname != "id"}
    made = type(row)(**values)
    for name, value in columns.items():
        setattr(made, name, value)
    return made


def said_once_each():
    """How many parked sessions said their word; none said it twice."""
    said = Message.objects.filter(direction="out", turn__kind="wake").aggregate(
        all=Count("pk"), each=Count("session", distinct=True)
    )
    assert said["all"] == said["each"]
    return said["all"]


class SiteProcesses:
    """Processes of the demo site on the test's database. All end with the test."""

    def __init__(self, folder, broker=None, queue="falai-test", receiver=""):
        told = connection.settings_dict
        user = quote(told["USER"]) + (f":{quote(told['PASSWORD'])}" if told["PASSWORD"] else "")
        self.folder, self.processes, self.begun = folder, [], 0
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("CELERY_")},
            "DATABASE_URL": f"postgres://{user}@{told['HOST']}:{told['PORT'] or 5432}/{told['NAME']}",
            "DJANGO_SETTINGS_MODULE": "tests.host.processes.site",
            "PYTHONPATH": str(ROOT),
            "TEST_RECEIVER": receiver,
            **({"CELERY_BROKER_URL": broker, "CELERY_TASK_DEFAULT_QUEUE": queue} if broker else {}),
        }

    def begin(self, *command):
        self.begun += 1
        log = (self.folder / f"{self.begun}.log").open("wb")
        process = subprocess.Popen(  # noqa: S603 - our own programs
            [sys.executable, *command],
            cwd=self.folder,
            env=self.environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        log.close()
        self.processes.append(process)
        return process

    def server(self, processes=2):
        """The site's ASGI server of so many processes; its address, once it answers."""
        port = free_port()
        self.begin("-m", "uvicorn", "project.asgi:application", "--port", str(port), "--workers", str(processes))
        url = f"http://127.0.0.1:{port}"
        self.until(lambda: _is_served(url), "the site is served", 60)
        return url

    def worker(self):
        """The worker that needs no broker."""
        return self.begin("-m", "django", "falai_worker", "--threads", "1")

    def celery(self, *command):
        return self.begin("-m", "celery", "-A", "project", *command)

    def celery_worker(self, number):
        return self.celery("worker", "--concurrency", "1", "--hostname", f"w{number}@test", "--without-mingle")

    def beat(self, number):
        return self.celery("beat", "--schedule", str(self.folder / f"beat{number}"))

    def kill(self, process, number=signal.SIGKILL):
        """The process and its children, as a machine that goes away."""
        self.processes.remove(process)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        process.wait(30)

    def end(self, process):
        """Ask for an orderly end; its exit code."""
        self.processes.remove(process)
        process.terminate()
        return process.wait(30)

    def until(self, is_so, what, seconds=120):
        """Look again and again until it is so; a process that ended by itself is the reason why it is not."""

        def look():
            ended = [process.args for process in self.processes if process.poll() is not None]
            assert ended == [], self._last_words()
            return is_so()

        until(look, what, seconds)

    def close(self):
        for process in list(self.processes):
            self.kill(process)

    def _last_words(self):
        return "\n".join(path.read_text(errors="replace")[-2_000:] for path in sorted(self.folder.glob("*.log")))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def _is_served(url):
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"{url}/api/v1/health/live", trust_env=False).status_code == 200
    return False


class RedisServer:
    """A Redis of the test's own, on a port of its own, so that it can be stopped."""

    def __init__(self, folder):
        self.port, self.folder, self.process = free_port(), folder, None
        self.start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self):
        self.process = subprocess.Popen(  # noqa: S603 - where the machine has it
            ["redis-server", "--port", str(self.port), "--save", "", "--dir", str(self.folder)],  # noqa: S607
            stdout=subprocess.DEVNULL,
        )
        until(self._answers, "Redis answers", 10)

    def _answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def stop(self):
        self.process.kill()
        self.process.wait(10)

    @contextlib.contextmanager
    def hanging(self):
        """It takes connections, and answers nothing."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)
