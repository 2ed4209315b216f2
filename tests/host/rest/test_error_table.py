"""Every error that a caller may read has its row, its status, its code, and is told in the document."""

from __future__ import annotations

import inspect

import pytest
from django.db import InterfaceError, OperationalError
from rest_framework import exceptions as rest

from falai_django import errors
from falai_django.failures import STATUS, FailureCode
from falai_django.rest import refusals
from falai_django.rest.error_table import BY_CLASS, meaning_of, row_for, rows_of_table, status_of
from falai_django.rest.openapi import ApiGenerator
from tests.host.rest.callers import operations


def classes(module):
    found = (each for _, each in inspect.getmembers(module, inspect.isclass) if issubclass(each, Exception))
    return [each for each in found if each.__module__ == module.__name__]


@pytest.mark.parametrize("kind", [getattr(errors, name) for name in errors.__all__], ids=lambda kind: kind.__name__)
def test_every_error_of_the_app_has_a_row_of_its_own(kind):
    """A new class of `errors` without one fails."""
    assert kind in BY_CLASS


@pytest.mark.parametrize("kind", [*classes(refusals), *classes(rest)], ids=lambda kind: kind.__name__)
def test_every_error_of_a_request_has_a_row(kind):
    """The framework's, too; only those that no view of ours can raise may share the last one."""
    unused = {rest.APIException, rest.NotAcceptable}
    row = next(BY_CLASS[each] for each in kind.__mro__ if each in BY_CLASS)
    assert (row.status < 500) is (kind not in unused)


@pytest.mark.parametrize("code", FailureCode)
def test_every_failure_of_a_turn_has_its_status(code):
    """The one of the failures' own table, and a sentence."""
    assert status_of(code) == STATUS[code]
    assert meaning_of(code)
    assert row_for(errors.InputRefusedError(code, "x")).code == code


def test_a_code_has_one_status():
    rows = [*BY_CLASS.values(), *rows_of_table()]
    assert len({row.code for row in rows}) == len({(row.code, row.status) for row in rows})


def test_the_document_tells_the_whole_table():
    told = ApiGenerator().get_schema(public=True)["info"]["description"]
    for row in rows_of_table():
        assert f"| {row.status} | `{row.code}` | {row.meaning} |" in told


def test_every_code_is_that_of_some_operation_or_of_a_mistake_of_the_sites():
    """Those that never reach a caller as things are stay in the table, for who calls these rules next."""
    told = {code for operation in operations().values() for code in operation["x-error-codes"]}
    others = {"method-not-allowed", "inside-transaction", "elsewhere", "not-resendable", "outgoing-failed"}
    assert {row.code for row in rows_of_table()} - told == others | {"receiver-refused"}


@pytest.mark.parametrize("kind", [OperationalError, InterfaceError], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("path", ["turns", ""])
def test_a_database_that_is_away_is_told(program, monkeypatch, kind, path):
    """503, try again: no word of it reaches the caller."""

    def away(*_given):
        raise kind("could not connect to secret-host")

    monkeypatch.setattr("falai_django.rest.turns.agent_of", away)
    monkeypatch.setattr("falai_django.rest.sessions.session_of", away)
    response = program.says("oi") if path else program.get()
    assert (response.status_code, response.json()["error"]["code"]) == (503, "database-unavailable")
    assert int(response["Retry-After"]) > 0
    assert b"secret-host" not in response.content


def test_what_nobody_planned_is_told_without_its_words(program, monkeypatch, caplog):
    """500 `internal`; the log has the class and the place, and who watches for exceptions is told."""

    def breaks(*_given):
        raise RuntimeError("the customer said so")

    program.client.raise_request_exception = False
    monkeypatch.setattr("falai_django.rest.turns.agent_of", breaks)
    response = program.says("oi")
    assert (response.status_code, response.json()["error"]["code"]) == (500, "internal")
    assert b"customer" not in response.content
    assert "RuntimeError" in caplog.text
    assert "customer said" not in caplog.text
    program.client.raise_request_exception = True
    with pytest.raises(RuntimeError):
        program.says("oi")
