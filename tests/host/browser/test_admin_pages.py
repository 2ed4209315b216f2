"""Every page of the admin, opened as its people open it: both languages, a desk and a telephone."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from falai_django.models import Membership, Role
from tests.host.admin.doors import DOORS, addresses
from tests.host.browser.watching import overflow, watched
from tests.host.worlds import make_world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DESK, TELEPHONE = 1280, 390
READ_ON_A_TELEPHONE = {"changelist"}
FILES = {"export"}


@pytest.fixture
def world(settings):
    settings.FALAI_ENCRYPTION_KEYS = ("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",)
    settings.FALAI_BASE_URL = "https://example.com"
    world = make_world("Alphaword")
    root = User.objects.create_superuser("root", "root@example.com", "x")
    Membership.objects.create(user=root, tenant=world.tenant, role=Role.OWNER)
    world.root = root
    return world


def pages_of(world):
    for name in sorted(DOORS):
        for each, url in addresses(world, name).items():
            if each not in FILES:
                yield name, each, url


def wrong_with(page, url, shot):
    """What is wrong with a page, in words."""
    with watched(page) as wrong:
        response = page.goto(url)
        page.screenshot(path=shot, full_page=True)
    if response.status != 200:
        return None
    if page.locator("h1:visible").count() != 1 and page.locator("#content h1").count() != 1:
        wrong.append("not one heading")
    if (wider := overflow(page)) > 0:
        wrong.append(f"{wider} px too wide")
    unnamed = page.evaluate(UNNAMED)
    return [*wrong, *(f"no label: {each}" for each in unnamed)]


UNNAMED = """() => [...document.querySelectorAll("#content input, #content select, #content textarea")]
  .filter((each) => !["hidden", "submit"].includes(each.type) && each.offsetParent !== null)
  .filter((each) => !each.labels?.length && !each.title)
  .filter((each) => !each.getAttribute("aria-label") && !each.getAttribute("aria-labelledby"))
  .map((each) => each.name || each.id)"""
"""The inputs that are in sight and that a screen reader has no name for."""


@pytest.mark.parametrize("locale", ["en", "pt-BR"])
def test_every_page_opens_at_a_desk_without_an_error(world, open_browser, locale, tmp_path):
    """No error in the console, no file that does not come, nothing wider than the window, each input with a name."""
    page = open_browser(world.root, locale=locale, width=DESK)
    found = {}
    for name, each, url in pages_of(world):
        wrong = wrong_with(page, url, tmp_path / f"{name}-{each}.png")
        if wrong:
            found[f"{name} {each}"] = wrong
    found["index"] = wrong_with(page, reverse("admin:index"), tmp_path / "index.png")
    assert {place: wrong for place, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("locale", ["en", "pt-BR"])
def test_what_is_read_on_a_telephone_is_readable_there(world, open_browser, locale, tmp_path):
    """Lists, a conversation, releases and what publishing would change: no wider than the window."""
    page = open_browser(world.root, locale=locale, width=TELEPHONE, height=844)
    found = {}
    for name, each, url in pages_of(world):
        if each in READ_ON_A_TELEPHONE or (name, each) in {
            ("session", "change"),
            ("agent", "publish"),
            ("agent", "releases"),
            ("agent", "check"),
        }:
            wrong = wrong_with(page, url, tmp_path / f"{name}-{each}.png")
            if wrong:
                found[f"{name} {each}"] = wrong
    assert found == {}


def test_a_sender_shows_the_inputs_of_its_kind_only(world, open_browser):
    """And those of another as soon as it is chosen."""
    page = open_browser(world.root)
    page.goto(reverse("admin:falai_sender_change", args=[world.sender.pk]))
    assert page.locator("#id_url").is_visible()
    assert not page.locator("#id_python_name").is_visible()
    page.select_option("#id_kind", "python")
    assert page.locator("#id_python_name").is_visible()
    assert not page.locator("#id_url").is_visible()


def test_opening_hours_are_added_by_a_button(world, open_browser):
    """Django's own script runs under the content policy."""
    page = open_browser(world.root)
    page.goto(reverse("admin:falai_tenant_change", args=[world.tenant.pk]))
    before = page.locator("#opening_spans-group tr.form-row:not(.empty-form)").count()
    page.locator("#opening_spans-group .add-row a").click()
    assert page.locator("#opening_spans-group tr.form-row:not(.empty-form)").count() == before + 1
