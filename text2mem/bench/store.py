"""How quick a store is at several sizes: encodes, filters, searches, labels."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from text2mem.adapters.base import Embedding
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.bench.synthetic import NOW, VOCABULARY, RandomVectors, Synthetic, tag, word
from text2mem.clock import FixedClock
from text2mem.executor import Prepared, encode_many, execute, execute_many
from text2mem.executor.batch import GROUP
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import (
    AbsoluteRange,
    ByFilter,
    BySearch,
    Encode,
    Label,
    Op,
    Retrieve,
    Target,
)

BULK = 5_000
SINGLES = 400
BATCHED = 16 * GROUP
CLASSES = {"rare": 1e-4, "medium": 5e-3, "common": 5e-2}
"""The greatest share of the memories that holds a term of each class; a query has two terms."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured at one size: median and 95th percentile in milliseconds.

    Of a rate ``p95`` is what nineteen of twenty measurements reach.
    """

    n: int
    what: str
    p50: float
    p95: float
    rounds: int
    unit: str = "ms"


def measure(
    sizes: Sequence[int], folder: Path, *, seed: int = 0, rounds: int = 60, vectors: bool = True
) -> Iterator[Figure]:
    """Grow one store through the sizes and measure at each; a figure as soon as it is known."""
    context = ExecutionContext(clock=FixedClock(NOW), confirmed=True)
    path = folder / "store.db"
    adapter = SqliteAdapter(path)
    source = Synthetic(seed, total=max(sizes))
    held = 0
    for n in sorted(sizes):
        rates = []
        for block in _blocks(source.encodes(n - held), BULK):
            begun = time.perf_counter()
            encode_many(block, adapter, context)
            rates.append(len(block) / (time.perf_counter() - begun))
        yield _rates(n, f"encode, bulk calls of {BULK}", rates)
        held = n
        yield from _encodes(n, adapter, context, source)
        held += BATCHED + SINGLES
        yield from _reads(n, adapter, context, source, rounds)
        if vectors:
            yield from _vectors(n, path, adapter, context, source, rounds)
        size = sum(p.stat().st_size for p in folder.glob("store.db*"))
        yield Figure(n, "file", size / 1e6, size / 1e6, 1, "MB")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        yield Figure(n, "peak memory", peak, peak, 1, "MB")
    adapter.close()
    yield from _durable(folder, context, seed)


def as_row(figure: Figure) -> dict[str, Any]:
    """A figure as JSON, rounded to what it is worth."""
    row = asdict(figure)
    return {**row, "p50": round(figure.p50, 3), "p95": round(figure.p95, 3)}


def _encodes(
    n: int, adapter: SqliteAdapter, context: ExecutionContext, source: Synthetic
) -> Iterator[Figure]:
    programs: list[list[Op]] = [[op] for op in source.encodes(BATCHED)]
    rates = []
    for start in range(0, BATCHED, GROUP):
        group = programs[start : start + GROUP]
        begun = time.perf_counter()
        list(execute_many(group, adapter, context))
        rates.append(len(group) / (time.perf_counter() - begun))
    yield _rates(n, f"encode, batches of {GROUP} one-op programs", rates)
    single = [partial(execute, [op], adapter, context) for op in source.encodes(SINGLES)]
    yield timed(n, "encode, one transaction each", single)


def _reads(
    n: int, adapter: SqliteAdapter, context: ExecutionContext, source: Synthetic, rounds: int
) -> Iterator[Figure]:
    def read(target: Target, **options: Any) -> Callable[[], Any]:
        op = Retrieve(target=target, **options)
        return lambda: execute([op], adapter, context)

    month, last = timedelta(days=30), source.reached
    tags = source.some_tags(rounds)
    yield timed(n, "filter by tag", [read(ByFilter(has_tags=(t,), limit=20)) for t in tags])
    yield timed(n, "filter by tag, without a limit", [read(ByFilter(has_tags=(t,))) for t in tags])
    yield timed(
        n, "filter by two tags",
        [read(ByFilter(has_tags=(t, tag(0)), limit=20)) for t in tags],
    )  # fmt: skip
    yield timed(
        n, "filter by tag and month",
        [
            read(ByFilter(has_tags=(t,), time_range=AbsoluteRange(last - month, last), limit=20))
            for t in tags
        ],
    )  # fmt: skip
    yield timed(
        n, "filter by time",
        [
            read(ByFilter(time_range=AbsoluteRange(end - month, end), limit=20))
            for end in (last - month * (i % 20) for i in range(rounds))
        ],
    )  # fmt: skip
    yield timed(
        n, "as_of",
        [read(ByFilter(has_tags=(t,), limit=20), as_of=NOW + timedelta(days=1)) for t in tags],
    )  # fmt: skip
    for name, share in CLASSES.items():
        terms = _terms(adapter, share)
        asked = [" ".join(pair) for pair in pairwise(terms)][: rounds // 3]
        yield timed(
            n, f"search by words, {name} terms",
            [read(BySearch(query=query, limit=20)) for query in asked],
        )  # fmt: skip
    hundred = [
        Label(target=ByFilter(has_tags=(tag(3),), limit=100), tags=(f"label-{i}",))
        for i in range(8)
    ]
    yield timed(n, "label 100 rows", [partial(execute, [op], adapter, context) for op in hundred])


def _vectors(
    n: int, path: Path, adapter: SqliteAdapter, context: ExecutionContext, source: Synthetic,
    rounds: int,
) -> Iterator[Figure]:  # fmt: skip
    embedder = RandomVectors()
    embedding = Embedding(embedder.model, embedder.threshold)
    while batch := adapter.without_vectors(BULK):
        made = embedder.matrix([int(record.id) for record in batch])
        with adapter.transaction():
            adapter.set_vectors(embedding, {r.id: row for r, row in zip(batch, made, strict=True)})
    cold = SqliteAdapter(path)
    prepared = Prepared(embedder=embedder)
    terms = _terms(adapter, CLASSES["medium"])

    def search(store: SqliteAdapter, query: str, alpha: float) -> Callable[[], Any]:
        op = Retrieve(target=BySearch(query=query, alpha=alpha, limit=20))
        return lambda: execute([op], store, context, prepared=prepared)

    yield timed(n, "hybrid search, first after opening", [search(cold, terms[0], 0.5)])
    cold.close()
    search(adapter, terms[0], 0.5)()
    for what, alpha in (("search by vectors, warm", 1.0), ("hybrid search, warm", 0.5)):
        yield timed(n, what, [search(adapter, t, alpha) for t in terms[: rounds // 3]])


def _durable(folder: Path, context: ExecutionContext, seed: int) -> Iterator[Figure]:
    """The same single encodes with a file that is flushed at every commit."""
    adapter = SqliteAdapter(folder / "full.db", synchronous="FULL")
    single = [partial(execute, [op], adapter, context) for op in Synthetic(seed).encodes(SINGLES)]
    figure = timed(SINGLES, "encode, one transaction each", single)
    yield replace(figure, what=f"{figure.what}, synchronous=FULL")
    adapter.close()


def _terms(adapter: SqliteAdapter, share: float, count: int = 40) -> list[str]:
    """Latin terms that this share of the memories hold, and the next rarer ones."""
    index = adapter.words
    total = adapter.active(ExecutionContext())
    low, high = 0, VOCABULARY - count
    while low < high:  # frequencies fall with the rank
        middle = (low + high) // 2
        if index.holding_one(word(middle)) > share * total:
            low = middle + 1
        else:
            high = middle
    return [word(rank) for rank in range(low, low + count)]


def _blocks(ops: Iterable[Encode], size: int) -> Iterator[list[Encode]]:
    iterator = iter(ops)
    while block := list(islice(iterator, size)):
        yield block


def timed(n: int, what: str, calls: Sequence[Callable[[], Any]]) -> Figure:
    """How long each call takes: median and 95th percentile in milliseconds."""
    taken = []
    for call in calls:
        begun = time.perf_counter()
        call()
        taken.append((time.perf_counter() - begun) * 1000)
    taken.sort()
    p95 = taken[min(len(taken) - 1, int(len(taken) * 0.95))]
    return Figure(n, what, statistics.median(taken), p95, len(taken))


def _rates(n: int, what: str, rates: Sequence[float]) -> Figure:
    """The median, and what all but the slowest twentieth reach."""
    ordered = sorted(rates)
    return Figure(
        n, what, statistics.median(ordered), ordered[len(ordered) // 20], len(ordered), "a second"
    )
