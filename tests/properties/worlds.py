"""Stores side by side: the same programs on each of them, and what they must agree on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from math import hypot
from typing import Any, Literal
from zoneinfo import ZoneInfo

from tests.properties import small_world as small
from text2mem.adapters.base import Adapter, Env, Scope
from text2mem.adapters.memory import MemoryAdapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.errors import FetchRefused, ServiceUnreachable, Text2MemError
from text2mem.executor import Prepared, execute, tick, undo
from text2mem.executor.reindex import reindex
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByFilter, ByIds, BySearch, Op, Retrieve
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

READERS = (LOCAL, Caller("ana"), Caller("bo", roles=("team",)))
INSTANTS = tuple(small.BEGIN + small.STEP * number for number in range(-4, 9, 2))
_SHOWN: Any = (
    "text", "tags", "facets", "subject", "weight", "attribute", "value", "valid_from", "valid_to",
)  # fmt: skip
ALL = Retrieve(target=ByFilter(limit=99), include=_SHOWN)
HIDDEN = replace(ALL, include_archived=True, include_deleted=True)
READS = (
    ALL, replace(ALL, include=()), HIDDEN,
    *(
        Retrieve(target=BySearch(query=query, limit=9), include=("text", "score"))
        for query in ("milk", "milk tea rent", "茶 房租", "Ann Rome home")
    ),
    *(replace(ALL, target=ByFilter(has_tags=(tag,), limit=3)) for tag in ("home", "茶")),
    *(
        replace(ALL, target=ByFilter(limit=3, **{name: value}))  # type: ignore[arg-type]
        for name, value in (
            ("type", "task"), ("subject", "Ann"), ("attribute", "city"), ("location", "milk"),
            ("topic", "milk"), ("facets", {"k": 1}), ("weight_gte", 0.6), ("not_tags", ("q3",)),
            ("expire_before", small.BEGIN + 3 * small.STEP),
        )
    ),
)  # fmt: skip


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


def glance(adapter: Adapter, now: datetime) -> dict[str, Any]:
    """What the views of several callers show, and what is due or missing."""
    context = LOCAL.context(now)
    out: dict[str, Any] = {
        "active": adapter.active(context),
        "due": [row.id for row in adapter.due_reminders(Env(context, now, services()))],
        "falls due": adapter.falls_due(context, now, now + timedelta(days=1)),
        "without vectors": [row.id for row in adapter.without_vectors(50)],
        "registry": adapter.registry().version,
    }
    for caller in READERS:
        view = adapter.view(caller.context(now))
        out[f"seen by {caller.actor}"] = [view.tags(), [as_image(row) for row in view.recent(99)]]
    return out


def answers(adapter: Adapter, now: datetime, embedder: str, *, known: datetime) -> dict[str, Any]:
    """What a fixed set of reads returns at an instant; ``known_at`` is asked before ``known``."""
    out = {}
    for caller in READERS:
        caller = replace(caller, embedder=embedder)
        for read in READS if caller.actor is None else READS[:4]:
            out[f"{caller.actor}: {read}"] = rows(adapter, read, caller, now)
    for read in (ALL, HIDDEN):
        for as_of in INSTANTS:
            out[f"{read} as of {as_of}"] = rows(adapter, replace(read, as_of=as_of), LOCAL, now)
            for known_at in (None, *INSTANTS[::2]):
                if known_at is not None and known_at < known:
                    asked = replace(read, as_of=as_of, known_at=known_at)
                    out[f"{read} as of {as_of} known at {known_at}"] = rows(
                        adapter, asked, LOCAL, now
                    )
    return plain(out)


def rows(adapter: Adapter, read: Retrieve, caller: Caller, now: datetime) -> Any:
    """What one read returns: its rows, how many matched, its warnings; or its refusal."""
    result = execute([read], adapter, caller.context(now), prepared=services(caller.embedder))
    (step,) = told(result)["results"]
    return [step[key] for key in ("rows", "matched", "warnings", "error")]


# --- stores side by side --------------------------------------------------------------------


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
                    programs[name], store, context, basis=basis,
                    prepared=services(caller.embedder) if prepared is None else prepared,
                )
            )
        )  # fmt: skip
        for step in answer.get("results", ()):
            if not caller.dry:
                self.last_id = max([self.last_id, *map(int, step["created"])])
        return answer

    def glimpse(self) -> small.Glimpse:
        """What the next program may speak of."""
        store = next(iter(self.stores.values()))
        ids = tuple(state(store, self.now, self.last_id))
        return small.Glimpse(self.now, ids, str(self.last_id + 1))

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
