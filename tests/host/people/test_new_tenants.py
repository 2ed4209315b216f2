"""A tenant begins with its owner, and only who runs the site makes one."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import override_settings

from falai_django.authoring.new_tenants import create_tenant
from falai_django.errors import AuthoringError, NotAllowedError
from falai_django.models import AuditRecord, Membership, Role, Tenant
from falai_django.roles import Actor

pytestmark = pytest.mark.django_db
ACTOR = Actor.command("falai_tenant")


@pytest.fixture(autouse=True)
def _site():
    with override_settings(FALAI_BASE_URL="https://falai.example.com"):
        yield


def test_a_tenant_has_its_owner_from_the_start(mailoutbox, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        tenant = create_tenant(
            ACTOR, "acme", "Acme", owner="ana@example.com", locale="pt-br", time_zone="America/Sao_Paulo"
        )
    assert (tenant.locale, tenant.time_zone) == ("pt-br", "America/Sao_Paulo")
    (member,) = Membership.objects.filter(tenant=tenant)
    assert (member.user.email, member.role) == ("ana@example.com", Role.OWNER)
    (mail,) = mailoutbox
    assert "Agora você é membro de Acme." in mail.body
    assert "falai_tenant" not in mail.body
    assert set(AuditRecord.objects.values_list("action", "actor_name")) == {
        ("tenant.create", "falai_tenant"),
        ("member.invite", "falai_tenant"),
    }


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"slug": "A c"}, "slug"),
        ({"slug": ""}, "slug"),
        ({"name": ""}, "name"),
        ({"locale": "xx"}, "locale"),
        ({"time_zone": "Mars/Olympus"}, "time_zone"),
    ],
    ids=["slug", "no-slug", "name", "locale", "zone"],
)
def test_what_cannot_be_is_told_at_its_input(values, path):
    with pytest.raises(AuthoringError) as refused:
        create_tenant(ACTOR, **{"slug": "acme", "name": "Acme", **values})
    assert [problem.path for problem in refused.value.problems] == [path]


def test_a_slug_is_given_once():
    create_tenant(ACTOR, "acme", "Acme")
    with pytest.raises(AuthoringError) as refused:
        create_tenant(ACTOR, "acme", "Other")
    assert [problem.path for problem in refused.value.problems] == ["slug"]


def test_an_owner_who_cannot_be_invited_leaves_no_tenant_behind():
    with pytest.raises(AuthoringError):
        create_tenant(ACTOR, "acme", "Acme", owner="nobody")
    assert not Tenant.objects.exists()


def test_an_owner_of_one_tenant_makes_no_other():
    user = User.objects.create_user("ana")
    Membership.objects.create(tenant=create_tenant(ACTOR, "acme", "Acme"), user=user, role=Role.OWNER)
    with pytest.raises(NotAllowedError, match="superuser"):
        create_tenant(Actor.of_user(user), "b", "B")
