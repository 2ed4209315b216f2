"""What a key opens: its own tenant, and there what its scopes say. Every address is tried.

The cases are the table of addresses itself: a new one without a row in `doors.DOORS` fails.
"""

from __future__ import annotations

import pytest
from django.core import serializers

from falai_django.models import ApiKey, Scope
from tests.host.rest.callers import Program, operations
from tests.host.rest.doors import DOORS, all_doors, request_of
from tests.host.worlds import all_models, make_world

pytestmark = pytest.mark.django_db

KEYED = [door for door in DOORS if DOORS[door][1]]
OF_THE_TENANT = {"outbox", "ack", "contact"}
"""They name nothing of a tenant: each sees its own."""


def door_id(value):
    return " ".join(value) if isinstance(value, tuple) else str(value)


@pytest.fixture
def alpha():
    return make_world("Alphaword")


@pytest.fixture
def beta():
    return make_world("Betaword")


def rows_of(tenant):
    """All that is stored of a tenant, but when its keys were used."""
    found = {}
    for name, model in all_models().items():
        if model is not ApiKey and hasattr(model, "belongs_to"):
            found[name] = serializers.serialize("json", model.objects.of_tenants([tenant]).order_by("pk"))
    return found


def test_every_address_has_a_row():
    assert sorted(all_doors()) == sorted(DOORS)


def test_every_address_is_told_in_the_document():
    assert len(operations()) == len(DOORS)


@pytest.mark.parametrize("door", KEYED, ids=door_id)
def test_a_key_finds_its_own(door, alpha):
    """The requests of the tests below are ones that the address takes."""
    path, body = request_of(door, alpha)
    response = Program(alpha.tenant).call(door[1], path, body)
    assert response.status_code not in {400, 401, 403, 404, 405, 415}, response.content


@pytest.mark.parametrize("door", KEYED, ids=door_id)
def test_a_key_finds_nothing_of_another_tenant(door, alpha, beta):
    """Nor does it learn that there is something: the answer is that of an address that names nothing."""
    path, body = request_of(door, alpha)
    before = rows_of(alpha.tenant)
    response = Program(beta.tenant).call(door[1], path, body)
    assert b"Alphaword" not in response.content.replace(path.encode(), b"")
    if door[0] not in OF_THE_TENANT:
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "not-found"
    assert rows_of(alpha.tenant) == before


@pytest.mark.parametrize("door", KEYED, ids=door_id)
def test_nobody_gets_in_without_a_key(door, alpha):
    path, body = request_of(door, alpha)
    for secret in ("", "falai_0123456789_wrong", "x", "falai_\x00é"):
        response = Program(alpha.tenant, secret=secret).call(door[1], path, body)
        assert response.status_code == 401
        assert response.json()["error"]["code"] == "unauthenticated"
        assert response["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("scope", Scope.values)
@pytest.mark.parametrize("door", KEYED, ids=door_id)
def test_a_scope_opens_what_it_says(door, scope, alpha):
    """And nothing else: the whole table."""
    path, body = request_of(door, alpha)
    response = Program(alpha.tenant, scopes=[scope]).call(door[1], path, body)
    if scope in DOORS[door][1].split():
        assert response.status_code not in {401, 403, 404}, response.content
    else:
        assert response.status_code == 403
        assert response.json()["error"]["code"] == "missing-scope"
        assert f"`{DOORS[door][1].split()[0]}`" in response.json()["error"]["message"]


@pytest.mark.parametrize("door", [door for door in DOORS if not DOORS[door][1]], ids=door_id)
def test_health_is_for_everybody(door, alpha):
    path, _ = request_of(door, alpha)
    assert Program(alpha.tenant, secret="").call(door[1], path).status_code in {200, 503}


@pytest.mark.parametrize("door", sorted({name for name, _ in DOORS}))
def test_other_methods_are_told_which_there_are(door, alpha):
    path, _ = request_of(next(each for each in DOORS if each[0] == door), alpha)
    allowed = {method for name, method in DOORS if name == door}
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - allowed:
        response = Program(alpha.tenant).call(method, path)
        assert response.status_code == 405
        assert response.json()["error"]["code"] == "method-not-allowed"
        assert allowed <= set(response["Allow"].split(", ")) <= allowed | {"HEAD"}


@pytest.mark.parametrize(
    "path", ["/api/v1/", "/api/v1/nothing", "/api/v1/agents/x/sessions/y/turns/", "/api/v1/agents"]
)
def test_what_is_no_address_says_so_in_the_same_shape(path, alpha):
    for method in ("GET", "POST"):
        response = Program(alpha.tenant).call(method, path)
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "not-found"


@pytest.mark.parametrize("session", ["a b", "x" * 129, "é", "a%00b", "a,b", "%F0%9F%98%80"])
@pytest.mark.parametrize("path", ["turns", "", "close", "messages", "wakes", "turns/1"])
def test_the_id_of_a_session_has_a_form(session, path, alpha):
    """400, and never a question to the database."""
    program = Program(alpha.tenant, alpha.agent.slug, session)
    method = "POST" if path == "close" else "GET"
    response = program.call(method, path)
    assert response.status_code == 400
    assert response.json()["error"]["problems"][0]["path"] == "session"


@pytest.mark.parametrize("agent", ["%00", "Ünï", "x" * 200, "a%20b", "..."])
def test_an_agent_that_cannot_be_is_not_there(agent, alpha):
    assert Program(alpha.tenant, agent).get("turns").status_code == 404


@pytest.mark.parametrize("number", ["0", "999999999999999999999999", "9" * 5_000, "-1", "1.5", "x"])
def test_a_number_that_cannot_be_is_not_there(number, alpha):
    program = Program(alpha.tenant, alpha.agent.slug, alpha.session.session_id)
    assert program.get(f"turns/{number}").status_code == 404
    assert program.post(program.of_agent(f"releases/{number}/activate"), {}).status_code == 404
