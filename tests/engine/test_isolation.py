"""Nobody shares what is theirs: sessions, configuration, and what handlers and providers keep hold of."""

from __future__ import annotations

import time

import pytest

from falai_engine import (
    RESET,
    Action,
    Chain,
    EventInput,
    Flow,
    Idle,
    InputError,
    MessageInput,
    ModelReply,
    Ok,
    ProviderError,
    Say,
    Session,
    StartInput,
    Tool,
    ToolResult,
    TurnInput,
    session_to_json,
)
from falai_engine.flows import Do
from falai_engine.templates import compile_template
from tests.engine.conversation import build

ACT = Flow(id="f", steps=[Do(id="a", do="act")])


def acting(handler, **parts):
    """An agent whose flow `f` runs the action."""
    return build(flows=[ACT], actions={"act": Action(handler)}, **parts)


def starts(agent, session_id="s", session=None):
    """Start the flow."""
    return agent.turn(TurnInput(session_id, StartInput("f", "k"), session))


def test_a_handler_that_changes_what_it_reads_does_not_change_the_given_session():
    """A replay of the turn on the same session reads the same."""
    given = Session("s", data={"list": ["A"]})
    agent = acting(lambda params, call: call.data["list"].append("x"))
    first, second = starts(agent, session=given), starts(agent, session=given)
    assert given.data == {"list": ["A"]}
    assert session_to_json(first.session) == session_to_json(second.session)


def test_what_a_chain_carries_is_every_run_s_own():
    """An action that changes its input changes no configuration: the next customer's flow starts as it was written."""
    chain = Flow(id="f", steps=[Say(id="a", say="x", then=Chain("g", {"n": ["cfg"]}))])
    seen = []

    def act(params, call):
        call.input["n"].append("E")
        seen.append(list(call.input["n"]))

    agent = build(flows=[chain, Flow(id="g", steps=[Do(id="a", do="act")])], actions={"act": Action(act)})
    for session_id in ("s1", "s2"):
        starts(agent, session_id)
    assert seen == [["cfg", "E"], ["cfg", "E"]]


def test_media_belongs_to_the_message():
    """A host that completes a message's media does not write into the flow."""
    agent = build(flows=[Flow(id="f", steps=[Say(id="a", say="x", media={"slug": "catalog"})])])
    starts(agent, "s1").messages[0].media["url"] = "there"
    assert starts(agent, "s2").messages[0].media == {"slug": "catalog"}


@pytest.mark.parametrize("value", [{1, 2}, object(), float("nan"), {1: 2}], ids=["set", "object", "nan", "key"])
def test_an_action_cannot_set_what_no_store_keeps(value):
    """It fails there and then, with a reason, instead of after the turn when the session is saved."""
    result = starts(acting(lambda params, call: call.set({"x": value})))
    assert [(line.status, line.code) for line in result.outcomes] == [("failed", "action-failed")]
    assert result.session.data == {}


def test_what_was_set_stays_as_it_was_set():
    """A list that a handler keeps and changes later does not change the session."""
    kept = ["a"]
    agent = acting(lambda params, call: call.set({"l": kept}))
    result = starts(agent)
    kept.append("b")
    assert result.session.data == {"l": ["a"]}


def test_tool_data_that_no_store_keeps_is_an_error_to_the_model():
    """The turn goes on, and nothing of it is written."""

    class Calling:
        name = "calling"

        def __init__(self):
            self.histories = []

        def generate(self, request):
            self.histories.append(request.history)
            from falai_engine import ToolCall  # noqa: PLC0415 - only here

            calls = [ToolCall("t", {})] if len(self.histories) == 1 else []
            return ModelReply("Done.", {"message": "Done."}, calls)

    provider = Calling()
    tool = Tool(id="t", handler=lambda arguments, request: ToolResult("x", {"a": {1, 2}}))
    result = build(provider=provider, tools=[tool], idle=Idle()).turn(TurnInput("s", MessageInput("hi", "m")))
    assert result.session.data == {}
    assert "error" in provider.histories[1][-1]["content"]


BAD = [
    (MessageInput("x", id=5), "`id`"),
    (MessageInput(5), "`message`"),
    (MessageInput("x", at="yesterday"), "`at`"),
    (MessageInput("x", at=5), "`at`"),
    (EventInput("e", 7), "`key`"),
    (StartInput("f", None), "`key`"),
    (StartInput("f", "k", hop=1.5), "hop"),
    ("x", "MessageInput"),
    (None, "MessageInput"),
]


@pytest.mark.parametrize(("what", "named"), BAD, ids=lambda value: None if isinstance(value, str) else repr(value))
def test_a_typed_input_of_the_wrong_type_is_refused(what, named):
    """It would be stored, and every later load of the conversation would be refused."""
    with pytest.raises(InputError, match=named):
        build(flows=[ACT], actions={"act": Action(lambda params, call: Ok())}).turn(TurnInput("s", what))


class Endless:
    """A model that never stops."""

    name = "endless"

    def generate(self, request):
        raise ProviderError("endless", "unknown")

    def stream(self, request):
        while True:
            yield "on and "


def test_a_stream_without_an_end_ends_with_the_deadline():
    """Past the deadline a model call fails as a timeout, also one that always has more to say."""
    began = time.monotonic()
    items = list(
        build(provider=Endless(), idle=Idle()).stream(TurnInput("s", MessageInput("hi", "m")), deadline=began + 0.05)
    )
    assert time.monotonic() - began < 5
    assert items[-2] is RESET
    assert [line.code for line in items[-1].outcomes] == ["provider-unavailable"]


class Blank(Endless):
    """A model whose words come to nothing."""

    def stream(self, request):
        yield "HELLO"
        yield ModelReply("")
        yield "more"


def test_words_that_come_to_nothing_are_taken_back():
    """What is on the screen at the end is the message of the result: here there is none."""
    *items, result = build(provider=Blank(), idle=Idle()).stream(TurnInput("s", MessageInput("hi", "m")))
    assert items == ["HELLO", RESET]
    assert result.messages == []


def test_a_long_run_of_spaces_is_tidied_in_its_length():
    """A customer's text cannot hold a worker: with a step for each pair of spaces this would take hours."""
    template = compile_template("Obs: {{data.a}}{{data.blank}}")
    text = "x\n" + " " * 400_000 + "y"
    assert template.render(({"a": text, "blank": ""}, None, None)) == "Obs: " + text
