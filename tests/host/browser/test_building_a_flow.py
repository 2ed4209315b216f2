"""A flow is built by clicks alone: added, started by phrases, given steps, published."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from falai_django.models import Field, Flow, Membership, ModelProvider, Role
from tests.host.browser.watching import watched
from tests.host.documents.stored import a_tenant, store

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EMPTY = {
    "name": "Lia",
    "flows": [],
    "fields": {"nome": {"type": "string", "label": "Nome"}, "cidade": {"type": "string"}},
}


@pytest.fixture
def agent(settings):
    tenant = a_tenant()
    ModelProvider.objects.create(tenant=tenant, kind="offline", model="offline")
    return store(EMPTY, tenant, "lia")


@pytest.fixture
def page(agent, open_browser):
    user = User.objects.create_user("rita", is_staff=True)
    Membership.objects.create(user=user, tenant=agent.tenant, role=Role.PUBLISHER)
    return open_browser(user)


def save(page):
    page.get_by_role("button", name="Save", exact=True).click()


def test_a_flow_is_built_and_published_by_clicks(page, agent):
    """In English, at a desk, with scripts; not one error in the console."""
    with watched(page) as wrong:
        page.goto(reverse("admin:falai_flow_changelist"))
        page.locator("#content .object-tools").get_by_role("link", name="Add flow").click()
        page.get_by_label("Name:").fill("Boas-vindas")
        save(page)
        page.get_by_role("link", name="The customer's message is about it").click()
        page.get_by_label("Starts when the customer…").fill("diz oi\nquer comprar")
        save(page)
        page.get_by_role("link", name="Talk and collect fields").click()
        page.get_by_label("Label:").fill("Conhecer")
        for number, name in enumerate(("nome", "cidade")):
            page.get_by_role("button", name="Add a field").click()
            page.locator("#row-collect select").nth(number).select_option(name)
        page.get_by_label("How to talk about it:").fill("Descubra o nome e a cidade.")
        save(page)
        page.get_by_role("link", name="Say a fixed text").click()
        page.get_by_label("Message, word for word:").fill("Obrigado, {{data.nome}}!")
        save(page)
        page.get_by_role("button", name="Move “Say a fixed text (s2)” up").click()
        page.get_by_role("button", name="Move “Say a fixed text (s2)” down").click()
        page.goto(reverse("admin:falai_agent_publish", args=[agent.pk]))
        page.get_by_role("button", name="Publish it").click()
    assert wrong == []
    agent.refresh_from_db()
    (flow,) = agent.active_release.document["flows"]
    assert flow["on"] == [{"message": ["diz oi", "quer comprar"]}]
    assert [step["kind"] for step in flow["steps"]] == ["collect", "say"]
    assert flow["steps"][0]["collect"] == ["nome", "cidade"]
    assert Flow.objects.get().is_released
    assert Field.objects.filter(is_released=True).count() == 2


def test_branches_and_conditions_are_added_with_a_keyboard(page, agent):
    """Tab, type, enter: no mouse, and what was typed is what is stored."""
    flow = Flow.objects.create(agent=agent, slug="f", name="F")
    page.goto(f"{reverse('admin:falai_step_add')}?flow={flow.pk}&kind=collect")
    page.get_by_role("button", name="Add a branch").focus()
    page.keyboard.press("Enter")
    page.locator("#row-branches select").first.focus()
    page.keyboard.type("When")
    page.keyboard.press("Tab")
    page.keyboard.type("pede desconto")
    page.locator("#row-branches select[name$='then']").select_option("end")
    page.get_by_role("button", name="Save", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/flow/**")
    assert flow.steps.get().body == {"branches": [{"when": "pede desconto", "then": "end"}]}


def test_the_page_of_a_flow_is_read_on_a_telephone(agent, open_browser):
    """Nothing is wider than the window, and each button has room for a finger."""
    user = User.objects.create_superuser("root", "r@example.com", "x")
    flow = Flow.objects.create(agent=agent, slug="f", name="F")
    flow.steps.create(step_id="s1", kind="say", body={"say": "Olá " * 60})
    page = open_browser(user, width=390, height=844)
    page.goto(reverse("admin:falai_flow_change", args=[flow.pk]))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    heights = page.locator(".falai-deeds button").evaluate_all("all => all.map(each => each.offsetHeight)")
    assert min(heights) >= 30
