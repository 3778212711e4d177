"""The requests of the training data, as authors wrote them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from text2mem.ir.record import Record
from text2mem.planner.ask import Example
from text2mem.planner.draft import Draft, Step, read_draft

DATA = Path(__file__).parent / "data"
APART = (
    "en-near-c",
    "zh-near-c",
    "en-people-d",
    "zh-people-b",
    "zh-people-l",
    "en-plain-b",
    "zh-plain-b",
    "en-after-a",
    "zh-after-a",
)
"""The authors that the shipped reader has not learnt from, as in the Makefile."""
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Row:
    """A request with the draft that is meant, and its author. Over a store, ``hits`` are the ids
    that each step means."""

    utterance: str
    before: tuple[str, ...]
    draft: Draft
    register: str
    author: str
    once: Example | None = None
    hits: tuple[tuple[str, ...], ...] = ()

    @property
    def ops(self) -> frozenset[str]:
        """The ops that are asked for."""
        return frozenset(step.op for step in self.draft.steps)


@dataclass(frozen=True)
class Store:
    """The memories of one invented person, and that person's requests."""

    name: str
    memories: tuple[Record, ...]
    author: str
    rows: list[Row] = field(default_factory=list)


def load(folder: Path = DATA, authors: Sequence[str] = ()) -> list[Row]:
    """The requests without a store in a folder's ``*.jsonl``, by all authors or by some; a file is
    an author.

    Raises ValueError with the file and line of a row whose draft breaks the contract.
    """
    return [
        row for path in by_author(folder, authors) for row in _read(path) if isinstance(row, Row)
    ]


def stores(folder: Path = DATA, authors: Sequence[str] = ()) -> list[Store]:
    """The stores of a folder, each with the requests over it. Otherwise like ``load``."""
    return [
        row for path in by_author(folder, authors) for row in _read(path) if isinstance(row, Store)
    ]


def by_author(folder: Path, authors: Sequence[str] = ()) -> list[Path]:
    """The files of a folder, of all authors or of some: a file is an author."""
    return [path for path in sorted(folder.glob("*.jsonl")) if not authors or path.stem in authors]


def record(raw: Mapping[str, Any]) -> Record:
    """A memory as the data write it."""
    return Record(
        id=raw["id"], text=raw["text"], payload={"text": raw["text"]},
        tags=tuple(raw.get("tags", ())), archived=bool(raw.get("archived")),
        lock_mode=raw.get("lock"), remind_rrule=raw.get("remind"),
        expire_at=_NOW if raw.get("ends") else None, created_at=_NOW, updated_at=_NOW,
    )  # fmt: skip


def _read(path: Path) -> Iterator[Row | Store]:
    store: Store | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        held: dict[str, Any] = json.loads(line)
        if "memories" in held:
            if store is not None:
                yield store
            store = Store(held["store"], tuple(map(record, held["memories"])), path.stem)
            continue
        draft = read_draft(held["draft"])
        if isinstance(draft, list):
            raise ValueError(f"{path}:{number}: {draft[0].pointer} {draft[0].message}")
        hits = tuple(map(tuple, held.get("hits", ())))
        row = Row(
            held["u"], tuple(held.get("before", ())), _canonical(draft), held.get("reg", "plain"),
            path.stem, hits=hits,
        )  # fmt: skip
        if "store" not in held:
            yield row
            continue
        if store is None or store.name != held["store"] or len(hits) != len(draft.steps):
            raise ValueError(f"{path}:{number}: not over the store before it, or hits amiss")
        store.rows.append(row)
    if store is not None:
        yield store


def _canonical(draft: Draft) -> Draft:
    """The draft without ``many`` where a number, ids or "everything" already say it. Authors
    differed in that, and it costs tokens."""
    return replace(draft, steps=tuple(map(_without_many, draft.steps)))


def _without_many(step: Step) -> Step:
    narrowed = {"about", "tags", "from"} & set(step.values)
    said = {"count", "ids"} & set(step.values)
    said |= {"which"} if step.values.get("which") == "all" and not narrowed else set()
    return replace(step, values={k: v for k, v in step.values.items() if k != "many" or not said})
