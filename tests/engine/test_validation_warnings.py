"""Every warning of flow-spec.md, ours beyond included: what will surprise an author, and what will not."""

from __future__ import annotations

import pytest

from falai_engine.flows import Flow, GoTo, Say
from falai_engine.spec import flow_from_spec
from falai_engine.validation import (
    RULES,
    Severity,
    validate_agent,
    validate_agent_all,
    validate_flow,
    validate_flow_all,
)
from tests.engine.agent_error_cases import agent, merged
from tests.engine.flow_error_cases import REGISTRIES, SAY, START, A, F, T, flow, step, trigger

WITH = {"with": {"to": "x"}}
IF = {"if": {"known": ["name"]}}
BACK = {"step": "bye", "clear": ["name"]}

# code, flow, where, path, and what the remedy says
FLOW_WARNINGS = [
    # jumps back without clearing
    ("jumps-back", flow({"id": "a", "prompt": "x", "then": "a"}), A, "steps[0].then", "`clear`"),
    ("jumps-back", flow(SAY, {"id": "a", "prompt": "x", "then": {"step": "bye"}}), A, "steps[1].then.step", "`clear`"),
    (
        "jumps-back",
        flow(SAY, {"id": "a", "prompt": "x", "then": {"step": "bye", "clear": []}}),
        A,
        "steps[1].then.step",
        "`clear`",
    ),
    ("jumps-back", flow(SAY, {"id": "a", **IF, "then": "bye", "else": "end"}), A, "steps[1].then", "`clear`"),
    ("jumps-back", flow(SAY, {"id": "a", **IF, "else": "bye"}), A, "steps[1].else", "`clear`"),
    ("jumps-back", flow(SAY, {"id": "a", "wait": "1h", "else": "bye"}), A, "steps[1].else", "`clear`"),
    ("jumps-back", flow(SAY, {"id": "a", "wait": {"event": "paid"}, "else": "bye"}), A, "steps[1].else", "`clear`"),
    ("jumps-back", flow(SAY, {"id": "a", "do": "notify", **WITH, "onFail": "bye"}), A, "steps[1].onFail", "`clear`"),
    (
        "jumps-back",
        flow(SAY, {"id": "a", "prompt": "x", "branches": [{"when": "x", "then": "end"}, {"when": "y", "then": "bye"}]}),
        A,
        "steps[1].branches[1].then",
        "`clear`",
    ),
    # how to ask
    ("collect-unguided", step(collect=["budget"]), A, "steps[0].collect", "`prompt`"),
    ("collect-unguided", step(collect=["budget", "people"], ask={"name": "x"}), A, "steps[0].collect", "`ask`"),
    (
        "collect-unguided",
        step(collect=["budget"], prompt=None, ask={"budget": None}),
        A,
        "steps[0].collect",
        "`question`",
    ),
    ("never-collected", flow(collect=["name", "consent"]), F, "collect[1]", '"extract": "anywhere"'),
    ("answer-unheard", step(collect=["name", "consent"], maxAsks=1), A, "steps[0].maxAsks", "2 or more"),
    # where steps lead
    (
        "step-unreachable",
        flow({"id": "b", "say": "x", "then": "end"}, {"id": "a", "say": "x"}),
        A,
        "steps[1]",
        "Lead a step",
    ),
    (
        "step-unreachable",
        flow({"id": "b", **IF, "then": "bye", "else": "end"}, {"id": "a", "say": "x"}, SAY),
        A,
        "steps[1]",
        "Lead a step",
    ),
    (
        "step-unreachable",
        flow({"id": "b", "prompt": "x", "then": {"flow": "faq"}}, {"id": "a", "say": "x"}, onEnd="stay"),
        A,
        "steps[1]",
        "Lead a step",
    ),
    ("endless-cycle", flow({"id": "a", "say": "x", "then": {"step": "a", "clear": ["name"]}}), A, "steps[0]", "a wait"),
    (
        "endless-cycle",
        flow(
            {"id": "first", "say": "x"},
            {"id": "a", "do": "notify", **WITH},
            {"id": "b", **IF, "then": {"step": "a", "clear": ["name"]}, "else": {"step": "a", "clear": ["name"]}},
        ),
        A,
        "steps[1]",
        "a wait",
    ),
    # placeholders
    ("template-unknown-field", step(say="Hi {{data.nmae}}"), A, "steps[0].say", 'Write "name"'),
    ("template-unknown-field", step(say="Hi {{ data.zzz.deep }}"), A, "steps[0].say", "Declare it"),
    ("template-unknown-field", step(prompt="{{data.nmae}}"), A, "steps[0].prompt", '"name"'),
    ("template-unknown-field", step(collect=["name"], question="{{data.nmae}}"), A, "steps[0].question", '"name"'),
    ("template-unknown-field", step(collect=["name"], ask={"name": "{{data.nmae}}"}), A, "steps[0].ask.name", '"name"'),
    ("template-unknown-field", step(do="notify", **{"with": {"to": "{{data.nmae}}"}}), A, "steps[0].with.to", '"name"'),
    (
        "template-unknown-field",
        step(do="notify", **{"with": {"to": "x", "tags": ["a", "{{data.nmae}}"]}}),
        A,
        "steps[0].with.tags[1]",
        '"name"',
    ),
    (
        "template-unknown-field",
        flow({"id": "a", "say": "x", "then": {"flow": "{{data.nmae}}"}}),
        A,
        "steps[0].then.flow",
        '"name"',
    ),
    (
        "template-unknown-field",
        step(prompt="x", branches=[{"when": "{{data.nmae}}", "then": "end"}]),
        A,
        "steps[0].branches[0].when",
        '"name"',
    ),
    ("template-unknown-field", trigger(message=["hi", "{{data.nmae}}"]), T, "on[0].message[1]", '"name"'),
    ("template-unknown-field", flow(description="{{data.retires}}"), F, "description", '"retries"'),
    ("template-unknown-field", flow(instructions=[{"prompt": "{{data.nmae}}"}]), F, "instructions[0].prompt", '"name"'),
    ("template-unknown-root", step(say="Hi {{name}}"), A, "steps[0].say", 'Write "data.name"'),
    ("template-unknown-root", step(say="Hi {{lead.name}}"), A, "steps[0].say", "Begin it with"),
    # triggers
    ("silence-always", trigger(silence="1h", repeat="always"), T, "on[0].repeat", "cooldown"),
    # words that nothing reads
    ("unknown-key", flow(onend="stay"), F, "onend", 'Write "onEnd"'),
    ("unknown-key", trigger(message=["x"], repaet="once"), T, "on[0].repaet", 'Write "repeat"'),
    ("unknown-key", trigger(message=["x"], after="1h"), T, "on[0].after", "Remove it"),
    ("unknown-key", trigger(message=["x"], repeat={"cooldown": "1h", "x": 1}), T, "on[0].repeat.x", "Remove it"),
    ("unknown-key", step(say="x", onFail="end"), A, "steps[0].onFail", "Remove it"),
    ("unknown-key", step(say="x", oncee=True), A, "steps[0].oncee", 'Write "once"'),
    ("unknown-key", step(wait={"event": "paid", "upto": "1h"}), A, "steps[0].wait.upto", 'Write "upTo"'),
    ("unknown-key", step(wait={"event": "paid"}, upTo="1h"), A, "steps[0].upTo", "emove it"),
    ("unknown-key", step(say="x", then={"step": "bye", "claer": []}), A, "steps[0].then.claer", 'Write "clear"'),
    (
        "unknown-key",
        flow({"id": "a", "say": "x", "then": {"flow": "faq", "inputs": 1}}),
        A,
        "steps[0].then.inputs",
        'Write "input"',
    ),
    (
        "unknown-key",
        step(prompt="x", branches=[{"when": "x", "then": "end", "ui": 1}]),
        A,
        "steps[0].branches[0].ui",
        "Remove",
    ),
    ("unknown-key", flow(instructions=[{"prompt": "x", "kin": "must"}]), F, "instructions[0].kin", 'Write "kind"'),
    (
        "unknown-key",
        trigger(mention=["x"], extract={"q": {"type": "string", "optinal": True}}),
        T,
        "on[0].extract.q.optinal",
        'Write "optional"',
    ),
    # ids and arguments
    ("separator-in-id", flow(id="a:b"), 'flow "a:b"', "id", "a-z"),
    ("separator-in-id", flow({"id": "x#1", "say": "x"}), 'flow "main", step "x#1"', "steps[0].id", "a-z"),
    ("condition-argument", step(**{"if": {"vip": "yes"}}), A, "steps[0].if.vip", "of that type"),
    ("condition-argument", step(**{"if": {"tagged": "x"}}), A, "steps[0].if.tagged", "of that type"),
    ("condition-argument", step(**{"if": {"matches": "x"}}), A, "steps[0].if.matches", "of that type"),
    ("condition-argument", step(**{"if": {"level": ["x"]}}), A, "steps[0].if.level", "of that type"),
]

# flows that look like the ones above, and are fine
FINE = [
    flow({"id": "a", "prompt": "x", "then": {"step": "a", "clear": ["name"]}}),
    flow({"id": "a", "prompt": "x", "then": "bye"}, SAY),
    flow({"id": "a", "prompt": "x", "then": "end"}),
    flow({"id": "a", "prompt": "x", "then": {"flow": "main"}}),
    step(collect=["budget", "name"]),
    step(collect=["budget"], prompt=""),
    step(collect=["budget"], question="how much?"),
    step(collect=["budget", "people"], ask={"people": "how many"}),
    flow({"id": "a", "collect": ["consent"], "prompt": "x"}, collect=["consent", "budget"]),
    flow({"id": "b", **IF, "then": "a", "else": "bye"}, {"id": "a", "say": "x"}, SAY),
    flow({"id": "b", "wait": "1h", "else": "bye", "then": "end"}, SAY),
    flow({"id": "b", "do": "notify", **WITH, "then": "end", "onFail": "bye"}, SAY),
    flow({"id": "b", "prompt": "x", "then": "end", "branches": [{"when": "x", "then": "bye"}]}, SAY),
    flow({"id": "b", "say": "x", "then": "end"}, {"id": "a", "prompt": "x"}, onEnd="stay"),
    flow(
        {"id": "a", "say": "x"},
        {"id": "b", "wait": "1h"},
        {"id": "c", "say": "x", "then": {"step": "a", "clear": ["name"]}},
    ),
    flow({"id": "a", "say": "x"}, {"id": "b", **IF, "then": {"step": "a", "clear": ["name"]}, "else": "end"}),
    flow({"id": "a", "do": "notify", **WITH, "then": {"step": "a", "clear": ["name"]}, "onFail": "end"}),
    step(say="{{data.name}} {{data.retries}} {{context.x.y}} {{input.z}} {{data}} {{}} {{ data.name }}"),
    flow({"id": "a", "say": "x", "then": {"flow": "faq", "input": {"x": "{{data.ghost}}"}}}),
    trigger(silence="1h", repeat={"cooldown": "1h"}),
    trigger(silence="1h"),
    trigger(event="paid", repeat="always"),
    step(say="x", ui={"anything": 1}, ghost=None),
    step(**{"if": {"vip": False, "tagged": ["a"], "matches": {"a": 1}, "level": 2}}),
    {"id": "main", "steps": []},
]


@pytest.mark.parametrize(("code", "spec", "where", "path", "fix"), FLOW_WARNINGS)
def test_a_warning_of_a_flow(code, spec, where, path, fix):
    """The flow is valid, and the one surprise in it is told: its code, its place, its form field, its remedy."""
    (problem,) = validate_flow(spec, REGISTRIES)
    assert (problem.code, problem.where, problem.path, problem.severity) == (code, where, path, "warning")
    assert fix in problem.fix
    assert problem.message.startswith(f"[FlowConfigurationError] {where}: ")


@pytest.mark.parametrize("spec", FINE)
def test_a_flow_without_a_warning(spec):
    """No false alarm, as JSON and as a Flow."""
    assert validate_flow(spec, REGISTRIES) == []
    assert validate_flow(flow_from_spec(spec), REGISTRIES) == []


def test_each_circle_is_told_once():
    """A circle is one problem, at its first step, however many steps it has; two circles are two."""
    clear = {"clear": ["name"]}
    spec = flow(
        {"id": "a", **IF, "then": "b", "else": "d"},
        {"id": "b", "say": "x"},
        {"id": "c", "say": "x", "then": {"step": "b", **clear}},
        {"id": "d", "say": "x"},
        {"id": "e", "say": "x", "then": {"step": "d", **clear}},
    )
    assert [(one.code, one.path) for one in validate_flow(spec, REGISTRIES)] == [
        ("endless-cycle", "steps[1]"),
        ("endless-cycle", "steps[3]"),
    ]


def test_a_circle_that_nothing_reaches_is_only_unreachable():
    """What never runs never goes round."""
    spec = flow(
        {"id": "a", "say": "x", "then": "end"}, {"id": "b", "say": "x", "then": {"step": "b", "clear": ["name"]}}
    )
    assert [one.code for one in validate_flow(spec, REGISTRIES)] == ["step-unreachable"]


def test_where_steps_lead_is_not_judged_while_a_target_is_wrong():
    """A misspelt target is told as such, not also as a step that nothing reaches."""
    spec = Flow(id="main", steps=[Say(id="a", say="x", then=GoTo("zz")), Say(id="bye", say="x")])
    assert [one.code for one in validate_flow_all(spec, REGISTRIES)] == ["unknown-step"]


CHAIN = {"id": "a", "prompt": "x", "then": {"flow": "faq"}}

# code, what the agent has beside the names of these tests, where, path, and what the remedy says
AGENT_WARNINGS = [
    ("only-by-hand", {"flows": [flow()]}, F, "flows[0]", "`start`"),
    ("only-by-hand", {"flows": [flow({"id": "a", "prompt": "x", "then": {"flow": "main"}})]}, F, "flows[0]", "`start`"),
    (
        "only-by-hand",
        {"flows": [flow(on=START), {"id": "faq", "on": [], "steps": []}]},
        'flow "faq"',
        "flows[1]",
        "`start`",
    ),
    (
        "phrases-shared",
        {
            "flows": [
                flow(on=[{"message": ["!no", "Prices "]}]),
                {"id": "faq", "on": [{"mention": ["x", "prices"]}], "steps": [SAY]},
            ]
        },
        'flow "faq", trigger #1',
        "flows[1].on[0].mention",
        "apart",
    ),
    ("template-unknown-field", {"persona": "for {{data.nmae}}"}, "agent", "persona", '"name"'),
    ("template-unknown-field", {"goal": "for {{data.nmae}}"}, "agent", "goal", '"name"'),
    ("template-unknown-field", {"idle": {"prompt": "{{data.nmae}}"}}, "idle", "idle.prompt", '"name"'),
    (
        "template-unknown-field",
        {"instructions": [{"prompt": "{{data.nmae}}"}]},
        "agent, instruction #1",
        "instructions[0].prompt",
        '"name"',
    ),
    (
        "template-unknown-field",
        {"fields": {"x": {"type": "string", "ask": "{{data.nmae}}"}}},
        'field "x"',
        "fields.x.ask",
        '"name"',
    ),
    ("unknown-key", {"idel": {}}, "agent", "idel", 'Write "idle"'),
    ("unknown-key", {"idle": {"prompt": "", "promt": ""}}, "idle", "idle.promt", 'Write "prompt"'),
    ("unknown-key", {"compaction": {"maxTokens": 9, "maxToken": 9}}, "agent", "compaction.maxToken", '"maxTokens"'),
    ("unknown-key", {"fields": {"x": {"type": "string", "enmu": []}}}, 'field "x"', "fields.x.enmu", '"enum"'),
    (
        "unknown-key",
        {"variables": {"x": {"type": "string", "show": True}}},
        'variable "x"',
        "variables.x.show",
        '"shown"',
    ),
    (
        "unknown-key",
        {"events": {"paid": {"descripton": "x"}}},
        'event "paid"',
        "events.paid.descripton",
        '"description"',
    ),
    ("unknown-key", {"actions": {"x": {"parameter": {}}}}, 'action "x"', "actions.x.parameter", '"parameters"'),
    (
        "unknown-key",
        {"tools": [{"id": "search", "readonly": True}]},
        'tool "search"',
        "tools[0].readonly",
        '"readOnly"',
    ),
    ("unknown-key", {"conditions": {"x": {"kin": "python"}}}, 'condition "x"', "conditions.x.kin", '"kind"'),
]

FINE_AGENTS = [
    {"flows": [flow(CHAIN, on=START), {"id": "faq", "steps": []}]},
    {"flows": [flow({**CHAIN, "then": {"flow": "{{input.next}}"}}, on=START), {"id": "faq", "steps": []}]},
    {"flows": [flow(on=[{"message": ["prices"]}, {"mention": ["prices"]}])]},
    {
        "flows": [
            flow(on=[{"message": ["prices"]}]),
            {"id": "faq", "on": [{"mention": ["price", "!prices"]}], "steps": [SAY]},
        ]
    },
    {"flows": [flow(on=[{"mention": ["x"]}]), {"id": "faq", "on": [{"mention": ["x"]}], "steps": [SAY]}]},
    {"idle": "silent", "maxToolLoops": 0, "timezone": "America/Sao_Paulo", "specVersion": 1},
]


@pytest.mark.parametrize(("code", "more", "where", "path", "fix"), AGENT_WARNINGS)
def test_a_warning_of_an_agent(code, more, where, path, fix):
    """The agent is valid, and the one surprise in it is told: its code, its place, its form field, its remedy."""
    (problem,) = validate_agent(merged(more))
    assert (problem.code, problem.where, problem.path, problem.severity) == (code, where, path, "warning")
    assert fix in problem.fix


@pytest.mark.parametrize("more", FINE_AGENTS)
def test_an_agent_without_a_warning(more):
    """No false alarm, with the flows as JSON and as Flow."""
    document = merged(more)
    assert validate_agent(document) == []
    assert validate_agent({**document, "flows": [flow_from_spec(spec) for spec in document["flows"]]}) == []


def test_starts_are_not_judged_for_a_flow_with_an_error():
    """First things first: a flow that cannot work is not also told that nothing starts it."""
    document = agent(flows=[flow({"id": "a", "say": 5})])
    assert [one.code for one in validate_agent_all(document)] == ["not-text"]


def test_every_warning_has_a_case():
    """The table of rules is complete: each warning is told by a case above."""
    told = {case[0] for case in [*FLOW_WARNINGS, *AGENT_WARNINGS]}
    assert {code for code, rule in RULES.items() if rule.severity is Severity.WARNING} == told
