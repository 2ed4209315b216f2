"""The OpenAPI document is valid, complete, and what it shows can be sent; the page that shows it needs nobody else."""

from __future__ import annotations

import io
import json
from html.parser import HTMLParser

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client, override_settings

from falai_django.models import Agent
from tests.host.rest.callers import Program, operations, schema
from tests.host.runtime.flows import SAY
from tests.host.runtime.stage import document

SENT = [
    (method, path, name, example["value"])
    for (method, path), told in operations().items()
    for media in told.get("requestBody", {}).get("content", {}).values()
    for name, example in media.get("examples", {}).items()
]


def test_the_document_is_valid_and_nothing_had_to_be_guessed():
    """`manage.py spectacular --validate --fail-on-warn`."""
    out = io.StringIO()
    call_command("spectacular", validate=True, fail_on_warn=True, format="openapi-json", stdout=out)
    assert json.loads(out.getvalue())["paths"] == json.loads(json.dumps(schema()["paths"], default=str))


def test_what_belongs_together_is_shown_together():
    """Each operation under one of the headings, none of which is empty."""
    used = {tag for operation in operations().values() for tag in operation["tags"]}
    assert used == {tag["name"] for tag in schema()["tags"]}


def test_the_site_serves_it_to_everybody(db):
    """It says nothing of any tenant."""
    response = Client().get("/api/schema")
    assert response.status_code == 200
    assert response.json()["info"]["title"] == "falai"
    assert set(response.json()["paths"]) == set(schema()["paths"])


@pytest.mark.parametrize("operation", operations(), ids=" ".join)
def test_every_operation_is_told_in_full(operation):
    """A summary, its errors with an example each, an example of what may be sent; how the key is sent."""
    told = operations()[operation]
    assert told["summary"]
    assert told["operationId"]
    shown = {
        name
        for response in told["responses"].values()
        for media in response.get("content", {}).values()
        for name in media.get("examples", {})
    }
    assert {code.capitalize() for code in told["x-error-codes"]} <= shown
    if "requestBody" in told:
        assert [each for each in SENT if each[:2] == operation]
    is_public = operation[1].startswith("/api/v1/health/")
    assert told.get("security", []) == ([] if is_public else [{"ApiKey": []}]) or is_public


@pytest.mark.parametrize(("method", "path", "name", "body"), SENT, ids=lambda value: str(value)[:60])
def test_what_is_shown_can_be_sent(stage, method, path, name, body):
    """No example is refused for its shape."""
    stage.publish(
        document(
            SAY,
            {"id": "reminder", "steps": [{"id": "s", "say": "Oi."}]},
            fields={"name": {"type": "string"}, "city": {"type": "string"}},
            events={"payment-received": {}},
        )
    )
    Agent.objects.update(name="Lia")
    program = Program(stage.tenant)
    program.says("oi")
    url = path.replace("{agent}", "lia").replace("{session}", "5511").replace("{number}", "1")
    response = program.call(method, url, body)
    assert response.status_code < 300, response.content


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.inline = [], []

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.found += [named[name] for name in ("src", "href") if name in named]
        is_inline = (tag == "script" and "src" not in named) or tag == "style"
        self.inline += [tag] if is_inline or any(name.startswith("on") or name == "style" for name in named) else []


def test_the_page_loads_files_of_the_site_alone(db):
    """No inline script or style, nothing from elsewhere; its policy says so to the browser."""
    response = Client().get("/api/docs")
    assert response.status_code == 200
    assert "default-src 'self'" in response["Content-Security-Policy"]
    links = _Links()
    links.feed(response.content.decode())
    assert links.inline == []
    assert {"/api/schema"} == {link for link in links.found if not link.startswith("/static/")}
    for link in links.found:
        if link.startswith("/static/"):
            assert finders.find(link.removeprefix("/static/")), link


def test_it_may_lie_anywhere(stage):
    """A site that includes it under `falai/` finds the API there; addresses that it gives lead there, too."""
    with override_settings(ROOT_URLCONF="tests.host.rest.mounted"):
        client = Client(headers={"Authorization": f"Bearer {Program(stage.tenant).secret}", "Prefer": "respond-async"})
        for prefix in ("/falai", "/second"):
            response = client.post(
                f"{prefix}/api/v1/agents/lia/sessions/1/turns", {"message": "oi"}, content_type="application/json"
            )
            assert response.status_code == 202
            assert response["Location"].startswith(f"{prefix}/api/v1/agents/lia/sessions/1/turns/")
            assert client.get(response["Location"]).status_code == 200
            assert f'data-schema="{prefix}/api/schema"' in client.get(f"{prefix}/api/docs").content.decode()
        paths = client.get("/falai/api/schema").json()["paths"]
        assert "/falai/api/v1/health/live" in paths


def test_the_sites_own_settings_of_the_framework_change_nothing(stage):
    """An embedding site keeps its own."""
    strict = {
        "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.BasicAuthentication"],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAdminUser"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.BrowsableAPIRenderer"],
        "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.AnonRateThrottle"],
        "EXCEPTION_HANDLER": "nowhere.at_all",
    }
    with override_settings(REST_FRAMEWORK=strict):
        assert Program(stage.tenant).says("oi").status_code == 200
        assert Program(stage.tenant, secret="x").says("oi").status_code == 401
