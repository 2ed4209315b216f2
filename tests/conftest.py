"""What holds for every test: how hypothesis searches, and notes that a test leaves for the reader of the summary."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# A slow machine is no failure of ours; a failure is printed so that it can be pasted and run again.
settings.register_profile("local", deadline=None, print_blob=True)
# The same examples in every run of CI, so that a red one means that the code changed.
settings.register_profile("ci", parent=settings.get_profile("local"), derandomize=True, database=None)
# For a long search now and then: HYPOTHESIS_PROFILE=thorough make test
settings.register_profile("thorough", parent=settings.get_profile("local"), max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "local"))

_NOTES = pytest.StashKey[list[str]]()


@pytest.fixture
def note(request):
    """`note(line)` prints a line at the end of the run: worth knowing, and no failure."""
    return request.config.stash.setdefault(_NOTES, []).append


def pytest_terminal_summary(terminalreporter, config):
    notes = config.stash.get(_NOTES, [])
    if notes:
        terminalreporter.section("notes")
        terminalreporter.write_line("\n".join(sorted(notes)))
