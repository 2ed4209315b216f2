"""Streaming: text as it comes, a reset where it was void, and last what `turn` returns (engine.md, section 2)."""

from __future__ import annotations

import asyncio
import threading

import pytest

from falai_engine import RESET, ModelReply, ProviderError, Tool, ToolCall, TurnResult, result_to_json
from tests.engine.conversation import build, lines, texts

HANGS = 5  # seconds until a test that would wait for ever fails instead

CHAT = {"id": "chat", "on": [{"message": []}], "steps": [{"id": "a", "kind": "prompt", "prompt": "Answer."}]}
PRICE = Tool(id="price", handler=lambda arguments, request: {"price": 420}, read_only=True)
MESSAGE = {"sessionId": "s", "message": "hi", "id": "m1"}
LOOK = ModelReply("Let me look.", tool_calls=[ToolCall("price", {})])


class Speaker:
    """A model whose calls, one after another, stream these items; one that is an error is raised."""

    name = "speaker"

    def __init__(self, *calls):
        self.calls = [list(call) for call in calls]
        self.understood = 0

    def _next(self, request):
        if request.schema_name == "understand":
            raise AssertionError("understand is never streamed")
        return self.calls.pop(0)

    def generate(self, request):
        if request.schema_name == "understand":
            self.understood += 1
            return ModelReply(
                structured={"flows": dict.fromkeys(request.schema["properties"]["flows"]["properties"], 90)}
            )
        replies = [item for item in self.calls.pop(0) if not isinstance(item, str) and item is not RESET]
        if isinstance(replies[-1], Exception):
            raise replies[-1]
        return replies[-1]

    async def agenerate(self, request):
        return self.generate(request)

    def stream(self, request):
        for item in self._next(request):
            if isinstance(item, Exception):
                raise item
            yield item

    async def astream(self, request):
        for item in self.stream(request):
            yield item


def streamed(agent, given, *, asynchronous):
    """All the items of a stream."""
    if not asynchronous:
        return list(agent.stream(given))

    async def collect():
        return [item async for item in agent.astream(given)]

    return asyncio.run(collect())


both = pytest.mark.parametrize("asynchronous", [False, True], ids=["stream", "astream"])


# -- text as it comes


class Held:
    """A model that writes its first words and then waits until it may go on."""

    name = "held"

    def __init__(self):
        self.may_go_on = threading.Event()
        self.finished = False

    def stream(self, request):
        yield "Hel"
        if not self.may_go_on.wait(HANGS):
            raise AssertionError("the first words were held back until the last")
        yield "lo."
        self.finished = True
        yield ModelReply("Hello.")

    async def astream(self, request):
        yield "Hel"
        await asyncio.wait_for(self.arrived.wait(), HANGS)
        yield "lo."
        self.finished = True
        yield ModelReply("Hello.")


def test_the_first_words_leave_before_the_model_has_finished():
    """A delta is handed on when it comes: here the model goes on only after its first words have arrived."""
    held = Held()
    items = build(provider=held, flows=[CHAT]).stream(MESSAGE)
    assert next(items) == "Hel"
    assert not held.finished
    held.may_go_on.set()
    *rest, result = items
    assert rest == ["lo."]
    assert texts(result) == ["Hello."]


async def test_the_first_words_leave_before_the_model_has_finished_asynchronously():
    """As above, on an event loop."""
    held = Held()
    held.arrived = asyncio.Event()
    items = build(provider=held, flows=[CHAT]).astream(MESSAGE)
    assert await anext(items) == "Hel"
    assert not held.finished
    held.arrived.set()
    *rest, result = [item async for item in items]
    assert rest == ["lo."]
    assert texts(result) == ["Hello."]


async def test_two_streams_of_one_loop_come_side_by_side():
    """While one model is slow, another conversation on the same loop is told to its end."""
    slow, quick = Held(), Speaker(["Hi.", ModelReply("Hi.")])
    slow.arrived = asyncio.Event()
    waiting = build(provider=slow, flows=[CHAT]).astream(MESSAGE)
    assert await anext(waiting) == "Hel"
    other = [item async for item in build(provider=quick, flows=[CHAT]).astream(MESSAGE)]
    assert texts(other[-1]) == ["Hi."]
    slow.arrived.set()
    assert texts([item async for item in waiting][-1]) == ["Hello."]


# -- resets


@both
def test_a_reset_stands_before_each_further_round(asynchronous):
    """Text of a round that went on to call a tool is void: every round after it begins with a reset."""
    rounds = [["Let me ", "look.", LOOK], ["Once more.", LOOK], ["It is 420.", ModelReply("It is 420.")]]
    agent = build(provider=Speaker(*rounds), flows=[CHAT], tools=[PRICE])
    *items, result = streamed(agent, MESSAGE, asynchronous=asynchronous)
    assert items == ["Let me ", "look.", RESET, "Once more.", RESET, "It is 420."]
    assert texts(result) == ["It is 420."]


@both
def test_a_reset_stands_after_a_failed_attempt_that_had_shown_text(asynchronous):
    """When the model breaks off, its words are taken back, and no message goes out."""
    agent = build(provider=Speaker(["Hel", ProviderError("speaker", "network")]), flows=[CHAT])
    *items, result = streamed(agent, MESSAGE, asynchronous=asynchronous)
    assert items == ["Hel", RESET]
    assert texts(result) == []
    assert lines(result) == [("prompt", "deferred", "provider-unavailable")]


@both
def test_a_failed_attempt_that_showed_nothing_shows_nothing(asynchronous):
    """Without words to take back there is only the result."""
    agent = build(provider=Speaker([ProviderError("speaker", "network")]), flows=[CHAT])
    (result,) = streamed(agent, MESSAGE, asynchronous=asynchronous)
    assert lines(result) == [("prompt", "deferred", "provider-unavailable")]


@both
def test_a_round_that_fails_after_a_tool_takes_its_words_back(asynchronous):
    """A failure in a later round leaves no words on the screen either."""
    rounds = [["Let me look.", LOOK], ["It is", ProviderError("speaker", "timeout")]]
    agent = build(provider=Speaker(*rounds), flows=[CHAT], tools=[PRICE])
    *items, result = streamed(agent, MESSAGE, asynchronous=asynchronous)
    assert items == ["Let me look.", RESET, "It is", RESET]
    assert texts(result) == []


@both
def test_a_reset_of_the_provider_is_handed_on(asynchronous):
    """A provider that tries again on its own says so, and its reset goes through."""
    agent = build(provider=Speaker(["Hel", RESET, "Hello.", ModelReply("Hello.")]), flows=[CHAT])
    *items, result = streamed(agent, MESSAGE, asynchronous=asynchronous)
    assert items == ["Hel", RESET, "Hello."]
    assert texts(result) == ["Hello."]


@both
def test_words_before_a_blank_message_are_taken_back_or_were_none(asynchronous):
    """What is on the screen at the end is the message of the result: here there is none, whatever was shown before."""
    agent = build(provider=Speaker(["   ", ModelReply("   ")]), flows=[CHAT])
    *items, result = streamed(agent, MESSAGE, asynchronous=asynchronous)
    shown = ""
    for item in items:
        shown = "" if item is RESET else shown + item
    assert shown.strip() == ""
    assert texts(result) == []


# -- the result


@both
def test_the_last_item_is_what_turn_returns(asynchronous):
    """One result, last, equal to the one of `turn` for the same input."""
    rounds = [["Let me look.", LOOK], ["It is 420.", ModelReply("It is 420.", structured={"message": "It is 420."})]]
    *items, result = streamed(
        build(provider=Speaker(*rounds), flows=[CHAT], tools=[PRICE]), MESSAGE, asynchronous=asynchronous
    )
    turned = build(provider=Speaker(*rounds), flows=[CHAT], tools=[PRICE]).turn(MESSAGE)
    assert result_to_json(result) == result_to_json(turned)
    assert not any(isinstance(item, TurnResult) for item in items)


@both
def test_only_speaking_is_streamed(asynchronous):
    """The understand call is asked for whole, and a text that code sends comes in the result alone."""
    flow = {**CHAT, "on": [{"message": ["wants this"]}], "steps": [{"id": "a", "kind": "say", "say": "Word for word."}]}
    other = {**CHAT, "id": "other", "on": [{"message": ["wants that"]}]}
    speaker = Speaker()
    (result,) = streamed(build(provider=speaker, flows=[flow, other]), MESSAGE, asynchronous=asynchronous)
    assert texts(result) == ["Word for word."]
    assert speaker.understood == 1


@both
def test_a_failed_understanding_leaves_the_stream_as_an_error(asynchronous):
    """The understand call's failure raises out of a stream as it does out of a turn."""

    class Deaf(Speaker):
        def generate(self, request):
            raise ProviderError("deaf", "rate")

    other = {**CHAT, "id": "other", "on": [{"message": ["wants that"]}]}
    agent = build(provider=Deaf(), flows=[{**CHAT, "on": [{"message": ["wants this"]}]}, other])
    with pytest.raises(ProviderError) as raised:
        streamed(agent, MESSAGE, asynchronous=asynchronous)
    assert raised.value.kind == "rate"


@both
def test_a_stream_that_ends_without_a_reply_is_a_failure(asynchronous):
    """Words without the ModelReply that should end them are no message."""
    agent = build(provider=Speaker(["Hello."]), flows=[CHAT])
    *items, result = streamed(agent, MESSAGE, asynchronous=asynchronous)
    assert items == ["Hello.", RESET]
    assert texts(result) == []


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_reset_stands_before_a_round_that_follows_a_silent_one(asynchronous):
    """A reader may rely on it: each further round begins with a reset, whether or not the one before showed words."""
    rounds = [[LOOK], ["It is 420.", ModelReply("It is 420.")]]
    agent = build(provider=Speaker(*rounds), flows=[CHAT], tools=[PRICE])
    *items, _ = streamed(agent, MESSAGE, asynchronous=asynchronous)
    assert items == [RESET, "It is 420."]
