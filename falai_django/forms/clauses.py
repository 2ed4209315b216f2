"""A condition as a list of clauses that all must hold (spec: flow-spec.md, `cond`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from falai_django.forms.part import Json, Path
from falai_engine.values import MISSING

__all__ = ["Clause", "clause_at", "clauses_of", "condition_of"]


class Clause(NamedTuple):
    """One clause. `kind`: equals (field, value), known (field), silenced (value), is (registered condition, argument).

    `kept` is one that no input shows: `name` is its key in the condition, `value` what stands there.
    """

    kind: str
    name: str = ""
    value: Json = MISSING


def clauses_of(condition: Mapping[str, Any]) -> Iterator[Clause]:
    """The clauses in the order in which they are judged; a null one is none."""
    for key, argument in condition.items():
        match key, argument:
            case _, None:
                continue
            case "equals", Mapping():
                yield from (_equals(field, value) for field, value in argument.items())
            case "known", list():
                yield from (_known(field) for field in argument)
            case "silenced", bool():
                yield Clause("silenced", "", argument)
            case "equals" | "known" | "silenced" | "", _:
                yield Clause("kept", key, argument)
            case _:
                yield Clause("is", key, argument)


def _equals(field: str, value: Json) -> Clause:
    if field and value is not None and not isinstance(value, Mapping | list):
        return Clause("equals", field, value)
    return Clause("kept", "equals", {field: value})


def _known(field: Json) -> Clause:
    return Clause("known", field) if isinstance(field, str) and field else Clause("kept", "known", [field])


def condition_of(clauses: Sequence[Clause]) -> dict[str, Json]:
    """The way back."""
    condition: dict[str, Json] = {}
    for kind, name, value in clauses:
        if kind == "equals":
            _join(condition, "equals", {name: value})
        elif kind == "known":
            _join(condition, "known", [name])
        elif kind == "silenced":
            condition["silenced"] = value
        elif kind == "kept":
            _join(condition, name, value)
        else:
            condition[name] = value
    return condition


def _join(condition: dict[str, Json], key: str, value: Json) -> None:
    """Put beside what is there: objects and lists grow, anything else is replaced."""
    there = condition.get(key)
    if isinstance(there, dict) and isinstance(value, Mapping):
        condition[key] = {**there, **value}
    elif isinstance(there, list) and isinstance(value, list):
        condition[key] = [*there, *value]
    else:
        condition[key] = value


def clause_at(clauses: Sequence[Clause], path: Path) -> int | None:
    """Which clause a path inside the condition means."""
    for index, clause in enumerate(clauses):
        if path and _means(clauses, index, clause, path):
            return index
    return None


def _means(clauses: Sequence[Clause], index: int, clause: Clause, path: Path) -> bool:
    key = path[0]
    inner = path[1] if len(path) > 1 else None
    match clause.kind:
        case "equals":
            return key == "equals" and inner in (clause.name, None)
        case "known":
            before = sum(_lists_known(each) for each in clauses[:index])
            return key == "known" and inner in (before, None)
        case "silenced":
            return key == "silenced"
        case "kept":
            return key == clause.name and _kept_holds(clauses, index, clause, inner)
    return key == clause.name


def _lists_known(clause: Clause) -> bool:
    return clause.kind == "known" or (clause.kind == "kept" and clause.name == "known")


def _kept_holds(clauses: Sequence[Clause], index: int, clause: Clause, inner: str | int | None) -> bool:
    if inner is None:
        return True
    if isinstance(clause.value, Mapping):
        return inner in clause.value
    return inner == sum(_lists_known(each) for each in clauses[:index])
