"""How quick stores are at several sizes: encodes, filters, searches, labels, many writers."""

from __future__ import annotations

import resource
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from text2mem.adapters.base import Embedding
from text2mem.adapters.sql.adapter import SqlAdapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.executor import Prepared, encode_many, execute, execute_many
from text2mem.executor.batch import GROUP
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import AbsoluteRange, ByFilter, BySearch, Label, Op, Retrieve
from text2mem_bench.figures import Figure, rates, timed, took
from text2mem_bench.places import Place, PostgresPlace, SqlitePlace
from text2mem_bench.plans import Plan, explained
from text2mem_bench.synthetic import DIMENSION, NOW, Clusters, Synthetic, tag, terms
from text2mem_bench.writers import at_once

BULK = 5_000
SINGLES = 400
BATCHED = 16 * GROUP
CLASSES = {"rare": 1e-4, "medium": 5e-3, "common": 5e-2}
"""The greatest share of the memories that holds a term of each class; a query has two terms."""
CONTEXT = ExecutionContext(clock=FixedClock(NOW), confirmed=True)


@dataclass(slots=True)
class _Measured:
    """One store under measurement."""

    place: Place
    adapter: SqlAdapter
    source: Synthetic
    clusters: Clusters | None
    rounds: int
    held: int = field(default=0)

    def at(self, n: int, *, index: bool) -> Iterator[Figure]:
        """Grown to n memories, and measured."""
        bulk = []
        for block in blocks(self.source.encodes(n - self.held), BULK):
            lasted = took(partial(encode_many, block, self.adapter, CONTEXT))
            bulk.append(len(block) / lasted)
        yield rates(n, f"encode, bulk calls of {BULK}", bulk)
        yield from self._encodes(n)
        self.held = n + BATCHED + SINGLES
        self.place.settle()
        for what, ops in reads(self.source, self.rounds).items():
            yield timed(n, what, [partial(execute, [op], self.adapter, CONTEXT) for op in ops])
        hundred = [
            Label(target=ByFilter(has_tags=(tag(3),), limit=100), tags=(f"label-{n}-{i}",))
            for i in range(8)
        ]
        labels = [partial(execute, [op], self.adapter, CONTEXT) for op in hundred]
        yield timed(n, "label 100 rows", labels)
        if self.clusters is not None:
            yield from self._vectors(n, self.clusters, index=index)
        yield Figure(n, "size", self.place.size(), self.place.size(), 1, "MB")

    def _encodes(self, n: int) -> Iterator[Figure]:
        programs: list[list[Op]] = [[op] for op in self.source.encodes(BATCHED)]
        found = []
        for group in blocks(programs, GROUP):
            lasted = took(partial(deque, execute_many(group, self.adapter, CONTEXT), 0))
            found.append(len(group) / lasted)
        yield rates(n, f"encode, batches of {GROUP} one-op programs", found)
        yield timed(n, "encode, one transaction each", _singles(self.adapter, self.source))

    def _vectors(self, n: int, clusters: Clusters, *, index: bool) -> Iterator[Figure]:
        embedding = Embedding(clusters.model, clusters.threshold)
        if index:
            self.place.forget_index(clusters.dimension)
        last = "0"
        while batch := self.adapter.without_vectors(BULK, after=last):
            last = batch[-1].id
            made = clusters.rows(len(batch))
            with self.adapter.transaction():
                self.adapter.set_vectors(
                    embedding, {r.id: row for r, row in zip(batch, made, strict=True)}
                )
        self.place.settle()
        asked = [tuple(row.tolist()) for row in clusters.rows(self.rounds // 3)]
        with closing(self.place.opened()) as cold:
            first, *_ = hybrid(1)
            yield timed(n, "hybrid search, first after opening", [_asking(cold, first, clusters)])
        exact: list[list[str]] = []
        yield from _searches(n, self.adapter, asked, clusters, "warm", exact)
        if not index:
            return
        with closing(self.place.opened(index=True)) as near:
            yield timed(n, "index of vectors, made", [partial(_indexed, near, asked[0])])
            found: list[list[str]] = []
            yield from _searches(n, near, asked, clusters, "by the index", found)
            yield recall(n, "recall@20 by the index", exact, found)


def measure(
    sizes: Sequence[int],
    places: Sequence[Place],
    *,
    seed: int = 0,
    rounds: int = 60,
    vectors: bool = True,
    dimension: int = DIMENSION,
    index: bool = False,
    writers: int = 8,
) -> Iterator[Figure]:
    """Grow each store through the sizes and measure at each; a figure as soon as it is known.

    ``vectors`` gives every memory one of ``dimension`` numbers, ``index`` searches by an index of
    them, too. Of several ``writers`` each is a process. The stores were begun, and are left as they
    are at the end.
    """
    total = max(sizes)
    with ExitStack() as stack:
        stores = [
            _Measured(
                place, stack.enter_context(closing(place.opened())), Synthetic(seed, total=total),
                Clusters(seed, total, dimension=dimension) if vectors else None, rounds,
            )
            for place in places
        ]  # fmt: skip
        for n in sorted(sizes):
            for store in stores:
                for figure in store.at(n, index=index):
                    yield replace(figure, store=store.place.name)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            yield Figure(n, "peak memory", peak, peak, 1, "MB", "this process")
        for store in stores:
            for figure in at_once(store.held, store.place, writers):
                yield replace(figure, store=store.place.name)
            if isinstance(store.place, SqlitePlace):
                yield _durable(store.place.folder, seed)


def plans(
    place: PostgresPlace,
    *,
    vectors: bool = True,
    dimension: int = DIMENSION,
    index: bool = False,
    seed: int = 0,
) -> Iterator[tuple[str, Sequence[Plan]]]:
    """How the server carries out one read of each kind, after a measurement of the store."""
    for what, (op, *_) in reads(Synthetic(seed), 9).items():
        yield what, explained(place.url, op, CONTEXT)
    if vectors:
        prepared = Prepared(embedder=Clusters(seed, 1, dimension=dimension))
        (op,) = hybrid(1)
        yield "hybrid search", explained(place.url, op, CONTEXT, prepared=prepared)
        if index:
            found = explained(place.url, op, CONTEXT, prepared=prepared, index=True)
            yield "hybrid search, by the index", found


def reads(source: Synthetic, rounds: int) -> dict[str, list[Retrieve]]:
    """The reads that are measured, by what they are; a third as many searches of each class."""
    month, last = timedelta(days=30), source.reached
    tags = source.some_tags(rounds)

    def spans(ends: Iterable[Any]) -> list[AbsoluteRange]:
        return [AbsoluteRange(end - month, end) for end in ends]

    targets: dict[str, Sequence[ByFilter | BySearch]] = {
        "filter by tag": [ByFilter(has_tags=(t,), limit=20) for t in tags],
        "filter by tag, without a limit": [ByFilter(has_tags=(t,)) for t in tags],
        "filter by two tags": [ByFilter(has_tags=(t, tag(0)), limit=20) for t in tags],
        "filter by tag and month": [
            ByFilter(has_tags=(t,), time_range=span, limit=20)
            for t, span in zip(tags, spans([last] * rounds), strict=True)
        ],
        "filter by time": [
            ByFilter(time_range=span, limit=20)
            for span in spans(last - month * (i % 20) for i in range(rounds))
        ],
    }
    found = {what: [Retrieve(target=each) for each in asked] for what, asked in targets.items()}
    then = NOW + timedelta(days=1)
    found["as_of"] = [Retrieve(target=ByFilter(has_tags=(t,), limit=20), as_of=then) for t in tags]
    for name, most in CLASSES.items():
        asked = [" ".join(pair) for pair in pairwise(terms(most))][: rounds // 3]
        found[f"search by words, {name} terms"] = [
            Retrieve(target=BySearch(query=query, limit=20)) for query in asked
        ]
    return found


def hybrid(count: int) -> list[Retrieve]:
    """Searches by words and vectors alike."""
    found = terms(CLASSES["medium"])[:count]
    return [Retrieve(target=BySearch(query=query, alpha=0.5, limit=20)) for query in found]


def _searches(
    n: int, adapter: SqlAdapter, asked: Sequence[tuple[float, ...]], clusters: Clusters,
    how: str, found: list[list[str]],
) -> Iterator[Figure]:  # fmt: skip
    def by_vector(vector: tuple[float, ...]) -> None:
        result = execute([Retrieve(target=BySearch(vector=vector, k=20))], adapter, CONTEXT)
        found.append([str(row["id"]) for row in result.results[0].rows])

    by_vector(asked[0])
    found.clear()
    yield timed(n, f"search by vectors, {how}", [partial(by_vector, vector) for vector in asked])
    both = [_asking(adapter, op, clusters) for op in hybrid(len(asked))]
    yield timed(n, f"hybrid search, {how}", both)


def _asking(adapter: SqlAdapter, op: Retrieve, clusters: Clusters) -> Callable[[], Any]:
    return partial(execute, [op], adapter, CONTEXT, prepared=Prepared(embedder=clusters))


def recall(
    n: int, what: str, truth: Sequence[Sequence[str]], found: Sequence[Sequence[str]]
) -> Figure:
    """How much of what exact searches return others find; the mean, and the least."""
    shares = [
        len(set(there) & set(here)) / len(there)
        for there, here in zip(truth, found, strict=True)
        if there
    ]
    return Figure(n, what, sum(shares) / len(shares), min(shares), len(shares), "mean, least")


def _indexed(adapter: SqlAdapter, vector: tuple[float, ...]) -> None:
    """Some make the index when they are told to, others with the first search."""
    adapter.rebuild_vector_index()
    execute([Retrieve(target=BySearch(vector=vector, k=20))], adapter, CONTEXT)


def _singles(adapter: SqlAdapter, source: Synthetic) -> list[Callable[[], Any]]:
    return [partial(execute, [op], adapter, CONTEXT) for op in source.encodes(SINGLES)]


def _durable(folder: Path, seed: int) -> Figure:
    """The same single encodes with a file that is flushed at every commit."""
    with closing(SqliteAdapter(folder / "full.db", synchronous="FULL")) as adapter:
        what = "encode, one transaction each, synchronous=FULL"
        return timed(SINGLES, what, _singles(adapter, Synthetic(seed)))


def blocks(ops: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """What is listed, so many at a time."""
    iterator = iter(ops)
    while block := list(islice(iterator, size)):
        yield block
