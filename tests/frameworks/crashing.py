"""A process that is killed between the store and the framework, at a given call and moment."""

from __future__ import annotations

import os
import signal
from typing import Any

from text2mem import Memory
from text2mem.adapters.mirrored.mirrored import Mirrored

MOMENTS = ("before", "after", "noted")
"""Before the framework is told, after it was, and while that is being noted."""
PROGRAMS = 4


def encode(text: str) -> dict[str, Any]:
    return {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": text}}}


def killed(store: str, round_: int, moment: str, call: int) -> None:
    """Runs programs until the ``call``-th delivery, at which the process dies."""
    memory = Memory(store, embedder="none")
    adapter = memory.adapter
    assert isinstance(adapter, Mirrored)
    delivering, calls = adapter._deliver, 0

    def die(*args: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def deliver(ids: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == call and moment == "before":
            die()
        if calls == call and moment == "after":
            adapter.outbox.__class__.delivered = die  # type: ignore[method-assign,assignment]
        delivering(ids)
        if calls == call:
            die()

    adapter._deliver = deliver  # type: ignore[method-assign]
    for n in range(PROGRAMS):
        memory.execute([encode(f"round {round_} number {n}"), encode("second")])
        newest = memory.adapter.view(memory.context).recent(2)
        first, second = (record.id for record in newest)
        memory.execute([
            {"stage": "STO", "op": "Update", "target": {"ids": [first]},
             "args": {"set": {"text": f"round {round_} changed {n}"}}},
            {"stage": "STO", "op": "Delete", "target": {"ids": [second]}},
        ])  # fmt: skip
