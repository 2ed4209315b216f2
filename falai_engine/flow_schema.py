"""The JSON Schema of a flow, for a model that writes flows (spec: flow-spec.md, last section).

Closed and strict, as vendors' structured output wants it: `additionalProperties: false` everywhere, every property
required, and what flow-spec.md calls optional may be null, which reading drops.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

from falai_engine.flows import END, Field, OnEnd, Repeat, Variable
from falai_engine.registry import Action, ConditionDefinition
from falai_engine.validation import Registries

__all__ = ["flow_spec_schema"]

JsonSchema: TypeAlias = dict[str, Any]

_NULL: Final[JsonSchema] = {"type": "null"}
_TEXT: Final[JsonSchema] = {"type": "string"}
_FLAG: Final[JsonSchema] = {"type": "boolean"}
_SCALAR: Final[JsonSchema] = {"type": ["string", "number", "boolean"]}


def flow_spec_schema(registries: Registries) -> JsonSchema:
    """A JSON Schema that only flows of this agent satisfy, up to what no schema can say (targets that exist, ids once).

    Names are enums; one `do` variant an action; a variant that would need a name of an empty registry is left out, and
    so are `ui`, `tools`, step-level `instructions` and `ask`, the `extract` of a mention, the `input` of a chain, and
    conditions whose argument is a map (which no closed object describes). `equals` compares one field at a time,
    because it is the one place where a null is an error. `flows` None (not known): a chain may name any flow.
    """
    data: dict[str, Field | Variable] = {**registries.variables, **registries.fields}
    flow = _object(
        id=_described(_TEXT, "unique in the agent: a-z, 0-9, _ and -"),
        name=_TEXT,
        description=_maybe(_TEXT),
        on=_maybe(_list(_any(_triggers(registries)))),
        anchor=_maybe(_TEXT),
        **{"while": _maybe(_ref("condition"))},
        **_when(registries.fields, collect=_maybe(_list(_names(registries.fields)))),
        **_when(data, clearOnStart=_maybe(_list(_names(data)))),
        steps=_list(_any(_steps(registries)), at_least=1),
        onEnd=_maybe(_names(tuple(OnEnd))),
        instructions=_maybe(_list(_ref("instruction"))),
    )
    return {**flow, "$defs": _shared(registries, data)}


def _shared(registries: Registries, data: Mapping[str, Field | Variable]) -> dict[str, JsonSchema]:
    """What occurs in many places, said once."""
    if_, then = {"if": _ref("condition")}, _ref("next")
    return {
        "duration": _described(_TEXT, 'a number and one of s, m, h, d: "30s", "24h"'),
        "condition": _described(_condition(registries, data), "all that is set must hold"),
        "next": _any(_targets(registries, data)),
        "branch": _any(
            [_object(when=_described(_TEXT, "a question to the model"), then=then), _object(**if_, then=then)]
        ),
        "codeBranch": _object(**if_, then=then),
        "instruction": _object(
            id=_maybe(_TEXT),
            kind=_maybe(_names(("must", "never", "should"))),
            when=_any([_TEXT, _list(_TEXT), _NULL]),
            **{"if": _maybe(_ref("condition"))},
            prompt=_TEXT,
        ),
    }


# ---- pieces of schema


def _object(**properties: JsonSchema) -> JsonSchema:
    return _closed(properties)


def _closed(properties: Mapping[str, JsonSchema]) -> JsonSchema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: JsonSchema, at_least: int = 0) -> JsonSchema:
    return {"type": "array", "items": items, **({"minItems": at_least} if at_least else {})}


def _names(names: Collection[str]) -> JsonSchema:
    return {"type": "string", "enum": [str(name) for name in names]}


def _any(variants: Sequence[JsonSchema]) -> JsonSchema:
    return {"anyOf": list(variants)}


def _ref(name: str) -> JsonSchema:
    return {"$ref": f"#/$defs/{name}"}


def _described(schema: JsonSchema, text: str | None) -> JsonSchema:
    return {**schema, "description": text} if text else schema


def _maybe(schema: JsonSchema) -> JsonSchema:
    """The schema, or null."""
    if "type" not in schema or schema["type"] == "object":
        return _any([schema, _NULL])
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    enum = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [*types, "null"], **enum}


def _when(registry: Collection[str], **properties: JsonSchema) -> dict[str, JsonSchema]:
    """Properties that need a name out of a registry: none when it is empty."""
    return properties if registry else {}


def _value(type_: str, enum: Sequence[Any] | None = None) -> JsonSchema:
    return {"type": type_, **({"enum": list(enum)} if enum else {})}


# ---- conditions and targets


def _condition(registries: Registries, data: Mapping[str, Field | Variable]) -> JsonSchema:
    equals = [_closed({name: _value(one.type, getattr(one, "enum", None))}) for name, one in data.items()]
    arguments = _arguments(registries.conditions)
    return _closed(
        {
            **_when(data, equals=_any([*equals, _NULL]), known=_maybe(_list(_names(data)))),
            "silenced": _maybe(_FLAG),
            **{name: _maybe(argument) for name, argument in arguments.items()},
        }
    )


def _arguments(conditions: Mapping[str, ConditionDefinition] | Collection[str]) -> dict[str, JsonSchema]:
    if not isinstance(conditions, Mapping):
        return dict.fromkeys(conditions, _SCALAR)
    declared = {name: getattr(definition, "argument", None) for name, definition in conditions.items()}
    return {name: _argument(type_) for name, type_ in declared.items() if not type_ or type_.get("type") != "map"}


def _argument(type_: Mapping[str, Any] | None) -> JsonSchema:
    match (type_ or {}).get("type", "scalar"):
        case "scalar":
            return _SCALAR
        case "array":
            return _list(_argument((type_ or {}).get("items")))
        case scalar:
            return _value(scalar, (type_ or {}).get("enum"))


def _targets(registries: Registries, data: Mapping[str, Field | Variable]) -> list[JsonSchema]:
    step = _described(_TEXT, f'the id of a step, or "{END}"')
    back = _object(step=_described(_TEXT, "the id of a step"), **_when(data, clear=_maybe(_list(_names(data)))))
    if registries.flows is None:
        return [step, back, _object(flow=_TEXT)]
    return [step, back, *_when(registries.flows, chain=_object(flow=_names(registries.flows))).values()]


# ---- triggers


def _triggers(registries: Registries) -> list[JsonSchema]:
    phrases = _list(_described(_TEXT, "a phrase, or with a leading ! one that excludes"))
    cooldown = _object(cooldown=_ref("duration"))
    every = {"repeat": _any([_names(tuple(Repeat)), cooldown, _NULL]), "if": _maybe(_ref("condition"))}
    hours = {"businessHours": _maybe(_FLAG)}
    event = _when(registries.events, event=_names(registries.events), after=_maybe(_ref("duration")))
    return [
        _object(message=phrases, **every),
        _object(mention=phrases, **every),
        _object(silence=_ref("duration"), **hours, **every),
        *([_object(**event, **hours, **every)] if event else []),
    ]


# ---- steps


def _steps(registries: Registries) -> list[JsonSchema]:
    else_ = {"else": _maybe(_ref("next"))}
    up_to = _maybe(_ref("duration"))
    asks = {"maxAsks": _maybe({"type": "integer", "minimum": 1}), "branches": _maybe(_list(_ref("branch")))}
    collect = _when(registries.fields, collect=_list(_names(registries.fields), at_least=1))
    event = _when(registries.events, event=_names(registries.events))
    return [
        _step("prompt", prompt=_TEXT, **asks),
        *([_step("collect", **collect, prompt=_maybe(_TEXT), question=_maybe(_TEXT), **asks)] if collect else []),
        _step("say", say=_TEXT, media=_maybe(_object(slug=_TEXT)), once=_maybe(_FLAG)),
        *(_do(name, action) for name, action in registries.actions.items()),
        _step(
            "wait",
            wait=_ref("duration"),
            businessHours=_maybe(_FLAG),
            **else_,
            branches=_maybe(_list(_ref("codeBranch"))),
        ),
        *([_step("waitEvent", wait=_object(**event, upTo=up_to), **else_)] if event else []),
        _step("if", **{"if": _ref("condition")}, **else_),
    ]


def _step(kind: str, **body: JsonSchema) -> JsonSchema:
    return _closed(
        {
            "id": _described(_TEXT, f'unique in the flow, not "{END}"'),
            "kind": _names((kind,)),
            "label": _maybe(_TEXT),
            **body,
            "then": _maybe(_ref("next")),
        }
    )


def _do(name: str, action: Action) -> JsonSchema:
    given = {parameter: _parameter(definition) for parameter, definition in (action.parameters or {}).items()}
    step = _step("do", do=_names((name,)), **{"with": _closed(given)}, onFail=_maybe(_ref("next")))
    return _described(step, action.description)


def _parameter(definition: Mapping[str, Any]) -> JsonSchema:
    if definition.get("type") == "array":
        items = definition.get("items") or {}
        schema = _list(_value(items.get("type", "string"), items.get("enum")))
    else:
        schema = _value(definition["type"], definition.get("enum"))
    described = _described(schema, definition.get("description"))
    return _maybe(described) if definition.get("optional") else described
