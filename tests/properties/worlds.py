"""Stores side by side: the same programs on each of them, and what they must agree on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from math import hypot
from typing import Any, Literal
from zoneinfo import ZoneInfo

from text2mem.adapters.base import Adapter, Env, Scope
from text2mem.adapters.memory import MemoryAdapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.errors import FetchRefused, ServiceUnreachable, Text2MemError
from text2mem.executor import Prepared, execute, tick, undo
from text2mem.executor.reindex import reindex
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByIds, Op
from text2mem.ir.ports import Digest
from text2mem.ir.record import as_image
from text2mem.ir.registry import Registry
from text2mem.ir.result import ProgramResult

BACKENDS: Mapping[str, Callable[[], Adapter]] = {"memory": MemoryAdapter, "sqlite": SqliteAdapter}


# --- services ------------------------------------------------------------------------------


@dataclass
class ToyEmbedder:
    """A vector of four dimensions: how many words of a text fall into each of four boxes."""

    model: str = "toy:boxes"
    dimension: int | None = 4
    threshold: float = 0.57123
    silent: bool = False

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        if self.silent:
            raise ServiceUnreachable("the toy is silent")
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> list[float]:
        boxes = [0.0] * 4
        for word in re.findall(r"[a-z]+|[^\W\da-z_]", text.lower()) or ["?"]:
            boxes[sum(map(ord, word)) % 4] += 1
        return [count / hypot(*boxes) for count in boxes]


EMBEDDERS: Mapping[str, ToyEmbedder | None] = {
    "none": None,
    "toy": ToyEmbedder(),
    "silent": ToyEmbedder(silent=True),
    "other": ToyEmbedder(model="toy:other"),
}


class AtSemicolons:
    """A splitter: the parts between semicolons."""

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        return [part.strip() for part in text.split(";")]


class Joined:
    """A summariser: the texts in a row, after the focus in brackets."""

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> Digest:
        return Digest((f"[{focus}] " if focus else "") + " / ".join(texts), extractive=False)


@dataclass(frozen=True)
class Page:
    """What was behind a url."""

    text: str


class Pages:
    """A fetcher that knows one page."""

    def fetch(self, url: str) -> Page:
        if not url.endswith("rent"):
            raise FetchRefused("status", f"there is nothing at {url}")
        return Page("The rent is due. Bring tea!")


def services(embedder: str = "none") -> Prepared:
    """Toy services, the embedder one of ``EMBEDDERS``."""
    return Prepared(Joined(), AtSemicolons(), EMBEDDERS[embedder], Pages())


# --- what is told of a store ---------------------------------------------------------------


def told(result: ProgramResult) -> Any:
    """A result but for how long it took, its wording of refusals and its mark of the journal."""
    out = result.as_dict()
    if out["basis"] is not None:
        out["basis"] = out["basis"].partition(".")[2]
    for step in out["results"]:
        del step["duration_ms"]
        if step["error"] is not None:
            del step["error"]["message"], step["error"]["hint"]
    return out


def plain(value: Any) -> Any:
    """JSON in which 1, 1.0 and true differ, and the last digits of a float do not count."""
    text = json.dumps(value, sort_keys=True)
    return json.loads(text, parse_float=lambda digits: f"float {float(digits):.5f}")


def outcome(action: Callable[[], Any]) -> Any:
    """What an action returns as plain JSON, or the class of error that it raises."""
    try:
        return plain(action())
    except Text2MemError as error:
        return {"raised": type(error).__name__}


def everyone(now: datetime) -> Scope:
    """The local user's sight of everything, deleted memories too."""
    context = ExecutionContext(clock=FixedClock(now))
    return Scope(context=context, now=now, archived=True, deleted=True)


def state(adapter: Adapter, now: datetime, most: int) -> dict[str, dict[str, Any]]:
    """Every memory with an id up to ``most``, with all of its fields."""
    target = ByIds(tuple(str(number) for number in range(1, most + 1)))
    return {row.id: as_image(row) for row in adapter.resolve(target, everyone(now)).rows}


def entries(adapter: Adapter) -> list[Any]:
    """The journal, oldest entry first; those of one step by the memory."""
    found = [
        {
            "trace": entry.trail.trace_id, "step": entry.trail.step, "op": entry.trail.op,
            "at": entry.at.isoformat(), "actor": entry.actor, "id": int(entry.id),
            "kind": entry.kind, "forgotten": entry.forgotten,
            "changes": {c.field: [c.before, c.after] for c in entry.changes},
        }
        for entry in reversed(adapter.entries(ExecutionContext()))
    ]  # fmt: skip
    out: list[Any] = []
    for entry in found:
        if out and all(out[-1][-1][key] == entry[key] for key in ("trace", "step", "op")):
            out[-1].append(entry)
        else:
            out.append([entry])
    return [sorted(step, key=lambda entry: entry["id"]) for step in out]


# --- callers -------------------------------------------------------------------------------

ZONES: Mapping[str, tzinfo] = {"UTC": UTC, "Shanghai": ZoneInfo("Asia/Shanghai")}


@dataclass(frozen=True)
class Caller:
    """Who runs a program, and with which embedder."""

    actor: str | None = None
    roles: tuple[str, ...] = ()
    zone: str = "UTC"
    confirmed: bool = True
    dry: bool = False
    embedder: str = "none"

    def context(self, now: datetime, trace_id: str | None = None) -> ExecutionContext:
        """The context of a program of this caller."""
        return ExecutionContext(
            actor=self.actor, roles=frozenset(self.roles), tz=ZONES[self.zone],
            confirmed=self.confirmed, dry_run=self.dry, clock=FixedClock(now), trace_id=trace_id,
        )  # fmt: skip


LOCAL = Caller()


@dataclass
class Twins:
    """One store of every backend, to which the same is done. Every difference is an error."""

    now: datetime
    stores: dict[str, Adapter] = field(
        default_factory=lambda: {name: make() for name, make in BACKENDS.items()}
    )
    last_id: int = 0
    traces: list[str] = field(default_factory=list)

    def both(self, action: Callable[[Adapter], Any]) -> Any:
        """What every store answers to an action, which is one and the same."""
        answers = {name: outcome(lambda: action(store)) for name, store in self.stores.items()}  # noqa: B023
        first, *others = answers
        for other in others:
            assert answers[first] == answers[other], difference(answers)
        return answers[first]

    def run(self, ops: Sequence[Op], caller: Caller = LOCAL) -> Any:
        """A program, under a trace of its own."""
        context = caller.context(self.now, self._trace())
        answer = self.both(
            lambda store: told(execute(ops, store, context, prepared=services(caller.embedder)))
        )
        for step in answer.get("results", ()):
            if not caller.dry:
                self.last_id = max([self.last_id, *map(int, step["created"])])
        return answer

    def undo(self, trace_id: str, caller: Caller = LOCAL, *, force: bool = False) -> Any:
        """An undo, under a trace of its own."""
        context = caller.context(self.now, self._trace())
        return self.both(
            lambda store: told(
                undo(
                    trace_id, store, context, force=force, prepared=services(caller.embedder)
                )
            )
        )

    def tick(self, caller: Caller = LOCAL) -> Any:
        """A tick, under a trace of its own."""
        context = caller.context(self.now, self._trace())
        return self.both(lambda store: tick(store, context).as_dict())

    def register(self, registry: Registry) -> Any:
        """Another registry."""

        def set_it(store: Adapter) -> int:
            with store.transaction():
                store.set_registry(registry, Env(LOCAL.context(self.now), self.now, services()))
            return store.registry().version

        return self.both(set_it)

    def reindex(self, embedder: str, *, afresh: bool) -> Any:
        """The indexes made anew, with an embedder of ``EMBEDDERS``."""
        return self.both(lambda store: list(reindex(store, EMBEDDERS[embedder], afresh=afresh)))

    def compare(self) -> None:
        """The memories, the journals and what is due."""
        context = LOCAL.context(self.now)
        env = Env(context, self.now, services())
        self.both(lambda store: state(store, self.now, self.last_id + 1))
        self.both(entries)
        self.both(lambda store: store.mark(context) > 0)
        self.both(lambda store: store.active(context))
        self.both(lambda store: [as_image(row) for row in store.due_reminders(env)])
        self.both(lambda store: store.falls_due(context, self.now, self.now + timedelta(days=1)))
        self.both(lambda store: [row.id for row in store.without_vectors(50)])
        for caller in (LOCAL, Caller("ana"), Caller("bo", roles=("team",))):
            self.both(lambda store: _seen(store, caller.context(self.now)))  # noqa: B023

    def close(self) -> None:
        """Release the stores."""
        for store in self.stores.values():
            store.close()

    def _trace(self) -> str:
        self.traces.append(f"t{len(self.traces) + 1}")
        return self.traces[-1]


def _seen(store: Adapter, context: ExecutionContext) -> Any:
    view = store.view(context)
    return {"tags": list(view.tags()), "recent": [as_image(row) for row in view.recent()]}


def difference(answers: Mapping[str, Any]) -> str:
    """Where the answers differ first, and what each of them says there."""
    names = list(answers)
    path, values = _first(tuple(answers.values()), "")
    said = "\n".join(f"  {n}: {json.dumps(v)[:600]}" for n, v in zip(names, values, strict=True))
    return f"they differ at {path or '/'}\n{said}"


def _first(values: tuple[Any, ...], path: str) -> tuple[str, tuple[Any, ...]]:
    one, other = values[0], values[1]
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            if one.get(key, ...) != other.get(key, ...):
                if key in one and key in other:
                    return _first((one[key], other[key]), f"{path}/{key}")
                return f"{path}/{key}", (one.get(key), other.get(key))
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            if pair[0] != pair[1]:
                return _first(pair, f"{path}/{index}")
    return path, values
