"""Reading an agent's document and its registry; everything that is wrong with them is told at once."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from falai_engine.document import Registrations
from falai_engine.validation import Problem, Registries, Severity, validate_agent_all

__all__ = ["UnusableError", "check_document", "import_registrations", "read_document"]

REGISTRATIONS = "registrations"


class UnusableError(Exception):
    """The chat cannot begin; `problems` says why, one line or more each."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def read_document(path: Path) -> Any:
    """The JSON value of a file. Raises UnusableError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnusableError(f"{path}: {error.strerror}. Give the path of an agent written as JSON.") from error
    except UnicodeDecodeError as error:
        raise UnusableError(f"{path}: not UTF-8 at byte {error.start}. Save the file as UTF-8.") from error
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UnusableError(
            f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}. Mend the file at that line and column."
        ) from error
    except RecursionError as error:
        raise UnusableError(f"{path}: nested too deep to be read. Make it flatter.") from error


def check_document(path: Path, document: Any, brought: Registrations) -> list[str]:
    """The warnings, as lines to print. Raises UnusableError with all errors and warnings when there is an error."""
    found = validate_agent_all(document, Registries(conditions=brought.conditions))
    lines = [_told(path, problem) for problem in found]
    if any(problem.severity is Severity.ERROR for problem in found):
        raise UnusableError(*lines)
    return lines


def _told(path: Path, problem: Problem) -> str:
    at = f" {problem.path}" if problem.path else ""
    return f"{path}{at}: {problem.severity}: {problem.where}: {problem.what}.\n    {problem.fix}."


def import_registrations(module: str) -> Registrations:
    """What the module's `registrations` holds. Raises UnusableError, also for whatever its import raises."""
    try:
        found = getattr(importlib.import_module(module), REGISTRATIONS, None)
    except Exception as error:
        raise UnusableError(
            f"--registry {module}: cannot be imported ({type(error).__name__}: {error}). "
            "Give a module as in `import`, with a dot between its parts, found from this folder."
        ) from error
    if not isinstance(found, Registrations):
        raise UnusableError(
            f"--registry {module}: has no `{REGISTRATIONS}`. "
            f"Write `{REGISTRATIONS} = falai_engine.Registrations(actions={{...}}, conditions={{...}}, tools={{...}})`."
        )
    return found
