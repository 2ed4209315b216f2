"""Flows as code: a draft is read, replaced, validated, published; releases are listed and activated."""

from __future__ import annotations

import pytest

from falai_django.authoring import ImportMode, run_import
from falai_django.models import Agent, AuditRecord, ModelProvider, Release, Session, SessionRun
from falai_django.roles import Actor
from tests.host.rest.callers import Program

DOCUMENT = {
    "specVersion": 1,
    "name": "Lia",
    "fields": {"nome": {"type": "string"}},
    "flows": [{"id": "hello", "on": [{"message": []}], "steps": [{"id": "s1", "say": "Oi!"}]}],
}
BROKEN = {**DOCUMENT, "flows": [{"id": "hello", "steps": [{"id": "s1", "collect": ["idade"], "prompt": "Ask."}]}]}


def error(response):
    return response.json()["error"]


@pytest.fixture
def agent(stage):
    """Its draft says DOCUMENT; it has a model."""
    ModelProvider.objects.create(tenant=stage.tenant, kind="offline", model="x")
    agent = Agent.objects.create(tenant=stage.tenant, slug="novo", name="Novo")
    run_import(Actor.command("test"), agent, DOCUMENT, mode=ImportMode.REPLACE)
    return agent


@pytest.fixture
def program(agent):
    return Program(agent.tenant, "novo")


def test_a_draft_goes_round(program):
    """What was read can be put back, and nothing has changed."""
    response = program.get(program.of_agent("draft"))
    document = response.json()
    assert document["flows"][0]["steps"][0]["say"] == "Oi!"
    again = program.put(program.of_agent("draft"), document, **{"If-Match": response["ETag"]})
    assert again.status_code == 200
    assert program.get(program.of_agent("draft")).json() == document


def test_a_draft_that_somebody_changed_meanwhile_is_not_overwritten(program):
    """409 `stale`."""
    tag = program.get(program.of_agent("draft"))["ETag"]
    changed = {**DOCUMENT, "persona": "Calma."}
    assert program.put(program.of_agent("draft"), changed, **{"If-Match": tag}).status_code == 200
    response = program.put(program.of_agent("draft"), DOCUMENT, **{"If-Match": tag})
    assert (response.status_code, error(response)["code"]) == (409, "stale")
    assert program.get(program.of_agent("draft")).json()["persona"] == "Calma."
    for tag in ("*", ""):
        assert program.put(program.of_agent("draft"), DOCUMENT, **{"If-Match": tag}).status_code == 200


def test_a_draft_with_problems_is_refused_unless_it_is_meant(program):
    """422 with every problem and its place; with `asDraft` it is stored."""
    response = program.put(program.of_agent("draft"), BROKEN)
    assert (response.status_code, error(response)["code"]) == (422, "refused")
    problem = error(response)["problems"][0]
    assert (problem["severity"], "idade" in problem["message"]) == ("error", True)
    assert problem["path"].startswith("flows")
    stored = program.put(program.of_agent("draft?asDraft=true"), BROKEN)
    assert (stored.status_code, stored.json()["isValid"]) == (200, False)
    assert program.put(program.of_agent("draft?asDraft=yes"), BROKEN).status_code == 400


def test_what_is_no_document_is_refused_with_every_reason(program):
    for body in ({"flows": 7}, {"specVersion": 99, "flows": []}, {"specVersion": 1, "flows": [{"id": "a b"}]}):
        for method, path, payload in (("PUT", "draft", body), ("POST", "validate", {"document": body})):
            response = program.call(method, program.of_agent(path), payload)
            assert response.status_code == 422, (body, response.content)


def test_a_forgotten_body_empties_no_draft(program):
    """Nor does an empty object."""
    for body in (None, {}):
        response = program.put(program.of_agent("draft"), body)
        assert (response.status_code, error(response)["code"]) == (400, "invalid-input")
    assert program.get(program.of_agent("draft")).json()["flows"]


def test_validating_says_what_publishing_would(program):
    """Problems, changes, the token; nothing is stored."""
    told = program.post(program.of_agent("validate"), {}).json()
    assert (told["isValid"], told["isUnchanged"]) == (True, False)
    assert told["version"]
    assert told["changes"][0]["sentence"]
    assert not Release.objects.filter(agent__slug="novo").exists()


def test_a_document_is_validated_without_being_stored(program):
    told = program.post(program.of_agent("validate"), {"document": BROKEN}).json()
    assert told["isValid"] is False
    assert any("idade" in problem["message"] for problem in told["problems"])
    assert program.get(program.of_agent("draft")).json()["flows"][0]["steps"][0].get("say") == "Oi!"


def test_publishing_makes_the_release_that_serves(program):
    """201, then 200: what serves already is not published again."""
    version = program.post(program.of_agent("validate"), {}).json()["version"]
    response = program.post(program.of_agent("publish"), {"note": "Primeira", "version": version})
    assert response.status_code == 201
    told = response.json()
    assert (told["release"]["number"], told["release"]["isActive"], told["isNew"]) == (1, True, True)
    assert told["release"]["publishedBy"].startswith("bridge (falai_")
    again = program.post(program.of_agent("publish"))
    assert (again.status_code, again.json()["isNew"], again.json()["changes"]) == (200, False, [])
    assert program.says("oi").json()["messages"][0]["text"] == "Oi!"
    assert AuditRecord.objects.get(action="publish").actor_name == told["release"]["publishedBy"]


def test_another_draft_than_the_one_that_was_seen_is_not_published(program):
    response = program.post(program.of_agent("publish"), {"version": "another"})
    assert (response.status_code, error(response)["code"]) == (409, "stale")


def test_a_draft_with_errors_is_not_published(program):
    program.put(program.of_agent("draft?asDraft=true"), BROKEN)
    response = program.post(program.of_agent("publish"), {})
    assert (response.status_code, error(response)["code"]) == (422, "refused")
    assert any(problem["severity"] == "error" for problem in error(response)["problems"])


def test_an_older_release_serves_again(program):
    """What changes, and the live runs that notice, are told; the one that serves already changes nothing."""
    program.post(program.of_agent("publish"))
    hello = {**DOCUMENT["flows"][0], "steps": [{"id": "s1", "say": "Olá!"}]}
    program.put(program.of_agent("draft"), {**DOCUMENT, "flows": [{**hello, "id": "other"}]})
    program.post(program.of_agent("publish"))
    session = Session.objects.create(agent=Agent.objects.get(slug="novo"), session_id="x")
    SessionRun.objects.create(session=session, run_id="other#1", flow="other", step="s1", status="waiting")
    told = program.post(program.of_agent("releases/1/activate"), {}).json()
    assert (told["isChanged"], told["release"]["number"]) == (True, 1)
    assert told["changes"]
    assert told["touched"][0]["count"] == 1
    assert program.post(program.of_agent("releases/1/activate")).json()["isChanged"] is False
    items = program.get(program.of_agent("releases")).json()["items"]
    assert [(item["number"], item["isActive"]) for item in items] == [(2, False), (1, True)]
    assert program.post(program.of_agent("releases/9/activate"), {}).status_code == 404


def test_a_release_that_cannot_serve_any_more_is_refused(program):
    program.post(program.of_agent("publish"))
    agent = Agent.objects.get(slug="novo")
    Release.objects.create(agent=agent, number=2, document={"flows": 7}, spec_version=1, digest="0" * 64)
    response = program.post(program.of_agent("releases/2/activate"), {})
    assert (response.status_code, error(response)["code"]) == (422, "refused")
