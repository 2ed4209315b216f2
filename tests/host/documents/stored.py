"""Documents for the tests of this folder and of `authoring`: the examples, the vectors, and rows made of them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

from falai_django.documents import rows_of
from falai_django.models import Action, Agent, Condition, Event, Field, Flow, Step, Tenant, Tool, Trigger
from falai_engine.spec.steps import step_kind
from falai_engine.testing.stage import SCENARIO_CONDITIONS

ROOT = Path(__file__).resolve().parents[3]
SLUG = re.compile(r"[a-z0-9_-]+")


def examples():
    """Every example agent, by the name of its file."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(ROOT.glob("examples/*.json"))}


def vectors():
    """The agents of the vectors as documents that rows can hold: kinds are added, other names than slugs left out."""
    named = json.loads((ROOT / "tests/vectors/scenarios-named.json").read_text("utf-8"))
    with gzip.open(ROOT / "tests/vectors/scenarios-random.json.gz", "rt", encoding="utf-8") as file:
        scenarios = [*named, *json.load(file)]
    documents = {f"{number} {each['name']}": _document(each["agent"]) for number, each in enumerate(scenarios)}
    return {name: each for name, each in documents.items() if _is_sluggish(each)}


def _document(agent):
    names = {name: {} for name in SCENARIO_CONDITIONS if SLUG.fullmatch(name)}
    return {
        **agent,
        "actions": _pythons(agent.get("actions") or {}),
        "conditions": _pythons({**names, **(agent.get("conditions") or {})}),
        "tools": [{"id": each["id"], **_python(each["id"], each)} for each in agent.get("tools") or ()],
    }


def _pythons(specs):
    return {name: _python(name, each) for name, each in specs.items()}


def _python(name, spec):
    return {"kind": "python", "name": name, **spec}


def _is_sluggish(document):
    names = [each["id"] for each in document["flows"]]
    return all(SLUG.fullmatch(name) for name in (*names, *document["fields"], *(document.get("events") or ())))


def normal(document, tenant):
    """A document as rows write it: every kind named, the registries always there, the tenant's place in the world."""
    empty = {"flows": [], "fields": {}, "actions": {}, "events": {}, "conditions": {}, "tools": []}
    full = {**empty, **{key: value for key, value in document.items() if value not in (None, [], {})}}
    full["flows"] = [_normal_flow(flow) for flow in full["flows"]]
    for key in ("actions", "conditions"):
        full[key] = {name: {"kind": "python", **each} for name, each in full[key].items()}
    full["tools"] = [{"kind": "python", **each} for each in full["tools"]]
    return {**full, "specVersion": 1, "locale": "pt-BR", "timezone": tenant.time_zone}


def _normal_flow(flow):
    steps = [{**step, "kind": step.get("kind") or step_kind(step)} for step in flow["steps"]]
    return {key: value for key, value in {**flow, "steps": steps}.items() if key != "on" or value}


def a_tenant(slug="passo-leve"):
    return Tenant.objects.create(slug=slug, name="Passo Leve", locale="pt-br", time_zone="America/Sao_Paulo")


def store(document, tenant, slug="agent"):
    """An agent with the rows of a document, just as they were read."""
    rows = rows_of(document)
    agent = Agent.objects.create(tenant=tenant, slug=slug, **rows.agent)
    for model, values in (
        (Field, rows.fields),
        (Action, rows.actions),
        (Event, rows.events),
        (Condition, rows.conditions),
        (Tool, rows.tools),
    ):
        model.objects.bulk_create([model(agent=agent, **each) for each in values])
    for each in rows.flows:
        flow = Flow.objects.create(agent=agent, **each.flow)
        Trigger.objects.bulk_create([Trigger(flow=flow, **values) for values in each.triggers])
        Step.objects.bulk_create([Step(flow=flow, **values) for values in each.steps])
    return Agent.objects.get(pk=agent.pk)
