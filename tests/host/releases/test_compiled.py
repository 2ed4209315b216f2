"""A release is compiled with what is live now: providers, secrets, hours, registrations of its own tenant."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest
from django.db.models import F
from django.test import override_settings

from falai_django.built_in_actions import HandOff, collected_effects
from falai_django.errors import AgentUnavailableError
from falai_django.models import Holiday, ModelProvider, OpeningSpan, Tenant
from falai_django.registry import action, condition, isolated, tool
from falai_django.releases import (
    compile_draft,
    compile_release,
    document_digest,
    opening_hours_of,
    unavailable_releases,
)
from falai_engine import StartInput, TurnInput
from tests.host.documents.stored import a_tenant, examples, store
from tests.host.releases.published import again, offline, release_of, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant():
    return a_tenant()


@pytest.fixture(autouse=True)
def _registry():
    with isolated(empty=True):
        yield


def changed(tenant):
    """As a save of what is live leaves it."""
    Tenant.objects.filter(pk=tenant.pk).update(config_version=F("config_version") + 1)


def texts(agent, flow="f"):
    return [each.text for each in agent.turn(TurnInput("s1", StartInput(flow, "k1"))).messages]


def test_a_release_takes_turns(tenant):
    offline(tenant)
    assert texts(compile_release(release_of(tenant, said("Olá.")))) == ["Olá."]


def test_the_next_turn_takes_it_from_the_shelf_and_asks_nothing(tenant, django_assert_num_queries):
    """Neither the document nor a row of the configuration is read again."""
    offline(tenant)
    release = release_of(tenant, said("Olá."))
    first = compile_release(again(release))
    row = again(release)
    with django_assert_num_queries(0):
        assert compile_release(row) is first


def test_compiling_reads_the_document_and_the_live_rows_once(tenant, django_assert_num_queries):
    offline(tenant)
    row = again(release_of(tenant, said("Olá.")))
    # the document, providers, opening hours, holidays
    with django_assert_num_queries(4):
        compile_release(row)


def test_what_is_live_is_seen_by_the_next_turn_once_its_version_is_raised(tenant):
    offline(tenant)
    release = release_of(tenant, said("Olá."))
    before = compile_release(again(release))
    ModelProvider.objects.create(
        tenant=tenant, position=1, kind="openai-compatible", model="m", base_url="https://m.example.com/v1"
    )
    changed(tenant)
    after = compile_release(again(release))
    assert (before.provider.name, after.provider.name) == ("offline", "fallback")


def test_an_unchanged_tenant_keeps_what_another_change_made(tenant):
    """A change in one tenant makes no other compile again."""
    other = a_tenant("other")
    offline(tenant)
    offline(other)
    release = release_of(other, said("Olá."))
    before = compile_release(again(release))
    changed(tenant)
    assert compile_release(again(release)) is before


@pytest.mark.parametrize("document", [{"flows": said("Olá.")["flows"], "idle": "silent"}], ids=["version 0"])
def test_a_release_of_an_older_version_of_the_format_is_read(tenant, document):
    offline(tenant)
    assert texts(compile_release(release_of(tenant, document))) == ["Olá."]


def test_a_release_of_a_newer_version_says_so(tenant):
    offline(tenant)
    release = release_of(tenant, {**said("Olá."), "specVersion": 99})
    with pytest.raises(AgentUnavailableError, match=r"Release 1 of “Lia” cannot be used now.* version 99"):
        compile_release(release)


def test_the_tenants_language_and_time_zone_count_not_the_documents(tenant):
    offline(tenant)
    release = release_of(tenant, said("Olá.", locale="en", timezone="Asia/Tokyo"))
    compiled = compile_release(release).compiled
    zone = compiled._zone_name  # noqa: SLF001 - told in prompts alone, which take a turn to see
    assert (compiled.locale, zone) == ("pt-BR", "America/Sao_Paulo")


def test_without_a_provider_it_says_what_to_add(tenant):
    offline(tenant, is_enabled=False)
    with pytest.raises(AgentUnavailableError, match="Passo Leve has no model that its agents could ask"):
        compile_release(release_of(tenant, said("Olá.")))


def test_a_failure_is_not_kept(tenant):
    """Once what was missing is there, the next turn runs, whatever the version says."""
    release = release_of(tenant, said("Olá."))
    with pytest.raises(AgentUnavailableError):
        compile_release(again(release))
    offline(tenant)
    assert texts(compile_release(again(release))) == ["Olá."]


# -- what Python brings


PYTHON = {
    "flows": [{"id": "f", "name": "F", "steps": [{"id": "s0", "kind": "do", "do": "save"}]}],
    "actions": {"save": {"kind": "python", "name": "crm.save"}},
    "conditions": {"vip": {"kind": "python", "name": "is_vip"}},
    "tools": [{"id": "find", "kind": "python"}],
    "idle": "silent",
}


def register(tenants=None, *, but=()):
    calls = []
    if "crm.save" not in but:
        action("crm.save", tenants=tenants)(lambda params, call: calls.append("saved"))
    if "is_vip" not in but:
        condition("is_vip", tenants=tenants)(lambda argument, scope: True)
    if "find" not in but:
        tool("find", tenants=tenants)(lambda arguments, request: 1)
    return calls


def test_registered_names_are_bound(tenant):
    offline(tenant)
    calls = register()
    compile_release(release_of(tenant, PYTHON)).turn(TurnInput("s1", StartInput("f", "k1")))
    assert calls == ["saved"]


@pytest.mark.parametrize("name", ["crm.save", "is_vip", "find"])
def test_a_removed_python_name_is_told(tenant, name):
    """A deployment that forgot a function makes the agent unavailable, and the error names what is missing."""
    offline(tenant)
    register(but=[name])
    with pytest.raises(AgentUnavailableError, match=f"“{name}” for this tenant"):
        compile_release(release_of(tenant, PYTHON))


def test_all_that_is_missing_is_told_at_once(tenant):
    offline(tenant)
    with pytest.raises(AgentUnavailableError) as refused:
        compile_release(release_of(tenant, PYTHON))
    assert [name for name in ("crm.save", "is_vip", "find") if f"“{name}”" in str(refused.value)] == [
        "crm.save",
        "is_vip",
        "find",
    ]


def test_another_tenants_registrations_are_as_good_as_none(tenant):
    offline(tenant)
    register(tenants=["other"])
    with pytest.raises(AgentUnavailableError, match=r"crm\.save"):
        compile_release(release_of(tenant, PYTHON))


def test_built_in_actions_need_no_row(tenant):
    offline(tenant)
    steps = [{"id": "s0", "kind": "do", "do": "hand_off", "with": {"reason": "Angry", "for": "1h"}}]
    agent = compile_release(release_of(tenant, {"flows": [{"id": "f", "steps": steps}], "idle": "silent"}))
    with collected_effects() as effects:
        agent.turn(TurnInput("s1", StartInput("f", "k1")))
    assert [type(each) for each in effects] == [HandOff]


def test_an_http_action_that_cannot_be_made_is_told(tenant):
    offline(tenant)
    request = {"kind": "http", "request": {"method": "GET", "url": "https://{{data.host}}/"}, "answer": {}}
    with pytest.raises(AgentUnavailableError, match="action “get”: the host holds a template"):
        compile_release(release_of(tenant, said("Olá.", actions={"get": request})))


# -- opening hours


def test_the_tenants_rows_are_its_opening_hours(tenant):
    OpeningSpan.objects.create(tenant=tenant, weekday=0, opens=time(9), closes=time(18))
    Holiday.objects.create(tenant=tenant, date=date(2030, 1, 7), name="Closed")
    Holiday.objects.create(tenant=tenant, date=date(2030, 1, 8), name="Short", opens=time(10), closes=time(12))
    hours = opening_hours_of(tenant)
    monday_holiday = datetime(2030, 1, 7, 12, tzinfo=UTC)
    # 10:00 in São Paulo of the day after, which has hours of its own
    assert hours.business_hours(monday_holiday) == datetime(2030, 1, 8, 13, tzinfo=UTC)
    assert hours.business_hours(datetime(2030, 1, 9, tzinfo=UTC)) == datetime(2030, 1, 14, 12, tzinfo=UTC)


def test_waits_end_when_the_tenant_opens(tenant):
    offline(tenant)
    OpeningSpan.objects.create(tenant=tenant, weekday=0, opens=time(9), closes=time(10))
    agent = compile_release(release_of(tenant, said("Olá.")))
    assert agent.compiled.business_hours(datetime(2030, 1, 8, tzinfo=UTC), {}) == datetime(2030, 1, 14, 12, tzinfo=UTC)


# -- drafts


def test_a_draft_is_compiled_as_it_is_now(tenant):
    offline(tenant)
    agent = store(said("Olá."), tenant)
    first = compile_draft(agent)
    assert texts(first) == ["Olá."]
    assert compile_draft(agent) is first
    step = agent.flows.get().steps.get()
    step.body = {"say": "Oi."}
    step.save()
    assert texts(compile_draft(agent)) == ["Oi."]


def test_a_draft_that_cannot_work_says_why(tenant):
    offline(tenant)
    agent = store(said("{{data.nome}}", name="Lia"), tenant)
    agent.flows.get().steps.update(body={"say": "Olá.", "then": "nowhere"})
    with pytest.raises(AgentUnavailableError, match=r"The draft of “Lia” cannot be used now.*nowhere"):
        compile_draft(agent)


@pytest.mark.parametrize("name", sorted(examples()))
def test_every_example_compiles_once_its_python_is_there(tenant, name):
    document = examples()[name]
    for slug, spec in document.get("actions", {}).items():
        if spec.get("kind", "python") == "python":
            action(spec.get("name", slug))(lambda params, call: None)
    for slug, spec in document.get("conditions", {}).items():
        if spec["kind"] == "python":
            condition(spec.get("name", slug))(lambda argument, scope: True)
    for spec in document.get("tools", ()):
        if spec.get("kind", "python") == "python":
            tool(spec.get("name", spec["id"]))(lambda arguments, request: 1)
    offline(tenant)
    agent = store(document, tenant)
    assert len(compile_draft(agent).compiled.flows) == len(document["flows"])


# -- all of them


def test_the_releases_that_cannot_be_used_are_found(tenant, django_assert_max_num_queries):
    offline(tenant)
    good = release_of(tenant, said("Olá."), slug="good")
    bad = release_of(tenant, PYTHON, slug="bad")
    agents = [good.agent, bad.agent, store(said("Olá."), tenant, "unpublished")]
    for release in (good, bad):
        release.agent.active_release = release
        release.agent.save()
    ((agent, why),) = unavailable_releases(agents)
    assert agent.slug == "bad"
    assert "crm.save" in why


def test_the_digest_counts_the_order_of_keys():
    """Fields in another order are asked in another order: another document."""
    assert document_digest({"a": 1, "b": 2}) != document_digest({"b": 2, "a": 1})
    assert document_digest({"a": "é"}) == document_digest({"a": "é"})
    assert len(document_digest({})) == 64


@override_settings(FALAI_COMPILED_AGENTS=1)
def test_the_shelf_is_as_large_as_the_setting_says(tenant):
    offline(tenant)
    one, two = (release_of(tenant, said("Olá."), slug=slug) for slug in ("one", "two"))
    first = compile_release(one)
    compile_release(two)
    assert compile_release(one) is not first
