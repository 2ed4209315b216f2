"""Expressions from JSON and to JSON (spec: update-state.md, the table of nodes).

Reading never stops at the first problem and never follows a tree past its limits, so hostile JSON costs no more than a
full one. A null key counts as not given, and an `llm` keeps the form it came in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from falai_engine.error_words import closest, shown
from falai_engine.expressions.kinds import LITERAL_KINDS, VALUE_TYPES, Kind, kind_of, text_flaw, value_flaw
from falai_engine.expressions.nodes import (
    DEPTH_LIMIT,
    NODE_LIMIT,
    Binary,
    Conditional,
    DynamicVariable,
    Literal,
    Llm,
    Logical,
    Node,
)
from falai_engine.expressions.operators import OPERATORS, Family, Operator
from falai_engine.expressions.problems import ExpressionProblem
from falai_engine.flows import Field, Variable

__all__ = [
    "Reading",
    "expression_from_json",
    "expression_to_json",
    "given_keys",
    "read_expression",
    "read_text",
    "report_undeclared",
]

_UNKNOWN_KEYS_SHOWN: Final = 5


@dataclass(slots=True)
class Reading:
    """What one reading has found, and what it knows: `declared` None accepts every variable."""

    problems: list[ExpressionProblem]
    declared: Mapping[str, Field | Variable] | None = None
    allow_llm: bool = True
    nodes: int = 0
    stopped: bool = False

    def report(self, path: str, code: str, **values: str) -> None:
        self.problems.append(ExpressionProblem(path, code, values))

    def misfit(self, path: str, code: str, value: Any, **values: str) -> None:
        self.report(path, code, shown=shown(value), **values)

    def misnamed(self, path: str, code: str, name: Any, known: Collection[str], **values: str) -> None:
        """A name that is missing or not among the known ones; then with the one that was probably meant."""
        if name is None:
            self.report(path, "missing")
            return
        near = closest(name, known)
        self.misfit(path, code, name, **values, **({} if near is None else {"near": shown(near)}))

    def stop(self, path: str, code: str, most: int) -> None:
        """A limit is passed: said once for the expression, however much lies beyond."""
        if not self.stopped:
            self.report(path, code, most=str(most))
        self.stopped = True


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node stands; `depth` counts from 1."""

    path: str
    depth: int

    def at(self, key: str) -> str:
        return f"{self.path}.{key}"

    def inside(self, key: str) -> _Place:
        return _Place(self.at(key), self.depth + 1)


def expression_from_json(value: Any, path: str = "expression") -> Node:
    """The node that any JSON value describes. Raises FlowConfigurationError (`where` = machine path) on a problem."""
    reading = Reading([])
    node = read_expression(value, path, reading)
    if node is None or reading.problems:
        raise reading.problems[0].error()
    return node


def read_expression(value: Any, path: str, reading: Reading) -> Node | None:
    """The node, or None when it cannot be built; every problem goes to the reading (also of a node that is built)."""
    reading.nodes, reading.stopped = 0, False
    return _read(value, _Place(path, 1), reading)


def _read(value: Any, place: _Place, reading: Reading) -> Node | None:
    reading.nodes += 1
    if place.depth > DEPTH_LIMIT:
        reading.stop(place.path, "too-deep", DEPTH_LIMIT)
    elif reading.nodes > NODE_LIMIT:
        reading.stop(place.path, "too-many-nodes", NODE_LIMIT)
    elif not isinstance(value, dict):
        reading.misfit(place.path, "not-an-object", value)
    else:
        return _read_node(value, place, reading)
    return None


def _read_node(value: dict[str, Any], place: _Place, reading: Reading) -> Node | None:
    name = value.get("type")
    form = _FORMS.get(name) if isinstance(name, str) else None
    if form is None:
        reading.misnamed(place.at("type"), "unknown-type", name, _FORMS, choices=", ".join(_FORMS))
        return None
    body = given_keys(value, ("type", *form.keys), place.path, reading)
    return form.read(body, place, reading)


def given_keys(value: Mapping[Any, Any], names: Collection[str], path: str, reading: Reading) -> dict[str, Any]:
    """The keys that are not null; an unknown one is a problem, for a typo would silently change what is meant."""
    given = {key: inner for key, inner in value.items() if inner is not None}
    unknown = [key for key in given if key not in names]
    for key in unknown[:_UNKNOWN_KEYS_SHOWN]:
        reading.misnamed(path, "unknown-key", key, names)
    return given


def read_text(body: Mapping[str, Any], key: str, path: str, reading: Reading) -> str | None:
    """A text that is not blank, under `path.key`."""
    text, at = body.get(key), f"{path}.{key}"
    if text is None:
        reading.report(at, "missing")
    elif not isinstance(text, str):
        reading.misfit(at, "not-text", text)
    elif not text.strip():
        reading.report(at, "blank")
    elif flaw := text_flaw(text):
        reading.report(at, "unkeepable", flaw=flaw)
    else:
        return text
    return None


def _part(body: Mapping[str, Any], key: str, place: _Place, reading: Reading) -> Node | None:
    if key not in body:
        reading.report(place.at(key), "missing")
        return None
    return _read(body[key], place.inside(key), reading)


def _read_literal(kind: Kind, body: Mapping[str, Any], place: _Place, reading: Reading) -> Node | None:
    value = body.get("value")
    if kind_of(value) is not kind:
        reading.misfit(place.at("value"), "literal-kind", value, kind=kind)
        return None
    flaw = text_flaw(value) if isinstance(value, str) else value_flaw(value)
    if flaw is not None:
        reading.report(place.at("value"), "unkeepable", flaw=flaw)
        return None
    return Literal(value)


def _read_variable(body: Mapping[str, Any], place: _Place, reading: Reading) -> Node | None:
    name = read_text(body, "name", place.path, reading)
    if name is None:
        return None
    report_undeclared(name, place.at("name"), reading)
    return DynamicVariable(name)


def report_undeclared(name: str, path: str, reading: Reading) -> None:
    """A name that is neither field nor variable is a problem, with the name that was probably meant."""
    if reading.declared is not None and name not in reading.declared:
        reading.misnamed(path, "undeclared", name, reading.declared)


def _read_llm(body: Mapping[str, Any], place: _Place, reading: Reading) -> Node | None:
    if not reading.allow_llm:
        reading.report(place.path, "llm-in-action")
    if "value_schema" not in body:
        text = read_text(body, "prompt", place.path, reading)
        return None if text is None else Llm(text, short=True)
    if "prompt" in body:
        reading.report(place.at("prompt"), "llm-twice")
    return _read_value_schema(body["value_schema"], place.at("value_schema"), reading)


def _read_value_schema(schema: Any, path: str, reading: Reading) -> Node | None:
    if not isinstance(schema, dict):
        reading.misfit(path, "not-an-object", schema)
        return None
    body = given_keys(schema, ("type", "description", "enum"), path, reading)
    text = read_text(body, "description", path, reading)
    type_ = body.get("type")
    if not isinstance(type_, str) or type_ not in VALUE_TYPES:
        reading.misnamed(f"{path}.type", "value-type", type_, VALUE_TYPES, choices=", ".join(VALUE_TYPES))
        return None
    enum = _read_enum(body, type_, f"{path}.enum", reading)
    return None if text is None else Llm(text, type_, enum)


def _read_enum(body: Mapping[str, Any], type_: str, path: str, reading: Reading) -> tuple[Any, ...] | None:
    values = body.get("enum", ())
    if not isinstance(values, list | tuple) or ("enum" in body and not values):
        reading.misfit(path, "not-a-list", values)
        return None
    for index, value in enumerate(values):
        if not VALUE_TYPES[type_](value):
            reading.misfit(f"{path}[{index}]", "enum-value", value, type=type_)
            return None
        if isinstance(value, str) and (flaw := text_flaw(value)):
            reading.report(f"{path}[{index}]", "unkeepable", flaw=flaw)
            return None
    return tuple(values) or None


def _read_logical(operator: Operator, body: Mapping[str, Any], place: _Place, reading: Reading) -> Node | None:
    children = body.get("children")
    if not isinstance(children, list | tuple) or not children:
        reading.misfit(place.at("children"), "not-a-list", children)
        return None
    nodes = []
    for index, child in enumerate(children):
        if reading.stopped:
            return None
        nodes.append(_read(child, place.inside(f"children[{index}]"), reading))
    built = tuple(node for node in nodes if node is not None)
    return Logical(operator, built) if len(built) == len(nodes) else None


def _read_binary(operator: Operator, body: Mapping[str, Any], place: _Place, reading: Reading) -> Node | None:
    left, right = (_part(body, key, place, reading) for key in ("left", "right"))
    return None if left is None or right is None else Binary(operator, left, right)


def _read_conditional(body: Mapping[str, Any], place: _Place, reading: Reading) -> Node | None:
    condition, yes, no = (_part(body, key, place, reading) for key in _CONDITIONAL_KEYS)
    return None if condition is None or yes is None or no is None else Conditional(condition, yes, no)


_CONDITIONAL_KEYS: Final = ("condition", "trueExpression", "falseExpression")


@dataclass(frozen=True, slots=True)
class _Form:
    """The body of one JSON type: the keys it may hold beside `type`, and its reader."""

    keys: tuple[str, ...]
    read: Callable[[Mapping[str, Any], _Place, Reading], Node | None]


def _literal_form(kind: Kind) -> _Form:
    return _Form(("value",), lambda body, place, reading: _read_literal(kind, body, place, reading))


def _operator_form(operator: Operator) -> _Form:
    if OPERATORS[operator].family is Family.LOGICAL:
        return _Form(("children",), lambda body, place, reading: _read_logical(operator, body, place, reading))
    return _Form(("left", "right"), lambda body, place, reading: _read_binary(operator, body, place, reading))


_FORMS: Final[Mapping[str, _Form]] = {
    **{name: _literal_form(kind) for name, kind in LITERAL_KINDS.items()},
    "dynamic_variable": _Form(("name",), _read_variable),
    "llm": _Form(("value_schema", "prompt"), _read_llm),
    **{operator.value: _operator_form(operator) for operator in Operator},
    "conditional_operator": _Form(_CONDITIONAL_KEYS, _read_conditional),
}

_LITERAL_TYPES: Final[Mapping[Kind, str]] = {kind: name for name, kind in LITERAL_KINDS.items()}


def expression_to_json(node: Node) -> dict[str, Any]:
    """The JSON of a node; reading it gives an equal node."""
    match node:
        case Literal(value):
            return {"type": _LITERAL_TYPES[node.kind], "value": value}
        case DynamicVariable(name):
            return {"type": "dynamic_variable", "name": name}
        case Llm():
            return {"type": "llm", **_llm_body(node)}
        case Logical(operator, children):
            return {"type": operator.value, "children": [expression_to_json(child) for child in children]}
        case Binary(operator, left, right):
            return {"type": operator.value, "left": expression_to_json(left), "right": expression_to_json(right)}
        case Conditional(condition, yes, no):
            bodies = map(expression_to_json, (condition, yes, no))
            return {"type": "conditional_operator", **dict(zip(_CONDITIONAL_KEYS, bodies, strict=True))}


def _llm_body(node: Llm) -> dict[str, Any]:
    if node.short:
        return {"prompt": node.description}
    schema: dict[str, Any] = {"type": node.type, "description": node.description}
    return {"value_schema": schema if node.enum is None else {**schema, "enum": list(node.enum)}}
