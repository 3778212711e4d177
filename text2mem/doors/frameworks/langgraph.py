"""LangGraph's long-term store, kept in a store of memories."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile

from text2mem.doors.frameworks import items
from text2mem.doors.frameworks.items import MOST, Instance, Namespace
from text2mem.doors.frameworks.toolbox import lock_of
from text2mem.errors import ConfigurationError, ExecutionError, needing
from text2mem.ir.arguments import as_words
from text2mem.ir.record import Record
from text2mem.ledger.writing import Run, in_one_transaction
from text2mem.memory import Memory

with needing("the store for LangGraph", extra="langgraph"):
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


class Text2MemStore(BaseStore):
    """Items by namespace and key, kept as memories (docs/frameworks.md, "LangGraph").

    The puts and deletes of a batch are one program, which has one trace and is carried out as a
    whole or not at all. The reads of a batch see the store as it was before. The caller closes
    ``memory``. Raises ExecutionError if the store refuses, ValidationError for a value that is not
    JSON, ConfigurationError for a wrong filter or time to live, and InvalidNamespaceError.
    """

    supports_ttl = True

    def __init__(self, memory: Memory, *, ttl: TTLConfig | None = None) -> None:
        self.ttl_config = ttl
        self._memory = memory
        self._lock = lock_of(memory)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out several operations, and return their results in order."""
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
        """Carry out several operations in a thread, as ``batch`` does."""
        return await asyncio.to_thread(self.batch, list(ops))

    # --- reading ---------------------------------------------------------------------------

    def _read(self, op: Op, used: dict[str, Record]) -> Result:
        """The result of a read, else None. Items to be prolonged are added to ``used``, by id."""
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
            hits = self._search(op)
            used |= {record.id: record for record, _ in hits} if op.refresh_ttl else {}
            return [_as_item(record, score) for record, score in hits]
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        if isinstance(op, PutOp):
            return None
        raise ConfigurationError(f"a store has no operation {type(op).__name__}")

    def _held(self, namespace: Namespace, key: str) -> Record | None:
        wanted = tuple(namespace), key
        rows = self._memory.ledger.rows(items.at(namespace, key))
        return next((r for r in rows if (items.namespace_of(r), items.key_of(r)) == wanted), None)

    def _within(self, prefix: Sequence[str], limit: int = MOST) -> Sequence[Record]:
        """The first items of a namespace and of those below it."""
        rows = self._memory.ledger.rows(items.within(prefix, limit=limit))
        found = [row for row in rows if items.namespace_of(row)[: len(prefix)] == tuple(prefix)]
        if len(found) == len(rows) or len(rows) < limit or limit >= MOST:
            return found
        return self._within(prefix)  # the limit has counted items of others, too

    def _search(self, op: SearchOp) -> list[tuple[Record, float | None]]:
        """The items that a search finds, with their scores, the best first."""
        end = op.offset + op.limit
        if op.offset < 0 or op.limit < 1:
            return []
        query = as_words("query", op.query or "").strip()
        plain = not op.filter and not query
        rows = self._within(op.namespace_prefix, end if plain else MOST)
        rows = [row for row in rows if items.meets(items.value_of(row), op.filter)]
        scores = self._scores(query) if query and rows else {}
        # As in LangGraph's own stores, an item that was put with ``index=False`` has no score.
        found = [(row, None if row.skip_embedding else scores.get(row.id)) for row in rows]
        found.sort(key=lambda pair: -1.0 if pair[1] is None else pair[1], reverse=True)
        return found[op.offset : end]

    def _scores(self, query: str) -> Mapping[str, float]:
        target = {"search": {"intent": {"query": query}, "limit": MOST}}
        result = self._memory.ledger.run(
            {"stage": "RET", "op": "Retrieve", "target": target, "args": {"include": ["score"]}}
        )
        return {str(row["id"]): row["score"] for row in result.results[0].rows}

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        """The namespaces that meet all conditions, cut to ``max_depth`` labels, in order."""
        conditions = op.match_conditions or ()
        found = {
            labels[: op.max_depth]
            for labels in map(items.namespace_of, self._within(_known(op)))
            if all(items.fits(labels, each.match_type, each.path) for each in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]

    # --- writing ---------------------------------------------------------------------------

    def _write(self, puts: Mapping[tuple[Namespace, str], PutOp]) -> None:
        """Carry out puts and deletes as one program; ``puts`` has the last one of each key."""
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
        """Restart the time to live of these items, except those that the actor may not change."""
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


def _as_item(record: Record, score: float | None) -> SearchItem:
    return SearchItem(
        items.namespace_of(record), items.key_of(record), items.value_of(record),
        record.created_at, record.updated_at, score,
    )  # fmt: skip


def _known(op: ListNamespacesOp) -> Namespace:
    """The labels that all namespaces of a listing begin with, by its first condition on a
    prefix."""
    for condition in op.match_conditions or ():
        if condition.match_type == "prefix":
            return tuple(takewhile(lambda label: label != "*", condition.path))
    return ()
