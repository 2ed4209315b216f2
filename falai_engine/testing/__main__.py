"""`python -m falai_engine.testing FILE...`: run scenario files and say what differs."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from pathlib import Path
from typing import Any

from falai_engine.testing.scenario import run_scenario

USAGE = "usage: python -m falai_engine.testing FILE...   (scenarios as .json or .json.gz)"


def read_scenarios(path: Path) -> list[Any]:
    """The scenarios of a file: a list of them, or one alone. Raises ValueError with the file's name."""
    try:
        raw = path.read_bytes()
        value = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    return value if isinstance(value, list) else [value]


def run_files(paths: list[Path]) -> tuple[int, int, int]:
    """Run every scenario, print the first difference of each that differs; `(scenarios, turns, differ)`."""
    scenarios = turns = differ = 0
    for path in paths:
        for index, scenario in enumerate(read_scenarios(path)):
            try:
                ran, difference = run_scenario(scenario)
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                name = scenario.get("name", index) if isinstance(scenario, dict) else index
                what = f"{path}: scenario {name} cannot be run ({type(error).__name__}: {error})"
                raise ValueError(what) from error
            scenarios += 1
            turns += ran
            if difference is not None:
                differ += 1
                print(f"{path}: {scenario.get('name', index)}\n  {difference}")
    return scenarios, turns, differ


def main(arguments: list[str]) -> int:
    """Exit code: 0 when nothing differs, 1 when something does, 2 when a file cannot be read."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if arguments else 2
    try:
        scenarios, turns, differ = run_files([Path(each) for each in arguments])
    except ValueError as error:
        print(f"falai_engine.testing: {error}", file=sys.stderr)
        return 2
    print(f"{scenarios} scenarios, {turns} turns, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
