"""The demo's rows are made once, by the app's own rules; secrets are shown once."""

from __future__ import annotations

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command
from django.core.management.base import CommandError

from falai_django.authoring import problems
from falai_django.key_digests import key_digest
from falai_django.models import Agent, ApiKey, AuditRecord, ModelProvider, Release, Tenant
from project.demo.catalog import AGENTS, ENGLISH, PORTUGUESE, document_of
from project.demo.setting_up import ADMIN, set_up


def test_every_agent_of_the_demo_serves(demo):
    """Triage, nudge, mention, hand-off, booking and campaign in Portuguese, one in English; all by releases."""
    assert demo.agents == tuple(each.slug for each in AGENTS)
    found = {agent.slug: agent for agent in Agent.objects.select_related("tenant", "active_release")}
    assert [found[each.slug].tenant.slug for each in AGENTS] == [each.tenant for each in AGENTS]
    assert all(agent.active_release.number == 1 for agent in found.values())
    assert {tenant.slug: tenant.locale for tenant in Tenant.objects.all()} == {PORTUGUESE: "pt-br", ENGLISH: "en"}


def test_nothing_is_wrong_with_them(demo):
    """A newcomer who opens one in the admin finds no list of errors."""
    for agent in Agent.objects.select_related("tenant"):
        assert [each for each in problems(agent) if each.is_error] == []


def test_no_model_of_a_vendor_is_asked(demo):
    assert set(ModelProvider.objects.values_list("kind", flat=True)) == {"offline"}


def test_the_secrets_open_the_doors(demo):
    assert authenticate(username=ADMIN, password=demo.password).is_superuser
    assert ApiKey.objects.get().digest == key_digest(demo.api_key)


def test_a_second_run_keeps_all_and_tells_no_secret(demo):
    before = [Release.objects.count(), AuditRecord.objects.count(), ApiKey.objects.count()]
    again = set_up()
    assert (again.agents, again.password, again.api_key) == ((), None, None)
    assert [Release.objects.count(), AuditRecord.objects.count(), ApiKey.objects.count()] == before
    assert authenticate(username=ADMIN, password=demo.password)


def test_new_secrets_are_made_when_asked_for(demo):
    again = set_up(new_password=True, new_key=True)
    assert authenticate(username=ADMIN, password=again.password)
    assert not authenticate(username=ADMIN, password=demo.password)
    assert {each.digest for each in ApiKey.objects.all()} == {key_digest(demo.api_key), key_digest(again.api_key)}


def test_what_an_author_changed_stays(demo):
    Agent.objects.filter(slug="triage").update(name="Lua")
    set_up()
    assert Agent.objects.get(slug="triage").name == "Lua"


def test_a_start_that_was_interrupted_is_finished(demo):
    """Imported and not published yet, as a kill between the two leaves it."""
    Agent.objects.filter(slug="triage").update(active_release=None, sender=None)
    Release.objects.filter(agent__slug="triage").delete()
    assert set_up().agents == ("triage",)
    agent = Agent.objects.get(slug="triage")
    assert agent.active_release is not None
    assert agent.sender is not None


def test_the_hand_off_is_the_apps_own():
    """The example's action stands for it: nothing of the old name is left."""
    document = document_of(next(each for each in AGENTS if each.slug == "handoff"))
    calls = [step for flow in document["flows"] for step in flow["steps"] if step["kind"] == "do"]
    assert {step["do"] for step in calls} == {"hand_off"}
    assert all(set(step["with"]) == {"reason", "for"} for step in calls)


def test_the_command_is_for_debug_alone(db, settings):
    settings.DEBUG = False
    with pytest.raises(CommandError, match="DEBUG"):
        call_command("quickstart")


def test_the_command_may_only_make_everything(db, settings, capsys):
    settings.DEBUG = True
    call_command("quickstart", "--no-serve")
    told = capsys.readouterr().out
    assert "falai_" in told
    assert ADMIN in told
    call_command("quickstart", "--no-serve")
    assert "falai_" not in capsys.readouterr().out
