"""An agent that looks up a price, built by clicks alone, then spoken to through the API."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from falai_django.models import Action, Agent, AuditRecord, Membership, ModelProvider, Role, Tool
from falai_django.outgoing.network import close_connections
from falai_django.releases import forget_compiled
from falai_engine.testing import ScriptedProvider
from tests.host.browser.watching import watched
from tests.host.documents.stored import a_tenant
from tests.host.rest.callers import Program
from tests.providers.local_server import LocalServer, Reply

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SECRET = "hush-hush-7"


@pytest.fixture
def server(settings):
    started = LocalServer()
    settings.FALAI_OUTGOING_ALLOW = [f"127.0.0.1:{started.port}"]
    settings.FALAI_ENCRYPTION_KEYS = ("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",)
    yield started
    close_connections()
    started.close()


@pytest.fixture
def provider(monkeypatch):
    """A model that says what a test scripts."""
    scripted = ScriptedProvider()
    forget_compiled()
    monkeypatch.setattr("falai_django.releases.compiled.provider_of", lambda _tenant: scripted)
    yield scripted
    forget_compiled()


@pytest.fixture
def tenant():
    made = a_tenant()
    ModelProvider.objects.create(tenant=made, kind="offline", model="offline")
    return made


@pytest.fixture
def page(tenant, open_browser):
    user = User.objects.create_user("olga", is_staff=True)
    Membership.objects.create(user=user, tenant=tenant, role=Role.OWNER)
    return open_browser(user)


def save(page):
    page.get_by_role("button", name="Save", exact=True).click()


def add(page, model):
    page.goto(reverse(f"admin:falai_{model}_changelist"))
    page.locator("#content .object-tools").get_by_role("link", name=re.compile("^Add ")).click()


def begin(page, model, kind):
    """The kind is asked for first; the agent is clear, there is one."""
    add(page, model)
    page.get_by_label("Kind:").select_option(kind)
    page.get_by_role("button", name="Go on").click()


def inside(page, name):
    """The part of the page that holds an input, by the key of flow-spec."""
    return page.locator(f"#row-{name}")


def add_secret(page):
    add(page, "secret")
    page.get_by_label("Name:").fill("shop")
    page.get_by_label("Value:").fill(SECRET)
    page.get_by_label("Allowed hosts:").fill("127.0.0.1")
    save(page)


def add_agent(page):
    add(page, "agent")
    page.get_by_label("Name:").fill("Lia")
    save(page)


def add_field(page):
    add(page, "field")
    page.get_by_label("Label:").fill("Preço")
    inside(page, "value").locator("select").first.select_option("number")
    save(page)


def add_tool(page, url):
    begin(page, "tool", "http")
    page.get_by_label("Slug:").fill("price")
    page.get_by_label("Description:").first.fill("Looks up the price of a product by its code.")
    parameters = inside(page, "parameters")
    parameters.get_by_role("button", name="Add a parameter").click()
    parameters.get_by_label("Name").fill("code")
    parameters.get_by_label("Type").select_option("string")
    parameters.get_by_label("Must be given").check()
    request = inside(page, "request")
    request.get_by_label("Method").select_option("POST")
    request.get_by_label("URL").fill(f"{url}/prices/{{{{input.code}}}}")
    request.get_by_role("button", name="Add a query value").click()
    request.get_by_label("Name", exact=True).last.fill("currency")
    request.get_by_label("Value", exact=True).last.fill("BRL")
    request.get_by_label("Body (JSON)").select_option("values")
    for number, (place, text) in enumerate((("/items/0/code", "{{input.code}}"), ("/items/0/count", "1"))):
        request.get_by_role("button", name="+ Add a value", exact=True).click()
        request.get_by_label("Place").nth(number).fill(place)
        if text == "1":
            request.get_by_label("Kind of value").nth(number).select_option("number")
        request.locator(".falai-leaf textarea").nth(number).fill(text)
    request.get_by_role("button", name="Add a secret").click()
    request.get_by_label("Secret", exact=True).select_option("shop")
    request.get_by_label("Where it goes").select_option("header")
    request.get_by_label("Name there").fill("Authorization")
    request.get_by_label("Text before it").fill("Bearer ")
    request.get_by_label("Time at most").fill("5")
    answer = inside(page, "answer")
    answer.get_by_role("button", name="Add a field").click()
    answer.get_by_label("Field", exact=True).select_option(label="Preço (preco)")
    answer.get_by_label("With").select_option("path")
    answer.locator("[name^='answer-set-'][name$='-value-path']").fill("/price")
    answer.get_by_label("What the assistant reads").select_option("path")
    answer.locator("[name='answer-value-path']").fill("/price")
    save(page)


def try_tool(page):
    page.locator("#result_list").get_by_role("link", name="price").click()
    page.get_by_role("link", name="Try it").click()
    page.get_by_label("code:").fill("A/1")
    page.get_by_role("button", name="Show the request").click()
    shown = page.locator("#content").inner_text()
    page.get_by_role("button", name="Send it").click()
    return shown, page.locator("#content").inner_text()


def add_flow(page):
    add(page, "flow")
    page.get_by_label("Name:").fill("Prices")
    save(page)
    page.get_by_role("link", name="The customer's message is about it").click()
    page.get_by_label("Starts when the customer…").fill("asks for a price")
    save(page)
    page.get_by_role("link", name="Talk", exact=True).click()
    page.get_by_label("What to talk about:").fill("Say the price.")
    save(page)
    page.goto(reverse("admin:falai_agent_publish", args=[Agent.objects.get().pk]))
    page.get_by_role("button", name="Publish it").click()


def make_key(page):
    """The key is read where it is shown, once."""
    add(page, "apikey")
    page.get_by_label("Name:").fill("bridge")
    for scope in page.locator("input[name=scopes]").all():
        scope.check()
    save(page)
    return page.get_by_label("Secret").input_value()


def test_a_price_is_looked_up_by_an_agent_that_was_built_by_clicks(page, tenant, server, provider):
    """A secret, an agent, a field, a tool that is tried, a flow, a release, a key; then a customer asks."""
    server.say(Reply.of_json({"price": "9.50"}), Reply.of_json({"price": "12"}))
    with watched(page) as wrong:
        add_secret(page)
        add_agent(page)
        add_field(page)
        add_tool(page, server.url)
        shown, answered = try_tool(page)
        add_flow(page)
        key = make_key(page)
    assert wrong == []
    assert Tool.objects.get().body["request"]["body"] == {"items": [{"code": "{{input.code}}", "count": 1}]}
    assert f"{server.url}/prices/A%2F1?currency=BRL" in shown
    assert "Bearer ••••" in shown
    assert SECRET not in shown + answered
    assert "9.5" in answered
    assert AuditRecord.objects.filter(action="request.try").count() == 1

    asks = {"message": "", "toolCalls": [{"toolName": "price", "arguments": {"code": "B2"}}]}
    provider.script([{"score": 90}], [asks, {"message": "It costs 12."}])
    program = Program(tenant, secret=key)
    response = program.says("how much is B2?", id="m1")
    assert response.status_code == 200, response.content
    assert [message["text"] for message in response.json()["messages"]] == ["It costs 12."]
    assert response.json()["data"] == {"preco": 12}
    asked = server.asked[-1]
    assert (asked.path, asked.body) == ("/prices/B2?currency=BRL", {"items": [{"code": "B2", "count": 1}]})
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert len(asked.headers["idempotency-key"]) == 64
    assert SECRET not in json.dumps(response.json()) + repr(provider.requests)


def test_updates_are_written_as_lines_and_mended_where_they_are_wrong(page, tenant):
    """All that is wrong at once, in words with line and column; then it is stored, as no JSON that anybody typed."""
    add_agent(page)
    add_field(page)
    begin(page, "action", "update_state")
    page.get_by_label("Slug:").fill("double")
    lines = page.locator("textarea[name=updates]")
    lines.fill("preco = preco *\npreco == 2")
    save(page)
    told = page.locator("#content").inner_text()
    assert "Line 1, column 16" in told
    assert "Line 2, column 1" in told
    assert lines.input_value() == "preco = preco *\npreco == 2"
    assert "preco" in page.locator(".falai-beside").inner_text()
    lines.fill("preco = preco * 2")
    save(page)
    body = Action.objects.get().body
    assert [update["variable"] for update in body["updates"]] == ["preco"]
    page.locator("#result_list").get_by_role("link", name="double").click()
    assert lines.input_value() == "preco = preco * 2"
