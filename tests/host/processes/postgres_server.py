"""A PostgreSQL of the test's own, so that it can be stopped."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import psycopg

from tests.host.processes.site_processes import free_port, until

__all__ = ["PostgresServer"]


def _programs():
    """Where `initdb` lies: on the path, or where Debian puts the newest."""
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    assert places, "PostgreSQL's initdb is not on the path"
    return places[0]


class PostgresServer:
    """On a port of its own, in a folder of its own; it does not run as root, who may be who tests."""

    def __init__(self):
        self.port, self.programs, self.process = free_port(), _programs(), None
        self.folder = Path(tempfile.mkdtemp(prefix="falai-postgres-"))
        self.owner = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        if self.owner:
            shutil.chown(self.folder, **self.owner)
        self._run("initdb", "--auth", "trust", "--username", "postgres", "--no-sync", "--encoding", "UTF8")
        self.start()

    @property
    def settings(self):
        """What Django calls it."""
        return {"HOST": "127.0.0.1", "PORT": self.port, "NAME": "postgres", "USER": "postgres", "PASSWORD": ""}

    def start(self):
        """Ready for connections when it returns."""
        told = ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={self.folder}"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603 - where the machine has it
                [self.programs / "postgres", "-D", self._data, "-p", str(self.port), *told],
                stdout=log,
                stderr=log,
                cwd="/",
                **self.owner,
            )
        until(self._answers, "PostgreSQL answers", 30)

    def stop(self):
        """At once: whoever is connected is cut off in the middle of what it says."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(30)

    def remove(self):
        if self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder)

    @property
    def _data(self):
        return self.folder / "data"

    def _run(self, program, *words):
        done = subprocess.run(  # noqa: S603 - where the machine has it
            [self.programs / program, *words, "-D", self._data],
            check=False,
            capture_output=True,
            text=True,
            cwd="/",
            **self.owner,
        )
        assert done.returncode == 0, done.stderr

    def _answers(self):
        assert self.process.poll() is None, (self.folder / "log").read_text()
        try:
            psycopg.connect(f"host=127.0.0.1 port={self.port} user=postgres dbname=postgres connect_timeout=2").close()
        except psycopg.OperationalError:
            return False
        return True
