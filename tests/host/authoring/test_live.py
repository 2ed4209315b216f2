"""What is live: who may change it, and that every process sees it at its next turn."""

from __future__ import annotations

from datetime import date, time

import pytest

from falai_django import authoring
from falai_django.errors import AuthoringError, NotAllowedError, StaleEditError
from falai_django.models import Agent, Field, Flow, Holiday, ModelProvider, OpeningSpan, Role, Sender, Tenant
from tests.host.documents.stored import a_tenant


def config(tenant):
    return Tenant.objects.get(pk=tenant.pk).config_version


@pytest.fixture
def owner(member):
    return member(Role.OWNER)


@pytest.fixture
def publisher(member):
    return member(Role.PUBLISHER)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("is_active", False),
        ("deliver", "sender"),
        ("gather_ms", 900),
        ("close_after_days", 30),
        ("human_silence", "2h"),
        ("apology", "Desculpe!"),
        ("off_text", "Voltamos já."),
        ("turns_per_hour", 5),
        ("unanswered_in_a_row", 2),
    ],
)
def test_a_setting_of_an_agent_is_live_at_once(publisher, agent, name, value):
    """And says so to every process; the draft's row is stamped as after any change."""
    before = config(agent.tenant)
    after = authoring.change_agent_settings(publisher, agent, {name: value}, version=agent.version)
    assert getattr(Agent.objects.get(pk=agent.pk), name) == value
    assert config(agent.tenant) == before + 1
    assert (after.version, after.changed_by) == (agent.version + 1, publisher.name)
    assert authoring.change_agent_settings(publisher, agent, {name: value}, version=None).version == after.version
    assert config(agent.tenant) == before + 1


def test_the_draft_is_not_live(author, agent):
    """Authors change nothing that customers notice before it is published."""
    before = config(agent.tenant)
    authoring.change(author, agent, {"goal": "x"}, version=None)
    authoring.create_row(author, agent, Field, slug="x")
    authoring.duplicate_flow(author, Flow.objects.get())
    assert config(agent.tenant) == before
    with pytest.raises(NotAllowedError):
        authoring.change_agent_settings(author, agent, {"apology": "x"}, version=None)


def test_a_sender_is_one_of_the_tenant(publisher, agent):
    own = Sender.objects.create(tenant=agent.tenant, name="zap", kind="poll")
    other = Sender.objects.create(tenant=a_tenant("other"), name="zap", kind="poll")
    assert authoring.change_agent_settings(publisher, agent, {"sender": own}, version=None).sender == own
    with pytest.raises(AuthoringError, match="no such sender"):
        authoring.change_agent_settings(publisher, agent, {"sender": other}, version=None)
    assert authoring.change_agent_settings(publisher, agent, {"sender": None}, version=None).sender is None


def test_a_setting_that_cannot_be_is_told_at_its_input(publisher, agent):
    values = {"human_silence": "soon", "gather_ms": 10**9, "deliver": "pigeon", "turns_per_hour": 0}
    with pytest.raises(AuthoringError) as caught:
        authoring.change_agent_settings(publisher, agent, values, version=None)
    assert {problem.path for problem in caught.value.problems} == set(values)
    assert config(agent.tenant) == agent.tenant.config_version


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("time_zone", "Europe/Lisbon"),
        ("locale", "en"),
        ("is_active", False),
        ("tokens_per_day", 10),
        ("grace_hours", 1),
    ],
)
def test_a_setting_of_a_tenant(owner, tenant, name, value):
    before = config(tenant)
    after = authoring.change_tenant(owner, tenant, {name: value}, version=before)
    assert getattr(Tenant.objects.get(pk=tenant.pk), name) == value
    assert after.config_version == config(tenant) == before + 1
    with pytest.raises(StaleEditError):
        authoring.change_tenant(owner, tenant, {name: value}, version=before)


def test_a_time_zone_that_is_none_is_refused(owner, tenant):
    with pytest.raises(AuthoringError, match="time zone"):
        authoring.change_tenant(owner, tenant, {"time_zone": "Mars/Olympus"}, version=None)


def test_opening_hours_are_replaced_as_a_whole(owner, tenant):
    OpeningSpan.objects.create(tenant=tenant, weekday=6, opens=time(1), closes=time(2))
    before = config(tenant)
    week = [(0, time(9), time(12)), (0, time(13), time(18)), (4, time(22), time(2))]
    authoring.set_opening_hours(owner, tenant, week, version=before)
    stored = [(row.weekday, row.opens, row.closes) for row in OpeningSpan.objects.filter(tenant=tenant)]
    assert stored == week
    assert config(tenant) == before + 1


def test_every_span_that_cannot_be_is_told(owner, tenant):
    """By its number; the week stays as it was."""
    OpeningSpan.objects.create(tenant=tenant, weekday=6, opens=time(1), closes=time(2))
    week = [(0, time(9), time(12)), (9, time(9), time(12)), (0, time(9), time(18))]
    with pytest.raises(AuthoringError) as caught:
        authoring.set_opening_hours(owner, tenant, week, version=None)
    assert {problem.path.partition(".")[0] for problem in caught.value.problems} == {"1", "2"}
    assert OpeningSpan.objects.get().weekday == 6


def test_holidays_are_replaced_as_a_whole(owner, tenant):
    before = config(tenant)
    days = [(date(2030, 1, 1), "Ano-novo", None, None), (date(2030, 12, 24), "", time(9), time(12))]
    authoring.set_holidays(owner, tenant, days, version=before)
    assert [(row.date, row.name, row.opens, row.closes) for row in Holiday.objects.all()] == days
    assert config(tenant) == before + 1
    for wrong in ([(date(2030, 1, 1), "", time(9), None)], [days[0], days[0]]):
        with pytest.raises(AuthoringError):
            authoring.set_holidays(owner, tenant, wrong, version=None)
    assert Holiday.objects.count() == 2


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR, Role.AUTHOR, Role.PUBLISHER])
def test_a_tenants_settings_are_its_owners(member, tenant, role):
    actor = member(role)
    for call in (
        lambda: authoring.change_tenant(actor, tenant, {"is_active": False}, version=None),
        lambda: authoring.set_opening_hours(actor, tenant, [], version=None),
        lambda: authoring.set_holidays(actor, tenant, [], version=None),
    ):
        with pytest.raises(NotAllowedError):
            call()
    assert ModelProvider.objects.count() == 0
