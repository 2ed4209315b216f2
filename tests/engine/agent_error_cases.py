"""An agent with one error each."""

from __future__ import annotations

from tests.engine.flow_error_cases import NAMES, START, A, F, flow, step

# code, what the agent has beside the names above, where, path, and what the remedy says
AGENT_ERRORS = [
    ("not-an-object", {"fields": []}, "agent", "fields", "object"),
    ("not-an-object", {"fields": {"x": 5}}, 'field "x"', "fields.x", "object"),
    ("not-an-object", {"variables": {"x": 5}}, 'variable "x"', "variables.x", "object"),
    ("not-an-object", {"events": {"paid": 5}}, 'event "paid"', "events.paid", "object"),
    ("not-an-object", {"actions": {"x": 5}}, 'action "x"', "actions.x", "object"),
    ("not-an-object", {"conditions": {"x": 5}}, 'condition "x"', "conditions.x", "object"),
    ("not-an-object", {"tools": ["x"]}, "tool #1", "tools[0]", "object"),
    ("not-an-object", {"instructions": ["x"]}, "agent, instruction #1", "instructions[0]", "object"),
    ("not-an-object", {"idle": []}, "idle", "idle", "object"),
    ("not-an-object", {"compaction": 5}, "agent", "compaction", "object"),
    ("not-an-object", {"flows": ["x"]}, "flow", "flows[0]", "object"),
    ("not-a-list", {"flows": {}}, "agent", "flows", "list"),
    ("not-a-list", {"tools": {}}, "agent", "tools", "list"),
    ("not-a-list", {"instructions": {}}, "agent", "instructions", "list"),
    ("not-text", {"goal": 5}, "agent", "goal", "text"),
    ("not-text", {"fields": {"x": {"type": "string", "ask": 5}}}, 'field "x"', "fields.x.ask", "text"),
    ("not-text", {"actions": {"x": {"kind": "python", "name": 5}}}, 'action "x"', "actions.x.name", "text"),
    ("not-text", {"idle": {"prompt": 5}}, "idle", "idle.prompt", "text"),
    (
        "not-a-boolean",
        {"variables": {"x": {"type": "string", "shown": 1}}},
        'variable "x"',
        "variables.x.shown",
        "true",
    ),
    ("not-a-boolean", {"tools": [{"id": "search", "readOnly": 1}]}, 'tool "search"', "tools[0].readOnly", "true"),
    ("not-a-boolean", {"actions": {"x": {"idempotent": 1}}}, 'action "x"', "actions.x.idempotent", "true"),
    ("not-a-boolean", {"compaction": {"maxTokens": 9, "enabled": 1}}, "agent", "compaction.enabled", "true"),
    ("not-a-whole-number", {"maxToolLoops": -1}, "agent", "maxToolLoops", "0 or more"),
    ("not-a-whole-number", {"compaction": {"maxTokens": 0}}, "agent", "compaction.maxTokens", "1 or more"),
    (
        "not-a-whole-number",
        {"compaction": {"maxTokens": 9, "preserveRecentCount": 1}},
        "agent",
        "compaction.preserveRecentCount",
        "2 or more",
    ),
    (
        "not-a-whole-number",
        {"compaction": {"maxTokens": 9, "maxToolResultChars": -1}},
        "agent",
        "compaction.maxToolResultChars",
        "0 or more",
    ),
    (
        "not-a-whole-number",
        {"tools": [{"id": "search", "maxResultSizeChars": 0}]},
        'tool "search"',
        "tools[0].maxResultSizeChars",
        "1 or more",
    ),
    (
        "not-in-range",
        {"compaction": {"maxTokens": 9, "compactionThreshold": 0.99}},
        "agent",
        "compaction.compactionThreshold",
        "from 0.5 to 0.95",
    ),
    ("not-one-of", {"specVersion": 2}, "agent", "specVersion", "one of them"),
    ("not-one-of", {"idle": "slient"}, "idle", "idle", 'Write "silent"'),
    ("not-one-of", {"fields": {"x": {"type": "stirng"}}}, 'field "x"', "fields.x.type", 'Write "string"'),
    (
        "not-one-of",
        {"fields": {"x": {"type": "string", "extract": "x"}}},
        'field "x"',
        "fields.x.extract",
        "one of them",
    ),
    (
        "not-one-of",
        {"events": {"paid": {"direction": "inbuond"}}},
        'event "paid"',
        "events.paid.direction",
        '"inbound"',
    ),
    ("not-one-of", {"actions": {"x": {"kind": "htpp"}}}, 'action "x"', "actions.x.kind", 'Write "http"'),
    ("not-one-of", {"conditions": {"x": {"kind": "http"}}}, 'condition "x"', "conditions.x.kind", "one of them"),
    (
        "not-one-of",
        {"conditions": {"x": {"kind": "compare", "path": "input.a", "op": "gtt"}}},
        'condition "x"',
        "conditions.x.op",
        'Write "gt"',
    ),
    (
        "not-one-of",
        {"conditions": {"x": {"argument": {"type": "list"}}}},
        'condition "x"',
        "conditions.x.argument.type",
        "one",
    ),
    (
        "not-one-of",
        {"conditions": {"x": {"argument": {"type": "array", "items": {"type": "list"}}}}},
        'condition "x"',
        "conditions.x.argument.items.type",
        "one of them",
    ),
    ("missing", {"fields": {"x": {}}}, 'field "x"', "fields.x.type", "Add it"),
    ("missing", {"variables": {"x": {}}}, 'variable "x"', "variables.x.type", "Add it"),
    ("missing", {"tools": [{"description": "x"}]}, "tool #1", "tools[0].id", "Add it"),
    ("missing", {"actions": {"x": {"kind": "http"}}}, 'action "x"', "actions.x.request", "Add it"),
    ("missing", {"actions": {"x": {"parameters": {"p": {}}}}}, 'action "x"', "actions.x.parameters.p.type", "Add it"),
    (
        "missing",
        {"conditions": {"x": {"kind": "compare", "path": "data.name"}}},
        'condition "x"',
        "conditions.x.op",
        "Add",
    ),
    ("missing", {"compaction": {}}, "agent", "compaction.maxTokens", "Add it"),
    ("missing", {"instructions": [{}]}, "agent, instruction #1", "instructions[0].prompt", "Add it"),
    ("unknown-tool", {"idle": {"prompt": "", "tools": ["serach"]}}, "idle", "idle.tools[0]", '"search"'),
    (
        "unknown-condition",
        {"instructions": [{"prompt": "x"}, {"prompt": "x", "if": {"vpi": True}}]},
        "agent, instruction #2",
        "instructions[1].if.vpi",
        '"vip"',
    ),
    (
        "unknown-condition",
        {"idle": {"prompt": "", "instructions": [{"prompt": "x", "if": {"vpi": True}}]}},
        "idle",
        "idle.instructions[0].if.vpi",
        '"vip"',
    ),
    (
        "unknown-field",
        {"conditions": {"x": {"kind": "compare", "path": "data.nmae", "op": "eq"}}},
        'condition "x"',
        "conditions.x.path",
        '"name"',
    ),
    (
        "compare-path",
        {"conditions": {"x": {"kind": "compare", "path": "lead.name", "op": "eq"}}},
        'condition "x"',
        "conditions.x.path",
        "`context.`",
    ),
    ("flow-id-twice", {"flows": [flow(on=START), flow(on=START)]}, F, "flows[1].id", "another id"),
    (
        "unknown-flow",
        {"flows": [step(say="x", then={"flow": "elsewhere"})]},
        A,
        "flows[0].steps[0].then.flow",
        "Add the flow",
    ),
    ("tool-id-twice", {"tools": [{"id": "search"}, {"id": "search"}]}, 'tool "search"', "tools[1].id", "another id"),
    (
        "tool-parameters",
        {"tools": [{"id": "search", "parameters": {"q": {"type": "string"}}}]},
        'tool "search"',
        "tools[0].parameters",
        '"type": "object"',
    ),
    (
        "tool-parameters",
        {"tools": [{"id": "search", "parameters": {"type": "object", "properties": []}}]},
        'tool "search"',
        "tools[0].parameters",
        '"type": "object"',
    ),
    (
        "condition-name-reserved",
        {"conditions": {"equals": {}}},
        'condition "equals"',
        "conditions.equals",
        "another name",
    ),
    ("condition-name-reserved", {"conditions": {"known": {}}}, 'condition "known"', "conditions.known", "another name"),
    (
        "condition-name-reserved",
        {"conditions": {"silenced": {}}},
        'condition "silenced"',
        "conditions.silenced",
        "another name",
    ),
    (
        "variable-is-field",
        {"variables": {"name": {"type": "string"}}},
        'variable "name"',
        "variables.name",
        "another name",
    ),
    (
        "value-type",
        {"variables": {"x": {"type": "integer", "initial": "0"}}},
        'variable "x"',
        "variables.x.initial",
        "of that type",
    ),
    (
        "value-type",
        {"fields": {"x": {"type": "string", "enum": ["a", 1]}}},
        'field "x"',
        "fields.x.enum[1]",
        "of that type",
    ),
    ("enum-empty", {"fields": {"x": {"type": "string", "enum": []}}}, 'field "x"', "fields.x.enum", "Add a value"),
    ("unknown-timezone", {"timezone": "Sao Paulo"}, "agent", "timezone", "America/Sao_Paulo"),
    (
        "expression-undeclared",
        {
            "tools": [
                {
                    "id": "note",
                    "kind": "update_state",
                    "updates": [{"variable": "retires", "expression": {"type": "number_literal", "value": 1}}],
                }
            ]
        },
        'tool "note"',
        "tools[0].updates[0].variable",
        '"retries"',
    ),
    (
        "expression-llm-in-action",
        {
            "actions": {
                "x": {
                    "kind": "update_state",
                    "updates": [{"variable": "consent", "expression": {"type": "llm", "prompt": "agrees"}}],
                }
            }
        },
        'action "x"',
        "actions.x.updates[0].expression",
        "tool",
    ),
]


def agent(**more):
    return {"name": "Ana", **NAMES, "flows": [flow(on=START)], **more}


def merged(more):
    """The agent of the names above with `more`; the registries that are objects are joined."""
    document = agent()
    for key, value in more.items():
        join = isinstance(value, dict) and isinstance(document.get(key), dict)
        document[key] = {**document[key], **value} if join else value
    return document
