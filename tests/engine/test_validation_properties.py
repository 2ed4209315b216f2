"""What holds of validation whatever it is given, searched by hypothesis."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falai_engine.errors import FlowConfigurationError
from falai_engine.validation import validate_agent, validate_agent_all, validate_flow, validate_flow_all
from tests.engine.agent_error_cases import agent
from tests.engine.flow_error_cases import NAMES, REGISTRIES, errors, flow

# Words of the format, so that the junk gets past the first question.
WORDS = """
id steps on kind say do with wait if then step flow branches collect equals known message event repeat
fields flows tools type enum parameters conditions idle
"""
KEYS = st.sampled_from(WORDS.split())
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | KEYS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=4),
    max_leaves=25,
)


@given(junk=JUNK)
def test_no_json_value_makes_validation_raise(junk):
    """Any JSON at all gets problems, or none; the strict form raises nothing but our error."""
    for found in (validate_flow_all(junk, REGISTRIES), validate_agent_all(junk)):
        assert all(problem.message for problem in found)
    try:
        validate_flow(junk, REGISTRIES)
        validate_agent(junk)
    except FlowConfigurationError:
        pass


def places(value, path=()):
    """The path of every part of a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, key))


SOUND = agent(
    conditions={**NAMES["conditions"], "rich": {"kind": "compare", "path": "data.budget", "op": "gt"}},
    instructions=[{"prompt": "x", "when": ["a"], "if": {"vip": True}}],
    idle={"prompt": "help", "tools": ["search"]},
    compaction={"maxTokens": 100},
    flows=[
        flow(
            {
                "id": "a",
                "collect": ["name"],
                "ask": {"name": "x"},
                "branches": [{"if": {"known": ["name"]}, "then": "b"}],
            },
            {
                "id": "b",
                "do": "notify",
                "with": {"to": "{{data.name}}", "tags": ["a"]},
                "onFail": {"step": "a", "clear": ["name"]},
            },
            {"id": "c", "wait": {"event": "paid", "upTo": "1d"}, "else": {"flow": "faq", "input": {"x": 1}}},
            {"id": "d", "if": {"equals": {"stage": "new"}, "rich": 10}, "else": "end"},
            on=[
                {"mention": ["x"], "extract": {"q": {"type": "string"}}},
                {"silence": "1h", "repeat": {"cooldown": "1d"}},
            ],
        ),
        {"id": "faq", "steps": [{"id": "a", "prompt": "x"}]},
    ],
)
PLACES = [path for path in places(SOUND) if path]


def test_the_agent_to_be_broken_is_sound():
    """The property below starts from an agent without a problem."""
    assert validate_agent(SOUND) == []


@given(path=st.sampled_from(PLACES), junk=JUNK)
def test_junk_in_any_place_of_a_sound_agent_raises_nothing(path, junk):
    """One part replaced by anything: still problems, or none, and never an exception; strict use agrees."""
    document = copy.deepcopy(SOUND)
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = junk
    found = errors(validate_agent_all(document))
    if found:
        with pytest.raises(FlowConfigurationError) as caught:
            validate_agent(document)
        assert str(caught.value) == found[0].message
    else:
        validate_agent(document)
