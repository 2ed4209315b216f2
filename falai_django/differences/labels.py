"""What people call the things that a document names by slug and id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["Labels"]


@dataclass(frozen=True, slots=True)
class Labels:
    """Slug or id -> label of the fields and flows of an agent and of the steps of one flow.

    What has no label, or is not there, is called by its slug or id.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    flows: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, document: Any) -> Labels:
        """Of an agent document, one that is no sound document included; without steps, see `within`."""
        fields = _part(document, "fields")
        named = fields.items() if isinstance(fields, Mapping) else ()
        return cls(
            fields={slug: label for slug, spec in named if (label := _text(_part(spec, "label")))},
            flows=_by_id(_part(document, "flows"), "name"),
        )

    def within(self, flow: Any) -> Labels:
        """The same with the steps of a flow."""
        return replace(self, steps=_by_id(_part(flow, "steps"), "label"))

    def field(self, slug: Any) -> str:
        return _called(self.fields, slug)

    def flow(self, flow_id: Any) -> str:
        return _called(self.flows, flow_id)

    def step(self, step_id: Any) -> str:
        return _called(self.steps, step_id)


def _called(labels: Mapping[str, str], name: Any) -> str:
    return labels.get(name, name) if isinstance(name, str) else str(name)


def _part(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _by_id(items: Any, key: str) -> dict[str, str]:
    listed = items if isinstance(items, (list, tuple)) else ()
    pairs = ((_part(item, "id"), _text(_part(item, key))) for item in listed)
    return {name: label for name, label in pairs if isinstance(name, str) and label}
