"""Releases and drafts as agents that take turns (spec: host.md section 2)."""

from falai_django.releases.compiled import (
    assert_compiles,
    compile_draft,
    compile_release,
    document_digest,
    forget_compiled,
    unavailable_releases,
)
from falai_django.releases.hours import opening_hours_of
from falai_django.releases.model_providers import SAMPLING_OPTIONS, make_model_provider, provider_of

__all__ = [
    "SAMPLING_OPTIONS",
    "assert_compiles",
    "compile_draft",
    "compile_release",
    "document_digest",
    "forget_compiled",
    "make_model_provider",
    "opening_hours_of",
    "provider_of",
    "unavailable_releases",
]
