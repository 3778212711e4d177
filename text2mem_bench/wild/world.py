"""Stores as their owners left them: filled by the ops that everybody has, copied for every case."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.adapters.registry import open_adapter
from text2mem.clock import FixedClock
from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ports import Embedder
from text2mem.ir.times.temporal import format_instant
from text2mem.memory import Memory
from text2mem_bench.running import Stopped, run
from text2mem_bench.wild.cases import Store, StoredMemory

_NEW = {"ids": ["$1"]}


@dataclass(frozen=True, slots=True)
class Worlds:
    """Fresh copies of stores; an ``embedder`` gives their memories vectors."""

    folder: Path
    embedder: Embedder | None = None
    _filled: dict[str, Path] = field(default_factory=dict)

    @contextmanager
    def of(self, store: Store) -> Iterator[Adapter]:
        """A store with its memories, at its instant, gone at the end.

        Raises ConfigurationError where a memory cannot be made as it is written.
        """
        if store.store not in self._filled:
            path = self.folder / f"{len(self._filled)}.db"
            with closing(open_adapter(path)) as adapter:
                fill(adapter, store, self.embedder)
            self._filled[store.store] = path
        with TemporaryDirectory(dir=self.folder, ignore_cleanup_errors=True) as own:
            copy = Path(own) / "store.db"
            with (
                closing(sqlite3.connect(self._filled[store.store])) as full,
                closing(sqlite3.connect(copy)) as empty,
            ):
                full.backup(empty)
            with closing(open_adapter(copy)) as adapter:
                yield adapter


@contextmanager
def worlds(embedder: Embedder | None = None) -> Iterator[Worlds]:
    """Stores in a temporary folder."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        yield Worlds(Path(name), embedder)


def context(store: Store, *, confirmed: bool = False) -> ExecutionContext:
    """Who asks there, when and where: the local user."""
    return ExecutionContext(clock=FixedClock(store.instant), tz=store.zone, confirmed=confirmed)


def fill(adapter: Adapter, store: Store, embedder: Embedder | None = None) -> None:
    """Make every memory at the instant of its creation, then let the clock come to the store's.

    Raises ConfigurationError where one is refused, or gets another id.
    """
    for memory in store.memories:
        at = ExecutionContext(clock=FixedClock(memory.created), tz=store.zone, confirmed=True)
        made = run(program(memory), adapter, at, embedder)
        if isinstance(made, Stopped):
            raise ConfigurationError(f"{store.store}, memory {memory.id}: {made}")
        created = made.results[0].created
        if created != (memory.id,):
            raise ConfigurationError(f"{store.store}: memory {memory.id} got the id {created}")
    # Reminders that have been due by then have been given.
    Memory(adapter, context=context(store), embedder=embedder).tick()


def program(memory: StoredMemory) -> list[dict[str, Any]]:
    """The ops that make a memory what it is."""
    args: dict[str, Any] = {"payload": {"text": memory.text}}
    if memory.tags:
        args["tags"] = list(memory.tags)
    args |= {k: v for k in ("type", "subject") if (v := getattr(memory, k)) is not None}
    if memory.time is not None:
        args["time"] = format_instant(memory.time)
    if memory.remind is not None:
        at, rrule = memory.remind.at, memory.remind.rrule
        args["remind"] = {"rrule": rrule} if at is None else {"at": format_instant(at)}
    steps: list[dict[str, Any]] = [{"stage": "ENC", "op": "Encode", "args": args}]

    def then(op: str, **args: Any) -> None:
        steps.append({"stage": "STO", "op": op, "target": _NEW, "args": args})

    if memory.expire_at is not None:
        then("Expire", until=format_instant(memory.expire_at), on_expire=memory.expire_action)
    if memory.archived:
        then("Demote", archive=True)
    if memory.weight is not None:
        then("Update", set={"weight": memory.weight})
    if memory.deleted:
        then("Delete")
    if memory.lock is not None:
        then("Lock", mode=memory.lock)
    return steps
