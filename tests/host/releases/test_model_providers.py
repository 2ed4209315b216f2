"""A tenant's rows are the provider of its agents: in their order, each with its own credential."""

from __future__ import annotations

import gc

import pytest
from cryptography.fernet import Fernet
from django.db.models import F
from django.test import override_settings

from falai_django.encryption import encrypt
from falai_django.errors import AgentUnavailableError
from falai_django.models import ModelProvider, Secret, Tenant
from falai_django.releases import compile_release, make_model_provider, provider_of
from falai_engine.providers.vendor import VendorProvider
from tests.host.documents.stored import a_tenant
from tests.host.releases.published import again, offline, release_of, said

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _key():
    with override_settings(FALAI_ENCRYPTION_KEYS=[Fernet.generate_key().decode()]):
        yield


@pytest.fixture
def tenant():
    return a_tenant()


def own_model(tenant, name="m", **more):
    return ModelProvider.objects.create(
        tenant=tenant, kind="openai-compatible", model=name, base_url="https://m.example.com/v1", **more
    )


def settings_of(provider):
    return provider._settings  # noqa: SLF001 - what a request would be made of


def test_one_row_is_itself(tenant, django_assert_num_queries):
    own_model(tenant)
    with django_assert_num_queries(1):
        assert settings_of(provider_of(tenant)).model == "m"


def test_several_are_asked_in_their_order(tenant):
    own_model(tenant, "third", position=2)
    own_model(tenant, "first", position=0)
    own_model(tenant, "off", position=1, is_enabled=False)
    offline(tenant, position=3)
    asked = provider_of(tenant)._providers  # noqa: SLF001 - its order is the point
    assert [getattr(each, "model", each.name) for each in asked] == ["first", "third", "offline"]


def test_another_tenants_rows_are_not_asked(tenant):
    own_model(a_tenant("other"))
    with pytest.raises(AgentUnavailableError):
        provider_of(tenant)


def test_its_sampling_and_ways_reach_the_provider(tenant):
    row = own_model(tenant, sampling={"temperature": 0.2, "max_tokens": 100, "stop": ["x"]}, json_with_tools="prompt")
    made = settings_of(make_model_provider(row))
    assert (made.temperature, made.max_tokens, made.stop, made.json_with_tools) == (0.2, 100, ("x",), "prompt")


@pytest.mark.parametrize("option", ["api_key", "base_url", "transport", "model"])
def test_sampling_cannot_say_where_or_as_whom_it_asks(tenant, option):
    """A body of JSON does not get around the columns that are checked."""
    made = make_model_provider(own_model(tenant, sampling={option: "https://evil.example.com"}))
    assert (settings_of(made).base_url, settings_of(made).api_key) == ("https://m.example.com/v1", None)
    assert settings_of(made).model == "m"


def test_a_row_that_cannot_work_is_told_by_its_name(tenant):
    row = own_model(tenant, sampling={"max_tokens": -1})
    with pytest.raises(AgentUnavailableError, match="provider “openai-compatible m” cannot be used: max_tokens"):
        make_model_provider(row)


def test_a_vendor_without_its_key_is_told(tenant):
    with pytest.raises(AgentUnavailableError, match="an API key"):
        make_model_provider(ModelProvider.objects.create(tenant=tenant, kind="openai", model="m"))


def test_a_replaced_secret_is_used_by_the_next_turn(tenant):
    """A rotated key reaches every process with the query of its next turn."""
    secret = Secret.objects.create(
        tenant=tenant, name="vendor", ciphertext=encrypt("sk-old"), allowed_hosts=["m.example.com"]
    )
    own_model(tenant, secret=secret)
    release = release_of(tenant, said("Olá."))
    before = compile_release(again(release))
    Secret.objects.filter(pk=secret.pk).update(ciphertext=encrypt("sk-new"))
    Tenant.objects.filter(pk=tenant.pk).update(config_version=F("config_version") + 1)
    after = compile_release(again(release))
    assert [settings_of(each.provider).api_key for each in (before, after)] == ["sk-old", "sk-new"]


def test_the_connections_of_an_agent_that_nobody_holds_are_closed(tenant, monkeypatch):
    closed = []
    monkeypatch.setattr(VendorProvider, "close", lambda self: closed.append(self))  # noqa: PLW0108 - a method gets self
    own_model(tenant)
    release = release_of(tenant, said("Olá."))
    turn = compile_release(again(release))
    provider = turn.provider
    Tenant.objects.filter(pk=tenant.pk).update(config_version=F("config_version") + 1)
    compile_release(again(release))
    gc.collect()
    assert closed == []
    del turn
    gc.collect()
    assert closed == [provider]
