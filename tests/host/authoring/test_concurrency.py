"""Two writers at once: one of them is told, and nothing is lost or half written.

On SQLite a transaction has the whole database to itself, and a database in memory is one connection's: only a server
can show two at once.
"""

from __future__ import annotations

from contextlib import suppress

import pytest
from django.db import OperationalError, connection, transaction

from falai_django import authoring
from falai_django.authoring import editing_agent, editing_tenant
from falai_django.documents import draft_document
from falai_django.errors import AgentUnavailableError, AuthoringError, InputRefusedError, StaleEditError
from falai_django.failures import FailureCode
from falai_django.faults import at_fault_point
from falai_django.inbox import message, take
from falai_django.models import Agent, Field, Flow, Release, Sender, Session, Step
from falai_django.releases import compile_draft
from falai_django.roles import Actor, Capability
from tests.host.at_once import at_once, behind
from tests.host.documents.stored import a_tenant, examples, store

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="two transactions at once need a database server"),
]

ACTOR = Actor.command("test")


@pytest.fixture
def agent():
    return store(examples()["booking"], a_tenant(), "teo")


def test_of_two_who_save_a_page_one_is_told(agent):
    """Whatever they changed of the flow: its name, a step, a new step."""
    flow = Flow.objects.get(agent=agent)
    step = flow.steps.first()
    results = at_once(
        lambda: authoring.change(ACTOR, flow, {"name": "Meu"}, version=flow.version),
        lambda: authoring.change(ACTOR, step, {"label": "Deles"}, version=flow.version),
        lambda: authoring.create_part(ACTOR, flow, Step, version=flow.version, values={"kind": "say"}),
    )
    assert sorted(isinstance(each, StaleEditError) for each in results) == [False, True, True]
    assert Flow.objects.get().version == flow.version + 1


def test_step_ids_and_slugs_stay_apart(agent):
    """Who makes one at the same moment waits, and gets the next."""
    flow = Flow.objects.get(agent=agent)
    made = at_once(
        *[lambda: authoring.create_part(ACTOR, flow, Step, version=None, values={"kind": "say"})] * 4,
        *[lambda: authoring.create_row(ACTOR, agent, Field, label="Novo")] * 4,
    )
    assert {step.step_id for step in made[:4]} == {"s1", "s2", "s3", "s4"}
    assert {field.slug for field in made[4:]} == {"novo", "novo_2", "novo_3", "novo_4"}
    assert Flow.objects.get().version == flow.version + 4


def test_two_agents_of_a_name_get_two_slugs(agent):
    made = at_once(*[lambda: authoring.create_agent(ACTOR, agent.tenant, values={"name": "Léo"})] * 3)
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
        (refused,) = at_once(author)
        assert draft_document(fresh).document == before
    assert isinstance(refused, OperationalError)
    assert at_once(author)[0].slug == "visita"


def test_two_imports_at_once_leave_one_of_them(agent):
    """Not a mixture of both."""
    documents = [examples()["faq"], examples()["trial"]]
    imported = at_once(
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


def live(agent):
    """It answers customers."""
    agent.active_release = Release.objects.create(
        agent=agent, number=1, document=draft_document(agent).document, spec_version=1, digest="d"
    )
    agent.save()
    return agent


@pytest.mark.parametrize("what", ["agent", "tenant", "preview"])
def test_a_conversation_begins_while_an_author_works(agent, what):
    """Whoever saves, imports or tries a draft keeps other authors out, and no customer."""
    live(agent)

    def begins():
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        return take(agent, "5511", message("oi"))

    with transaction.atomic():
        if what == "preview":
            with suppress(AgentUnavailableError):  # it names Python code that no test registers
                compile_draft(agent)
            (taken,) = at_once(begins)
        else:
            edited = (
                editing_agent(ACTOR, agent)
                if what == "agent"
                else editing_tenant(ACTOR, agent.tenant, Capability.OWN, version=None)
            )
            with edited:
                (taken,) = at_once(begins)
    assert taken.is_new


def test_a_sender_that_is_deleted_meanwhile_is_refused_in_words(agent):
    sender = Sender.objects.create(tenant=agent.tenant, name="Saída", kind=Sender.Kind.POLL)
    refused = behind(
        lambda: authoring.delete_sender(ACTOR, sender),
        lambda: authoring.change_agent_settings(ACTOR, agent, {"sender": sender}, version=None),
    )
    assert isinstance(refused, AuthoringError)
    agent.refresh_from_db()
    assert agent.sender is None


def test_a_sender_that_is_given_meanwhile_stays(agent):
    sender = Sender.objects.create(tenant=agent.tenant, name="Saída", kind=Sender.Kind.POLL)
    refused = behind(
        lambda: authoring.change_agent_settings(ACTOR, agent, {"sender": sender}, version=None),
        lambda: authoring.delete_sender(ACTOR, sender),
    )
    assert isinstance(refused, AuthoringError)
    agent.refresh_from_db()
    assert agent.sender == sender


def test_a_conversation_of_an_agent_that_is_being_deleted_is_refused_in_words(agent):
    live(agent)
    refused = behind(
        lambda: authoring.delete_agent(ACTOR, agent, version=None), lambda: take(agent, "5511", message("oi"))
    )
    assert (type(refused), refused.code) == (InputRefusedError, FailureCode.AGENT_OFF)
    assert not Agent.objects.exists()


def test_an_agent_deleted_while_a_first_input_is_at_the_door(agent):
    """Nothing was promised yet; the agent is gone, and the caller is told."""
    live(agent)
    with at_fault_point(
        "door-before-commit", lambda: at_once(lambda: authoring.delete_agent(ACTOR, agent, version=None))
    ):
        (refused,) = at_once(lambda: take(agent, "5511", message("oi")))
    assert (type(refused), refused.code) == (InputRefusedError, FailureCode.AGENT_OFF)
    assert not Session.objects.exists()


def test_an_agent_whose_first_conversation_begins_meanwhile_stays(agent):
    """Its input is taken, or the agent goes: never a half of both."""
    live(agent)
    results = at_once(
        lambda: take(agent, "5511", message("oi")), lambda: authoring.delete_agent(ACTOR, agent, version=None)
    )
    assert not any(
        isinstance(each, Exception) and not isinstance(each, InputRefusedError | AuthoringError) for each in results
    )
    assert Agent.objects.count() == Session.objects.count()
