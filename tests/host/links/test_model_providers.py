"""Providers are kept only when they can work, and a key of the site is lent by a superuser alone."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import User
from django.test import override_settings

from falai_django.authoring.model_providers import add_provider, change_provider, delete_provider, order_providers
from falai_django.encryption import encrypt
from falai_django.errors import AuthoringError, CrossTenantError, NotAllowedError
from falai_django.models import ModelProvider, Role, Secret
from falai_django.roles import Actor
from tests.host.documents.stored import a_tenant
from tests.host.links.owners import actor_in, config_version

pytestmark = pytest.mark.django_db
OWN = {"kind": "openai-compatible", "model": "m", "base_url": "https://m.example.com/v1"}


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    monkeypatch.setenv("SITE_KEY", "sk-env")
    keys = [Fernet.generate_key().decode()]
    with override_settings(FALAI_ENCRYPTION_KEYS=keys, FALAI_CREDENTIAL_ENV=["SITE_KEY"]):
        yield


@pytest.fixture
def tenant():
    return a_tenant()


@pytest.fixture
def owner(tenant):
    return actor_in(tenant)


def superuser():
    return Actor.of_user(User.objects.create_superuser("root", "root@example.com", "x"))


def secret(tenant, *hosts):
    return Secret.objects.create(tenant=tenant, name="vendor", ciphertext=encrypt("sk"), allowed_hosts=list(hosts))


def places(refused):
    return [problem.path for problem in refused.value.problems]


def test_providers_are_asked_in_the_order_in_which_they_came(tenant, owner):
    before = config_version(tenant)
    one = add_provider(owner, tenant, kind="offline")
    two = add_provider(owner, tenant, **OWN)
    assert (one.position, two.position) == (0, 1)
    assert config_version(tenant) == before + 2


def test_they_are_ordered_anew(tenant, owner):
    keys = [add_provider(owner, tenant, kind="offline").pk for _ in range(3)]
    order_providers(owner, tenant, [keys[2], keys[0], keys[1]])
    assert list(ModelProvider.objects.values_list("pk", flat=True)) == [keys[2], keys[0], keys[1]]
    for wrong in (keys[:2], [*keys, keys[0]], [*keys[:2], 999]):
        with pytest.raises(AuthoringError, match="changed meanwhile"):
            order_providers(owner, tenant, wrong)


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({**OWN, "kind": "fallback"}, "kind"),
        ({**OWN, "base_url": ""}, ""),
        ({**OWN, "base_url": "ftp://m.example.com"}, "base_url"),
        ({**OWN, "base_url": "https://user:pw@m.example.com/v1"}, "base_url"),
        ({**OWN, "base_url": "http://localhost:11434/v1"}, "base_url"),
        ({**OWN, "model": "a model"}, ""),
        ({**OWN, "json_with_tools": "magic"}, "json_with_tools"),
        ({**OWN, "sampling": {"api_key": "x"}}, "sampling"),
        ({**OWN, "sampling": {"max_tokens": -1}}, ""),
        ({**OWN, "sampling": []}, "sampling"),
        ({"kind": "openai", "model": "m"}, ""),
    ],
    ids=[
        "kind",
        "no-url",
        "url",
        "password",
        "private",
        "model",
        "json",
        "key",
        "tokens",
        "no-object",
        "no-credential",
    ],
)
def test_a_provider_that_cannot_work_is_not_kept(tenant, owner, values, place):
    with pytest.raises(AuthoringError) as refused:
        add_provider(owner, tenant, **values)
    assert places(refused) == [place]
    assert not ModelProvider.objects.exists()


def test_a_secret_must_be_meant_for_the_host(tenant, owner):
    with pytest.raises(AuthoringError, match=r"does not go to api\.openai\.com"):
        add_provider(owner, tenant, kind="openai", model="m", secret=secret(tenant, "other.example.com"))


def test_a_secret_of_another_tenant_cannot_be_used(tenant, owner):
    foreign = secret(a_tenant("other"), "api.openai.com")
    with pytest.raises(CrossTenantError):
        add_provider(owner, tenant, kind="openai", model="m", secret=foreign)


def test_a_change_is_judged_as_a_whole(tenant, owner):
    row = add_provider(owner, tenant, kind="openai", model="m", secret=secret(tenant, "api.openai.com"))
    assert change_provider(owner, row, model="n").model == "n"
    with pytest.raises(AuthoringError, match=r"does not go to evil\.example\.com"):
        change_provider(owner, row, base_url="https://evil.example.com")
    row.refresh_from_db()
    assert row.base_url == ""


def test_a_key_of_the_site_is_set_by_a_superuser(tenant, owner):
    values = {"kind": "openai", "model": "m", "credential_env": "SITE_KEY"}
    with pytest.raises(NotAllowedError, match="superuser alone"):
        add_provider(owner, tenant, **values)
    row = add_provider(superuser(), tenant, **values)
    assert row.credential_env == "SITE_KEY"


def test_an_owner_may_use_the_sites_key_but_not_send_it_elsewhere(tenant, owner):
    row = add_provider(superuser(), tenant, kind="openai", model="m", credential_env="SITE_KEY")
    assert change_provider(owner, row, model="n").model == "n"
    for change in ({"kind": "openrouter"}, {"base_url": "https://evil.example.com"}):
        with pytest.raises(NotAllowedError):
            change_provider(owner, row, **change)
    assert change_provider(owner, row, credential_env="", kind="offline").credential_env == ""


def test_not_even_a_superuser_sends_the_sites_key_elsewhere(tenant):
    with pytest.raises(AuthoringError, match="vendor's own address"):
        add_provider(
            superuser(), tenant, kind="openai", model="m", credential_env="SITE_KEY", base_url="https://x.example.com"
        )


def test_a_provider_is_deleted(tenant, owner):
    row = add_provider(owner, tenant, kind="offline")
    before = config_version(tenant)
    delete_provider(owner, row)
    assert not ModelProvider.objects.exists()
    assert config_version(tenant) == before + 1
    with pytest.raises(AuthoringError, match="gone"):
        change_provider(owner, row, model="n")


def changes(actor, tenant, row):
    return (
        lambda: add_provider(actor, tenant, kind="offline"),
        lambda: change_provider(actor, row, is_enabled=False),
        lambda: order_providers(actor, tenant, [row.pk]),
        lambda: delete_provider(actor, row),
    )


@pytest.mark.parametrize("role", [role for role in Role if role != Role.OWNER])
def test_owners_alone_change_providers(tenant, owner, role):
    row = add_provider(owner, tenant, kind="offline")
    for change in changes(actor_in(tenant, role), tenant, row):
        with pytest.raises(NotAllowedError):
            change()


def test_an_owner_elsewhere_is_a_stranger_here(tenant, owner):
    row = add_provider(owner, tenant, kind="offline")
    for change in changes(actor_in(a_tenant("other")), tenant, row):
        with pytest.raises(NotAllowedError):
            change()
