"""Settings of tenants and agents: typed as people write them, live at once, and never over what somebody else saved."""

from __future__ import annotations

from datetime import date, time

import pytest
from django.contrib.auth.models import User

from falai_django.models import Agent, Role, Tenant
from tests.host.admin.doors import url_of
from tests.host.admin.posting import form_of, inputs_of, post_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(alpha, enter):
    return enter(alpha.user(Role.OWNER))


def version(alpha):
    return Tenant.objects.values_list("config_version", flat=True).get(pk=alpha.tenant.pk)


# Tenants


def test_a_tenant_is_changed_and_every_process_will_see_it(alpha, owner):
    url, before = url_of("tenant", "change", alpha.tenant), version(alpha)
    owner.post(url, post_of(owner.get(url), ("time_zone", "Europe/Lisbon"), ("tokens_per_day", "1000")))
    alpha.tenant.refresh_from_db()
    assert (alpha.tenant.time_zone, alpha.tenant.tokens_per_day) == ("Europe/Lisbon", 1000)
    assert version(alpha) > before


def test_saving_a_tenant_unchanged_changes_nothing(alpha, owner):
    url, before = url_of("tenant", "change", alpha.tenant), version(alpha)
    assert owner.post(url, post_of(owner.get(url))).status_code == 302
    assert version(alpha) == before
    assert alpha.tenant.opening_spans.get().pk == alpha.opening_span.pk


def test_opening_hours_and_holidays_are_saved_with_the_tenant(alpha, owner):
    url, before = url_of("tenant", "change", alpha.tenant), version(alpha)
    changes = [
        ("opening_spans-1-weekday", "5"),
        ("opening_spans-1-opens", "22:00"),
        ("opening_spans-1-closes", "02:00"),
        ("holidays-0-name", "New Year"),
        ("holidays-1-date", "2030-12-25"),
    ]
    assert owner.post(url, post_of(owner.get(url), *changes)).status_code == 302
    spans = alpha.tenant.opening_spans.values_list("weekday", "opens", "closes")
    assert list(spans) == [(0, time(8), time(18)), (5, time(22), time(2))]
    assert list(alpha.tenant.holidays.values_list("date", "name")) == [
        (date(2030, 1, 1), "New Year"),
        (date(2030, 12, 25), ""),
    ]
    assert version(alpha) > before


def test_an_opening_span_is_taken_out(alpha, owner):
    url = url_of("tenant", "change", alpha.tenant)
    owner.post(url, post_of(owner.get(url), ("opening_spans-0-DELETE", "on")))
    assert not alpha.tenant.opening_spans.exists()


def test_a_holiday_with_one_time_alone_is_refused(alpha, owner):
    url = url_of("tenant", "change", alpha.tenant)
    refused = owner.post(url, post_of(owner.get(url), ("holidays-0-opens", "09:00")))
    assert "Give both times" in refused.content.decode()
    assert alpha.tenant.holidays.get().opens is None


def test_a_tenant_is_made_by_a_superuser_with_its_owner(
    alpha, owner, enter, mailoutbox, django_capture_on_commit_callbacks
):
    root = enter(User.objects.create_superuser("root", "root@example.com", "x"))
    url = url_of("tenant", "add")
    assert owner.get(url).status_code == 403
    data = post_of(root.get(url), ("name", "New"), ("slug", "new"), ("owner", "boss@example.com"))
    with django_capture_on_commit_callbacks(execute=True):
        assert root.post(url, data).status_code == 302
    assert Tenant.objects.get(slug="new").memberships.get().role == Role.OWNER
    assert [mail.to for mail in mailoutbox] == [["boss@example.com"]]
    again = root.post(url, data).content.decode()
    assert "already exists" in again


# Agents


def test_an_agent_is_made_with_a_slug_of_its_name(alpha, enter):
    author = enter(alpha.user(Role.AUTHOR))
    url = url_of("agent", "add")
    response = author.post(url, post_of(author.get(url), ("name", "Atenção Básica")))
    agent = Agent.objects.get(name="Atenção Básica")
    assert agent.slug == "atencao_basica"
    assert agent.tenant == alpha.tenant
    assert response.status_code == 302


def test_an_author_changes_the_draft_and_a_publisher_what_is_live(alpha, enter):
    url, before = url_of("agent", "change", alpha.agent), version(alpha)
    author = enter(alpha.user(Role.AUTHOR))
    page = author.get(url)
    assert "goal" in inputs_of(page)
    assert "apology" not in inputs_of(page)
    author.post(url, post_of(page, ("goal", "A new goal"), ("apology", "forged")))
    agent = Agent.objects.get(pk=alpha.agent.pk)
    assert (agent.goal, agent.apology) == ("A new goal", alpha.agent.apology)
    assert version(alpha) == before
    publisher = enter(alpha.user(Role.PUBLISHER))
    data = post_of(publisher.get(url), ("gather_ms", "2.5"), ("human_silence_0", "30"), ("human_silence_1", "m"))
    publisher.post(url, data)
    agent.refresh_from_db()
    assert (agent.gather_ms, agent.human_silence, agent.goal) == (2500, "30m", "A new goal")
    assert version(alpha) > before


def test_saving_an_agent_unchanged_changes_nothing(alpha, owner):
    url = url_of("agent", "change", alpha.agent)
    before = Agent.objects.values().get(pk=alpha.agent.pk)
    assert owner.post(url, post_of(owner.get(url))).status_code == 302
    assert Agent.objects.values().get(pk=alpha.agent.pk) == before


def test_a_slug_stays_once_a_release_uses_it(alpha, owner):
    url = url_of("agent", "change", alpha.agent)
    owner.post(url, post_of(owner.get(url), ("slug", "another-slug")))
    assert Agent.objects.get(pk=alpha.agent.pk).slug == "another-slug"
    Agent.objects.filter(pk=alpha.agent.pk).update(is_released=True)
    assert "slug" not in inputs_of(owner.get(url))


def test_a_slug_that_cannot_be_is_told_at_its_input(alpha, owner):
    url = url_of("agent", "change", alpha.agent)
    refused = owner.post(url, post_of(owner.get(url), ("slug", alpha.other.agent.slug), ("goal", "kept goal")))
    assert refused.status_code == 200
    assert refused.context["adminform"].form.errors["slug"]
    assert "kept goal" in form_of(refused)
    assert Agent.objects.get(pk=alpha.agent.pk).goal == alpha.agent.goal


# Two tabs


@pytest.mark.parametrize("name", ["agent", "tenant"])
def test_a_stale_page_overwrites_nothing_and_keeps_what_was_typed(alpha, enter, name):
    row, field = (alpha.agent, "goal") if name == "agent" else (alpha.tenant, "name")
    url = url_of(name, "change", row)
    mine, theirs = enter(alpha.user(Role.OWNER)), enter(User.objects.create_superuser("root", "r@example.com", "x"))
    opened = mine.get(url)
    assert theirs.post(url, post_of(theirs.get(url), (field, "Theirs first"))).status_code == 302
    refused = mine.post(url, post_of(opened, (field, "Mine second")))
    shown = refused.content.decode()
    assert refused.status_code == 200
    assert "meanwhile" in shown
    assert "Mine second" in form_of(refused)
    assert f'<a href="{url}">' in shown
    row.refresh_from_db()
    assert getattr(row, field) == "Theirs first"
    assert mine.post(url, post_of(refused)).status_code == 200
    if name == "agent":
        assert "by root" in shown
    again = post_of(mine.get(url), (field, "Mine third"))
    assert mine.post(url, again).status_code == 302
    row.refresh_from_db()
    assert getattr(row, field) == "Mine third"


def test_a_page_that_does_not_say_what_it_shows_saves_nothing(alpha, owner):
    url = url_of("agent", "change", alpha.agent)
    data = post_of(owner.get(url), ("goal", "Forged"))
    del data["version"]
    assert "did not say which state" in owner.post(url, data).content.decode()
    assert Agent.objects.get(pk=alpha.agent.pk).goal == alpha.agent.goal


def test_an_agent_with_conversations_is_not_deleted(alpha, owner):
    response = owner.post(url_of("agent", "delete", alpha.agent), {"post": "yes"}, follow=True)
    assert "has conversations" in response.content.decode()
    assert Agent.objects.filter(pk=alpha.agent.pk).exists()
