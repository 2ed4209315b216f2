"""Every part of an agent document and what it is called (spec: flow-spec.md): the agent and its flows.

What is not in the tables is still told, as “the part “x””.
"""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from falai_django.differences.definition_tables import ACTIONS, CONDITIONS, EVENTS, FIELDS, PARAMETERS, TOOLS, VARIABLES
from falai_django.differences.excerpts import excerpt
from falai_django.differences.labels import Labels
from falai_django.differences.parts import ONE, Each, Flag, Inner, Items, Leaf, Listing, Noun, Sentences, Shape
from falai_django.differences.summaries import trigger_summary
from falai_django.differences.words import (
    Text,
    Words,
    condition,
    duration,
    json_text,
    quoted,
    repeat,
    target,
    times,
    value,
)

__all__ = ["AGENT", "BRANCH", "FLOW", "INSTRUCTION", "STEP", "TRIGGER", "unknown"]

_NAMED: Final = 60
_KINDS: Final = {
    "prompt": _("talk"),
    "collect": _("collect"),
    "say": _("send a text"),
    "do": _("do an action"),
    "wait": _("wait"),
    "waitEvent": _("wait for an event"),
    "if": _("fork"),
}
_MODES: Final = {"must": _("must"), "never": _("never"), "should": _("should")}
_ENDS: Final = {
    "end": _("is over"),
    "stay": _("stays and answers on"),
    "reset": _("begins anew"),
}


def unknown(key: object) -> Leaf:
    """A part that no table has."""
    return Leaf(_("the part “%(name)s”") % {"name": key}, lambda value, labels: json_text(value))


def _word(table: dict[str, Any]) -> Words:
    def tell(given: Any, _labels: Labels) -> str:
        return str(table[given]) if isinstance(given, str) and given in table else quoted(given)

    return tell


def _key(item: Any, key: str) -> Any:
    return item.get(key) if isinstance(item, dict) else None


def _item_name(*keys: str) -> Words:
    """The first of the keys that is text; the beginning of its JSON for what has none."""

    def name(item: Any, _labels: Labels) -> str:
        texts = (_key(item, key) for key in keys)
        found = next((text for text in texts if isinstance(text, str) and text.strip()), None)
        return excerpt(json_text(item) if found is None else found, _NAMED)

    return name


def _branch_name(item: Any, labels: Labels) -> str:
    when, code = _key(item, "when"), _key(item, "if")
    if when is None and code is not None:
        return gettext("(if %(condition)s)") % {"condition": excerpt(condition(code, labels), _NAMED)}
    return quoted(_item_name("when")(item, labels))


def _goes(changed: Text) -> Sentences:
    return Sentences(added=changed, removed=changed, changed=changed)


def _field(slug: Any, labels: Labels) -> str:
    return quoted(labels.field(slug))


def _phrase(given: Any, _labels: Labels) -> str:
    if isinstance(given, str) and given.startswith("!"):
        return gettext("the exclusion %(phrase)s") % {"phrase": quoted(given[1:].strip())}
    return quoted(given)


def _quoted(given: Any, _labels: Labels) -> str:
    return quoted(given)


_TOOLS_OF: Final = Listing(_("the tools"), _quoted, _("not chosen here"))
_IF: Final = Leaf(_("the condition"), condition)
_HOURS: Final = Flag(
    _("business hours"), on=_("it now keeps to business hours"), off=_("it no longer keeps to business hours")
)

INSTRUCTION: Final[Shape] = {
    "id": Leaf.text(_("the id")),
    "kind": Leaf(_("the kind"), _word(_MODES)),
    "when": Leaf(_("the occasion"), Listing("", _quoted).leaf.words),
    "if": _IF,
    "prompt": Leaf.text(_("the text")),
}
_INSTRUCTIONS: Final = Items(
    _("the instructions"),
    Noun(
        called=_("instruction “%(name)s”"),
        added=_("instruction “%(name)s” was added"),
        removed=_("instruction “%(name)s” was removed"),
        added_first=_("instruction “%(name)s” was added as the first"),
        added_after=_("instruction “%(name)s” was added after “%(other)s”"),
        moved_first=_("instruction “%(name)s” is now the first"),
        moved_after=_("instruction “%(name)s” now comes after “%(other)s”"),
    ),
    INSTRUCTION,
    _item_name("prompt", "id"),
    identity="id",
)

TRIGGER: Final[Shape] = {
    "message": Listing(_("the phrases"), _phrase),
    "mention": Listing(_("the mentioned phrases"), _phrase),
    "silence": Leaf(_("the time without an answer"), duration),
    "event": Leaf.text(_("the event")),
    "extract": PARAMETERS,
    "after": Leaf(_("the delay"), duration),
    "businessHours": _HOURS,
    "repeat": Leaf(
        _("how often it starts"),
        repeat,
        _goes(_("it may now start %(after)s (before: %(before)s)")),
        _("as is usual for its kind"),
    ),
    "if": _IF,
}
_TRIGGERS: Final = Items(
    _("the ways to start"),
    Noun(
        called=_("start (%(name)s)"),
        added=_("a way to start was added: %(name)s"),
        removed=_("a way to start was removed: %(name)s"),
        added_first=_("a way to start was added as the first: %(name)s"),
        added_after=_("a way to start was added: %(name)s; it comes after: %(other)s"),
        moved_first=_("the way to start (%(name)s) is now the first"),
        moved_after=_("the way to start (%(name)s) now comes after (%(other)s)"),
    ),
    TRIGGER,
    lambda item, labels: excerpt(trigger_summary(item, labels), _NAMED),
)

BRANCH: Final[Shape] = {
    "when": Leaf.text(_("what the customer does")),
    "if": _IF,
    "then": Leaf(_("where it goes"), target, _goes(_("it now goes to %(after)s (was: %(before)s)")), _("nowhere yet")),
}
_BRANCHES: Final = Items(
    _("the branches"),
    Noun(
        called=_("branch %(name)s"),
        added=_("branch %(name)s was added"),
        removed=_("branch %(name)s was removed"),
        added_first=_("branch %(name)s was added as the first"),
        added_after=_("branch %(name)s was added after %(other)s"),
        moved_first=_("branch %(name)s is now the first"),
        moved_after=_("branch %(name)s now comes after %(other)s"),
    ),
    BRANCH,
    _branch_name,
)

STEP: Final[Shape] = {
    "id": Leaf.text(_("the id")),
    "label": Leaf.text(_("the label")),
    "kind": Leaf(_("the kind of step"), _word(_KINDS)),
    "collect": Listing(_("the fields it collects"), _field),
    "prompt": Leaf.text(_("the guideline")),
    "question": Leaf.text(_("the fixed question")),
    "ask": Each(
        _("the way to ask for “%(name)s”"), _("the ways to ask"), name=lambda slug, labels: str(labels.field(slug))
    ),
    "maxAsks": Leaf(
        _("how often it asks"),
        times,
        _goes(_("it now asks %(after)s at most (was %(before)s)")),
        _("the usual 3 times"),
    ),
    "say": Leaf.text(_("the text it sends")),
    "media": Inner(_("the media"), {"slug": Leaf.text(_("the media"))}),
    "once": Flag(_("once"), on=_("its text is now sent only once a session"), off=_("its text is now sent each time")),
    "do": Leaf.text(_("the action")),
    "with": Each(_("the value for “%(name)s”"), _("the values"), value, ONE),
    "wait": Inner(
        _("the wait"),
        {
            "event": Leaf.text(_("the event it waits for")),
            "upTo": Leaf(_("how long it waits at most"), duration),
        },
        duration,
    ),
    "businessHours": _HOURS,
    "if": _IF,
    "then": Leaf(
        _("what comes next"),
        target,
        _goes(_("it now goes to %(after)s (was: %(before)s)")),
        _("the next step"),
    ),
    "else": Leaf(
        _("what comes otherwise"),
        target,
        _goes(_("otherwise it now goes to %(after)s (was: %(before)s)")),
        _("no way of its own"),
    ),
    "onFail": Leaf(
        _("what comes when the action fails"),
        target,
        _goes(_("when the action fails it now goes to %(after)s (was: %(before)s)")),
        _("no way of its own"),
    ),
    "branches": _BRANCHES,
    "tools": _TOOLS_OF,
    "instructions": _INSTRUCTIONS,
    "ui": Leaf(_("the place in the diagram"), lambda given, labels: json_text(given)),
}

FLOW: Final[Shape] = {
    "id": Leaf.text(_("the id")),
    "name": Leaf.text(_("the name")),
    "description": Leaf.text(_("the description")),
    "on": _TRIGGERS,
    "anchor": Leaf.text(_("the anchor")),
    "while": Leaf(_("the condition that keeps it running"), condition),
    "collect": Listing(_("the fields it collects"), _field),
    "clearOnStart": Listing(_("the fields it forgets at the start"), _field),
    "steps": Items(
        _("the steps"),
        Noun(
            called=_("step “%(name)s”"),
            added=_("step “%(name)s” was added"),
            removed=_("step “%(name)s” was removed"),
            added_first=_("step “%(name)s” was added as the first"),
            added_after=_("step “%(name)s” was added after “%(other)s”"),
            moved_first=_("step “%(name)s” is now the first"),
            moved_after=_("step “%(name)s” now comes after “%(other)s”"),
        ),
        STEP,
        _item_name("label", "id"),
        identity="id",
        loose=False,
    ),
    "onEnd": Leaf(
        _("what happens at its end"),
        _word(_ENDS),
        _goes(_("at its end it now %(after)s (before: it %(before)s)")),
        _("is over"),
    ),
    "instructions": _INSTRUCTIONS,
    "tools": _TOOLS_OF,
}

AGENT: Final[Shape] = {
    "specVersion": Leaf(_("the version of the format")),
    "name": Leaf.text(_("the name")),
    "goal": Leaf.text(_("the goal")),
    "persona": Leaf.text(_("the persona")),
    "knowledgeBase": Leaf.text(_("the knowledge base")),
    "locale": Leaf.text(_("the language")),
    "timezone": Leaf.text(_("the time zone")),
    "instructions": _INSTRUCTIONS,
    "idle": Inner(
        _("the answer when no flow does"),
        {
            "prompt": Leaf.text(_("the guideline")),
            "tools": _TOOLS_OF,
            "instructions": _INSTRUCTIONS,
        },
        _word({"silent": _("silence")}),
        scoped=True,
    ),
    "fields": FIELDS,
    "variables": VARIABLES,
    "flows": Items(
        _("the flows"),
        Noun(
            called=_("flow “%(name)s”"),
            added=_("flow “%(name)s” now takes part (it is new or was switched on)"),
            removed=_("flow “%(name)s” no longer takes part (it was removed or switched off)"),
            added_first=_("flow “%(name)s” now takes part, as the first (it is new or was switched on)"),
            added_after=_("flow “%(name)s” now takes part, after “%(other)s” (it is new or was switched on)"),
            moved_first=_("flow “%(name)s” is now the first"),
            moved_after=_("flow “%(name)s” now comes after “%(other)s”"),
        ),
        FLOW,
        _item_name("name", "id"),
        identity="id",
        loose=False,
        within=lambda labels, flow: labels.within(flow),
    ),
    "actions": ACTIONS,
    "events": EVENTS,
    "conditions": CONDITIONS,
    "tools": TOOLS,
    "maxToolLoops": Leaf(_("the rounds of tools in one turn"), times),
    "compaction": Inner(
        _("the shortening of long conversations"),
        {
            "enabled": Flag(
                _("the shortening of long conversations"),
                on=_("long conversations are now shortened"),
                off=_("long conversations are no longer shortened"),
            ),
            "maxTokens": Leaf(_("the number of tokens that a conversation may have")),
            "compactionThreshold": Leaf(_("the share from which on it is shortened")),
            "preserveRecentCount": Leaf(_("the number of last messages that stay")),
            "maxToolResultChars": Leaf(_("the length of a tool’s result")),
        },
        scoped=True,
    ),
}
