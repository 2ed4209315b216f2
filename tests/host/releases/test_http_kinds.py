"""HTTP actions and tools of a release are bound for its tenant, with the tenant's secrets as they are now."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet

from falai_django.encryption import encrypt
from falai_django.models import Release, Secret, Tenant
from falai_django.outgoing.network import close_connections
from falai_django.registry import action, isolated
from falai_django.releases import compile_release
from falai_engine import StartInput, TurnInput
from tests.host.releases.published import again, offline, release_of
from tests.providers.local_server import LocalServer, Reply

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings):
    started = LocalServer()
    settings.FALAI_OUTGOING_ALLOW = [f"127.0.0.1:{started.port}"]
    settings.FALAI_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    yield started
    close_connections()
    started.close()


@pytest.fixture
def tenant(db):
    made = Tenant.objects.create(slug="acme", name="Acme")
    offline(made)
    return made


def secret(tenant, value="first", hosts=("127.0.0.1",), name="crm"):
    return Secret.objects.create(tenant=tenant, name=name, ciphertext=encrypt(value), allowed_hosts=list(hosts))


def http(server, **more):
    secrets = {"crm": {"in": "header", "as": "X-Key"}}
    request = {"method": "POST", "url": f"{server.url}/save", "body": {"a": "{{data.nome}}"}, "secrets": secrets}
    return {"kind": "http", "request": {**request, **more}, "answer": {"set": {"nome": "/nome"}}}


def document(actions, **more):
    steps = [{"id": "do", "do": next(iter(actions))}, {"id": "say", "say": "Oi, {{data.nome}}."}]
    fields = {"nome": {"type": "string"}}
    flows = [{"id": "f", "steps": steps}]
    return {
        "specVersion": 1,
        "name": "Lia",
        "fields": fields,
        "flows": flows,
        "actions": actions,
        "idle": "silent",
        **more,
    }


def ran(release, key="k1"):
    """The texts and the first line of a run."""
    result = compile_release(again(release)).turn(TurnInput("s1", StartInput("f", key)))
    return [message.text for message in result.messages], result.outcomes[0]


def test_an_action_calls_and_its_answer_is_data(server, tenant):
    secret(tenant)
    server.say(Reply.of_json({"nome": "Ana"}))
    texts, line = ran(release_of(tenant, document({"save": http(server)})))
    assert (texts, line.status) == (["Oi, Ana."], "ok")
    assert server.asked[0].headers["x-key"] == "first"


def test_a_python_action_that_is_called_like_a_row_is_another(server, tenant):
    """Names of code and of rows do not meet."""
    secret(tenant)
    server.say(Reply.of_json({"nome": "Ana"}))
    called = []
    with isolated():
        action("save")(lambda params, call: called.append(params) or {"ok": True})
        actions = {"save": http(server), "other": {"kind": "python", "name": "save"}}
        release = release_of(tenant, document(actions))
        ran(release)
        assert (len(server.asked), called) == (1, [])


def test_a_changed_secret_is_seen_by_the_next_turn(server, tenant):
    """`config_version` is part of what an agent is kept under."""
    row = secret(tenant)
    release = release_of(tenant, document({"save": http(server)}))
    server.say(*[Reply.of_json({})] * 2)
    ran(release)
    Secret.objects.filter(pk=row.pk).update(ciphertext=encrypt("second"))
    Tenant.objects.filter(pk=tenant.pk).update(config_version=tenant.config_version + 1)
    ran(release, "k2")
    assert [asked.headers["x-key"] for asked in server.asked] == ["first", "second"]


def test_a_secret_that_is_gone_fails_the_calls_that_need_it(server, tenant):
    """Nothing is sent, and the agent goes on."""
    _texts, line = ran(release_of(tenant, document({"save": http(server)})))
    assert (line.status, "there is no secret “crm”" in line.detail) == ("failed", True)
    assert server.asked == []


def test_a_secret_of_another_tenant_is_as_good_as_none(server, tenant):
    secret(Tenant.objects.create(slug="other", name="Other"))
    assert ran(release_of(tenant, document({"save": http(server)})))[1].status == "failed"
    assert server.asked == []


def test_a_secret_that_no_key_reads_is_told_when_it_is_needed(server, tenant, settings):
    secret(tenant)
    settings.FALAI_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    _texts, line = ran(release_of(tenant, document({"save": http(server)})))
    assert (line.status, "No key of this site reads" in line.detail) == ("failed", True)


def test_a_secret_is_in_no_release_and_in_no_agent(server, tenant):
    secret(tenant, "hush-hush")
    release = release_of(tenant, document({"save": http(server)}))
    agent = compile_release(again(release))
    assert "hush-hush" not in str(Release.objects.get(pk=release.pk).document)
    assert "hush-hush" not in repr(agent) + repr(vars(agent) if hasattr(agent, "__dict__") else "")


def test_only_secrets_that_are_named_are_read(server, tenant, django_assert_num_queries):
    """One query, and none for an agent that names none."""
    release_of(tenant, {"specVersion": 1, "flows": [], "idle": "silent"})
    release_of(tenant, document({"save": http(server), "again": http(server)}), number=2)
    plain, named = Release.objects.select_related("agent__tenant").order_by("number")
    with django_assert_num_queries(3):  # its providers, its opening hours and its holidays
        compile_release(plain)
    with django_assert_num_queries(4):
        compile_release(named)
