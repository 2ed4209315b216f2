"""Two writers at once: one of them is told, and nothing is lost or half written.

On SQLite a transaction has the whole database to itself, and a database in memory is one connection's: only a server
can show two at once.
"""

from __future__ import annotations

import threading

import pytest
from django.db import OperationalError, connection, transaction

from falai_django import authoring
from falai_django.documents import draft_document
from falai_django.errors import StaleEditError
from falai_django.models import Agent, Field, Flow, Step
from falai_django.roles import Actor
from tests.host.documents.stored import a_tenant, examples, store

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="two transactions at once need a database server"),
]

ACTOR = Actor.command("test")


@pytest.fixture
def agent():
    return store(examples()["booking"], a_tenant(), "teo")


def both(*works):
    """Run these at once, each in a connection of its own, begun together; what each returned or raised."""
    ready, results = threading.Barrier(len(works)), [None] * len(works)

    def run(number, work):
        try:
            ready.wait(10)
            results[number] = work()
        except Exception as error:  # noqa: BLE001 - told to the test
            results[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return results


def test_of_two_who_save_a_page_one_is_told(agent):
    """Whatever they changed of the flow: its name, a step, a new step."""
    flow = Flow.objects.get(agent=agent)
    step = flow.steps.first()
    results = both(
        lambda: authoring.change(ACTOR, flow, {"name": "Meu"}, version=flow.version),
        lambda: authoring.change(ACTOR, step, {"label": "Deles"}, version=flow.version),
        lambda: authoring.create_part(ACTOR, flow, Step, version=flow.version, values={"kind": "say"}),
    )
    assert sorted(isinstance(each, StaleEditError) for each in results) == [False, True, True]
    assert Flow.objects.get().version == flow.version + 1


def test_step_ids_and_slugs_stay_apart(agent):
    """Who makes one at the same moment waits, and gets the next."""
    flow = Flow.objects.get(agent=agent)
    made = both(
        *[lambda: authoring.create_part(ACTOR, flow, Step, version=None, values={"kind": "say"})] * 4,
        *[lambda: authoring.create_row(ACTOR, agent, Field, label="Novo")] * 4,
    )
    assert {step.step_id for step in made[:4]} == {"s1", "s2", "s3", "s4"}
    assert {field.slug for field in made[4:]} == {"novo", "novo_2", "novo_3", "novo_4"}
    assert Flow.objects.get().version == flow.version + 4


def test_two_agents_of_a_name_get_two_slugs(agent):
    made = both(*[lambda: authoring.create_agent(ACTOR, agent.tenant, values={"name": "Léo"})] * 3)
    assert {each.slug for each in made} == {"leo", "leo_2", "leo_3"}


def test_who_holds_the_agent_sees_all_of_a_change_or_nothing(agent):
    """As publishing does: whatever writes many rows is either before it or behind it."""

    def author():
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
        return authoring.rename(ACTOR, Field.objects.get(slug="dia"), "visita", version=None)

    with transaction.atomic():
        fresh = Agent.objects.select_for_update().get(pk=agent.pk)
        before = draft_document(fresh).document
        (refused,) = both(author)
        assert draft_document(fresh).document == before
    assert isinstance(refused, OperationalError)
    assert both(author)[0].slug == "visita"


def test_two_imports_at_once_leave_one_of_them(agent):
    """Not a mixture of both."""
    documents = [examples()["faq"], examples()["trial"]]
    imported = both(
        *[
            lambda document=document: authoring.run_import(
                ACTOR, agent, document, mode=authoring.ImportMode.REPLACE, as_draft=True
            )
            for document in documents
        ]
    )
    assert not any(isinstance(each, Exception) for each in imported)
    agent.refresh_from_db()
    slugs = {flow["id"] for flow in draft_document(agent).document["flows"]}
    assert slugs in [{flow["id"] for flow in document["flows"]} for document in documents]
