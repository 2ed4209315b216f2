"""`hand_off` and `notify` are there for every agent, and have an effect only when their turn is committed."""

from __future__ import annotations

import pytest

from falai_django.built_in_actions import (
    BUILT_IN_ACTIONS,
    HandOff,
    Notice,
    collected_effects,
    with_built_in_actions,
)
from falai_engine import Registrations, StartInput, TurnInput, agent_from_spec, validate_agent_all
from falai_engine.providers.offline import OfflineProvider


def document(*steps, **more):
    flow = {"id": "f", "name": "F", "steps": [{"id": f"s{n}", **step} for n, step in enumerate(steps)]}
    return {"flows": [flow], "idle": "silent", **more}


def do(action, **given):
    return {"kind": "do", "do": action, "with": given}


def turn(spec, **brought):
    actions = {action.name: action for action in BUILT_IN_ACTIONS.values()}
    registrations = Registrations(actions={**actions, **brought})
    agent = agent_from_spec(with_built_in_actions(spec), provider=OfflineProvider(), registrations=registrations)
    return agent.turn(TurnInput("s1", StartInput("f", "k1")))


def lines(result):
    return [(each.status, each.detail) for each in result.outcomes if each.kind == "do"]


def test_what_they_ask_for_is_collected_in_order_with_the_key_of_its_outcome():
    with collected_effects() as effects:
        result = turn(
            document(do("notify", to="sales", text="A lead"), do("hand_off", reason="Angry", **{"for": "2h"}))
        )
    keys = [each.key for each in result.outcomes if each.kind == "do"]
    assert effects == [Notice(keys[0], "sales", "A lead"), HandOff(keys[1], "Angry", 7_200_000)]
    assert lines(result) == [("ok", "sales"), ("ok", "2h: Angry")]


def test_silence_lasts_twelve_hours_when_the_step_does_not_say():
    with collected_effects() as effects:
        turn(document(do("hand_off", reason="Angry")))
    assert [each.silence_ms for each in effects] == [12 * 3_600_000]


def test_a_duration_that_is_none_fails_and_asks_for_nothing():
    with collected_effects() as effects:
        result = turn(document(do("hand_off", reason="Angry", **{"for": "soon"})))
    assert effects == []
    assert lines(result) == [("failed", "'soon' is not a duration")]


def test_nobody_is_left_waiting_where_nothing_is_collected():
    """Whoever runs a turn without committing it gets a failure, not a hand-off that nobody sees."""
    assert lines(turn(document(do("hand_off", reason="Angry")))) == [("failed", "nobody who runs this turn can do it")]


def test_turns_do_not_see_each_others_effects():
    with collected_effects() as first:
        turn(document(do("notify", to="a", text="b")))
        with collected_effects() as second:
            turn(document(do("notify", to="c", text="d")))
        turn(document(do("notify", to="e", text="f")))
    assert ([each.to for each in first], [each.to for each in second]) == (["a", "e"], ["c"])


def test_they_are_declared_beside_the_agents_own_which_come_first():
    own = {"notify": {"kind": "python", "name": "mine", "parameters": {}}}
    assert with_built_in_actions({"actions": own})["actions"]["notify"] == own["notify"]
    assert list(with_built_in_actions({"actions": own})["actions"]) == ["notify", "hand_off"]
    assert list(with_built_in_actions({})["actions"]) == ["hand_off", "notify"]
    with collected_effects() as effects:
        result = turn(document(do("notify"), actions=own), mine=lambda params, call: {"ok": True, "detail": "mine"})
    assert (effects, lines(result)) == ([], [("ok", "mine")])


@pytest.mark.parametrize("actions", [[], "x", 1])
def test_a_broken_list_of_actions_stays_for_the_validation_to_tell(actions):
    assert with_built_in_actions({"actions": actions}) == {"actions": actions}


def test_their_parameters_are_checked_like_any_others():
    found = validate_agent_all(with_built_in_actions(document(do("notify", to="x", txt="y"))))
    assert {problem.path for problem in found} == {"flows[0].steps[0].with.text", "flows[0].steps[0].with.txt"}
