"""Junk of every kind for hypothesis, and an agent that a junk reply or input can hurt wherever an agent can be hurt."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from falai_engine import ConditionDefinition, Event, Idle, Invalid, ModelReply, Tool, ToolCall, ToolResult, Usage
from falai_engine.testing import FakeClock
from tests.engine.conversation import START, build

# Words of the wire, so that junk gets past the first question.
WORDS = """
flows mentions extract branches fields message told echoed what big q1 f1 d2 name size budget ok urgent naïve field_0
true false null
"""
KEYS = st.sampled_from(WORDS.split()) | st.text(max_size=3)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, 40, 100, 10**30, 1e308, "60", "sim", "1500,50", "", "11-50"])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | KEYS
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=30,
)
PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        ":",
        ",",
        "```json\n",
        "```",
        "\n",
        "\x00",
        "\\u0000",
        "\\ud800",
        "NaN",
        "-Infinity",
        "1e999",
    ]
)
JUNK_TEXT = st.one_of(
    st.text(max_size=40),
    JSON.map(json.dumps),
    st.tuples(st.text(max_size=9), JSON.map(json.dumps), st.text(max_size=9)).map("".join),
    st.lists(PIECES | KEYS, max_size=25).map("".join),
)

# Anything that Python lets a provider put where a part of a reply belongs.
ANYTHING = (
    JSON | st.floats() | st.binary(max_size=3) | st.sampled_from([object(), int, {1, 2}, ..., ToolCall("echo", {})])
)
JUNK_REPLIES = st.one_of(
    ANYTHING,
    st.builds(
        ModelReply,
        message=st.just("x") | ANYTHING,
        structured=st.none() | ANYTHING,
        tool_calls=st.just(()) | ANYTHING | st.lists(st.builds(ToolCall, ANYTHING, ANYTHING) | ANYTHING, max_size=2),
        reasoning=JSON,
        usage=st.none() | ANYTHING | st.builds(Usage, ANYTHING, ANYTHING, ANYTHING),
    ),
)


class JunkProvider:
    """Answers each kind of call with what it was told, one after another, the last for ever; an error is raised."""

    name = "junk"

    def __init__(self, understand, speak):
        self.replies = {"understand": [understand], "speak": speak if isinstance(speak, list) else [speak]}

    def generate(self, request):
        queue = self.replies[request.schema_name]
        reply = queue.pop(0) if len(queue) > 1 else queue[0]
        if isinstance(reply, Exception):
            raise reply
        return reply


FIELDS = {
    "name": {"type": "string"},
    "size": {"type": "string", "enum": ["1-10", "11-50"]},
    "budget": {"type": "number"},
    "seats": {"type": "integer", "enum": [1, 2]},
    "ok": {"type": "boolean", "extract": "anywhere"},
    "naïve": {"type": "string"},
    "message": {"type": "string"},
}
FLOWS = [
    {
        "id": "big",
        "on": [{"message": ["wants this", "!is angry"], "repeat": "always"}],
        "steps": [
            {
                "id": "t",
                "kind": "collect",
                "collect": list(FIELDS),
                "prompt": "Ask {{data.name}}.",
                "branches": [{"when": "gives up", "then": "u"}, {"if": {"known": ["budget"]}, "then": "u"}],
            },
            {"id": "u", "kind": "say", "say": "{{data}} {{input}}"},
        ],
        "onEnd": "stay",
    },
    {
        "id": "told",
        "on": [
            {"mention": ["cites a rival"], "extract": {"what": {"type": "string"}}, "repeat": "always"},
            {"silence": "1h", "repeat": "always"},
            {"event": "booked"},
        ],
        "anchor": "lead",
        "steps": [
            {"id": "t", "kind": "wait", "wait": "1h"},
            {"id": "v", "kind": "say", "say": "{{input.what}}"},
        ],
    },
    {
        "id": "echoed",
        "on": [{"mention": ["says it again"], "extract": {"what": {"type": "string"}}, "repeat": "always"}],
        "steps": [{"id": "t", "kind": "say", "say": "{{input.what}} {{input}}"}],
    },
    {
        "id": "ação",
        "on": [{"message": ["é outra coisa"]}, {"message": []}],
        "steps": [{"id": "t", "kind": "prompt", "prompt": "p"}],
    },
]
TOOLS = [
    Tool(id="echo", handler=lambda arguments, request: dict(arguments), read_only=True),
    Tool(id="fill", handler=lambda arguments, request: ToolResult(None, {"name": "Ana"})),
    Tool(
        id="strict",
        handler=lambda arguments, request: arguments["what"],
        validate=lambda arguments, request: None if "what" in arguments else Invalid("say what", dict(arguments)),
        permit=lambda arguments, request: bool(arguments["what"]),
    ),
]
# In the middle of a conversation: one run asks, one waits, one is suspended.
SESSION = {
    "id": "s",
    "v": 4,
    "version": 3,
    "data": {"size": "1-10", "seats": 2},
    "runs": [
        {
            "id": "big#m1",
            "flowId": "big",
            "anchor": "s",
            "dedupeKey": "big:s:m1",
            "stepId": "t",
            "status": "asking",
            "trigger": {"kind": "message", "key": "m1"},
            "hop": 0,
            "startedAt": START,
            "asked": {"name": 1},
            "visits": {"t": 1},
            "outcomes": [
                {"runId": "big#m1", "kind": "collect", "status": "ok", "key": "big#m1:t:1", "llmCalls": 1, "at": START}
            ],
        },
        {
            "id": "told#1",
            "flowId": "told",
            "anchor": "lead:7",
            "dedupeKey": "told:lead:7:1",
            "stepId": "t",
            "status": "waiting",
            "trigger": {"kind": "mention", "key": "1", "payload": {"what": "x"}},
            "input": {"what": "x"},
            "hop": 0,
            "startedAt": START,
            "asked": {},
            "visits": {"t": 1},
            "outcomes": [],
            "waiting": {"kind": "timer", "key": "told#1:t:5", "until": START, "setAt": START},
        },
        {
            "id": "ação#1",
            "flowId": "ação",
            "anchor": "s",
            "dedupeKey": "ação:s:",
            "stepId": "t",
            "status": "suspended",
            "trigger": {"kind": "message", "key": "1"},
            "hop": 0,
            "startedAt": START,
            "suspendedAt": START,
            "asked": {},
            "visits": {"t": 1},
            "outcomes": [],
        },
    ],
    "claims": {"big:s:m1": {"at": START}, "ação:s:": {"at": START}},
    "inputs": ["m1"],
    "metadata": {"team": "sales"},
    "history": [{"role": "user", "content": "hi"}],
    "lastUserAt": START,
    "lastAssistantAt": START,
}
INPUT = {
    "sessionId": "s",
    "session": SESSION,
    "message": "hello",
    "id": "m2",
    "at": START,
    "context": {"lead": {"name": "Bia"}},
    "history": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}],
    "silenced": {"reason": "a human", "understand": True},
    "anchors": {"lead": {"key": "lead:7", "lastInboundAt": START}},
    "claims": {"held": {"told:lead:7:": START}, "active": ["big:s"]},
    "now": START,
}
EVENT = {"sessionId": "s", "session": SESSION, "event": "booked", "key": "e1", "payload": {"what": 1}, "hop": 1}
START_INPUT = {"sessionId": "s", "start": {"flow": "told", "key": "k", "input": {"what": "y"}, "hop": 1}}
WAKE = {"sessionId": "s", "session": SESSION, "wake": "told#1:t:5"}


def junk_model(understand, speak):
    """An agent with something of everything, whose model answers so, and a session in the middle of a conversation."""
    agent = build(
        provider=JunkProvider(understand, speak),
        clock=FakeClock(START),
        fields=FIELDS,
        flows=FLOWS,
        tools=TOOLS,
        events={"booked": Event("inbound")},
        conditions={"vip": ConditionDefinition(lambda argument, scope: True)},
        idle=Idle("Help."),
        timezone="America/Sao_Paulo",
    )
    return agent, json.loads(json.dumps(SESSION))


def _places(value, path=()):
    """The path of every part of a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(part, (*path, key))


@st.composite
def mutations(draw, what):
    """A sound session or input with one part replaced by junk, or taken out."""
    sound = SESSION if what == "session" else draw(st.sampled_from([INPUT, EVENT, START_INPUT, WAKE]))
    copied = json.loads(json.dumps(sound))
    path = draw(st.sampled_from([path for path in _places(copied) if path]))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    if draw(st.booleans()):
        inner[path[-1]] = draw(JSON)
    else:
        del inner[path[-1]]
    return copied
