"""What the chat keeps: a scenario that gives the same when it is run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from falai_engine import (
    Action,
    ConditionDefinition,
    ErrorKind,
    Invalid,
    ModelReply,
    ProviderError,
    Registrations,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
    agent_from_spec,
)
from falai_engine.chat.conversation import Conversation
from falai_engine.chat.scenario_file import json_layout, scenario_of, write_scenario
from falai_engine.chat.stand_ins import stage
from falai_engine.testing import FakeClock, ScriptedProvider, run_scenario
from tests.engine.chat.chat_process import ROOT, chat, run_scenarios, write_agent

START = "2026-03-10T14:00:00.000Z"

FLOWS = [
    {
        "id": "book",
        "on": [{"message": ["wants to book"]}, {"message": []}],
        "steps": [
            {"id": "who", "kind": "collect", "collect": ["name"]},
            {"id": "do", "kind": "do", "do": "book", "with": {"name": "{{data.name}}"}, "onFail": "sorry"},
            {"id": "ok", "kind": "say", "say": "Booked at {{data.time}}.", "then": "paid"},
            {"id": "sorry", "kind": "say", "say": "Not free.", "then": {"step": "who", "clear": ["name"]}},
            {"id": "paid", "kind": "waitEvent", "wait": {"event": "paid", "upTo": "1d"}, "else": "end"},
            {"id": "thanks", "kind": "say", "say": "Thanks for {{input.nothing}} all!"},
        ],
    },
    {"id": "nudge", "on": [{"silence": "2h"}], "steps": [{"id": "ping", "kind": "say", "say": "Still there?"}]},
]
BOOKING = {
    "fields": {"name": {"type": "string", "ask": "Ask for the name."}, "time": {"type": "string", "extract": "asked"}},
    "actions": {"book": {"kind": "python", "name": "diary.book", "parameters": {"name": {"type": "string"}}}},
    "events": {"paid": {}},
    "flows": FLOWS,
    "locale": "en",
}
REGISTRY = """
from falai_engine import Action, Failed, Ok, Registrations

taken = []

def book(params, call):
    taken.append(params["name"])
    if len(taken) == 1:
        raise RuntimeError("the diary is asleep")
    if len(taken) == 2:
        return Failed("full")
    call.set({"time": "9:00"})
    return Ok("desk 4")

registrations = Registrations(actions={"diary.book": Action(book)})
"""


@pytest.fixture
def kept(tmp_path):
    """A conversation with a diary that fails twice, kept."""
    (tmp_path / "diary.py").write_text(REGISTRY, encoding="utf-8")
    out = tmp_path / "a-booking.json"
    lines = [
        "hello",
        "/wake",
        "Ana",
        "Bia",
        "/silence busy",
        "what?",
        "/silence",
        "Caio",
        '/event paid {"by": "card"}',
        "bye",
    ]
    held = chat(
        write_agent(tmp_path, **BOOKING),
        "--registry",
        "diary",
        "--scenario",
        out,
        lines=lines,
        python_path=f"{ROOT}{os.pathsep}{tmp_path}",
    )
    assert held.code == 0, held.out
    assert f"Kept as a scenario in {out}; running it gives the same.\n" in held.out
    return out


def test_a_conversation_is_kept_and_runs_the_same(kept):
    """The runner finds no difference, though the diary is not there any more."""
    ran = run_scenarios(kept)
    assert (ran.code, ran.out) == (0, "1 scenarios, 9 turns, 0 differ\n".replace("9", str(count(kept, "turns"))))


def count(path, key):
    return len(json.loads(path.read_text(encoding="utf-8"))[key])


def test_a_scenario_holds_what_happened(kept):
    """Agent, start, every input at its time, the model's replies as given, and what came of it."""
    scenario = json.loads(kept.read_text(encoding="utf-8"))
    assert scenario["name"] == "a booking"
    assert scenario["start"] == START
    assert scenario["agent"]["flows"] == FLOWS
    first = scenario["turns"][0]
    assert first["at"] == "2026-03-10T14:00:05.000Z"
    assert first["input"] == {"sessionId": "chat", "message": "hello", "id": "message-1"}
    assert first["speak"][0]["message"] == first["expect"]["result"]["messages"][0]["text"]
    assert all("result" in turn["expect"] for turn in scenario["turns"])
    assert [turn["input"]["silenced"] for turn in scenario["turns"] if "silenced" in turn["input"]] == ["busy"]


def test_what_actions_gave_becomes_their_script(kept):
    """Failures, details and what was set are played back without the Python behind them."""
    scenario = json.loads(kept.read_text(encoding="utf-8"))
    assert scenario["agent"]["actions"]["book"] == {
        "parameters": {"name": {"type": "string"}},
        "results": [
            {"throw": "the diary is asleep"},
            {"failed": "full"},
            {"set": {"time": "9:00"}, "ok": True, "detail": "desk 4"},
        ],
    }
    calls = [call["params"]["name"] for turn in scenario["turns"] for call in turn["expect"]["actions"]]
    assert calls == ["Ana", "Bia", "Caio"]


def test_the_sentences_of_outcomes_are_left_out(kept):
    """They are ours to reword without breaking anybody's scenarios."""
    scenario = json.loads(kept.read_text(encoding="utf-8"))
    lines = [line for turn in scenario["turns"] for line in turn["expect"]["result"]["outcomes"]]
    assert lines
    assert all("message" not in line for line in lines)


def test_a_change_of_the_agent_is_found_by_its_scenario(kept):
    """What is kept is a test: another wording makes it differ."""
    scenario = json.loads(kept.read_text(encoding="utf-8"))
    scenario["agent"]["flows"][1]["steps"][0]["say"] = "Hello?"
    kept.write_text(json.dumps(scenario), encoding="utf-8")
    ran = run_scenarios(kept)
    assert ran.code == 1
    assert "Still there?" in ran.out


def test_a_conversation_of_no_turns_is_not_kept(tmp_path):
    """There is nothing to reproduce."""
    out = tmp_path / "s.json"
    held = chat(write_agent(tmp_path, flows=FLOWS[1:]), "--scenario", out, lines=["/help"])
    assert held.code == 0
    assert "Nothing happened, so there is no scenario to keep.\n" in held.out
    assert not out.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full")
def test_a_scenario_that_cannot_be_written_says_so(tmp_path):
    """The conversation was held, and the exit code says that it was not kept."""
    held = chat(write_agent(tmp_path, flows=FLOWS[1:]), "--scenario", "/dev/full", lines=["hi"])
    assert held.code == 1
    assert "The scenario could not be written: " in held.out


def test_what_cannot_be_reproduced_is_told_at_once(tmp_path):
    """A Python condition has no place in a scenario file; the chat runs what it wrote and says where it differs."""
    registry = (
        "from falai_engine import ConditionDefinition, Registrations\n"
        "registrations = Registrations(conditions={'vip': ConditionDefinition(lambda wanted, scope: True)})\n"
    )
    (tmp_path / "guests.py").write_text(registry, encoding="utf-8")
    flow = {
        "id": "f",
        "on": [{"message": [], "if": {"vip": "gold"}}],
        "steps": [{"id": "s", "kind": "say", "say": "Hi!"}],
    }
    out = tmp_path / "s.json"
    held = chat(
        write_agent(tmp_path, flows=[flow], conditions={"vip": {}}),
        "--registry",
        "guests",
        "--scenario",
        out,
        lines=["hi"],
        python_path=f"{ROOT}{os.pathsep}{tmp_path}",
    )
    assert held.code == 1
    assert f"Kept as a scenario in {out}, but running it differs at turns[0].result" in held.out


def test_the_stand_in_of_a_condition_is_reproduced(tmp_path):
    """A condition that nobody registered holds where its argument is true, in the scenario too."""
    yes = {"id": "y", "on": [{"message": [], "if": {"vip": True}}], "steps": [{"id": "s", "kind": "say", "say": "Hi!"}]}
    no = {"id": "n", "on": [{"mention": [], "if": {"vip": "gold"}}], "steps": [{"id": "s", "kind": "say", "say": "No"}]}
    many = {"kind": "compare", "path": "context.count", "op": "gt"}
    big = {"id": "b", "on": [{"mention": [], "if": {"many": 3}}], "steps": [{"id": "s", "kind": "say", "say": "Big"}]}
    out = tmp_path / "s.json"
    agent = write_agent(
        tmp_path, flows=[yes, no, big], conditions={"vip": {"kind": "python", "name": "x"}, "many": many}
    )
    held = chat(agent, "--scenario", out, lines=['/context {"count": 4}', "hi"])
    assert held.code == 0, held.out
    assert run_scenarios(out).code == 0
    assert "Hi!" in held.out
    assert "Big" in held.out


# -- the parts of it, in this process


def conversation(document, provider, registrations=None):
    clock = FakeClock(START)
    staged = stage(document, registrations or Registrations(), lambda sort, name: None)
    agent = agent_from_spec(staged.document, provider=provider, registrations=staged.registrations, clock=clock)
    return staged.document, Conversation(agent, clock)


def test_an_error_of_the_model_is_kept_as_one(tmp_path):
    """A model that fails ends its turn and not the conversation; the scenario expects the same error."""
    document, held = conversation(BOOKING, ScriptedProvider())
    held.agent.provider.script([{"fail": {"kind": "rate", "retryAfterMs": 500}}])
    (failed,) = held.say("hi")
    held.agent.provider.script([{"fields": {"name": None}}], [{"message": "Your name?", "name": None}])
    (went_on,) = held.say("hi")
    assert failed.error.kind is ErrorKind.RATE
    assert went_on.result.messages[0].text == "Your name?"
    assert went_on.history == []
    path = tmp_path / "s.json"
    assert write_scenario(path, START, document, [failed, went_on]) is None
    scenario = json.loads(path.read_text(encoding="utf-8"))
    assert scenario["turns"][0]["expect"] == {"error": {"name": "ProviderError", "kind": "rate"}}
    assert scenario["turns"][0]["understand"] == [{"fail": {"kind": "rate", "retryAfterMs": 500}}]


TOOLS = [{"id": "look", "readOnly": True}, {"id": "guarded"}, {"id": "moody"}]
TALK = {"id": "f", "on": [{"message": []}], "steps": [{"id": "t", "kind": "prompt", "prompt": "Answer."}]}


class Plays(ScriptedProvider):
    """Replies as a vendor gives them, which no script can: text beside tool calls, counted tokens, plain failures."""

    def __init__(self, *replies):
        super().__init__()
        self.replies = list(replies)

    def generate(self, request):
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


def test_replies_of_every_shape_run_the_same(tmp_path):
    """Text without structure, calls beside text, tokens, tools that give, refuse, set and raise: all is kept."""

    def moody(arguments, request):
        raise ValueError

    tools = {
        "look": Tool(id="look", handler=lambda arguments, request: ToolResult(["a", "b"], {"seen": 2})),
        "guarded": Tool(id="guarded", handler=print, validate=lambda arguments, request: Invalid("no such day")),
        "moody": Tool(id="moody", handler=moody),
    }
    provider = Plays(
        ModelReply(
            "Let me see.", None, [ToolCall("look", '{"day": 1}'), ToolCall("guarded", {}), ToolCall("moody", {})]
        ),
        ModelReply("", {"message": ""}, [ToolCall("unheard of", {})], usage=Usage(10, 5, 2)),
        ModelReply("Two are free."),
        RuntimeError("a bug of the provider"),
    )
    document, held = conversation(
        {
            "fields": {"seen": {"type": "integer"}},
            "tools": TOOLS,
            "flows": [TALK],
            "idle": {"prompt": "x", "tools": []},
        },
        provider,
        Registrations(tools=tools),
    )
    taken = [*held.say("what is free?"), *held.say("and now?")]
    assert taken[0].result.messages[0].text == "Two are free."
    assert taken[0].result.session.data == {"seen": 2}
    assert taken[1].result.outcomes[0].code == "provider-unavailable"
    path = tmp_path / "s.json"
    assert write_scenario(path, START, document, taken) is None
    agent = json.loads(path.read_text(encoding="utf-8"))["agent"]
    scripts = {tool["id"]: tool.get("results") for tool in agent["tools"]}
    assert scripts["look"] == [{"value": ["a", "b"], "data": {"seen": 2}}]
    assert scripts["moody"] == [{"throw": "ValueError"}]


def test_a_history_that_is_compacted_is_kept_with_its_summaries(tmp_path):
    """Where the history decides how many calls are made, it is part of the scenario; else it is left out."""
    summary = ModelReply("They talked about desks.")
    provider = Plays(ModelReply("x" * 200), ModelReply("y" * 300), summary, ModelReply("z"))
    document, held = conversation({"flows": [], "compaction": {"maxTokens": 200, "preserveRecentCount": 2}}, provider)
    taken = [turn for text in ("a" * 200, "b", "c") for turn in held.say(text)]
    assert taken[2].result.llm_calls == 2
    assert write_scenario(tmp_path / "s.json", START, document, taken) is None
    scenario = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    assert scenario["summaries"] == [{"raw": "They talked about desks."}]
    assert [len(turn["input"]["history"]) for turn in scenario["turns"]] == [0, 2, 4]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {"ok": True, "detail": "desk 4"},
        {"ok": True, "spoke": True},
        {"skipped": "nothing to do"},
        {"skipped": None},
        {"failed": None},
        {"defer": "2h", "detail": "asleep"},
        {"defer": "later"},
        17,
        RuntimeError(),
    ],
    ids=str,
)
def test_whatever_an_action_answers_runs_the_same(answer):
    """Every answer that the engine understands, and those it does not, can be played back."""

    def handler(params, call):
        call.set({"time": "9:00", "name": "Ana"})
        call.set({"name": None})
        if isinstance(answer, Exception):
            raise answer
        return answer

    flow = {
        "id": "f",
        "steps": [{"id": "d", "kind": "do", "do": "act"}, {"id": "s", "kind": "say", "say": "{{data.time}}"}],
    }
    document, held = conversation(
        {**BOOKING, "actions": {"act": {}}, "flows": [flow]},
        ScriptedProvider(),
        Registrations(actions={"act": Action(handler)}),
    )
    taken = [*held.start("f")]
    if held.pending:
        taken.append(held.wake())
    assert run_scenario(scenario_of("s", START, document, taken))[1] is None


def test_a_turn_that_a_handler_broke_is_left_out():
    """Nothing of it was kept, so the conversation is the same without it."""

    def broken(argument, scope):
        raise LookupError("no such table")

    flow = {"id": "f", "on": [{"message": [], "if": {"odd": 1}}], "steps": [{"id": "s", "kind": "say", "say": "Hi!"}]}
    document, held = conversation(
        {**BOOKING, "flows": [flow], "conditions": {"odd": {}}},
        ScriptedProvider(),
        Registrations(conditions={"odd": ConditionDefinition(broken)}),
    )
    (taken,) = held.say("hi")
    assert str(taken.error) == "no such table"
    assert scenario_of("s", START, document, [taken])["turns"] == []


def test_a_scenario_is_laid_out_for_people():
    """What fits on a line stands on one; what does not is opened, and reads back the same."""
    value = {"short": [1, {"a": "é"}], "long": ["x" * 70, {"y": "y" * 70, "z": []}], "empty": {}}
    text = json_layout(value)
    assert json.loads(text) == value
    assert '"short": [1, {"a": "é"}]' in text
    assert max(map(len, text.splitlines())) <= 120


def test_a_provider_error_keeps_what_the_provider_said():
    """Reset and retry times decide when a talk is tried again, so they are kept."""
    error = ProviderError("x", ErrorKind.QUOTA, reset_at_ms=1_800_000_000_000, should_retry=True)
    document, held = conversation({"flows": [TALK]}, Plays(error))
    (taken,) = held.say("hi")
    assert taken.heard.speak == [{"fail": {"kind": "quota", "resetAtMs": 1_800_000_000_000, "shouldRetry": True}}]
    assert run_scenario(scenario_of("s", START, document, [taken]))[1] is None


def test_a_scenario_never_takes_the_place_of_the_agent(tmp_path):
    """Whoever names the agent's own file by mistake keeps the agent, and is told."""
    agent = write_agent(tmp_path, **BOOKING)
    before = agent.read_bytes()
    held = chat(agent, "--scenario", agent, lines=["hi"])
    assert (held.code, agent.read_bytes()) == (2, before)
    assert "is the agent's own file" in held.err


def test_what_nobody_can_store_takes_no_scenario_away(tmp_path):
    """A file that was there is replaced by a whole new one or not at all, half a character in it or not."""
    agent, kept = write_agent(tmp_path, **BOOKING), tmp_path / "kept.json"
    kept.write_text("[]", encoding="utf-8")
    held = chat(agent, "--scenario", kept, lines=['/start book {"a": "\\ud800"}', "hi"])
    assert held.code == 0
    assert json.loads(kept.read_text(encoding="utf-8"))["turns"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([agent.name, "kept.json"])
