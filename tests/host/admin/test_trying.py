"""A request is tried from its page: shown as it would leave, sent when asked for by its own button, and not kept."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from falai_django.admin.trying import TRY_PAGE
from falai_django.encryption import encrypt
from falai_django.models import Action, AuditRecord, Membership, Role, Secret, Tool
from falai_django.outgoing.network import close_connections
from tests.host.admin.doors import url_of
from tests.host.admin.posting import inputs_of, post_of
from tests.host.documents.stored import a_tenant, store
from tests.host.test_tenancy import all_models
from tests.providers.local_server import LocalServer, Reply

pytestmark = pytest.mark.django_db
SECRET = 'hush "hush"/7+7='
AGENT = {
    "name": "Lia",
    "flows": [],
    "fields": {"preco": {"type": "number"}, "plano": {"type": "string", "enum": ["basic", "pro"]}},
}


@pytest.fixture
def server(settings):
    started = LocalServer()
    settings.FALAI_OUTGOING_ALLOW = [f"127.0.0.1:{started.port}"]
    yield started
    close_connections()
    started.close()


@pytest.fixture
def agent():
    tenant = a_tenant()
    Secret.objects.create(tenant=tenant, name="crm", ciphertext=encrypt(SECRET), allowed_hosts=["127.0.0.1"])
    return store(AGENT, tenant, "lia")


@pytest.fixture
def author(agent, enter):
    user = User.objects.create_user("rita", is_staff=True)
    Membership.objects.create(user=user, tenant=agent.tenant, role=Role.AUTHOR)
    return enter(user)


def body_of(server, **more):
    return {
        "parameters": {"code": {"type": "string"}, "count": {"type": "integer", "optional": True}},
        "request": {
            "method": "POST",
            "url": f"{server.url}/p/{{{{input.code}}}}",
            "query": {"plan": "{{data.plano}}", "who": "{{context.lead.id}}"},
            "body": {"n": "{{input.count}}"},
            "secrets": {"crm": {"in": "header", "as": "Authorization", "prefix": "Bearer "}},
        },
        "answer": {"value": "/price", "set": {"preco": "/price", "plano": "/plan"}, "detail": "/note"},
        **more,
    }


@pytest.fixture
def action(agent, server):
    return Action.objects.create(agent=agent, slug="price", kind="http", body=body_of(server))


SAMPLES = (
    ("input-code", "a/b"),
    ("input-count", "3"),
    ("data-plano", "pro"),
    ("context-lead.2e.id", "7"),
)


def address(row):
    return url_of(row._meta.model_name, "try", row)


def press(client, row, *more, samples=SAMPLES):
    return client.post(address(row), post_of(client.get(address(row)), *samples, *more))


def text_of(response):
    return response.content.decode().replace("&quot;", '"').replace("&#x27;", "'")


def stored():
    return {name: list(model.objects.order_by("pk").values()) for name, model in all_models().items()}


def test_the_page_asks_for_all_that_the_request_names(author, action):
    names = inputs_of(author.get(address(action)))
    assert {name for name, _value in SAMPLES} <= set(names)
    assert "send" not in names


def test_the_request_is_shown_as_it_would_leave_and_nothing_leaves(author, action, server):
    before = stored()
    text = text_of(press(author, action, ("show", "x")))
    assert f"{server.url}/p/a%2Fb?plan=pro&amp;who=7" in text
    assert '{"n":3}' in text
    assert "Bearer ••••" in text
    assert "hush" not in text
    assert (server.connections, stored()) == (0, before)


def test_sending_takes_its_own_button_and_shows_what_came(author, action, server):
    server.say(Reply.of_json({"price": "9.5", "plan": "gold", "note": f"for {SECRET}"}))
    text = text_of(press(author, action, ("send", "x")))
    (asked,) = server.asked
    assert (asked.path, asked.body) == ("/p/a%2Fb?plan=pro&who=7", {"n": 3})
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert "idempotency-key" not in asked.headers
    for told in ("Done: for ••••", "9.5", "“plano” is none of its choices", "200"):
        assert told in text
    assert "hush" not in text


def test_nothing_is_kept_but_that_somebody_tried(author, action, server):
    """Neither what was typed nor what came."""
    before = stored()
    server.say(Reply.of_json({"price": 1}))
    press(author, action, ("send", "x"))
    after = stored()
    (record,) = AuditRecord.objects.all()
    assert (record.action, record.actor_name, record.target) == ("request.try", "rita", "action price")
    assert record.detail == {"agent": "lia", "host": "127.0.0.1"}
    assert {**after, "AuditRecord": []} == {**before, "AuditRecord": []}


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply([b"no <b>JSON</b>"], 200), "Failed"),
        (Reply([b"gone"], 404), "Failed: answered 404 Not Found"),
        (Reply([b""], 302, {"location": "http://169.254.169.254/"}), "a redirect is not followed"),
        (Reply([b"x" * 5_000], 500), "xxx…"),
    ],
    ids=["html", "404", "redirect", "long"],
)
def test_a_failure_is_an_outcome_and_is_tried_once(author, action, server, reply, told):
    server.say(reply)
    text = text_of(press(author, action, ("send", "x")))
    assert told in text
    assert len(server.asked) == 1
    assert "<b>JSON" not in text


def test_nobody_at_home_is_told_without_a_status(author, action, server):
    page = author.get(address(action))
    server.close()
    text = text_of(author.post(address(action), post_of(page, *SAMPLES, ("send", "x"))))
    assert "Failed: no connection was made" in text
    assert "<dt>Status" not in text


@pytest.mark.parametrize("button", ["show", "send"])
def test_what_may_not_leave_says_why(author, action, server, settings, button):
    settings.FALAI_OUTGOING_ALLOW = []
    assert "The URL is not https" in text_of(press(author, action, (button, "x"))).replace("the URL", "The URL")
    assert server.connections == 0
    assert not AuditRecord.objects.exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"request": {"method": "GET"}}, "request.url"),
        ({"request": {"method": "GET", "url": "https://example.com/", "secrets": {"gone": {"in": "query", "as": "k"}}}},
         "there is no secret “gone”"),
        ({"request": {"method": "GET", "url": "https://example.com/", "secrets": {"crm": {"in": "query", "as": "k"}}}},
         "may not be sent to example.com"),
        ({"request": []}, "request"),
        ({"parameters": [], "answer": 5}, "answer: it is not an object"),
    ],
    ids=["no url", "no secret", "another host", "no object", "no parameters"],
)  # fmt: skip
def test_a_definition_that_is_wrong_opens_and_says_what_is(author, action, server, change, told):
    action.body = {**action.body, **change}
    action.save()
    for button in ("show", "send"):
        response = press(author, action, (button, "x"), samples=(("input-code", "z"),))
        assert response.status_code == 200
        assert told in " ".join(str(each) for each in response.context["messages"])
    assert server.connections == 0


def test_a_sample_that_cannot_be_read_says_so_at_its_input_and_stays(author, action):
    text = text_of(press(author, action, ("show", "x"), samples=(("input-code", "a"), ("input-count", "many"))))
    assert "Write a whole number, as 3." in text
    assert 'value="many"' in text


def test_a_missing_parameter_is_told(author, action):
    assert "“code” has no value" in text_of(press(author, action, ("show", "x"), samples=()))


def test_a_tool_is_tried_with_its_arguments(author, agent, server):
    schema = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
    body = body_of(server, parameters=schema)
    body["request"].pop("body")
    tool = Tool.objects.create(agent=agent, slug="price", kind="http", body=body)
    server.say(Reply.of_json({"price": 2}))
    assert "What the assistant reads" in text_of(press(author, tool, ("send", "x"), samples=(("input-code", "z"),)))
    assert server.asked[0].path == "/p/z"
    assert AuditRecord.objects.get().target == "tool price"


def test_after_so_many_in_a_minute_one_waits(author, action, server, settings):
    settings.FALAI_TRIALS_PER_MINUTE = 2
    server.say(*[Reply.of_json({})] * 3)
    for _ in range(2):
        press(author, action, ("send", "x"))
    text = text_of(press(author, action, ("send", "x")))
    assert "2 requests within a minute" in text
    assert (len(server.asked), AuditRecord.objects.count()) == (2, 2)
    assert "Bearer ••••" in text_of(press(author, action, ("show", "x")))


def test_only_requests_are_tried(author, agent):
    """The page of another kind has no link there, and nothing to send."""
    plain = Action.objects.create(agent=agent, slug="act", kind="python", body={"name": "act"})
    assert not TRY_PAGE.is_offered(plain)
    assert "Only HTTP requests are tried here." in text_of(author.get(address(plain)))
    assert author.post(address(plain), {"send": "x"}).status_code == 200


def test_the_row_s_page_leads_there(author, action):
    assert address(action) in text_of(author.get(url_of("action", "change", action)))


def test_who_may_only_look_does_not_try(agent, action, enter, server):
    user = User.objects.create_user("vic", is_staff=True)
    Membership.objects.create(user=user, tenant=agent.tenant, role=Role.OPERATOR)
    assert enter(user).get(address(action)).status_code == 403
    assert enter(user).post(address(action), {"send": "x"}).status_code == 403
    assert server.connections == 0
