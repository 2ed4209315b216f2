"""falai_publish and falai_check: from a draft to what serves, and whether it can."""

from __future__ import annotations

import pytest
from django.core.management import CommandError

from falai_django.authoring.publishing import publish
from falai_django.models import Agent, AuditRecord, Release, Step
from falai_django.registry import action, isolated
from falai_django.releases import forget_compiled
from falai_django.roles import Actor
from tests.host.documents.stored import a_tenant, store
from tests.host.releases.published import offline, said


def body(agent, **spec):
    step = Step.objects.get(flow__agent=agent)
    step.body = spec
    step.save()


def test_a_draft_is_published_with_a_note(agent, run):
    assert "release 1 of “Lia” serves now" in run("falai_publish", "--agent", "lia", "--note", "First.")
    assert Agent.objects.get().active_release.note == "First."
    assert AuditRecord.objects.get(action="publish").actor_name == "falai_publish"


def test_publishing_tells_what_changes(agent, run):
    run("falai_publish", "--agent", "lia")
    body(agent, say="Oi.")
    printed = run("falai_publish", "--agent", "lia")
    assert "Oi." in printed
    assert "release 2" in printed


def test_publishing_what_serves_already_says_so(agent, run):
    run("falai_publish", "--agent", "lia")
    assert "Nothing to publish: the draft says what release 1 says." in run("falai_publish", "--agent", "lia")
    assert "Nothing to publish" in run("falai_publish", "--agent", "lia", "--dry-run")


def test_a_dry_run_publishes_nothing(agent, run):
    assert "dry run" in run("falai_publish", "--agent", "lia", "--dry-run")
    assert not Release.objects.exists()


@pytest.mark.parametrize("more", [[], ["--dry-run"]], ids=["publish", "dry-run"])
def test_an_invalid_draft_ends_with_an_error(agent, run, more):
    body(agent, say="Oi.", then="nowhere")
    with pytest.raises(CommandError):
        run("falai_publish", "--agent", "lia", *more)
    assert not Release.objects.exists()


def test_every_problem_is_told_at_its_row(agent, run):
    body(agent, say="Oi.", then="nowhere", colour="red")
    with pytest.raises(CommandError) as refused:
        run("falai_publish", "--agent", "lia")
    assert "error Step “Say a fixed text (s0)”, then: " in str(refused.value)
    assert "Step “Say a fixed text (s0)”, colour: " in str(refused.value)


def test_an_older_release_serves_again(agent, run):
    run("falai_publish", "--agent", "lia")
    body(agent, say="Oi.")
    run("falai_publish", "--agent", "lia")
    assert "Release 1 of “Lia” serves now." in run("falai_publish", "--agent", "lia", "--activate", "1")
    assert "Release 1 of “Lia” serves already." in run("falai_publish", "--agent", "lia", "--activate", "1")
    with pytest.raises(CommandError, match="no release 9"):
        run("falai_publish", "--agent", "lia", "--activate", "9")


# -- check


def test_sound_drafts_are_fine(agent, run):
    store(said("Hi."), agent.tenant, "other")
    assert run("falai_check").endswith("\n2 agents are fine.\n")
    assert run("falai_check", "--agent", "lia").endswith("\n1 agent is fine.\n")


def test_errors_of_any_draft_end_with_an_error_and_warnings_do_not(agent, run):
    other = a_tenant("other")
    bad = store(said("Hi.", name="Bad"), other, "bad")
    assert "warning" in run("falai_check")
    body(bad, say="Hi.", then="nowhere")
    with pytest.raises(CommandError, match="1 agent has errors"):
        run("falai_check")
    with pytest.raises(CommandError):
        run("falai_check", "--tenant", "other")
    assert "fine" in run("falai_check", "--tenant", "acme")


def test_a_draft_of_a_newer_version_is_an_error_and_hides_no_other(agent, run):
    agent.flows.update(schema_version=99)
    store(said("Hi."), agent.tenant, "other")
    with pytest.raises(CommandError, match="1 agent has errors"):
        run("falai_check")


def test_a_deployment_that_forgot_a_function_is_told_before_it_serves(agent, run):
    with isolated(empty=True):
        action("crm.save")(lambda params, call: None)
        document = {"flows": [], "actions": {"save": {"kind": "python", "name": "crm.save"}}, "idle": "silent"}
        publish(Actor.command("test"), store(document, agent.tenant, "crm"))
        publish(Actor.command("test"), agent)
        assert run("falai_check", "--releases") == "2 agents are fine.\n"
    # as the next process begins
    forget_compiled()
    with pytest.raises(CommandError, match="1 agent has errors"):
        run("falai_check", "--releases")


def test_an_agent_without_a_release_has_none_to_check(agent, run):
    agent.tenant.model_providers.all().delete()
    assert "fine" in run("falai_check", "--releases")
    offline(agent.tenant)
