"""What a browser posts from a page of the admin, which has more forms than the one that is meant."""

from __future__ import annotations

import re

from tests.host.forms.browser import page, sent

__all__ = ["form_of", "inputs_of", "post_of"]

_FORMS = re.compile(r"<form\b[^>]*>.*?</form>", re.DOTALL)
_NAMELESS = re.compile(r"<(?:input|button)(?![^>]*\bname=)[^>]*>")
_UNCHOSEN = re.compile(r"<input(?=[^>]*type=\"radio\")(?![^>]*\bchecked\b)[^>]*>")
_BUTTON = re.compile(r"<input(?=[^>]*type=\"submit\")[^>]*>")


def form_of(response):
    """The form that the page is about: the last that is posted (Django's log-out comes first), else one that asks."""
    forms = _FORMS.findall(response.content.decode())
    posted = [form for form in forms if re.match(r"<form[^>]*method=\"post\"", form) and "logout-form" not in form]
    found = posted or [form for form in forms if re.match(r"<form[^>]*method=\"get\"", form)]
    return _BUTTON.sub("", _UNCHOSEN.sub("", _NAMELESS.sub("", found[-1]))) if found else ""


def inputs_of(response):
    """The names of its inputs."""
    return [attributes["name"] for _tag, attributes in page(form_of(response)).controls]


def post_of(response, *changes):
    """The data that is posted when the form is sent as it came, but for these inputs."""
    return dict(sent(form_of(response), *changes).lists())
