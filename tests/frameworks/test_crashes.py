"""Killed between the store and the framework: after the next open both agree."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conformance.frameworks import MIRRORED, agent_place, database_place, everything, expected
from tests.frameworks.crashing import MOMENTS, killed
from tests.postgres import server
from tests.store.programs import LONG
from text2mem import Memory
from text2mem.adapters.mirrored.keeper import Item
from text2mem.adapters.mirrored.mirrored import Mirrored

ROUNDS = 50 if LONG else 6


STORES: Mapping[str, Callable[[Path], str]] = {
    "graphiti": lambda path: f"graphiti:{path}",
    "langgraph": lambda path: f"langgraph:{path}",
    "langgraph-postgres": lambda path: f"langgraph:{database_place(path)}",
    "langgraph-beside-postgres": lambda path: f"langgraph:{path}?sidecar={_beside()}",
    "letta": lambda path: f"letta:{agent_place(path)}",
    "mem0": lambda path: f"mem0:{path}",
    "memos": lambda path: f"memos:{path}",
}
FEWER = {
    "graphiti": 3,
    "langgraph": 1,
    "langgraph-postgres": 2,
    "langgraph-beside-postgres": 2,
    "letta": 2,
    "mem0": 3,
    "memos": 3,
}
"""How often a framework is killed in a short run is divided by this: some take long to open."""


def _beside() -> str:
    return f"postgres:{server().prepared('killed')}".replace("&", "%26")


@pytest.mark.parametrize("name", [name for name in STORES if name in MIRRORED])
def test_after_a_kill_both_agree(name: str, tmp_path: Path) -> None:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.frameworks.crashing"])
    store = STORES[name](tmp_path / "held")
    made = 0
    for round_ in range(ROUNDS if LONG else ROUNDS // FEWER[name]):
        moment = MOMENTS[round_ % len(MOMENTS)]
        process = processes.Process(target=killed, args=(store, round_, moment, 1 + round_ % 7))
        process.start()
        process.join(120)
        assert process.exitcode == -signal.SIGKILL
        with Memory(store, embedder="none") as memory:
            adapter = memory.adapter
            assert isinstance(adapter, Mirrored) and adapter.undelivered() is None
            held = everything(adapter.keeper)
            plain = {k: Item(key=k, text=i.text, metadata=i.metadata) for k, i in held.items()}
            assert plain == expected(adapter)
            ids = [item.metadata["id"] for item in held.values()]
            assert len(ids) == len(set(ids))
            known = len(memory.log(limit=1000))
            assert known > made  # what was committed before the kill is there
            made = known
