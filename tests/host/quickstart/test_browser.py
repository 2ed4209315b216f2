"""The chat page in Chromium: on a phone and a desktop, in both languages, light and dark."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.host.quickstart.conftest import Quickstart

pytestmark = pytest.mark.browser

SIZES = {"phone": (390, 844), "desktop": (1280, 800)}
SEND = {"en": "Send", "pt-BR": "Enviar"}
BEHIND = {"en": "Behind it", "pt-BR": "Por trás"}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    run = Quickstart(tmp_path_factory.mktemp("quickstart") / "db.sqlite3", "--port", "0").ready()
    run.answers()
    yield run.url
    run.stop()


class Window:
    """A visitor's page; `faults` are what the browser complained of."""

    def __init__(self, page, size):
        self.page, self.is_phone = page, size == "phone"
        self.faults = []
        page.on("console", lambda said: self.faults.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))

    def opens(self, place="/"):
        self.page.goto(place)
        self.page.locator("#suggestion button").wait_for()
        return self

    def follows(self, times=1):
        """Do what the page suggests, until it is answered."""
        for _ in range(times):
            answers = self.page.locator("#messages li.assistant")
            count = answers.count()
            self.page.locator("#suggestion button").click()
            answers.nth(count).wait_for()

    def looks(self, part):
        if self.is_phone:
            self.page.locator(f".tabs [data-show={part}]").click()
        return self.page.locator(f"#{part}")

    def is_no_wider_than_the_screen(self):
        root = self.page.locator("html")
        return root.evaluate("element => element.scrollWidth <= element.clientWidth")

    def keeps(self, name):
        """A picture to look at, where SCREENSHOTS names a folder."""
        if folder := os.environ.get("SCREENSHOTS"):
            self.page.screenshot(path=Path(folder) / f"{name}.png")


@pytest.fixture
def window(chromium, url, request):
    """`window(size, language, scheme)`; at the end, nothing may have been complained of."""
    opened = []

    def open_window(size="desktop", language="en", scheme="light"):
        width, height = SIZES[size]
        context = chromium.new_context(
            base_url=url, locale=language, color_scheme=scheme, viewport={"width": width, "height": height}
        )
        context.set_default_timeout(20_000)
        opened.append((context, Window(context.new_page(), size)))
        return opened[-1][1]

    yield open_window
    for context, each in opened:
        each.keeps(request.node.name)
        context.close()
        assert each.faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "pt-BR"])
@pytest.mark.parametrize("size", SIZES)
def test_a_newcomer_talks_and_sees_why(window, size, language, scheme):
    """By the suggestions alone: answers on one side, on the other what was understood, in the reader's language."""
    here = window(size, language, scheme).opens()
    page = here.page
    assert page.locator("html").get_attribute("lang").lower() == language.lower()
    assert page.get_by_role("button", name=SEND[language], exact=True).is_visible()
    here.follows(3)
    assert here.is_no_wider_than_the_screen()
    here.keeps(f"talk-{size}-{language}-{scheme}")
    if here.is_phone:
        assert not page.locator("#behind").is_visible()
        assert page.get_by_role("button", name=BEHIND[language]).is_visible()
    behind = here.looks("behind")
    behind.get_by_text("Padaria Sol Nascente").first.wait_for()
    assert behind.locator("details[open] meter").first.get_attribute("aria-label") == (
        "Score" if language == "en" else "Pontuação"
    )
    assert here.is_no_wider_than_the_screen()


def test_the_next_wake_need_not_be_awaited(window):
    here = window().opens("/demo/follow-up/")
    here.follows()
    button = here.page.get_by_role("button", name="Next wake now")
    button.click()
    here.page.locator("#messages li.assistant").nth(1).wait_for()
    assert "A time has come" in here.page.locator("#turns details[open] .what").first.inner_text()


@pytest.mark.parametrize("size", SIZES)
def test_a_person_takes_over_and_the_team_gives_back(window, size):
    here = window(size, "pt-BR").opens("/demo/handoff/")
    here.follows(3)
    here.page.locator("#silenced").wait_for()
    here.keeps(f"silenced-{size}")
    here.looks("behind")
    here.page.get_by_role("button", name="Atendimento encerrado").click()
    here.looks("talk")
    here.page.get_by_text("Nina de volta").wait_for()
    assert here.page.locator("#silenced").is_hidden()


def test_what_a_customer_wrote_is_shown_as_text(window):
    here = window().opens()
    hostile = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"
    here.page.get_by_label("Message", exact=True).fill(hostile)
    here.page.get_by_role("button", name="Send", exact=True).click()
    here.page.locator("#messages li.assistant").wait_for()
    assert here.page.locator("#messages li.customer .bubble").inner_text() == hostile
    assert here.page.locator("#turns .what").first.inner_text() == hostile
    assert here.page.locator("#messages img, #turns img, main script").count() == 0
    assert here.page.title() != "run"


def test_it_is_used_by_the_keyboard(window):
    """Enter sends, the focus stays in the message, the language switch and the rest are reached by Tab."""
    here = window().opens()
    page = here.page
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the message"
    page.keyboard.press("Enter")
    page.keyboard.type("Hello, I am Sam")
    page.keyboard.press("Enter")
    page.locator("#messages li.assistant").wait_for()
    assert page.locator(":focus").get_attribute("id") == "text"


def test_the_language_is_switched_and_stays(window):
    here = window().opens("/demo/booking/")
    page = here.page
    page.get_by_role("button", name="Português Brasileiro").click()
    page.get_by_role("button", name="Enviar", exact=True).wait_for()
    assert page.url.endswith("/demo/booking/")
    page.get_by_role("link", name="Campanha").click()
    page.get_by_role("button", name="Enviar", exact=True).wait_for()
    page.get_by_role("button", name="English").click()
    page.get_by_role("button", name="Send", exact=True).wait_for()


def test_a_new_conversation_is_empty_and_the_old_one_is_left(window):
    here = window().opens()
    here.follows()
    here.page.get_by_role("button", name="New conversation").click()
    here.page.get_by_text("You are the customer").wait_for()
    assert here.page.locator("#messages li").count() == 0


def test_a_message_that_was_not_sent_is_sent_again_by_the_visitor(window):
    here = window().opens()
    page = here.page
    page.route("**/say", lambda route: route.abort())
    page.locator("#suggestion button").click()
    retry = page.get_by_role("button", name="Not sent. Try again")
    retry.wait_for()
    page.unroute("**/say")
    retry.click()
    page.locator("#messages li.assistant").wait_for()
    assert page.locator("#messages li.customer").count() == 1
    here.faults = [each for each in here.faults if "ERR_FAILED" not in each]
