"""A call of each method of a memory, for what holds of all of them."""

from __future__ import annotations

from typing import Any

from tests.planning import note
from tests.store.programs import fact
from text2mem import FunctionProvider, Program
from text2mem.ir.ops import Content, Encode

NOTE = "The ferry to Inishbofin leaves at 11:30 on Saturdays."
EVERYTHING = {"steps": [{"op": "Retrieve", "which": "all"}]}
AGE = {"subject": "lena", "attribute": "age", "value": 41}
CALLS: dict[str, dict[str, Any]] = {
    "add": {"text": NOTE, "tags": "ferry"},
    "search": {"query": "ferry"},
    "get": {"id": "1"},
    "list": {},
    "update": {"id": "1", "text": "The ferry leaves at noon."},
    "history": {"id": "1"},
    "compile": {"text": "List all of it."},
    "warm": {},
    "run": {"text": "List all of it."},
    "with_facts": {"program": Program.load(note("I live in Bergen."))},
    "preview": {"program": note("Tea is at five.")},
    "execute": {"program": [fact("lena", key, 1, confidence=0.1) for key in ("size", "age")]},
    "undo_last": {},
    "execute_many": {"programs": [note("one"), note("two")]},
    "encode_many": {"ops": [Encode(content=Content("text", "three"))]},
    "delete": {"id": "1"},
    "log": {},
    "show": {"id": "1"},
    "lineage": {"id": "1"},
    "undo": {"trace_id": "no such trace"},
    "tick": {},
    "reindex": {},
    "observe": {"messages": {"role": "tool", "structured": AGE}, "extract": True},
    "work": {},
    "pending": {},
    "approve": {"id": "7"},
    "reject": {"id": "7"},
    "recall": {"question": "Which city do I live in?"},
    "stats": {},
    "export": {"subject": "lena"},
    "evolve": {"document": {"version": 2}, "dry_run": True},
    "forget": {"subject": "lena"},
}
"""A call of each method, in an order in which there is something for it to do."""


class Local(FunctionProvider):
    """A model as one of this process."""

    @property
    def name(self) -> str:
        return "local:reader"
