"""The example that hands over to a person after frustration or three tries (spec: update-state.md)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falai_engine import Action, agent_from_spec, session_to_json
from falai_engine.document import Registrations
from falai_engine.providers.offline import OfflineProvider
from falai_engine.testing import FakeClock, run_scenario
from falai_engine.validation import validate_agent_all

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
DOCUMENT = json.loads((EXAMPLES / "escalation.json").read_text(encoding="utf-8"))
KEPT = sorted((EXAMPLES / "scenarios").glob("escalation*.json"))


def test_the_example_is_sound():
    """No error and no warning: it is there to be copied."""
    assert validate_agent_all(DOCUMENT) == []


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_a_kept_conversation(path):
    """What was said in the terminal still gives what it gave, and was said with this very example."""
    scenario = json.loads(path.read_text(encoding="utf-8"))
    turns, difference = run_scenario(scenario)
    assert difference is None, str(difference)
    assert turns == len(scenario["turns"])
    kept = scenario["agent"]
    for name in kept["actions"]:
        kept["actions"][name].pop("results", None)
    assert kept == DOCUMENT


def test_conversations_were_kept_of_every_way_it_can_end():
    """By the count, by the judgement, and by neither."""
    assert {path.stem for path in KEPT} == {"escalation-tries", "escalation-frustration", "escalation-solved"}


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        (["não adiantou", "continua igual", "nada ainda"], "Suporte de internet. Tentativas feitas: 3."),
        (["não adiantou", "já falei que não funciona, que raiva!"], "Suporte de internet. Tentativas feitas: 2."),
        (["não adiantou", "a internet voltou a funcionar"], None),
    ],
    ids=["three tries", "frustration", "solved"],
)
def test_the_offline_provider_holds_it(said, summary):
    """Without a model it judges frustration by words, and counts: a person is called once, told how many tries."""
    called = []
    actions = {"chamar_plantao": Action(lambda params, call: called.append(params["resumo"]))}
    clock = FakeClock()
    agent = agent_from_spec(
        DOCUMENT, provider=OfflineProvider(), registrations=Registrations(actions=actions), clock=clock
    )
    session, history, ended = None, [], []
    for number, message in enumerate(["minha internet caiu", "Marcos", *said]):
        assert not ended, message
        clock.move(seconds=5)
        given = {"sessionId": "s", "id": str(number), "message": message}
        result = agent.turn({**given, "session": session, "history": history})
        session = json.loads(json.dumps(session_to_json(result.session)))
        ended = [each.run.flow_id for each in result.ended]
        history = [*history, {"role": "user", "content": message}]
        history += [{"role": "assistant", "content": each.text} for each in result.messages]
    assert called == ([] if summary is None else [summary])
    assert ended == (["suporte"] if summary is None else ["suporte", "atendimento_humano"])
