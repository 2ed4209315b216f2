"""The front page's table of settings, written by `python -m tests.host.settings_page`; a test says when it is old."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["PAGE", "of_page", "table"]

PAGE = Path(__file__).resolve().parents[2] / "README.md"
BEGIN, END = "<!-- settings -->\n", "\n<!-- end of settings -->"


def table():
    """As the code has it."""
    from falai_django.conf import settings_table  # noqa: PLC0415 - run by itself, Django is set up first

    rows = [f"| `{row.name}` | {row.type} | `{row.default}` | {row.meaning} |" for row in settings_table()]
    return "\n".join(["| setting | what it is | default | what for |", "|---|---|---|---|", *rows])


def of_page(page):
    """What stands before the table, the table, and what stands behind it."""
    before, _, rest = page.partition(BEGIN)
    found, _, behind = rest.partition(END)
    return before + BEGIN, found, END + behind


def main():
    import django  # noqa: PLC0415 - as above

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.django_settings")
    django.setup()
    before, _, behind = of_page(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(before + table() + behind, encoding="utf-8")


if __name__ == "__main__":
    main()
