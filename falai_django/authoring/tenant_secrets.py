"""Secrets of a tenant: written by owners, never read by anybody (spec: host.md sections 1 and 6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from falai_django.audit import record
from falai_django.authoring.editing import editing_tenant, in_one_transaction, went_live
from falai_django.authoring.row_problems import refused_at
from falai_django.credentials import provider_host
from falai_django.encryption import encrypt, rotate
from falai_django.errors import AuthoringError, EncryptionError
from falai_django.models import ModelProvider, Secret, Sender, Tenant, slug_validator
from falai_django.roles import Actor, Capability
from falai_django.rows import rows

__all__ = ["Rotation", "change_secret", "delete_secret", "make_secret", "rotate_secrets", "users_of_secret"]

_HOST: Final = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\Z")


def make_secret(actor: Actor, tenant: Tenant, name: str, value: str, allowed_hosts: Iterable[str]) -> Secret:
    """A secret that is only ever sent to these hosts. EncryptionError when the site has no key."""
    with editing_tenant(actor, tenant, Capability.OWN, version=None) as fresh:
        secret = Secret(tenant=fresh, name=name)
        try:
            slug_validator(name)
            secret.validate_constraints()
        except ValidationError as error:
            raise refused_at(secret, "name", " ".join(error.messages)) from error
        _set(secret, value, allowed_hosts)
        secret.save()
        went_live(fresh)
        record(actor, fresh, "secret.make", secret.name, hosts=secret.allowed_hosts)
        return secret


def change_secret(
    actor: Actor, secret: Secret, *, value: str | None = None, allowed_hosts: Iterable[str] | None = None
) -> Secret:
    """Another value, other hosts, or both; None leaves it. The next turn of every process uses it."""
    with editing_tenant(actor, secret.tenant, Capability.OWN, version=None) as tenant:
        fresh = _stored(secret, tenant)
        before = list(fresh.allowed_hosts)
        _set(fresh, value, allowed_hosts)
        _assert_users_reach(fresh)
        fresh.changed_at = timezone.now()
        fresh.save()
        went_live(tenant)
        detail = {"value": value is not None, "hosts": fresh.allowed_hosts, "hosts_before": before}
        record(actor, tenant, "secret.change", fresh.name, **detail)
        return fresh


def delete_secret(actor: Actor, secret: Secret) -> None:
    """Refused while a provider or a sender uses it."""
    with editing_tenant(actor, secret.tenant, Capability.OWN, version=None) as tenant:
        fresh = _stored(secret, tenant)
        users = [str(user) for user, _host in users_of_secret(fresh)]
        if users:
            raise AuthoringError(
                _("“%(secret)s” is used by %(users)s. Give them another secret first.")
                % {"secret": fresh.name, "users": ", ".join(users)}
            )
        fresh.delete()
        went_live(tenant)
        record(actor, tenant, "secret.delete", fresh.name)


class Rotation(NamedTuple):
    """`rotated` secrets are encrypted with the first key now; `unreadable` ones were left: no key reads them."""

    rotated: int
    unreadable: tuple[Secret, ...]


def rotate_secrets() -> Rotation:
    """Encrypt every secret of the site with the first key of FALAI_ENCRYPTION_KEYS; their values stay."""
    rotated, unreadable = 0, []
    for key in list(rows(Secret).order_by("pk").values_list("pk", flat=True)):
        with in_one_transaction():
            # Locked, so that a value that is typed at this moment is not overwritten.
            secret = rows(Secret).select_for_update(of=("self",)).select_related("tenant").filter(pk=key).first()
            if secret is None:
                continue
            try:
                secret.ciphertext = rotate(secret.ciphertext)
            except EncryptionError:
                unreadable.append(secret)
                continue
            secret.save(update_fields=["ciphertext"])
            rotated += 1
    return Rotation(rotated, tuple(unreadable))


def users_of_secret(secret: Secret) -> Iterator[tuple[Any, str | None]]:
    """The rows that use it, each with the host that it is sent to; None for a sender, which signs with it."""
    for provider in rows(ModelProvider).filter(secret=secret):
        yield provider, provider_host(provider)
    for sender in rows(Sender).filter(Q(secret=secret) | Q(next_secret=secret)):
        yield sender, None


def _stored(secret: Secret, tenant: Tenant) -> Secret:
    fresh: Secret | None = rows(Secret).filter(pk=secret.pk, tenant=tenant).select_for_update().first()
    if fresh is None:
        raise AuthoringError(_("This secret is gone: somebody deleted it meanwhile."))
    return fresh


def _set(secret: Secret, value: str | None, allowed_hosts: Iterable[str] | None) -> None:
    if value is not None:
        # What is pasted brings a line's end along.
        plain = value.strip()
        if not plain or not plain.isprintable():
            raise refused_at(secret, "value", _("Type the value: one line, without characters that cannot be seen."))
        secret.ciphertext = encrypt(plain)
    if allowed_hosts is not None:
        secret.allowed_hosts = list(dict.fromkeys(_host(secret, host) for host in allowed_hosts))


def _host(secret: Secret, host: str) -> str:
    name = str(host).strip().lower()
    if not _HOST.match(name):
        raise refused_at(
            secret,
            "allowed_hosts",
            _("“%(host)s” is no host. Write its name alone, such as api.example.com.") % {"host": host},
        )
    return name


def _assert_users_reach(secret: Secret) -> None:
    reached = {None, *secret.allowed_hosts}
    cut_off = [str(user) for user, host in users_of_secret(secret) if host not in reached]
    if cut_off:
        raise refused_at(
            secret,
            "allowed_hosts",
            _("%(users)s would not reach their host any more. Keep it among the hosts.")
            % {"users": ", ".join(cut_off)},
        )
