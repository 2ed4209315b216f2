"""What a person can do in the chat, through a pipe."""

from __future__ import annotations

import pytest

from tests.engine.chat.chat_process import chat, write_agent

GREETING = {"id": "hello", "on": [{"message": []}], "steps": [{"id": "hi", "kind": "say", "say": "Welcome!"}]}
ORDER = {
    "id": "order",
    "steps": [
        {"id": "thanks", "kind": "say", "say": "Order {{input.id}} is on its way."},
        {"id": "day", "kind": "wait", "wait": "1d", "else": "end"},
        {"id": "arrived", "kind": "say", "say": "Did it arrive?"},
    ],
    "on": [{"event": "ordered"}],
}


@pytest.fixture
def agent(tmp_path):
    events = {"ordered": {"description": "Somebody ordered."}}
    return write_agent(tmp_path, name="Ana", flows=[GREETING, ORDER], events=events)


def test_a_message_is_answered_and_what_happened_is_told(agent):
    """The agent's message stands under its name, and beneath it starts, outcomes and ends in sentences."""
    held = chat(agent, lines=["good morning"])
    assert held.code == 0
    assert "Ana: Welcome!\n" in held.out
    assert "hello starts.\n" in held.out
    assert "hello/hi: The fixed text was sent.\n" in held.out
    assert "hello has come to its end.\n" in held.out


def test_a_pipe_hears_no_prompt_and_errors_nothing(agent):
    """Whoever reads the output through a pipe meets neither prompts nor colours."""
    held = chat(agent, lines=["good morning"])
    assert held.err == ""
    assert ">" not in held.out
    assert "\x1b" not in held.out


def test_the_end_of_the_input_ends_the_conversation(agent):
    """Nothing to read is a conversation of no turns, and no error."""
    assert chat(agent).code == 0


def test_quit_ends_the_conversation(agent):
    """What follows /quit is not read."""
    held = chat(agent, lines=["/quit", "good morning"])
    assert held.code == 0
    assert "Welcome!" not in held.out


def test_help_lists_every_command(agent):
    """Each command can be found from within the chat."""
    held = chat(agent, lines=["/help"])
    commands = ("/wake", "/event", "/start", "/silence", "/context", "/state", "/help", "/quit", "//")
    assert [command for command in commands if command not in held.out] == []


def test_an_empty_line_is_no_message(agent):
    """A person who presses return says nothing."""
    assert "Ana:" not in chat(agent, lines=["", "   "]).out


def test_a_message_may_begin_with_a_slash(agent):
    """Two slashes send a message that begins with one."""
    flow = {"id": "menu", "on": [{"message": []}], "steps": [{"id": "see", "kind": "do", "do": "look"}]}
    held = chat(write_agent(agent.parent, flows=[flow], actions={"look": {}}), lines=["//menu"])
    assert "menu starts." in held.out
    assert "There is no command" not in held.out


SLIPS = {
    "/wakee": "There is no command /wakee. /help lists them; to send this as a message, write //wakee",
    "/event": "There are: ordered.",
    "/event orderd": 'There is no "orderd" here, so nothing happened. There are: ordered.',
    "/event ordered {id: 7}": "so nothing happened. Write it like this: /event ordered",
    "/event ordered NaN": "NaN is no JSON value",
    "/start": "There are: hello, order.",
    "/start zzz": 'There is no "zzz" here, so nothing happened. There are: hello, order.',
    "/start order [1": "so nothing happened. Write it like this: /start order",
    "/context {": "so nothing happened. Write it like this: /context",
    "/wake now": "/wake takes nothing after it",
    "/wake": "Nothing waits for a time.",
}


@pytest.fixture(scope="module")
def after_slips(tmp_path_factory):
    """A conversation of slips alone, each followed by a look at the state, and then a message."""
    agent = write_agent(tmp_path_factory.mktemp("slips"), name="Ana", flows=[GREETING, ORDER], events={"ordered": {}})
    return chat(agent, lines=[*(line for slip in SLIPS for line in (slip, "/state")), "good morning"])


@pytest.mark.parametrize("slip", SLIPS)
def test_a_command_that_cannot_be_says_what_to_do(after_slips, slip):
    """Each slip is answered with what there is, or how it is written."""
    assert SLIPS[slip] in after_slips.out


def test_a_slip_loses_nothing(after_slips):
    """After each slip the state is as before, no time has passed, and the conversation goes on."""
    assert after_slips.code == 0
    assert after_slips.out.count("Time: 2026-03-10 14:00:00\n") == len(SLIPS)
    assert after_slips.out.count("none\n") == 4 * len(SLIPS)
    assert "Ana: Welcome!" in after_slips.out


def test_an_event_carries_its_payload(agent):
    """/event fires a registered event with what stands behind its name."""
    held = chat(agent, lines=['/event ordered {"id": 7}'])
    assert "Ana: Order 7 is on its way.\n" in held.out
    assert "Waits: order/day in 1 d, at 2026-03-11 14:00:05\n" in held.out


def test_a_flow_is_started_with_its_input(agent):
    """/start starts a flow as a host would."""
    assert "Ana: Order 8 is on its way.\n" in chat(agent, lines=['/start order {"id": 8}']).out


def test_wake_moves_the_clock_and_brings_the_wake(agent):
    """/wake needs no patience: the clock stands where the wake was due."""
    held = chat(agent, lines=["/start order", "/wake", "/state"])
    assert "[2026-03-11 14:00:05 order/day]\nAna: Did it arrive?\n" in held.out
    assert "Time: 2026-03-11 14:00:05\n" in held.out


def test_wakes_that_fall_due_come_before_the_input(tmp_path):
    """Every input takes five seconds, so a wait of eight is over before the second message after it."""
    flow = {
        "id": "late",
        "steps": [{"id": "eight", "kind": "wait", "wait": "8s"}, {"id": "look", "kind": "do", "do": "look"}],
    }
    agent = write_agent(tmp_path, flows=[flow, GREETING], actions={"look": {}})
    held = chat(agent, lines=["/start late", "one", "two"])
    told = held.after("Welcome!")
    assert told.index("[2026-03-10 14:00:13 late/eight]") < told.index("Nothing was said.")


def test_a_wait_of_no_time_does_not_hold_the_chat_up(tmp_path):
    """A flow that wakes itself again at once cannot keep a person from writing."""
    steps = [
        {"id": "nap", "kind": "wait", "wait": "0s"},
        {"id": "look", "kind": "do", "do": "look", "then": {"step": "nap", "clear": ["x"]}},
    ]
    fields = {"x": {"type": "string"}}
    agent = write_agent(tmp_path, flows=[{"id": "loop", "steps": steps}, GREETING], actions={"look": {}}, fields=fields)
    held = chat(agent, lines=["/start loop", "good morning"])
    assert held.code == 0
    assert "Welcome!" in held.out


def test_a_pause_is_shown_and_not_slept_through(tmp_path):
    """A message that comes after three seconds says so at once."""
    steps = [
        {"id": "a", "kind": "say", "say": "One."},
        {"id": "b", "kind": "wait", "wait": "3s"},
        {"id": "c", "kind": "say", "say": "Two.", "media": {"slug": "leaflet"}},
    ]
    agent = write_agent(tmp_path, name="Ana", flows=[{"id": "f", "on": [{"message": []}], "steps": steps}])
    assert "Ana: One.\n(after 3 s)\nAna: Two. [with leaflet]\n" in chat(agent, lines=["hi"]).out


def test_silence_keeps_the_assistant_quiet_until_it_is_lifted(agent):
    """/silence REASON goes with every turn; /silence alone lifts it."""
    held = chat(agent, lines=["/silence a colleague writes", "/start order", "/state", "/silence", "/start order"])
    assert "order/thanks: The assistant may not speak now. (a colleague writes)" in held.out
    assert "Silenced: a colleague writes" in held.out
    assert "The assistant may speak." in held.out
    assert "is on its way" in held.after("The assistant may speak.")


def test_the_host_s_context_goes_with_every_turn(tmp_path):
    """/context is what templates read as {{context.x}}; alone it is taken away."""
    say = {"id": "hi", "kind": "say", "say": "Hello, {{context.lead.name}}!"}
    agent = write_agent(tmp_path, name="Ana", flows=[{"id": "hello", "steps": [say]}])
    lines = ['/context {"lead": {"name": "Bia"}}', "/start hello", "/context", "/start hello"]
    held = chat(agent, lines=lines)
    assert "Ana: Hello, Bia!\n" in held.out
    assert "Ana: Hello, {{context.lead.name}}!\n" in held.out


def test_state_shows_runs_data_claims_and_wakes(tmp_path):
    """/state tells everything that is kept of the conversation."""
    flow = {
        "id": "order",
        "on": [{"event": "ordered"}],
        "steps": [
            {"id": "who", "kind": "do", "do": "set_name"},
            {"id": "paid", "kind": "waitEvent", "wait": {"event": "paid"}},
        ],
    }
    update = {"variable": "name", "expression": {"type": "string_literal", "value": "Bia"}}
    agent = write_agent(
        tmp_path,
        flows=[flow],
        fields={"name": {"type": "string"}},
        events={"ordered": {}, "paid": {}},
        actions={"set_name": {"kind": "update_state", "updates": [update]}},
    )
    state = chat(agent, lines=["/state", "/event ordered", "/state"]).out
    assert state.count("none\n") == 4
    assert "  order#event-1, at paid, waiting\n" in state
    assert '  name = "Bia"\n' in state
    assert "  order:chat:event-1 2026-03-10 14:00:05\n" in state
    assert "  order/paid (event paid) in 30 d, at 2026-04-09 14:00:05\n" in state


def test_data_that_came_and_went_is_told(tmp_path):
    """A turn shows what it wrote, and what it cleared."""
    steps = [{"id": "set", "kind": "do", "do": "set_name"}]
    clear = {"id": "gone", "steps": [{"id": "x", "kind": "do", "do": "look"}], "clearOnStart": ["name"]}
    update = {"variable": "name", "expression": {"type": "string_literal", "value": "Bia"}}
    agent = write_agent(
        tmp_path,
        flows=[{"id": "f", "steps": steps}, clear],
        fields={"name": {"type": "string"}},
        actions={"set_name": {"kind": "update_state", "updates": [update]}, "look": {}},
    )
    held = chat(agent, lines=["/start f", "/start gone"])
    assert 'Data: name = "Bia"\n' in held.out
    assert "Data: name forgotten\n" in held.out


def test_an_event_that_nobody_waits_for_says_so(tmp_path):
    """A person is never left in doubt whether a command was heard."""
    held = chat(write_agent(tmp_path, events={"paid": {}}), lines=["/event paid"])
    assert "Nothing came of it.\n" in held.out


def test_a_flow_that_does_not_start_says_why(agent):
    """A start that was refused is told like one that happened."""
    held = chat(agent, lines=["/start order", "/start order"])
    assert "order does not start. The flow is running for this anchor.\n" in held.out


def test_silence_triggers_and_replies_are_told(tmp_path):
    """A nudge waits for the customer's silence, and a reply ends it in the middle of its wait."""
    ping = {"id": "ping", "kind": "say", "say": "Still there?"}
    rest = {"id": "rest", "kind": "wait", "wait": "1d", "else": "end"}
    nudge = {"id": "nudge", "on": [{"silence": "2h"}], "steps": [ping, rest]}
    agent = write_agent(tmp_path, name="Ana", flows=[GREETING, nudge])
    held = chat(agent, lines=["hi", "/wake", "yes, sorry"])
    assert "Waits: nudge (silence) in 2 h, at 2026-03-10 16:00:05\n" in held.out
    assert "[2026-03-10 16:00:05 nudge (silence)]\nAna: Still there?\n" in held.out
    assert "nudge/rest: The customer replied. (next the end)\n" in held.out


def test_a_portuguese_agent_is_talked_to_in_portuguese(tmp_path):
    """The chat's own words follow the agent's locale."""
    agent = write_agent(tmp_path, name="Ana", locale="pt-BR", flows=[GREETING])
    held = chat(agent, lines=["bom dia", "bom dia", "/nada"])
    assert "hello/hi: O texto fixo foi enviado.\n" in held.out
    assert "Nada foi dito.\n" in held.out
    assert "O comando /nada não existe." in held.out


def test_times_are_the_agent_s(tmp_path):
    """Times are shown in the agent's time zone, and --start without an offset is read in it."""
    agent = write_agent(tmp_path, timezone="America/Sao_Paulo", flows=[GREETING])
    assert "Time: 2026-03-10 09:30:00" in chat(agent, lines=["/state"], start="2026-03-10T09:30").out
    assert "Time: 2026-03-10 11:00:00" in chat(agent, lines=["/state"]).out


def test_the_same_words_from_the_same_start_give_the_same(agent):
    """With --start a conversation is repeated to the letter."""
    lines = ["hi", "/start order", "/wake", "/state"]
    assert chat(agent, lines=lines) == chat(agent, lines=lines)
