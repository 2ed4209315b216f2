"""The engine's closed schema in each vendor's dialect (spec: providers.md, "On the wire a nullable leaf ...")."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from falai_engine.model import ToolOffer

__all__ = ["for_anthropic", "for_gemini", "instructed", "parameters_of", "union_count", "with_null_in_enums"]

_GEMINI_KEEPS: Final = ("description", "title", "format", "minimum", "maximum", "minItems", "maxItems", "required")


def _mapped(schema: Mapping[str, Any], change: Any) -> dict[str, Any]:
    """A copy in which `change` has been applied to every schema inside."""
    out = dict(schema)
    if isinstance(out.get("properties"), Mapping):
        out["properties"] = {name: change(each) for name, each in out["properties"].items()}
    if isinstance(out.get("items"), Mapping):
        out["items"] = change(out["items"])
    if isinstance(out.get("anyOf"), list):
        out["anyOf"] = [change(each) for each in out["anyOf"]]
    return out


def _types(schema: Mapping[str, Any]) -> list[str]:
    declared = schema.get("type")
    return [declared] if isinstance(declared, str) else list(declared or ())


def with_null_in_enums(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The engine leaves null out of the `enum` of a nullable leaf; a strict vendor would then never answer it."""
    out = _mapped(schema, with_null_in_enums)
    if "null" in _types(out) and isinstance(out.get("enum"), list | tuple):
        out["enum"] = [*(value for value in out["enum"] if value is not None), None]
    return out


def for_anthropic(schema: Mapping[str, Any]) -> dict[str, Any]:
    """As above, an `enum` without its `type`: what the vendor's own package makes of one (anthropic 2.14.0)."""
    out = _mapped(with_null_in_enums(schema), for_anthropic)
    if "enum" in out:
        out.pop("type", None)
    return out


def union_count(schema: Mapping[str, Any]) -> int:
    """How many schemas inside have several types, which a vendor may limit."""
    inside = [*(schema.get("properties") or {}).values(), *([schema["items"]] if "items" in schema else ())]
    return int(len(_types(schema)) > 1) + sum(union_count(each) for each in inside)


def for_gemini(schema: Mapping[str, Any]) -> dict[str, Any]:
    """OpenAPI as `responseSchema` takes it: one type in capitals, `nullable`, an order of properties.

    Only text may have an `enum` there; other values go into the description, and the engine checks them.
    """
    types = _types(schema)
    kind = next((each for each in types if each != "null"), "string")
    out: dict[str, Any] = {"type": kind.upper()}
    out |= {key: schema[key] for key in _GEMINI_KEEPS if key in schema}
    if "null" in types:
        out["nullable"] = True
    values = [value for value in schema.get("enum") or () if value is not None]
    if values and all(isinstance(value, str) and value for value in values):
        out |= {"format": "enum", "enum": values}
    elif values:
        listed = ", ".join(json.dumps(value, ensure_ascii=False) for value in values)
        out["description"] = f"{schema.get('description') or ''} One of: {listed}".strip()
    if kind == "object":
        properties = {name: for_gemini(each) for name, each in (schema.get("properties") or {}).items()}
        out |= {"properties": properties, "propertyOrdering": list(properties)}
    if kind == "array":
        out["items"] = for_gemini(schema.get("items") or {})
    return out


def parameters_of(tool: ToolOffer) -> dict[str, Any]:
    """A tool's parameters as an object's schema, also when the tool takes none."""
    return {"type": "object", "properties": {}} | dict(tool.parameters)


def instructed(prompt: str, schema: Mapping[str, Any]) -> str:
    """The prompt with the schema told in words, for a model that cannot be pinned to it."""
    told = json.dumps(with_null_in_enums(schema), ensure_ascii=False)
    return (
        f"{prompt}\n\nAnswer with one JSON object and nothing else, no code fence and no text around it. "
        f"It must match this JSON Schema:\n{told}"
    )
