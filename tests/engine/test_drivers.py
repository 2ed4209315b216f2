"""Driving a turn: plain and async handlers, deadlines, tools together, by hand, from many threads (engine.md, 2)."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from falai_engine import (
    Action,
    Agent,
    ConditionDefinition,
    DeadlineError,
    Defer,
    Event,
    FlowConfigurationError,
    Invalid,
    ModelReply,
    Ok,
    ProviderError,
    Tool,
    ToolCall,
    TurnResult,
    result_to_json,
    session_to_json,
)
from falai_engine.needs import AskModel, Raised, RunAction, RunTools
from falai_engine.testing import ScriptedProvider, run_scenario
from tests.engine.conversation import build, lines, reasons, texts
from tests.engine.test_vectors import NAMED, RANDOM

MESSAGE = {"sessionId": "s", "message": "hi", "id": "m1"}
CHAT = {"id": "chat", "on": [{"message": []}], "steps": [{"id": "a", "kind": "prompt", "prompt": "Answer."}]}
ACT = {
    "id": "act",
    "on": [{"message": []}],
    "steps": [{"id": "a", "kind": "do", "do": "act"}, {"id": "b", "kind": "say", "say": "Done."}],
}
GATE = 5  # seconds until handlers that should meet give up


class Rounds:
    """A speaker whose replies are given; its first call asks for tools."""

    name = "rounds"

    def __init__(self, *replies):
        self.replies = list(replies)
        self.requests = []

    def generate(self, request):
        self.requests.append(request)
        return self.replies.pop(0)

    async def agenerate(self, request):
        return self.generate(request)

    def stream(self, request):
        yield self.generate(request)

    async def astream(self, request):
        yield self.generate(request)


def calling(*names):
    """A model that calls these tools, then says it is done."""
    return Rounds(ModelReply(tool_calls=[ToolCall(name, {}) for name in names]), ModelReply("Done."))


def results(provider):
    """What the model reads of its tool calls, in the request after them."""
    return [json.loads(item["content"]) for item in provider.requests[1].history if item["role"] == "tool"]


# -- plain and async handlers


async def later(*_):
    await asyncio.sleep(0)
    return True


async def later_ok(*_):
    await asyncio.sleep(0)
    return Ok("later")


async def next_day(at, _scope):
    await asyncio.sleep(0)
    return datetime(2026, 9, 22, 9, tzinfo=UTC)


def action_agent():
    return build(flows=[ACT], actions={"act": Action(later_ok)})


def tool_agent():
    return build(provider=calling("ask"), flows=[CHAT], tools=[Tool(id="ask", handler=later)])


def together_agent():
    tools = [Tool(id=id_, handler=later, read_only=True) for id_ in ("ask", "look")]
    return build(provider=calling("ask", "look"), flows=[CHAT], tools=tools)


def gate_agent(**gates):
    tool = Tool(id="ask", handler=lambda arguments, request: "in", **gates)
    return build(provider=calling("ask"), flows=[CHAT], tools=[tool])


def condition_agent():
    step = {"id": "a", "kind": "if", "if": {"open": True}, "then": "b", "else": "end"}
    flow = {**ACT, "steps": [step, {"id": "b", "kind": "say", "say": "Done."}]}
    return build(flows=[flow], conditions={"open": ConditionDefinition(later)})


def trigger_agent():
    flow = {**ACT, "on": [{"message": [], "if": {"open": True}}], "steps": [{"id": "b", "kind": "say", "say": "Done."}]}
    return build(flows=[flow], conditions={"open": ConditionDefinition(later)})


def hours_agent():
    flow = {**ACT, "steps": [{"id": "a", "kind": "wait", "wait": "1h", "businessHours": True}]}
    return build(flows=[flow], business_hours=next_day)


ASYNC = {
    'action "act"': action_agent,
    'tool "ask"': tool_agent,
    'tool "ask" beside another': together_agent,
    'validation of tool "ask"': lambda: gate_agent(validate=later),
    'permission of tool "ask"': lambda: gate_agent(permit=later),
    'condition "open"': condition_agent,
    'condition "open" of a trigger': trigger_agent,
    "business hours": hours_agent,
}


@pytest.mark.parametrize("what", ASYNC)
@pytest.mark.parametrize("streaming", [False, True], ids=["turn", "stream"])
def test_a_sync_driver_refuses_what_must_be_awaited(what, streaming):
    """The error names the handler and says what to use; no coroutine is left behind that nobody awaits."""
    agent = ASYNC[what]()
    with warnings.catch_warnings(record=True) as left_behind:
        warnings.simplefilter("always")
        with pytest.raises(FlowConfigurationError, match="aturn") as raised:
            list(agent.stream(MESSAGE)) if streaming else agent.turn(MESSAGE)
        raised.value.__traceback__ = None
        gc.collect()
    assert [str(warning.message) for warning in left_behind] == []
    quoted = what.split(" of ")[-1] if "tool" in what else what
    named = next(part for part in ("act", "ask", "open", "business hours") if part in quoted)
    assert named in raised.value.where


def test_pending_wakes_refuse_what_must_be_awaited():
    """They are worked out without a turn, and by the same rule."""
    flow = {
        "id": "n",
        "on": [{"silence": "1h", "businessHours": True}],
        "steps": [{"id": "a", "kind": "say", "say": "x"}],
    }
    agent = build(flows=[flow], business_hours=next_day)
    session = build(flows=[CHAT], provider=Rounds(ModelReply("Hi."))).turn(MESSAGE).session
    with pytest.raises(FlowConfigurationError, match="business hours"):
        agent.pending_wakes(session)


@pytest.mark.parametrize("what", ASYNC)
@pytest.mark.parametrize("streaming", [False, True], ids=["aturn", "astream"])
async def test_an_async_driver_awaits(what, streaming):
    """Handlers of every sort may be async functions when the turn is driven by aturn or astream."""
    agent = ASYNC[what]()
    if streaming:
        result = [item async for item in agent.astream(MESSAGE)][-1]
    else:
        result = await agent.aturn(MESSAGE)
    assert result.changed
    if what == "business hours":
        assert result.schedule[0].at == "2026-09-22T09:00:00.000Z"
    else:
        assert texts(result) == ["Done."]


async def test_an_async_driver_takes_plain_handlers_too():
    """A host may mix: what need not be awaited is taken as it is."""
    agent = build(flows=[ACT], actions={"act": Action(lambda params, call: Ok("now"))})
    result = await agent.aturn(MESSAGE)
    assert [line.detail for line in result.outcomes] == ["now", None]


async def fails(*_):
    await asyncio.sleep(0)
    raise RuntimeError("the line is dead")


@pytest.mark.parametrize("gate", ["validate", "permit"])
async def test_an_async_gate_that_raises_refuses_the_call(gate):
    """Nothing a tool does raises, its gates included, awaited or not: the model reads why."""
    agent = gate_agent(**{gate: fails})
    assert texts(await agent.aturn(MESSAGE)) == ["Done."]
    assert [item["content"] for item in agent.provider.requests[1].history if item["role"] == "tool"] == [
        '{"error":"the line is dead"}'
    ]


async def test_an_async_action_that_raises_has_failed():
    """As a plain one: the exception's text is the line's detail."""
    result = await build(flows=[ACT], actions={"act": Action(fails)}).aturn(MESSAGE)
    assert lines(result, "status", "code", "detail")[0] == ("failed", "action-failed", "the line is dead")


async def test_an_async_condition_that_raises_is_told():
    """As a plain one: what a condition raises leaves the turn."""
    flow = {**ACT, "steps": [{"id": "a", "kind": "if", "if": {"open": True}, "else": "end"}]}
    agent = build(flows=[flow], conditions={"open": ConditionDefinition(fails)})
    with pytest.raises(RuntimeError, match="the line is dead"):
        await agent.aturn(MESSAGE)


@pytest.mark.parametrize("driver", ["stream", "aturn", "astream"])
def test_every_driver_gives_what_the_vectors_say(driver, monkeypatch):
    """No loop holds a rule: every scenario comes out the same whoever drives its turns."""

    async def last_of(items):
        return [item async for item in items][-1]

    drivers = {
        "stream": lambda agent, given: list(agent.stream(given))[-1],
        "aturn": lambda agent, given: asyncio.run(agent.aturn(given)),
        "astream": lambda agent, given: asyncio.run(last_of(agent.astream(given))),
    }
    monkeypatch.setattr(Agent, "turn", drivers[driver])
    differing = {scenario["name"]: run_scenario(scenario)[1] for scenario in [*NAMED, *RANDOM]}
    assert {name: str(difference) for name, difference in differing.items() if difference is not None} == {}


# -- deadlines


OVER = -1.0  # monotonic seconds, long past


def by(driver, agent, given, deadline):
    """The result of a turn under a deadline, by any of the four drivers."""

    async def last_of(items):
        return [item async for item in items][-1]

    return {
        "turn": lambda: agent.turn(given, deadline),
        "stream": lambda: list(agent.stream(given, deadline))[-1],
        "aturn": lambda: asyncio.run(agent.aturn(given, deadline)),
        "astream": lambda: asyncio.run(last_of(agent.astream(given, deadline))),
    }[driver]()


every_driver = pytest.mark.parametrize("driver", ["turn", "stream", "aturn", "astream"])


@every_driver
def test_understanding_after_the_deadline_is_a_timeout(driver):
    """Past the deadline the understand call fails as timeout: nothing ran, and no model was asked."""
    provider = Rounds()
    flows = [{**CHAT, "on": [{"message": ["x"]}]}, {**CHAT, "id": "other", "on": [{"message": ["y"]}]}]
    with pytest.raises(ProviderError) as raised:
        by(driver, build(provider=provider, flows=flows), MESSAGE, OVER)
    assert raised.value.kind == "timeout"
    assert provider.requests == []


@every_driver
def test_speaking_after_the_deadline_is_deferred(driver):
    """Past the deadline the speak call fails as timeout, which is retryable; the failed call counts."""
    provider = Rounds()
    result = by(driver, build(provider=provider, flows=[CHAT]), MESSAGE, OVER)
    assert lines(result) == [("prompt", "deferred", "provider-unavailable")]
    assert result.schedule[0].at == "2026-09-21T10:01:00.000Z"
    assert (result.llm_calls, provider.requests) == (1, [])


@every_driver
def test_an_action_after_the_deadline_raises_out_of_the_turn(driver):
    """Nothing of such a turn is to be saved, so the action does not run and the turn does not end."""
    ran = []
    agent = build(flows=[ACT], actions={"act": Action(lambda params, call: ran.append(1))})
    with pytest.raises(DeadlineError, match="act"):
        by(driver, agent, MESSAGE, OVER)
    assert ran == []


@every_driver
@pytest.mark.parametrize("names", [["ask"], ["ask", "look"]], ids=["alone", "together"])
def test_a_tool_after_the_deadline_raises_out_of_the_turn(driver, names, monkeypatch):
    """A tool that is due too late does not run, alone or beside others."""
    now, ran = [0.0], []
    monkeypatch.setattr("falai_engine.drive.time", SimpleNamespace(monotonic=lambda: now[0]))

    class Slow(Rounds):
        """Its answer comes when the deadline has just passed."""

        def generate(self, request):
            now[0] = request.deadline
            return super().generate(request)

    slow = Slow(ModelReply(tool_calls=[ToolCall(name, {}) for name in names]))
    tools = [Tool(id=id_, handler=lambda arguments, request: ran.append(1), read_only=True) for id_ in ("ask", "look")]
    with pytest.raises(DeadlineError):
        by(driver, build(provider=slow, flows=[CHAT], tools=tools), MESSAGE, 10.0)
    assert (ran, len(slow.requests)) == ([], 1)


def test_the_deadline_reaches_every_call_action_and_tool():
    """Whoever may take long is told until when: each ModelRequest, action and tool gets the turn's deadline."""
    seen = []
    flow = {
        "id": "f",
        "on": [{"message": ["x"]}],
        "steps": [{"id": "a", "kind": "do", "do": "act"}, {"id": "b", "kind": "prompt", "prompt": "p"}],
    }
    other = {**CHAT, "id": "other", "on": [{"message": ["y"]}]}

    class Provider(Rounds):
        def generate(self, request):
            seen.append((request.schema_name, request.deadline))
            if request.schema_name == "understand":
                return ModelReply(structured={"flows": {"f": 90}})
            return super().generate(request)

    agent = build(
        provider=Provider(ModelReply(tool_calls=[ToolCall("ask", {})]), ModelReply("Done.")),
        flows=[flow, other],
        actions={"act": Action(lambda params, call: seen.append(("act", call.deadline)))},
        tools=[Tool(id="ask", handler=lambda arguments, request: seen.append(("ask", request.deadline)))],
    )
    until = time.monotonic() + 60
    assert texts(agent.turn(MESSAGE, until)) == ["Done."]
    assert seen == [(name, until) for name in ("understand", "act", "speak", "ask", "speak")]


def test_without_a_deadline_nothing_is_late():
    """No deadline is none, for calls and handlers alike."""
    seen = []
    agent = build(flows=[ACT], actions={"act": Action(lambda params, call: seen.append(call.deadline))})
    assert texts(agent.turn(MESSAGE)) == ["Done."]
    assert seen == [None]


# -- tools side by side and one after another


def tool(id_, handler, **parts):
    return Tool(id=id_, handler=lambda arguments, request: handler(), **parts)


def test_safe_tools_run_together():
    """Two safe tools that wait for each other both come back."""
    meeting = threading.Barrier(2)
    tools = [tool(id_, lambda: meeting.wait(GATE) >= 0, read_only=True) for id_ in ("one", "two")]
    provider = calling("one", "two")
    build(provider=provider, flows=[CHAT], tools=tools).turn(MESSAGE)
    assert results(provider) == [True, True]


async def test_safe_async_tools_run_together():
    """As above, on an event loop."""
    met = [asyncio.Event(), asyncio.Event()]

    def meets(mine, theirs):
        async def handler(arguments, request):
            mine.set()
            await asyncio.wait_for(theirs.wait(), GATE)
            return True

        return handler

    tools = [
        Tool(id="one", handler=meets(*met), read_only=True),
        Tool(id="two", handler=meets(*reversed(met)), concurrency_safe=True),
    ]
    provider = calling("one", "two")
    await build(provider=provider, flows=[CHAT], tools=tools).aturn(MESSAGE)
    assert results(provider) == [True, True]


async def test_safe_plain_tools_run_together_on_an_event_loop_too():
    """Whoever drives the turn, two safe tools that wait for each other both come back."""
    meeting = threading.Barrier(2)
    tools = [tool(id_, lambda: meeting.wait(0.2) >= 0, read_only=True) for id_ in ("one", "two")]
    provider = calling("one", "two")
    await build(provider=provider, flows=[CHAT], tools=tools).aturn(MESSAGE)
    assert results(provider) == [True, True]


def batches(tools, *names):
    """The calls of one round as the turn asks for them: those of one batch may run together."""
    agent = build(flows=[CHAT], tools=tools)
    steps = agent.steps(MESSAGE)
    steps.send(None)
    need, asked = steps.send(ModelReply(tool_calls=[ToolCall(name, {}) for name in names])), []
    while isinstance(need, RunTools):
        asked.append([run.tool.id for run in need.runs])
        need = steps.send([None] * len(need.runs))
    return asked


def nothing():
    return None


UNSAFE = {
    "unsaid": {},
    "destructive": {"read_only": True, "destructive": True},
    "destructive and said to be safe": {"concurrency_safe": True, "destructive": True},
    "reads, but said not to be safe": {"read_only": True, "concurrency_safe": False},
}


@pytest.mark.parametrize("parts", UNSAFE.values(), ids=UNSAFE)
def test_unsafe_tools_run_alone_and_in_order(parts):
    """What is not safe runs by itself, after everything called before it and before everything called after it."""
    tools = [tool(id_, nothing, **parts) for id_ in ("one", "two", "three")]
    assert batches(tools, "three", "one", "two") == [["three"], ["one"], ["two"]]


def test_consecutive_safe_calls_run_together():
    """Read-only tools, and those said to be safe, are one batch, a tool called twice in it too."""
    tools = [tool("one", nothing, read_only=True), tool("two", nothing, concurrency_safe=True)]
    assert batches(tools, "two", "one", "two") == [["two", "one", "two"]]


def test_an_unsafe_call_between_safe_ones_parts_them():
    """Safe calls before and after an unsafe one do not meet."""
    tools = [tool("one", nothing, read_only=True), tool("two", nothing), tool("three", nothing, read_only=True)]
    assert batches(tools, "one", "three", "two", "three", "one") == [["one", "three"], ["two"], ["three", "one"]]


def test_results_stand_in_call_order_whoever_ends_first():
    """The slow tool's result comes first when it was called first."""
    second_is_done = threading.Event()

    def slow():
        assert second_is_done.wait(GATE)
        return "slow"

    def quick():
        second_is_done.set()
        return "quick"

    provider = calling("slow", "quick")
    tools = [tool("quick", quick, read_only=True), tool("slow", slow, read_only=True)]
    build(provider=provider, flows=[CHAT], tools=tools).turn(MESSAGE)
    assert [item["content"] for item in provider.requests[1].history if item["role"] == "tool"] == ["slow", "quick"]


def test_many_safe_tools_at_once_all_come_back():
    """More calls than threads are no fewer results."""
    provider = calling(*["one"] * 40)
    build(provider=provider, flows=[CHAT], tools=[tool("one", lambda: 7, read_only=True)]).turn(MESSAGE)
    assert results(provider) == [7] * 40


# -- by hand


def test_a_turn_can_be_driven_by_hand():
    """agent.steps is the generator itself: it asks for a model, an action, a tool round, and ends with the result."""
    flow = {
        "id": "f",
        "on": [{"message": []}],
        "steps": [
            {"id": "a", "kind": "do", "do": "act", "with": {"to": "{{context.team}}"}},
            {"id": "b", "kind": "prompt", "prompt": "p"},
        ],
    }
    action = Action(lambda params, call: None, {"to": {"type": "string"}})
    agent = build(flows=[flow], actions={"act": action}, tools=[tool("ask", lambda: 1)])
    steps = agent.steps({**MESSAGE, "context": {"team": "sales"}})
    act = steps.send(None)
    assert isinstance(act, RunAction)
    assert (act.name, act.params, act.call.key) == ("act", {"to": "sales"}, "f#m1:a:1")
    ask = steps.send(Ok("done by hand"))
    assert isinstance(ask, AskModel)
    assert (ask.round, ask.request.schema_name, [offer.name for offer in ask.request.tools]) == (0, "speak", ["ask"])
    tools = steps.send(ModelReply(tool_calls=[ToolCall("ask", {"n": 1})]))
    assert isinstance(tools, RunTools)
    assert [(run.tool.id, run.arguments) for run in tools.runs] == [("ask", {"n": 1})]
    ask = steps.send(["by hand"])
    assert (ask.round, ask.request.history[-1]["content"]) == (1, "by hand")
    with pytest.raises(StopIteration) as stop:
        steps.send(ModelReply("Fine."))
    assert isinstance(stop.value.value, TurnResult)
    assert texts(stop.value.value) == ["Fine."]


def test_a_need_that_failed_is_answered_so_by_hand():
    """A Raised stands for what the model, an action or a tool raised."""
    steps = build(flows=[ACT], actions={"act": Action(lambda params, call: None)}).steps(MESSAGE)
    steps.send(None)
    with pytest.raises(StopIteration) as stop:
        steps.send(Raised(RuntimeError("by hand")))
    assert lines(stop.value.value, "status", "detail")[0] == ("failed", "by hand")


def test_steps_given_up_leave_the_session_alone():
    """A turn that was not driven to its end has done nothing to what it was given."""
    agent = build(flows=[CHAT], provider=Rounds(ModelReply("Hi.")))
    session = agent.turn(MESSAGE).session
    before = session_to_json(session)
    steps = build(flows=[{**CHAT, "on": [{"message": [], "repeat": "always"}]}]).steps(
        {"sessionId": "s", "session": session, "message": "again", "id": "m2"}
    )
    steps.send(None)
    steps.close()
    assert session_to_json(session) == before


# -- one agent, many threads


def test_one_agent_serves_many_threads():
    """Forty conversations of several turns, all at once by one agent, come out as one after another."""
    flow = {
        "id": "f",
        "on": [{"message": ["x"], "repeat": "always"}, {"event": "booked", "after": "1h"}],
        "clearOnStart": ["name"],
        "steps": [
            {"id": "a", "kind": "collect", "collect": ["name", "ok"], "prompt": "Ask {{context.who}}."},
            {"id": "b", "kind": "do", "do": "act", "with": {"to": "{{data.name}}"}},
            {"id": "c", "kind": "say", "say": "Bye {{data.name}}, {{context.who}}."},
        ],
        "onEnd": "stay",
    }

    class Model:
        """Answers out of the prompt, so that a mix-up of two conversations shows."""

        name = "model"

        def generate(self, request):
            who = request.brief.message.split()[-1]
            if request.schema_name == "understand":
                return ModelReply(structured={"flows": {"f": 90}, "fields": {"name": who}})
            return ModelReply(structured={"message": f"Well, {who}.", "ok": "sim"})

    def act(params, call):
        call.set({"seen": params["to"]})
        return Defer("1h") if call.run.hop else Ok(params["to"])

    agent = build(
        provider=Model(),
        fields={"name": {"type": "string"}, "ok": {"type": "boolean"}},
        flows=[flow],
        events={"booked": Event()},
        actions={"act": Action(act, {"to": {"type": "string"}})},
    )

    def converse(number):
        session, outcome = None, []
        for turn in range(4):
            what = (
                {"event": "booked", "key": f"e{turn}"}
                if turn == 2
                else {"message": f"I am P{number}", "id": f"m{turn}"}
            )
            result = agent.turn({"sessionId": f"s{number}", "session": session, "context": {"who": number}, **what})
            outcome.append(result_to_json(result))
            session = json.loads(json.dumps(outcome[-1]["session"]))
        return outcome

    one_after_another = [converse(number) for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        at_once = list(pool.map(converse, range(40)))
    assert at_once == one_after_another
    assert at_once[7][0]["session"]["data"]["name"] == "P7"


def test_one_session_value_serves_many_threads():
    """A session that several threads work from at once (a dry run, a simulator) is changed by none of them."""
    flow = {"id": "f", "on": [{"event": "booked"}], "steps": [{"id": "a", "kind": "say", "say": "Booked."}]}
    agent = build(flows=[flow], events={"booked": Event()})
    session = agent.turn({"sessionId": "s", "event": "booked", "key": "e0"}).session
    before = session_to_json(session)

    def book(number):
        result = agent.turn({"sessionId": "s", "session": session, "event": "booked", "key": f"e{number}"})
        return [key for key, _ in result.session.claims.items()], reasons(result)

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(book, range(1, 200)))
    assert outcomes == [(["f:s:e0", f"f:s:e{number}"], [(f"f#e{number}", "end")]) for number in range(1, 200)]
    assert session_to_json(session) == before


def test_the_clock_is_read_once_a_turn():
    """All times of a turn are one time, cut to whole milliseconds; a turn that is told its time reads no clock."""
    readings = []

    def clock():
        readings.append(datetime(2026, 9, 21, 10, 0, len(readings), 123_999, tzinfo=UTC))
        return readings[-1]

    agent = Agent(provider=ScriptedProvider(), clock=clock, flows=[{**ACT, "steps": ACT["steps"][1:]}], idle="silent")
    result = agent.turn(MESSAGE)
    times = {result.session.last_user_at, result.session.last_assistant_at, *[line.at for line in result.outcomes]}
    assert times == {"2026-09-21T10:00:00.123Z"}
    assert len(readings) == 1
    told = agent.turn({**MESSAGE, "now": "2030-01-01T00:00:00.000Z"})
    assert (told.session.last_user_at, len(readings)) == ("2030-01-01T00:00:00.000Z", 1)


def test_a_gate_says_why():
    """A validation that is plain code refuses with its reason, whoever drives (the async ones above are the same)."""
    agent = gate_agent(validate=lambda arguments, request: Invalid("say ok"))
    agent.turn(MESSAGE)
    assert results(agent.provider) == [{"error": "say ok"}]
