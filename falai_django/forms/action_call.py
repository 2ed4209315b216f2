"""Which action a step does, and with what (spec: flow-spec.md, `do`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils.translation import gettext as _

from falai_django.forms.lists import Lines
from falai_django.forms.names import Names
from falai_django.forms.part import Json, Page, Part, Path, Spot, Typed
from falai_django.forms.posted import Posted, input_key, many_lines
from falai_django.forms.scalars import Scalar, choices
from falai_django.forms.values import scalar_type
from falai_engine.values import MISSING

__all__ = ["ActionCall"]


@dataclass(frozen=True, kw_only=True)
class ActionCall(Part):
    """An object with `do` and `with`: the action, and an input for each of its parameters.

    `original` is the call that is edited: what it gives beyond the parameters of its action has inputs too. The inputs
    of other actions' parameters are there for scripts, which put them in place when one is chosen; without scripts they
    come after saving.
    """

    template: ClassVar[str] = "falai_django/forms/action_call.html"

    names: Names
    original: Json = MISSING

    def _can_show(self, value: Json) -> bool:
        if not isinstance(value, Mapping):
            return False
        named = value.get("do") is None or (isinstance(value["do"], str) and value["do"] != "")
        given = value.get("with")
        return named and (given is None or (isinstance(given, Mapping) and all(isinstance(key, str) for key in given)))

    def _parameters(self, action: str) -> dict[str, Part]:
        """An input for each parameter of the action, and for each value beyond them that the original call gives."""
        known = self.names.action(action)
        parts = {name: _value_part(name, spec) for name, spec in (known.parameters if known else {}).items()}
        if self._is_original(action):
            unknown = [name for name in self.original.get("with") or {} if name not in parts]
            parts |= {name: _unknown_part(name) for name in unknown}
        return parts

    def _is_original(self, action: str) -> bool:
        known = bool(self.original) and self.can_show(self.original)
        return known and many_lines(self.original.get("do") or "") == action

    def _inputs(self, value: Json) -> dict[str, Any]:
        call = value or {}
        action, given = many_lines(call.get("do") or ""), call.get("with") or {}
        return {
            "action": action,
            "with": {name: part.typed(given.get(name, MISSING)) for name, part in self._parameters(action).items()},
        }

    def _read(self, data: Posted, name: str) -> dict[str, Any]:
        action = data.text(name)
        parts = self._parameters(action)
        return {"action": action, "with": {key: part.read(data, _inner(name, key)) for key, part in parts.items()}}

    def _compose(self, inputs: dict[str, Any], was: Json, spot: Spot) -> Json:
        action, call = inputs["action"], was or {}
        if not action:
            return MISSING
        old = call.get("with") or {} if self._is_original(action) else {}
        given = dict(old)
        for name, part in self._parameters(action).items():
            value = part.take(inputs["with"][name], old.get(name, MISSING), _spot(spot, name))
            given.pop(name, None) if value is MISSING else given.update({name: value})
        unchanged = self._is_original(action) and given == old and "with" in call
        named = call.get("do") if self._is_original(action) else action
        body = {"do": named, "with": call["with"] if unchanged else given}
        return body if given or unchanged else {"do": named}

    def _view(self, inputs: dict[str, Any], was: Json, page: Page, name: str) -> dict[str, Any]:
        action = inputs["action"]
        given = (was or {}).get("with") or {} if self._is_original(action) else {}
        others = [each for each in self.names.actions if many_lines(each.name) != action]
        blank = Page(page.name, page.id)
        known = self.names.action(action)
        return {
            "options": choices([each.option for each in self.names.actions], [action]),
            "description": known.description if known else "",
            "parameters": list(self._views(action, inputs["with"], given, page, name)),
            "others": [
                {
                    "action": each.name,
                    "description": each.description,
                    "parameters": list(self._views(each.name, {}, {}, blank, name)),
                }
                for each in others
            ],
        }

    def _views(
        self, action: str, typed: Mapping[str, Typed], given: Mapping[str, Json], page: Page, name: str
    ) -> Iterator[dict[str, Any]]:
        for key, part in self._parameters(action).items():
            yield part.view(typed.get(key, part.blank), given.get(key, MISSING), page, _inner(name, key))

    def _place(self, path: Path, was: Json, name: str) -> str:
        action = many_lines((was or {}).get("do") or "")
        parts = self._parameters(action)
        if len(path) > 1 and path[0] == "with" and path[1] in parts:
            return _inner(name, str(path[1]))
        return name


def _inner(name: str, parameter: str) -> str:
    return f"{name}-with-{input_key(parameter)}"


def _spot(spot: Spot, parameter: str) -> Spot:
    return spot.at("with").at(input_key(parameter))


def _value_part(name: str, spec: Mapping[str, Any]) -> Part:
    """The input of a parameter; a text with a placeholder goes into any of them."""
    type_ = spec.get("type")
    told = spec.get("description")
    help_ = told if isinstance(told, str) else ""
    label = name if spec.get("optional") is not True else _("%(name)s (optional)") % {"name": name}
    if type_ == "array":
        items = spec.get("items")
        inner = items.get("type") if isinstance(items, Mapping) else None
        return Lines(label=label, help=help_, type=scalar_type(inner), template_too=True, rows=2)
    enum: Sequence[Json] = spec["enum"] if isinstance(spec.get("enum"), list) else ()
    return Scalar(label=label, help=help_, type=scalar_type(type_), enum=enum, template_too=True)


def _unknown_part(name: str) -> Part:
    return Scalar(label=_("%(name)s (unknown)") % {"name": name}, template_too=True)
