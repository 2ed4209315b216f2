"""The texts that are marked for translation, and those of templates that are not, read without gettext's programs.

A machine with Python alone can say whether the catalogues hold what a run of `make messages` would put there.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from django.template import engines
from django.template.base import DebugLexer, TokenType
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.translation import trim_whitespace

__all__ = ["ROOT", "Marked", "bare_texts", "marked_in_python", "marked_in_template", "python_files", "templates"]

ROOT = Path(__file__).resolve().parents[2]

SINGULAR = frozenset({"gettext", "gettext_lazy", "gettext_noop", "_"})
PLURAL = frozenset({"ngettext", "ngettext_lazy"})
# Those that nobody uses; whoever does teaches this module about contexts first.
WITH_CONTEXT = frozenset({"pgettext", "pgettext_lazy", "npgettext", "npgettext_lazy"})


@dataclass(frozen=True, order=True)
class Marked:
    """A text, its plural (empty: it has none), and where it stands."""

    text: str
    plural: str = ""
    place: str = ""

    @property
    def key(self):
        return (self.text, self.plural)


def python_files(folder):
    return sorted(path for path in folder.rglob("*.py") if "migrations" not in path.parts)


def templates(folder):
    return sorted(folder.rglob("templates/**/*.html"))


# -- Python


def marked_in_python(path):
    """The marked texts of a file, and what is wrong with how they are marked."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found, wrong = [], []
    names = _names(tree)
    for local, function in names.items():
        if local not in SINGULAR | PLURAL | WITH_CONTEXT:
            wrong.append(f"{_at(path)}: makemessages does not know {local}, by which {function} is called")
    formatted = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for inner in ast.walk(node)
        if inner is not node
    }
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        function = names.get(_called(call))
        place = f"{_at(path)}:{call.lineno}"
        if function in WITH_CONTEXT:
            wrong.append(f"{place}: contexts are not read here")
        elif function is not None and call in formatted:
            wrong.append(f"{place}: makemessages does not look into an f-string")
        elif function is not None:
            texts = call.args[: 2 if function in PLURAL else 1]
            wrong += [f"{place}: the text is put together before it is looked up" for each in texts if _is_made(each)]
            if all(isinstance(each, ast.Constant) for each in texts):
                found.append(Marked(*(each.value for each in texts), place=place))
    return found, wrong


def _names(tree):
    """Local name -> the function of Django's that it is."""
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {
        alias.asname or alias.name: alias.name
        for node in imported
        if node.module == "django.utils.translation"
        for alias in node.names
    }
    known = SINGULAR | PLURAL | WITH_CONTEXT
    return {local: name for local, name in names.items() if name in known}


def _called(call):
    return call.func.id if isinstance(call.func, ast.Name) else None


def _is_made(argument):
    """An f-string or a sum: what is looked up is in no catalogue. A name is one of a table whose texts are marked."""
    return isinstance(argument, ast.JoinedStr | ast.BinOp)


def _at(path):
    return path.relative_to(ROOT).as_posix()


# -- templates


def marked_in_template(path):
    """The texts of `translate` and `blocktranslate`."""
    template = engines["django"].from_string(path.read_text(encoding="utf-8")).template
    plain = template.nodelist.get_nodes_by_type(TranslateNode)
    blocks = template.nodelist.get_nodes_by_type(BlockTranslateNode)
    return [
        *(Marked(node.filter_expression.var.literal, place=_at(path)) for node in plain),
        *(Marked(*_block(node), place=_at(path)) for node in blocks),
    ]


def _block(node):
    for tokens in filter(None, (node.singular, node.plural)):
        # As Django's own `render`: a per cent sign is doubled for the placeholders.
        text, _variables = node.render_token_list(tokens)
        yield trim_whitespace(text) if node.trimmed else text


class _BareTexts(HTMLParser):
    """Collects what people read and nobody marked."""

    SAID = frozenset({"alt", "aria-description", "aria-label", "aria-roledescription", "label", "placeholder", "title"})
    NO_PROSE = frozenset({"code", "pre", "script", "style"})

    def __init__(self):
        super().__init__()
        self.found = []
        self.inside = []

    def handle_starttag(self, tag, attrs):
        if tag in self.NO_PROSE:
            self.inside.append(tag)
        values = {name: value or "" for name, value in attrs}
        said = [value for name, value in values.items() if name in self.SAID]
        said += [value for name, value in values.items() if name.startswith("data-") and " " in value]
        if tag == "input" and values.get("type") in ("submit", "button", "reset"):
            said.append(values.get("value", ""))
        for value in said:
            self._take(value)

    def handle_endtag(self, tag):
        if self.inside and tag == self.inside[-1]:
            self.inside.pop()

    def handle_data(self, data):
        if not self.inside:
            self._take(data)

    def _take(self, text):
        if any(letter.isalpha() for letter in text):
            self.found.append(" ".join(text.split()))


_ATTRIBUTES = re.compile(r"""(\s*[\w-]+="[^"]*")+\s*""")
"""All of a template that is included in a tag."""


_NOT_SHOWN = frozenset({"blocktrans", "blocktranslate", "comment"})
"""Or marked."""


def bare_texts(path):
    """What a template says in letters of its own; tags and variables of Django are looked through."""
    kept, skipped_to = [], None
    for token in DebugLexer(path.read_text(encoding="utf-8")).tokenize():
        if token.token_type == TokenType.BLOCK:
            name = token.contents.split()[0]
            if name in _NOT_SHOWN or token.contents == "block bodyclass":
                skipped_to = f"end{name}"
            elif name == skipped_to:
                skipped_to = None
        elif token.token_type == TokenType.TEXT and skipped_to is None:
            kept.append(token.contents)
    text = "".join(kept)
    parser = _BareTexts()
    parser.feed(f"<p{text}>" if _ATTRIBUTES.fullmatch(text) else text)
    parser.close()
    return parser.found
