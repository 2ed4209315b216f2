"""Publishing makes a sound draft the release that serves, whole or not at all."""

from __future__ import annotations

import copy

import pytest

from falai_django.authoring.publishing import activate, preview, publish, release_changes
from falai_django.errors import AuthoringError, FalaiError, NotAllowedError, StaleEditError
from falai_django.models import Agent, AuditRecord, Field, Flow, Release, Role, Step
from falai_django.registry import action, isolated
from falai_django.releases import compile_release, document_digest
from falai_engine import StartInput, TurnInput
from tests.host.documents.stored import a_tenant, store
from tests.host.links.owners import actor_in, config_version
from tests.host.releases.published import again, offline, release_of, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant():
    tenant = a_tenant()
    offline(tenant)
    return tenant


@pytest.fixture
def publisher(tenant):
    return actor_in(tenant, Role.PUBLISHER, "paula")


@pytest.fixture
def agent(tenant):
    return store(
        said("Olá.", name="Lia", fields={"nome": {"type": "string"}, "cpf": {"type": "string"}}), tenant, "lia"
    )


def say(agent, text):
    step = Step.objects.get(flow__agent=agent)
    step.body = {"say": text}
    step.save()


def fresh(agent):
    return Agent.objects.select_related("active_release").get(pk=agent.pk)


def texts(agent):
    """What the next turn says."""
    release = again(fresh(agent).active_release)
    return [each.text for each in compile_release(release).turn(TurnInput("s1", StartInput("f", "k1"))).messages]


# -- publish


def test_a_published_draft_serves_the_next_turn(agent, publisher):
    made = publish(publisher, agent, "First.")
    assert (made.release.number, made.is_new, made.release.note) == (1, True, "First.")
    assert fresh(agent).active_release == made.release
    assert texts(agent) == ["Olá."]
    say(agent, "Oi.")
    assert texts(agent) == ["Olá."]
    assert publish(publisher, agent).release.number == 2
    assert texts(agent) == ["Oi."]


def test_a_release_is_told_with_who_made_it_and_what_it_is(agent, publisher):
    Field.objects.filter(agent=agent, slug="cpf").update(is_sensitive=True)
    release = publish(publisher, agent).release
    assert (release.created_by, release.created_by_name) == (publisher.user, "paula")
    assert (release.spec_version, release.digest) == (1, document_digest(release.document))
    assert release.sensitive == ["cpf"]
    told = AuditRecord.objects.get(action="publish")
    assert (told.actor_name, told.target, told.detail) == ("paula", "Lia", {"agent": "lia", "release": 1, "note": ""})


def test_a_note_that_no_database_can_keep_is_told(agent, publisher):
    for note in ("a\x00b", "\ud800"):
        with pytest.raises(AuthoringError, match="cannot be kept"):
            publish(publisher, agent, note)
    assert not Release.objects.exists()


def test_a_release_does_not_change_with_the_draft(agent, publisher):
    release = publish(publisher, agent).release
    before = copy.deepcopy(Release.objects.get(pk=release.pk).document)
    say(agent, "Oi.")
    assert Release.objects.get(pk=release.pk).document == before
    with pytest.raises(FalaiError, match="never changes"):
        release.save()


def test_an_unchanged_draft_makes_no_release(agent, publisher):
    first = publish(publisher, agent)
    second = publish(publisher, agent, "Again.")
    assert (second.release, second.is_new) == (first.release, False)
    assert Release.objects.count() == 1
    assert AuditRecord.objects.filter(action="publish").count() == 1


def test_what_is_sensitive_is_part_of_a_release(agent, publisher):
    """Logs of the sessions that it serves are masked by it."""
    publish(publisher, agent)
    Field.objects.filter(agent=agent, slug="cpf").update(is_sensitive=True)
    second = publish(publisher, agent)
    assert (second.is_new, second.release.sensitive) == (True, ["cpf"])


def test_fields_in_another_order_are_another_draft(agent, publisher):
    publish(publisher, agent)
    Field.objects.filter(agent=agent, slug="nome").update(position=9)
    made = publish(publisher, agent)
    assert made.is_new
    assert list(made.release.document["fields"]) == ["cpf", "nome"]


def test_the_first_release_tells_all_as_added_and_a_later_one_what_changed(agent, publisher):
    assert {change.kind for change in publish(publisher, agent).changes} == {"added"}
    say(agent, "Oi.")
    (change,) = publish(publisher, agent).changes
    assert change.place == "flows.f.steps.s0.say"


def test_an_invalid_draft_is_not_published_and_says_why_at_each_row(agent, publisher):
    publish(publisher, agent)
    step = Step.objects.get(flow__agent=agent)
    step.body = {"say": "Oi.", "then": "nowhere", "colour": "red"}
    step.save()
    before = fresh(agent)
    with pytest.raises(AuthoringError, match=r"Lia cannot be published.*nowhere") as refused:
        publish(publisher, agent)
    errors = [problem for problem in refused.value.problems if problem.is_error]
    assert ("then", step) in {(problem.path, problem.row) for problem in errors}
    assert fresh(agent).active_release == before.active_release
    assert Release.objects.count() == 1


def test_all_problems_are_told_at_once(agent, publisher):
    step = Step.objects.get(flow__agent=agent)
    step.body = {"say": "Oi.", "then": "nowhere"}
    step.save()
    Flow.objects.filter(agent=agent).update(head={"collect": ["idade"]})
    with pytest.raises(AuthoringError, match="2 problems stand in the way") as refused:
        publish(publisher, agent)
    assert len([problem for problem in refused.value.problems if problem.is_error]) == 2


def test_an_unregistered_python_name_is_a_problem_of_its_row(tenant, publisher):
    document = {
        "flows": [{"id": "f", "name": "F", "steps": [{"id": "s0", "kind": "do", "do": "save"}]}],
        "actions": {"save": {"kind": "python", "name": "crm.save"}},
        "idle": "silent",
    }
    agent = store(document, tenant, "lia")
    with pytest.raises(AuthoringError) as refused:
        publish(publisher, agent)
    (problem,) = [each for each in refused.value.problems if each.is_error]
    assert (problem.row, problem.path) == (agent.actions.get(), "name")
    with isolated(empty=True):
        action("crm.save")(lambda params, call: None)
        assert publish(publisher, agent).is_new


def test_warnings_hold_up_nothing_and_are_told(tenant, agent, publisher):
    tenant.model_providers.all().delete()
    made = publish(publisher, agent)
    assert made.is_new
    assert "no-provider" in {problem.code for problem in made.warnings}


def test_disabled_flows_stay_out(agent, publisher):
    Flow.objects.create(agent=agent, slug="off", name="Off", is_enabled=False, position=5)
    assert [flow["id"] for flow in publish(publisher, agent).release.document["flows"]] == ["f"]


def test_what_was_published_keeps_its_slug(agent, publisher):
    Flow.objects.create(agent=agent, slug="off", name="Off", is_enabled=False, position=5)
    publish(publisher, agent)
    assert fresh(agent).is_released
    assert set(Field.objects.filter(is_released=True).values_list("slug", flat=True)) == {"nome", "cpf"}
    assert dict(Flow.objects.values_list("slug", "is_released")) == {"f": True, "off": False}


def test_publishing_ends_a_pause_and_its_trouble(agent, publisher):
    Agent.objects.filter(pk=agent.pk).update(
        trouble="agent-unavailable", trouble_detail="x", trouble_at=agent.created_at, paused_until=agent.created_at
    )
    publish(publisher, agent)
    after = fresh(agent)
    assert (after.trouble, after.trouble_detail, after.trouble_at, after.paused_until) == ("", "", None, None)


def test_publishing_is_seen_by_the_key_that_each_turn_reads(tenant, agent, publisher):
    """No process keeps what served before: the release is part of the key, so the tenant's version stays."""
    publish(publisher, agent)
    before = config_version(tenant)
    first = compile_release(again(fresh(agent).active_release))
    say(agent, "Oi.")
    publish(publisher, agent)
    assert compile_release(again(fresh(agent).active_release)) is not first
    assert config_version(tenant) == before


def test_numbers_go_on_after_the_last_one(tenant, agent, publisher):
    release_of(tenant, said("Hm."), number=7)
    assert publish(publisher, agent).release.number == 8


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR, Role.AUTHOR])
def test_it_takes_a_publisher(tenant, agent, publisher, role):
    publish(publisher, agent)
    somebody = actor_in(tenant, role)
    for do in (lambda: publish(somebody, agent), lambda: activate(somebody, agent, 1)):
        with pytest.raises(NotAllowedError):
            do()
    assert preview(somebody, agent).is_unchanged


def test_a_publisher_elsewhere_is_a_stranger_here(agent, publisher):
    publish(publisher, agent)
    stranger = actor_in(a_tenant("other"))
    for do in (
        lambda: publish(stranger, agent),
        lambda: activate(stranger, agent, 1),
        lambda: preview(stranger, agent),
        lambda: release_changes(stranger, agent, 1, "draft"),
    ):
        with pytest.raises(NotAllowedError):
            do()


# -- preview


def test_a_preview_tells_what_publishing_would_do_and_does_nothing(agent, publisher):
    publish(publisher, agent)
    say(agent, "Oi.")
    shown = preview(publisher, agent)
    assert not shown.is_unchanged
    assert [change.place for change in shown.changes] == ["flows.f.steps.s0.say"]
    assert Release.objects.count() == 1
    assert publish(publisher, agent, version=shown.version).is_new
    assert preview(publisher, agent).is_unchanged


def test_a_preview_tells_the_problems_of_a_draft_that_cannot_be_published(agent, publisher):
    Step.objects.filter(flow__agent=agent).update(body={"say": "Oi.", "then": "nowhere"})
    assert [problem.path for problem in preview(publisher, agent).problems if problem.is_error] == ["then"]


def test_nobody_publishes_what_they_have_not_seen(agent, publisher):
    """Somebody saved between the preview and the click."""
    shown = preview(publisher, agent)
    say(agent, "Oi.")
    with pytest.raises(StaleEditError, match="The draft of Lia was saved"):
        publish(publisher, agent, version=shown.version)
    Field.objects.filter(agent=agent, slug="cpf").update(is_sensitive=True)
    assert not Release.objects.exists()


# -- activate


def test_an_older_release_serves_again(agent, publisher):
    publish(publisher, agent)
    say(agent, "Oi.")
    publish(publisher, agent)
    back = activate(publisher, agent, 1)
    assert (back.release.number, back.is_changed) == (1, True)
    assert [change.place for change in back.changes] == ["flows.f.steps.s0.say"]
    assert texts(agent) == ["Olá."]
    told = AuditRecord.objects.get(action="activate")
    assert (told.detail["release"], told.detail["before"]) == (1, 2)
    # the draft is still what was written last, and can be published again
    assert publish(publisher, agent).release.number == 3


def test_activating_what_serves_already_does_nothing(agent, publisher):
    publish(publisher, agent)
    assert not activate(publisher, agent, 1).is_changed
    assert not AuditRecord.objects.filter(action="activate").exists()


def test_a_release_that_there_is_not_cannot_serve(agent, publisher):
    with pytest.raises(AuthoringError, match="no release 4 of Lia"):
        activate(publisher, agent, 4)


def test_a_release_of_another_agent_cannot_serve(tenant, agent, publisher):
    release_of(tenant, said("Hm."), number=4, slug="other")
    with pytest.raises(AuthoringError, match="no release 4"):
        activate(publisher, agent, 4)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({**said("Hm."), "specVersion": 99}, r"Release 4 cannot be read.*version 99"),
        ({**said("Hm."), "actions": {"a": {"kind": "python", "name": "gone"}}}, r"cannot serve any more.*“gone”"),
    ],
    ids=["newer", "removed-name"],
)
def test_a_release_that_cannot_be_used_does_not_serve(tenant, agent, publisher, document, words):
    """Better refused here than at every turn."""
    publish(publisher, agent)
    release_of(tenant, document, number=4)
    with pytest.raises(AuthoringError, match=words):
        activate(publisher, agent, 4)
    assert fresh(agent).active_release.number == 1


def test_a_release_of_an_older_version_serves(tenant, agent, publisher):
    release_of(tenant, {key: value for key, value in said("Hm.").items() if key != "specVersion"}, number=4)
    assert activate(publisher, agent, 4).is_changed
    assert texts(agent) == ["Hm."]


# -- compare


def test_releases_and_the_draft_are_compared_in_words(agent, publisher):
    publish(publisher, agent)
    say(agent, "Oi.")
    publish(publisher, agent)
    say(agent, "Ei.")
    (change,) = release_changes(publisher, agent, 1, "draft")
    assert (change.before, change.after) == ("Olá.", "Ei.")
    (change,) = release_changes(publisher, agent, 2, 1)
    assert (change.before, change.after) == ("Oi.", "Olá.")
    assert release_changes(publisher, agent, 2, 2) == []
