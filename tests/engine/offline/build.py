"""Short ways to write the briefs that these tests are about."""

from __future__ import annotations

from falai_engine.briefs import (
    BranchChoice,
    FieldAsk,
    FieldChoice,
    FlowChoice,
    KnownValue,
    MentionChoice,
    SpeakBrief,
    UnderstandBrief,
)
from falai_engine.model import ModelRequest
from falai_engine.providers.offline import OfflineProvider

SIZES = ("1-10", "11-50", "51-200", "200+")
EARLIER = ({"role": "user", "content": "oi"}, {"role": "assistant", "content": "Oi!"})


def flow(name, *phrases, title="", description="", excludes=(), asking=False):
    return FlowChoice(name, name, title, description, phrases, tuple(excludes), asking)


def mention(name, *phrases, title="", excludes=(), extract=None):
    return MentionChoice(name, name, title, phrases, tuple(excludes), extract)


def choice(slug, kind="string", *, enum=None, label=None, description=None, asked=False):
    return FieldChoice(slug, slug, kind, enum, label, description, asked)


def ask(slug, text=None, kind="string", *, enum=None, label=None, description=None, asked=0):
    return FieldAsk(slug, slug, kind, enum, label, description, text, asked)


def known(slug, value, *, fresh=False, label=None):
    return KnownValue(slug, label, value, fresh)


def understand(message, *, flows=(), mentions=(), whens=(), fields=(), locale="pt-BR"):
    """The structured reply; branches are named by what they say."""
    branches = tuple(BranchChoice(when, when) for when in whens)
    brief = UnderstandBrief(message, tuple(flows), tuple(mentions), branches, tuple(fields), locale)
    return OfflineProvider().generate(ModelRequest("", {}, "understand", brief=brief)).structured


def extracted(message, *fields, locale="pt-BR"):
    """The values read for some fields."""
    return understand(message, fields=fields, locale=locale)["fields"]


def speak_brief(message="oi", *, pending=(), known=(), guideline=None, idle=False, locale="pt-BR", unanswered=False):
    return SpeakBrief(
        message=message,
        idle=idle,
        flow_name=None,
        flow_description=None,
        guideline=guideline,
        pending=tuple(pending),
        known=tuple(known),
        instructions=(),
        today="2026-09-21",
        unanswered=unanswered,
        locale=locale,
    )


def speak(message="oi", *, history=EARLIER, tools=(), **about):
    """The whole reply, in the middle of a conversation unless a history is given."""
    brief = speak_brief(message, **about)
    return OfflineProvider().generate(ModelRequest("", {}, "speak", history=history, tools=tools, brief=brief))


def said(message="oi", **about):
    """The text of the message."""
    return speak(message, **about).message
