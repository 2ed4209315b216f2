"""Every body that the vectors and examples hold, each once, with the names of its agent."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path

from falai_django import forms
from falai_engine.spec.steps import step_kind

ROOT = Path(__file__).resolve().parents[3]
VECTORS = ROOT / "tests" / "vectors"
TRIGGERS = ("message", "mention", "silence", "event")


def documents():
    named = json.loads((VECTORS / "scenarios-named.json").read_text(encoding="utf-8"))
    made = json.loads(gzip.decompress((VECTORS / "scenarios-random.json.gz").read_bytes()))
    examples = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "examples").glob("*.json"))]
    return [*(scenario["agent"] for scenario in [*named, *made]), *examples]


def step_assembly(step, names):
    return forms.step_fields(step_kind(step), step, names)


def trigger_assembly(trigger, names):
    return forms.trigger_fields(next(kind for kind in TRIGGERS if kind in trigger), trigger, names)


def flow_bodies(flow, document):
    """(body, assembly) of a flow's head, triggers and steps."""
    names = forms.Names.of(document, flow.get("id"))
    yield flow, forms.flow_head_fields(flow, names)
    for trigger in flow.get("on", []):
        yield trigger, trigger_assembly(trigger, names)
    for step in flow["steps"]:
        yield step, step_assembly(step, names)


def agent_bodies(document):
    """(body, assembly) of an agent's head and its registries."""
    names = forms.Names.of(document)
    yield document, forms.agent_head_fields(document, names)
    for field in document.get("fields", {}).values():
        yield field, forms.field_fields(field)
    for event in document.get("events", {}).values():
        yield event, forms.event_fields(event)
    for action in document.get("actions", {}).values():
        yield action, forms.action_fields(action.get("kind", "python"), action, names)
    for condition in document.get("conditions", {}).values():
        yield condition, forms.condition_fields(condition.get("kind", "python"), condition, names)
    for tool in document.get("tools", []):
        yield tool, forms.tool_fields(tool.get("kind", "python"), tool, names)


def all_bodies():
    """Each body once."""
    seen = set()
    for document in documents():
        pairs = [*agent_bodies(document)]
        for flow in document["flows"]:
            pairs += flow_bodies(flow, document)
        for body, assembly in pairs:
            key = json.dumps([sorted(assembly.fields), body])
            if key not in seen:
                seen.add(key)
                yield body, assembly


def _shape(value):
    if isinstance(value, dict):
        return {key: _shape(part) for key, part in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(_shape(part)) for part in value})
    return type(value).__name__


@cache
def _different_bodies():
    shapes = {}
    for body, assembly in all_bodies():
        shapes.setdefault(json.dumps([sorted(assembly.fields), _shape(body)]), (body, assembly))
    return list(shapes.values())


def sampled_bodies(part, parts):
    """A share of the bodies that differ in shape (which keys, which types), the same in every run; in all, a third."""
    return _different_bodies()[part :: 3 * parts]
