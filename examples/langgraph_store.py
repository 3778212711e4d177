"""A LangGraph graph whose long-term store is a store of memories.

    python examples/langgraph_store.py [STORE]

A node keeps what a user says under the user's namespace, another one answers from it. Each put is a
program: it stands in the journal, and an undo takes it back.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from langchain_core.messages import HumanMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from text2mem import Memory
from text2mem.doors.frameworks.langgraph import Text2MemStore


@dataclass
class User:
    """For whom a graph runs: its configuration says so, never a model."""

    name: str


def keep(state: MessagesState, runtime: Runtime[User]) -> None:
    """Keep what was said, for four weeks."""
    assert runtime.store is not None
    said = state["messages"][-1]
    key = str(said.id)
    month = 4 * 7 * 24 * 60
    runtime.store.put(("notes", runtime.context.name), key, {"text": said.content}, ttl=month)


def answer(state: MessagesState, runtime: Runtime[User]) -> dict[str, list[tuple[str, str]]]:
    """Answer with what is known of it. A model would stand here. What is read is kept no longer for
    that: else the last program, which is undone, would be the one that moved its end."""
    assert runtime.store is not None
    said = str(state["messages"][-1].content)
    found = runtime.store.search(
        ("notes", runtime.context.name), query=said, limit=1, refresh_ttl=False
    )
    known = found[0].value["text"] if found and found[0].score else "nothing"
    return {"messages": [("ai", f"I know: {known}")]}


def asks(state: MessagesState) -> str:
    """Whether what was said is a question; a model would decide it."""
    return "answer" if str(state["messages"][-1].content).endswith("?") else "keep"


def main(store: str) -> None:
    """Two users, who do not know of each other."""
    graph = StateGraph(MessagesState, context_schema=User)
    graph.add_node("keep", keep)
    graph.add_node("answer", answer)
    graph.add_conditional_edges(START, asks)
    graph.add_edge("keep", END)
    graph.add_edge("answer", END)
    with Memory(store) as memory:
        compiled = graph.compile(store=Text2MemStore(memory))
        for user, said in (
            ("mira", "The boat shed key is in the blue bowl."),
            ("mira", "Where is the boat shed key?"),
            ("ola", "Where is the boat shed key?"),
        ):
            print(f"› {user}: {said}")
            state = compiled.invoke({"messages": [HumanMessage(said)]}, context=User(user))
            if state["messages"][-1].type == "ai":
                print(state["messages"][-1].content)
        print("namespaces:", compiled.store and compiled.store.list_namespaces())
        memory.undo_last()
        print("after an undo:", compiled.store and compiled.store.list_namespaces())


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "memory:")
