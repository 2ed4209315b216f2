"""Members are invited by their exact e-mail; an invitation tells the inviter nothing, and somebody stays an owner."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import override_settings
from django.urls import NoReverseMatch

from falai_django.authoring import members
from falai_django.authoring.members import change_role, invite, invite_again, remove_member
from falai_django.errors import AuthoringError, NotAllowedError
from falai_django.models import AuditRecord, Membership, Role, Tenant
from falai_django.roles import Actor
from tests.host.at_once import at_once

pytestmark = pytest.mark.django_db

SITE = "https://falai.example.com"


@pytest.fixture(autouse=True)
def _site():
    with override_settings(FALAI_BASE_URL=SITE):
        yield


@pytest.fixture
def tenant():
    return Tenant.objects.create(slug="acme", name="Acme")


def member(tenant, role, name):
    user = User.objects.create_user(name, f"{name}@example.com", "pass-word-1")
    return Membership.objects.create(tenant=tenant, user=user, role=role)


@pytest.fixture
def owner(tenant):
    return member(tenant, Role.OWNER, "olga")


@pytest.fixture
def actor(owner):
    return Actor.of_user(owner.user)


# -- inviting


def test_an_unknown_address_becomes_a_user_who_sets_a_password_by_mail(
    tenant, actor, mailoutbox, client, django_capture_on_commit_callbacks
):
    """The link leads to Django's own page, works once, and lets the person in."""
    with django_capture_on_commit_callbacks(execute=True):
        made = invite(actor, tenant, " Ana@example.com ", "author")
    user = made.user
    assert (user.username, user.email, made.role) == ("Ana@example.com", "Ana@example.com", Role.AUTHOR)
    assert not user.has_usable_password()
    assert user.is_staff
    (mail,) = mailoutbox
    assert mail.to == ["Ana@example.com"]
    assert mail.subject == "You are invited to Acme"
    assert "olga has made you a member of Acme." in mail.body
    (path,) = re.findall(rf"{SITE}(/\S+)", mail.body)
    page = client.get(path, follow=True)
    set_at = page.redirect_chain[-1][0]
    client.post(set_at, {"new_password1": "some-Thing-long-9", "new_password2": "some-Thing-long-9"})
    user.refresh_from_db()
    assert user.check_password("some-Thing-long-9")
    assert "new_password1" not in client.get(path, follow=True).content.decode()


def test_a_known_address_gets_a_membership_and_keeps_its_password(
    tenant, actor, mailoutbox, django_capture_on_commit_callbacks
):
    known = User.objects.create_user("bia", "Bia@example.com", "pass-word-1")
    with django_capture_on_commit_callbacks(execute=True):
        made = invite(actor, tenant, "bia@example.com", "viewer")
    assert made.user == known
    known.refresh_from_db()
    assert known.check_password("pass-word-1")
    assert User.objects.count() == 2
    (mail,) = mailoutbox
    # to the address that is known, not to the one that was typed
    assert mail.to == ["Bia@example.com"]
    assert "Sign in as you do already" in mail.body
    assert f"{SITE}/admin/" in mail.body
    assert "/password/" not in mail.body


def test_the_inviter_never_sees_the_link(tenant, actor, django_capture_on_commit_callbacks):
    """Neither in what comes back nor in the records."""
    with django_capture_on_commit_callbacks() as callbacks:
        made = invite(actor, tenant, "ana@example.com", "author")
    assert isinstance(made, Membership)
    assert len(callbacks) == 1
    assert "password" not in str(list(AuditRecord.objects.values()))


def test_a_mail_waits_for_the_commit(tenant, actor, mailoutbox):
    invite(actor, tenant, "ana@example.com", "author")
    assert mailoutbox == []


def test_a_mail_server_that_fails_loses_no_member(
    tenant, actor, caplog, monkeypatch, django_capture_on_commit_callbacks
):
    def fail(*args, **kwargs):
        raise ConnectionRefusedError("no")

    monkeypatch.setattr("falai_django.authoring.invitations.send_mail", fail)
    with django_capture_on_commit_callbacks(execute=True):
        made = invite(actor, tenant, "ana@example.com", "author")
    assert f"invitation.failed member={made.pk}" in caplog.text
    assert "ana" not in caplog.text


def test_an_invitation_can_be_sent_again(tenant, actor, mailoutbox, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        made = invite(actor, tenant, "ana@example.com", "author")
        invite_again(actor, made)
    assert len(mailoutbox) == 2


def test_the_mail_speaks_the_tenants_language_and_keeps_to_its_lines(
    tenant, actor, mailoutbox, django_capture_on_commit_callbacks
):
    tenant.name = "Acme\r\nBcc: all@example.com"
    tenant.save()
    with django_capture_on_commit_callbacks(execute=True):
        invite(actor, tenant, "ana@example.com", "author")
    assert mailoutbox[0].subject == "You are invited to Acme Bcc: all@example.com"


@pytest.mark.parametrize("email", ["", "ana", "ana@", "a b@example.com", "ana@example.com\nBcc: x@example.com"])
def test_what_is_no_address_is_refused(tenant, actor, email):
    with pytest.raises(AuthoringError) as refused:
        invite(actor, tenant, email, "author")
    assert [problem.path for problem in refused.value.problems] == ["email"]
    assert User.objects.count() == 1


def test_what_is_no_role_is_refused(tenant, actor):
    with pytest.raises(AuthoringError, match="“king” is no role"):
        invite(actor, tenant, "ana@example.com", "king")


def test_nobody_is_invited_twice(tenant, actor):
    invite(actor, tenant, "ana@example.com", "author")
    with pytest.raises(AuthoringError, match="member already"):
        invite(actor, tenant, "ANA@example.com", "owner")
    assert Membership.objects.get(user__email="ana@example.com").role == Role.AUTHOR


def test_an_address_of_several_users_is_refused(tenant, actor):
    for name in ("one", "two"):
        User.objects.create_user(name, "shared@example.com", "x")
    with pytest.raises(AuthoringError, match="Several users"):
        invite(actor, tenant, "shared@example.com", "author")


def test_of_two_in_different_case_the_exact_one_is_meant(tenant, actor):
    User.objects.create_user("one", "Shared@example.com", "x")
    exact = User.objects.create_user("two", "shared@example.com", "x")
    assert invite(actor, tenant, "shared@example.com", "author").user == exact


def test_a_user_name_that_is_taken_gets_a_number(tenant, actor):
    """Somebody else is called like the address: they are not let in for it."""
    User.objects.create_user("ana@example.com", "other@example.com", "x")
    assert invite(actor, tenant, "ana@example.com", "author").user.username == "ana@example.com-2"


def test_a_site_that_cannot_be_linked_to_invites_nobody(tenant, actor, monkeypatch):
    with override_settings(FALAI_BASE_URL=""), pytest.raises(AuthoringError, match="Set FALAI_BASE_URL"):
        invite(actor, tenant, "ana@example.com", "author")

    def no_page(name, **kwargs):
        raise NoReverseMatch(name)

    monkeypatch.setattr("falai_django.authoring.invitations.reverse", no_page)
    with pytest.raises(AuthoringError, match="no page to set a password"):
        invite(actor, tenant, "ana@example.com", "author")
    assert User.objects.count() == 1


def test_a_site_may_keep_the_admins_door_to_itself(tenant, actor):
    with override_settings(FALAI_INVITED_ARE_STAFF=False):
        assert not invite(actor, tenant, "ana@example.com", "author").user.is_staff


@pytest.mark.parametrize("role", [role for role in Role if role != Role.OWNER])
def test_owners_alone_invite_change_and_remove(tenant, owner, role):
    somebody = Actor.of_user(member(tenant, role, "bia").user)
    other = member(tenant, Role.VIEWER, "caio")
    for change in (
        lambda: invite(somebody, tenant, "ana@example.com", "viewer"),
        lambda: invite_again(somebody, other),
        lambda: change_role(somebody, other, "author"),
        lambda: remove_member(somebody, other),
    ):
        with pytest.raises(NotAllowedError):
            change()


def test_an_owner_elsewhere_is_a_stranger_here(tenant, owner):
    stranger = Actor.of_user(member(Tenant.objects.create(slug="b", name="B"), Role.OWNER, "bia").user)
    for change in (
        lambda: invite(stranger, tenant, "ana@example.com", "viewer"),
        lambda: change_role(stranger, owner, "viewer"),
        lambda: remove_member(stranger, owner),
    ):
        with pytest.raises(NotAllowedError):
            change()


# -- changing and removing


def test_a_role_is_changed_and_told(tenant, actor):
    bia = member(tenant, Role.VIEWER, "bia")
    assert change_role(actor, bia, "publisher").role == Role.PUBLISHER
    told = AuditRecord.objects.get(action="member.role")
    assert (told.actor_name, told.target, told.detail) == ("olga", "bia", {"before": "viewer", "after": "publisher"})


def test_nobody_raises_their_own_role(tenant, owner):
    """Also a superuser does not by their membership; they need not."""
    root = User.objects.create_superuser("root", "root@example.com", "x")
    own = Membership.objects.create(tenant=tenant, user=root, role=Role.VIEWER)
    with pytest.raises(NotAllowedError, match="raises their own role"):
        change_role(Actor.of_user(root), own, "owner")


def test_the_only_owner_stays_one(tenant, owner, actor):
    member(tenant, Role.PUBLISHER, "bia")
    for change in (lambda: change_role(actor, owner, "publisher"), lambda: remove_member(actor, owner)):
        with pytest.raises(AuthoringError, match="only owner"):
            change()
    with pytest.raises(AuthoringError, match="only owner"):
        remove_member(Actor.command("x"), owner)


def test_an_owner_who_was_switched_off_does_not_count(tenant, owner, actor):
    other = member(tenant, Role.OWNER, "bia")
    User.objects.filter(pk=other.user_id).update(is_active=False)
    with pytest.raises(AuthoringError, match="only owner"):
        remove_member(actor, owner)


def test_an_owner_may_go_when_another_stays(tenant, owner, actor):
    member(tenant, Role.OWNER, "bia")
    remove_member(actor, owner)
    assert [str(each.user) for each in Membership.objects.all()] == ["bia"]
    assert User.objects.filter(username="olga").exists()


def test_anybody_may_leave(tenant, owner):
    bia = member(tenant, Role.VIEWER, "bia")
    remove_member(Actor.of_user(bia.user), bia)
    assert not Membership.objects.filter(pk=bia.pk).exists()


def test_who_is_gone_is_told_so(tenant, actor):
    bia = member(tenant, Role.VIEWER, "bia")
    Membership.objects.filter(pk=bia.pk).delete()
    for change in (lambda: change_role(actor, bia, "author"), lambda: remove_member(actor, bia)):
        with pytest.raises(AuthoringError, match="no member any more"):
            change()


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor == "sqlite", reason="an in-memory SQLite has one connection")
def test_two_owners_do_not_take_each_other_away_at_once():
    tenant = Tenant.objects.create(slug="acme", name="Acme")
    ana, bia = (member(tenant, Role.OWNER, name) for name in ("ana", "bia"))
    removed = at_once(
        lambda: remove_member(Actor.of_user(ana.user), bia), lambda: remove_member(Actor.of_user(bia.user), ana)
    )
    (refused,) = [each for each in removed if each is not None]
    assert isinstance(refused, AuthoringError)
    assert Membership.objects.filter(role=Role.OWNER).count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor == "sqlite", reason="an in-memory SQLite has one connection")
def test_two_tenants_that_invite_the_same_person_at_once_share_one_user():
    """Each holds the lock of its own tenant, so that neither waits for the other before the user is stored."""
    tenants = [Tenant.objects.create(slug=slug, name=slug) for slug in ("acme", "zeta", "beta")]
    invited = at_once(
        *[
            lambda tenant=tenant: invite(Actor.command("test"), tenant, "new@example.com", "author")
            for tenant in tenants
        ]
    )
    assert {type(each) for each in invited} == {Membership}
    assert User.objects.get(email="new@example.com").falai_memberships.count() == len(tenants)


def test_who_was_stored_just_before_is_found(tenant, actor, monkeypatch):
    """As above without a second connection: the first look misses a user who is there by the time it is stored."""
    User.objects.create_user("new@example.com", "new@example.com")
    look, misses = members._user_with, iter([True])  # noqa: SLF001 - no other way to be between the two
    monkeypatch.setattr(
        members, "_user_with", lambda member, address: None if next(misses, False) else look(member, address)
    )
    monkeypatch.setattr(members, "_free_name", lambda address: address)
    assert invite(actor, tenant, "new@example.com", "author").user == User.objects.get(email="new@example.com")
