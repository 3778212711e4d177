"""Cases played on a store: the steps that fill it, a program, and every memory before and after."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from text2mem.adapters.base import Adapter, Scope
from text2mem.adapters.registry import GROUP, open_adapter, shown
from text2mem.clock import FixedClock
from text2mem.errors import (
    AdapterError,
    ConfigurationError,
    ParseError,
    Text2MemError,
    ValidationError,
)
from text2mem.executor.history import find
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByIds
from text2mem.ir.ports import Embedder, Preview, StoreView
from text2mem.ir.record import Record
from text2mem.ir.result import ProgramResult
from text2mem.planner import Attempt
from text2mem.plugins import entry
from text2mem.program import Program
from text2mem.providers.base import Usage
from text2mem.running import execute, previewing
from text2mem_bench.assertions import Table
from text2mem_bench.mirrors import taken_away
from text2mem_bench.places import PostgresPlace, begun

Opener = Callable[[], AbstractContextManager[Adapter]]
"""Opens an empty store, gone at the end."""
Memories = Mapping[str, Record]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One program of those that fill a store. ``now`` None is the instant of the case."""

    program: Any
    now: datetime | None = None
    tenant: str = "default"
    actor: str | None = None
    roles: frozenset[str] = frozenset()

    @classmethod
    def read(cls, raw: Any) -> Step:
        """A step as a fixture writes it: a program, or an object with ``program`` and whose it is.

        Raises KeyError, TypeError or ValueError.
        """
        if not isinstance(raw, dict) or "program" not in raw or "op" in raw:
            return cls(program=raw)
        return cls(
            program=raw["program"], now=None if "now" not in raw else instant(raw["now"]),
            tenant=raw.get("tenant", "default"), actor=raw.get("actor"),
            roles=frozenset(raw.get("roles", ())),
        )  # fmt: skip

    def context(self, now: datetime) -> ExecutionContext:
        """Who plays the step, and when; what fills a store is confirmed."""
        return ExecutionContext(
            tenant=self.tenant, actor=self.actor, roles=self.roles,
            clock=FixedClock(self.now or now), confirmed=True,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scene:
    """A store as a planner meets it: what may be seen of it, and what a draft would do to it."""

    view: StoreView
    preview: Preview

    @classmethod
    def of(cls, adapter: Adapter, context: ExecutionContext) -> Scene:
        """An open store, for whoever asks there."""
        return cls(adapter.view(context), previewing(adapter, context))


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a program did not run: its code, and where. ``pointer`` addresses ``part``.

    A prerequisite is addressed by its place among those that fill the store.
    """

    code: str
    pointer: str
    message: str
    part: Literal["prerequisites", "program"] = "program"

    @property
    def key(self) -> str:
        """The key that the pointer ends in, list places left out."""
        tokens = [token for token in self.pointer.split("/") if not token.isdecimal()]
        return (tokens or [""])[-1].replace("~1", "/").replace("~0", "~")

    def as_dict(self) -> dict[str, str]:
        """The fault as JSON."""
        return {
            "part": self.part, "code": self.code, "pointer": self.pointer, "message": self.message,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stopped:
    """A program that did not run: not legal, or refused by the store; every reason."""

    status: Literal["illegal", "refused"]
    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        told = (f"{f.part}, {f.pointer or '/'}: {f.message} [{f.code}]" for f in self.faults)
        return "; ".join(told)


def run(
    program: Program | Any,
    adapter: Adapter,
    context: ExecutionContext,
    embedder: Embedder | None = None,
) -> ProgramResult | Stopped:
    """What a program, JSON in any spelling or typed, did, or why it did not run.

    Digests are extractive, and nothing splits by words: no model takes part.
    """
    try:
        result = execute(program, adapter, context=context, embedder=embedder)
    except (ValidationError, ParseError) as error:
        return illegal(error)
    except AdapterError as error:
        return Stopped("refused", (Fault(type(error).__name__, "", error.message),))
    failed = result.error
    if failed is None:
        return result
    return Stopped("refused", (Fault(failed.code, failed.pointer, failed.message),))


def illegal(error: ValidationError | ParseError) -> Stopped:
    """A program that is none."""
    if isinstance(error, ParseError):
        return Stopped("illegal", (Fault("unreadable", error.pointer, error.message),))
    return Stopped("illegal", tuple(Fault(d.code, d.pointer, d.message) for d in error.diagnostics))


def spent(error: Text2MemError) -> Usage:
    """The tokens of a plan that came to nothing."""
    drafts = [each for each in getattr(error, "attempts", ()) if isinstance(each, Attempt)]
    if drafts:
        return sum((draft.usage for draft in drafts), Usage())
    used = getattr(error, "usage", None)
    return used if isinstance(used, Usage) else Usage()


def fill(
    adapter: Adapter, steps: Sequence[Step], now: datetime, embedder: Embedder | None = None
) -> Stopped | None:
    """Play the steps of one tenant; the first that does not run, if one does not.

    A step of one instance, which stands in no list, is addressed as that.
    """
    for index, step in enumerate(steps):
        alone = isinstance(step.program, dict)
        program = [step.program] if alone else step.program
        ran = run(program, adapter, step.context(now), embedder)
        if isinstance(ran, Stopped):
            placed = [
                replace(
                    fault, part="prerequisites",
                    pointer=f"/{index}" + fault.pointer.removeprefix("/0" if alone else ""),
                )
                for fault in ran.faults
            ]  # fmt: skip
            return Stopped(ran.status, tuple(placed))
    return None


def snapshot(adapter: Adapter, now: datetime, tenant: str = "default") -> Memories:
    """Every memory of a tenant by id, archived, deleted and past ones too, as ticked at ``now``."""
    context = ExecutionContext(tenant=tenant, clock=FixedClock(now))
    ids = {entry.id for entry in adapter.entries(context)}
    found = find(adapter, context, sorted(ids, key=int))
    return dict(sorted(found.items(), key=lambda item: int(item[0])))


def held(adapter: Adapter, context: ExecutionContext) -> Sequence[Record]:
    """Every memory of a tenant as it is held, whatever is due; archived and deleted ones too."""
    ids = sorted({entry.id for entry in adapter.entries(context)}, key=int)
    scope = Scope(context=context, now=context.clock.now(), archived=True, deleted=True)
    return adapter.resolve(ByIds(tuple(ids)), scope).rows


def instant(text: str) -> datetime:
    """An instant in the stored form, or in any other of ISO 8601. Raises ValueError."""
    read = datetime.fromisoformat(text)
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)


# --- stores --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stores:
    """Fresh stores: copies of one migrated, empty database. Threads may share them.

    With an ``opener`` those that are ``opened`` are of another backend.
    """

    folder: Path
    empty: sqlite3.Connection
    lock: threading.Lock = field(default_factory=threading.Lock)
    opener: Opener | None = None

    @contextmanager
    def fresh(self) -> Iterator[tuple[Adapter, Path]]:
        """An empty store and its file, gone at the end."""
        with TemporaryDirectory(dir=self.folder) as own:
            path = Path(own) / "store.db"
            with self.lock, closing(sqlite3.connect(path)) as copy:
                self.empty.backup(copy)
            with closing(open_adapter(path)) as adapter:
                yield adapter, path

    @contextmanager
    def opened(self) -> Iterator[Adapter]:
        """An empty store, gone at the end."""
        if self.opener is None:
            with self.fresh() as (adapter, _):
                yield adapter
        else:
            with self.opener() as adapter:
                yield adapter

    @contextmanager
    def table(self) -> Iterator[Table]:
        """What counts the memories of any of them."""
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
            with self.lock:
                self.empty.backup(copy)
            yield Table(copy)


@contextmanager
def temporary_stores() -> Iterator[Stores]:
    """Stores in a temporary folder: migrated once, copied for every case."""
    # Threads of an interrupted run may still have a store open while the folder goes.
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        open_adapter(folder / "empty.db").close()
        with closing(sqlite3.connect(folder / "empty.db", check_same_thread=False)) as empty:
            yield Stores(folder, empty)


@contextmanager
def backends(names: Sequence[str]) -> Iterator[dict[str, Opener]]:
    """How to open empty stores of each named adapter; SQLite's are copies of one migrated file.

    A name may be that of a whole store, as ``letta:http://localhost:8283?sidecar=:memory:``; what
    it is given is taken away again. A Postgres is emptied each time, in a schema that was not there
    before and goes at the end. Raises ConfigurationError for a name that no adapter has.
    """
    for name in names:
        entry(GROUP, "adapter", _kind(name))
    with ExitStack() as stack:
        openers: dict[str, Opener] = {}
        for name in dict.fromkeys(names):
            if name == "sqlite":
                openers[name] = stack.enter_context(temporary_stores()).opened
            elif _kind(name) == "postgres":
                place = PostgresPlace(name.partition(":")[2])
                stack.enter_context(begun([place]))
                stack.enter_context(closing(place.opened()))  # so that its pool stays
                openers[name] = _emptied(place)
            else:
                openers[name] = _opener(name)
        yield openers


def supports(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """How each named adapter carries out each op: native, emulated or unsupported."""
    return {
        name: {
            op: support.value
            for op, support in entry(GROUP, "adapter", _kind(name)).load().support.items()
        }
        for name in names
    }


def labelled(specs: Sequence[str]) -> dict[str, str]:
    """Stores by the names that they go by in a report, which say nothing of where a server is.

    Raises ConfigurationError where two would have the same.
    """
    found = {_label(spec): spec for spec in specs}
    if len(found) < len(specs):
        raise ConfigurationError("a store is played once", hint="name each --store once")
    return found


def _label(spec: str) -> str:
    kind, _, rest = spec.partition(":")
    on, server, _ = rest.partition("://")
    return f"{kind} ({on})" if server and kind != "postgres" else kind


def _kind(name: str) -> str:
    return name.partition(":")[0]


def _emptied(place: PostgresPlace) -> Opener:
    def opened() -> AbstractContextManager[Adapter]:
        place.empty()
        return closing(place.opened())

    return opened


def _opener(name: str) -> Opener:
    @contextmanager
    def opened() -> Iterator[Adapter]:
        with closing(open_adapter(name if ":" in name else f"{name}:")) as adapter:
            if adapter.entries(ExecutionContext(), limit=1):
                raise ConfigurationError(
                    f"{shown(name)} is not empty", hint="each row begins with a store of its own; "
                    "with ?sidecar=:memory: a framework's is one",
                )  # fmt: skip
            yield adapter
            taken_away(adapter)

    return opened
