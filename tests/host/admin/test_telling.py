"""What a page tells of an error of a rule: sentences, each once."""

from __future__ import annotations

import pytest

from falai_django.admin.acting import tell_error
from falai_django.authoring.row_problems import RowProblem
from falai_django.documents import DocumentProblem
from falai_django.errors import AuthoringError, DocumentError, InputRefusedError
from falai_engine.validation import Severity

ROW = RowProblem(None, "slug", Severity.ERROR, "Choose another.")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (AuthoringError("No.", [ROW]), ["No.", "Choose another."]),
        (AuthoringError("Choose another.", [ROW]), ["Choose another."]),
        (DocumentError("No.", [DocumentProblem("flows", "Write a list.")]), ["No.", "Write a list."]),
        (InputRefusedError("code", "No.", [("text", "Too long.")]), ["No.", "Too long."]),
    ],
    ids=range(4),
)
def test_problems_are_told_as_sentences(rf, monkeypatch, error, told):
    """Whatever reports them, and not twice where the error says the same."""
    sent = []
    monkeypatch.setattr("falai_django.admin.acting.messages.error", lambda _request, text: sent.append(text))
    tell_error(rf.get("/"), error)
    assert sent == told
