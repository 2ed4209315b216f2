"""The inputs of a condition: a row for each clause (spec: flow-spec.md, `cond`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from falai_django.forms.clauses import Clause, clause_at, clauses_of, condition_of
from falai_django.forms.lists import Lines, PairLines
from falai_django.forms.names import FieldName, Names
from falai_django.forms.part import Json, Label, Page, Part, Path, Spot, Typed, kept_text
from falai_django.forms.posted import Posted, many_lines
from falai_django.forms.rows import Rows
from falai_django.forms.scalars import Scalar, YesNo, choices
from falai_django.forms.values import scalar_type
from falai_engine.values import MISSING

__all__ = ["condition_part"]

_IS: Final = "is:"
_KINDS: Final = (
    ("equals", gettext_lazy("A field has the value")),
    ("known", gettext_lazy("A field is known")),
    ("silenced", gettext_lazy("The assistant is silenced")),
)


@dataclass(frozen=True, kw_only=True)
class _ClauseInputs(Part):
    """What is asked, of which field, and the value. Which input the value has follows from the other two."""

    template: ClassVar[str] = "falai_django/forms/clause.html"
    group: ClassVar[bool] = True

    names: Names

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, Clause)

    def _value_part(self, kind: str, field: str) -> Part | None:
        """The part of the value; None where there is none."""
        if kind == "equals":
            return _value_of(self.names.datum(field))
        if kind == "silenced":
            return YesNo(label=_("Value"))
        return self._argument_part(kind.removeprefix(_IS)) if kind.startswith(_IS) else None

    def _argument_part(self, name: str) -> Part:
        condition = self.names.condition(name)
        argument: Mapping[str, Any] = condition.argument if condition else {}
        items = argument.get("items")
        type_ = scalar_type(items.get("type")) if isinstance(items, Mapping) else None
        if argument.get("type") == "array":
            return Lines(label=_("Values, one a line"), type=type_, keep_empty=True, rows=2)
        if argument.get("type") == "map":
            return PairLines(label=_("Values, one “name: value” a line"), type=type_)
        enum = argument.get("enum")
        return Scalar(
            label=_("Value"), type=scalar_type(argument.get("type")), enum=enum if isinstance(enum, list) else ()
        )

    def _inputs(self, value: Json) -> dict[str, Any]:
        if value is MISSING:
            return {"kind": "", "field": "", "value": Typed("")}
        kind = _IS + many_lines(value.name) if value.kind == "is" else value.kind
        field = many_lines(value.name) if value.kind in ("equals", "known") else ""
        part = self._value_part(kind, field)
        return {"kind": kind, "field": field, "value": part.typed(value.value) if part else Typed("")}

    def _read(self, data: Posted, name: str) -> dict[str, Any]:
        kind, field = data.text(f"{name}-kind"), data.text(f"{name}-field")
        if kind not in ("equals", "known"):
            field = ""
        part = self._value_part(kind, field)
        return {"kind": kind, "field": field, "value": part.read(data, f"{name}-value") if part else Typed("")}

    def _compose(self, inputs: dict[str, Any], was: Json, spot: Spot) -> Json:
        kind, field = inputs["kind"], inputs["field"]
        if kind == "kept":
            return was
        if kind in ("equals", "known") and not field:
            spot.at("field").problem(_("Choose the field."))
            return MISSING
        part = self._value_part(kind, field)
        if part is None:
            return Clause("known", field) if kind == "known" else MISSING
        same = isinstance(was, Clause) and self._inputs(was)["kind"] == kind and self._inputs(was)["field"] == field
        value = part.take(inputs["value"], was.value if same else MISSING, spot.at("value"))
        if value is MISSING and spot.at("value").name not in spot.notes:
            spot.at("value").problem(_("Give the value."))
        return Clause("is", kind[len(_IS) :], value) if kind.startswith(_IS) else Clause(kind, field, value)

    def _view(self, inputs: dict[str, Any], was: Json, page: Page, name: str) -> dict[str, Any]:
        kind, field = inputs["kind"], inputs["field"]
        part = self._value_part(kind, field)
        old = was.value if isinstance(was, Clause) and self._inputs(was)["kind"] == kind else MISSING
        shown = part or Scalar(label=_("Value"))
        typed = inputs["value"] if part else shown.blank
        return {
            "kept_clause": kept_text({was.name: was.value}) if isinstance(was, Clause) and kind == "kept" else None,
            "kinds": self._kinds(kind),
            "fields": self._fields(field),
            "kind_name": self._inner("kind", page, name),
            "field_name": self._inner("field", page, name),
            "asks_field": kind in ("equals", "known"),
            "asks_value": part is not None,
            "value_view": shown.view(typed, old, page, f"{name}-value"),
        }

    def _inner(self, key: str, page: Page, name: str) -> dict[str, Any]:
        inner = f"{name}-{key}"
        return {"name": inner, "id": page.id_of(inner), "notes": page.notes_at(inner)}

    def _kinds(self, chosen: str) -> list[dict[str, Any]]:
        conditions = [(_IS + each.name, each.label or each.name) for each in self.names.conditions]
        shown = [{"value": value, "label": label, "chosen": value == chosen} for value, label in (*_KINDS, *conditions)]
        if chosen.startswith(_IS) and all(each["value"] != chosen for each in shown):
            told = _("%(name)s (unknown)") % {"name": chosen[len(_IS) :]}
            shown.append({"value": chosen, "label": told, "chosen": True})
        return [{**each, "input": self._input(str(each["value"]))} for each in shown]

    def _input(self, kind: str) -> str:
        """What a browser with scripts needs to make the input of the value."""
        part = self._value_part(kind, "")
        if kind == "equals" or part is None:
            return ""
        return json.dumps(_shape(part), ensure_ascii=False)

    def _fields(self, chosen: str) -> list[dict[str, Any]]:
        options = choices([each.option for each in self.names.data], [chosen])
        for option in options:
            option["input"] = json.dumps(_shape(_value_of(self.names.datum(option["value"]))), ensure_ascii=False)
        return options

    def _place(self, _path: Path, was: Json, name: str) -> str:
        if not isinstance(was, Clause) or was.kind == "kept":
            return name
        if was.kind == "is":
            return f"{name}-value" if self.names.condition(was.name) else f"{name}-kind"
        known = was.kind == "equals" and self.names.datum(was.name) is not None
        return f"{name}-value" if known or was.kind == "silenced" else f"{name}-field"


def _value_of(field: FieldName | None) -> Scalar:
    enum = field.enum if field else ()
    return Scalar(label=_("Value"), type=scalar_type(field.type) if field else None, enum=enum)


def _shape(part: Part) -> dict[str, Any]:
    """The kind of input that a value has: a list of texts to choose from, one line, or several."""
    if isinstance(part, Scalar | YesNo):
        view = part.view(part.blank, MISSING, Page("", ""), "")
        return {"options": [[option["value"], str(option["label"])] for option in view["options"]]}
    return {"rows": 2, "label": str(part.label)}


@dataclass(frozen=True, kw_only=True)
class _Condition(Rows):
    """A condition: all clauses must hold, and one without any always holds."""

    def _can_show(self, value: Json) -> bool:
        return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)

    def _split(self, value: Json) -> Sequence[Json]:
        return list(clauses_of(value))

    def _join(self, items: Sequence[tuple[Json, Spot]], _was: Json) -> Json:
        seen: set[tuple[str, str]] = set()
        for clause, spot in items:
            key = clause.kind, clause.name
            if key in seen and clause.kind in ("equals", "silenced", "is"):
                inner = spot.at("field" if clause.kind == "equals" else "kind")
                inner.problem(_("A row above asks for this already."))
            seen.add(key)
        return condition_of([clause for clause, _spot in items])

    def _place(self, path: Path, was: Json, name: str) -> str:
        clauses = self._items(was)
        index = clause_at(clauses, path)
        return name if index is None else self.item.place(path[1:], clauses[index], f"{name}-{index}")


def condition_part(names: Names, *, label: Label, help: Label = "", keep_empty: bool = False) -> Rows:  # noqa: A002 - a part's word
    """The inputs of a condition. `keep_empty`: one without clauses is `{}`, which always holds, else it is left out."""
    return _Condition(
        label=label,
        help=help,
        item=_ClauseInputs(names=names),
        one=gettext_lazy("Condition"),
        add=gettext_lazy("Add a condition"),
        keep_empty=keep_empty,
    )
