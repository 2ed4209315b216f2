"""`manage.py falai_worker`: do what is due until it is stopped; no broker is needed (spec: host.md section 4)."""

from __future__ import annotations

import signal
import threading
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from falai_django.loop import tick
from falai_django.loop.worker import run_worker

__all__ = ["Command"]

_MOST_THREADS = 64


class Command(BaseCommand):
    """Ticks until SIGTERM or SIGINT; with `--once`, until nothing is due any more."""

    help = "Move conversations on: due wakes, waiting turns, messages on their way, housekeeping."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="do what is due now, then end: for cron and tests")
        parser.add_argument(
            "--threads", type=int, default=4, help="how many conversations are run at the same time (default: 4)"
        )

    def handle(self, *_args: Any, once: bool, threads: int, **_options: Any) -> None:
        if not 1 <= threads <= _MOST_THREADS:
            raise CommandError(_("Give --threads a number from 1 to %(most)d.") % {"most": _MOST_THREADS})
        stop = threading.Event()
        _stop_on_signals(stop)
        if once:
            self._once(stop)
        else:
            self.stdout.write(_("Working. Stop with Ctrl-C: what was begun is finished first."))
            run_worker(stop, threads)

    def _once(self, stop: threading.Event) -> None:
        done: dict[str, int] = {}
        while True:
            ticked = tick(stopping=stop.is_set)
            done = {part: done.get(part, 0) + count for part, count in ticked.done.items()}
            if ticked.wait_seconds or stop.is_set():
                break
        self.stdout.write(", ".join(f"{part}: {count}" for part, count in done.items()))


def _stop_on_signals(stop: threading.Event) -> None:
    """The first signal asks for an orderly end, a second one ends at once."""
    if threading.current_thread() is not threading.main_thread():
        return  # signals are the main thread's

    def ask(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask)
