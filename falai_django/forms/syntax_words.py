"""What the engine says of a text that is no expression, in the language of whoever reads it (spec: update-state.md).

The engine puts its sentences together of these; a test holds the table to it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

__all__ = ["SYNTAX_TEXTS", "syntax_words"]

SYNTAX_TEXTS: Final = (
    # what is wrong
    gettext_noop("found {found}, expected {expected}"),
    gettext_noop("the quotes are never closed"),
    gettext_noop("{found} has no meaning here"),
    gettext_noop("a number runs into a word"),
    gettext_noop("the number is too big or too long"),
    gettext_noop("unknown escape {found}"),
    gettext_noop("the expression is nested {levels} deep, over {most}"),
    gettext_noop("the text holds half of a character (a lone surrogate)"),
    gettext_noop("the text has {count} characters, over {most}"),
    # what was found, what was expected
    gettext_noop("the end"),
    gettext_noop("a variable, a constant, llm, or an opening parenthesis"),
    gettext_noop("an operator or the end"),
    gettext_noop("no more than {most} values and operators"),
    gettext_noop("less nesting"),
    gettext_noop("AND, OR or the end"),
    gettext_noop("the name of a variable"),
    gettext_noop("an operator or a closing parenthesis"),
    gettext_noop("an opening parenthesis"),
    gettext_noop("a comma or a closing parenthesis"),
    gettext_noop("a number after the minus"),
    gettext_noop("a colon and a text, or one of {types}"),
    gettext_noop("a colon and a text"),
    gettext_noop("a choice of type {type}"),
    gettext_noop("a text in double quotes that says what the model judges"),
    # what to do
    gettext_noop("Write it as: if ... then ... else ... ({word} is missing)"),
    gettext_noop("Put an operator between two values, and a text in double quotes"),
    gettext_noop("Split it over several variables"),
    gettext_noop("Compare two things at a time and join them with AND"),
    gettext_noop("Put the if in parentheses"),
    gettext_noop("Put a variable named {word} in backticks"),
    gettext_noop("Write 0 - x for the negative of x"),
    gettext_noop('Write llm: "..." or llm number: "..."'),
    gettext_noop('Put texts in straight double quotes: "..."'),
    gettext_noop('Close the text with a double quote; write a quote inside it as \\"'),
    gettext_noop("Close the name with a backtick"),
    gettext_noop("Write == to compare; the variable that is set stands outside of the expression"),
    gettext_noop("Write != for not equal"),
    gettext_noop("Write AND"),
    gettext_noop("Write OR"),
    gettext_noop("Write a decimal with a digit in front, as 0.5"),
    gettext_noop("Use variables, texts, numbers, operators and parentheses"),
    gettext_noop("Write another text"),
    gettext_noop("Put a space or an operator after the number, or the name in backticks"),
    gettext_noop("Write a number a double holds"),
    gettext_noop('Write \\\\, \\", \\n or \\u00e7'),
    gettext_noop("Write {expected} here"),
)
_PART: Final = re.compile(r"\\\{(\w+)\\\}")


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(_PART.sub(r"(?P<\1>.+)", re.escape(text)), re.DOTALL), text) for text in SYNTAX_TEXTS)


def syntax_words(said: str) -> str:
    """The same, translated, its parts too; what the table lacks stays as it is."""
    for pattern, text in _patterns():
        match = pattern.fullmatch(said)
        if match is not None:
            return _(text).format_map({name: syntax_words(part) for name, part in match.groupdict().items()})
    return said
