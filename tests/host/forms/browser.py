"""What a browser sends when a page is posted as it came, or after a person changed some inputs."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import urlencode

from django import forms
from django.http import QueryDict

VOID = {"input", "br", "option"}


def _lines(text):
    return re.sub(r"\r\n?|\n", "\r\n", text)


class _Page(HTMLParser):
    """Controls in the order of the page; nothing inside a template, a disabled fieldset or noscript is sent."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.sent = []
        self.ids = []
        self.described = []
        self.labels = []
        self.controls = []
        self._select = None
        self._textarea = None
        self._dead = []
        self._option = None
        self.feed(html.replace("\x00", "\ufffd"))
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag in ("template", "noscript") or (tag == "fieldset" and ("disabled" in attrs or self._dead)):
            self._dead.append(tag)
        if self._dead:
            return
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self.described += (attrs.get("aria-describedby") or "").split()
        if tag == "label":
            self.labels.append(attrs.get("for"))
        if tag in ("input", "select", "textarea"):
            self.controls.append((tag, attrs))
        if tag == "select":
            self._select = (attrs["name"], [])
        elif tag == "option" and self._select:
            self._select[1].append((attrs.get("value"), "selected" in attrs))
        elif tag == "textarea":
            self._textarea = (attrs["name"], [])
        elif tag == "input":
            self._input(attrs)

    def _input(self, attrs):
        value = attrs.get("value") or ""
        if "name" not in attrs or attrs["type"] in ("submit", "button"):
            return
        if attrs["type"] in ("checkbox", "radio"):
            if "checked" in attrs:
                self.sent.append((attrs["name"], attrs.get("value", "on")))
            return
        if attrs["type"] == "text":
            value = re.sub(r"[\r\n]", "", value)
        self.sent.append((attrs["name"], value))

    def handle_endtag(self, tag):
        if self._dead:
            if tag == self._dead[-1]:
                self._dead.pop()
            return
        if tag == "select":
            name, options = self._select
            chosen = [value for value, selected in options if selected][-1:] or [value for value, _ in options][:1]
            self.sent += [(name, value) for value in chosen]
            self._select = None
        elif tag == "textarea":
            name, pieces = self._textarea
            text = re.sub(r"\r\n?", "\n", "".join(pieces)).removeprefix("\n")
            self.sent.append((name, text))
            self._textarea = None

    def handle_data(self, data):
        if self._textarea and not self._dead:
            self._textarea[1].append(data)


def page(html):
    return _Page(html)


def sent(html, *changes, without=()):
    """The data of a post: the page as it came, with these inputs changed to (name, value) and those left out."""
    changed = {name for name, _ in changes} | set(without)
    pairs = [(name, value) for name, value in _Page(html).sent if name not in changed] + list(changes)
    return QueryDict(urlencode([(name, _lines(value).encode()) for name, value in pairs]))


def form_class(assembly):
    return type("BodyForm", (forms.Form,), dict(assembly.fields))


def rendered(assembly, data=None):
    form = form_class(assembly)(data)
    return form, str(form)


def saved(assembly, *changes, without=()):
    """The body after a person opened the page, changed these inputs and saved; the errors when it cannot be read."""
    _, html = rendered(assembly)
    form = form_class(assembly)(sent(html, *changes, without=without))
    return assembly.body_of(form.cleaned_data) if form.is_valid() else form.errors
