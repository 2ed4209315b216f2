"""JSON merge patches (RFC 7396): how contexts, metadata and anchors are changed (spec: host.md section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["merged"]


def merged(value: Any, patch: Any) -> Any:
    """The value with the patch laid over it: objects member by member, null takes away, anything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(value) if isinstance(value, Mapping) else {}
    for name, part in patch.items():
        if part is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), part)
    return result
