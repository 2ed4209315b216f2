"""A name that no code registered, or not for this tenant, is told where the author wrote it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from falai_django.definition_checks import definition_checks, python_names
from falai_django.models import Secret, Tenant
from falai_django.registry import action, condition, isolated, tool
from falai_engine import validate_agent_all


@pytest.fixture(autouse=True)
def _registry():
    with isolated(empty=True):
        action("crm.save", tenants=["acme"])(lambda params, call: None)
        condition("is_vip")(lambda argument, scope: True)
        tool("find")(lambda arguments, request: 1)
        yield


def found(document, tenant="acme"):
    problems = validate_agent_all({"flows": [], "idle": "silent", **document}, checks=definition_checks(tenant))
    return [(problem.path, problem.what, problem.fix) for problem in problems]


def python(name=None):
    return {"kind": "python"} if name is None else {"kind": "python", "name": name}


def test_names_that_are_registered_pass_by_name_or_by_slug():
    conditions, tools = {"is_vip": python()}, [{"id": "find", **python()}]
    actions = {"save": python("crm.save"), "bye": python("falai.hand_off")}
    assert found({"actions": actions, "conditions": conditions, "tools": tools}) == []


def test_another_tenants_name_is_as_unknown_as_none():
    (problem,) = found({"actions": {"save": python("crm.save")}}, "other")
    assert problem[0] == "actions.save.name"
    assert "“crm.save”" in problem[1]
    assert "crm" not in problem[2]


def test_the_nearest_name_is_offered():
    (problem,) = found({"actions": {"save": python("crm.sav")}})
    assert problem[2].startswith("Write “crm.save”")


def test_a_tool_is_not_found_among_the_actions():
    assert [path for path, *_ in found({"tools": [{"id": "t", **python("crm.save")}]})] == ["tools[0].name"]


def http(**request):
    return {"kind": "http", "request": {"method": "GET", "url": "https://api.example.com/", **request}}


def test_an_http_definition_that_is_fine_passes():
    assert found({"actions": {"get": http()}, "tools": [{"id": "t", **http()}]}) == []


def test_the_request_on_the_page_of_the_format_is_fine(db):
    acme = Tenant.objects.create(slug="acme", name="Acme")
    Secret.objects.create(tenant=acme, name="workshop", ciphertext="x", allowed_hosts=["api.example.com"])
    page = (Path(__file__).resolve().parents[2] / "examples" / "FORMAT.md").read_text(encoding="utf-8")
    request = json.loads(re.findall(r"```json\n(.*?)```", page, re.DOTALL)[-1])
    document = {"flows": [], "idle": "silent", "fields": {"day": {"type": "string"}}, "actions": {"visits": request}}
    assert validate_agent_all(document, checks=definition_checks("acme", document)) == []


@pytest.mark.parametrize("url", ["https://{{data.host}}/", "http://", "https://user@api.example.com/"])
def test_an_http_definition_that_cannot_be_made_is_told(url):
    assert [path for path, *_ in found({"actions": {"get": http(url=url)}})] == ["actions.get.request.url"]


def test_a_draft_is_held_against_its_fields_the_tenants_secrets_and_what_may_be_reached(db):
    """A document that is judged brings all its names; one that only runs is held against its own form."""
    acme, other = (Tenant.objects.create(slug=slug, name=slug) for slug in ("acme", "other"))
    Secret.objects.create(tenant=acme, name="crm", ciphertext="x", allowed_hosts=["api.example.com"])
    Secret.objects.create(tenant=other, name="erp", ciphertext="x", allowed_hosts=["api.example.com"])
    secrets = {name: {"in": "header", "as": f"X-{name}"} for name in ("crm", "erp")}
    answer = {"set": {"nome": "/n", "score": "/s", "nmae": "/n"}}
    document = {
        "fields": {"nome": {"type": "string"}},
        "variables": {"score": {"type": "number"}},
        "actions": {"get": {**http(secrets=secrets), "answer": answer}, "in": http(url="https://10.0.0.1/")},
    }
    checks = definition_checks("acme", document)
    problems = validate_agent_all({"flows": [], "idle": "silent", **document}, checks=checks)
    assert [problem.path for problem in problems] == [
        "actions.get.request.secrets.erp",
        "actions.get.answer.set.nmae",
        "actions.in.request.url",
    ]
    assert found(document) == []


def test_the_names_that_may_be_offered_are_those_of_the_tenant():
    assert python_names("action", "acme") == ["crm.save", "falai.hand_off", "falai.notify"]
    assert python_names("action", "other") == ["falai.hand_off", "falai.notify"]
    assert python_names("tool", "other") == ["find"]
