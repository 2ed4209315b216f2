"""The demo's pages are for this machine, with DEBUG on, and each visitor has conversations of their own."""

from __future__ import annotations

import re

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse

from falai_django.models import Session, Turn
from project.demo import urls
from project.demo.access import is_local
from tests.host.quickstart.conftest import Visitor

ACTS = ["say", "event", "wake", "silence", "new"]
PLACES = {
    "home": "/",
    "page": "/demo/triage/",
    "state": "/demo/triage/state",
    **{name: f"/demo/triage/{name}" for name in ACTS},
}


def ask(client, name, **more):
    return (client.post if name in ACTS else client.get)(PLACES[name], **more)


def test_every_address_of_the_demo_is_in_these_tests():
    assert {pattern.name for pattern in urls.urlpatterns} == set(PLACES)
    assert reverse("demo:state", args=["triage"]) == PLACES["state"]


@pytest.mark.parametrize("name", PLACES)
def test_it_is_there_for_this_machine(demo, name):
    assert ask(Client(), name).status_code == 200


@pytest.mark.parametrize("name", PLACES)
def test_it_is_not_there_without_debug(demo, settings, name):
    settings.DEBUG = False
    assert ask(Client(), name).status_code == 404


@pytest.mark.parametrize("name", PLACES)
def test_it_is_not_there_for_another_machine(demo, name):
    assert ask(Client(REMOTE_ADDR="192.168.0.7"), name).status_code == 404


@pytest.mark.parametrize("name", PLACES)
def test_it_is_not_there_behind_a_proxy(demo, name):
    """Whoever comes through a tunnel comes from this machine, too."""
    assert ask(Client(headers={"x-forwarded-for": "127.0.0.1"}), name).status_code == 404


@pytest.mark.parametrize("name", ACTS)
def test_another_site_cannot_post_for_the_visitor(demo, name):
    assert ask(Client(enforce_csrf_checks=True), name).status_code == 403
    assert not Turn.objects.exists()


@pytest.mark.parametrize("name", ACTS)
def test_a_link_does_nothing(demo, name):
    assert Client().get(PLACES[name]).status_code == 405


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:10.0.0.1", False),
        ("10.0.0.1", False),
        ("", False),
        ("unix:", False),
    ],
)
def test_what_this_machine_is(address, local):
    assert is_local(RequestFactory().get("/", REMOTE_ADDR=address)) is local


@pytest.mark.parametrize("name", ["HTTP_FORWARDED", "HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_VIA"])
def test_what_a_proxy_is_known_by(name):
    assert not is_local(RequestFactory().get("/", REMOTE_ADDR="127.0.0.1", **{name: "127.0.0.1"}))


def test_an_agent_of_another_tenant_is_not_there(visitor):
    from tests.host.worlds import make_world  # noqa: PLC0415 - it needs the database's models

    world = make_world("Zorba")
    for slug in (world.agent.slug, "triage-2", "x"):
        assert visitor.get(f"/demo/{slug}/").status_code == 404
        assert visitor.post(f"/demo/{slug}/say", {"text": "oi"}).status_code == 404


def test_visitors_do_not_see_each_other(visitor):
    visitor.says("triage", "Oi, sou a Marina")
    assert len(visitor.sees("triage")["messages"]) == 2
    assert Visitor().sees("triage")["messages"] == []


def test_the_browser_says_no_id_and_learns_no_key(visitor):
    visitor.says("triage", "oi")
    session = Session.objects.get()
    pages = [visitor.get("/").content.decode(), visitor.get("/demo/triage/state").content.decode()]
    for page in pages:
        assert session.session_id not in page
        assert "falai_" not in page.replace("falai_registry", "")


def test_nothing_runs_or_is_styled_within_the_page(visitor):
    answer = visitor.get("/")
    page = answer.content.decode()
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'")
    assert re.findall(r"<script(?![^>]*\bsrc=)", page) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=", page) == []


def test_the_page_is_not_kept_by_anybody_in_between(visitor):
    assert "no-store" in visitor.get("/").headers["Cache-Control"]


def test_before_the_demo_is_made_the_page_says_how(db, settings):
    settings.DEBUG = True
    assert "<code>make run</code>" in Client().get("/").content.decode()


def test_pages_that_name_no_icon_get_one(demo):
    """Browsers ask for it on each page of the admin."""
    found = Client().get("/favicon.ico")
    assert (found.status_code, found["Location"]) == (302, "/static/demo/icon.svg")
