"""A process that works on a store beside others, and says at its end what it did and how long
each program took. Run as a module it takes the file, its own name, how it works and how often.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from tests.store.programs import Step, encode, fact, find, on, opened, read
from text2mem import Memory

Told = dict[str, Any]
"""``created`` (ids), ``slowest`` and ``opening`` (seconds)."""


def singles(memory: Memory, name: str, count: int) -> Iterator[list[str]]:
    """One program at a time: new memories, facts of one subject that all write to, merges."""
    chance = random.Random(name)
    for number in range(count):
        steps: list[Step] = [encode(f"{name} {number} 记忆", tags=[name, "all"])]
        if number % 3 == 0:
            steps.append(fact("shared", "city", f"{name}-{number}"))
        if number % 5 == 0:
            steps.append(encode(f"{name} extra", tags=["all"]))
            steps.append(on("Merge", ["$1", f"${len(steps)}"],
                            strategy="merge_into_primary", primary_id="$1"))  # fmt: skip
        steps.append(on("Label", ["$1"], facets={"n": chance.randrange(99)}))
        yield _made(memory.execute(steps))


def groups(memory: Memory, name: str, count: int) -> Iterator[list[str]]:
    """Many programs a transaction."""
    programs = [[encode(f"{name} {number}", tags=[name, "all"])] for number in range(count)]
    for result in memory.execute_many(programs):
        yield _made(result)


def erasers(memory: Memory, name: str, count: int) -> Iterator[list[str]]:
    """Memories that are made and erased again."""
    for number in range(count):
        made = _made(memory.execute([encode(f"{name} secret {number}", tags=[name])]))
        result = memory.execute([on("Delete", made, soft=False)])
        assert result.ok, result.error
        yield made


def readers(memory: Memory, name: str, count: int) -> Iterator[list[str]]:
    """Searches, filters and digests; nothing that is seen is half of a program."""
    for _ in range(count):
        result = memory.execute(
            [
                read(find("记忆", limit=20)),
                read({"filter": {"has_tags": ["all"]}}, include=["text", "facets"]),
                read({"filter": {"has_tags": ["all"], "limit": 5}}, op="Summarize"),
            ]
        )
        assert result.ok, result.error
        rows = result.results[1].rows
        assert all(row["facets"] for row in rows if row["text"].startswith("single"))
        yield []


WAYS: dict[str, Callable[[Memory, str, int], Iterator[list[str]]]] = {
    "singles": singles, "groups": groups, "erasers": erasers, "readers": readers,
}  # fmt: skip


def _made(result: Any) -> list[str]:
    assert result.ok, result.error
    return [id_ for step in result.results for id_ in step.created]


def main(path: str, name: str, way: str, count: str, tenant: str) -> None:
    print("ready", flush=True)  # noqa: T201
    sys.stdin.readline()
    begun = time.perf_counter()
    memory = opened(path, tenant=tenant)
    created, slowest = [], 0.0
    opening = last = time.perf_counter() - begun
    for made in WAYS[way](memory, name, int(count)):
        created.extend(made)
        now = time.perf_counter() - begun
        slowest, last = max(slowest, now - last), now
    memory.close()
    print(json.dumps({"created": created, "slowest": slowest, "opening": opening}))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
