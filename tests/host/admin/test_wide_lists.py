"""Long keys and texts leave room for the other columns of a list; the whole is told all the same."""

from __future__ import annotations

import pytest

from falai_django.models import Anchor, Claim, Message, Receipt, Role, Session, SessionRun, Turn, Wake
from tests.host.admin.doors import url_of

pytestmark = pytest.mark.django_db

LONG = "9f0c2f1e-key-that-no-column-has-room-for-" + "0123456789" * 4
COLUMNS = {
    Anchor: "key",
    Claim: "dedupe_key",
    Receipt: "key",
    Session: "session_id",
    SessionRun: "run_id",
    Turn: "key",
    Wake: "key",
}


@pytest.fixture
def viewer(alpha, enter):
    return enter(alpha.user(Role.VIEWER))


def listed(client, name):
    page = client.get(url_of(name, "changelist"))
    assert page.status_code == 200
    return page.content.decode()


def assert_short(page):
    assert f'title="{LONG}"' in page
    assert f">{LONG}<" not in page
    assert LONG not in page.replace(f'title="{LONG}"', "")


@pytest.mark.parametrize(("model", "column"), COLUMNS.items(), ids=lambda each: str(getattr(each, "__name__", each)))
def test_a_long_key_is_cut_and_whole_in_its_title(alpha, viewer, model, column):
    model.objects.filter(pk=alpha.row(model).pk).update(**{column: LONG})
    assert_short(listed(viewer, model._meta.model_name))


@pytest.mark.parametrize("name", ["delivery", "message", "sessionrun", "turn", "wake"])
def test_so_is_the_conversation_that_a_row_belongs_to(alpha, viewer, name):
    Session.objects.filter(pk=alpha.session.pk).update(session_id=LONG)
    assert_short(listed(viewer, name))


def test_what_is_cut_is_escaped(alpha, viewer):
    Turn.objects.filter(pk=alpha.turn.pk).update(key='<b title="x">' + "y" * 40)
    page = listed(viewer, "turn")
    assert "<b title" not in page
    assert "&lt;b title=&quot;x&quot;&gt;" in page


def test_a_message_is_told_by_its_beginning_its_state_and_what_went_wrong(alpha, viewer):
    Message.objects.filter(pk=alpha.message.pk).update(text="word " * 40, state="dead", error=LONG)
    page = listed(viewer, "message")
    assert ("word " * 16).rstrip() + "…" in page
    assert "word " * 17 not in page
    assert f'Given up: <span title="{LONG}">{LONG[:40]}…</span>' in page


def test_a_message_without_text_still_has_a_way_to_its_page(alpha, viewer):
    Message.objects.filter(pk=alpha.message.pk).update(text="")
    assert f'{url_of("message", "change", alpha.message)}">–</a>' in listed(viewer, "message")


@pytest.mark.parametrize("name", ["message", "session", "sessionrun", "turn", "wake"])
def test_the_lists_are_sorted_by_what_was_cut_too(alpha, viewer, name):
    for number in range(1, 8):
        assert viewer.get(url_of(name, "changelist"), {"o": str(number)}).status_code == 200
