"""The schema for a model that writes flows: valid, closed, and what satisfies it is a valid flow."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

from falai_engine.flow_schema import flow_spec_schema
from falai_engine.spec import flow_from_spec, flow_to_spec
from falai_engine.validation import Registries, Severity, validate_flow_all

REGISTRIES = Registries.from_spec(
    {
        "fields": {
            "name": {"type": "string"},
            "people": {"type": "integer"},
            "consent": {"type": "boolean"},
            "stage": {"type": "string", "enum": ["new", "warm"]},
        },
        "variables": {"retries": {"type": "integer"}},
        "actions": {
            "notify": {
                "description": "tells the team",
                "parameters": {
                    "to": {"type": "string", "description": "a team"},
                    "count": {"type": "integer", "optional": True},
                    "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "optional": True},
                    "level": {"type": "string", "enum": ["low", "high"], "optional": True},
                },
            },
            "tidy": {"parameters": {}},
        },
        "events": {"paid": {}, "lost": {}},
        "conditions": {
            "vip": {"argument": {"type": "boolean"}},
            "tagged": {"argument": {"type": "array", "items": {"type": "string"}}},
            "matches": {"argument": {"type": "map"}},
            "late": {},
        },
        "tools": ["search"],
        "flows": ["faq"],
    }
)
SCHEMA = flow_spec_schema(REGISTRIES)
EMPTY = flow_spec_schema(Registries(flows=()))


def objects(schema):
    """Every schema of an object inside a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


def words(schema):
    """Every property that the schema knows anywhere."""
    return {name for one in objects(schema) for name in one["properties"]}


def step_kinds(schema):
    return [one["properties"]["kind"]["enum"][0] for one in schema["properties"]["steps"]["items"]["anyOf"]]


def accepts(schema, document):
    return Draft202012Validator(schema).is_valid(document)


@pytest.mark.parametrize("schema", [SCHEMA, EMPTY, flow_spec_schema(Registries())])
def test_it_is_a_json_schema(schema):
    """An implementation that is not ours takes it, and it survives JSON."""
    Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize("schema", [SCHEMA, EMPTY])
def test_every_object_is_closed_and_every_property_required(schema):
    """What strict structured output asks of a schema."""
    for one in objects(schema):
        assert one["additionalProperties"] is False
        assert one["required"] == list(one["properties"])


def test_what_is_optional_may_be_null():
    """A model leaves a word out by writing null; what a step cannot do without, it cannot leave out."""
    nullable = {
        name
        for one in objects(SCHEMA)
        for name, part in one["properties"].items()
        if accepts({**part, "$defs": SCHEMA["$defs"]}, None)
    }
    assert nullable >= {
        "description",
        "on",
        "anchor",
        "while",
        "onEnd",
        "label",
        "then",
        "else",
        "clear",
        "upTo",
        "count",
    }
    steps = SCHEMA["properties"]["steps"]["items"]["anyOf"]
    assert [
        one for one in steps if accepts(one["properties"]["id"], None) or accepts(one["properties"]["kind"], None)
    ] == []
    assert nullable & {"say", "wait", "do", "steps", "to", "event", "name"} == set()


def test_there_is_one_variant_for_each_kind_of_step_and_each_action():
    """Steps are told apart by kind, actions by name."""
    assert step_kinds(SCHEMA) == ["prompt", "collect", "say", "do", "do", "wait", "waitEvent", "if"]
    variants = SCHEMA["properties"]["steps"]["items"]["anyOf"]
    notify, tidy = [one for one in variants if "do" in one["properties"]]
    assert (notify["properties"]["do"]["enum"], notify["description"]) == (["notify"], "tells the team")
    assert list(notify["properties"]["with"]["properties"]) == ["to", "count", "tags", "level"]
    assert tidy["properties"]["with"]["properties"] == {}


def test_names_are_enums():
    """A model cannot misspell a field, an event, a flow or a condition."""
    variants = {
        one["properties"]["kind"]["enum"][0]: one["properties"]
        for one in SCHEMA["properties"]["steps"]["items"]["anyOf"]
    }
    assert variants["collect"]["collect"]["items"]["enum"] == ["name", "people", "consent", "stage"]
    assert variants["waitEvent"]["wait"]["properties"]["event"]["enum"] == ["paid", "lost"]
    assert SCHEMA["properties"]["clearOnStart"]["items"]["enum"] == ["retries", "name", "people", "consent", "stage"]
    assert SCHEMA["$defs"]["next"]["anyOf"][2]["properties"]["flow"]["enum"] == ["faq"]
    assert {"vip", "tagged", "late"} < set(SCHEMA["$defs"]["condition"]["properties"])


def test_what_no_model_should_write_is_left_out():
    """No ui, tools, step-level ask or instructions, mention extract, chain input, and no open-ended argument."""
    assert words(SCHEMA) & {"ui", "tools", "ask", "extract", "input", "matches"} == set()
    assert "instructions" in SCHEMA["properties"]
    for one in SCHEMA["properties"]["steps"]["items"]["anyOf"]:
        assert "instructions" not in one["properties"]


def test_variants_of_an_empty_registry_are_left_out():
    """Where there is nothing to name there is nothing to choose, and no empty enum."""
    assert step_kinds(EMPTY) == ["prompt", "say", "wait", "if"]
    assert len(EMPTY["$defs"]["next"]["anyOf"]) == 2
    assert words(EMPTY) & {"collect", "clear", "clearOnStart", "equals", "known", "event", "flow", "do"} == set()
    assert "[]" not in json.dumps([one.get("enum", 0) for one in objects(EMPTY)])


def test_a_chain_may_name_any_flow_when_the_flows_are_not_known():
    """`flows` None means unknown, not none."""
    assert flow_spec_schema(Registries())["$defs"]["next"]["anyOf"][2]["properties"]["flow"] == {"type": "string"}


NOTHING = {"label": None, "then": None}
CONDITION = {
    "equals": {"stage": "new"},
    "known": ["name"],
    "silenced": False,
    "vip": True,
    "tagged": ["a"],
    "late": "x",
}
NO_CONDITION = dict.fromkeys(CONDITION)
WRITTEN = {
    "id": "booking",
    "name": "Booking",
    "description": None,
    "on": [
        {"message": ["book a table", "!cancel"], "repeat": "always", "if": None},
        {"mention": ["birthday"], "repeat": None, "if": {**NO_CONDITION, "known": ["name"]}},
        {"silence": "24h", "businessHours": True, "repeat": {"cooldown": "3d"}, "if": None},
        {"event": "lost", "after": None, "businessHours": None, "repeat": None, "if": None},
    ],
    "anchor": None,
    "while": CONDITION,
    "collect": ["name"],
    "clearOnStart": ["retries"],
    "steps": [
        {
            "id": "ask",
            "kind": "collect",
            "collect": ["name", "people"],
            "prompt": "be warm",
            "question": None,
            "maxAsks": 2,
            "branches": [
                {"when": "wants to cancel", "then": "end"},
                {"if": {**NO_CONDITION, "equals": {"consent": False}}, "then": {"flow": "faq"}},
            ],
            **NOTHING,
        },
        {"id": "talk", "kind": "prompt", "prompt": "confirm", "maxAsks": None, "branches": None, **NOTHING},
        {
            "id": "tell",
            "kind": "do",
            "do": "notify",
            "with": {"to": "{{data.name}}", "count": None, "tags": ["a"], "level": "low"},
            "onFail": "sorry",
            **NOTHING,
        },
        {"id": "clean", "kind": "do", "do": "tidy", "with": {}, "onFail": None, **NOTHING},
        {
            "id": "rest",
            "kind": "wait",
            "wait": "1h",
            "businessHours": None,
            "else": "sorry",
            "branches": None,
            **NOTHING,
        },
        {"id": "pay", "kind": "waitEvent", "wait": {"event": "paid", "upTo": None}, "else": None, **NOTHING},
        {
            "id": "fork",
            "kind": "if",
            "if": CONDITION,
            "else": "end",
            "label": "L",
            "then": {"step": "ask", "clear": ["name"]},
        },
        {"id": "sorry", "kind": "say", "say": "sorry", "media": {"slug": "m"}, "once": None, **NOTHING},
    ],
    "onEnd": "stay",
    "instructions": [{"id": None, "kind": "never", "when": ["a", "b"], "if": None, "prompt": "promise"}],
}


def test_a_flow_as_a_model_writes_it():
    """A document of the schema, nulls and all, is a flow without an error, and its JSON is that without the nulls."""
    Draft202012Validator(SCHEMA).validate(WRITTEN)
    assert validate_flow_all(WRITTEN, REGISTRIES) == []
    assert validate_flow_all(flow_from_spec(WRITTEN), REGISTRIES) == []
    assert flow_to_spec(flow_from_spec(WRITTEN))["steps"][3] == {"id": "clean", "kind": "do", "do": "tidy", "with": {}}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("collect", ["nmae"]),
        ("onEnd", "restart"),
        ("steps", []),
        ("steps", [{**WRITTEN["steps"][3], "do": "ghost"}]),
        ("steps", [{**WRITTEN["steps"][3], "ui": {}}]),
        ("steps", [{**WRITTEN["steps"][2], "with": {"to": None, "count": None, "tags": None, "level": None}}]),
        ("while", {**CONDITION, "equals": {"stage": None}}),
        ("while", {**CONDITION, "equals": {"stage": "cold"}}),
        ("while", {**CONDITION, "ghost": 1}),
        ("on", [{"message": ["x"], "repeat": "never", "if": None}]),
        ("surplus", 1),
    ],
)
def test_what_validation_would_refuse_the_schema_refuses(key, value):
    """Names, types and shapes are held already while the model writes."""
    with pytest.raises(ValidationError):
        Draft202012Validator(SCHEMA).validate({**WRITTEN, key: value})


# What the schema cannot say, said here: targets that exist, ids once, durations, phrases with words in them.
TEXTS = st.sampled_from(["hello", "{{data.name}}", "wants to leave"])


def documents(schema, defs, name=""):
    """Documents of a schema, from the few words that ours uses."""
    if "$ref" in schema:
        target = schema["$ref"].rpartition("/")[2]
        return st.sampled_from(["5m", "1.5h"]) if target == "duration" else documents(defs[target], defs, name)
    if "anyOf" in schema:
        return st.one_of([documents(one, defs, name) for one in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return st.one_of([OF_TYPE[kind](schema, defs, name) for kind in kinds])


def of_object(schema, defs, name):
    return st.fixed_dictionaries({key: documents(part, defs, key) for key, part in schema["properties"].items()})


def of_array(schema, defs, name):
    return st.lists(documents(schema["items"], defs, name), min_size=schema.get("minItems", 0), max_size=2)


def of_string(schema, defs, name):
    return st.just({"then": "end", "else": "end", "onFail": "end", "step": "s0"}[name]) if name in TARGETS else TEXTS


TARGETS = {"then", "else", "onFail", "step"}
OF_TYPE = {
    "object": of_object,
    "array": of_array,
    "string": of_string,
    "null": lambda *_: st.none(),
    "boolean": lambda *_: st.booleans(),
    "integer": lambda *_: st.integers(1, 9),
    "number": lambda *_: st.floats(0, 9),
}


WRITERS = {
    "full": (REGISTRIES, SCHEMA, documents(SCHEMA, SCHEMA["$defs"])),
    "empty": (Registries(flows=()), EMPTY, documents(EMPTY, EMPTY["$defs"])),
}


@pytest.mark.parametrize("writer", WRITERS)
@given(data=st.data())
def test_what_satisfies_the_schema_is_a_valid_flow(writer, data):
    """Any document of the schema, with ids that are unique and targets that exist, has no error."""
    registries, schema, written = WRITERS[writer]
    document = data.draw(written)
    document["id"] = "main"
    for index, step in enumerate(document["steps"]):
        step["id"] = f"s{index}"
        if step["kind"] == "if":
            step["then"] = "end"
    assert accepts(schema, document)
    assert [one.message for one in validate_flow_all(document, registries) if one.severity is Severity.ERROR] == []
