"""The peer: LangGraph with its PostgreSQL checkpointer, as one would write the dialogue there.

A graph whose state is the messages (`add_messages`) and the fields: one node understands, then another asks, confirms
or is done. It is compiled once; each message of the customer is one `invoke` under the conversation's thread id. Nodes
call the fake model as a plain function, which costs less than a chat model of LangChain would.

Set up as its documentation says: the synchronous saver on one connection that stays open, with autocommit, rows as
dicts and every statement prepared at its first use. Durability is what it is by default ("async": a step is written
while the next one runs), or what a caller says.

It can be imported only where `langgraph` and `langgraph-checkpoint-postgres` are installed (`make bench-peer`).
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from psycopg import Connection
from psycopg.rows import dict_row

from benchmarks.peer_dialogue import FIELDS, FakeModel

__all__ = ["TABLES", "Peer"]

TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
"""What a conversation is stored in; a row belongs to the conversation that its `thread_id` names."""


class State(TypedDict, total=False):
    """What the graph knows of a conversation."""

    messages: Annotated[list[AnyMessage], add_messages]
    name: str
    company: str
    size: int
    confirmed: bool


class Peer:
    """The compiled graph on a connection of its own."""

    def __init__(self, url: str, model: FakeModel) -> None:
        self.connection = Connection.connect(url, autocommit=True, prepare_threshold=0, row_factory=dict_row)
        saver = PostgresSaver(self.connection)
        saver.setup()
        self._model = model
        self._graph = self._built().compile(checkpointer=saver)

    def answer(self, conversation: str, text: str, durability: str | None = None) -> str:
        """A turn: what the customer is answered."""
        state = self._graph.invoke(
            {"messages": [HumanMessage(text)]}, {"configurable": {"thread_id": conversation}}, durability=durability
        )
        return state["messages"][-1].text

    def _built(self) -> StateGraph[State]:
        graph = StateGraph(State)
        graph.add_node("understand", self._understand)
        graph.add_node("ask", self._ask)
        graph.add_node("confirm", self._confirm)
        graph.add_node("done", _done)
        graph.add_edge(START, "understand")
        graph.add_conditional_edges("understand", _next, ["ask", "confirm", "done"])
        for last in ("ask", "confirm", "done"):
            graph.add_edge(last, END)
        return graph

    # -- nodes

    def _understand(self, state: State) -> dict[str, Any]:
        wanted = [*_missing(state)] or ["confirmed"]
        return self._model.found(_prompt(f"Find out, as JSON: {', '.join(wanted)}.", state))

    def _ask(self, state: State) -> dict[str, Any]:
        asked = self._model.phrased(_prompt(f"Ask the customer for the {_missing(state)[0]}.", state))
        return {"messages": [AIMessage(asked)]}

    def _confirm(self, state: State) -> dict[str, Any]:
        told = ", ".join(f"{field}: {state.get(field)}" for field in FIELDS)
        return {"messages": [AIMessage(self._model.phrased(_prompt(f"Ask whether this is right: {told}.", state)))]}


def _done(state: State) -> dict[str, Any]:
    return {"messages": [AIMessage(f"Thank you, {state['name']}. You will hear from us within a day.")]}


def _next(state: State) -> str:
    if _missing(state):
        return "ask"
    return "done" if state.get("confirmed") else "confirm"


def _missing(state: State) -> list[str]:
    return [field for field in FIELDS if state.get(field) is None]


def _prompt(task: str, state: State) -> list[AnyMessage]:
    return [SystemMessage(f"You are Lia, who takes down what is needed for an offer. {task}"), *state["messages"]]
