"""A vendor's key goes to the hosts it is for, and to no other."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.test import override_settings

from falai_django.credentials import credential_of, host_of, provider_host, secret_value, takes_a_key
from falai_django.encryption import encrypt
from falai_django.errors import AgentUnavailableError, EncryptionError
from falai_django.models import PROVIDER_KINDS, ModelProvider, Secret

KEY = Fernet.generate_key().decode()


@pytest.fixture(autouse=True)
def _key():
    with override_settings(FALAI_ENCRYPTION_KEYS=[KEY]):
        yield


def secret(*hosts, value="sk-1"):
    return Secret(name="vendor", ciphertext=encrypt(value), allowed_hosts=list(hosts))


def provider(**more):
    return ModelProvider(**{"kind": "openai", "model": "m", **more})


def test_a_secret_goes_to_its_hosts_in_any_case():
    assert secret_value(secret("API.openai.com"), "api.OpenAI.com") == "sk-1"


@pytest.mark.parametrize("host", ["evil.example.com", "", "api.openai.com.evil.example.com", "openai.com"])
def test_a_secret_goes_to_no_other_host(host):
    with pytest.raises(AgentUnavailableError, match="does not go to"):
        secret_value(secret("api.openai.com"), host)


def test_a_secret_without_hosts_goes_nowhere():
    with pytest.raises(AgentUnavailableError):
        credential_of(provider(secret=secret()))


def test_a_provider_carries_its_secret_to_the_vendor_or_to_its_own_address():
    assert credential_of(provider(secret=secret("api.openai.com"))) == "sk-1"
    own = provider(secret=secret("m.example.com"), base_url="https://m.example.com/v1")
    assert credential_of(own) == "sk-1"
    with pytest.raises(AgentUnavailableError, match=r"m\.example\.com"):
        credential_of(provider(secret=secret("api.openai.com"), base_url="https://m.example.com/v1"))


def test_a_secret_that_no_key_reads_is_told():
    unreadable = secret("api.openai.com")
    with override_settings(FALAI_ENCRYPTION_KEYS=[Fernet.generate_key().decode()]), pytest.raises(EncryptionError):
        credential_of(provider(secret=unreadable))


def test_without_a_credential_there_is_none():
    assert credential_of(provider(kind="offline")) is None


def test_a_listed_variable_of_the_environment_goes_to_the_vendor(monkeypatch):
    monkeypatch.setenv("SITE_KEY", "sk-env")
    with override_settings(FALAI_CREDENTIAL_ENV=["SITE_KEY"]):
        assert credential_of(provider(credential_env="SITE_KEY")) == "sk-env"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"base_url": "https://evil.example.com"}, "vendor's own address"),
        ({"kind": "openai-compatible"}, "vendor's own address"),
        ({"kind": "offline"}, "vendor's own address"),
        ({"credential_env": "PATH"}, "does not list PATH"),
        ({"credential_env": "MISSING_KEY"}, "no variable MISSING_KEY"),
    ],
    ids=["base-url", "no-vendor", "offline", "not-listed", "missing"],
)
def test_a_variable_goes_nowhere_else(monkeypatch, more, words):
    """The site's key is not for whoever may edit one tenant's providers."""
    monkeypatch.setenv("SITE_KEY", "sk-env")
    monkeypatch.delenv("MISSING_KEY", raising=False)
    with override_settings(FALAI_CREDENTIAL_ENV=["SITE_KEY", "MISSING_KEY"]):
        with pytest.raises(AgentUnavailableError, match=words) as refused:
            credential_of(provider(**{"credential_env": "SITE_KEY", **more}))
        assert "sk-env" not in str(refused.value)


@pytest.mark.parametrize("kind", PROVIDER_KINDS)
def test_every_kind_says_where_it_asks_and_whether_it_takes_a_key(kind):
    assert (provider_host(provider(kind=kind)) == "") == (kind in {"offline", "openai-compatible"})
    assert takes_a_key(kind) == (kind not in {"offline", "openai-compatible"})


@pytest.mark.parametrize(
    ("url", "host"), [("https://API.example.com:8443/v1", "api.example.com"), ("", ""), ("http://[::1", ""), ("x", "")]
)
def test_the_host_of_a_url(url, host):
    assert host_of(url) == host
