"""Senders are kept only when they can work, and not taken from under an agent."""

from __future__ import annotations

import pytest

from falai_django.authoring.senders import add_sender, change_sender, delete_sender
from falai_django.errors import AuthoringError, CrossTenantError, NotAllowedError
from falai_django.models import Agent, Role, Secret, Sender
from falai_django.registry import isolated, sender
from tests.host.documents.stored import a_tenant
from tests.host.links.owners import actor_in, config_version

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _registry():
    with isolated(empty=True):
        sender("gateway", tenants=["passo-leve"])(lambda message: None)
        yield


@pytest.fixture
def tenant():
    return a_tenant()


@pytest.fixture
def owner(tenant):
    return actor_in(tenant)


def secret(tenant, name="hook"):
    return Secret.objects.create(tenant=tenant, name=name, ciphertext="x")


def webhook(tenant, **more):
    return {"name": "Gate", "kind": "webhook", "url": "https://example.com/in", "secret": secret(tenant), **more}


def test_each_kind_of_sender_is_kept(tenant, owner):
    before = config_version(tenant)
    add_sender(owner, tenant, **webhook(tenant))
    add_sender(owner, tenant, name="Python", kind="python", python_name="gateway")
    add_sender(owner, tenant, name="Poll", kind="poll")
    assert set(Sender.objects.values_list("kind", flat=True)) == set(Sender.Kind.values)
    assert config_version(tenant) == before + 3


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"url": ""}, "url"),
        ({"url": "example.com"}, "url"),
        ({"url": "ftp://example.com"}, "url"),
        ({"url": "https://user:pw@example.com"}, "url"),
        ({"url": "https://169.254.169.254/"}, "url"),
        ({"url": "http://example.com/"}, "url"),
        ({"secret": None}, "secret"),
        ({"kind": "fax"}, "kind"),
        ({"name": ""}, "name"),
        ({"kind": "python", "python_name": "gatewy"}, "python_name"),
    ],
    ids=["no-url", "no-scheme", "ftp", "password", "metadata", "http", "unsigned", "kind", "name", "python"],
)
def test_a_sender_that_cannot_work_is_not_kept(tenant, owner, values, place):
    with pytest.raises(AuthoringError) as refused:
        add_sender(owner, tenant, **{**webhook(tenant), **values})
    assert [problem.path for problem in refused.value.problems] == [place]
    assert not Sender.objects.exists()


def test_another_tenants_registration_is_as_unknown_as_none():
    other = a_tenant("other")
    with pytest.raises(AuthoringError, match="“gateway”"):
        add_sender(actor_in(other), other, name="Python", kind="python", python_name="gateway")


def test_a_name_is_given_once_in_a_tenant(tenant, owner):
    add_sender(owner, tenant, name="Poll", kind="poll")
    with pytest.raises(AuthoringError) as refused:
        add_sender(owner, tenant, name="Poll", kind="poll")
    assert [problem.path for problem in refused.value.problems] == ["name"]


def test_a_secret_of_another_tenant_cannot_be_used(tenant, owner):
    with pytest.raises(CrossTenantError):
        add_sender(owner, tenant, **webhook(tenant, next_secret=secret(a_tenant("other"))))


def test_a_signing_secret_is_replaced_step_by_step(tenant, owner):
    row = add_sender(owner, tenant, **webhook(tenant))
    new = secret(tenant, "new")
    assert change_sender(owner, row, next_secret=new).next_secret == new
    row = change_sender(owner, row, secret=new, next_secret=None)
    assert (row.secret, row.next_secret) == (new, None)


def test_a_sender_that_an_agent_uses_is_not_deleted(tenant, owner):
    row = add_sender(owner, tenant, name="Poll", kind="poll")
    Agent.objects.create(tenant=tenant, slug="lia", name="Lia", sender=row)
    with pytest.raises(AuthoringError, match="Lia send by “Poll”"):
        delete_sender(owner, row)


def test_a_sender_is_deleted(tenant, owner):
    row = add_sender(owner, tenant, name="Poll", kind="poll")
    delete_sender(owner, row)
    assert not Sender.objects.exists()
    with pytest.raises(AuthoringError, match="gone"):
        change_sender(owner, row, name="X")


def changes(actor, tenant, row):
    return (
        lambda: add_sender(actor, tenant, name="X", kind="poll"),
        lambda: change_sender(actor, row, name="Y"),
        lambda: delete_sender(actor, row),
    )


@pytest.mark.parametrize("role", [role for role in Role if role != Role.OWNER])
def test_owners_alone_change_senders(tenant, owner, role):
    row = add_sender(owner, tenant, name="Poll", kind="poll")
    for change in changes(actor_in(tenant, role), tenant, row):
        with pytest.raises(NotAllowedError):
            change()


def test_an_owner_elsewhere_is_a_stranger_here(tenant, owner):
    row = add_sender(owner, tenant, name="Poll", kind="poll")
    for change in changes(actor_in(a_tenant("other")), tenant, row):
        with pytest.raises(NotAllowedError):
            change()
