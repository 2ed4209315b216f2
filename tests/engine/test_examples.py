"""The examples are agents that people copy, so they are whole, and each conversation kept beside them still holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from examples.booking import registrations
from falai_engine import Registrations
from falai_engine.chat.stand_ins import stage
from falai_engine.testing import run_scenario
from falai_engine.validation import validate_agent_all

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.json"))
SCENARIOS = sorted((ROOT / "examples" / "scenarios").glob("*.json"))
IN_ENGLISH = {"trial"}


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def example_of(scenario):
    """Scenarios are named for their agent: `triage-refusals.json` is one of `triage.json`."""
    return ROOT / "examples" / f"{scenario.stem.partition('-')[0]}.json"


def without_scripts(agent):
    """A scenario's agent without what its actions and tools gave."""
    actions = {name: {**spec, "results": None} for name, spec in agent.get("actions", {}).items()}
    tools = [{**spec, "results": None} for spec in agent.get("tools", ())]
    return {**agent, "actions": actions, "tools": tools}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_no_problem(path):
    """Neither an error nor a warning: what is copied is sound."""
    assert [problem.message for problem in validate_agent_all(read(path))] == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_says_what_it_is_for(path):
    """Each says its version, who speaks, what for, how, in which language, and what its flows do."""
    document = read(path)
    assert document["specVersion"] == 1
    assert document["locale"] == ("en-US" if path.stem in IN_ENGLISH else "pt-BR")
    assert all(document.get(part) for part in ("name", "goal", "persona", "timezone", "idle"))
    assert all(flow.get("name") and flow.get("description") for flow in document["flows"])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_a_conversation(path):
    """Nothing is shown that nobody has talked to."""
    assert [scenario.stem for scenario in SCENARIOS if example_of(scenario) == path]


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_conversation_still_holds(path):
    """Every turn gives what it gave when the conversation was held."""
    scenario = read(path)
    assert run_scenario(scenario) == (len(scenario["turns"]), None)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_conversation_was_held_with_the_example_as_it_is(path):
    """An edited example needs its conversations held again: python -m falai_engine.chat FILE --scenario OUT."""
    staged = stage(read(example_of(path)), Registrations(), lambda sort, name: None)
    assert without_scripts(read(path)["agent"]) == without_scripts(staged.document)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_no_customer_reads_a_placeholder(path):
    """What is not known never shows as {{data.x}}, to a customer or to an action."""
    for turn in read(path)["turns"]:
        result = turn["expect"]["result"]
        assert [message["text"] for message in result["messages"] if "{{" in message["text"]] == []
        assert "{{" not in json.dumps(turn["expect"].get("actions", []))


def test_the_diary_of_the_booking_example_books():
    """The example of a registry runs as its page says: a free hour is booked once."""
    found = subprocess.run(
        [sys.executable, "-m", "falai_engine.chat", "examples/booking.json", "--registry", "examples.booking"],
        input="quero marcar um horário\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert "agendar começa." in found.stdout


def test_the_diary_gives_each_hour_once():
    """Whoever comes second hears that the hour is taken; hours are understood however they are written."""
    book = registrations.actions["agenda.reservar"].handler
    look = registrations.tools["agenda.livres"].handler
    assert "10:30" in look({"dia": "sexta"}, None).value
    assert book({"dia": "sexta", "horario": "às 10h30", "nome": "Ana"}, None).detail == "sexta 10:30, Ana"
    assert "10:30" not in look({"dia": "sexta"}, None).value
    assert book({"dia": "sexta", "horario": "10:30", "nome": "Bia"}, None).detail == "sexta 10:30 is not free"
    assert look({"dia": "quarta"}, None).value == "Nenhum horário livre na quarta."
