"""A small agent, and flows of it with one error each."""

from __future__ import annotations

from falai_engine.validation import Registries, Severity

NAMES = {
    "fields": {
        "name": {"type": "string", "ask": "the name"},
        "budget": {"type": "number"},
        "people": {"type": "integer"},
        "consent": {"type": "boolean"},
        "stage": {"type": "string", "enum": ["new", "warm"]},
    },
    "variables": {"retries": {"type": "integer", "initial": 0}},
    "actions": {
        "notify": {
            "parameters": {
                "to": {"type": "string"},
                "count": {"type": "integer", "optional": True},
                "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "optional": True},
                "level": {"type": "string", "enum": ["low", "high"], "optional": True},
            }
        }
    },
    "events": {"paid": {}},
    "conditions": {
        "vip": {"argument": {"type": "boolean"}},
        "tagged": {"argument": {"type": "array"}},
        "matches": {"argument": {"type": "map"}},
        "level": {"argument": {"type": "scalar"}},
    },
    "tools": [{"id": "search"}],
}
REGISTRIES = Registries.from_spec({**NAMES, "flows": ["main", "faq"]})
SAY = {"id": "bye", "say": "bye"}
START = [{"message": ["hi"]}]


def flow(*steps, **head):
    """A flow of one `say`, unless steps are given."""
    return {"id": "main", "name": "Main", "steps": list(steps) or [SAY], **head}


def step(**body):
    return flow({"id": "a", **body}, SAY)


def trigger(**body):
    return flow(on=[body])


def errors(problems):
    return [problem for problem in problems if problem.severity is Severity.ERROR]


F, A, T = 'flow "main"', 'flow "main", step "a"', 'flow "main", trigger #1'

# code, flow, where, path, and what the remedy says
FLOW_ERRORS = [
    # a JSON value of the wrong sort, at each sort of place
    ("not-an-object", None, "flow", "", "object"),
    ("not-an-object", [flow()], "flow", "", "object"),
    ("not-an-object", flow("x"), F, "steps[0]", "object"),
    ("not-an-object", flow(None), F, "steps[0]", "object"),
    ("not-an-object", flow(on=["x"]), T, "on[0]", "object"),
    ("not-an-object", flow(instructions=["x"]), F, "instructions[0]", "object"),
    ("not-an-object", flow(**{"while": "x"}), F, "while", "object"),
    ("not-an-object", step(collect=["name"], ask="x"), A, "steps[0].ask", "object"),
    ("not-an-object", step(prompt="x", branches=["x"]), A, "steps[0].branches[0]", "object"),
    ("not-an-object", step(say="x", media="x"), A, "steps[0].media", "object"),
    ("not-an-object", step(do="notify", **{"with": "x"}), A, "steps[0].with", "object"),
    ("not-an-object", trigger(mention=["x"], extract="x"), T, "on[0].extract", "object"),
    ("not-an-object", trigger(mention=["x"], extract={"q": "x"}), T, "on[0].extract.q", "object"),
    ("not-an-object", flow(**{"while": {"equals": ["name"]}}), F, "while.equals", "object"),
    (
        "not-an-object",
        trigger(mention=["x"], extract={"q": {"type": "array", "items": 1}}),
        T,
        "on[0].extract.q.items",
        "object",
    ),
    ("not-a-list", flow(on={}), F, "on", "list"),
    ("not-a-list", flow(tools="search"), F, "tools", "list"),
    ("not-a-list", flow(collect="name"), F, "collect", "list"),
    ("not-a-list", flow(clearOnStart="name"), F, "clearOnStart", "list"),
    ("not-a-list", flow(instructions={}), F, "instructions", "list"),
    ("not-a-list", flow(instructions=[{"prompt": "x", "when": {}}]), F, "instructions[0].when", "list"),
    ("not-a-list", step(collect="name", prompt="x"), A, "steps[0].collect", "list"),
    ("not-a-list", step(prompt="x", branches={}), A, "steps[0].branches", "list"),
    ("not-a-list", step(say="x", then={"step": "bye", "clear": "name"}), A, "steps[0].then.clear", "list"),
    ("not-a-list", trigger(message="hi"), T, "on[0].message", "list"),
    ("not-a-list", flow(**{"while": {"known": "name"}}), F, "while.known", "list"),
    (
        "not-a-list",
        trigger(mention=["x"], extract={"q": {"type": "string", "enum": 1}}),
        T,
        "on[0].extract.q.enum",
        "list",
    ),
    ("not-text", flow(id=5), "flow", "id", "text"),
    ("not-text", flow(name=5), F, "name", "text"),
    ("not-text", flow(description=[]), F, "description", "text"),
    ("not-text", flow(anchor=False), F, "anchor", "text"),
    ("not-text", flow(tools=[5]), F, "tools[0]", "text"),
    ("not-text", flow(collect=[5]), F, "collect[0]", "text"),
    ("not-text", flow({"id": 5, "say": "x"}), 'flow "main", step #1', "steps[0].id", "text"),
    ("not-text", step(say=42), A, "steps[0].say", "text"),
    ("not-text", step(do=42), A, "steps[0].do", "text"),
    ("not-text", step(say="x", label=42), A, "steps[0].label", "text"),
    ("not-text", step(say="x", media={"slug": 42}), A, "steps[0].media.slug", "text"),
    ("not-text", step(prompt=42), A, "steps[0].prompt", "text"),
    ("not-text", step(collect=["name"], question=42), A, "steps[0].question", "text"),
    ("not-text", step(collect=["name"], ask={"name": 42}), A, "steps[0].ask.name", "text"),
    ("not-text", step(prompt="x", branches=[{"when": 42, "then": "end"}]), A, "steps[0].branches[0].when", "text"),
    ("not-text", step(say="x", then={"step": 42}), A, "steps[0].then.step", "text"),
    ("not-text", step(say="x", then={"flow": 42}), A, "steps[0].then.flow", "text"),
    ("not-text", step(wait={"event": 42}), A, "steps[0].wait.event", "text"),
    ("not-text", trigger(message=["hi", 42]), T, "on[0].message[1]", "text"),
    ("not-text", trigger(event=42), T, "on[0].event", "text"),
    ("not-text", flow(instructions=[{"prompt": 42}]), F, "instructions[0].prompt", "text"),
    ("not-text", flow(instructions=[{"prompt": "x", "when": ["a", 42]}]), F, "instructions[0].when[1]", "text"),
    ("not-a-boolean", step(say="x", once="yes"), A, "steps[0].once", "true or false"),
    ("not-a-boolean", step(wait="1h", businessHours=1), A, "steps[0].businessHours", "true or false"),
    ("not-a-boolean", trigger(silence="1h", businessHours=1), T, "on[0].businessHours", "true or false"),
    ("not-a-boolean", flow(**{"while": {"silenced": "x"}}), F, "while.silenced", "true or false"),
    ("not-a-whole-number", step(prompt="x", maxAsks=0), A, "steps[0].maxAsks", "1 or more"),
    ("not-a-whole-number", step(prompt="x", maxAsks="3"), A, "steps[0].maxAsks", "1 or more"),
    ("not-a-whole-number", step(prompt="x", maxAsks=1.5), A, "steps[0].maxAsks", "1 or more"),
    ("not-a-whole-number", step(prompt="x", maxAsks=True), A, "steps[0].maxAsks", "1 or more"),
    ("not-one-of", flow(onEnd="restart"), F, "onEnd", 'Write "reset"'),
    ("not-one-of", flow(instructions=[{"kind": "maybe", "prompt": "x"}]), F, "instructions[0].kind", "one of them"),
    ("not-one-of", step(kind="sya", say="x"), A, "steps[0].kind", 'Write "say"'),
    ("not-one-of", trigger(mention=["x"], extract={"q": {"type": "text"}}), T, "on[0].extract.q.type", "one of them"),
    ("missing", flow(instructions=[{"kind": "must"}]), F, "instructions[0].prompt", "Add it"),
    ("missing", step(say="x", media={}), A, "steps[0].media.slug", "Add it"),
    ("missing", trigger(mention=["x"], extract={"q": {}}), T, "on[0].extract.q.type", "Add it"),
    ("missing", trigger(mention=["x"], extract={"q": {"type": "array"}}), T, "on[0].extract.q.items", "Add it"),
    ("bad-duration", step(wait="5 min"), A, "steps[0].wait", '"30s"'),
    ("bad-duration", step(wait=5), A, "steps[0].wait", '"30s"'),
    ("bad-duration", step(wait={"event": "paid", "upTo": "x"}), A, "steps[0].wait.upTo", '"30s"'),
    ("bad-duration", trigger(silence="tomorrow"), T, "on[0].silence", '"30s"'),
    ("bad-duration", trigger(event="paid", after="1x"), T, "on[0].after", '"30s"'),
    ("bad-duration", trigger(message=["x"], repeat={"cooldown": "x"}), T, "on[0].repeat.cooldown", '"30s"'),
    # names that nothing has, with the nearest one that something has
    ("unknown-field", flow(collect=["nmae"]), F, "collect[0]", 'Write "name", or declare'),
    ("unknown-field", flow(clearOnStart=["zzz"]), F, "clearOnStart[0]", "Declare the field"),
    ("unknown-field", step(collect=["name", "nmae"]), A, "steps[0].collect[1]", '"name"'),
    ("unknown-field", step(collect=["name"], ask={"nmae": "x"}), A, "steps[0].ask.nmae", '"name"'),
    ("unknown-field", step(say="x", then={"step": "bye", "clear": ["nmae"]}), A, "steps[0].then.clear[0]", '"name"'),
    ("unknown-field", step(**{"if": {"equals": {"nmae": "x"}}}), A, "steps[0].if.equals.nmae", '"name"'),
    ("unknown-field", step(**{"if": {"known": ["retires"]}}), A, "steps[0].if.known[0]", '"retries"'),
    ("variable-collected", step(collect=["name", "retries"]), A, "steps[0].collect[1]", "Choose a field"),
    ("variable-collected", flow(collect=["retries"]), F, "collect[0]", "Choose a field"),
    ("variable-collected", step(collect=["name"], ask={"retries": "x"}), A, "steps[0].ask.retries", "Choose a field"),
    ("unknown-tool", flow(tools=["serach"]), F, "tools[0]", '"search"'),
    ("unknown-tool", step(prompt="x", tools=["search", "ghost"]), A, "steps[0].tools[1]", "Add the tool"),
    ("unknown-action", step(do="notfiy"), A, "steps[0].do", '"notify"'),
    ("unknown-event", trigger(event="piad"), T, "on[0].event", '"paid"'),
    ("unknown-event", step(wait={"event": "piad"}), A, "steps[0].wait.event", '"paid"'),
    ("unknown-condition", flow(**{"while": {"vpi": True}}), F, "while.vpi", '"vip"'),
    ("unknown-condition", trigger(message=["x"], **{"if": {"knwon": []}}), T, "on[0].if.knwon", '"known"'),
    ("unknown-condition", flow(instructions=[{"prompt": "x", "if": {"z": 1}}]), F, "instructions[0].if.z", "Register"),
    ("unknown-condition", step(**{"if": {"a b": 1}}), A, 'steps[0].if["a b"]', "Register"),
    (
        "unknown-condition",
        step(prompt="x", instructions=[{"prompt": "x", "if": {"ghost": 1}}]),
        A,
        "steps[0].instructions[0].if.ghost",
        "Register",
    ),
    ("unknown-flow", step(say="x", then={"flow": "fqa"}), A, "steps[0].then.flow", '"faq"'),
    ("unknown-step", step(say="x", then="bey"), A, "steps[0].then", '"bye"'),
    ("unknown-step", step(wait="1h", **{"else": "ghost"}), A, "steps[0].else", '"end" by itself'),
    ("unknown-step", step(wait={"event": "paid"}, **{"else": "ghost"}), A, "steps[0].else", "Choose a step"),
    ("unknown-step", step(**{"if": {}, "else": "ghost"}), A, "steps[0].else", "Choose a step"),
    ("unknown-step", step(do="notify", **{"with": {"to": "x"}}, onFail="ghost"), A, "steps[0].onFail", "Choose"),
    ("unknown-step", step(say="x", then={"step": "end"}), A, "steps[0].then.step", '"end"'),
    (
        "unknown-step",
        flow(
            SAY,
            {"id": "b", "say": "x"},
            {"id": "a", "prompt": "x", "branches": [{"when": "x", "then": {"step": "zz"}}]},
        ),
        A,
        "steps[2].branches[0].then.step",
        "Choose a step",
    ),
    # the flow
    ("flow-without-id", {"steps": []}, "flow", "id", "Give it"),
    ("flow-without-id", flow(id=""), "flow", "id", "Give it"),
    ("flow-without-steps", {"id": "main"}, F, "steps", "Add `steps`"),
    ("flow-without-steps", {"id": "main", "steps": "x"}, F, "steps", "Add `steps`"),
    ("triggers-without-steps", {"id": "main", "steps": [], "on": START}, F, "steps", "Add a step"),
    # triggers
    ("trigger-without-kind", trigger(), T, "on[0]", "`message`"),
    ("trigger-without-kind", flow(on=[*START, {"message": None}]), 'flow "main", trigger #2', "on[1]", "`message`"),
    ("trigger-with-two-kinds", trigger(message=["x"], mention=["y"]), T, "on[0].mention", "two triggers"),
    ("trigger-without-phrases", trigger(message=["!x", " ", "!"]), T, "on[0].message", "without `!`"),
    ("trigger-without-phrases", trigger(mention=["!x"]), T, "on[0].mention", "without `!`"),
    ("bad-repeat", trigger(message=["x"], repeat="never"), T, "on[0].repeat", '"once"'),
    ("bad-repeat", trigger(message=["x"], repeat={}), T, "on[0].repeat", "cooldown"),
    # steps
    ("step-without-id", flow({"say": "x"}), 'flow "main", step #1', "steps[0].id", "Give it"),
    ("step-id-reserved", flow({"id": "end", "say": "x"}), 'flow "main", step "end"', "steps[0].id", "another id"),
    ("step-id-twice", flow(SAY, SAY), 'flow "main", step "bye"', "steps[1].id", "another id"),
    ("step-empty", step(), A, "steps[0].kind", "Add one of"),
    ("step-empty", step(kind="say", say=None), A, "steps[0].say", "Add one of"),
    ("step-empty", step(sya="Hello."), A, "steps[0].kind", 'Write `say` instead of "sya"'),
    ("step-empty", step(kind="waitEvent"), A, "steps[0].wait", "Add one of"),
    ("step-does-two-things", step(say="x", do="notify"), A, "steps[0].do", "two steps"),
    ("step-does-two-things", step(**{"if": {}}, prompt="x"), A, "steps[0].prompt", "two steps"),
    ("step-kind-mismatch", step(kind="do", say="x"), A, "steps[0].kind", 'Write "say"'),
    ("step-kind-mismatch", step(kind="wait", wait={"event": "paid"}), A, "steps[0].kind", 'Write "waitEvent"'),
    ("collect-empty", step(collect=[]), A, "steps[0].collect", "Name a field"),
    ("question-without-collect", step(prompt="x", question="y"), A, "steps[0].question", "Add `collect`"),
    ("question-without-collect", step(say="x", question="y"), A, "steps[0].question", "Add `collect`"),
    ("wait-without-event", step(wait={}), A, "steps[0].wait.event", "event"),
    ("next-unreadable", step(say="x", then=5), A, "steps[0].then", "step id"),
    ("next-unreadable", step(say="x", then={}), A, "steps[0].then", "step id"),
    ("next-unreadable", step(say="x", then={"step": "bye", "flow": "faq"}), A, "steps[0].then", "step id"),
    ("next-unreadable", step(say="x", then=[]), A, "steps[0].then", "step id"),
    ("if-jumps-back", flow(SAY, {"id": "a", "if": {}, "then": "bye"}), A, "steps[1].then", "Add `else`"),
    (
        "if-jumps-back",
        flow({"id": "a", "if": {}, "then": {"step": "a", "clear": ["name"]}}),
        A,
        "steps[0].then",
        "`else`",
    ),
    ("branch-without-then", step(prompt="x", branches=[{"when": "x"}]), A, "steps[0].branches[0].then", "leads"),
    ("branch-without-condition", step(prompt="x", branches=[{"then": "end"}]), A, "steps[0].branches[0]", "Add one"),
    (
        "branch-with-two-conditions",
        step(prompt="x", branches=[{"when": "x", "if": {}, "then": "end"}]),
        A,
        "steps[0].branches[0]",
        "two branches",
    ),
    (
        "branch-when-on-wait",
        step(wait="1h", branches=[{"when": "x", "then": "end"}]),
        A,
        "steps[0].branches[0].when",
        "`if`",
    ),
    # values
    ("equals-null", step(**{"if": {"equals": {"name": None}}}), A, "steps[0].if.equals.name", "`known`"),
    (
        "equals-type",
        step(**{"if": {"equals": {"consent": "yes"}}}),
        A,
        "steps[0].if.equals.consent",
        "nothing is converted",
    ),
    (
        "equals-type",
        step(**{"if": {"equals": {"budget": True}}}),
        A,
        "steps[0].if.equals.budget",
        "nothing is converted",
    ),
    (
        "equals-type",
        step(**{"if": {"equals": {"people": 1.5}}}),
        A,
        "steps[0].if.equals.people",
        "nothing is converted",
    ),
    (
        "equals-type",
        step(**{"if": {"equals": {"retries": "1"}}}),
        A,
        "steps[0].if.equals.retries",
        "nothing is converted",
    ),
    ("equals-enum", step(**{"if": {"equals": {"stage": "wram"}}}), A, "steps[0].if.equals.stage", 'Write "warm"'),
    (
        "equals-enum",
        step(**{"if": {"equals": {"stage": "{{data.name}}"}}}),
        A,
        "steps[0].if.equals.stage",
        '"new", "warm"',
    ),
    ("parameter-missing", step(do="notify"), A, "steps[0].with.to", "Add it"),
    ("parameter-missing", step(do="notify", **{"with": {"to": None}}), A, "steps[0].with.to", "Add it"),
    ("parameter-unknown", step(do="notify", **{"with": {"to": "x", "cuont": 1}}), A, "steps[0].with.cuont", '"count"'),
    ("parameter-type", step(do="notify", **{"with": {"to": 5}}), A, "steps[0].with.to", "of that type"),
    (
        "parameter-type",
        step(do="notify", **{"with": {"to": "x", "count": "3"}}),
        A,
        "steps[0].with.count",
        "of that type",
    ),
    (
        "parameter-type",
        step(do="notify", **{"with": {"to": "x", "tags": "a"}}),
        A,
        "steps[0].with.tags",
        "of that type",
    ),
    (
        "parameter-type",
        step(do="notify", **{"with": {"to": "x", "tags": ["a", 1]}}),
        A,
        "steps[0].with.tags[1]",
        "of that type",
    ),
    (
        "parameter-enum",
        step(do="notify", **{"with": {"to": "x", "level": "hihg"}}),
        A,
        "steps[0].with.level",
        'Write "high"',
    ),
    ("parameter-enum", step(do="notify", **{"with": {"to": "x", "tags": ["c"]}}), A, "steps[0].with.tags[0]", "one of"),
    (
        "enum-empty",
        trigger(mention=["x"], extract={"q": {"type": "string", "enum": []}}),
        T,
        "on[0].extract.q.enum",
        "Add a value",
    ),
    (
        "value-type",
        trigger(mention=["x"], extract={"q": {"type": "integer", "enum": [1, "2"]}}),
        T,
        "on[0].extract.q.enum[1]",
        "of that type",
    ),
]
