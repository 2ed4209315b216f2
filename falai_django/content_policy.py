"""The Content Security Policy of our pages (spec: host.md section 6): nothing runs or loads but files of the site.

Whatever an author or a customer wrote could not run as a script even if it were ever rendered as one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.http import HttpRequest, HttpResponseBase

__all__ = ["CONTENT_POLICY", "ContentPolicyMiddleware", "with_content_policy"]

CONTENT_POLICY: Final = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'self'"
)
"""Django's admin works under it: its scripts and styles are files, its icons files or data."""

_HEADER: Final = "Content-Security-Policy"
_View = Callable[..., Any]


def with_content_policy(view: _View) -> _View:
    """The view with the policy on what it answers, unless it has one already."""

    @wraps(view)
    def under_policy(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return _stamped(view(request, *args, **kwargs))

    return under_policy


class ContentPolicyMiddleware:
    """The policy on every page of a site; list it in MIDDLEWARE. A view may set another one itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return _stamped(self.get_response(request))


def _stamped(response: HttpResponseBase) -> HttpResponseBase:
    response.headers.setdefault(_HEADER, CONTENT_POLICY)
    return response
