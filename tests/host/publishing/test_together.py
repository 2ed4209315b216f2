"""Publishing while somebody writes, and in another process than the one that serves: real transactions, PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from falai_django.authoring.making import create_part
from falai_django.authoring.publishing import publish
from falai_django.models import Agent, Release, Role, Step
from falai_django.releases import compile_release
from falai_engine import StartInput, TurnInput
from tests.host.at_once import at_once, behind
from tests.host.documents.stored import a_tenant, store
from tests.host.links.owners import actor_in
from tests.host.releases.published import again, offline, said

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="an in-memory SQLite has one connection"),
]
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def tenant():
    tenant = a_tenant()
    offline(tenant)
    return tenant


@pytest.fixture
def publisher(tenant):
    return actor_in(tenant, Role.PUBLISHER)


@pytest.fixture
def agent(tenant):
    return store(said("Olá.", name="Lia"), tenant, "lia")


def say(text):
    return {"kind": "say", "body": {"say": text}}


def test_a_publish_sees_all_of_a_change_or_nothing(agent, publisher):
    """Two steps are added in one transaction; who publishes in between waits, and has both."""
    flow = agent.flows.get()
    publication = behind(
        lambda: create_part(publisher, flow, Step, version=None, values=say("One.")),
        lambda: publish(publisher, agent),
        then=lambda: create_part(publisher, flow, Step, version=None, values=say("Two.")),
    )
    document = publication.release.document
    assert [step["say"] for step in document["flows"][0]["steps"]] == ["Olá.", "One.", "Two."]


def test_two_who_publish_at_once_make_one_release(agent, publisher):
    made = at_once(*[lambda: publish(publisher, agent).is_new] * 2)
    assert sorted(made) == [False, True]
    assert Release.objects.count() == 1


PUBLISH = """
import django
django.setup()
from falai_django.authoring.publishing import publish
from falai_django.models import Agent
from falai_django.roles import Actor
print(publish(Actor.command("other process"), Agent.objects.get()).release.number)
"""


def test_a_publish_in_another_process_is_seen_by_the_next_turn(agent, publisher):
    """Nothing is told to this process; the key of what it keeps is read with every turn."""

    def served():
        release = again(Agent.objects.get().active_release)
        return [each.text for each in compile_release(release).turn(TurnInput("s1", StartInput("f", "k1"))).messages]

    publish(publisher, agent)
    assert served() == ["Olá."]
    Step.objects.filter(flow__agent=agent).update(body={"say": "Oi."})
    assert served() == ["Olá."]
    settings = connection.settings_dict
    address = f"postgres://{settings['USER']}@{settings['HOST']}:{settings['PORT']}/{settings['NAME']}"
    environment = {**os.environ, "DATABASE_URL": address, "DJANGO_SETTINGS_MODULE": "project.settings"}
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", PUBLISH], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "2", done.stderr
    assert served() == ["Oi."]
