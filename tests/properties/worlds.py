"""Stores side by side: the same programs on each of them, and what they must agree on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from tests import postgres
from tests.properties.answers import answers, entries, glance, plain, state, told
from tests.properties.callers import EMBEDDERS, LOCAL, Caller, services
from tests.properties.vocabulary import Glimpse
from text2mem.adapters.base import Adapter, Env
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import Text2MemError
from text2mem.executor import Basis, Prepared, execute, tick, undo
from text2mem.executor.reindex import reindex
from text2mem.ir.ops import Op
from text2mem.ir.registry import Registry
from text2mem_bench.oracle.adapter import PlainAdapter

BACKENDS: Mapping[str, Callable[[], Adapter]] = {"plain": PlainAdapter, "sqlite": SqliteAdapter}
STORES: Mapping[str, Callable[[], Adapter]] = {**BACKENDS, "postgres": postgres.fresh}
"""Those, and one on which an example costs so much that it has a module of its own."""


@dataclass
class SideBySide:
    """One store of each of some backends, to which the same is done. Differences are errors."""

    now: datetime
    stores: dict[str, Adapter] = field(
        default_factory=lambda: {name: make() for name, make in BACKENDS.items()}
    )
    last_id: int = 0
    traces: list[str] = field(default_factory=list)

    def all(self, action: Callable[[Adapter], Any]) -> Any:
        """What every store answers to an action, which must be one and the same."""
        return self.each(lambda _, store: action(store))

    def each(self, action: Callable[[str, Adapter], Any]) -> Any:
        """The same of an action that knows the store's name."""
        first, *others = (outcome(partial(action, *store)) for store in self.stores.items())
        for other in others:
            assert first == other, difference(first, other)
        return first

    def run(
        self,
        ops: Sequence[Op] | Mapping[str, Sequence[Op]],
        caller: Caller = LOCAL,
        *,
        prepared: Prepared | None = None,
        basis: str | None = None,
    ) -> Any:
        """A program, under a trace of its own; the same for all, or one for each store."""
        context = caller.context(self.now, self._trace())
        programs = {name: ops[name] if isinstance(ops, Mapping) else ops for name in self.stores}
        answer = self.each(
            lambda name, store: told(
                execute(
                    programs[name], store, context, basis=Basis.read(basis),
                    prepared=services(caller.embedder) if prepared is None else prepared,
                )
            )
        )  # fmt: skip
        for step in answer.get("results", ()):
            if not caller.dry:
                self.last_id = max([self.last_id, *map(int, step["created"])])
        return answer

    def glimpse(self) -> Glimpse:
        """What the next program may speak of."""
        store = next(iter(self.stores.values()))
        ids = tuple(state(store, self.now, self.last_id))
        return Glimpse(self.now, ids, str(self.last_id + 1))

    def undo(self, trace_id: str, caller: Caller = LOCAL, *, force: bool = False) -> Any:
        """An undo, under a trace of its own."""
        context = caller.context(self.now, self._trace())
        return self.all(
            lambda store: told(
                undo(trace_id, store, context, force=force, prepared=services(caller.embedder))
            )
        )

    def tick(self, caller: Caller = LOCAL) -> Any:
        """A tick, under a trace of its own."""
        context = caller.context(self.now, self._trace())
        return self.all(lambda store: tick(store, context).as_dict())

    def register(self, registry: Registry) -> Any:
        """Another registry."""

        def set_it(store: Adapter) -> int:
            with store.transaction():
                store.set_registry(registry, Env(LOCAL.context(self.now), self.now, services()))
            return store.registry().version

        return self.all(set_it)

    def reindex(self, embedder: str, *, afresh: bool) -> Any:
        """The indexes made anew, with an embedder of ``EMBEDDERS``."""
        return self.all(lambda store: list(reindex(store, EMBEDDERS[embedder], afresh=afresh)))

    def compare(self) -> None:
        """The memories, the journals, and what views and clocks ask."""
        self.all(lambda store: state(store, self.now, self.last_id + 1))
        self.all(entries)
        self.all(lambda store: store.mark(LOCAL.context(self.now)) > 0)
        self.all(lambda store: glance(store, self.now))

    def ask(self, embedder: str) -> None:
        """The answers to a fixed set of reads."""
        self.all(
            lambda store: answers(store, self.now, embedder, known=datetime.max.replace(tzinfo=UTC))
        )

    def close(self) -> None:
        """Release the stores."""
        for store in self.stores.values():
            store.close()

    def _trace(self) -> str:
        self.traces.append(f"t{len(self.traces) + 1}")
        return self.traces[-1]


@dataclass
class TakingTurns(SideBySide):
    """Stores with two connections each: every action is done on the one that waited."""

    waiting: dict[str, Adapter] = field(default_factory=dict)

    def each(self, action: Callable[[str, Adapter], Any]) -> Any:
        """What every store answers on its other connection."""
        self.stores, self.waiting = self.waiting, self.stores
        return super().each(action)

    def close(self) -> None:
        """Release all of the connections."""
        super().close()
        for store in self.waiting.values():
            store.close()


def outcome(action: Callable[[], Any]) -> Any:
    """What an action returns as plain JSON, or the class of error that it raises."""
    try:
        return plain(action())
    except Text2MemError as error:
        return {"raised": type(error).__name__}


def difference(one: Any, other: Any) -> str:
    """Where two answers differ first, and what each of them says there."""
    path, values = _first((one, other), "")
    return "\n".join([f"they differ at {path or '/'}", *(json.dumps(v)[:600] for v in values)])


def _first(values: tuple[Any, ...], path: str) -> tuple[str, tuple[Any, ...]]:
    one, other = values[0], values[1]
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            if one.get(key, ...) != other.get(key, ...):
                if key in one and key in other:
                    return _first((one[key], other[key]), f"{path}/{key}")
                return f"{path}/{key}", tuple(each.get(key, each) for each in values)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            if pair[0] != pair[1]:
                return _first(pair, f"{path}/{index}")
    return path, values
