"""Flows that releases had: a conversation may still stand in one when its row is gone (spec: host.md section 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from falai_django.authoring.slugs import next_step_number
from falai_django.models import Agent, Release
from falai_django.rows import rows

__all__ = ["first_step_number", "was_in_a_release"]


def first_step_number(agent: Agent, slug: str) -> int:
    """The number of the first step of a new flow of this slug, above all that releases had under it.

    A run that stands on `s1` of a flow that was deleted must not go on in another flow that is called like it.
    """
    return next_step_number(step["id"] for flow in _flows(agent, slug) for step in flow["steps"])


def was_in_a_release(agent: Agent, slug: str) -> bool:
    """Whether any release of the agent had a flow of this slug."""
    return next(_flows(agent, slug), None) is not None


def _flows(agent: Agent, slug: str) -> Iterator[Mapping[str, Any]]:
    # Written as the column writes it, so that only documents which name it are read.
    named = rows(Release).filter(agent=agent).annotate(text=Cast("document", TextField()))
    for document in named.filter(text__contains=f'"id":"{slug}"').values_list("document", flat=True).iterator():
        yield from (flow for flow in document["flows"] if flow["id"] == slug)
