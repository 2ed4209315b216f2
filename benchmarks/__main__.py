"""`python -m benchmarks [engine] [--json FILE]`: measure, print a table, exit 1 when a target is missed."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path

from benchmarks import engine

SUITES = {"engine": engine.ROWS}


def _line(row: engine.Row) -> str:
    mark = "ok  " if row["met"] else "MISS"
    detail = ", ".join(f"{name} {value}" for name, value in row["detail"].items())
    return f"{mark} {row['name']:<58} {row['value']:>8} {row['unit']:<3} (target <= {row['target']})  {detail}"


def main() -> int:
    """Run the suites named, all by default."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", choices=[[], *SUITES], default=[], metavar="SUITE")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    given = parser.parse_args()
    rows = []
    for suite in given.suites or SUITES:
        for measure in SUITES[suite]:
            rows.append({"suite": suite, **measure()})
            print(_line(rows[-1]), flush=True)
    if given.json is not None:
        python = platform.python_version()
        given.json.write_text(json.dumps({"python": python, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row["met"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
