"""The command line of the chat, and its loop."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from falai_engine.agent import Agent
from falai_engine.chat.agent_file import UnusableError, check_document, import_registrations, read_document
from falai_engine.chat.commands import Commands, Quit
from falai_engine.chat.conversation import Conversation, TakenTurn
from falai_engine.chat.scenario_file import write_scenario
from falai_engine.chat.screen import Screen
from falai_engine.chat.sentences import Narrator
from falai_engine.chat.stand_ins import Staged, stage
from falai_engine.chat.terminal import Terminal
from falai_engine.chat.words import language_of, say
from falai_engine.document import Registrations, agent_from_spec
from falai_engine.errors import FlowConfigurationError
from falai_engine.providers.offline import OfflineProvider
from falai_engine.testing.clock import FakeClock
from falai_engine.times import iso, ms_of

__all__ = ["main"]

OK, NO_SCENARIO, UNUSABLE, INTERRUPTED = 0, 1, 2, 130


@dataclass(frozen=True, slots=True)
class Chat:
    """Everything that one run of the program holds a conversation with."""

    agent: Agent
    clock: FakeClock
    staged: Staged
    screen: Screen
    warnings: list[str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0, 1 when the scenario was not kept or differs, 2 when file, registry or arguments are unusable."""
    options = _parser().parse_args(arguments)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        chat = _prepared(options)
    except UnusableError as error:
        print(*error.problems, sep="\n", file=sys.stderr)
        return UNUSABLE
    print(*chat.warnings, sep="\n", end="\n" * bool(chat.warnings), file=sys.stderr)
    return _held(chat, options.scenario)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m falai_engine.chat", description="Talk to an agent written as JSON, with the offline provider."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the agent's document")
    parser.add_argument("--scenario", type=Path, metavar="OUT", help="keep the conversation as a scenario file")
    parser.add_argument(
        "--registry", metavar="MODULE", help="a module whose `registrations` holds Python actions, conditions and tools"
    )
    parser.add_argument(
        "--start",
        type=datetime.fromisoformat,
        metavar="ISO",
        help="when the conversation begins, instead of now; without an offset in the agent's time zone",
    )
    return parser


def _prepared(options: argparse.Namespace) -> Chat:
    if options.scenario is not None and not _can_be_written(options.scenario):
        raise UnusableError(
            f"--scenario {options.scenario}: is a folder, or in none that is there. Make the folder first."
        )
    if options.scenario is not None and _is_same_file(options.scenario, options.file):
        raise UnusableError(f"--scenario {options.scenario}: is the agent's own file. Name another one.")
    brought = Registrations() if options.registry is None else import_registrations(options.registry)
    document = read_document(options.file)
    warnings = check_document(options.file, document, brought)
    zone: tzinfo = ZoneInfo(document["timezone"]) if document.get("timezone") else UTC
    language = language_of(document.get("locale"))
    screen = Screen(Narrator(language, zone), document.get("name") or say(language, "agent"))
    staged = stage(document, brought, screen.stand_in)
    clock = FakeClock(_begun(options.start, zone))
    return Chat(_built(staged, clock, options.file), clock, staged, screen, warnings)


def _can_be_written(path: Path) -> bool:
    """As far as can be told before: nobody should talk for an hour and then hear that there is no such folder."""
    try:
        return path.absolute().parent.is_dir() and not path.is_dir()
    except OSError:
        return False


def _is_same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _begun(start: datetime | None, zone: tzinfo) -> datetime:
    if start is None:
        return datetime.now(UTC)
    return start if start.tzinfo is not None else start.replace(tzinfo=zone)


def _built(staged: Staged, clock: FakeClock, path: Path) -> Agent:
    try:
        return agent_from_spec(
            staged.document, provider=OfflineProvider(), registrations=staged.registrations, clock=clock
        )
    except FlowConfigurationError as error:
        raise UnusableError(f"{path}: {error}") from error


def _held(chat: Chat, scenario: Path | None) -> int:
    """Hold the conversation to its end, then keep it."""
    start = iso(ms_of(chat.clock()))
    taken: list[TakenTurn] = []
    document = chat.staged.document
    commands = Commands(
        Conversation(chat.agent, chat.clock),
        chat.screen,
        taken.append,
        events=tuple(document.get("events") or ()),
        flows=tuple(flow["id"] for flow in document.get("flows") or ()),
    )
    terminal = Terminal(say(chat.screen.narrator.language, "you"))
    chat.screen.say("opening", chat.screen.name)
    try:
        code = _loop(terminal, commands, chat.screen)
    except BrokenPipeError:
        # Whoever read what was shown has left; what was said is kept all the same.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    kept = scenario is None or _kept(chat, scenario, start, taken)
    return code or (OK if kept else NO_SCENARIO)


def _loop(terminal: Terminal, commands: Commands, screen: Screen) -> int:
    """Line by line to the end of the input. Ctrl-C leaves a pipe; a person is told how to leave and writes on."""
    while True:
        try:
            line = terminal.line()
            if line is None or _is_over(line, commands, screen):
                break
        except KeyboardInterrupt:
            if not terminal.is_typed:
                return INTERRUPTED
            print()
            screen.say("interrupted")
    if terminal.is_typed:
        screen.say("bye")
    return OK


def _is_over(line: str, commands: Commands, screen: Screen) -> bool:
    """Carry out a line; whatever goes wrong with it, the conversation goes on."""
    try:
        commands.carry_out(line)
    except Quit:
        return True
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - a condition of the registry may raise while wakes are looked up
        screen.say("input_failed", error)
    return False


def _kept(chat: Chat, path: Path, start: str, taken: Sequence[TakenTurn]) -> bool:
    """Whether the scenario was written and gives the same when it is run."""
    if not taken:
        chat.screen.say("scenario_empty")
        return True
    try:
        difference = write_scenario(path, start, chat.staged.document, taken)
    except (OSError, ValueError) as error:
        chat.screen.say("scenario_unwritten", error)
        return False
    if difference is not None:
        chat.screen.say("scenario_differs", path, difference)
        return False
    chat.screen.say("scenario_saved", path)
    return True
