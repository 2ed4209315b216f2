"""Rows and agent documents, both ways (spec: flow-spec.md, host.md section 2). Nothing here is stored or decided."""

from falai_django.documents.drafts import Draft, FlowRows, Place, Row, document_locale, draft_document, draft_of_rows
from falai_django.documents.exports import document_bytes, export_document, export_flow
from falai_django.documents.host_part import LIVE_COLUMNS, Host
from falai_django.documents.paths import joined, path_parts
from falai_django.documents.readings import DocumentProblem
from falai_django.documents.rows import DocumentRows, FlowValues, RowValues, flow_rows_of, rows_of
from falai_django.documents.specs import flow_spec, row_spec, row_values, sort_of
from falai_django.documents.storable import is_storable_text, without_empty_keys, without_unset
from falai_django.documents.upgrades import upgrade_body, upgrade_document

__all__ = [
    "LIVE_COLUMNS",
    "DocumentProblem",
    "DocumentRows",
    "Draft",
    "FlowRows",
    "FlowValues",
    "Host",
    "Place",
    "Row",
    "RowValues",
    "document_bytes",
    "document_locale",
    "draft_document",
    "draft_of_rows",
    "export_document",
    "export_flow",
    "flow_rows_of",
    "flow_spec",
    "is_storable_text",
    "joined",
    "path_parts",
    "row_spec",
    "row_values",
    "rows_of",
    "sort_of",
    "upgrade_body",
    "upgrade_document",
    "without_empty_keys",
    "without_unset",
]
