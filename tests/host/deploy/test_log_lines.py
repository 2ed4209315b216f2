"""A log line is JSON with a stable name, and holds nothing that people wrote or are called by."""

from __future__ import annotations

import json
import logging
import sys

import pytest
from django.test import RequestFactory
from django.urls import resolve

from falai_django import journal
from project.log_lines import JsonLines

PHONE = "5511988887777"


@pytest.fixture
def line(caplog):
    """`line(log)`: the one line that a call to log makes, read."""

    def read(log):
        with caplog.at_level(logging.DEBUG, logger="falai"):
            log()
        record = caplog.records[-1]
        text = JsonLines().format(record)
        assert "\n" not in text
        return json.loads(text)

    return read


def made(message, *arguments, error=None, **more):
    """What some library logs."""
    record = logging.LogRecord("library", logging.WARNING, "x.py", 1, message, arguments, error)
    vars(record).update(more)
    return json.loads(JsonLines().format(record))


def test_an_event_of_the_app_is_told_by_its_name_and_keys(line):
    told = line(lambda: journal.note("turn.ended", turn=5, state="done"))
    assert {name: told[name] for name in ("level", "logger", "action", "turn", "state")} == {
        "level": "INFO",
        "logger": "falai",
        "action": "turn.ended",
        "turn": 5,
        "state": "done",
    }
    assert told["at"].endswith("Z")


def test_a_request_is_told_by_its_pattern_never_by_its_address():
    request = RequestFactory().get(f"/api/v1/agents/lia/sessions/{PHONE}/turns")
    request.resolver_match = resolve(request.path)
    told = made("%s: %s", "Not Found", request.path, request=request, status_code=404)
    assert (told["action"], told["status"], told["method"]) == ("http.failed", 404, "GET")
    assert "sessions" in told["route"]
    assert PHONE not in json.dumps(told)


def test_a_request_without_a_pattern_is_told_too():
    request = RequestFactory().get(f"/{PHONE}")
    assert made("%s: %s", "Not Found", request.path, request=request, status_code=404)["route"] == ""


def test_of_a_librarys_text_only_what_its_author_wrote():
    told = made("Invalid header of %s", PHONE)
    assert (told["action"], told["text"]) == ("log", "Invalid header of %s")


def test_a_message_that_is_no_text_is_told_by_its_class():
    assert made(ValueError(PHONE))["text"] == "ValueError"


def test_of_an_exception_only_what_it_is_and_where_it_came_from():
    try:
        int(PHONE + "x")
    except ValueError:
        told = made("failed", error=sys.exc_info())
    assert told["error"] == "ValueError"
    assert told["trace"][-1].startswith(__name__)
    assert PHONE not in json.dumps(told)
