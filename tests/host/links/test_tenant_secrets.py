"""Secrets are written by owners, go to their hosts alone, and are read by nobody."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.test import override_settings

from falai_django.authoring.tenant_secrets import change_secret, delete_secret, make_secret, rotate_secrets
from falai_django.encryption import decrypt, encrypt
from falai_django.errors import AuthoringError, EncryptionError, NotAllowedError
from falai_django.models import AuditRecord, ModelProvider, Role, Secret, Sender
from tests.host.documents.stored import a_tenant
from tests.host.links.owners import actor_in, config_version

pytestmark = pytest.mark.django_db
OLD, NEW, LOST = (Fernet.generate_key().decode() for _ in range(3))


@pytest.fixture(autouse=True)
def _key():
    with override_settings(FALAI_ENCRYPTION_KEYS=[OLD]):
        yield


@pytest.fixture
def tenant():
    return a_tenant()


@pytest.fixture
def owner(tenant):
    return actor_in(tenant)


def test_a_secret_lies_encrypted_and_is_told_without_its_value(tenant, owner):
    before = config_version(tenant)
    secret = make_secret(owner, tenant, "vendor", "sk-very-secret\n", ["API.example.com", "api.example.com"])
    assert decrypt(secret.ciphertext) == "sk-very-secret"
    assert secret.allowed_hosts == ["api.example.com"]
    everything = str(list(Secret.objects.values())) + str(list(AuditRecord.objects.values()))
    assert "sk-very-secret" not in everything
    assert config_version(tenant) == before + 1


@pytest.mark.parametrize("name", ["", "Vendor", "a b", "é"])
def test_a_secret_is_used_by_name_so_its_name_is_a_slug(tenant, owner, name):
    with pytest.raises(AuthoringError) as refused:
        make_secret(owner, tenant, name, "x", [])
    assert [problem.path for problem in refused.value.problems] == ["name"]


def test_a_name_is_given_once_in_a_tenant(tenant, owner):
    make_secret(owner, tenant, "vendor", "x", [])
    with pytest.raises(AuthoringError) as refused:
        make_secret(owner, tenant, "vendor", "y", [])
    assert [problem.path for problem in refused.value.problems] == ["name"]
    other = a_tenant("other")
    assert make_secret(actor_in(other), other, "vendor", "z", []).name == "vendor"


@pytest.mark.parametrize("value", ["", "  ", "two\nlines", "nul\x00"])
def test_a_value_is_one_line_of_what_can_be_seen(tenant, owner, value):
    with pytest.raises(AuthoringError) as refused:
        make_secret(owner, tenant, "vendor", value, [])
    assert [problem.path for problem in refused.value.problems] == ["value"]


@pytest.mark.parametrize("host", ["", "https://example.com", "example.com/x", "example.com:8", "*.example.com", "a..b"])
def test_a_host_is_its_name_alone(tenant, owner, host):
    with pytest.raises(AuthoringError) as refused:
        make_secret(owner, tenant, "vendor", "x", [host])
    assert [problem.path for problem in refused.value.problems] == ["allowed_hosts"]


def test_a_value_is_replaced_and_hosts_stay(tenant, owner):
    secret = make_secret(owner, tenant, "vendor", "old", ["api.example.com"])
    before = config_version(tenant)
    fresh = change_secret(owner, secret, value="new")
    assert (decrypt(fresh.ciphertext), fresh.allowed_hosts) == ("new", ["api.example.com"])
    assert config_version(tenant) == before + 1
    assert AuditRecord.objects.get(action="secret.change").detail["value"] is True


def test_hosts_are_changed_and_the_value_stays(tenant, owner):
    secret = make_secret(owner, tenant, "vendor", "old", ["api.example.com"])
    fresh = change_secret(owner, secret, allowed_hosts=["b.example.com"])
    assert (decrypt(fresh.ciphertext), fresh.allowed_hosts) == ("old", ["b.example.com"])


def test_a_host_that_a_provider_needs_is_kept(tenant, owner):
    """Nobody cuts an agent off from its model by mistake."""
    secret = make_secret(owner, tenant, "vendor", "x", ["api.openai.com"])
    ModelProvider.objects.create(tenant=tenant, kind="openai", model="m", secret=secret)
    with pytest.raises(AuthoringError, match="openai m would not reach"):
        change_secret(owner, secret, allowed_hosts=["other.example.com"])


def test_a_secret_in_use_is_not_deleted(tenant, owner):
    secret = make_secret(owner, tenant, "hook", "x", [])
    Sender.objects.create(tenant=tenant, name="Gate", kind="webhook", next_secret=secret)
    with pytest.raises(AuthoringError, match="used by Gate"):
        delete_secret(owner, secret)


def test_a_secret_nobody_uses_is_deleted(tenant, owner):
    secret = make_secret(owner, tenant, "hook", "x", [])
    delete_secret(owner, secret)
    assert not Secret.objects.exists()
    with pytest.raises(AuthoringError, match="gone"):
        change_secret(owner, secret, value="y")


def test_without_a_key_nothing_is_kept(tenant, owner):
    with override_settings(FALAI_ENCRYPTION_KEYS=[]), pytest.raises(EncryptionError):
        make_secret(owner, tenant, "vendor", "x", [])
    assert not Secret.objects.exists()


@pytest.mark.parametrize("role", [role for role in Role if role != Role.OWNER])
def test_owners_alone_touch_secrets(tenant, owner, role):
    secret = make_secret(owner, tenant, "vendor", "x", [])
    somebody = actor_in(tenant, role, "bia")
    for change in (
        lambda: make_secret(somebody, tenant, "b", "x", []),
        lambda: change_secret(somebody, secret, value="y"),
        lambda: delete_secret(somebody, secret),
    ):
        with pytest.raises(NotAllowedError):
            change()


def test_an_owner_elsewhere_is_a_stranger_here(tenant, owner):
    secret = make_secret(owner, tenant, "vendor", "x", [])
    stranger = actor_in(a_tenant("other"))
    for change in (
        lambda: make_secret(stranger, tenant, "b", "x", []),
        lambda: change_secret(stranger, secret, value="y"),
        lambda: delete_secret(stranger, secret),
    ):
        with pytest.raises(NotAllowedError):
            change()


# -- another key of the site


def test_rotating_moves_every_secret_to_the_first_key(tenant, owner):
    secret = make_secret(owner, tenant, "vendor", "x", [])
    before = config_version(tenant)
    with override_settings(FALAI_ENCRYPTION_KEYS=[NEW, OLD]):
        assert rotate_secrets() == (1, ())
    secret.refresh_from_db()
    with override_settings(FALAI_ENCRYPTION_KEYS=[NEW]):
        assert decrypt(secret.ciphertext) == "x"
    assert config_version(tenant) == before


def test_what_no_key_reads_is_left_as_it_is_and_told(tenant, owner):
    with override_settings(FALAI_ENCRYPTION_KEYS=[LOST]):
        ciphertext = encrypt("lost")
    lost = Secret.objects.create(tenant=tenant, name="lost", ciphertext=ciphertext)
    make_secret(owner, tenant, "vendor", "x", [])
    assert rotate_secrets() == (1, (lost,))
    lost.refresh_from_db()
    assert lost.ciphertext == ciphertext
