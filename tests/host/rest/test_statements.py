"""What the API adds to a turn in statements (spec: quality.md)."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from falai_django.models import ApiKey
from tests.host.runtime.flows import ASK_NAME, ASKS, UNDERSTOOD
from tests.host.runtime.stage import document
from tests.host.runtime.test_statements import FRAME, MOST


def statements(do):
    with CaptureQueriesContext(connection) as captured:
        response = do()
    assert response.status_code == 200
    return [each["sql"] for each in captured if not each["sql"].startswith(FRAME)]


@pytest.fixture
def warm(stage, program):
    """Compiled, and the key's use is written."""
    stage.publish(document(ASK_NAME))
    stage.script(UNDERSTOOD, ASKS)
    program.session = "warm"
    program.says("oi")
    program.session = "5511"
    return program


def test_a_message_turn_stays_within_its_bound(stage, warm):
    """The look-up of the key is one statement more."""
    stage.script(UNDERSTOOD, ASKS)
    found = statements(lambda: warm.says("oi"))
    of_key = [sql for sql in found if "falai_apikey" in sql]
    assert len(of_key) == 1
    assert len(found) - len(of_key) <= MOST, "\n".join(sql[:60] for sql in found)
    stage.script([{"fields": {"nome": "Ana"}}])
    assert len(statements(lambda: warm.says("Ana"))) - 1 <= MOST


@pytest.mark.parametrize(("path", "most"), [("", 5), ("turns", 6), ("messages", 6), ("wakes", 4)])
def test_a_list_costs_the_same_however_long_it_is(stage, warm, path, most):
    """Key, agent, session, what is hidden in draft and release, and the page: nothing grows."""
    ApiKey.objects.update(scopes=["read"])
    warm.session = "warm"
    short = statements(lambda: warm.get(path))
    assert len(short) <= most, "\n".join(sql[:60] for sql in short)
    for number in range(8):
        stage.answers(f"oi {number}", session_id="warm")
    assert len(statements(lambda: warm.get(path))) == len(short)
