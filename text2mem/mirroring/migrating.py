"""A store moved to another one: its journal is played once more, step by step, under the same ids.

So facts get their time lines and what was believed when, memories their versions, and an undo works
on. What the journal cannot tell, because it was erased there, is put in place at the end.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from hashlib import sha256
from itertools import groupby
from typing import Any

from text2mem.adapters.base import Adapter, Effect, Env, Scope, Touched
from text2mem.adapters.mirrored.keeper import Keeper
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.executor import Prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Entry
from text2mem.ir.ops import ByIds
from text2mem.ir.patch import before, from_values, patched, shortened
from text2mem.ir.record import Record, as_image
from text2mem.mirroring.syncing import encoded, scanned
from text2mem.pipeline import run_program

BATCH = 200
"""How many steps share a transaction."""
_EVERYBODYS = "a migration moves everybody's memories, and an actor may not run it"
_MOVING = ("version", "updated_at")
"""What counts anew where the journal does not tell every change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """What the target holds now, and whether it is the same.

    ``memories`` and ``entries`` count the whole target; the hashes are of both stores.
    """

    memories: int
    facts: int
    entries: int
    hash_from: str
    hash_to: str

    @property
    def same(self) -> bool:
        """Whether both stores hold the same memories and the same journal."""
        return self.hash_from == self.hash_to

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON."""
        return {**asdict(self), "same": self.same}


def migrate(source: Adapter, target: Adapter, context: ExecutionContext) -> Migrated:
    """Bring everything of the context's tenant into a store that is empty, or holds a part of it.

    It can be interrupted at any time, and goes on where it stopped. Vectors are made anew by
    ``reindex``. Raises ConfigurationError where the target holds something else, or an actor asks.
    """
    context.require_local(_EVERYBODYS)
    entries = list(reversed(source.entries(context)))
    done = list(reversed(target.entries(context)))
    if [_line(each) for each in done] != [_line(each) for each in entries[: len(done)]]:
        raise ConfigurationError(
            "the target holds memories of its own",
            hint="migrate into a store that is not there yet",
        )
    if source.registry().version > target.registry().version:
        with target.transaction():
            target.set_registry(source.registry(), _env(context, context.clock.now()))
    steps = [list(group) for _, group in groupby(entries[len(done) :], key=_step)]
    for start in range(0, len(steps), BATCH):
        with target.transaction():
            for step in steps[start : start + BATCH]:
                try:
                    _replay(step, target, context)
                except ConfigurationError as error:
                    ids = ", ".join(entry.id for entry in step)
                    raise ConfigurationError(
                        f"memory {ids}: {error.message}", hint=error.hint
                    ) from error
    _put_in_place(source, target, context)
    memories = everything(target, context)
    return Migrated(
        memories=len(memories), facts=sum(record.is_fact for record in memories),
        entries=len(target.entries(context)), hash_from=digest(source, context),
        hash_to=digest(target, context),
    )  # fmt: skip


def import_items(keeper: Keeper, target: Adapter, context: ExecutionContext) -> Sequence[str]:
    """Encode what a framework holds as it is, all of it or nothing; the ids. The framework is left
    as it is.

    Raises ConfigurationError where the target holds memories, ValidationError for an item that
    cannot be one, ExecutionError.
    """
    context.require_local(_EVERYBODYS)
    if everything(target, context):
        raise ConfigurationError(
            "the target holds memories already", hint="import into a store that is not there yet"
        )
    steps = [encoded(item, keeper.name) for item in scanned(keeper)]
    if not steps:
        return []
    ids: list[str] = []
    with target.transaction():
        for start in range(0, len(steps), BATCH):
            result = run_program(
                steps[start : start + BATCH], target, context, Prepared()
            ).checked()
            ids += [id_ for step in result.results for id_ in step.affected]
    return ids


def everything(store: Adapter, context: ExecutionContext) -> Sequence[Record]:
    """Every memory of the tenant in id order, deleted ones too."""
    return store.versions(context, context.clock.now())


def digest(store: Adapter, context: ExecutionContext) -> str:
    """A hash of all memories and of the journal."""
    hashed = sha256()
    for record in everything(store, context):
        hashed.update(_json(_image(record)))
    for entry in reversed(store.entries(context)):
        hashed.update(_json(_line(entry)))
    return hashed.hexdigest()


def _replay(step: Sequence[Entry], target: Adapter, context: ExecutionContext) -> None:
    """One step: its memories into their states after it, and its entries into the journal."""
    env = _env(replace(context, actor=step[0].actor, said=step[0].said or None), step[0].at)
    named = ByIds(tuple(entry.id for entry in step))
    scope = Scope.of_all(context, context.clock.now())
    present = {row.id: row for row in target.resolve(named, scope).rows}
    pairs = [_pair(entry, present.get(entry.id)) for entry in step]
    moved = [pair for pair, entry in zip(pairs, step, strict=True) if not entry.forgotten]
    target.reserve_ids(max(int(entry.id) for entry in step))
    try:
        with target.transaction():
            target.restore(moved, env)
    except ExecutionError:
        pass  # a state that today's registry has no room for: the last one is put in place later
    forgotten = frozenset(entry.id for entry in step if entry.forgotten)
    target.journal(step[0].trail, Effect(touched=tuple(pairs), forgotten=forgotten), env)


def _pair(entry: Entry, present: Record | None) -> Touched:
    past = before(entry.changes)
    after = {change.field: change.after for change in entry.changes}
    blank = Record(id=entry.id, created_at=entry.at, updated_at=entry.at)
    if entry.kind == "removed":
        return patched(present or blank, past), None
    if entry.kind == "created":
        return None, from_values(entry.id, after, updated_at=entry.at) if after else blank
    old = patched(present or blank, past)
    return old, patched(old, after)


def _put_in_place(source: Adapter, target: Adapter, context: ExecutionContext) -> None:
    """The memories whose last state the journal did not tell, and those that are not there."""
    env = _env(context, context.clock.now())
    there = {row.id: row for row in everything(target, context)}
    wanted = {row.id: row for row in everything(source, context)}
    pairs: list[Touched] = [
        (there.get(id_), row) for id_, row in wanted.items()
        if id_ not in there or _image(there[id_]) != _image(row)
    ]  # fmt: skip
    pairs += [(row, None) for id_, row in there.items() if id_ not in wanted]
    if wanted:
        with target.transaction():
            target.reserve_ids(max(map(int, wanted)))
            target.restore(pairs, env)
            waiting, dead = (source.queue.tasks(dead=each, limit=None) for each in (False, True))
            for task in (*waiting, *dead):
                target.queue.put([task.episode], now=task.queued_at)
                if task.error is not None:
                    due = None if task.dead else task.due_at
                    target.queue.failed(task.episode, error=task.error, due=due)


def _env(context: ExecutionContext, now: datetime) -> Env:
    return Env(context, now, Prepared())


def _step(entry: Entry) -> tuple[object, ...]:
    return entry.trail, entry.at, entry.actor, entry.said


def _line(entry: Entry) -> dict[str, Any]:
    full = replace(entry, changes=shortened(entry.changes))
    return {**full.as_dict(), "said": entry.said, "undoes": entry.trail.undoes}


def _image(record: Record) -> dict[str, Any]:
    return {name: held for name, held in as_image(record).items() if name not in _MOVING}


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False).encode()
