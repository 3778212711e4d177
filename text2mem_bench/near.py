"""What a search by vectors costs and finds with an index, beside exact search."""

from __future__ import annotations

import resource
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from text2mem.adapters.base import Embedding
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.executor import encode_many, execute
from text2mem.ir.ops import BySearch, Retrieve
from text2mem_bench.figures import Figure, timed
from text2mem_bench.store import BULK, CONTEXT, blocks, recall
from text2mem_bench.synthetic import Clusters, Synthetic

_TEN = 10


def measure(
    n: int, folder: Path, *, seed: int = 0, rounds: int = 50, clustered: bool = True
) -> Iterator[Figure]:
    """One store of n memories with vectors; a figure as soon as it is known.

    The first search of a process makes the index and saves it; that of the next loads it.
    """
    path = folder / "near.db"
    vectors = Clusters(seed, n) if clustered else Clusters(seed, n, noise=None)
    _grow(n, path, vectors, seed)
    asked = [row.tolist() for row in vectors.rows(rounds)]
    truth: list[list[str]] = []
    for what in ("exact", "index made and saved", "index loaded"):
        kind = "exact" if what == "exact" else "usearch"
        found: list[list[str]] = []
        with closing(SqliteAdapter(path, vector_index=kind, vector_index_from=1)) as adapter:
            before = _resident()
            yield timed(n, f"{what}, first search", [partial(_search, asked[0], adapter, [])])
            grown = _resident() - before
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            yield Figure(n, f"{what}, memory: memory, peak", grown, peak, 1, "MB")
            yield timed(n, what, [partial(_search, vector, adapter, found) for vector in asked])
        truth = truth or found
        yield recall(n, f"{what}, recall@{_TEN}", truth, found)
    size = (folder / "near.db-vectors-1").stat().st_size / 1e6
    yield Figure(n, "saved index", size, size, 1, "MB")


def _grow(n: int, path: Path, vectors: Clusters, seed: int) -> None:
    embedding = Embedding(vectors.model, vectors.threshold)
    with closing(SqliteAdapter(path, vector_index="exact")) as adapter:
        for block in blocks(Synthetic(seed, total=n).encodes(n), BULK):
            encode_many(block, adapter, CONTEXT)
        for ids in blocks(range(1, n + 1), BULK):
            made = zip(map(str, ids), vectors.rows(len(ids)), strict=True)
            with adapter.transaction():
                adapter.set_vectors(embedding, dict(made))


def _search(vector: Sequence[float], adapter: SqliteAdapter, found: list[list[str]]) -> None:
    op = Retrieve(target=BySearch(vector=tuple(vector), k=_TEN))
    result = execute([op], adapter, CONTEXT)
    found.append([str(row["id"]) for row in result.results[0].rows])


def _resident() -> float:
    """MB of the process that are its own, not pages of files."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    return 0.0
