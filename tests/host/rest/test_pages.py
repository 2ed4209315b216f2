"""Lists come in pages that stay as they are while rows arrive and go."""

from __future__ import annotations

import pytest

from falai_django.models import Message, Release, Turn, Wake

LISTS = {
    "turns": ("key", "newest"),
    "messages": ("text", "oldest"),
    "wakes": ("key", "oldest"),
    "/api/v1/agents/lia/releases": ("note", "newest"),
}
MODELS = {"turns": Turn, "messages": Message, "wakes": Wake}


def add(stage, path, number):
    """One more row of this list."""
    name = f"n{number}"
    made = {"session": stage.session()} if path in MODELS else {"agent": stage.agent}
    more = {
        "turns": {"kind": "message", "key": name, "input": {}, "deliver": "response", "state": "done"},
        "messages": {"seq": 100 + number, "direction": "in", "author": "customer", "text": name},
        "wakes": {"key": name, "due": "2030-01-01T00:00:00Z"},
    }
    released = {"number": 100 + number, "note": name, "document": {}, "spec_version": 1, "digest": f"{number:064}"}
    MODELS.get(path, Release).objects.create(**made, **more.get(path, released))


def remove(path, name):
    MODELS.get(path, Release).objects.filter(**{LISTS[path][0]: name}).delete()


@pytest.fixture
def listed(stage, program):
    """The session is there, without a row of any list but the release that serves."""
    program.patch("", {"context": {}})
    return stage


def pages(program, path, **query):
    """Every page to the last; `between` is done after the first."""
    between = query.pop("between", lambda: None)
    parameters = "&".join(f"{name}={value}" for name, value in query.items())
    told = program.get(f"{path}?{parameters}").json()
    found = [told["items"]]
    between()
    while told["next"] is not None:
        told = program.get(f"{path}?{parameters}&cursor={told['next']}").json()
        found.append(told["items"])
    return found


@pytest.mark.parametrize("path", LISTS)
def test_pages_hold_every_row_once_in_order(listed, program, path):
    """In both orders; the last page says that it is the last."""
    name, default = LISTS[path]
    for number in range(1, 8):
        add(listed, path, number)
    wanted = [f"n{number}" for number in range(1, 8)]
    for order in ("oldest", "newest", None):
        found = pages(program, path, limit=3, **({"order": order} if order else {}))
        seen = [item[name] for page in found for item in page if item[name].startswith("n")]
        assert seen == (wanted if (order or default) == "oldest" else wanted[::-1])
        assert all(len(page) == 3 for page in found[:-1])


@pytest.mark.parametrize("path", LISTS)
def test_rows_that_arrive_and_go_shift_no_page(listed, program, path):
    """Newest first: what arrives is not on the pages that follow, none is there twice."""
    name, _ = LISTS[path]
    for number in range(1, 7):
        add(listed, path, number)

    def meanwhile():
        add(listed, path, 7)
        remove(path, "n3")

    found = pages(program, path, limit=2, order="newest", between=meanwhile)
    assert [item[name] for page in found for item in page if item[name].startswith("n")] == [
        "n6",
        "n5",
        "n4",
        "n2",
        "n1",
    ]


def test_what_arrives_comes_at_the_end_of_the_oldest_first(listed, program):
    """So that a reader may go on where it was."""
    for number in range(1, 4):
        add(listed, "messages", number)
    found = pages(program, "messages", limit=2, between=lambda: add(listed, "messages", 4))
    assert [item["text"] for page in found for item in page] == ["n1", "n2", "n3", "n4"]


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=-1",
        "limit=101",
        "limit=x",
        "limit=٣",
        "cursor=%00",
        "cursor=!!",
        "cursor=eA",
        "order=up",
        "page=2",
    ],
)
@pytest.mark.parametrize("path", LISTS)
def test_a_parameter_that_cannot_be_is_told(listed, program, path, query):
    response = program.get(f"{path}?{query}")
    assert response.status_code == 400
    assert response.json()["error"]["problems"][0]["path"] == query.partition("=")[0]


def test_the_site_says_how_long_a_page_may_be(listed, program, settings):
    settings.FALAI_PAGE_ROWS = 2
    for number in range(1, 4):
        add(listed, "turns", number)
    assert len(program.get("turns").json()["items"]) == 2
    assert program.get("turns?limit=3").status_code == 400
