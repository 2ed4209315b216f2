"""Who may do what: five roles in an order, superusers everything, everybody else nothing."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, User

from falai_django.errors import NotAllowedError
from falai_django.models import Membership, Role, Tenant
from falai_django.roles import (
    LEAST_ROLES,
    Actor,
    Capability,
    capabilities_of,
    may,
    may_somewhere,
    rank,
    require,
    tenants_of,
)

pytestmark = pytest.mark.django_db

VIEW, OPERATE, EDIT, PUBLISH, OWN = Capability


@pytest.fixture
def acme():
    return Tenant.objects.create(slug="acme", name="Acme")


@pytest.fixture
def other():
    return Tenant.objects.create(slug="other", name="Other")


def member(tenant, role, name="ana", **more):
    user = User.objects.create_user(name, f"{name}@example.com", "x", **more)
    Membership.objects.create(tenant=tenant, user=user, role=role)
    return user


@pytest.mark.parametrize(
    ("role", "capabilities"),
    [
        (Role.VIEWER, {VIEW}),
        (Role.OPERATOR, {VIEW, OPERATE}),
        (Role.AUTHOR, {VIEW, OPERATE, EDIT}),
        (Role.PUBLISHER, {VIEW, OPERATE, EDIT, PUBLISH}),
        (Role.OWNER, {VIEW, OPERATE, EDIT, PUBLISH, OWN}),
    ],
)
def test_each_role_may_what_those_before_it_may_and_one_thing_more(acme, role, capabilities):
    actor = Actor.of_user(member(acme, role))
    assert capabilities_of(actor, acme) == capabilities
    assert actor.role_in(acme) == role


def test_the_table_names_a_role_for_every_capability():
    assert set(LEAST_ROLES) == set(Capability)
    assert sorted(Role, key=rank) == list(Role)


def test_a_role_in_one_tenant_is_none_in_another(acme, other):
    actor = Actor.of_user(member(acme, Role.OWNER))
    assert not capabilities_of(actor, other)
    assert list(tenants_of(actor)) == [acme]


def test_somebody_anonymous_may_nothing(acme):
    actor = Actor.of_user(AnonymousUser())
    assert (capabilities_of(actor, acme), actor.user, list(tenants_of(actor))) == (frozenset(), None, [])


@pytest.mark.parametrize("is_superuser", [False, True], ids=["member", "superuser"])
def test_somebody_inactive_may_nothing(acme, is_superuser):
    """Whoever was switched off has lost every right at once, a superuser too."""
    actor = Actor.of_user(member(acme, Role.OWNER, is_active=False, is_superuser=is_superuser))
    assert not capabilities_of(actor, acme)
    assert list(tenants_of(actor)) == []


def test_superusers_and_commands_may_everything(acme, other):
    root = User.objects.create_superuser("root", "root@example.com", "x")
    for actor in (Actor.of_user(root), Actor.command("falai_publish")):
        assert capabilities_of(actor, acme) == set(Capability)
        assert set(tenants_of(actor, OWN)) == {acme, other}
    assert Actor.command("falai_publish").name == "falai_publish"


def test_a_user_with_all_their_memberships_is_one_query(acme, other, django_assert_num_queries):
    user = member(acme, Role.AUTHOR)
    Membership.objects.create(tenant=other, user=user, role=Role.VIEWER)
    with django_assert_num_queries(1):
        actor = Actor.of_user(user)
        assert may(actor, acme, EDIT)
        assert may(actor, other, VIEW)
        assert not may(actor, other, EDIT)


def test_the_tenants_of_a_capability_are_those_where_the_role_reaches(acme, other):
    user = member(acme, Role.PUBLISHER)
    Membership.objects.create(tenant=other, user=user, role=Role.OPERATOR)
    actor = Actor.of_user(user)
    assert set(tenants_of(actor, OPERATE)) == {acme, other}
    assert set(tenants_of(actor, PUBLISH)) == {acme}
    assert set(tenants_of(actor, OWN)) == set()


def test_a_refusal_says_which_role_it_takes_and_which_one_has(acme):
    actor = Actor.of_user(member(acme, Role.AUTHOR))
    require(actor, acme, EDIT)
    with pytest.raises(NotAllowedError, match="the role “Publisher” in Acme; yours is “Author”"):
        require(actor, acme, PUBLISH)


def test_a_stranger_learns_nothing_of_the_tenant(acme, other):
    actor = Actor.of_user(member(other, Role.OWNER))
    with pytest.raises(NotAllowedError) as refused:
        require(actor, acme, VIEW)
    assert "Acme" not in str(refused.value)


def test_who_may_somewhere_is_told_without_asking_the_database(acme, other, django_assert_num_queries):
    """An index of many pages asks this for each."""
    user = member(acme, Role.AUTHOR)
    actors = Actor.of_user(user), Actor.of_user(User.objects.create_superuser("root", "root@example.com", "x"))
    with django_assert_num_queries(0):
        assert [may_somewhere(actor, EDIT) for actor in actors] == [True, True]
        assert [may_somewhere(actor, PUBLISH) for actor in actors] == [False, True]
        assert not may_somewhere(Actor.of_user(AnonymousUser()), VIEW)
