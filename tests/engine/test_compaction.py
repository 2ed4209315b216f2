"""Compaction: a long history is made smaller before anything else (engine.md, section 14)."""

from __future__ import annotations

import copy

import pytest

from falai_engine import Compaction, Event, FlowConfigurationError, session_to_json
from tests.engine.conversation import Conversation, texts

CHAT = {
    "id": "chat",
    "on": [{"message": [], "repeat": "always"}],
    "steps": [{"id": "a", "kind": "prompt", "prompt": "p"}],
}
SAID = [{"message": "Fine."}]


def user(content, **more):
    return {"role": "user", "content": content, **more}


def assistant(content, **more):
    return {"role": "assistant", "content": content, **more}


def call(number):
    return assistant(None, tool_calls=[{"id": f"c{number}", "name": "look", "arguments": {}}])


def tool(content, number=0):
    return {"role": "tool", "tool_call_id": f"c{number}", "name": "look", "content": content}


class Compacted:
    """One turn of a message over a history: the summary call, if any, and the history that the speak call got."""

    def __init__(self, history, *, summaries=(), flows=(CHAT,), given=None, **option):
        self.talk = Conversation(flows=flows, compaction=Compaction(**option), events={"booked": Event()})
        self.talk.provider = self.talk.agent.provider
        self.talk.provider._summaries.extend(summaries)  # noqa: SLF001 - a summary script is for a whole conversation
        self.given = copy.deepcopy(history)
        what = given or {"message": "hi", "id": "m1"}
        self.result = self.talk.take(what, history=history, understand=[{"flows": {"*": 90}}], speak=SAID)
        self.unchanged = history == self.given
        self.summary_calls = [request for request in self.talk.provider.requests if request.schema_name is None]
        self.calls = [request for request in self.talk.provider.requests if request.schema_name is not None]

    @property
    def history(self):
        (request,) = self.calls
        return list(request.history)


# -- the option


@pytest.mark.parametrize(
    "option",
    [
        {"compaction_threshold": 0.49},
        {"compaction_threshold": 0.96},
        {"compaction_threshold": float("nan")},
        {"preserve_recent_count": 1},
        {"preserve_recent_count": 0},
    ],
    ids=str,
)
def test_an_option_out_of_range_is_refused(option):
    """The threshold is from 0.5 to 0.95, and at least two items are kept."""
    with pytest.raises(FlowConfigurationError):
        Compaction(max_tokens=100, **option)


def test_the_bounds_are_inside_the_range():
    """0.5, 0.95 and 2 may be set; unset they are 0.8, 4 and 5,000 characters, switched on."""
    for threshold in (0.5, 0.95):
        assert Compaction(max_tokens=100, compaction_threshold=threshold, preserve_recent_count=2).max_tokens == 100
    default = Compaction(max_tokens=100)
    assert (default.compaction_threshold, default.preserve_recent_count) == (0.8, 4)
    assert (default.max_tool_result_chars, default.enabled) == (5_000, True)


def test_switched_off_nothing_is_compacted():
    """`enabled: false` is as no option at all."""
    history = [user("x" * 4000), assistant("y")]
    turn = Compacted(history, max_tokens=100, enabled=False)
    assert (turn.summary_calls, turn.history) == ([], history)


# -- when


@pytest.mark.parametrize(
    ("history", "compacts"),
    [
        ([user("x" * 192)], False),  # (192 + 4) / 4 = 49
        ([user("x" * 193)], True),  # 49.25, rounded up to 50
        ([user("x" * 196)], True),  # 50
        ([user("x" * 182, name="n" * 10)], False),
        ([user("x" * 186, name="n" * 10)], True),
        ([user("x" * 94), assistant("y" * 94)], False),  # 2 * (94 + 4) = 196
        ([user("x" * 95), assistant("y" * 94)], True),
        ([user("x" * 192), assistant(None)], True),  # no content is no characters, and the 4 of a message
    ],
)
def test_it_begins_at_the_threshold(history, compacts):
    """At or over half of 100 tokens: the characters of content and name and 4 a message, by four, rounded up."""
    turn = Compacted(history, max_tokens=100, compaction_threshold=0.5, summaries=[{"message": "Short."}])
    assert len(turn.summary_calls) == compacts


def test_without_a_history_there_is_nothing_to_do():
    """No history, or an empty one, makes no call, however small the bounds."""
    for history in (None, []):
        turn = Compacted(history, max_tokens=1)
        assert turn.summary_calls == []
        assert turn.history == []


def test_the_session_s_own_history_is_compacted_too():
    """The history falls back to the session's, which stays in the session as it was."""
    talk = Conversation(flows=[CHAT], compaction=Compaction(max_tokens=100))
    talk.says("hi", id="m0", speak=SAID)
    talk.session.history = [user("x" * 4000), *[assistant(str(number)) for number in range(4)]]
    talk.provider._summaries.append({"message": "Short."})  # noqa: SLF001 - as above
    result = talk.says("hi", id="m1", speak=SAID)
    assert [item["content"] for item in talk.provider.requests[-1].history] == ["Short.", "0", "1", "2", "3"]
    assert session_to_json(result.session)["history"][0] == user("x" * 4000)


LONG = [user("x" * 4000), *[assistant(str(number)) for number in range(4)]]


@pytest.mark.parametrize(
    "given",
    [
        {"wake": "a stale one"},
        {"event": "booked", "key": "e1"},
        {"start": {"flow": "nobody", "key": "k"}},
        {"message": "hi", "id": "m1"},
    ],
    ids=["ignored wake", "event", "start", "message"],
)
def test_it_is_done_once_on_every_input(given):
    """Every kind of input compacts first, one that is ignored too; the call counts."""
    turn = Compacted(LONG, max_tokens=100, given=given, summaries=[{"message": "Short."}, {"message": "Again."}])
    assert len(turn.summary_calls) == 1
    assert turn.result.llm_calls == 1 + len(turn.calls)
    if "wake" in given:
        assert turn.result.changed is False


def test_both_calls_get_the_compacted_history():
    """Understand and speak work from the same, made once."""
    flows = [
        {**CHAT, "on": [{"message": ["x"]}]},
        {**CHAT, "id": "other", "on": [{"message": ["y"]}]},
        CHAT | {"id": "rest"},
    ]
    turn = Compacted(LONG, max_tokens=100, flows=flows, summaries=[{"message": "Short."}])
    understand, speak = turn.calls
    assert (understand.schema_name, speak.schema_name) == ("understand", "speak")
    assert list(understand.history) == list(speak.history)
    assert understand.history[0] == {"role": "system", "content": "Short."}


def test_what_was_given_is_not_touched():
    """It works on a copy, of the list and of the items."""
    history = [call(1), tool("a  b" * 500, 1), user("x" * 4000), *LONG[1:]]
    assert Compacted(history, max_tokens=100, max_tool_result_chars=10, summaries=[{"message": "Short."}]).unchanged


# -- how, step by step


def results_of(history):
    return [item["content"] for item in history if item["role"] == "tool"]


def test_first_long_tool_results_are_cut():
    """Cutting is enough here, so white space stays and no model is asked."""
    history = [call(1), tool("a  b " + "x" * 2000, 1), call(2), tool("a  b", 2), *LONG[1:]]
    turn = Compacted(history, max_tokens=200, max_tool_result_chars=8)
    cut, short = results_of(turn.history)
    assert cut.startswith("a  b xxx")
    assert not cut.startswith("a  b xxxx")
    assert len(cut) < 100
    assert short == "a  b"
    assert turn.summary_calls == []
    assert [item for item in turn.history if item["role"] != "tool"] == [
        item for item in history if item["role"] != "tool"
    ]


def test_a_result_of_just_the_length_stays_whole():
    """Only what is over `maxToolResultChars` is cut."""
    history = [call(1), tool("x" * 200, 1), call(2), tool("y" * 2000, 2), *LONG[1:]]
    whole, cut = results_of(Compacted(history, max_tokens=200, max_tool_result_chars=200).history)
    assert whole == "x" * 200
    assert cut.startswith("y" * 200)
    assert not cut.startswith("y" * 201)


def test_then_white_space_in_tool_results_is_collapsed():
    """Cutting was not enough, collapsing is; what people wrote keeps its spaces."""
    spaced = "a" + " \n\t" * 300 + "b"
    history = [user("who  are   you"), call(1), tool(spaced, 1), *LONG[1:]]
    turn = Compacted(history, max_tokens=100)
    assert results_of(turn.history) == ["a b"]
    assert turn.history[0] == user("who  are   you")
    assert turn.summary_calls == []


def test_recent_tool_results_stay_as_they_are():
    """Neither is done to the last `preserveRecentCount` items; the summary has to do it then."""
    recent = tool("a  b" + "x" * 2000, 2)
    history = [user("old"), user("new"), call(2), recent, assistant("4")]
    turn = Compacted(history, max_tokens=100, max_tool_result_chars=10, summaries=[{"message": "Short."}])
    assert results_of(turn.history) == [recent["content"]]
    assert len(turn.summary_calls) == 1


def test_last_the_older_items_are_summarised():
    """One `system` item stands in place of what is older; the recent items follow as they were."""
    history = [user("My name is Ana. " * 50), assistant("Hello Ana."), *LONG[1:]]
    turn = Compacted(history, max_tokens=100, summaries=[{"message": "Ana said hello."}])
    assert turn.history == [{"role": "system", "content": "Ana said hello."}, *LONG[1:]]


def test_the_summary_call():
    """A call without schema name, with the empty schema, no history and no tools; its prompt holds what is older."""
    history = [
        user("My name is Ana. " * 50),
        assistant("Hello Ana."),
        *[user(f"recent {number}") for number in range(4)],
    ]
    (request,) = Compacted(history, max_tokens=100, summaries=[{"message": "Short."}]).summary_calls
    assert (request.schema_name, dict(request.schema)) == (None, {})
    assert (list(request.history), list(request.tools)) == ([], [])
    assert "My name is Ana." in request.prompt
    assert "Hello Ana." in request.prompt
    assert "recent" not in request.prompt


def test_a_summary_is_asked_for_even_when_nothing_is_older():
    """Four huge recent items leave nothing to summarise: the call is made, and its item stands before them."""
    history = [user("x" * 4000), assistant("y")]
    turn = Compacted(history, max_tokens=100, summaries=[{"message": "Nothing before."}])
    assert turn.history == [{"role": "system", "content": "Nothing before."}, *history]
    assert turn.result.llm_calls == 2


def test_what_the_summary_call_used_is_counted():
    """Its tokens are part of the turn's usage."""
    turn = Compacted(LONG, max_tokens=100, summaries=[{"message": "Short.", "usage": {"promptTokens": 70}}])
    assert (turn.result.usage.prompt_tokens, turn.result.usage.completion_tokens) == (70, 0)


# -- when the summary fails


FAILURES = {
    "raises": [{"fail": {"kind": "rate"}}],
    "blank": [{"message": "  "}],
    "no text": [{"raw": ""}],
    "script ran dry": [],
}


@pytest.mark.parametrize("summaries", FAILURES.values(), ids=FAILURES)
def test_a_failed_summary_keeps_the_window_and_what_fits(summaries):
    """The call counts; the recent items stay, with as many of the newest older ones as stay under the threshold."""
    older = [user(f"{number:04}" * 9) for number in range(20)]  # 40 characters each with their 4: 10 tokens
    recent = [user(f"{number:04}" * 9) for number in range(90, 94)]
    turn = Compacted([*older, *recent], max_tokens=100, summaries=summaries)
    assert turn.history == [*older[-3:], *recent]  # 70 tokens; one more would make 80, which is the threshold
    assert turn.result.llm_calls == 2
    assert texts(turn.result) == ["Fine."]


def test_a_failed_summary_keeps_the_window_whatever_its_size():
    """The recent items are kept even when they alone are over the threshold; then nothing older is."""
    older, recent = [user("old")], [user("x" * 4000), assistant("1"), user("2"), assistant("3")]
    assert Compacted([*older, *recent], max_tokens=100).history == recent


def test_a_summary_after_the_deadline_fails_as_a_timeout():
    """It is a model call like the others: past the deadline nobody is asked, and the turn goes on."""
    talk = Conversation(
        flows=[{**CHAT, "steps": [{"id": "a", "kind": "say", "say": "Hello."}]}], compaction=Compaction(max_tokens=100)
    )
    given = {"sessionId": "s", "message": "hi", "history": LONG}
    result = talk.agent.turn(given, -1.0)
    assert (texts(result), result.llm_calls, talk.provider.requests) == (["Hello."], 1, [])


# -- the window's edge


def is_paired(history):
    """Every tool result stands after the call it answers."""
    calls = set()
    for item in history:
        calls |= {each["id"] for each in item.get("tool_calls", ())}
        if item["role"] == "tool" and item["tool_call_id"] not in calls:
            return False
    return True


TOOL_HISTORIES = {
    "a result at the edge": [user("x" * 4000), call(1), tool("r", 1), assistant("a"), user("b"), assistant("c")],
    "two results at the edge": [user("x" * 4000), call(1), tool("r", 1), tool("s", 1), user("b"), assistant("c")],
    "only results are recent": [user("x" * 4000), call(1), *[tool(str(number), 1) for number in range(6)]],
    "calls and results in turn": [
        user("x" * 4000),
        call(1),
        tool("r", 1),
        call(2),
        tool("s", 2),
        call(3),
        tool("t", 3),
    ],
    "long results": [
        call(1),
        tool("r" * 4000, 1),
        call(2),
        tool("s" * 4000, 2),
        call(3),
        tool("t" * 4000, 3),
        user("b"),
    ],
}


@pytest.mark.parametrize("history", TOOL_HISTORIES.values(), ids=TOOL_HISTORIES)
@pytest.mark.parametrize("summaries", [[{"message": "Short."}], []], ids=["summary", "failed summary"])
@pytest.mark.parametrize("keep", [2, 3, 4, 5])
def test_the_window_never_opens_on_a_result_whose_call_was_cut(history, summaries, keep):
    """Whatever is kept, no tool result in it is without its call."""
    turn = Compacted(history, max_tokens=100, preserve_recent_count=keep, summaries=summaries)
    assert is_paired(turn.history)
    assert turn.history[-1] == history[-1]
    window = [item for item in turn.history if item["role"] != "system"]
    assert window[0]["role"] != "tool"
    assert window == history[-len(window) :]


@pytest.mark.parametrize("keep", [2, 3, 4, 5])
def test_a_window_of_nothing_but_results_opens_on_their_call(keep):
    """When all that is recent answers one call, the call is kept with them, and nothing before it."""
    results = [tool(str(number), 1) for number in range(6)]
    history = [user("x" * 4000), call(1), *results]
    turn = Compacted(history, max_tokens=100, preserve_recent_count=keep, summaries=[{"message": "Short."}])
    assert turn.history == [{"role": "system", "content": "Short."}, call(1), *results]
