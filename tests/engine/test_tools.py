"""Tools: who may be called, what the model reads back, what is written (engine.md, section 8, Tools)."""

from __future__ import annotations

import json

import pytest

from falai_engine import (
    Event,
    Idle,
    Invalid,
    ModelReply,
    ProviderError,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
    session_to_json,
)
from falai_engine.document import Registrations, agent_from_spec
from tests.engine.conversation import START, build, lines, texts

MESSAGE = {"sessionId": "s", "message": "how much?", "id": "m1"}
EVENT = {"sessionId": "s", "event": "asked", "key": "e1"}


class Model:
    """A speaker that gives these replies, one a call; the requests are kept."""

    name = "model"

    def __init__(self, *replies):
        self.replies = list(replies)
        self.requests = []

    def generate(self, request):
        self.requests.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    @property
    def offered(self):
        """The tools that each call offered."""
        return [[tool.name for tool in request.tools] for request in self.requests]

    @property
    def added(self):
        """What the rounds added to the history of the last call."""
        return list(self.requests[-1].history)[len(self.requests[0].history) :]

    @property
    def contents(self):
        """What the model read of its calls, in order."""
        return [item["content"] for item in self.added if item["role"] == "tool"]


def calls(*names, message="", **more):
    """A reply that calls tools; a name may come with its arguments."""
    pairs = [(name, {}) if isinstance(name, str) else name for name in names]
    return ModelReply(message, tool_calls=[ToolCall(name, arguments) for name, arguments in pairs], **more)


DONE = ModelReply("Done.")


def tool(id_, handler=lambda arguments, request: "value", **parts):
    return Tool(id=id_, handler=handler, **parts)


def flow(step=None, **parts):
    step = {"id": "a", "kind": "prompt", "prompt": "Answer {{data.name}}.", **(step or {})}
    return {"id": "chat", "on": [{"message": []}, {"event": "asked"}], "steps": [step], **parts}


def speaking(*replies, tools=(), given=MESSAGE, session=None, flows=None, **parts):
    """One turn: the model and the result."""
    model = Model(*replies)
    parts.setdefault("fields", {"name": {"type": "string"}, "size": {"type": "integer"}})
    agent = build(
        provider=model, flows=[flow()] if flows is None else flows, tools=tools, events={"asked": Event()}, **parts
    )
    return model, agent.turn({**given, "session": session})


def reads(handler, *, arguments=(), **parts):
    """What the model reads of one call of one tool."""
    call = calls(("ask", {} if arguments == () else arguments))
    model, result = speaking(call, DONE, tools=[tool("ask", handler, **parts)])
    assert texts(result) == ["Done."]
    (content,) = model.contents
    return content


# -- which tools

ALL = [tool("one"), tool("two"), tool("three")]


@pytest.mark.parametrize(
    ("of_step", "of_flow", "offered"),
    [
        (None, None, ["one", "two", "three"]),
        (None, ["three", "one"], ["one", "three"]),
        (["two"], ["three", "one"], ["two"]),
        (["three", "two"], None, ["two", "three"]),
        ([], ["three"], []),
        (None, [], []),
        ([], None, []),
    ],
)
def test_the_step_s_list_else_the_flow_s_else_all(of_step, of_flow, offered):
    """The nearest list counts, an empty one too, and the order is always the agent's."""
    step = {} if of_step is None else {"tools": of_step}
    whole = flow(step) if of_flow is None else flow(step, tools=of_flow)
    assert speaking(DONE, tools=ALL, flows=[whole])[0].offered == [offered]


@pytest.mark.parametrize(
    ("of_idle", "offered"), [(None, ["one", "two", "three"]), (["three", "one"], ["one", "three"]), ([], [])]
)
def test_idle_has_its_own_list_else_all(of_idle, offered):
    """The lists of flows are not the idle speaker's."""
    model, _ = speaking(DONE, tools=ALL, flows=[flow(on=[], tools=["two"])], idle=Idle("Help.", tools=of_idle))
    assert model.offered == [offered]


def test_an_offer_says_what_the_tool_takes():
    """Name, description and parameters go to the model as they were registered."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    model, _ = speaking(DONE, tools=[tool("one", description="Looks up {{data.name}}.", parameters=schema)])
    (offer,) = model.requests[0].tools
    assert (offer.name, offer.description, offer.parameters) == ("one", "Looks up {{data.name}}.", schema)


def test_a_tool_that_is_not_offered_is_not_run():
    """The step's list holds against the model too: it reads an error that names the tool, and goes on."""
    ran = []
    secret = tool("secret", lambda arguments, request: ran.append(1))
    model, result = speaking(
        calls("secret", "nobody"), DONE, tools=[tool("one"), secret], flows=[flow({"tools": ["one"]})]
    )
    assert [list(json.loads(content)) for content in model.contents] == [["error"], ["error"]]
    assert "secret" in model.contents[0]
    assert "nobody" in model.contents[1]
    assert (ran, texts(result)) == ([], ["Done."])


# -- rounds


def test_five_rounds_offer_tools_and_one_more_does_not():
    """After the last round the model is asked once more without tools; calls it makes then are ignored."""
    ran = []
    counted = tool("one", lambda arguments, request: ran.append(1))
    model, result = speaking(*[calls("one", message="not yet")] * 5, calls("one", message="Enough."), tools=[counted])
    assert model.offered == [["one"]] * 5 + [[]]
    assert (len(ran), texts(result), result.llm_calls) == (5, ["Enough."], 6)


@pytest.mark.parametrize("loops", [0, 1, 2])
def test_as_many_rounds_as_the_agent_says(loops):
    """`maxToolLoops` 0 offers none at all."""
    model, result = speaking(*[calls("one")] * loops, DONE, tools=[tool("one")], max_tool_loops=loops)
    assert model.offered == [["one"]] * loops + [[]]
    assert result.llm_calls == loops + 1


def test_the_document_s_max_tool_loops_may_be_zero():
    """0 in a document is 0, and not the default."""
    model = Model(DONE)
    agent = agent_from_spec(
        {"specVersion": 1, "name": "A", "maxToolLoops": 0, "flows": [flow(on=[{"message": []}])]}, provider=model
    )
    assert texts(agent.turn(MESSAGE)) == ["Done."]
    assert agent.compiled.max_tool_loops == 0


def test_calls_of_tools_nobody_offered_are_ignored():
    """With no tool on offer there is no round: the message counts at once."""
    model, result = speaking(calls("one", message="Here."), tools=[tool("one")], flows=[flow({"tools": []})])
    assert (texts(result), len(model.requests)) == (["Here."], 1)


def test_a_round_s_text_is_not_sent():
    """Only the last round's message goes out, as it was written."""
    _, result = speaking(calls("one", message="Let me look."), ModelReply("  It is 420. \n"), tools=[tool("one")])
    assert texts(result) == ["  It is 420. \n"]
    assert lines(result, "kind", "status", "llm_calls") == [("prompt", "ok", 2)]


def test_what_rounds_used_is_summed():
    """Usage of all rounds together; a round that counted nothing adds nothing."""
    _, result = speaking(
        calls("one", usage=Usage(10, 1, 5)),
        calls("one"),
        ModelReply("Done.", usage=Usage(20, 2, 0)),
        tools=[tool("one")],
    )
    assert result.usage == Usage(30, 3, 5)


# -- what a round adds to the history

USER, ASSISTANT = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}


def history_after(history, given=MESSAGE, rounds=1):
    model, _ = speaking(*[calls("one")] * rounds, DONE, tools=[tool("one")], given={**given, "history": history})
    assert list(model.requests[0].history) == history
    return model


def roles(items):
    return [item["role"] for item in items]


def test_a_user_item_opens_the_first_round_once():
    """The customer's text stands before the first calls, and not again before those of later rounds."""
    model = history_after([USER, ASSISTANT], rounds=3)
    assert roles(model.added) == ["user"] + ["assistant", "tool"] * 3
    assert model.added[0] == {"role": "user", "content": "how much?"}


def test_no_user_item_when_the_history_ends_on_one():
    """A host that already keeps the customer's message there sees it once."""
    assert roles(history_after([ASSISTANT, USER], rounds=2).added) == ["assistant", "tool"] * 2


def test_the_prompt_stands_for_the_customer_when_nobody_wrote():
    """On an event the user item is the prompt, since vendors want one before a call."""
    model = history_after([], given=EVENT)
    assert model.added[0] == {"role": "user", "content": model.requests[0].prompt}


def test_an_empty_history_gets_its_user_item():
    """No history ends on no user item."""
    assert model_added_first([]) == {"role": "user", "content": "how much?"}


def model_added_first(history):
    return history_after(history).added[0]


def test_the_assistant_item_of_a_round():
    """The round's text or null, the calls with ids by round and place, and the reasoning exactly as received."""
    reasoning = [{"type": "thinking", "signature": "abc=="}]
    model, _ = speaking(
        calls("one", ("two", {"n": 1}), message="Let me look.", reasoning=reasoning),
        calls(("one", '{"n": 2}')),
        DONE,
        tools=ALL,
    )
    first, second = [item for item in model.added if item["role"] == "assistant"]
    assert first == {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [
            {"id": "call-0-0", "name": "one", "arguments": {}},
            {"id": "call-0-1", "name": "two", "arguments": {"n": 1}},
        ],
        "reasoning": reasoning,
    }
    assert first["reasoning"] is reasoning
    assert second == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call-1-0", "name": "one", "arguments": {"n": 2}}],
    }


def test_a_round_s_text_is_read_as_every_reply_is():
    """The text of the assistant item is the message, also when the model wrapped it in JSON."""
    model, _ = speaking(calls("one", structured={"message": "Let me look."}), DONE, tools=ALL)
    assert model.added[1]["content"] == "Let me look."


def test_one_tool_item_a_call_in_call_order():
    """Each answers its call by id, refused ones among them."""
    model, _ = speaking(calls("two", "nobody", "one"), DONE, tools=ALL)
    results = [item for item in model.added if item["role"] == "tool"]
    assert [item["tool_call_id"] for item in results] == ["call-0-0", "call-0-1", "call-0-2"]
    assert [item["content"] for item in results][::2] == ["value", "value"]


def test_the_given_history_is_not_changed():
    """Rounds work on a list of their own."""
    history = [USER, ASSISTANT]
    history_after(history, rounds=2)
    assert history == [USER, ASSISTANT]


# -- what the model reads


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("plain text, {as} it is", "plain text, {as} it is"),
        ("", ""),
        (None, '{"ok":true}'),
        (ToolResult(), '{"ok":true}'),
        (ToolResult("text"), "text"),
        ({"price": 420.0, "ok": True, "nothing": None}, '{"price":420,"ok":true,"nothing":null}'),
        ([1, "é", {"a": []}], '[1,"é",{"a":[]}]'),
        (0, "0"),
        (False, "false"),
    ],
)
def test_a_value_as_the_model_reads_it(value, content):
    """Text as it is, anything else as JSON; no value says that it went well."""
    assert reads(lambda arguments, request: value) == content


@pytest.mark.parametrize("value", ["x" * 30, {"text": "x" * 30}], ids=["text", "json"])
def test_a_long_value_is_cut_with_a_note(value):
    """At `maxResultSizeChars` characters, and the model is told that there was more."""
    content = reads(lambda arguments, request: value, max_result_size_chars=20)
    whole = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    assert content.startswith(whole[:20])
    assert not content.startswith(whole[:21])
    assert "cut" in content


def test_a_value_of_just_the_length_is_whole():
    """Only what is longer is cut."""
    assert reads(lambda arguments, request: "x" * 20, max_result_size_chars=20) == "x" * 20


def test_what_a_handler_raises_is_read_as_an_error():
    """The exception's text, or its class when it has none."""

    def raises(error):
        def handler(arguments, request):
            raise error

        return json.loads(reads(handler))["error"]

    assert raises(RuntimeError("the room is full")) == "the room is full"
    assert "ValueError" in raises(ValueError())


@pytest.mark.parametrize(
    ("given", "taken"),
    [("{broken", {}), ("[1]", {}), (None, {}), (7, {}), ([], {}), ('{"a": 1}', {"a": 1}), ({"a": 1}, {"a": 1})],
)
def test_broken_arguments_are_empty_and_the_validation_speaks(given, taken):
    """What is no object reaches the tool as `{}`; text that holds one, as that object."""
    assert json.loads(reads(lambda arguments, request: arguments, arguments=given)) == taken
    strict = reads(
        lambda arguments, request: "ran", arguments=given, validate=lambda arguments, request: Invalid("say a")
    )
    assert json.loads(strict) == {"error": "say a"}


# -- gates


def test_an_invalid_call_is_told_why():
    """The tool does not run; a corrected input is told when there is one."""
    ran = []

    def handler(arguments, request):
        ran.append(1)

    plain = reads(handler, validate=lambda arguments, request: Invalid("no such day"))
    assert json.loads(plain) == {"error": "no such day"}
    better = reads(handler, validate=lambda arguments, request: Invalid("no such day", {"day": 3}))
    assert json.loads(better) == {"error": "no such day", "correctedInput": {"day": 3}}
    assert ran == []


@pytest.mark.parametrize(("answer", "why"), [(False, None), (None, None), ("ask your boss", "ask your boss")])
def test_a_call_without_permission_is_told_so(answer, why):
    """Anything but True denies; a text says why."""
    ran = []
    content = reads(lambda arguments, request: ran.append(1), permit=lambda arguments, request: answer)
    (error,) = json.loads(content).values()
    assert error == why if why else "denied" in error
    assert ran == []


def test_the_gates_stand_in_order_and_see_what_the_tool_would():
    """First the validation, then the permission, each with the arguments and the request of the call."""
    seen = []

    def noted(name, answer):
        def handler(arguments, request):
            seen.append((name, dict(arguments), request.run.id))
            return answer

        return handler

    gates = {"validate": noted("validate", None), "permit": noted("permit", answer=True)}
    reads(noted("run", 1), arguments={"n": 1}, **gates)
    assert seen == [(name, {"n": 1}, "chat#m1") for name in ("validate", "permit", "run")]
    seen.clear()
    reads(noted("run", 1), **gates | {"validate": noted("validate", Invalid("no"))})
    assert [name for name, *_ in seen] == ["validate"]


def test_a_call_s_gates_are_asked_when_its_turn_comes():
    """What runs alone is judged after everything called before it has run, so that a gate sees what that did."""
    seen = []

    def noted(name, answer):
        def handler(arguments, request):
            seen.append(name)
            return answer

        return handler

    tools = [
        tool("safe", noted("safe runs", 1), read_only=True),
        tool("alone", noted("alone runs", 1), permit=noted("alone is judged", answer=True)),
    ]
    speaking(calls("safe", "alone", "safe"), DONE, tools=tools)
    assert seen == ["safe runs", "alone is judged", "alone runs", "safe runs"]


@pytest.mark.parametrize("gate", ["validate", "permit"])
def test_a_gate_that_raises_refuses(gate):
    """Nothing a tool does raises, and a gate that broke lets nobody through."""

    def broken(arguments, request):
        raise RuntimeError("the gate is stuck")

    ran = []
    content = reads(lambda arguments, request: ran.append(1), **{gate: broken})
    assert (json.loads(content), ran) == ({"error": "the gate is stuck"}, [])


# -- nothing a tool does raises

LOOP = []
LOOP.append(LOOP)


class MuteError(Exception):
    """An exception that cannot even be told."""

    def __str__(self):
        raise ValueError("no words")


class Wordless:
    """A value that cannot be told either."""

    def __str__(self):
        raise ValueError("no words")

    __repr__ = __str__


def raising(error):
    def handler(arguments, request):
        raise error

    return handler


STRANGE = {
    "an object": lambda arguments, request: object(),
    "bytes": lambda arguments, request: b"\xff",
    "a set": lambda arguments, request: {1, 2},
    "not a number": lambda arguments, request: float("nan"),
    "a huge number": lambda arguments, request: 10**5000,
    "keys that are no text": lambda arguments, request: {1: 2, None: 3},
    "a value that holds itself": lambda arguments, request: LOOP,
    "a value without words": lambda arguments, request: Wordless(),
    "an exception without words": raising(MuteError()),
    "an exception as value": lambda arguments, request: ValueError("x"),
    "StopIteration": raising(StopIteration()),
    "data that is a number": lambda arguments, request: ToolResult("x", 5),
    "data that is text": lambda arguments, request: ToolResult("x", "name"),
    "data that is a list": lambda arguments, request: ToolResult("x", ["name"]),
    "a half surrogate": lambda arguments, request: "\ud800",
}


@pytest.mark.parametrize("handler", STRANGE.values(), ids=STRANGE)
def test_whatever_a_tool_gives_the_turn_goes_on(handler):
    """The model reads something as text, the message goes out, and the session can be stored."""
    model, result = speaking(calls("ask"), DONE, tools=[tool("ask", handler)])
    assert texts(result) == ["Done."]
    assert all(isinstance(content, str) for content in model.contents)
    json.dumps(session_to_json(result.session), allow_nan=False)


# -- what a tool is told


def test_what_a_tool_is_told():
    """Its arguments and {context, data, history, run, now}."""
    seen = []
    history = [USER, ASSISTANT]
    given = {**MESSAGE, "context": {"team": "sales"}, "history": history}
    speaking(calls("ask"), DONE, tools=[tool("ask", lambda arguments, request: seen.append(request))], given=given)
    (request,) = seen
    assert request.context == {"team": "sales"}
    assert dict(request.data) == {}
    assert list(request.history) == history
    assert (request.run.id, request.run.flow_id, request.run.step_id, request.run.hop) == ("chat#m1", "chat", "a", 0)
    assert request.now.isoformat() == START.replace("Z", "+00:00").replace(".000", "")


def test_the_idle_speaker_s_tools_have_no_run():
    """`run` is None, and what they write is written."""
    seen = []

    def handler(arguments, request):
        seen.append(request.run)
        return ToolResult("x", {"name": "Ana"})

    _, result = speaking(calls("ask"), DONE, tools=[tool("ask", handler)], flows=[flow(on=[])], idle=Idle("Help."))
    assert (seen, result.session.data) == ([None], {"name": "Ana"})
    assert lines(result, "kind", "status", "key", "llm_calls") == [("idle", "ok", "idle:m1", 2)]


def test_a_tool_cannot_write_into_the_data_it_reads():
    """Its way to write is its result."""

    def handler(arguments, request):
        request.data["name"] = "Ana"

    _, result = speaking(calls("ask"), DONE, tools=[tool("ask", handler)])
    assert result.session.data == {}


def noting(seen, patch=None, **parts):
    """A tool that notes the data it reads, then writes."""

    def handler(arguments, request):
        seen.append(dict(request.data))
        return ToolResult("x", patch or dict(arguments))

    return tool("ask", handler, **parts)


@pytest.mark.parametrize("safe", [True, False])
def test_a_tool_reads_the_data_of_earlier_rounds(safe):
    """As it was when speak began, with the patches of earlier rounds; never those of its own round."""
    seen = []
    speaking(
        calls(("ask", {"name": "Ana"}), ("ask", {"size": 3})),
        calls(("ask", {})),
        DONE,
        tools=[noting(seen, read_only=safe)],
    )
    assert seen == [{}, {}, {"name": "Ana", "size": 3}]


def test_an_update_state_call_shows_its_values_within_the_round():
    """It alone is seen by the calls after it, and not by those before it."""
    seen = []
    model = Model(calls("ask", "remember", "ask"), DONE)
    agent = agent_from_spec(
        {
            "specVersion": 1,
            "name": "A",
            "idle": "silent",
            "fields": {"name": {"type": "string"}},
            "flows": [flow(on=[{"message": []}])],
            "tools": [
                {"id": "ask", "kind": "python", "name": "ask", "description": "d", "parameters": {"type": "object"}},
                {
                    "id": "remember",
                    "kind": "update_state",
                    "description": "d",
                    "updates": [{"variable": "name", "expression": {"type": "string_literal", "value": "Ana"}}],
                },
            ],
        },
        provider=model,
        registrations=Registrations(tools={"ask": noting(seen)}),
    )
    result = agent.turn(MESSAGE)
    assert seen == [{}, {"name": "Ana"}]
    assert result.session.data == {"name": "Ana"}
    assert json.loads(model.contents[1])["updated"] == {"name": "Ana"}


# -- what is written


def test_patches_merge_in_call_order():
    """The later call wins, whichever ended first, and a later round over an earlier one."""
    seen = []
    _, result = speaking(
        calls(("ask", {"name": "first", "size": 1}), ("ask", {"name": "second"})),
        calls(("ask", {"size": 2})),
        DONE,
        tools=[noting(seen, read_only=True)],
    )
    assert result.session.data == {"name": "second", "size": 2}


def test_tool_data_is_written_as_given_and_over_the_values():
    """No coercion, no enum, no field needed; and it counts more than what the model read out."""
    collect = flow({"kind": "collect", "collect": ["name", "size"]})
    patch = {"size": "not a number", "unheard of": [1, {"a": None}]}
    _, result = speaking(
        calls(("ask", {})),
        ModelReply(structured={"message": "Done.", "name": "Ana", "size": 7}),
        tools=[noting([], patch)],
        flows=[collect],
    )
    assert result.session.data == {"name": "Ana", **patch}
    assert [ended.reason for ended in result.ended] == ["end"]


def test_values_merge_over_rounds_and_the_last_wins():
    """A value told beside a tool call counts, unless a later round says otherwise."""
    collect = flow({"kind": "collect", "collect": ["name", "size"]})
    _, result = speaking(
        calls("one", structured={"message": "", "name": "Ana", "size": 1}),
        ModelReply(structured={"message": "Done.", "size": 2}),
        tools=ALL,
        flows=[collect],
    )
    assert result.session.data == {"name": "Ana", "size": 2}


@pytest.mark.parametrize(
    "last", [ProviderError("model", "rate"), ModelReply("  "), ModelReply(structured={"message": None})]
)
def test_a_failure_keeps_nothing_of_its_rounds(last):
    """Neither values nor tool data of a speaking that came to nothing are written; its calls count."""
    collect = flow({"kind": "collect", "collect": ["name", "size"]})
    first = calls(("ask", {}), structured={"message": "x", "name": "Ana"})
    _, result = speaking(first, last, tools=[noting([], {"size": 3})], flows=[collect])
    assert (result.session.data, texts(result), result.llm_calls) == ({}, [], 2)
    assert lines(result) == [("collect", "deferred", "provider-unavailable")]


def test_a_deferred_talk_runs_its_tools_anew():
    """The retry begins from nothing: the same call again, in its first round."""
    seen = []
    model = Model(calls(("ask", {})), ProviderError("model", "rate"), calls(("ask", {})), DONE)
    agent = build(
        provider=model, flows=[flow()], tools=[noting(seen, {"name": "Ana"})], fields={"name": {"type": "string"}},
        events={"asked": Event()},
    )  # fmt: skip
    first = agent.turn(MESSAGE)
    second = agent.turn({"sessionId": "s", "session": first.session, "wake": first.schedule[0].key})
    assert seen == [{}, {}]
    assert second.session.data == {"name": "Ana"}
    assert second.messages[0].key == "chat#m1:a:1"
