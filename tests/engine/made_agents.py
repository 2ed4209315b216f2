"""Agents, turns and models for hypothesis: flows of the vectors beside flows made of every kind of step."""

from __future__ import annotations

import asyncio
import gzip
import inspect
import json
import random
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import reject
from hypothesis import strategies as st

from falai_engine import (
    Action,
    Agent,
    ConditionDefinition,
    Event,
    FlowConfigurationError,
    Idle,
    Instruction,
    Invalid,
    ModelReply,
    ProviderError,
    Tool,
    ToolCall,
    ToolResult,
    TurnResult,
    Usage,
    Variable,
    assert_session,
    session_to_json,
)
from falai_engine.model import Capabilities
from falai_engine.spec import field_from_spec
from falai_engine.testing import SCENARIO_CONDITIONS

RANDOM = Path(__file__).resolve().parent.parent / "vectors" / "scenarios-random.json.gz"
SCENARIOS = json.loads(gzip.decompress(RANDOM.read_bytes()))
START = datetime(2026, 9, 21, 10, tzinfo=UTC)

# The fields of the vectors, and slugs that a careless engine would take for something else.
ODD_SLUGS = (
    "__class__",
    "__init__",
    "constructor",
    "message",
    "field_0",
    "f1",
    "d1",
    "naïve",
    "日付",
    "a b",
    "toString",
)
FIELDS = {
    **{slug: field_from_spec(spec) for slug, spec in SCENARIOS[0]["agent"]["fields"].items()},
    **{slug: field_from_spec({"type": "string", "ask": f"Ask {slug}."}) for slug in ODD_SLUGS},
}
SLUGS = st.sampled_from(sorted(FIELDS))


# -- what the host registers: the same answer for the same question, whoever asks first


def _pick(key, choices):
    return choices[zlib.crc32(repr(key).encode()) % len(choices)]


def _answer(results):
    def handler(params, call):
        result = dict(_pick(call.key, results))
        if "set" in result:
            call.set(result.pop("set"))
        if "throw" in result:
            raise RuntimeError(result["throw"])
        return result

    return handler


def _flaky_tool(arguments, request):
    if _pick(arguments, (True, False)):
        raise RuntimeError("the room is full")
    return ToolResult("booked", {"doc": "RES-1", "name": _pick(arguments, ("Tool", "Kit"))})


def _next_hour(at, scope):
    return at if at.minute == 0 else at.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)


ACTIONS = {
    name: Action(_answer(spec["results"]), spec["parameters"])
    for name, spec in SCENARIOS[0]["agent"]["actions"].items()
}
TOOLS = (
    Tool(id="price", handler=lambda arguments, request: {"price": len(request.data)}, read_only=True),
    Tool(id="look", handler=lambda arguments, request: None, read_only=True, validate=lambda arguments, request: None),
    Tool(id="book", handler=_flaky_tool, destructive=True, max_result_size_chars=4),
    Tool(
        id="gated",
        handler=lambda arguments, request: "in",
        validate=lambda arguments, request: None if "ok" in arguments else Invalid("say ok", {"ok": True}),
        permit=lambda arguments, request: _pick(arguments, (True, False, "not you")),
    ),
)
EVENTS = {"booked": Event(), "reaction": Event("inbound"), "human": Event("outbound")}


def as_async(function):
    """The same function, to be awaited."""
    if function is None:
        return None

    async def later(*parts):
        await asyncio.sleep(0)
        return function(*parts)

    return later


def make_agent(document, provider, *, asynchronous=False):
    """The agent of a made document; with async handlers throughout when asked."""
    turned = as_async if asynchronous else lambda function: function
    fields = ("handler", "validate", "permit")
    return Agent(
        provider=provider,
        clock=lambda: START,
        fields=FIELDS,
        variables={"count": Variable("integer", 0, shown=True), "note": Variable("string")},
        actions={name: Action(turned(each.handler), each.parameters) for name, each in ACTIONS.items()},
        events=EVENTS,
        conditions={name: ConditionDefinition(turned(each.handler)) for name, each in SCENARIO_CONDITIONS.items()},
        tools=[_with(tool, {name: turned(getattr(tool, name)) for name in fields}) for tool in TOOLS],
        business_hours=turned(_next_hour),
        **document,
    )


def _with(tool, parts):
    kept = {name: getattr(tool, name) for name in inspect.signature(Tool).parameters}
    return Tool(**kept | parts)


# -- flows

TEXTS = st.sampled_from(
    [
        "Hello {{data.name}}.",
        "{{context.lead.name}}, {{input.from}}",
        "{{data.__class__}} {{context.x.__init__}} {{input.constructor}}",
        "Just text",
        "{{data.message}}{{data.日付}}{{data}}",
    ]
)
PHRASES = st.lists(
    st.sampled_from(["wants this", "asks for it", "!is angry", "cites {{data.name}}"]), max_size=2
).filter(lambda phrases: not phrases or any(not phrase.startswith("!") for phrase in phrases))
DURATIONS = st.sampled_from(["0s", "3s", "10s", "11s", "5m", "1h", "2d"])
CONDITIONS = st.sampled_from(
    [
        {"always": True},
        {"always": False},
        {"known": ["name"]},
        {"equals": {"ok": True}},
        {"silenced": False},
        {"contextEquals": {"stage": "new"}},
        {"inputEquals": {"n": 1}, "known": ["company"]},
        {"dataAtLeast": {"budget": 1000}},
        {"tagsAny": ["hot"]},
    ]
)
REPEATS = st.sampled_from(["once", "always", {"cooldown": "1h"}])


def _some(**options):
    """An object with any of these keys."""
    return st.fixed_dictionaries({}, optional=options)


def _triggers():
    common = {"repeat": REPEATS, "if": CONDITIONS}
    hours = {"businessHours": st.booleans()}
    return st.one_of(
        st.fixed_dictionaries({"message": PHRASES}, optional=common),
        st.fixed_dictionaries(
            {"mention": PHRASES}, optional={**common, "extract": st.just({"from": {"type": "string"}})}
        ),
        st.fixed_dictionaries({"silence": st.sampled_from(["5m", "1h"])}, optional={**common, **hours}),
        st.fixed_dictionaries(
            {"event": st.sampled_from(sorted(EVENTS))}, optional={**common, **hours, "after": DURATIONS}
        ),
    )


def _targets(ids):
    return st.one_of(
        st.sampled_from([*ids, "end"]),
        st.fixed_dictionaries({"step": st.sampled_from(ids)}, optional={"clear": st.lists(SLUGS, max_size=2)}),
        st.fixed_dictionaries(
            {"flow": st.sampled_from(["alpha", "beta", "made", "{{input.from}}", "{{data.name}}"])},
            optional={"input": st.just({"from": "made", "n": 1})},
        ),
    )


def _steps(ids, index):
    target = _targets(ids)
    base = {"id": st.just(ids[index])}
    way = {"then": target}
    branch = st.one_of(
        st.fixed_dictionaries({"then": target, "when": st.sampled_from(["gives up", "asks {{data.name}}"])}),
        st.fixed_dictionaries({"then": target, "if": CONDITIONS}),
    )
    branches = {"branches": st.lists(branch, min_size=1, max_size=2)}
    talk = {
        **way,
        **branches,
        "maxAsks": st.integers(1, 3),
        "tools": st.lists(st.sampled_from([tool.id for tool in TOOLS]), max_size=2, unique=True),
        "instructions": st.just([{"prompt": "Be brief, {{data.name}}.", "when": ["it is late", "!it is early"]}]),
    }
    collect = {"collect": st.lists(SLUGS, min_size=1, max_size=3, unique=True)}
    code_branch = st.fixed_dictionaries({"then": target, "if": CONDITIONS})
    wait_branches = {"branches": st.lists(code_branch, min_size=1, max_size=2)}
    return st.one_of(
        st.fixed_dictionaries({**base, "prompt": TEXTS}, optional=talk),
        st.fixed_dictionaries({**base, **collect}, optional={**talk, "prompt": TEXTS, "question": TEXTS}),
        st.fixed_dictionaries({**base, "say": TEXTS}, optional={**way, "once": st.booleans()}),
        st.fixed_dictionaries(
            {**base, "do": st.sampled_from(["flaky", "speaker", "setter"])}, optional={**way, "onFail": target}
        ),
        st.fixed_dictionaries(
            {**base, "wait": DURATIONS},
            optional={**way, **wait_branches, "else": target, "businessHours": st.booleans()},
        ),
        st.fixed_dictionaries(
            {
                **base,
                "wait": st.fixed_dictionaries({"event": st.sampled_from(sorted(EVENTS))}, optional={"upTo": DURATIONS}),
            },
            optional={**way, "else": target},
        ),
        st.fixed_dictionaries({**base, "if": CONDITIONS, "else": target}, optional=way),
    )


@st.composite
def made_flows(draw, flow_id="made"):
    """A flow of one to five steps of any kind, with up to three triggers of any kind."""
    ids = [f"s{number}" for number in range(draw(st.integers(1, 5)))]
    optional = _some(
        anchor=st.sampled_from(["session", "lead"]),
        collect=st.lists(SLUGS, max_size=2),
        clearOnStart=st.lists(SLUGS, max_size=2),
        onEnd=st.sampled_from(["end", "stay", "reset"]),
        **{"while": CONDITIONS},
    )
    return {
        "id": flow_id,
        "name": "Made",
        "description": draw(TEXTS),
        "on": draw(st.lists(_triggers(), max_size=3)),
        "steps": [draw(_steps(ids, index)) for index in range(len(ids))],
        **draw(optional),
    }


def _pool(flow_id):
    return [flow for scenario in SCENARIOS for flow in scenario["agent"]["flows"] if flow["id"] == flow_id]


POOLS = {flow_id: _pool(flow_id) for flow_id in ("alpha", "beta", "gamma", "delta")}


@st.composite
def documents(draw):
    """The parts of an agent: a flow of each name the vectors know, from any scenario, and one or two made ones."""
    known = [draw(st.sampled_from(pool)) for pool in POOLS.values()]
    made = [draw(made_flows(flow_id)) for flow_id in ("made", "the other")[: draw(st.integers(1, 2))]]
    document = {
        "flows": draw(st.permutations([*known, *made])),
        "name": "Ana {{data.name}}",
        "persona": draw(TEXTS),
        "knowledge_base": draw(st.sampled_from([None, "facts", {"price": 3}])),
        "instructions": [Instruction("Never shout.", kind="never", if_={"known": ["name"]})],
        "idle": draw(st.sampled_from(["silent", Idle(), Idle("Help {{data.name}}.", tools=["price", "book"])])),
        "max_tool_loops": draw(st.integers(0, 3)),
        "timezone": draw(st.sampled_from([None, "America/Sao_Paulo"])),
    }
    try:
        make_agent(document, SeededProvider([]))
    except FlowConfigurationError:
        reject()
    return document


# -- the model


def random_value(chance, schema):
    """Something a model might write for a leaf, mostly fitting."""
    types = schema.get("type", [])
    if schema.get("enum") and chance.random() < 0.7:
        return chance.choice(schema["enum"])
    fitting = {
        "boolean": [True, False, "sim", "no"],
        "integer": [0, 39, 40, 55, 80, 100, "60"],
        "number": [1.5, "1500,50", 7],
    }
    kinds = [kind for kind in ([types] if isinstance(types, str) else types) if kind != "null"]
    values = fitting.get(kinds[0] if kinds else "", ["Ana", "11-50", "", "true"])
    return chance.choice([*values, *values, None, "x"])


class SeededProvider:
    """A model that answers by seed: call n of a turn by seed n, the same for the same call, fitting its schema.

    Some answers are text, some are tool calls, some fail. `script(seeds)` begins a turn.
    """

    name = "seeded"
    capabilities = Capabilities()

    def __init__(self, seeds):
        self.script(seeds)

    def script(self, seeds):
        self.seeds = seeds
        self.calls = 0

    def generate(self, request):
        seed = self.seeds[self.calls % len(self.seeds)] if self.seeds else 0
        self.calls += 1
        chance = random.Random(f"{seed}:{self.calls}")
        if chance.random() < 0.08:
            raise ProviderError(self.name, chance.choice(["rate", "quota", "auth", "timeout", "unknown"]))
        structured = self._fill(chance, request.schema)
        usage = Usage(seed % 7, 1, 0) if chance.random() < 0.5 else None
        calls = []
        if request.tools and chance.random() < 0.5:
            names = [*[tool.name for tool in request.tools], "nobody"]
            calls = [ToolCall(chance.choice(names), {"n": n, "ok": 1}) for n in range(chance.randint(1, 3))]
        text = str(structured.get("message") or "")
        if chance.random() < 0.3:
            return ModelReply(f"Sure: {json.dumps(structured)}", tool_calls=calls, usage=usage)
        return ModelReply(text, structured=structured, tool_calls=calls, usage=usage, reasoning={"seed": seed})

    def _fill(self, chance, schema):
        filled = {}
        for name, part in schema.get("properties", {}).items():
            if part.get("type") == "object":
                filled[name] = self._fill(chance, part)
            elif name == "message":
                filled[name] = chance.choice(["Hello there.", "What is your name?", "Fine.", "", None])
            else:
                filled[name] = random_value(chance, part)
        return filled

    async def agenerate(self, request):
        await asyncio.sleep(0)
        return self.generate(request)

    def stream(self, request):
        reply = self.generate(request)
        yield from reply.message
        yield reply

    async def astream(self, request):
        for part in self.stream(request):
            yield part


# -- turns

CONTEXTS = st.sampled_from(
    [
        {},
        {"stage": "new", "tags": ["hot"], "lead": None},
        {"lead": {"name": "Bia"}, "x": "y", "stage": "old"},
        None,
        [1],
        "text",
    ]
)
PAYLOADS = st.sampled_from([None, {"from": "gamma", "n": 1}, {"from": "made"}, "text", 7])
ANCHORS = st.sampled_from(
    [
        {},
        {"lead": {"key": "lead:7"}},
        {"lead": {"key": "lead:8", "lastInboundAt": "2026-09-21T12:30:00.000Z"}},
    ]
)
CLAIMS = st.sampled_from(
    [{}, {"held": {"made:s:": "2026-09-21T09:59:00.000Z"}}, {"active": ["made:lead:7", "alpha:s"]}]
)
HISTORIES = st.sampled_from(
    [
        [],
        [{"role": "user", "content": "hi"}],
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}],
    ]
)
COMMON = _some(
    context=CONTEXTS,
    anchors=ANCHORS,
    claims=CLAIMS,
    history=HISTORIES,
    silenced=st.sampled_from(["a reason", "", {"reason": "a human", "understand": True}]),
)
_FLOW_IDS = st.sampled_from([*POOLS, "made", "nobody"])
KINDS = st.one_of(
    st.fixed_dictionaries(
        {"message": st.sampled_from(["hi", "I am Ana", "it costs 1500"])}, optional={"id": st.uuids().map(str)}
    ),
    st.fixed_dictionaries({"message": st.just("hi"), "id": st.sampled_from(["m1", "m2"])}),
    st.fixed_dictionaries({"wake": st.integers(0, 5)}),
    st.fixed_dictionaries(
        {"event": st.sampled_from([*sorted(EVENTS), "unheard of"]), "key": st.sampled_from(["e1", "e2", "e3"])},
        optional={"payload": PAYLOADS, "hop": st.integers(0, 6)},
    ),
    st.fixed_dictionaries({"flow": _FLOW_IDS, "key": st.sampled_from(["k1", "k2"])}, optional={"input": PAYLOADS}).map(
        lambda start: {"start": start}
    ),
)
MINUTES = st.sampled_from([0, 1, 7, 61, 60 * 25])
SEEDS = st.lists(st.integers(0, 10_000), min_size=1, max_size=3)
TURNS = st.lists(st.tuples(KINDS, COMMON, MINUTES, SEEDS), min_size=2, max_size=6)
"""Each: what happens, the common part, how many minutes after the turn before, how the model answers. A `wake` is a
number: which of the session's pending wakes is due (there may be none: then a stale one)."""


def walk(document, turns):
    """Take the turns one after another: `(agent, given, seeds, outcome)` for each.

    `given` is the input as JSON and `outcome` the TurnResult, or the ProviderError that an understand call raised (then
    the session stays as it was, and the host would try again).
    """
    provider = SeededProvider([])
    agent = make_agent(document, provider)
    session, now = None, START
    for what, common, minutes, seeds in turns:
        now += timedelta(minutes=minutes)
        if "wake" in what:
            wakes = [] if session is None else agent.pending_wakes(assert_session(session, "s"))
            due = wakes[what["wake"] % len(wakes)] if wakes else None
            what = {"wake": "a stale one" if due is None else due.key}  # noqa: PLW2901 - the number stands for it
            now = now if due is None else max(now, datetime.fromisoformat(due.at))
        given = {"sessionId": "s", "session": session, "now": now.isoformat(), **common, **what}
        outcome = take(agent, given, seeds)
        if isinstance(outcome, TurnResult) and _has_twins(given, outcome):
            return
        yield agent, given, seeds, outcome
        if isinstance(outcome, TurnResult):
            session = saved(outcome)


def _has_twins(given, result):
    """Whether one key was used for two anchors: that gives two runs of one id, which is the host's to avoid."""
    known = [run["id"] for run in (given["session"] or {"runs": ()})["runs"]]
    ids = [*known, *[run.run_id for run in result.started]]
    return len(set(ids)) < len(ids)


def take(agent, given, seeds):
    """One turn under a script: its result, or the ProviderError it raised."""
    agent.provider.script(seeds)
    try:
        return agent.turn(given)
    except ProviderError as error:
        return error


def saved(result):
    """The session of a result as its store would give it back."""
    blob = json.loads(json.dumps(session_to_json(result.session)))
    return {**blob, "version": blob["version"] + result.changed}
