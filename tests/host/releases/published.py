"""Releases as rows, for tests that need one and not the way to it."""

from __future__ import annotations

from falai_django.models import Agent, ModelProvider, Release
from falai_django.releases import document_digest

__all__ = ["again", "offline", "release_of", "said"]


def offline(tenant, **more):
    return ModelProvider.objects.create(tenant=tenant, kind="offline", **more)


def said(*texts, **more):
    """A document whose flow `f` says these texts."""
    steps = [{"id": f"s{number}", "kind": "say", "say": text} for number, text in enumerate(texts)]
    return {"specVersion": 1, "flows": [{"id": "f", "name": "F", "steps": steps}], "idle": "silent", **more}


def release_of(tenant, document, number=1, slug="lia"):
    agent, _ = Agent.objects.get_or_create(tenant=tenant, slug=slug, defaults={"name": "Lia"})
    return Release.objects.create(
        agent=agent, number=number, document=document, spec_version=1, digest=document_digest(document)
    )


def again(release):
    """The row as the query of the next turn reads it."""
    return Release.objects.select_related("agent__tenant").defer("document").get(pk=release.pk)
