"""LangGraph's long-term store over a store of memories."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile

from text2mem.doors.frameworks import items
from text2mem.doors.frameworks.items import MOST, Instance, Namespace
from text2mem.doors.frameworks.toolbox import lock_of
from text2mem.errors import ConfigurationError, ExecutionError, MissingExtra
from text2mem.ir.record import Record
from text2mem.ledger.writing import Run, in_one_transaction
from text2mem.memory import Memory

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        validate_op_namespace,
    )
except ImportError as error:
    raise MissingExtra("the store for LangGraph", extra="langgraph") from error


class Text2MemStore(BaseStore):
    """Items by namespace and key, kept as memories (docs/frameworks.md, "LangGraph").

    The puts and deletes of a batch are one program: journalled, undone by its trace, and kept whole
    or not at all. Its reads see the store as it was before. ``memory`` stays the caller's to close.
    Raises ExecutionError where the store refuses, ValidationError for a value that is no JSON,
    ConfigurationError for a wrong filter or time to live, InvalidNamespaceError.
    """

    supports_ttl = True

    def __init__(self, memory: Memory, *, ttl: TTLConfig | None = None) -> None:
        self.ttl_config = ttl
        self._memory = memory
        self._lock = lock_of(memory)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out several operations; their results in order."""
        ops = list(ops)
        for op in ops:
            validate_op_namespace(op)
        with self._lock:
            used: dict[str, Record] = {}
            results = [self._read(op, used) for op in ops]
            self._prolong(used.values())
            self._write({(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)})
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """``batch`` in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    # --- reading ---------------------------------------------------------------------------

    def _read(self, op: Op, used: dict[str, Record]) -> Result:
        """The result of an operation that reads; ``used`` gets records that are to live longer."""
        if isinstance(op, GetOp):
            held = self._held(op.namespace, op.key)
            if held is None:
                return None
            used |= {held.id: held} if op.refresh_ttl else {}
            return Item(
                value=items.value_of(held), key=op.key, namespace=op.namespace,
                created_at=held.created_at, updated_at=held.updated_at,
            )  # fmt: skip
        if isinstance(op, SearchOp):
            found = self._search(op)
            used |= {record.id: record for record, _ in found} if op.refresh_ttl else {}
            return [_found(record, score) for record, score in found]
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        if isinstance(op, PutOp):
            return None
        raise ConfigurationError(f"a store has no operation {type(op).__name__}")

    def _held(self, namespace: Namespace, key: str) -> Record | None:
        for row in self._memory.ledger.rows(items.at(namespace, key)):
            if (items.namespace_of(row), items.key_of(row)) == (tuple(namespace), key):
                return row
        return None

    def _within(self, prefix: Sequence[str], limit: int = MOST) -> Sequence[Record]:
        """The first items of a namespace. Where its tag finds others too, all are read."""
        wanted = tuple(prefix)
        while True:
            rows = self._memory.ledger.rows(items.within(prefix, limit=limit))
            found = [row for row in rows if items.namespace_of(row)[: len(wanted)] == wanted]
            if len(found) == len(rows) or len(rows) < limit or limit >= MOST:
                return found
            limit = MOST

    def _search(self, op: SearchOp) -> list[tuple[Record, float | None]]:
        end = op.offset + op.limit
        if op.offset < 0 or op.limit < 1:
            return []
        query = (op.query or "").strip()
        plain = not op.filter and not query
        rows = self._within(op.namespace_prefix, end if plain else MOST)
        rows = [row for row in rows if items.meets(items.value_of(row), op.filter)]
        scores = self._scores(query) if query and rows else {}
        # What has no vector by its caller's wish has no score either, as in LangGraph's own stores.
        found = [(row, None if row.skip_embedding else scores.get(row.id)) for row in rows]
        found.sort(key=lambda pair: -1.0 if pair[1] is None else pair[1], reverse=True)
        return found[op.offset : end]

    def _scores(self, query: str) -> Mapping[str, float]:
        """How well memories answer a query, by id."""
        target = {"search": {"intent": {"query": query}, "limit": MOST}}
        result = self._memory.ledger.run(
            {"stage": "RET", "op": "Retrieve", "target": target, "args": {"include": ["score"]}}
        )
        return {str(row["id"]): row["score"] for row in result.results[0].rows}

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        found = set()
        for labels in {items.namespace_of(record) for record in self._within(_known(op))}:
            if all(items.fits(labels, each.match_type, each.path) for each in conditions):
                found.add(labels if op.max_depth is None else labels[: op.max_depth])
        return sorted(found)[op.offset : op.offset + op.limit]

    # --- writing ---------------------------------------------------------------------------

    def _write(self, puts: Mapping[tuple[Namespace, str], PutOp]) -> None:
        if not puts:
            return

        def write(run: Run) -> None:
            steps: list[Instance] = []
            for (namespace, key), op in puts.items():
                held = self._held(namespace, key)
                if op.value is not None:
                    steps += items.putting(
                        namespace, key, op.value, held,
                        ttl=op.ttl, vector=op.index is not False, first=len(steps) + 1,
                    )  # fmt: skip
                elif held is not None:
                    steps.append(items.deleting(held))
            if steps:
                run(steps)

        in_one_transaction(self._memory.ledger, write)

    def _prolong(self, used: Iterable[Record]) -> None:
        """Restart the time to live of what was read; what the actor may not write is left alone."""
        steps = [step for step in map(items.prolonging, used) if step is not None]
        try:
            self._run(steps)
        except ExecutionError:
            for step in steps:
                with suppress(ExecutionError):
                    self._run([step])

    def _run(self, steps: list[Instance]) -> None:
        if steps:
            in_one_transaction(self._memory.ledger, lambda run: run(steps))


def _found(record: Record, score: float | None) -> SearchItem:
    return SearchItem(
        items.namespace_of(record), items.key_of(record), items.value_of(record),
        record.created_at, record.updated_at, score,
    )  # fmt: skip


def _known(op: ListNamespacesOp) -> Namespace:
    """The labels that every namespace of a listing begins with, by its conditions."""
    for condition in op.match_conditions or ():
        if condition.match_type == "prefix":
            return tuple(takewhile(lambda label: label != "*", condition.path))
    return ()
