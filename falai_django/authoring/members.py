"""Who works for a tenant: invited by their exact e-mail, never picked from a list (spec: host.md sections 1 and 6)."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, router, transaction
from django.utils.translation import gettext as _

from falai_django.audit import record
from falai_django.authoring.editing import editing_tenant
from falai_django.authoring.invitations import assert_reachable, mail_invitation
from falai_django.authoring.row_problems import refused_at
from falai_django.conf import settings
from falai_django.errors import AuthoringError, NotAllowedError
from falai_django.models import Membership, Role, Tenant
from falai_django.roles import Actor, Capability, rank
from falai_django.rows import rows

__all__ = ["add_member", "change_role", "invite", "invite_again", "remove_member"]


def invite(actor: Actor, tenant: Tenant, email: str, role: str) -> Membership:
    """Make whoever has that address a member, and tell them by e-mail.

    An address that nobody has becomes a user, who gets a link to set a password. Only the mail holds it, and what comes
    back here is the same for both: it may be somebody else's address.
    """
    with editing_tenant(actor, tenant, Capability.OWN, version=None) as fresh:
        return add_member(actor, fresh, email, role)


def add_member(actor: Actor, tenant: Tenant, email: str, role: str) -> Membership:
    """As `invite`, within a transaction that holds the tenant's lock and has asked for the actor's role."""
    member = Membership(tenant=tenant, role=_role(role))
    address = _address(member, email)
    assert_reachable()
    user = _user_with(member, address) or _new_user(member, address)
    if rows(Membership).filter(tenant=tenant, user=user).exists():
        raise refused_at(member, "email", _("This person is a member already. Change their role in the list."))
    _let_in(user)
    member.user = user
    member.save()
    mail_invitation(actor, member)
    record(actor, tenant, "member.invite", address, role=member.role)
    return member


def invite_again(actor: Actor, member: Membership) -> None:
    """Send the invitation once more: the first one got lost, or its link is too old."""
    with editing_tenant(actor, member.tenant, Capability.OWN, version=None):
        mail_invitation(actor, _stored(member))


def change_role(actor: Actor, member: Membership, role: str) -> Membership:
    """Give a member another role. Nobody raises their own, and somebody stays an owner."""
    with editing_tenant(actor, member.tenant, Capability.OWN, version=None) as tenant:
        fresh, wanted = _stored(member), _role(role)
        if _is_self(actor, fresh) and rank(wanted) > rank(fresh.role):
            raise NotAllowedError(_("Nobody raises their own role. Ask another owner."))
        if fresh.role == Role.OWNER and wanted != Role.OWNER:
            _assert_another_owner(fresh)
        before, fresh.role = fresh.role, wanted
        fresh.save(update_fields=["role"])
        record(actor, tenant, "member.role", str(fresh.user), before=before, after=wanted)
        return fresh


def remove_member(actor: Actor, member: Membership) -> None:
    """Take a member out of the tenant, or leave it oneself; their user stays. Somebody stays an owner."""
    capability = Capability.VIEW if _is_self(actor, member) else Capability.OWN
    with editing_tenant(actor, member.tenant, capability, version=None) as tenant:
        fresh = _stored(member)
        if fresh.role == Role.OWNER:
            _assert_another_owner(fresh)
        name = str(fresh.user)
        fresh.delete()
        record(actor, tenant, "member.remove", name)


def _is_self(actor: Actor, member: Membership) -> bool:
    return actor.user is not None and actor.user.pk == member.user_id


def _role(role: str) -> Role:
    try:
        return Role(role)
    except ValueError:
        raise AuthoringError(
            _("“%(role)s” is no role. It is one of %(roles)s.") % {"role": role, "roles": ", ".join(Role)}
        ) from None


def _stored(member: Membership) -> Membership:
    fresh: Membership | None = (
        rows(Membership).filter(pk=member.pk, tenant=member.tenant).select_related("user", "tenant").first()
    )
    if fresh is None:
        raise AuthoringError(_("This person is no member any more."))
    return fresh


def _assert_another_owner(member: Membership) -> None:
    """Under the tenant's lock, so that two owners do not take each other away at once."""
    owners = rows(Membership).filter(tenant=member.tenant, role=Role.OWNER, user__is_active=True)
    if not owners.exclude(pk=member.pk).exists():
        raise AuthoringError(_("This is the only owner. Make somebody else an owner first."))


def _address(member: Membership, email: str) -> str:
    address = str(email).strip()
    try:
        validate_email(address)
    except ValidationError as error:
        raise refused_at(member, "email", error.messages[0]) from error
    return address


def _user_with(member: Membership, address: str) -> Any:
    """Whoever has the address, in any case of its letters; None when nobody has."""
    model = get_user_model()
    name = model.get_email_field_name()
    like = model._default_manager.filter(**{f"{name}__iexact": address})
    # Databases find more alike than mail servers do: an i without its dot, say.
    same = [user for user in like if str(getattr(user, name)).lower() == address.lower()]
    exact = [user for user in same if getattr(user, name) == address]
    found = exact or same
    if len(found) > 1:
        raise refused_at(member, "email", _("Several users have this address. Ask whoever runs the site to mend it."))
    return found[0] if found else None


def _new_user(member: Membership, address: str) -> Any:
    """A user with the address, or whoever got it meanwhile: another tenant that invites them has another lock."""
    model: Any = get_user_model()
    user = model(**{model.USERNAME_FIELD: _free_name(address), model.get_email_field_name(): address})
    user.set_unusable_password()
    try:
        with transaction.atomic(using=router.db_for_write(model)):
            user.save()
    except IntegrityError:
        found = _user_with(member, address)
        if found is None:
            raise
        return found
    return user


def _free_name(address: str) -> str:
    """The address, which is easy to remember, unless somebody else is called like that."""
    model: Any = get_user_model()
    longest = model._meta.get_field(model.USERNAME_FIELD).max_length or len(address)
    name, number = address[:longest], 1
    while model._default_manager.filter(**{model.USERNAME_FIELD: name}).exists():
        number += 1
        ending = f"-{number}"
        name = address[: longest - len(ending)] + ending
    return name


def _let_in(user: Any) -> None:
    if settings().invited_are_staff and getattr(user, "is_staff", True) is False:
        user.is_staff = True
        user.save(update_fields=["is_staff"])
