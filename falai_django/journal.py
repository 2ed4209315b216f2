"""Log lines of the runtime: a stable name for what happened, and primary keys (spec: host.md section 5).

Nothing that people wrote and no id that may be a phone number: a field is a number, a code or a duration, never a text.
"""

from __future__ import annotations

import logging
import re
from typing import Final

__all__ = ["note"]

_LOGGER: Final = logging.getLogger("falai")
_CODE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")


def note(action: str, level: int = logging.INFO, *, error: BaseException | None = None, **fields: int | str) -> None:
    """One line `action name=value ...`; the same as data in the record's `falai`.

    `error` adds the class of what was raised and the place, never its words, which may quote a customer; at DEBUG its
    traceback too. A text that is no code is left out, as `?`.
    """
    told = {name: _told(value) for name, value in sorted(fields.items())}
    if error is not None:
        told |= {"error": type(error).__name__, "at": _place(error)}
    line = " ".join([action, *(f"{name}={value}" for name, value in told.items())])
    traceback = error if error is not None and _LOGGER.isEnabledFor(logging.DEBUG) else None
    _LOGGER.log(level, "%s", line, extra={"falai": {"action": action, **told}}, exc_info=traceback)


def _told(value: int | str) -> int | str:
    """Digits alone count as no code: a text of digits may be a phone number, a number of ours is an int."""
    return value if isinstance(value, int) or _CODE.fullmatch(value) else "?"


def _place(error: BaseException) -> str:
    """The module and line that raised."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return "?" if step is None else f"{step.tb_frame.f_globals.get('__name__', '?')}:{step.tb_lineno}"
