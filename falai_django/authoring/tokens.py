"""One token for a whole draft: another one after any change of it."""

from __future__ import annotations

import hashlib
from typing import Any

from falai_django.documents import Draft

__all__ = ["draft_token"]


def draft_token(draft: Draft) -> str:
    """Made of the edit tokens of the agent and of all rows below it that have one, the disabled flows' too."""
    rows: list[Any] = [
        draft.agent,
        *(row for named in draft.named.values() for row in named.values()),
        *draft.tools,
        *(each.flow for each in draft.flows),
    ]
    told = " ".join(f"{row._meta.model_name}:{row.pk}:{row.version}" for row in rows)
    return hashlib.sha256(told.encode()).hexdigest()
