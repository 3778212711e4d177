"""A plan of programs, and the process that runs one and is killed while it does.

Run as a module it takes a store, a plan and the place in it to begin at; it says the number of each
program once that has been given out, and ``erasing`` before it cleans the file.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.store.programs import (
    NOW,
    Step,
    WordHashes,
    context,
    encode,
    fact,
    find,
    merge,
    on,
    opened,
)
from tests.store.soundness import contents
from text2mem import FixedClock, Memory, execute
from text2mem.executor import tick, undo

Task = dict[str, Any]
"""``program`` (steps), ``undo`` (a trace) or ``tick``."""
MINUTE = timedelta(minutes=1)
WORDS = (
    "harbour",
    "lantern",
    "合同",
    "会议",
    "orchard",
    "护照",
    "violin",
    "牙医",
    "granite",
    "周五",
)


def trace(number: int) -> str:
    return f"task-{number}"


def run(memory: Memory, number: int, task: Task) -> bool:
    """Carry out one task of a plan, a minute after the one before it."""
    when = context(clock=FixedClock(NOW + number * MINUTE), trace_id=trace(number))
    if "undo" in task:
        return undo(task["undo"], memory.adapter, when).ok
    if "tick" in task:
        tick(memory.adapter, when)
        return True
    result = execute(
        task["program"], memory.adapter, context=when, embedder=WordHashes(),
    )  # fmt: skip
    return result.ok


def planned(count: int, seed: int) -> tuple[list[Task], list[dict[str, Any]]]:
    """Tasks that each change something, and what a store holds before the first and after each."""
    chance = random.Random(seed)
    memory = opened(":memory:")
    tasks: list[Task] = []
    connection = memory.adapter._store.connection  # type: ignore[attr-defined]
    states = [contents(connection)]
    while len(tasks) < count:
        task = _task(memory, chance, len(tasks))
        if run(memory, len(tasks), task):
            state = contents(connection)
            if state != states[-1]:
                tasks.append(task)
                states.append(state)
    memory.close()
    return tasks, states


def _task(memory: Memory, chance: random.Random, number: int) -> Task:
    kind = chance.choices(("program", "undo", "tick"), (20, 2, 1))[0]
    if kind == "undo" and number:
        return {"undo": trace(chance.randrange(max(0, number - 4), number))}
    if kind == "tick":
        return {"tick": True}
    rows = memory.adapter._store.connection.execute(  # type: ignore[attr-defined]
        "SELECT id, attribute FROM memories WHERE deleted = 0 ORDER BY id DESC LIMIT 40"
    ).fetchall()
    plain = [str(row["id"]) for row in rows if row["attribute"] is None]
    return {"program": list(_steps(chance, plain, [str(row["id"]) for row in rows]))}


def _text(chance: random.Random) -> str:
    return ". ".join(" ".join(chance.choices(WORDS, k=6)) for _ in range(3)) + "."


def _steps(chance: random.Random, plain: list[str], known: list[str]) -> Iterator[Step]:
    """One program."""
    if len(plain) < 6:
        yield from [encode(_text(chance), tags=["seed"]) for _ in range(4)]
        return
    some = chance.sample(plain, 3)
    subject, value = chance.choice("AB"), chance.choice(WORDS)
    kind = chance.randrange(9)
    if kind <= 1:
        yield encode(_text(chance), tags=chance.sample(WORDS, 2), subject=subject)
        yield on("Label", ["$1"], tags=["fresh"], facets={"n": chance.randrange(9)})
        yield on("Promote", ["$1"], weight=0.9, remind={"rrule": "FREQ=HOURLY"})
    elif kind == 2:
        yield merge(some[0], *some[1:], soft_delete_children=chance.random() < 0.5)
        yield on("Label", ["$1"], tags=["merged"])
    elif kind == 3:
        yield on("Split", some[:1], strategy="by_sentences", keep_parent=chance.random() < 0.5)
    elif kind == 4:
        yield fact(subject, "city", value)
        yield fact(subject, "likes", value, valid_from="2026-01-01T00:00:00Z")
        yield on("Update", ["$1"], set={"confidence": 0.9})
    elif kind == 5:
        yield on("Delete", chance.sample(known, 2), soft=False, cascade=chance.random() < 0.5)
        yield encode(_text(chance))
    elif kind == 6:
        yield on("Update", some, set={"text": _text(chance), "topic": value})
        yield on("Demote", some[:1], archive=True)
    elif kind == 7:
        ends = chance.choice(("soft_delete", "hard_delete", "anonymize", "demote"))
        yield on("Expire", some[:1], ttl=f"PT{chance.randrange(1, 9)}M", on_expire=ends)
        yield on("Lock", some[1:2], mode="append_only")
        yield on("Lock", some[1:2], mode="none")
    else:
        yield on("Label", find(value, limit=5), tags=[value], mode="add")
        yield on("Delete", some[:1])


def main(path: str, plan: str, first: str) -> None:
    memory = opened(path)
    clean = memory.adapter.finish_erasures

    def finish_erasures(*, patient: bool = False) -> bool:
        print("erasing", flush=True)  # noqa: T201
        return clean(patient=patient)

    memory.adapter.finish_erasures = finish_erasures  # type: ignore[method-assign]
    tasks: list[Task] = json.loads(Path(plan).read_text(encoding="utf-8"))
    for number in range(int(first), len(tasks)):
        if not run(memory, number, tasks[number]):
            raise SystemExit(f"task {number} was refused: {tasks[number]}")
        print(number, flush=True)  # noqa: T201
    memory.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
