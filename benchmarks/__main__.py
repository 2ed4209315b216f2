"""`python -m benchmarks [SUITE...] [--json FILE] [--readme FILE]`: measure, print, exit 1 when a target is missed.

The suites are engine, host and peer (the host against LangGraph), all by default. The last two need PostgreSQL:
DATABASE_URL=postgres://user@host:5432/name. The peer's rows need LangGraph, too: `make bench-peer`. A suite that cannot
be measured is left out, and a line says why; when it is asked for by its name, that is an error.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path
from typing import Any

from benchmarks import engine, host_compile, host_drain, host_http, host_peer, host_wakes
from benchmarks.host_database import IS_POSTGRES

SUITES = {
    "engine": engine.ROWS,
    "host": (*host_compile.ROWS, *host_wakes.ROWS, *host_drain.ROWS, *host_http.ROWS),
    "peer": host_peer.ROWS,
}
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


def _why_left_out(suite: str) -> str:
    if suite == "peer":
        return host_peer.why_left_out()
    return "" if suite == "engine" or IS_POSTGRES else "DATABASE_URL names no PostgreSQL"


def _chosen(named: list[str]) -> list[str]:
    """The suites named, else all that can be measured."""
    missing = {suite: why for suite in named or SUITES if (why := _why_left_out(suite))}
    told = [f"{suite} is left out: {why}" for suite, why in missing.items()]
    if named and missing:
        raise SystemExit("\n".join(told))
    for line in told:
        print(line)
    return named or [suite for suite in SUITES if suite not in missing]


def main() -> int:
    """Run the suites named, all by default."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", choices=[[], *SUITES], default=[], metavar="SUITE")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    parser.add_argument("--readme", type=Path, help="also put them into the table of this page")
    given = parser.parse_args()
    rows = []
    for suite in _chosen(given.suites):
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
