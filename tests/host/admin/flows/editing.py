"""Opening a row's page and saving it, as somebody at a browser does."""

from __future__ import annotations

import json

from falai_django.documents import draft_document
from falai_django.models import Action, Agent, Condition, Event, Field, Flow, Step, Tool, Trigger
from tests.host.admin.doors import url_of
from tests.host.admin.posting import post_of

__all__ = ["BODIES", "address", "document_of", "rows_of_agent", "save", "told"]

BODIES = (Field, Action, Event, Condition, Tool, Flow, Trigger, Step)


def address(row, page="change"):
    return url_of(row._meta.model_name, page, row)


def save(client, row, *changes, stays=True):
    """The answer to the page of a row, sent back with these inputs changed."""
    more = (("_continue", "1"),) if stays else ()
    return client.post(address(row), post_of(client.get(address(row)), *changes, *more))


def rows_of_agent(agent):
    """The agent and every row of its draft."""
    yield agent
    for model in BODIES:
        above = "flow__agent" if model in (Trigger, Step) else "agent"
        yield from model.objects.filter(**{above: agent})


def document_of(agent):
    """The draft as text, in its order."""
    flows = list(Flow.objects.filter(agent=agent).values_list("pk", flat=True))
    return json.dumps(draft_document(Agent.objects.get(pk=agent.pk), also=flows).document)


def told(response):
    """The messages that the page which follows shows."""
    return [str(message) for message in response.context["messages"]]
