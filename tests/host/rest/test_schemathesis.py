"""Whatever the OpenAPI document allows is sent, and what it does not: no 500, and every answer is one that it tells."""

from __future__ import annotations

from functools import cache

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.host.rest.callers import operations

load_all_checks()
CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]
KNOWN = {"agent": "lia", "session": "5511", "turn": 1, "number": 1, "anchor": "lead", "key": "7"}
"""What is there: a random name is rarely one of these."""


@cache
def description():
    return schemathesis.openapi.from_wsgi("/api/schema", get_wsgi_application())


def assert_told(operation, response):
    """Its status and, of an error, its code are in the document. The database answers here."""
    assert response.status_code != 500, response.text
    assert "database-unavailable" not in response.text
    if response.status_code >= 400 and not operation[1].endswith("/ready"):
        assert response.json()["error"]["code"] in operations()[operation]["x-error-codes"]


@pytest.mark.usefixtures("_one_connection")
@pytest.mark.parametrize("operation", operations(), ids=" ".join)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_api_keeps_to_its_description(program, operation, data):
    """With names that are there and random ones, sound bodies and unsound ones, with a key and without."""
    method, path = operation
    mode = data.draw(st.sampled_from(GenerationMode))
    case = data.draw(description()[path][method].as_strategy(generation_mode=mode))
    if data.draw(st.booleans()):
        case.path_parameters = {name: KNOWN[name] for name in case.path_parameters or {}}
    secret = data.draw(st.sampled_from([program.secret, program.secret, program.secret, "falai_0123456789_x"]))
    program.says("oi")
    response = case.call(headers={"Authorization": f"Bearer {secret}", "Prefer": "respond-async"})
    if response.status_code != 405:
        assert_told(operation, response)
        case.validate_response(response, checks=CHECKS)
