"""The store of ``secret_store`` as each actor has it, and what is told to whom."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.safety.secret_store import (
    ACTORS,
    BACKENDS,
    OWN,
    PAST,
    PROBED,
    TENANTS,
    Built,
    Secret,
    build,
    context_of,
)
from tests.store.programs import LONG, NOW
from text2mem import ExecutionContext, FixedClock, Memory
from text2mem.adapters.base import Scope
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import Text2MemError
from text2mem.ir.ops import ByIds
from text2mem_bench.oracle.adapter import PlainAdapter

POLICY = {"confirm": ["medication"]}
_WORD = re.compile("zq[a-z]{2}[vw]")


class Store:
    """A store that is there again as it was built, as often as it is wanted."""

    def __init__(self, backend: str, folder: Path) -> None:
        self.backend = backend
        self._template, self._path = folder / "template.db", folder / "store.db"
        self._adapters: dict[str, Any] = {}
        self.built = Built()
        if backend == "plain":
            self._adapters = {tenant: PlainAdapter(tenant) for tenant in TENANTS[:1]}
            self.built = build(self._memory, tenants=False)
            self._kept = self._adapters["default"]._state.copy()
        else:
            self._path = self._template
            self.built = build(self._memory, tenants=True)
            self._close()
            self._path = folder / "store.db"
        self.fresh()
        self.before = self.snapshot()

    def fresh(self) -> None:
        """Everything as it was built."""
        self.touched = False
        if self.backend == "plain":
            self._adapters["default"]._state = self._kept.copy()
            return
        self._close()
        for file in self._path.parent.glob("store.db*"):
            file.unlink()
        shutil.copy(self._template, self._path)

    def _close(self) -> None:
        for adapter in self._adapters.values():
            adapter.close()
        if self.backend == "sqlite":
            self._adapters = {}

    def _memory(self, context: ExecutionContext, **options: Any) -> Memory:
        if context.tenant not in self._adapters:
            self._adapters[context.tenant] = SqliteAdapter(self._path, tenant=context.tenant)
        return Memory(self._adapters[context.tenant], context=context, summariser="extractive",
                      embedder="none",
                      policy=POLICY, reader="none", **options)  # fmt: skip

    def memory(
        self, actor: str, at: datetime = NOW, *, dry: bool = False, **options: Any
    ) -> Memory:
        """The store as an actor has it."""
        context = context_of(actor, clock=FixedClock(at), dry_run=dry)
        return self._memory(context, **options)

    def snapshot(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Every memory of every tenant, and what waits in the queue, by tenant and id."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        tenants = TENANTS if self.backend == "sqlite" else TENANTS[:1]
        for tenant in tenants:
            context = ExecutionContext(tenant=tenant, clock=FixedClock(NOW))
            adapter = self._memory(context).adapter
            scope = Scope(context=context, now=NOW, archived=True, deleted=True)
            ids = tuple(str(n) for n in range(1, len(self.built.secrets) + 60))
            for record in adapter.resolve(ByIds(ids), scope).rows:
                found[tenant, record.id] = record.as_dict()
            tasks = adapter.queue.tasks(dead=False, limit=500)
            found[tenant, "queue"] = {task.episode: repr(task) for task in tasks}
            found[tenant, "registry"] = {"version": adapter.registry().version}
        return found

    def unchanged(self, actor: str) -> list[str]:
        """The memories that an actor may not write, and that are not as they were."""
        after = self.snapshot()
        tenant = ACTORS[actor].get("tenant", "default")
        owned = {
            ("other" if key == "elsewhere" else "default", secret.id): (key, secret.writers)
            for key, secret in self.built.secrets.items()
        }
        wrong = []
        for at, was in self.before.items():
            if after.get(at) == was:
                continue
            key, writers = owned.get(at, (f"{at[0]}/{at[1]}", OWN))
            if actor not in writers or at[0] != tenant:
                now = after.get(at) or {}
                if at[1] == "queue":  # what is new there is the actor's own
                    now = {name: task for name, task in now.items() if name in was}
                    if now == was:
                        continue
                fields = [name for name in {**was, **now} if was.get(name) != now.get(name)]
                wrong.append(f"{actor} changed {', '.join(sorted(fields))} of {key}")
        return wrong


def cells(*actors: str) -> pytest.MarkDecorator:
    """Each actor on each backend, as far as there is such a thing.

    Without the long tests some actors are on one backend only, whose rights differ little.
    """
    pairs = [
        (backend, actor)
        for backend in BACKENDS
        for actor in actors
        if backend == "sqlite"
        or ("tenant" not in ACTORS[actor] and (LONG or actor in ("local", "will", "sten", "bert")))
    ]
    return pytest.mark.parametrize(("kept", "actor"), pairs, indirect=["kept"])


# --- what is seen --------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """What a path gave, the memories that it tells of where they may be read, and a word it echoes.

    ``asked`` are words that the caller has said, and that may be said back.
    """

    value: Any
    shows: Sequence[Secret] = ()
    asked: str = ""


def told(value: Any) -> str:
    """All that a value says, however it is printed."""
    if isinstance(value, BaseException):
        cause = value.__cause__
        more = "" if cause is None else told(cause)
        return f"{value!r} {value} {value.args} {vars(value)} {more}"
    as_dict = getattr(value, "as_dict", None)
    return f"{value!r} {as_dict() if callable(as_dict) else ''}"


def attempted(action: Callable[[], Any]) -> Any:
    """What an action returns, or the error that it is refused with."""
    try:
        return action()
    except Text2MemError as error:
        return error


def words_in(seen: Seen) -> set[str]:
    """The words of memories that something tells of, but for those that it was asked for."""
    said = told(seen.value).casefold()
    for word in seen.asked.split():
        said = said.replace(word, "")
    return set(_WORD.findall(said))


def leaks(value: Any, hidden: set[str], asked: str = "") -> set[str]:
    """The hidden words that something tells of."""
    return words_in(Seen(value, asked=asked)) & hidden


def past_words(store: Store, secret: Secret, name: str) -> list[str]:
    """The words that stood in a memory before it was anybody else's, where there were such."""
    return [f"{secret.past}{name}"] if secret.key in PAST else []


RENAME = {"version": 99, "steps": [{"op": "rename", "from": "city", "to": "town"}]}


def of_others(ticked: Any, store: Store, actor: str) -> None:
    """Nothing that a tick tells of is a memory that its caller may not read."""
    tenant = ACTORS[actor].get("tenant", "default")
    named = {*ticked.expired, *ticked.resumed, *(change.id for change in ticked.changes)}
    named |= {str(fired.memory["id"]) for fired in ticked.fired}
    strange = sorted(
        secret.key
        for secret in store.built.secrets.values()
        if secret.id in named and actor not in secret.readers
        if (secret.key == "elsewhere") == (tenant == "other")
    )
    assert not strange, f"the tick of {actor} tells of {strange}"


def probed(store: Store) -> list[str]:
    return [key for key in PROBED if key in store.built.secrets]


def in_sight(store: Store, actor: str, hidden: set[str], at: datetime = NOW) -> set[str]:
    """The hidden words in anything that an actor may read by now, with its past."""
    memory = store.memory(actor, at)
    ids = [str(number) for number in range(1, len(store.built.secrets) + 90)]
    found: set[str] = leaks([memory.history(id_) for id_ in ids], hidden)
    view = memory.view()
    found |= leaks((view.find(ids), view.tags(500), view.vocabulary(500)), hidden)
    return found | leaks(memory.log(limit=500), hidden)
