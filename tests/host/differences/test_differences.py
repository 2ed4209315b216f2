"""What changed between two documents is told in words, at its place, and nothing else is."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from falai_django.differences import Change, ChangeKind, difference

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

AGENT = {
    "specVersion": 1,
    "name": "Ana",
    "goal": "Book visits.",
    "fields": {
        "nome": {"type": "string", "label": "Nome"},
        "dia": {"type": "string", "enum": ["segunda", "terça"], "label": "Dia"},
        "ok": {"type": "boolean"},
    },
    "variables": {"tries": {"type": "integer", "initial": 0}},
    "actions": {
        "book": {
            "kind": "http",
            "description": "Books.",
            "parameters": {"day": {"type": "string"}},
            "request": {"method": "POST", "url": "https://x.example/a", "headers": {"X-A": "1"}},
            "answer": {"ok": {"status": ["2xx"]}},
        },
        "count": {
            "kind": "update_state",
            "updates": [{"variable": "tries", "expression": {"type": "number_literal", "value": 1}}],
        },
    },
    "events": {"paid": {"description": "Money came."}},
    "conditions": {"vip": {"kind": "compare", "path": "context.tier", "op": "eq", "argument": {"type": "string"}}},
    "tools": [{"id": "price", "description": "Prices."}, {"id": "stock"}],
    "instructions": [{"kind": "never", "prompt": "Shout."}],
    "idle": {"prompt": "Help."},
    "flows": [
        {
            "id": "agendar",
            "name": "Agendar",
            "on": [{"message": ["quer marcar", "quer uma visita"]}, {"silence": "2h", "repeat": "once"}],
            "steps": [
                {"id": "s1", "kind": "collect", "label": "Acolher", "collect": ["nome"], "maxAsks": 3, "prompt": "Oi."},
                {
                    "id": "s2",
                    "kind": "prompt",
                    "label": "Reservar",
                    "prompt": "Ofereça os horários.",
                    "branches": [
                        {"when": "desiste", "then": "end"},
                        {"when": "troca o dia", "then": {"step": "s1", "clear": ["dia"]}},
                        {"if": {"equals": {"ok": True}}, "then": "s4"},
                    ],
                },
                {"id": "s3", "kind": "wait", "wait": "1d", "else": "s4"},
                {"id": "s4", "kind": "do", "label": "Gravar", "do": "book", "with": {"day": "{{data.dia}}"}},
                {"id": "s5", "kind": "say", "label": "Tchau", "say": "Até logo!"},
            ],
        },
        {"id": "ajuda", "name": "Ajuda", "steps": [{"id": "a", "kind": "say", "say": "Oi."}]},
    ],
}


def edited(edit):
    """The agent after an edit."""
    after = copy.deepcopy(AGENT)
    edit(after)
    return after


def changes(edit):
    return difference(AGENT, edited(edit))


def flow(agent):
    return agent["flows"][0]


def step(agent, step_id):
    return next(each for each in flow(agent)["steps"] if each["id"] == step_id)


def told(found):
    return [(change.kind.value, change.place, change.sentence) for change in found]


def insert(items, index, item):
    items.insert(index, item)


def move(items, start, end):
    items.insert(end, items.pop(start))


FLOW = "Flow “Agendar”"
ONE_CHANGE = {
    "a-text-of-the-agent": (
        lambda a: a.update(goal="Sell visits."),
        ("changed", "goal", "The agent: the goal is now “Sell visits.” (was “Book visits.”)"),
    ),
    "asks-more-often": (
        lambda a: step(a, "s1").update(maxAsks=5),
        (
            "changed",
            "flows.agendar.steps.s1.maxAsks",
            f"{FLOW}, step “Acolher”: it now asks 5 times at most (was 3 times)",
        ),
    ),
    "no-limit-of-its-own": (
        lambda a: step(a, "s1").pop("maxAsks"),
        (
            "removed",
            "flows.agendar.steps.s1.maxAsks",
            f"{FLOW}, step “Acolher”: it now asks the usual 3 times at most (was 3 times)",
        ),
    ),
    "a-step-added": (
        lambda a: insert(flow(a)["steps"], 2, {"id": "n", "kind": "say", "label": "Confirmar", "say": "Ok?"}),
        ("added", "flows.agendar.steps.n", f"{FLOW}: step “Confirmar” was added after “Reservar”"),
    ),
    "a-step-added-first": (
        lambda a: insert(flow(a)["steps"], 0, {"id": "n", "kind": "say", "say": "Ok?"}),
        ("added", "flows.agendar.steps.n", f"{FLOW}: step “n” was added as the first"),
    ),
    "a-step-removed": (
        lambda a: flow(a)["steps"].pop(),
        ("removed", "flows.agendar.steps.s5", f"{FLOW}: step “Tchau” was removed"),
    ),
    "a-step-moved": (
        lambda a: move(flow(a)["steps"], 0, 3),
        ("moved", "flows.agendar.steps.s1", f"{FLOW}: step “Acolher” now comes after “Gravar”"),
    ),
    "a-step-moved-to-the-front": (
        lambda a: move(flow(a)["steps"], 4, 0),
        ("moved", "flows.agendar.steps.s5", f"{FLOW}: step “Tchau” is now the first"),
    ),
    "another-next-step": (
        lambda a: step(a, "s1").update(then="s4"),
        (
            "added",
            "flows.agendar.steps.s1.then",
            f"{FLOW}, step “Acolher”: it now goes to step “Gravar” (was: the next step)",
        ),
    ),
    "another-way-otherwise": (
        lambda a: step(a, "s3").update({"else": {"flow": "ajuda"}}),
        (
            "changed",
            "flows.agendar.steps.s3.else",
            f"{FLOW}, step “s3”: otherwise it now goes to flow “Ajuda” (was: step “Gravar”)",
        ),
    ),
    "a-way-when-it-fails": (
        lambda a: step(a, "s4").update(onFail="end"),
        (
            "added",
            "flows.agendar.steps.s4.onFail",
            f"{FLOW}, step “Gravar”: when the action fails it now goes to the end of the flow (was: no way of its own)",
        ),
    ),
    "another-wait": (
        lambda a: step(a, "s3").update(wait="1.5h"),
        ("changed", "flows.agendar.steps.s3.wait", f"{FLOW}, step “s3”: the wait is now 1.5 hours (was 1 day)"),
    ),
    "business-hours-on": (
        lambda a: step(a, "s3").update(businessHours=True),
        ("added", "flows.agendar.steps.s3.businessHours", f"{FLOW}, step “s3”: it now keeps to business hours"),
    ),
    "a-label": (
        lambda a: step(a, "s3").update(label="Respirar"),
        (
            "added",
            "flows.agendar.steps.s3.label",
            f"{FLOW}, step “Respirar”: the label is now “Respirar” (there was none)",
        ),
    ),
    "another-action-value": (
        lambda a: step(a, "s4")["with"].update(day="hoje"),
        (
            "changed",
            "flows.agendar.steps.s4.with.day",
            f"{FLOW}, step “Gravar”: the value for “day” is now “hoje” (was “{{{{data.dia}}}}”)",
        ),
    ),
    "a-way-to-ask": (
        lambda a: step(a, "s1").update(ask={"nome": "Pergunte."}),
        (
            "added",
            "flows.agendar.steps.s1.ask.nome",
            f"{FLOW}, step “Acolher”: the way to ask for “Nome” is now “Pergunte.” (there was none)",
        ),
    ),
    "fields-of-a-step": (
        lambda a: step(a, "s1").update(collect=["dia", "ok"]),
        (
            "changed",
            "flows.agendar.steps.s1.collect",
            f"{FLOW}, step “Acolher”: the fields it collects now include “Dia”, “ok” and no longer “Nome”",
        ),
    ),
    "a-branch-inserted": (
        lambda a: insert(step(a, "s2")["branches"], 0, {"when": "reclama", "then": "end"}),
        (
            "added",
            "flows.agendar.steps.s2.branches[0]",
            f"{FLOW}, step “Reservar”: branch “reclama” was added as the first",
        ),
    ),
    "a-branch-removed": (
        lambda a: step(a, "s2")["branches"].pop(0),
        ("removed", "flows.agendar.steps.s2.branches[0]", f"{FLOW}, step “Reservar”: branch “desiste” was removed"),
    ),
    "a-branch-moved": (
        lambda a: move(step(a, "s2")["branches"], 2, 0),
        (
            "moved",
            "flows.agendar.steps.s2.branches[0]",
            f"{FLOW}, step “Reservar”: branch (if “ok” is yes) is now the first",
        ),
    ),
    "a-branch-goes-elsewhere": (
        lambda a: step(a, "s2")["branches"][1].update(then="s4"),
        (
            "changed",
            "flows.agendar.steps.s2.branches[1].then",
            (
                f"{FLOW}, step “Reservar”, branch “troca o dia”: "
                "it now goes to step “Gravar” (was: step “Acolher”, forgetting “Dia”)"
            ),
        ),
    ),
    "a-branch-by-code": (
        lambda a: step(a, "s2")["branches"][2]["if"].update(known=["dia"]),
        (
            "changed",
            "flows.agendar.steps.s2.branches[2].if",
            (
                f"{FLOW}, step “Reservar”, branch (if “ok” is yes and “Dia” is known): "
                "the condition is now “ok” is yes and “Dia” is known (was “ok” is yes)"
            ),
        ),
    ),
    "phrases": (
        lambda a: flow(a)["on"][0].update(message=["quer marcar", "!reclama"]),
        (
            "changed",
            "flows.agendar.on[0].message",
            (
                f"{FLOW}, start (When the customer writes: “quer marcar”, except “reclama”): "
                "the phrases now include the exclusion “reclama” and no longer “quer uma visita”"
            ),
        ),
    ),
    "phrases-in-another-order": (
        lambda a: flow(a)["on"][0]["message"].reverse(),
        (
            "changed",
            "flows.agendar.on[0].message",
            (
                f"{FLOW}, start (When the customer writes: “quer uma visita”, “quer marcar”): "
                "the phrases are now in another order: “quer uma visita”, “quer marcar”"
            ),
        ),
    ),
    "a-trigger-inserted": (
        lambda a: insert(flow(a)["on"], 1, {"event": "paid", "after": "1h"}),
        (
            "added",
            "flows.agendar.on[1]",
            (
                f"{FLOW}: a way to start was added: On the event “paid”, 1 hour later; "
                "it comes after: When the customer writes: “quer marcar”, “quer uma visita”"
            ),
        ),
    ),
    "a-trigger-repeats": (
        lambda a: flow(a)["on"][1].update(repeat={"cooldown": "7d"}),
        (
            "changed",
            "flows.agendar.on[1].repeat",
            f"{FLOW}, start (After 2 hours without an answer): it may now start again after 7 days (before: only once)",
        ),
    ),
    "a-flow-switched-off": (
        lambda a: a["flows"].pop(),
        ("removed", "flows.ajuda", "The agent: flow “Ajuda” no longer takes part (it was removed or switched off)"),
    ),
    "a-flow-switched-on": (
        lambda a: a["flows"].append({"id": "x", "steps": []}),
        (
            "added",
            "flows.x",
            "The agent: flow “x” now takes part, after “Ajuda” (it is new or was switched on)",
        ),
    ),
    "a-flow-moved": (
        lambda a: a["flows"].reverse(),
        ("moved", "flows.ajuda", "The agent: flow “Ajuda” is now the first"),
    ),
    "a-flow-renamed": (
        lambda a: flow(a).update(name="Marcar"),
        ("changed", "flows.agendar.name", "Flow “Marcar”: the name is now “Marcar” (was “Agendar”)"),
    ),
    "how-a-flow-ends": (
        lambda a: flow(a).update(onEnd="stay"),
        (
            "added",
            "flows.agendar.onEnd",
            f"{FLOW}: at its end it now stays and answers on (before: it is over)",
        ),
    ),
    "choices-of-a-field": (
        lambda a: a["fields"]["dia"]["enum"].append("quarta"),
        ("changed", "fields.dia.enum", "Field “Dia”: the choices now include “quarta”"),
    ),
    "a-field-renamed": (
        lambda a: a["fields"]["dia"].update(label="Data"),
        ("changed", "fields.dia.label", "Field “Data”: the label is now “Data” (was “Dia”)"),
    ),
    "a-field-added": (
        lambda a: a["fields"].update(hora={"type": "string"}),
        ("added", "fields.hora", "The agent: field “hora” was added after “ok”"),
    ),
    "another-type": (
        lambda a: a["fields"]["ok"].update(type="integer"),
        ("changed", "fields.ok.type", "Field “ok”: the type is now whole number (was yes or no)"),
    ),
    "a-variable-shown": (
        lambda a: a["variables"]["tries"].update(shown=True),
        ("added", "variables.tries.shown", "Variable “tries”: it is now told to the model"),
    ),
    "an-address": (
        lambda a: a["actions"]["book"]["request"].update(url="https://x.example/b"),
        (
            "changed",
            "actions.book.request.url",
            "Action “book”, the request: the address is now “https://x.example/b” (was “https://x.example/a”)",
        ),
    ),
    "a-test-of-an-answer": (
        lambda a: a["actions"]["book"]["answer"]["ok"].update(status=[200]),
        (
            "changed",
            "actions.book.answer.ok.status",
            (
                "Action “book”, the reading of the answer, the test for success: "
                "the status codes now include 200 and no longer “2xx”"
            ),
        ),
    ),
    "a-parameter": (
        lambda a: a["actions"]["book"]["parameters"]["day"].update(optional=True),
        (
            "added",
            "actions.book.parameters.day.optional",
            "Action “book”, parameter “day”: it may now be left out",
        ),
    ),
    "an-update": (
        lambda a: a["actions"]["count"]["updates"][0]["expression"].update(value=2),
        (
            "changed",
            "actions.count.updates.tries.expression",
            "Action “count”, update of “tries”: the expression is now 2 (was 1)",
        ),
    ),
    "an-event": (
        lambda a: a["events"].pop("paid"),
        ("removed", "events.paid", "The agent: event “paid” was removed"),
    ),
    "a-condition": (
        lambda a: a["conditions"]["vip"].update(op="ne"),
        ("changed", "conditions.vip.op", "Condition “vip”: the comparison is now “ne” (was “eq”)"),
    ),
    "tools-in-another-order": (
        lambda a: a["tools"].reverse(),
        ("moved", "tools.stock", "The agent: tool “stock” is now the first"),
    ),
    "an-instruction": (
        lambda a: a["instructions"][0].update(kind="must"),
        (
            "changed",
            "instructions[0].kind",
            "Instruction “Shout.”: the kind is now must (was never)",
        ),
    ),
    "idle": (
        lambda a: a["idle"].update(tools=["price"]),
        ("added", "idle.tools", "The answer when no flow does: the tools are now “price” (were not chosen here)"),
    ),
    "idle-falls-silent": (
        lambda a: a.update(idle="silent"),
        ("changed", "idle", "The agent: the answer when no flow does: now silence; before: The guideline: Help."),
    ),
    "compaction": (
        lambda a: a.update(compaction={"enabled": True}),
        (
            "added",
            "compaction.enabled",
            "The shortening of long conversations: long conversations are now shortened",
        ),
    ),
    "something-unheard-of": (
        lambda a: flow(a).update(colour="red"),
        ("added", "flows.agendar.colour", f'{FLOW}: the part “colour” is now "red" (there was none)'),
    ),
    "a-place-in-the-diagram": (
        lambda a: step(a, "s5").update(ui={"x": 1}),
        (
            "added",
            "flows.agendar.steps.s5.ui",
            f'{FLOW}, step “Tchau”: the place in the diagram is now {{"x": 1}} (there was none)',
        ),
    ),
    "only-spaces": (
        lambda a: step(a, "s5").update(say="Até  logo!"),
        (
            "changed",
            "flows.agendar.steps.s5.say",
            f"{FLOW}, step “Tchau”: the text it sends: only spaces or line breaks differ",
        ),
    ),
}


@pytest.mark.parametrize(("edit", "expected"), ONE_CHANGE.values(), ids=ONE_CHANGE)
def test_one_edit_is_one_sentence(edit, expected):
    """Each edit of an author is told once, in words, with the place where it was made."""
    assert told(changes(edit)) == [expected]


def test_nothing_changed_is_nothing_told():
    """A document against itself, a copy of it, and one whose plain objects have their keys in another order."""

    def turned(value, key=None):
        if isinstance(value, dict):
            items = value.items() if key == "fields" else reversed(value.items())
            return {name: turned(part, name) for name, part in items}
        return [turned(part) for part in value] if isinstance(value, list) else value

    assert difference(AGENT, AGENT) == []
    assert difference(AGENT, copy.deepcopy(AGENT)) == []
    assert difference(AGENT, turned(AGENT)) == []


def test_a_null_is_a_key_left_out():
    """Optional values may be null on the way in; only where null is a value does it count."""
    assert changes(lambda a: a.update(persona=None)) == []
    assert changes(lambda a: step(a, "s4").update(ui=None, onFail=None)) == []
    found = changes(lambda a: a["actions"]["book"]["answer"]["ok"].update(equals=None))
    assert [change.place for change in found] == ["actions.book.answer.ok.equals"]
    found = changes(lambda a: step(a, "s2")["branches"][2]["if"]["equals"].update(ok=None))
    assert [change.place for change in found] == ["flows.agendar.steps.s2.branches[2].if"]


def test_one_number_is_one_number_and_no_switch():
    """1 and 1.0 are the same JSON number; true is none."""
    assert changes(lambda a: a["variables"]["tries"].update(initial=0.0)) == []
    found = changes(lambda a: a["variables"]["tries"].update(initial=False))
    assert told(found) == [
        ("changed", "variables.tries.initial", "Variable “tries”: the initial value is now no (was 0)")
    ]


def test_the_order_of_fields_has_meaning():
    """The fewest are told as moved."""

    def edit(agent):
        agent["fields"] = {slug: agent["fields"][slug] for slug in ("ok", "nome", "dia")}

    assert told(changes(edit)) == [("moved", "fields.ok", "The agent: field “ok” is now the first")]


def test_a_step_that_moves_and_changes_is_told_as_both():
    """Moved, and then what changed in it; those it passed are not told."""

    def edit(agent):
        move(flow(agent)["steps"], 4, 1)
        step(agent, "s5")["say"] = "Tchau!"

    assert told(changes(edit)) == [
        ("moved", "flows.agendar.steps.s5", f"{FLOW}: step “Tchau” now comes after “Acolher”"),
        (
            "changed",
            "flows.agendar.steps.s5.say",
            f"{FLOW}, step “Tchau”: the text it sends is now “Tchau!” (was “Até logo!”)",
        ),
    ]


def test_a_branch_inserted_and_another_edited():
    """The inserted one does not take the place of the one behind it."""

    def edit(agent):
        branches = step(agent, "s2")["branches"]
        branches[0]["then"] = "s5"
        branches.insert(0, {"when": "reclama", "then": "end"})

    assert [(change.kind.value, change.place) for change in changes(edit)] == [
        ("added", "flows.agendar.steps.s2.branches[0]"),
        ("changed", "flows.agendar.steps.s2.branches[1].then"),
    ]


def test_changes_stand_in_the_order_of_the_document():
    """What is gone stands where it was."""

    def edit(agent):
        del flow(agent)["steps"][1]
        step(agent, "s1")["prompt"] = "Olá."
        step(agent, "s5")["say"] = "Tchau!"

    assert [change.place for change in changes(edit)] == [
        "flows.agendar.steps.s1.prompt",
        "flows.agendar.steps.s2",
        "flows.agendar.steps.s5.say",
    ]


def test_a_long_text_is_cut_where_it_differs_and_given_whole():
    """The sentence shows the difference; the change has both texts whole, for a display side by side."""
    before = "Cumprimente a pessoa com calma. " * 10 + "Pergunte o nome." + " Agradeça sempre." * 10
    after = before.replace("o nome", "a cidade")
    old = edited(lambda agent: step(agent, "s1").update(prompt=before))
    new = edited(lambda agent: step(agent, "s1").update(prompt=after))
    (change,) = difference(old, new)
    assert (change.before, change.after) == (before, after)
    assert "Pergunte o nome." in change.what
    assert "Pergunte a cidade." in change.what
    assert change.what.count("…") == 4
    assert len(change.what) < 260


def test_what_was_added_is_told_whole():
    """`after` of a new step has all its parts in words, a line each, those inside indented."""
    new = {
        "id": "n",
        "kind": "collect",
        "label": "Perguntar",
        "collect": ["nome"],
        "ask": {"nome": "Pergunte."},
        "branches": [{"if": {"known": ["dia"]}, "then": "end"}],
        "then": {"step": "s1", "clear": []},
        "odd": [1],
    }
    (change,) = changes(lambda agent: flow(agent)["steps"].append(new))
    assert change.before is None
    assert change.after.splitlines() == [
        "The id: n",
        "The label: Perguntar",
        "The kind of step: collect",
        "The fields it collects: “Nome”",
        "The ways to ask:",
        "    Nome: Pergunte.",
        "What comes next: step “Acolher”, forgetting none",
        "The branches:",
        "    Branch (if “Dia” is known)",
        "        The condition: “Dia” is known",
        "        Where it goes: the end of the flow",
        "The part “odd”: [1]",
    ]


def test_labels_are_those_of_their_own_time():
    """What was goes by the old names, what is by the new ones."""

    def edit(agent):
        step(agent, "s4")["label"] = "Salvar"
        step(agent, "s3")["else"] = "s5"

    assert told(changes(edit))[0][2] == (
        f"{FLOW}, step “s3”: otherwise it now goes to step “Tchau” (was: step “Gravar”)"
    )


def test_a_first_release_tells_all_as_added():
    """Without a document before, everything is new."""
    found = difference(None, AGENT)
    assert {change.kind for change in found} == {ChangeKind.ADDED}
    assert {"name", "goal", "fields.nome", "flows.agendar", "actions.book", "tools.price"} <= {
        change.place for change in found
    }


def test_words_that_read_the_same_are_told_by_their_json():
    """`"s1"` and `{"step": "s1"}` go the same way, but the documents differ."""
    old = edited(lambda agent: step(agent, "s5").update(then="s1"))
    new = edited(lambda agent: step(agent, "s5").update(then={"step": "s1"}))
    assert told(difference(old, new)) == [
        (
            "changed",
            "flows.agendar.steps.s5.then",
            f'{FLOW}, step “Tchau”: it now goes to {{"step": "s1"}} (was: "s1")',
        )
    ]


def test_absent_and_empty_are_not_the_same():
    """No tools at all is another setting than no choice of tools."""
    found = changes(lambda agent: step(agent, "s2").update(tools=[]))
    assert told(found) == [
        (
            "added",
            "flows.agendar.steps.s2.tools",
            f"{FLOW}, step “Reservar”: the tools are now none (were not chosen here)",
        )
    ]


def test_a_second_flow_of_the_same_id_is_told_by_number():
    """An invalid draft is compared too: nothing is hidden behind its twin."""
    found = changes(lambda agent: agent["flows"].append({"id": "ajuda", "steps": []}))
    assert [(change.kind.value, change.place) for change in found] == [("added", "flows[2]")]


def test_a_place_with_odd_names_is_quoted():
    """Keys that are no plain words stand in brackets, as in the paths of validation."""
    found = changes(lambda agent: step(agent, "s4")["with"].update({'a "b".c': "x"}))
    assert [change.place for change in found] == ['flows.agendar.steps.s4.with["a \\"b\\".c"]']


def test_a_document_nested_too_deep_is_one_change():
    """It cannot be told, but that it changed is."""
    deep = json.loads("[" * 300 + "]" * 300)
    (change,) = changes(lambda agent: agent.update(goal=deep))
    assert (change.kind, change.place) == (ChangeKind.CHANGED, "")
    assert "nested deeper than 100 levels" in change.sentence
    assert difference({"goal": deep}, {"goal": deep}) == []


def test_the_sentence_is_where_and_what():
    """A page may show the two apart."""
    change = Change("goal", ChangeKind.CHANGED, "The agent", "the goal is now “x” (was “y”)", "y", "x")
    assert change.sentence == "The agent: the goal is now “x” (was “y”)"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_the_examples_have_no_part_without_words(path):
    """Whatever a real agent holds has a name of its own."""
    document = json.loads(path.read_text(encoding="utf-8"))
    whole = "\n".join(f"{change.sentence}\n{change.after}" for change in difference(None, document))
    assert "the part “" not in whole.lower()


def test_a_new_agent_is_not_told_what_it_has_not():
    """Beside nothing an empty list says nothing; beside another agent that it was emptied does."""
    assert [change.place for change in difference(None, {"name": "Ana", "events": {}, "tools": []})] == ["name"]
    assert [change.place for change in changes(lambda agent: agent.update(events={}))] != []


def test_a_new_agent_is_not_told_the_version_of_the_format():
    """Beside nothing it says nothing to people; beside another agent, that it changed does."""
    assert [change.place for change in difference(None, {"specVersion": 1, "name": "Ana"})] == ["name"]
    assert [change.place for change in changes(lambda agent: agent.update(specVersion=2))] == ["specVersion"]
