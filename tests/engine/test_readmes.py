"""What the project's own pages show works as shown."""

import json
import re
import subprocess
import sys
from pathlib import Path

from benchmarks import engine
from benchmarks.__main__ import BEGIN, END
from falai_engine.testing import run_scenario

ROOT = Path(__file__).parent.parent.parent
PLACES = ("", "falai_engine", "falai_engine/testing", "falai_django", "project")
"""Where a file may lie that the table names in short."""


def example(page, language):
    """The one example of a page in a language."""
    found = re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert len(found) == 1
    return found[0]


def test_the_scenario_on_the_testing_page_runs():
    """A user who copies the example conversation has a test that passes."""
    assert run_scenario(json.loads(example("falai_engine/testing/README.md", "json"))) == (2, None)


def test_the_program_on_the_front_page_runs(tmp_path):
    """A newcomer who copies the program sees a conversation that reaches its end."""
    program = tmp_path / "program.py"
    program.write_text(example("README.md", "python"), encoding="utf-8")
    done = subprocess.run(  # noqa: S603 - our own page
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
    )
    assert "to the sales team: Maria of Zeta" in done.stdout
    assert done.stdout.splitlines()[-1] == "Ana: Thank you, Maria. We will call you."


def test_the_files_that_the_front_page_names_are_there():
    """The table of where things live points at files and folders that exist."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    table = page[page.index("## Where things live") :]
    named = [
        name for name in re.findall(r"`([a-z_./]+(?:/|\.py|\.toml|\.lock|/run))`", table) if "/" in name or "." in name
    ]
    assert len(named) > 20
    for name in named:
        assert any((ROOT / place / name).exists() for place in PLACES), name


def test_the_table_of_speeds_has_a_row_for_each_measure():
    """The page shows what `make bench` measures, in its order, each within its target."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    table = page[page.index(BEGIN) : page.index(END)]
    rows = re.findall(r"^\| (.+?) \| ([\d.]+) (\w+) \| ([\d.]+) (\w+) \|$", table, re.MULTILINE)
    assert len(rows) == len(engine.ROWS)
    assert all(float(value) <= float(target) and unit == of for _, value, unit, target, of in rows)
