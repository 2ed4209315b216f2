"""`python -m benchmarks [engine] [host] [--json FILE] [--readme FILE]`: measure, print, exit 1 when a target is missed.

The host's rows need PostgreSQL: DATABASE_URL=postgres://user@host:5432/name. Without it they are left out.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path
from typing import Any

from benchmarks import engine, host_compile, host_drain, host_http, host_wakes
from benchmarks.host_database import IS_POSTGRES

SUITES = {"engine": engine.ROWS, "host": (*host_compile.ROWS, *host_wakes.ROWS, *host_drain.ROWS, *host_http.ROWS)}
BEGIN, END = "<!-- benchmarks -->", "<!-- end of benchmarks -->"


def _line(row: engine.Row) -> str:
    mark = "ok  " if row["met"] else "MISS"
    detail = ", ".join(f"{name} {value}" for name, value in row["detail"].items())
    return f"{mark} {row['name']:<58} {row['value']:>8} {row['unit']:<3} (target <= {row['target']})  {detail}"


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as the README shows them."""
    lines = ["| what | measured | target, at most |", "|---|---|---|"]
    lines += [f"| {row['name']} | {row['value']:.2g} {row['unit']} | {row['target']:g} {row['unit']} |" for row in rows]
    return "\n".join(lines)


def write_table(page: Path, rows: list[dict[str, Any]]) -> None:
    """Put the table between the page's marks."""
    before, mark, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"{page} has no place for the table: {BEGIN} ... {END}")
    page.write_text(f"{before}{BEGIN}\n{table(rows)}\n{END}{after}", encoding="utf-8")


def main() -> int:
    """Run the suites named, all by default."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", choices=[[], *SUITES], default=[], metavar="SUITE")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    parser.add_argument("--readme", type=Path, help="also put them into the table of this page")
    given = parser.parse_args()
    rows = []
    for suite in given.suites or [each for each in SUITES if each != "host" or IS_POSTGRES]:
        for measure in SUITES[suite]:
            rows.append({"suite": suite, **measure()})
            print(_line(rows[-1]), flush=True)
    if given.json is not None:
        python = platform.python_version()
        given.json.write_text(json.dumps({"python": python, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    if given.readme is not None:
        write_table(given.readme, rows)
    return 0 if all(row["met"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
