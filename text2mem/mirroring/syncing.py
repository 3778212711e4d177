"""What others have changed in a framework, taken in as ordinary programs.

A memory that was changed on both sides before a sync stays ours: what waits is delivered first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.adapters.mirrored.items import TAKEN_IN, changed_there, is_held
from text2mem.adapters.mirrored.keeper import EVERYTHING, Item, Keeper, answering
from text2mem.adapters.mirrored.mirrored import Mirrored
from text2mem.adapters.transactions import unit
from text2mem.errors import AdapterError, ConfigurationError, ExecutionError, ValidationError
from text2mem.executor import Prepared
from text2mem.executor.authorise import check_width
from text2mem.executor.executor import remaining
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByIds, Delete
from text2mem.ir.record import DEFAULT_WEIGHT, AsJson, Record
from text2mem.pipeline import run_program

_EMPTY: Mapping[str, Any] = {"tags": [], "facets": {}, "weight": DEFAULT_WEIGHT}
"""What a field becomes that is gone there; the others keep what they hold."""

_NONE = -1
"""The version of no memory."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something there was not taken in: the framework's key, and the reason in words."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced(AsJson):
    """What was taken in, by the ids of our memories; one trace, which an undo takes back."""

    trace_id: str
    dry_run: bool
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Sync:
    """One sync under way."""

    store: Mirrored
    context: ExecutionContext
    prepared: Prepared
    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)

    def run(self) -> None:
        """Everything that the framework holds, and what it does not hold any more.

        Other processes may write meanwhile: what they do while it is listed stays ours.
        """
        known = self._known()
        seen: set[str] = set()
        for item in scanned(self.store.keeper):
            seen.add(item.key)
            if item.key in known:
                self._compare(item, *known[item.key])
            else:
                self._take_in(item)
        missing = [known[key] for key in known if key not in seen]
        ids = [id_ for id_, version in missing if self._unmoved(id_, version) is not None]
        if ids:
            self._delete(ids, lost=not seen)

    def _delete(self, ids: list[str], *, lost: bool) -> None:
        """As wide as any write may be; where nothing at all is there, it is somebody's mishap."""
        op = Delete(target=ByIds(tuple(ids)))
        try:
            if lost and not self.context.confirmed:
                raise ExecutionError("needs-confirmation", "nothing is there any more: --yes")
            check_width(
                op, len(ids), lambda: self.store.active(self.context), self.context, "",
                by_name=False,
            )  # fmt: skip
        except ExecutionError as error:
            self.refused.append(Refusal(f"{len(ids)} that are gone", error.message))
            return
        step = {"op": "Delete", "stage": "STO", "target": {"ids": ids}}
        self.gone += self._done("those that are gone", step)

    def _take_in(self, item: Item) -> None:
        with self.store.transaction():
            if self.store.outbox.ids([item.key]):
                return
            ids = self._done(item.key, encoded(item, self.store.keeper.name))
            for id_ in ids:
                self.store.outbox.adopt(id_, item.key)
        self.new += ids

    def _compare(self, item: Item, id_: str, version: int) -> None:
        record = self._unmoved(id_, version)
        if record is None:
            return
        differing = changed_there(record, item)
        edits = {
            name: _EMPTY.get(name) if value is None else value for name, value in differing.items()
        }
        edits = {name: value for name, value in edits.items() if value is not None}
        if edits:
            step = {
                "stage": "STO",
                "op": "Update",
                "target": {"ids": [id_]},
                "args": {"set": edits},
            }
            self.changed += self._done(item.key, step)

    def _done(self, key: str, step: Any) -> list[str]:
        """The ids that a step was about; none where it was refused, which is noted."""
        context = replace(self.context, dry_run=False)  # a dry run is rolled back as a whole
        try:
            result = run_program([step], self.store, context, self.prepared)
        except ValidationError as error:
            self.refused.append(Refusal(key, str(error)))
            return []
        if result.error is not None:
            self.refused.append(Refusal(key, result.error.message))
            return []
        return [id_ for each in result.results for id_ in each.affected]

    def _known(self) -> dict[str, tuple[str, int]]:
        """The ids and versions of what the framework should hold, by key."""
        keys = self.store.outbox.held()
        records = self.store.read(list(keys))
        # What changed since the delivery is not there yet, and is no change of others.
        waiting = set(self.store.outbox.waiting(EVERYTHING))
        return {
            keys[record.id]: (record.id, _NONE if record.id in waiting else record.version)
            for record in records
        }

    def _unmoved(self, id_: str, version: int) -> Record | None:
        """A memory that is as it was before the framework was listed, if it is held there."""
        (record,) = self.store.read([id_]) or (None,)
        if record is None or record.version != version:
            return None
        return record if is_held(record) else None


def sync(adapter: Adapter, context: ExecutionContext, prepared: Prepared | None = None) -> Synced:
    """Deliver what waits, and take in what others have changed, as the local user.

    A dry run of the context shows what it would take in. What a lock or the width of a write
    forbids is refused, and stays there as it is. Raises ConfigurationError where the store
    mirrors no framework or an actor asks, AdapterError where the framework does not answer.
    """
    if not isinstance(adapter, Mirrored):
        raise ConfigurationError(
            f"the store '{adapter.name}' mirrors no framework, and has nothing to take in",
            hint="sync is for stores such as langgraph:FILE and mem0:FOLDER",
        )
    context.require_local("a sync takes in everybody's memories, and an actor may not run it")
    if not adapter.deliver():
        raise AdapterError(adapter.undelivered() or "", hint="try again once it answers")
    context = replace(context, trace_id=context.trace())
    run = _Sync(adapter, context, prepared or Prepared())
    with unit(adapter, keep=False) if context.dry_run else nullcontext():
        run.run()
    left = [] if context.dry_run else remaining(adapter, context, forgets=True)
    return Synced(
        trace_id=context.trace(), dry_run=context.dry_run, new=tuple(run.new),
        changed=tuple(run.changed), gone=tuple(run.gone), refused=tuple(run.refused),
        warnings=tuple(left),
    )  # fmt: skip


def scanned(keeper: Keeper) -> Sequence[Item]:
    """All that a framework holds, read before anything is changed.

    Raises AdapterError where it does not answer, and ServiceError where a server does not.
    """
    with answering(keeper):
        return keeper.scan()


def encoded(item: Item, framework: str) -> Any:
    """The step that makes a memory of somebody else's item.

    What it holds beside the text becomes facets; ``source`` says where it was.
    """
    known = {name: item.metadata[name] for name in TAKEN_IN if name in item.metadata}
    known.pop("weight", None)  # an Encode gives none
    facets = {**item.others, **known.pop("facets", {})}
    args = {"payload": {"text": item.text}, "source": framework, **known}
    if facets:
        args["facets"] = facets
    return {"stage": "ENC", "op": "Encode", "args": args}
