"""Killed between the store and the framework: after the next open both agree."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from tests.conformance.frameworks import everything, expected
from tests.frameworks.crashing import MOMENTS, killed
from tests.postgres import server
from text2mem import Memory
from text2mem.adapters.mirrored.keeper import Item
from text2mem.adapters.mirrored.mirrored import Mirrored

ROUNDS = 50 if os.environ.get("TEXT2MEM_LONG_TESTS") else 6


@pytest.mark.parametrize(
    ("name", "sidecar", "rounds"),
    [
        ("langgraph", "sqlite", ROUNDS), ("langgraph", "postgres", max(3, ROUNDS // 2)),
        ("mem0", "sqlite", max(2, ROUNDS // 5)),
    ],
)  # fmt: skip
def test_after_a_kill_both_agree(name: str, sidecar: str, rounds: int, tmp_path: Path) -> None:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.frameworks.crashing"])
    store = f"{name}:{tmp_path}/held"
    if sidecar == "postgres":
        store += f"?sidecar=postgres:{server().prepared('killed')}".replace("&", "%26")
    made = 0
    for round_ in range(rounds):
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
