"""Programs that call the API in tests; each looks that what it reads is what the OpenAPI document says."""

from __future__ import annotations

import json
import re
from functools import cache

from django.test import Client

from falai_django.key_digests import new_key
from falai_django.models import ApiKey, Scope
from falai_django.rest.openapi import ApiGenerator

__all__ = ["ALL_SCOPES", "Program", "make_key", "operations", "schema"]

ALL_SCOPES = list(Scope.values)


@cache
def schema():
    """The OpenAPI document."""
    return ApiGenerator().get_schema(public=True)


@cache
def operations():
    """(method, path) -> operation."""
    return {
        (method.upper(), path): told for path, methods in schema()["paths"].items() for method, told in methods.items()
    }


@cache
def _patterns():
    """Fixed words first: `outbox/ack` is no name."""
    found = [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), path) for path in schema()["paths"]]
    return sorted(found, key=lambda each: each[1].count("{"))


def operation_at(method, url):
    """What the document says of a request; None where it says nothing."""
    place = url.partition("?")[0]
    path = next((path for pattern, path in _patterns() if pattern.fullmatch(place)), None)
    return operations().get((method, path))


def make_key(tenant, *scopes):
    """A key's row and its secret."""
    made = new_key()
    row = ApiKey.objects.create(
        tenant=tenant, name="bridge", prefix=made.prefix, digest=made.digest, scopes=list(scopes) or ALL_SCOPES
    )
    return row, made.secret


class Program:
    """A caller with a key. `program.post("turns", {...})` is about its session; a path with a slash in front is whole.

    An answer that the document does not tell fails the test, unless not `is_told`.
    """

    def __init__(self, tenant, agent="lia", session="5511", *, scopes=ALL_SCOPES, secret=None, is_told=True):
        self.key, self.secret = (None, secret) if secret is not None else make_key(tenant, *scopes)
        self.agent, self.session = agent, session
        self.client, self.is_told = Client(), is_told

    def url(self, path):
        return (
            path if path.startswith("/") else f"/api/v1/agents/{self.agent}/sessions/{self.session}/{path}".rstrip("/")
        )

    def of_agent(self, path):
        return f"/api/v1/agents/{self.agent}/{path}"

    def call(self, method, path, body=None, *, raw=None, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.secret:
            named.setdefault("Authorization", f"Bearer {self.secret}")
        more = {}
        if raw is not None or body is not None:
            more = {"data": raw if raw is not None else json.dumps(body), "content_type": "application/json"}
        if "content-type" in named:
            more["content_type"] = named.pop("content-type")
        url = self.url(path)
        response = self.client.generic(method, url, headers=named, **more)
        if self.is_told:
            assert_documented(method, url, response)
        return response

    def get(self, path="", **headers):
        return self.call("GET", path, **headers)

    def post(self, path, body=None, **headers):
        return self.call("POST", path, body, **headers)

    def patch(self, path, body, **headers):
        return self.call("PATCH", path, body, **headers)

    def put(self, path, body, **headers):
        return self.call("PUT", path, body, **headers)

    def delete(self, path="", **headers):
        return self.call("DELETE", path, **headers)

    def says(self, text, **more):
        return self.post("turns", {"message": {"text": text, **more}})


def assert_documented(method, url, response):
    """The status is told, and the code of an error, too."""
    told = operation_at(method, url)
    if told is None or response.status_code == 405:
        return
    assert str(response.status_code) in told["responses"], (method, url, response.status_code, response.content)
    if response.status_code >= 400 and not getattr(response, "streaming", False) and "/health/" not in url:
        error = response.json()["error"]
        assert error["code"] in told["x-error-codes"], (method, url, error)
        assert error["message"]
        assert set(response.json()) <= {"error", "turn"}
