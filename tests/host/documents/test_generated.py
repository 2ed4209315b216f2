"""Whatever a document holds that rows can take comes back, and whatever they cannot is told: nothing in between."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from falai_django.authoring.incoming import incoming
from falai_django.documents import document_bytes, rows_of
from falai_django.errors import DocumentError
from falai_django.models import Agent, Step, Tenant, Trigger
from falai_engine.spec import without_nulls
from falai_engine.validation import validate_agent_all

TEXT = st.text(st.characters(), max_size=12) | st.sampled_from(["", "x" * 300, "{{data.a}}", "\x00", "\ud800"])
JSON = st.recursive(
    st.booleans() | st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
SLUGS = st.from_regex(r"[a-z0-9_-]{1,8}", fullmatch=True)
ODD = st.dictionaries(
    st.sampled_from(["label", "ui", "note", "then", "if", "type", "ask", "name", "enum"]), JSON, max_size=4
)


def joined(*parts):
    return st.tuples(*parts).map(lambda found: {key: value for part in found for key, value in part.items()})


TRIGGERS = st.lists(
    joined(ODD, st.sampled_from(Trigger.Kind.values).flatmap(lambda kind: st.builds(dict, **{kind: JSON}))),
    min_size=1,
    max_size=3,
)
STEPS = st.lists(
    joined(
        ODD,
        st.fixed_dictionaries(
            {"kind": st.sampled_from(Step.Kind.values), "id": st.text("ab:# é", min_size=1, max_size=4)}
        ),
        ODD,
    ),
    max_size=4,
    unique_by=lambda step: step["id"],
)
FLOWS = st.lists(
    joined(
        ODD, st.fixed_dictionaries({"id": SLUGS, "steps": STEPS}), st.just({}) | st.fixed_dictionaries({"on": TRIGGERS})
    ),
    max_size=3,
    unique_by=lambda flow: flow["id"],
)
HEADS = st.dictionaries(
    st.sampled_from(["name", "goal", "persona", "knowledgeBase", "idle", "compaction", "maxToolLoops", "more"]),
    JSON,
    max_size=5,
)
KINDS = st.sampled_from(["python", "http", "update_state"])
CALLS = joined(ODD, st.fixed_dictionaries({"kind": KINDS}))
CONDITIONS = joined(ODD, st.fixed_dictionaries({"kind": st.sampled_from(["python", "compare"])}))
DOCUMENTS = joined(
    HEADS,
    st.fixed_dictionaries(
        {
            "fields": st.dictionaries(SLUGS, ODD, max_size=3),
            "flows": FLOWS,
            "actions": st.dictionaries(SLUGS, CALLS, max_size=2),
            "events": st.dictionaries(SLUGS, ODD, max_size=2),
            "conditions": st.dictionaries(SLUGS, CONDITIONS, max_size=2),
            "tools": st.lists(
                joined(CALLS, st.fixed_dictionaries({"id": SLUGS})), max_size=2, unique_by=lambda each: each["id"]
            ),
        }
    ),
)


def tenant():
    return Tenant(slug="t", name="t", locale="pt-br", time_zone="America/Sao_Paulo")


def through_rows(document):
    """The document that its rows are; nothing is stored."""
    return incoming(Agent(tenant=tenant(), slug="a"), rows_of(document)).draft(enabled_only=False).document


@given(DOCUMENTS)
def test_a_document_comes_back_whole(document):
    """Every key and value, wherever it lies, in its order where order counts."""
    expected = {**document, "specVersion": 1, "locale": "pt-BR", "timezone": "America/Sao_Paulo"}
    back = through_rows(document)
    assert back == expected
    assert [
        list(step["ui"]) for flow in back["flows"] for step in flow["steps"] if isinstance(step.get("ui"), dict)
    ] == [list(step["ui"]) for flow in document["flows"] for step in flow["steps"] if isinstance(step.get("ui"), dict)]
    assert list(back["fields"]) == list(document["fields"])
    assert json.dumps(through_rows(back)) == json.dumps(back)


@given(DOCUMENTS)
def test_an_export_is_read_as_it_was_written(document):
    """Halves of pairs, NUL and all."""
    assert json.loads(document_bytes(document)) == document


WITH_NULLS = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXT | st.sampled_from(["id", "kind", "say", "steps", "on", "message"]), inner, max_size=4)
    ),
    max_leaves=12,
)
ANY = st.dictionaries(
    st.sampled_from(
        [
            "specVersion",
            "host",
            "fields",
            "flows",
            "actions",
            "events",
            "conditions",
            "tools",
            "variables",
            "instructions",
        ]
    ),
    WITH_NULLS,
    max_size=6,
)


@given(ANY | WITH_NULLS)
def test_any_json_is_read_or_refused(value):
    """Never another exception; what is read can be validated, and is the same when it is read again."""
    try:
        back = through_rows(value)
    except DocumentError:
        return
    validate_agent_all(back)
    assert through_rows(back) == back


@given(DOCUMENTS)
def test_what_is_written_holds_no_null(document):
    """A key is there or it is not."""
    back = through_rows(document)
    assert back == without_nulls(back)
