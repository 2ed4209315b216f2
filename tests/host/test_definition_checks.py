"""A name that no code registered, or not for this tenant, is told where the author wrote it."""

from __future__ import annotations

import pytest

from falai_django.definition_checks import definition_checks, python_names
from falai_django.registry import action, condition, isolated, tool
from falai_engine import validate_agent_all


@pytest.fixture(autouse=True)
def _registry():
    with isolated():
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


def test_http_says_that_it_is_not_there_yet():
    request = {"kind": "http", "request": {"method": "GET", "url": "https://example.com"}, "answer": {}}
    assert [path for path, *_ in found({"actions": {"get": request}})] == ["actions.get.kind"]


def test_the_names_that_may_be_offered_are_those_of_the_tenant():
    assert python_names("action", "acme") == ["crm.save", "falai.hand_off", "falai.notify"]
    assert python_names("action", "other") == ["falai.hand_off", "falai.notify"]
    assert python_names("tool", "other") == ["find"]
