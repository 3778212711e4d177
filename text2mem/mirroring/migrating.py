"""Migrating a store: the journal is replayed on another store, step by step, under the same ids.

So the target gets the facts' time lines and beliefs, the memories' versions, and a journal in which
undo still works. States that the journal does not tell, because values were erased there, are
restored at the end.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from itertools import groupby
from typing import Any

from text2mem.adapters.base import Adapter, Effect, Env, Touched
from text2mem.adapters.mirrored.keeper import Keeper
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.executor import Prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Entry
from text2mem.ir.patch import before, from_values, patched, shortened
from text2mem.ir.record import Record
from text2mem.mirroring.syncing import encoded, scanned
from text2mem.running import run_program

BATCH = 200
"""How many steps are replayed per transaction."""
_EVERYBODYS = "a migration moves everybody's memories, and an actor may not run it"
_MOVING = ("version", "updated_at")
"""The fields that may differ if the journal does not tell every change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """The result of a migration: the numbers of memories in the target (deleted ones included), of
    facts among them and of journal entries; and the hashes of source and target."""

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
    """Copy all memories and the journal of the context's tenant to another store.

    The target is empty, or holds the beginning of the same journal: a migration can be interrupted
    at any time, and continues where it stopped. Vectors are not copied; ``reindex`` makes them.
    Raises ConfigurationError if the target holds something else, or if an actor asks.
    """
    context.require_local(_EVERYBODYS)
    entries = list(reversed(source.entries(context)))
    done = list(reversed(target.entries(context)))
    if [_line(entry) for entry in done] != [_line(entry) for entry in entries[: len(done)]]:
        hint = "migrate into a store that is not there yet"
        raise ConfigurationError("the target holds memories of its own", hint=hint)
    if source.registry().version > target.registry().version:
        with target.transaction():
            target.set_registry(source.registry(), Env(context, context.clock.now(), Prepared()))
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
    _restore_rest(source, target, context)
    memories = everything(target, context)
    return Migrated(
        memories=len(memories), facts=sum(record.is_fact for record in memories),
        entries=len(target.entries(context)), hash_from=digest(source, context),
        hash_to=digest(target, context),
    )  # fmt: skip


def import_items(keeper: Keeper, target: Adapter, context: ExecutionContext) -> Sequence[str]:
    """Encode all items of a framework in one transaction; the ids. The framework is not changed.
    Raises ConfigurationError if the target holds memories or an actor asks, ValidationError for an
    item that cannot become a memory, ExecutionError."""
    context.require_local(_EVERYBODYS)
    if everything(target, context):
        raise ConfigurationError(
            "the target holds memories already", hint="import into a store that is not there yet"
        )
    steps = [encoded(item, keeper.name) for item in scanned(keeper)]
    ids: list[str] = []
    with target.transaction():
        for start in range(0, len(steps), BATCH):
            batch = steps[start : start + BATCH]
            result = run_program(batch, target, context, Prepared()).checked()
            ids += [id_ for step in result.results for id_ in step.affected]
    return ids


def everything(store: Adapter, context: ExecutionContext) -> Sequence[Record]:
    """Every memory of the tenant, deleted ones included, in id order."""
    return store.records(context, context.clock.now())


def digest(store: Adapter, context: ExecutionContext) -> str:
    """A hash of all memories and the journal, without the fields ``_MOVING``."""
    hashed = sha256()
    for record in everything(store, context):
        hashed.update(_json(_image(record)))
    for entry in reversed(store.entries(context)):
        hashed.update(_json(_line(entry)))
    return hashed.hexdigest()


def _replay(step: Sequence[Entry], target: Adapter, context: ExecutionContext) -> None:
    """Replay a step: restore its memories to their states after it, and write its entries."""
    then = replace(context, actor=step[0].actor, said=step[0].said or None)
    env = Env(then, step[0].at, Prepared())
    present = target.find((entry.id for entry in step), context)
    pairs = [_pair(entry, present.get(entry.id)) for entry in step]
    # What is not there, since its making was forgotten, is restored at the end.
    told = [
        pair for pair, entry in zip(pairs, step, strict=True)
        if not entry.forgotten and (pair[0] is None or entry.id in present)
    ]  # fmt: skip
    target.reserve_ids(max(int(entry.id) for entry in step))
    # Facts may overlap by the present registry; then the last state is restored at the end.
    with suppress(ExecutionError), target.transaction():
        target.restore(told, env)
    forgotten = frozenset(entry.id for entry in step if entry.forgotten)
    target.journal(step[0].trail, Effect(touched=tuple(pairs), forgotten=forgotten), env)


def _pair(entry: Entry, present: Record | None) -> Touched:
    """A memory before and after a step, by its entry and its present state in the target."""
    past = before(entry.changes)
    after = {change.field: change.after for change in entry.changes}
    blank = Record(id=entry.id, created_at=entry.at, updated_at=entry.at)
    if entry.kind == "removed":
        return patched(present or blank, past), None
    if entry.kind == "created":
        return None, from_values(entry.id, after, updated_at=entry.at) if after else blank
    old = patched(present or blank, past)
    return old, patched(old, after)


def _restore_rest(source: Adapter, target: Adapter, context: ExecutionContext) -> None:
    """Restore every memory whose state in the target differs from the source; copy the queue."""
    env = Env(context, context.clock.now(), Prepared())
    present = {row.id: row for row in everything(target, context)}
    wanted = {row.id: row for row in everything(source, context)}
    pairs: list[Touched] = [
        (present.get(id_), row) for id_, row in wanted.items()
        if id_ not in present or _image(present[id_]) != _image(row)
    ]  # fmt: skip
    pairs += [(row, None) for id_, row in present.items() if id_ not in wanted]
    if wanted:
        with target.transaction():
            target.reserve_ids(max(map(int, wanted)))
            target.restore(pairs, env)
            for dead in (False, True):
                for task in source.queue.tasks(dead=dead, limit=None):
                    target.queue.put([task.episode], now=task.queued_at)
                    if task.error is not None:
                        due = None if dead else task.due_at
                        target.queue.failed(task.episode, error=task.error, due=due)


def _step(entry: Entry) -> tuple[object, ...]:
    return entry.trail, entry.at, entry.actor, entry.said


def _line(entry: Entry) -> dict[str, Any]:
    """An entry as JSON, for comparing and hashing, with its changes shortened as when stored."""
    full = replace(entry, changes=shortened(entry.changes))
    return {**full.as_dict(), "said": entry.said, "undoes": entry.trail.undoes}


def _image(record: Record) -> dict[str, Any]:
    """A memory as JSON, for comparing and hashing, without the fields ``_MOVING``."""
    return {name: value for name, value in record.as_dict().items() if name not in _MOVING}


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False).encode()
