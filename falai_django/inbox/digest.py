"""Whether two inputs of one key are the same input (spec: host.md section 3)."""

from __future__ import annotations

import hashlib
import json

from falai_django.inbox.inputs import Input

__all__ = ["digest_of"]


def digest_of(given: Input) -> str:
    """SHA-256 of what happened: never of context, history, `at` or how the answer leaves."""
    happened = json.dumps([str(given.kind), given.what], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(happened.encode()).hexdigest()
