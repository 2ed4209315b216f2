"""The host's rows about compiling: from the rows of a draft to an agent that takes turns, and what that keeps."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from collections.abc import Mapping
from functools import cache
from typing import Any

from benchmarks.engine import Row, large_document, measured
from benchmarks.host_database import open_database

__all__ = ["ROWS"]


@cache
def _agent() -> Any:
    """A tenant's agent of 100 flows of 10 steps, as rows."""
    open_database()
    from falai_django.authoring import add_provider, create_tenant, run_import  # noqa: PLC0415 - Django is set up now
    from falai_django.authoring.import_modes import ImportMode  # noqa: PLC0415 - as above
    from falai_django.roles import Actor  # noqa: PLC0415 - as above

    actor = Actor.command("benchmarks")
    tenant = create_tenant(actor, "compile", "Compile")
    add_provider(actor, tenant, kind="offline")
    return run_import(actor, tenant, _document(large_document()), mode=ImportMode.COPY)


def _document(document: Mapping[str, Any]) -> dict[str, Any]:
    """With the action that needs no Python of a site."""
    notify = {"notify": {"kind": "python", "name": "falai.notify", "parameters": {"text": {"type": "string"}}}}
    return {**document, "actions": notify, "specVersion": 1, "locale": "en", "timezone": "UTC"}


def _compiled() -> Any:
    agent = _agent()
    from falai_django.releases import compile_draft, forget_compiled  # noqa: PLC0415 - Django is set up by then

    forget_compiled()
    return compile_draft(agent)


def compile_time() -> Row:
    """Reading, validating and compiling a draft, the database's time included."""
    _compiled()
    times = []
    for _ in range(5):
        began = time.perf_counter()
        _compiled()
        times.append(time.perf_counter() - began)
    return measured("compile a draft of 100 flows of 10 steps from its rows", statistics.median(times), "s", 0.5)


def compiled_memory() -> Row:
    """What the process keeps of it."""
    _compiled()
    gc.collect()
    tracemalloc.start()
    agent = _compiled()
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] / 1_000_000
    tracemalloc.stop()
    return measured("memory of an agent that the host keeps ready", kept, "MB", 10, flows=len(agent.compiled.flows))


ROWS = (compile_time, compiled_memory)
