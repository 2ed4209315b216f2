"""Placeholders that nothing will fill (spec: flow-spec.md, warnings; engine.md section 11)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from falai_engine.templates import template_paths
from falai_engine.validation.registries import Known
from falai_engine.validation.report import Spot

__all__ = ["check_placeholders", "check_placeholders_deep"]

_ROOT = re.compile(r"\{\{\s*([^{}.\s]+)[^{}]*\}\}")
_ROOTS = ("data", "context", "input")


def check_placeholders(text: Any, spot: Spot, known: Known) -> None:
    """Warn of `{{data.nmae}}`, which names no field or variable, and of `{{name}}`, which names nothing at all."""
    if not isinstance(text, str) or "{{" not in text:
        return
    for root, *keys in template_paths(text):
        if root == "data" and keys and keys[0] not in known.data:
            spot.misnamed("template-unknown-field", keys[0], known.data)
    for root in _ROOT.findall(text):
        if root not in _ROOTS:
            spot.misnamed("template-unknown-root", root, known.data, "data.{}".format)


def check_placeholders_deep(value: Any, spot: Spot, known: Known) -> None:
    """The same for every text inside a JSON value."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            check_placeholders_deep(part, spot.key(key), known)
    elif isinstance(value, (list, tuple)):
        for index, part in enumerate(value):
            check_placeholders_deep(part, spot.item(index), known)
    else:
        check_placeholders(value, spot, known)
