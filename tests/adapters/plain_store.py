"""A plain store with a short way to call it, and model services that answer from a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import hypot
from typing import Any, cast

from text2mem.adapters.base import Effect, Embedding, Env, Scope, Vector
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Trail
from text2mem.ir.ops import AllMemories, Attributes, ByIds, Content, Edits, Encode, Op, Update
from text2mem.ir.record import Record
from text2mem.ir.registry import Registry
from text2mem_bench.oracle.adapter import PlainAdapter

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
ALL = AllMemories()


@dataclass
class Toy:
    """Services: a splitter that cuts in the middle, and vectors of the words of a table."""

    embedding: Embedding | None = None
    words: Mapping[str, Vector] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False

    def split(self, text: str, instruction: str) -> Sequence[str]:
        middle = len(text) // 2
        return [text[:middle], text[middle:]]

    def fetch(self, url: str) -> str | None:
        return self.pages.get(url)

    def vectors(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        return [self.query_vector(text) for text in texts]

    def query_vector(self, text: str) -> Vector | None:
        """The sum of the words' vectors, of unit length; a text without any leans to the side."""
        if self.silent:
            return None
        words = text.replace(".", " ").split()
        found = [self.words[word] for word in words if word in self.words]
        total = [sum(parts) for parts in zip(*found or [(0.0, 0.0, 1.0)], strict=True)]
        return [part / hypot(*total) for part in total]


class Store:
    """An adapter with a short way to call it, and a registry that declares nothing."""

    def __init__(self) -> None:
        self.adapter = PlainAdapter()
        self.context = ExecutionContext()
        self.now = NOW
        self.services = Toy()
        self.register()

    def env(self) -> Env:
        return Env(self.context, self.now, self.services)

    def encode(self, content: Content, **attributes: Any) -> Effect:
        given = {name: attributes.pop(name) for name in _OWN if name in attributes}
        op = Encode(content=content, attributes=cast(Attributes, attributes), **given)
        return self.adapter.lower(op, (), self.env())

    def text(self, text: str, **attributes: Any) -> str:
        return self.encode(Content("text", text), **attributes).created[0]

    def state(self, value: Any, attribute: str = "city", **attributes: Any) -> Effect:
        """Encode a fact about Ann."""
        structured = {"subject": "Ann", "attribute": attribute, "value": value}
        return self.encode(Content("structured", structured), **attributes)

    def fact(self, value: Any, attribute: str = "city", **attributes: Any) -> str:
        return self.state(value, attribute, **attributes).created[0]

    def run(self, op: Op, *ids: str) -> Effect:
        return self.adapter.lower(op, [self.row(id_) for id_ in ids], self.env())

    def edit(self, *ids: str, **edits: Any) -> Effect:
        return self.run(Update(target=ALL, edits=cast(Edits, edits)), *ids)

    def step(self, trace_id: str, effect: Effect, op: str = "Encode") -> Effect:
        """Journal an effect."""
        self.adapter.journal(Trail(trace_id, 1, op), effect, self.env())
        return effect

    def register(self, **document: Any) -> None:
        version = self.adapter.registry().version + 1
        self.adapter.set_registry(Registry.load({"version": version, **document}), self.env())

    def scope(self, **options: Any) -> Scope:
        return Scope(context=self.context, now=self.now, services=self.services, **options)

    def ids(self, target: Any, **options: Any) -> list[str]:
        found = self.adapter.resolve(target, self.scope(**options))
        return [row.id for row in found.rows]

    def row(self, id_: str) -> Record:
        [row] = self.adapter.resolve(ByIds((id_,)), self.scope(deleted=True)).rows
        return row


_OWN = ("expire_at", "skip_embedding", "lineage_parents")
