"""What a search by vectors costs and finds with an index, beside exact search."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from text2mem.adapters.base import Embedding
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.executor import encode_many, execute
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import BySearch, Retrieve
from text2mem_bench.figures import Figure, timed
from text2mem_bench.synthetic import NOW, Clusters, Synthetic

_BLOCK = 5_000
_TEN = 10


def measure(
    n: int, folder: Path, *, seed: int = 0, rounds: int = 50, clustered: bool = True
) -> Iterator[Figure]:
    """One store of n memories with vectors; a figure as soon as it is known.

    The first search of a process makes the index and saves it; that of the next loads it.
    """
    context = ExecutionContext(clock=FixedClock(NOW), confirmed=True)
    path = folder / "near.db"
    vectors = Clusters(seed, n) if clustered else Clusters(seed, n, noise=None)
    _grow(n, path, context, vectors, seed)
    asked = [row.tolist() for row in vectors.rows(rounds)]
    truth: list[list[str]] = []
    for what in ("exact", "index made and saved", "index loaded"):
        kind = "exact" if what == "exact" else "usearch"
        adapter = SqliteAdapter(path, vector_index=kind, vector_index_from=1)
        before = _resident()
        yield timed(n, f"{what}, first search", [partial(_ids, asked[0], adapter, context)])
        yield _memory(n, f"{what}, memory", before)
        found: list[list[str]] = []
        searches = (partial(_ids, vector, adapter, context) for vector in asked)
        figure = timed(n, what, [partial(_kept, found, search) for search in searches])
        adapter.close()
        truth = truth or found
        yield figure
        yield _recall(n, what, truth, found)
    size = (folder / "near.db-vectors-1").stat().st_size / 1e6
    yield Figure(n, "saved index", size, size, 1, "MB")


def _grow(n: int, path: Path, context: ExecutionContext, vectors: Clusters, seed: int) -> None:
    adapter = SqliteAdapter(path, vector_index="exact")
    ops = Synthetic(seed, total=n).encodes(n)
    while block := list(islice(ops, _BLOCK)):
        encode_many(block, adapter, context)
    embedding = Embedding(vectors.model, vectors.threshold)
    for first in range(1, n + 1, _BLOCK):
        ids = range(first, min(first + _BLOCK, n + 1))
        with adapter.transaction():
            made = zip(ids, vectors.rows(len(ids)), strict=True)
            adapter.set_vectors(embedding, {str(id_): row for id_, row in made})
    adapter.close()


def _ids(vector: Sequence[float], adapter: SqliteAdapter, context: ExecutionContext) -> list[str]:
    op = Retrieve(target=BySearch(vector=tuple(vector), k=_TEN))
    return [str(row["id"]) for row in execute([op], adapter, context).results[0].rows]


def _kept(found: list[list[str]], search: Callable[[], list[str]]) -> None:
    found.append(search())


def _recall(
    n: int, what: str, truth: Sequence[Sequence[str]], found: Sequence[Sequence[str]]
) -> Figure:
    shares = [
        len(set(there) & set(here)) / max(len(there), 1)
        for there, here in zip(truth, found, strict=True)
    ]
    mean = sum(shares) / len(shares)
    return Figure(n, f"{what}, recall@{_TEN}", mean, min(shares), len(shares), "mean, least")


def _memory(n: int, what: str, before: float) -> Figure:
    grown = _resident() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Figure(n, f"{what}: memory, peak", grown, peak, 1, "MB")


def _resident() -> float:
    """MB of the process that are its own, not pages of files."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    return 0.0
