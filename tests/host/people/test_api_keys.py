"""An API key is shown once, opens one tenant, and can be taken back."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from falai_django.authoring.api_keys import make_api_key, revoke_api_key
from falai_django.errors import AuthoringError, NotAllowedError
from falai_django.key_digests import key_digest, new_key
from falai_django.models import ApiKey, AuditRecord, Membership, Role, Tenant
from falai_django.roles import Actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant():
    return Tenant.objects.create(slug="acme", name="Acme")


def actor(tenant, role=Role.OWNER, name="olga"):
    user = User.objects.create_user(name)
    Membership.objects.create(tenant=tenant, user=user, role=role)
    return Actor.of_user(user)


def test_the_secret_is_shown_once_and_kept_nowhere(tenant):
    made = make_api_key(actor(tenant), tenant, " Site ", ["read", "turns"])
    row = ApiKey.objects.get()
    assert made.secret.startswith(f"{row.prefix}_")
    assert row.digest == key_digest(made.secret)
    everything = str(list(ApiKey.objects.values())) + str(list(AuditRecord.objects.values()))
    assert made.secret not in everything
    assert made.secret.removeprefix(row.prefix) not in everything
    assert (row.name, row.scopes, row.created_by.username) == ("Site", ["turns", "read"], "olga")


def test_keys_are_all_different_and_fit_their_columns():
    made = [new_key() for _ in range(50)]
    assert len({each.secret for each in made}) == len({each.prefix for each in made}) == 50
    assert max(len(each.prefix) for each in made) <= 16
    assert min(len(each.secret) for each in made) > 40


@pytest.mark.parametrize("scopes", [[], ["turns", "fly"]], ids=["none", "unknown"])
def test_a_key_needs_scopes_that_there_are(tenant, scopes):
    with pytest.raises(AuthoringError) as refused:
        make_api_key(actor(tenant), tenant, "Site", scopes)
    assert [problem.path for problem in refused.value.problems] == ["scopes"]


def test_a_key_needs_a_name(tenant):
    with pytest.raises(AuthoringError) as refused:
        make_api_key(actor(tenant), tenant, "  ", ["turns"])
    assert [problem.path for problem in refused.value.problems] == ["name"]


def test_a_key_that_was_revoked_stays_so(tenant):
    owner = actor(tenant)
    row = make_api_key(owner, tenant, "Site", ["turns"]).row
    first = revoke_api_key(owner, row).revoked_at
    assert first is not None
    assert revoke_api_key(owner, row).revoked_at == first
    assert AuditRecord.objects.filter(action="key.revoke").count() == 1


@pytest.mark.parametrize("role", [role for role in Role if role != Role.OWNER])
def test_owners_alone_make_and_revoke(tenant, role):
    row = make_api_key(actor(tenant), tenant, "Site", ["turns"]).row
    somebody = actor(tenant, role, "bia")
    for change in (lambda: make_api_key(somebody, tenant, "X", ["turns"]), lambda: revoke_api_key(somebody, row)):
        with pytest.raises(NotAllowedError):
            change()


def test_an_owner_elsewhere_is_a_stranger_here(tenant):
    row = make_api_key(actor(tenant), tenant, "Site", ["turns"]).row
    stranger = actor(Tenant.objects.create(slug="b", name="B"), name="bia")
    for change in (lambda: make_api_key(stranger, tenant, "X", ["turns"]), lambda: revoke_api_key(stranger, row)):
        with pytest.raises(NotAllowedError):
            change()


def test_a_command_makes_a_key_too(tenant):
    assert make_api_key(Actor.command("quickstart"), tenant, "Demo", ["turns"]).row.created_by is None
