"""Drafts as files: the document, and under `host` what rows hold beyond it (spec: host.md section 2)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from falai_django.documents.drafts import Draft, FlowRows, draft_document
from falai_django.documents.host_part import settings_spec
from falai_django.documents.specs import flow_spec
from falai_django.models import SCHEMA_VERSION, Agent, Field, Flow, Step, Trigger
from falai_django.rows import rows

__all__ = ["document_bytes", "export_document", "export_flow"]

_HALF_PAIR: Final = re.compile(r"[\ud800-\udfff]")


def export_document(agent: Agent) -> dict[str, Any]:
    """The draft and `host`. An import of it makes the same rows, those of flows that are switched off too."""
    off = rows(Flow).filter(agent=agent, is_enabled=False).values_list("pk", flat=True)
    draft = draft_document(agent, also=list(off))
    flows = [each for each in draft.flows if each.flow.is_enabled]
    enabled = [spec for spec, each in zip(draft.document["flows"], draft.flows, strict=True) if each.flow.is_enabled]
    return {**draft.document, "flows": enabled, "host": _host(draft, all_enabled=len(flows) == len(draft.flows))}


def export_flow(flow: Flow) -> dict[str, Any]:
    """One flow by itself, readable as a flow of flow-spec.md, with `specVersion` and `host`."""
    triggers = tuple(rows(Trigger).filter(flow=flow).order_by("position", "pk"))
    steps = tuple(rows(Step).filter(flow=flow).order_by("position", "pk"))
    labels = _labels([FlowRows(flow, triggers, steps)])
    host = {"triggerLabels": labels} if labels else {}
    return {"specVersion": SCHEMA_VERSION, **flow_spec(flow, triggers, steps), "host": host}


def document_bytes(document: Mapping[str, Any]) -> bytes:
    """UTF-8 JSON for people and version control: the same bytes for the same document."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2)
    return (_HALF_PAIR.sub(lambda half: f"\\u{ord(half[0]):04x}", text) + "\n").encode()


def _host(draft: Draft, *, all_enabled: bool) -> dict[str, Any]:
    fields: Iterable[Any] = draft.named["fields"].values()
    off = [spec for spec, each in zip(draft.document["flows"], draft.flows, strict=True) if not each.flow.is_enabled]
    host = {
        "slug": draft.agent.slug,
        "settings": settings_spec(draft.agent),
        "sensitive": [field.slug for field in fields if isinstance(field, Field) and field.is_sensitive],
        "triggerLabels": _labels(draft.flows),
        "disabledFlows": off,
        "flowOrder": [] if all_enabled else [each.flow.slug for each in draft.flows],
        "needs": _needs(draft),
    }
    # Which fields are sensitive is told also when none is: an import may then trust it.
    return {key: value for key, value in host.items() if value or key == "sensitive"}


def _labels(flows: Iterable[FlowRows]) -> dict[str, list[str]]:
    labels = {each.flow.slug: [trigger.label for trigger in each.triggers] for each in flows}
    return {slug: texts for slug, texts in labels.items() if any(texts)}


def _needs(draft: Draft) -> dict[str, Any]:
    providers = draft.agent.tenant.model_providers.filter(is_enabled=True).order_by("position", "pk")
    needs = {
        "secrets": sorted(_secret_names(draft.document)),
        "providers": [f"{provider.kind} {provider.model}".strip() for provider in providers],
    }
    return {key: names for key, names in needs.items() if names}


def _secret_names(document: Mapping[str, Any]) -> set[str]:
    definitions = [*document["actions"].values(), *document["tools"]]
    requests = [each.get("request") for each in definitions]
    secrets = [request.get("secrets") for request in requests if isinstance(request, Mapping)]
    return {name for names in secrets if isinstance(names, Mapping) for name in names}
