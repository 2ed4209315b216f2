"""falai_tenant and falai_rotate_secrets: what whoever runs the site does."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError
from django.test import override_settings

from falai_django.encryption import decrypt, encrypt, is_key
from falai_django.models import Membership, Role, Secret, Tenant

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


@override_settings(FALAI_BASE_URL="https://falai.example.com")
def test_a_tenant_comes_with_its_owner(db, run, mailoutbox, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        printed = run(
            "falai_tenant", "acme", "--name", "Acme", "--owner", "ana@example.com", "--time-zone", "America/Sao_Paulo"
        )
    assert Membership.objects.get().role == Role.OWNER
    assert "changepassword ana@example.com" in printed
    assert "https://" not in printed
    assert "https://falai.example.com/" in mailoutbox[0].body


@override_settings(FALAI_BASE_URL="https://falai.example.com")
def test_the_command_that_sets_a_password_is_told_with_the_name_that_it_takes(db, run, django_user_model):
    """Who had an account has a name of their own."""
    django_user_model.objects.create_user("ana", "ana@example.com")
    assert "changepassword ana\n" in run("falai_tenant", "acme", "--owner", "ana@example.com")


def test_a_tenant_may_wait_for_its_owner(db, run):
    assert "no owner yet" in run("falai_tenant", "acme")
    assert Tenant.objects.get().name == "acme"


@pytest.mark.parametrize(
    "args",
    [["A b"], ["acme", "--time-zone", "Mars"], ["acme", "--owner", "x@example.com"], ["acme", "--owner", "nobody"]],
)
def test_what_cannot_be_leaves_nothing_behind(db, run, args):
    with pytest.raises(CommandError):
        run("falai_tenant", *args)
    assert not Tenant.objects.exists()


def test_a_new_key_is_one(run):
    assert is_key(run("falai_rotate_secrets", "--new-key").strip())


def test_secrets_move_to_the_first_key(tenant, run):
    with override_settings(FALAI_ENCRYPTION_KEYS=[OLD]):
        secret = Secret.objects.create(tenant=tenant, name="vendor", ciphertext=encrypt("x"))
    with override_settings(FALAI_ENCRYPTION_KEYS=[NEW, OLD]):
        assert run("falai_rotate_secrets") == "1 secret lies under the first key now.\n"
    secret.refresh_from_db()
    with override_settings(FALAI_ENCRYPTION_KEYS=[NEW]):
        assert decrypt(secret.ciphertext) == "x"


def test_a_secret_that_no_key_reads_is_named(tenant, run):
    with override_settings(FALAI_ENCRYPTION_KEYS=[OLD]):
        Secret.objects.create(tenant=tenant, name="vendor", ciphertext=encrypt("x"))
    with override_settings(FALAI_ENCRYPTION_KEYS=[NEW]), pytest.raises(CommandError, match="No key reads acme/vendor"):
        run("falai_rotate_secrets")
