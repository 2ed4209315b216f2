"""The chat as a program: started as people start it, fed through a pipe or a terminal of its own."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
START = "2026-03-10T14:00:00+00:00"
LONGEST_WAIT = 60
# The terminal becomes the program's own, so that Ctrl-C reaches it and nobody else.
TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


@dataclass(frozen=True)
class Held:
    """A conversation that is over."""

    code: int
    out: str
    err: str

    def after(self, text):
        """What was shown from the first place on where `text` stands."""
        return self.out[self.out.index(text) :]


def command(*arguments):
    return [sys.executable, "-m", "falai_engine.chat", *map(str, arguments)]


def ran(program, given=b"", python_path=ROOT, **environment):
    """A program with bytes through its input, heard to its end."""
    found = subprocess.run(  # noqa: S603 - it is our own
        [*map(str, program)],
        input=given,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(python_path), **environment},
        timeout=LONGEST_WAIT,
        check=False,
    )
    return Held(found.returncode, found.stdout.decode(), found.stderr.decode())


def chat(*arguments, lines=(), start=START, python_path=ROOT):
    """Write each line into the chat and hear it to its end."""
    given = "".join(f"{line}\n" for line in lines)
    return ran(command(*arguments, *(["--start", start] if start else [])), given.encode(), python_path)


def run_scenarios(*paths):
    """The scenario runner as a program."""
    return ran([sys.executable, "-m", "falai_engine.testing", *paths])


def write_agent(folder, **parts):
    """An agent's document as a file; it is silent where no flow speaks, unless told otherwise."""
    path = folder / "agent.json"
    path.write_text(json.dumps({"specVersion": 1, "idle": "silent", **parts}), encoding="utf-8")
    return path


class Terminal:
    """A terminal in which the chat runs, as a person sits before it."""

    def __init__(self, *arguments):
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(  # noqa: S603 - it is our own
            [sys.executable, "-c", TAKE_TERMINAL, *command(*arguments, "--start", START)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=ROOT,
            env={**os.environ, "TERM": "dumb", "PYTHONPATH": str(ROOT)},
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def type(self, keys):
        os.write(self._ours, keys.encode())

    def wait_for(self, text):
        """Read on until `text` is shown; what came up to it."""
        while text not in self.shown:
            piece = self._read()
            assert piece, f"{text!r} was never shown, but {self.shown!r}"
            self.shown += piece
        before, _, self.shown = self.shown.partition(text)
        return before

    def wait_for_end(self):
        """The exit code, once everything was read."""
        while piece := self._read():
            self.shown += piece
        return self._process.wait(LONGEST_WAIT)

    def _read(self):
        ready, _, _ = select.select([self._ours], [], [], LONGEST_WAIT)
        try:
            return os.read(self._ours, 4096).decode(errors="replace") if ready else ""
        except OSError:  # how Linux says that nobody writes any more
            return ""
