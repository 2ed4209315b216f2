"""What the package's own pages show works as shown."""

import json
import re
from pathlib import Path

from falai_engine.testing import run_scenario

PAGE = Path("falai_engine/testing/README.md")


def test_the_scenario_on_the_testing_page_runs():
    """A user who copies the example conversation has a test that passes."""
    examples = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 1
    assert run_scenario(json.loads(examples[0])) == (2, None)
