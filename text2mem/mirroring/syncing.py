"""Syncing: taking in what others have changed in a framework, by ordinary programs.

Changes that wait are delivered first. So if both sides have changed a memory, ours wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.adapters.mirrored.items import TAKEN_IN, changed_there, is_mirrored
from text2mem.adapters.mirrored.keeper import EVERYTHING, Item, Keeper, answering
from text2mem.adapters.mirrored.mirrored import Mirrored
from text2mem.adapters.transactions import unit
from text2mem.errors import AdapterError, ConfigurationError, ValidationError
from text2mem.executor import Prepared
from text2mem.executor.frame import finish_erasures
from text2mem.ir.context import ExecutionContext
from text2mem.ir.record import DEFAULT_WEIGHT, AsJson, Record
from text2mem.ir.rights import is_wide
from text2mem.running import run_program

_EMPTY: Mapping[str, Any] = {"tags": [], "facets": {}, "weight": DEFAULT_WEIGHT}
"""The value of a field that others have removed. A field that is not named here keeps its value."""

_NONE = -1
"""A version that no memory has."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A change in the framework that was not taken in, with the reason in words."""

    key: str
    """The key of the item; or, for a refused deletion, words that say how many are gone."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced(AsJson):
    """What a sync has taken in: the ids of memories made of others' items, of those that others had
    changed, and of those that they had removed."""

    trace_id: str
    """The trace id of all of its programs, for undo."""
    dry_run: bool
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Sync:
    """A sync in progress; its lists are those of ``Synced``."""

    store: Mirrored
    context: ExecutionContext
    prepared: Prepared
    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)

    def run(self) -> None:
        """Compare the framework's items with the memories that it should hold, and take in changes.
        If another process changes a memory while the items are listed, that memory is skipped."""
        known = self._known()
        seen: set[str] = set()
        for item in scanned(self.store.keeper):
            seen.add(item.key)
            if item.key in known:
                self._compare(item, *known[item.key])
            else:
                self._take_in(item)
        missing = {key: held for key, held in known.items() if key not in seen}
        gone = {key: held for key, held in missing.items() if self._unmoved(*held) is not None}
        if gone:
            self._delete(gone, lost=seen.isdisjoint(known))

    def _delete(self, gone: Mapping[str, tuple[str, int]], *, lost: bool) -> None:
        """Soft-delete the memories that are gone from the framework, with these ids and versions by
        key, one by one; one that another process changes meanwhile is skipped. A wide deletion
        needs a confirmation; so does any if the framework has none of our memories (``lost``),
        probably by mistake."""
        if not self.context.confirmed:
            total = self.store.active(self.context)
            why = f"this would remove {len(gone)} of {total} memories: --yes"
            why = "nothing of ours is there any more: --yes" if lost else why
            if lost or (is_wide(len(gone), total) and not self.context.dry_run):
                self.refused.append(Refusal(f"{len(gone)} that are gone", why))
                return
        for key, (id_, version) in gone.items():
            step = {"op": "Delete", "stage": "STO", "target": {"ids": [id_]}}
            with self.store.transaction():
                if self._unmoved(id_, version) is not None:
                    self.gone += self._run_step(key, step)

    def _take_in(self, item: Item) -> None:
        """Encode somebody else's item, which keeps its key."""
        with self.store.transaction():
            if self.store.outbox.ids([item.key]):
                return
            ids = self._run_step(item.key, encoded(item, self.store.keeper.name))
            for id_ in ids:
                self.store.outbox.adopt({id_: item.key})
        self.new += ids

    def _compare(self, item: Item, id_: str, version: int) -> None:
        """Update a memory whose item others have changed; ``version`` is that of the listing."""
        record = self._unmoved(id_, version)
        if record is None:
            return
        values = {
            name: _EMPTY.get(name) if value is None else value
            for name, value in changed_there(record, item).items()
        }
        edits = {"set": {name: value for name, value in values.items() if value is not None}}
        if edits["set"]:
            step = {"stage": "STO", "op": "Update", "target": {"ids": [id_]}, "args": edits}
            self.changed += self._run_step(item.key, step)

    def _run_step(self, key: str, step: Any) -> list[str]:
        """Run a step; the affected ids. A refusal is noted under ``key``, and gives no ids."""
        context = replace(self.context, dry_run=False)  # ``sync`` rolls a dry run back as a whole
        try:
            result = run_program([step], self.store, context, self.prepared)
        except ValidationError as error:
            self.refused.append(Refusal(key, str(error)))
            return []
        if result.error is not None:
            self.refused.append(Refusal(key, result.error.message))
            return []
        return [id_ for done in result.results for id_ in done.affected]

    def _known(self) -> dict[str, tuple[str, int]]:
        """The id and version of each memory that the framework should hold, by key; ``_NONE`` if it
        has changed since the delivery, so that an older state is no change of others."""
        keys = self.store.outbox.held()
        records = self.store.find(keys, self.context)
        waiting = set(self.store.outbox.waiting(EVERYTHING))  # after the versions, for both to fit
        return {
            keys[record.id]: (record.id, _NONE if record.id in waiting else record.version)
            for record in records.values()
        }

    def _unmoved(self, id_: str, version: int) -> Record | None:
        """The memory, if it still has this version and the framework should hold it; else None."""
        record = self.store.find([id_], self.context).get(id_)
        if record is None or record.version != version:
            return None
        return record if is_mirrored(record) else None


def sync(adapter: Adapter, context: ExecutionContext, prepared: Prepared | None = None) -> Synced:
    """Deliver what waits, and take in what others have changed in the framework.

    With a dry run in the context, nothing is kept. Changes that a lock or the width of a write
    forbids are refused, and stay in the framework. Raises ConfigurationError if the store mirrors
    no framework or an actor asks, AdapterError if the framework does not answer.
    """
    if not isinstance(adapter, Mirrored):
        why = f"the store '{adapter.name}' mirrors no framework, and has nothing to take in"
        hint = "sync is for stores such as langgraph:FILE and mem0:FOLDER"
        raise ConfigurationError(why, hint=hint)
    context.require_local("a sync takes in everybody's memories, and an actor may not run it")
    if not adapter.deliver():
        raise AdapterError(adapter.undelivered() or "", hint="try again once it answers")
    context = replace(context, trace_id=context.trace())
    run = _Sync(adapter, context, prepared or Prepared())
    with unit(adapter, keep=False) if context.dry_run else nullcontext():
        run.run()
    return Synced(
        trace_id=context.trace(), dry_run=context.dry_run, new=tuple(run.new),
        changed=tuple(run.changed), gone=tuple(run.gone), refused=tuple(run.refused),
        warnings=finish_erasures(adapter, context, forgets=True),
    )  # fmt: skip


def scanned(keeper: Keeper) -> Sequence[Item]:
    """All items of a framework. Raises AdapterError or ServiceError if it does not answer."""
    with answering(keeper):
        return keeper.scan()


def encoded(item: Item, framework: str) -> Any:
    """The step that encodes somebody else's item. Its values beside the text become facets. The
    default of ``source`` is the framework's name."""
    fields = {name: item.metadata[name] for name in TAKEN_IN if name in item.metadata}
    fields.pop("weight", None)  # an Encode has no weight
    facets = fields.pop("facets", None) or {}
    if isinstance(facets, Mapping):  # the validator refuses any other value
        facets = {**item.others, **facets}
    args = {"payload": {"text": item.text}, "source": framework, **fields}
    if facets:
        args["facets"] = facets
    return {"stage": "ENC", "op": "Encode", "args": args}
