"""Conditions of kind `compare` (flow-spec.md, `condition`)."""

from datetime import UTC, datetime

import pytest

from falai_engine import ConditionScope, MessageInput, TurnInput, agent_from_spec
from falai_engine.compiled.compare import COMPARISONS, compare_condition
from falai_engine.testing import ScriptedProvider

SCOPE = ConditionScope(
    context={"lead": {"stage": "won", "score": 7, "tags": ["vip"], "none": None}},
    data={"name": "Ana", "seats": 30, "paid": True},
    input={"from": "ad"},
    run=None,
    silenced=None,
    now=datetime(2026, 9, 21, tzinfo=UTC),
)

CASES = [
    ("eq", "data.name", "Ana", True),
    ("eq", "data.seats", 30.0, True),
    ("eq", "data.paid", 1, False),
    ("eq", "data.ghost", None, True),
    ("eq", "context.lead.none", None, True),
    ("ne", "input.from", "ad", False),
    ("ne", "input.ghost", "ad", True),
    ("gt", "context.lead.score", 6, True),
    ("gt", "context.lead.score", "6", False),
    ("gte", "data.seats", 30, True),
    ("lt", "data.ghost", 5, False),
    ("lte", "data.seats", 29, False),
    ("in", "context.lead.stage", ["won", "lost"], True),
    ("in", "context.lead.stage", "won", False),
    ("in", "data.seats", [True, "30"], False),
    ("contains", "context.lead.tags", "vip", True),
    ("contains", "data.name", "n", True),
    ("contains", "data.seats", 3, False),
    ("known", "data.name", True, True),
    ("known", "data.ghost", False, True),
    ("known", "context.lead.none", True, False),
    ("eq", "data.name.__class__", None, True),
]


@pytest.mark.parametrize(("op", "path", "argument", "holds"), CASES, ids=str)
def test_compare_judges_a_path_against_its_argument(op, path, argument, holds):
    """Each operator compares as JSON does, a missing path is null, and only own keys are ever looked up."""
    assert compare_condition(path, op).handler(argument, SCOPE) is holds


def test_every_operator_has_a_case():
    """The table of operators is complete in this file."""
    assert {case[0] for case in CASES} == set(COMPARISONS)


def test_a_document_may_name_a_comparison():
    """A condition of kind `compare` works in a flow without a line of Python."""
    document = {
        "fields": {"seats": {"type": "integer"}},
        "conditions": {"many": {"kind": "compare", "path": "data.seats", "op": "gte", "argument": {"type": "scalar"}}},
        "flows": [
            {
                "id": "f",
                "on": [{"message": []}],
                "collect": ["seats"],
                "steps": [
                    {"id": "big", "if": {"many": 50}, "then": "yes", "else": "no"},
                    {"id": "yes", "say": "Many.", "then": "end"},
                    {"id": "no", "say": "Few."},
                ],
            }
        ],
        "idle": "silent",
    }
    agent = agent_from_spec(document, provider=ScriptedProvider(understand=[{"fields": {"seats": "60"}}]))
    result = agent.turn(TurnInput("s1", MessageInput("we are 60", "m1")))
    assert [message.text for message in result.messages] == ["Many."]
