"""`python -m falai_engine.testing [--agent FILE] FILE...`: run scenario files and say what differs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from falai_engine.testing.difference import Difference
from falai_engine.testing.reading import read_json, read_scenarios
from falai_engine.testing.scenario import run_scenario
from falai_engine.testing.stage import with_scripts_of


def run_files(paths: list[Path], document: Mapping[str, Any] | None = None) -> tuple[int, int, int]:
    """Run every scenario, print the first difference of each that differs; `(scenarios, turns, differ)`."""
    scenarios = turns = differ = 0
    for path in paths:
        for index, scenario in enumerate(read_scenarios(path)):
            ran, difference = _run(path, index, scenario, document)
            scenarios += 1
            turns += ran
            if difference is not None:
                differ += 1
                print(f"{path}: {scenario.get('name', index)}\n  {difference}")
    return scenarios, turns, differ


def _run(
    path: Path, index: int, scenario: Mapping[str, Any], document: Mapping[str, Any] | None
) -> tuple[int, Difference | None]:
    try:
        if document is not None:
            scenario = {**scenario, "agent": with_scripts_of(document, scenario["agent"])}
        return run_scenario(scenario)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"{path}: scenario {scenario.get('name', index)} cannot be run ({type(error).__name__}: {error})"
        raise ValueError(what) from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m falai_engine.testing", description="Run scenario files.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="scenarios as .json or .json.gz")
    parser.add_argument("--agent", type=Path, help="run them against this agent's document instead of their own")
    return parser


def main(arguments: list[str]) -> int:
    """Exit code: 0 when nothing differs, 1 when something does, 2 when a file cannot be read or run."""
    options = _parser().parse_args(arguments)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        document = None if options.agent is None else read_json(options.agent)
        scenarios, turns, differ = run_files(options.files, document)
        print(f"{scenarios} scenarios, {turns} turns, {differ} differ", flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except ValueError as error:
        print(f"falai_engine.testing: {error}", file=sys.stderr)
        return 2
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
