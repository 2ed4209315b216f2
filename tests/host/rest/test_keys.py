"""API keys: looked up in each request, used at most once a minute, told to nobody."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from falai_django.authoring import make_api_key, revoke_api_key
from falai_django.errors import NotAllowedError
from falai_django.models import ApiKey, Scope, Tenant
from falai_django.rest import access
from falai_django.roles import SCOPE_CAPABILITIES, Actor, Capability, may, require, tenants_of
from tests.host.rest.callers import Program, make_key

OWNER = Actor.command("test")


def used_at(program):
    return ApiKey.objects.get(pk=program.key.pk).last_used_at


def test_a_key_that_an_owner_made_opens_the_api_until_it_is_revoked(stage):
    """From the very next request on."""
    made = make_api_key(OWNER, stage.tenant, "bridge", ["turns"])
    program = Program(stage.tenant, secret=made.secret)
    assert program.says("oi").status_code == 200
    revoke_api_key(OWNER, made.row)
    assert program.says("oi").status_code == 401


@pytest.mark.parametrize(
    "secret", ["", "falai_", "falai_0123456789_x", "x" * 10_000, "falai_\n", "Bearer", "falai_ééééé", "é" * 200]
)
def test_what_is_no_key_opens_nothing(stage, secret):
    """And is no reason for the server to stumble."""
    response = Program(stage.tenant, secret="x").get("turns", Authorization=f"Bearer {secret}")
    assert response.status_code == 401


def test_a_key_with_another_ending_opens_nothing(program):
    """The prefix alone says nothing; nor does the digest that is stored."""
    for secret in (program.secret[:-1], program.secret + "x", program.key.prefix, program.key.digest):
        assert program.get("turns", Authorization=f"Bearer {secret}").status_code == 401


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer"])
def test_the_scheme_has_no_case(program, scheme):
    assert program.get("turns", Authorization=f"{scheme} {program.secret}").status_code == 404


@pytest.mark.parametrize("scheme", ["Basic", "Token", "", "Bearer,"])
def test_another_scheme_opens_nothing(program, scheme):
    assert program.get("turns", Authorization=f"{scheme} {program.secret}").status_code == 401


def test_a_user_of_the_site_is_nobody_here(stage, admin_client):
    """A session cookie opens no API, so that no other page can make a browser use it."""
    assert admin_client.get("/api/v1/agents/lia/sessions/5511").status_code == 401
    assert admin_client.get("/api/v1/outbox").status_code == 401


def test_digests_are_compared_in_constant_time(program, monkeypatch):
    """Also when no key has the prefix."""
    compared = []
    compare = access.hmac.compare_digest
    monkeypatch.setattr(access.hmac, "compare_digest", lambda *two: compared.append(two) or compare(*two))
    program.get("turns")
    program.get("turns", Authorization="Bearer falai_0123456789_x")
    assert [len(one) == len(other) == 64 for one, other in compared] == [True, True]


def test_the_use_of_a_key_is_written_at_most_once_a_minute(program):
    """By one statement, whoever of several processes comes first."""
    assert used_at(program) is None
    program.get("turns")
    first = used_at(program)
    assert first is not None
    with CaptureQueriesContext(connection) as captured:
        program.get("turns")
    assert not [each for each in captured if each["sql"].startswith("UPDATE")]
    assert used_at(program) == first
    ApiKey.objects.update(last_used_at=timezone.now() - timedelta(seconds=61))
    program.get("turns")
    assert used_at(program) >= first


def test_a_process_whose_clock_runs_ahead_writes_no_more_often(program, monkeypatch):
    """The database's clock decides."""
    program.get("turns")
    first = used_at(program)
    now = timezone.now
    monkeypatch.setattr(access.timezone, "now", lambda: now() + timedelta(days=1))
    program.get("turns")
    assert used_at(program) == first


@pytest.fixture
def logged(caplog):
    """All that is logged, by the framework too, whatever the site does with it."""
    loggers = [logging.getLogger(name) for name in ("falai", "django.request")]
    for logger in loggers:
        logger.addHandler(caplog.handler)
    with caplog.at_level(logging.DEBUG), caplog.at_level(logging.DEBUG, logger="falai"):
        yield caplog
    for logger in loggers:
        logger.removeHandler(caplog.handler)


def test_nothing_of_a_key_is_logged(program, logged):
    """Nor the id of a session, which may be a phone number: of what is refused, too."""
    program.says("oi")
    program.post("turns", {"mesage": "oi"})
    program.get("turns/999")
    program.get("turns", Authorization=f"Bearer {program.secret}x")
    assert "request.refused" in logged.text
    ours = "\n".join(record.getMessage() for record in logged.records if not record.name.startswith("django.db"))
    for secret in (program.secret, program.key.digest, "5511"):
        assert secret not in ours


# -- what a key may do, by the rules of the app


def test_every_scope_has_its_capabilities():
    assert set(SCOPE_CAPABILITIES) == set(Scope)


@pytest.mark.parametrize("scope", Scope)
def test_a_key_may_do_what_its_scope_says_in_its_tenant_alone(stage, scope):
    """No more: scopes have no order."""
    key, _ = make_key(stage.tenant, scope)
    actor = Actor.of_key(key)
    other = Tenant.objects.create(slug="other", name="Other")
    assert {each for each in Capability if may(actor, stage.tenant, each)} == SCOPE_CAPABILITIES[scope]
    assert not any(may(actor, other, each) for each in Capability)
    assert not may(actor, stage.tenant, Capability.OWN)
    for each in Capability:
        wanted = [stage.tenant] if each in SCOPE_CAPABILITIES[scope] else []
        assert list(tenants_of(actor, each)) == wanted


def test_what_a_key_may_not_says_so(stage):
    """To a stranger it says nothing of the tenant."""
    key, _ = make_key(stage.tenant, "read")
    with pytest.raises(NotAllowedError, match="scopes"):
        require(Actor.of_key(key), stage.tenant, Capability.PUBLISH)
    other = Tenant.objects.create(slug="other", name="Other")
    with pytest.raises(NotAllowedError, match="no member"):
        require(Actor.of_key(key), other, Capability.VIEW)


def test_a_revoked_key_and_a_scope_of_another_version_give_nothing(stage):
    key, _ = make_key(stage.tenant, "read", "fly")
    assert may(Actor.of_key(key), stage.tenant, Capability.VIEW)
    key.revoked_at = timezone.now()
    assert not may(Actor.of_key(key), stage.tenant, Capability.VIEW)
