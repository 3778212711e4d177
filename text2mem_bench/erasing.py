"""What an erasure costs at several sizes: the program, and the file that is rewritten after it."""

from __future__ import annotations

import resource
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path

from text2mem.adapters.base import Embedding
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.adapters.sqlite.erasure import AT_ONCE
from text2mem.executor import encode_many, execute, tick
from text2mem.ir.ops import ByIds, Delete
from text2mem.ir.result import ProgramResult
from text2mem_bench.figures import Figure, took
from text2mem_bench.store import BULK, CONTEXT, blocks
from text2mem_bench.synthetic import RandomVectors, Synthetic

_MANY = 20


def measure(
    sizes: Sequence[int], folder: Path, *, seed: int = 0, rounds: int = 5, vectors: bool = True
) -> Iterator[Figure]:
    """Grow one store through the sizes and erase at each; a figure as soon as it is known.

    A hard delete ends with the file rewritten, unless the file is large: then a tick does that.
    Its three parts are measured once more by themselves. ``vectors`` gives every memory one.
    """
    path = folder / "erasing.db"
    source = Synthetic(seed, total=max(sizes))
    held = last = 0
    with closing(SqliteAdapter(path)) as adapter:
        for n in sorted(sizes):
            for block in blocks(source.encodes(n - held), BULK):
                encode_many(block, adapter, CONTEXT)
            if vectors:
                _give_vectors(adapter)
            doomed = iter(_spread(last, last + n - held, rounds * (_MANY + 2)))
            last += n - held
            yield from _wholes(n, adapter, doomed, rounds)
            yield from _parts(n, path, adapter, doomed, rounds)
            size = path.stat().st_size / 1e6
            yield Figure(n, "file", size, size, 1, "MB")
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            yield Figure(n, "peak memory", peak, peak, 1, "MB")
            held = n - rounds * (_MANY + 2)


def _give_vectors(adapter: SqliteAdapter) -> None:
    embedder = RandomVectors()
    embedding = Embedding(embedder.model, embedder.threshold)
    while batch := adapter.without_vectors(BULK):
        made = embedder.matrix([int(record.id) for record in batch])
        with adapter.transaction():
            adapter.set_vectors(embedding, {r.id: row for r, row in zip(batch, made, strict=True)})


def _wholes(n: int, adapter: SqliteAdapter, doomed: Iterator[str], rounds: int) -> Iterator[Figure]:
    """Hard deletes as a caller sees them, and the ticks that finish them where they are pending."""
    ticks: list[float] = []
    for count in (1, _MANY):
        taken = []
        for _ in range(rounds):
            ids = tuple(islice(doomed, count))
            begun = time.perf_counter()
            result = _delete(ids, adapter)
            taken.append(time.perf_counter() - begun)
            if any("erase pending" in warning for warning in result.results[0].warnings):
                ticks.append(took(partial(tick, adapter, CONTEXT)))
        yield _worst(n, f"hard delete, {count} at once", taken)
    if ticks:
        yield _worst(n, "tick that finishes an erasure", ticks)


def _parts(
    n: int, path: Path, adapter: SqliteAdapter, doomed: Iterator[str], rounds: int
) -> Iterator[Figure]:
    parts: dict[str, list[float]] = {}
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        large = path.stat().st_size > AT_ONCE
        connection.execute(f"PRAGMA temp_store = {'FILE' if large else 'MEMORY'}")
        steps: dict[str, Callable[[], object]] = {
            "index merged": adapter._store.words.optimise,
            "file rewritten": lambda: connection.execute("VACUUM"),
            "log emptied": lambda: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"),
        }
        for _ in range(rounds):
            with adapter.transaction():  # the erasure is not finished inside a transaction
                _delete((next(doomed),), adapter)
            for name, step in steps.items():
                parts.setdefault(name, []).append(took(step))
    for name, taken in parts.items():
        yield _worst(n, f"erasure, {name}", taken)
    adapter.finish_erasures(patient=True)


def _delete(ids: tuple[str, ...], adapter: SqliteAdapter) -> ProgramResult:
    result = execute([Delete(target=ByIds(ids), soft=False)], adapter, CONTEXT)
    if not result.ok:
        raise AssertionError(f"{ids} could not be deleted: {result.error}")
    return result


def _spread(after: int, last: int, count: int) -> list[str]:
    """So many ids, evenly from those after one up to another."""
    return [str(after + 1 + place * (last - after) // count) for place in range(count)]


def _worst(n: int, what: str, seconds: Sequence[float]) -> Figure:
    """The median in milliseconds, and the worst in place of the 95th percentile: there are few."""
    taken = [1000 * second for second in seconds]
    return Figure(n, what, statistics.median(taken), max(taken), len(taken))
