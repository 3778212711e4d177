"""The cases of ``fixtures/requests``: what a request selects, with what arguments."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from typing import Any

from tests.fixtures import ROOT
from text2mem import Memory
from text2mem.clock import FixedClock
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ports import StoreView
from text2mem.ir.record import Record
from text2mem.ir.turn import Turn
from text2mem.planner.requests import Step, read_steps

FOLDER = ROOT / "requests"
NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
CONTEXT = ExecutionContext(clock=FixedClock(NOW))
STORES = json.loads((FOLDER / "stores.json").read_text("utf-8"))


def requests(name: str) -> list[dict[str, Any]]:
    """The cases of one file."""
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return found


def said(case: dict[str, Any]) -> str:
    """What a parametrised test is called after."""
    return str(case.get("utterance") or case.get("clause"))


def step_of(utterance: str, context: tuple[str, ...] = ()) -> Step:
    """The first step of a request."""
    return read_steps(utterance, tuple(map(Turn, context)), now=NOW, tz=UTC)[0]


@cache
def view(name: str) -> StoreView:
    """A store; its ids count from 1."""
    kept = STORES[name]
    memory = Memory("memory:", context=CONTEXT)
    program = [{"stage": "ENC", "op": "Encode", "args": args} for args in kept["memories"]]
    assert memory.execute(program).ok
    for op, ids, args in (
        ("Delete", kept.get("deleted"), {}),
        ("Demote", kept.get("archived"), {"archive": True}),
    ):
        if ids:
            one = {"stage": "STO", "op": op, "target": {"ids": ids}, "args": args}
            assert memory.execute([one]).ok
    return memory.view()


def record(number: int, text: str) -> Record:
    """A memory of nothing but a text."""
    return Record(id=str(number), text=text, created_at=NOW, updated_at=NOW)
