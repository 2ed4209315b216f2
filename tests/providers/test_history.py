"""The history as vendors take it: roles, pairs of calls and results, ids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falai_engine.providers.history import (
    GO_ON,
    AssistantTurn,
    Call,
    Result,
    ResultsTurn,
    SystemTurn,
    UserTurn,
    turns_of,
)
from tests.providers.requests import HISTORY, tool_round

PROMPT = UserTurn("the prompt")
CALL = {"id": "a", "name": "ping", "arguments": {"x": 1}}


def turns(*history):
    *found, last = turns_of(history, PROMPT.text)
    assert last == PROMPT
    return found


def test_a_whole_history():
    """Every role in its place; ids that the engine counts anew in each turn become unique."""
    assert turns(*HISTORY) == [
        AssistantTurn("Olá! Sou a Ana."),
        UserTurn("Tem cadeira?"),
        AssistantTurn("", (Call("call_1", "check_stock", {"item": "cadeira"}), Call("call_2", "ping", {}))),
        ResultsTurn((Result("call_1", "check_stock", '{"left":3}'), Result("call_2", "ping", '{"error":"busy"}'))),
        AssistantTurn("Temos três."),
        SystemTurn("Summary: the customer wants chairs."),
        UserTurn("E mesa? \N{SLICE OF PIZZA}"),
        AssistantTurn("Vou ver.", (Call("call_3", "check_stock", {"item": "mesa"}),)),
        ResultsTurn((Result("call_3", "check_stock", "none"),)),
    ]


def test_a_call_without_its_result_is_left_out():
    """What the model said beside it stays; with nothing left, the item goes."""
    user = {"role": "user", "content": "hi"}
    assert turns(user, {"role": "assistant", "content": None, "tool_calls": [CALL]}) == [UserTurn("hi")]
    assert turns(user, {"role": "assistant", "content": "Wait", "tool_calls": [CALL]}, user) == [
        UserTurn("hi"),
        AssistantTurn("Wait"),
        UserTurn("hi"),
    ]


def test_of_two_calls_the_one_with_a_result_is_kept():
    """And the reasoning of a round that is not whole is not told."""
    other = CALL | {"id": "b", "name": "pong"}
    said = {"role": "assistant", "content": "", "tool_calls": [CALL, other], "reasoning": {"any": "thing"}}
    answer = {"role": "tool", "tool_call_id": "b", "name": "pong", "content": "ok"}
    assert turns({"role": "user", "content": "hi"}, said, answer) == [
        UserTurn("hi"),
        AssistantTurn("", (Call("call_1", "pong", {"x": 1}),)),
        ResultsTurn((Result("call_1", "pong", "ok"),)),
    ]


def test_a_result_without_its_call_is_left_out():
    """Wherever it stands: first (compaction took its call), behind another item, or twice."""
    stray = {"role": "tool", "tool_call_id": "a", "name": "ping", "content": "late"}
    user = {"role": "user", "content": "hi"}
    assert turns(stray, user, stray) == [UserTurn("hi")]
    said, answer = tool_round([("ping", {})], ["ok"])
    assert turns(user, said, answer, answer, user) == [
        UserTurn("hi"),
        AssistantTurn("", (Call("call_1", "ping", {}),)),
        ResultsTurn((Result("call_1", "ping", "ok"),)),
        UserTurn("hi"),
    ]


def test_results_come_in_the_order_of_the_calls():
    """Whichever was ready first."""
    said, one, two = tool_round([("a", {}), ("b", {})], ["1", "2"])
    assert turns({"role": "user", "content": "hi"}, said, two, one)[-1] == ResultsTurn(
        (Result("call_1", "a", "1"), Result("call_2", "b", "2"))
    )


def test_a_call_is_preceded_by_a_user_turn():
    """Also at the beginning, and where the assistant spoke last."""
    round_ = tool_round([("ping", {})], ["ok"])
    calling = [AssistantTurn("", (Call("call_1", "ping", {}),)), ResultsTurn((Result("call_1", "ping", "ok"),))]
    assert turns(*round_) == [UserTurn(GO_ON), *calling]
    assert turns({"role": "assistant", "content": "Hi"}, *round_) == [AssistantTurn("Hi"), UserTurn(GO_ON), *calling]
    assert turns({"role": "user", "content": "x"}, {"role": "system", "content": "s"}, *round_) == [
        UserTurn("x"),
        SystemTurn("s"),
        *calling,
    ]


def test_rounds_may_follow_each_other():
    """The results of one are what the next answers."""
    round_ = tool_round([("ping", {})], ["ok"])
    kinds = [type(turn) for turn in turns({"role": "user", "content": "x"}, *round_, *round_)]
    assert kinds == [UserTurn, AssistantTurn, ResultsTurn, AssistantTurn, ResultsTurn]


@pytest.mark.parametrize("content", [None, "", "  \n"])
@pytest.mark.parametrize("role", ["user", "assistant", "system", "developer"])
def test_empty_items_are_left_out(role, content):
    """No vendor takes an empty text, and no role that we do not know."""
    assert turns({"role": role, "content": content}) == []


def test_content_that_is_no_text_is_told_as_json():
    """A host may keep what it likes in its history."""
    assert turns({"role": "user", "content": [{"é": 1}]}) == [UserTurn('[{"é": 1}]')]


def test_an_empty_prompt_is_not_sent():
    """A vendor would refuse it."""
    assert turns_of([], " ") == [UserTurn(GO_ON)]


items = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system", "x", None])},
    optional={
        "content": st.sampled_from(["text", "", None, 7, ["x"]]),
        "tool_calls": st.one_of(
            st.none(),
            st.text(max_size=2),
            st.lists(
                st.one_of(
                    st.none(),
                    st.fixed_dictionaries(
                        {},
                        optional={
                            "id": st.sampled_from(["a", "b", None, 1]),
                            "name": st.sampled_from(["f", "", None]),
                            "arguments": st.sampled_from([{}, "{", None]),
                        },
                    ),
                ),
                max_size=3,
            ),
        ),
        "tool_call_id": st.sampled_from(["a", "b", None, 1]),
        "name": st.sampled_from(["f", "g", None]),
        "reasoning": st.sampled_from([None, 1, {}]),
    },
)


@given(st.lists(items, max_size=8))
def test_whatever_the_history_calls_and_results_are_paired(history):
    """Junk too: results stand behind their calls, calls behind a user turn or results, ids are unique."""
    found = turns_of(history, "p")
    ids = [call.id for turn in found if isinstance(turn, AssistantTurn) for call in turn.calls]
    assert len(ids) == len(set(ids))
    for place, turn in enumerate(found):
        if isinstance(turn, AssistantTurn) and turn.calls:
            assert [result.id for result in found[place + 1].results] == [call.id for call in turn.calls]
            before = [each for each in found[:place] if not isinstance(each, SystemTurn)]
            assert isinstance(before[-1], UserTurn | ResultsTurn)
        if isinstance(turn, ResultsTurn):
            assert found[place - 1].calls
