"""Rows and agent documents, both ways (spec: flow-spec.md, host.md section 2). Nothing here is stored or decided."""

from falai_django.documents.drafts import Draft, FlowRows, Place, Row, document_locale, draft_document
from falai_django.documents.paths import joined, path_parts
from falai_django.documents.readings import DocumentProblem
from falai_django.documents.rows import DocumentRows, FlowValues, RowValues, flow_rows_of, rows_of
from falai_django.documents.specs import flow_spec, row_spec, sort_of
from falai_django.documents.upgrades import upgrade_body, upgrade_document

__all__ = [
    "DocumentProblem",
    "DocumentRows",
    "Draft",
    "FlowRows",
    "FlowValues",
    "Place",
    "Row",
    "RowValues",
    "document_locale",
    "draft_document",
    "flow_rows_of",
    "flow_spec",
    "joined",
    "path_parts",
    "row_spec",
    "rows_of",
    "sort_of",
    "upgrade_body",
    "upgrade_document",
]
