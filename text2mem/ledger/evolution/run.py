"""Carrying an evolution out: in batches, each a program, the first one with the new registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from text2mem.adapters.base import Env
from text2mem.adapters.transactions import unit
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.executor.executor import remaining
from text2mem.ir.record import AsJson, Record, jsonable
from text2mem.ir.registry import Registry
from text2mem.ir.result import Failure, ProgramResult
from text2mem.ir.words.naming import name_key
from text2mem.ledger.evolution import names
from text2mem.ledger.evolution.declaring import registry_after
from text2mem.ledger.evolution.document import Evolution, read_evolution, sources_and_targets
from text2mem.ledger.evolution.plan import Plan, plan
from text2mem.ledger.evolution.program import Batch, batch_of
from text2mem.ledger.evolution.version import Misfit, Version
from text2mem.ledger.ledger import Ledger
from text2mem.program import Program

BATCH = 200
"""How many versions a program makes at most, but for a subject that has more."""
_TRIES = 20
"""How often what is left is planned anew, because others have changed the store or it has room."""


@dataclass(frozen=True, slots=True)
class Change:
    """A version that replaces memories; ``id`` is that of the new memory, None in a dry run."""

    version: Version
    id: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The row of a report."""
        after = self.version
        return {
            "id": self.id, "subject": after.subject,
            "before": [
                {"id": r.id, "attribute": r.attribute, "value": jsonable(r.value)}
                for r in after.origins
            ],
            "after": {"attribute": after.attribute, "value": jsonable(after.value)},
            "valid_from": jsonable(after.valid_from), "valid_to": jsonable(after.valid_to),
            "pending": after.pending,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Evolved(AsJson):
    """What an evolution did, or in a dry run would do.

    ``traces`` are its programs, the last one first: undo them in this order. ``left`` are memories
    that do not fit; where they are refused, or the store refuses, ``ok`` is false. What an error
    interrupts is whole up to the batch before, and the same evolution goes on from there.
    """

    ok: bool
    dry_run: bool
    version: int
    before: int
    changes: tuple[Change, ...] = ()
    left: tuple[Misfit, ...] = ()
    traces: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    error: Failure | None = None


def evolve(
    ledger: Ledger, document: Mapping[str, Any] | Evolution, *, dry_run: bool = False
) -> Evolved:
    """Carry a tenant's facts over to another version of its registry.

    A dry run does all of it and keeps nothing. What was carried over already is passed by, so that
    running it twice is running it once. Raises ConfigurationError for a document that is none, one
    that does not follow on the store's registry, and a caller who may not read everything.
    """
    evolution = read_evolution(document)
    ledger.context.require_local(
        "an evolution is about everybody's facts, and an actor may not read all of them"
    )
    dry_run = dry_run or ledger.context.dry_run
    ledger = replace(ledger, context=replace(ledger.context, dry_run=False, trace_id=None))
    known = _check(ledger, evolution)
    work = _Work(ledger, evolution, ledger.registry.version, known=known)
    if not dry_run:
        done = work.run()
        remaining(ledger.adapter, ledger.context, forgets=True)
        return done
    with unit(ledger.adapter, keep=False):
        done = work.run()
    changes = tuple(replace(change, id=None) for change in done.changes)
    return replace(done, dry_run=True, traces=(), changes=changes)


def _check(ledger: Ledger, evolution: Evolution) -> bool:
    """Whether the evolution was begun before. Raises ConfigurationError where it does not fit."""
    present = ledger.registry
    begun = [each for each in names.carried_out(ledger) if each.version == evolution.version]
    if begun and begun[-1] != evolution:
        raise ConfigurationError(
            f"another evolution led to version {evolution.version}",
            hint=f"give this one a version from {present.version + 1} on",
        )
    if not begun and present.version >= evolution.version:
        raise ConfigurationError(
            f"the evolution leads to version {evolution.version}, and the registry's is "
            f"{present.version}",
            hint=f"give it a version from {present.version + 1} on",
        )
    registry_after(present, evolution)
    return bool(begun)


@dataclass(slots=True)
class _Work:
    """An evolution that is being carried out. ``known``: the store keeps its document already."""

    ledger: Ledger
    evolution: Evolution
    before: int
    known: bool
    changes: list[Change] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def run(self) -> Evolved:
        """Carry out one batch after the other; plan again where others have changed the store."""
        for _ in range(_TRIES):
            mark = self._mark()
            records = _records(self.ledger, self.evolution)
            planned = plan(records, self.evolution, self._after(), self.ledger.now())
            if planned.left and self.evolution.on_misfit == "refuse":
                count = len(planned.left)
                error = Failure(
                    "misfits", "a value does not fit" if count == 1 else f"{count} do not fit",
                    hint='see `left`; `"on_misfit": "leave"` leaves them as they are',
                )  # fmt: skip
                shown = [Change(each) for each in chain.from_iterable(planned.subjects.values())]
                return self._done(planned, error, shown)
            self.notes += planned.notes
            failure, moved = self._carry_out(planned, mark)
            # Where something was left, something else may have room now.
            again = bool(planned.left and planned.subjects) and failure is None
            if not moved and not again:
                return self._done(planned, failure, self.changes)
        error = Failure("store-moving", "others keep changing the store", hint="run it again")
        return self._done(planned, error, self.changes)

    def _done(self, planned: Plan, error: Failure | None, changes: Sequence[Change]) -> Evolved:
        return Evolved(
            ok=error is None, dry_run=False, version=self.evolution.version, before=self.before,
            changes=tuple(changes), left=planned.left, traces=tuple(reversed(self.traces)),
            warnings=tuple(dict.fromkeys(self.notes)), error=error,
        )  # fmt: skip

    def _after(self) -> Registry:
        """The registry that it leads to, or a later one that has been set since."""
        present = self.ledger.registry
        if present.version >= self.evolution.version:
            return present
        return registry_after(present, self.evolution)

    def _carry_out(self, planned: Plan, mark: int) -> tuple[Failure | None, bool]:
        """Run the batches of a plan; why one was refused, and whether others changed the store."""
        after = self._after()
        for versions in _batches(planned):
            batch = self._program(versions, planned, after)
            if not batch.steps:
                continue
            program = Program.load(batch.steps, now=self.ledger.now(), tz=self.ledger.context.tz)
            self.ledger.prepared.begin(program.ops)  # what a service has to say, with no lock held
            try:
                with self.ledger.adapter.transaction():
                    if self._mark() != mark:
                        return None, True
                    if after.version > self.ledger.registry.version:
                        env = Env.of(self.ledger.context, self.ledger.prepared)
                        self.ledger.adapter.set_registry(after, env)
                    result = self.ledger.run(*batch.steps).checked()
                    mark = self._mark()
            except ExecutionError as error:
                return Failure.of(error), False
            self._note(batch, result)
        return None, False

    def _program(self, versions: Sequence[Version], planned: Plan, after: Registry) -> Batch:
        reason = f"carried over to version {self.evolution.version} of the registry"
        batch = batch_of(versions, planned, after, reason)
        if not self.known:
            batch.steps.append(dict(names.encoding(self.evolution)))
            batch.add("Demote", [f"${len(batch.steps)}"], archive=True)
        return batch

    def _note(self, batch: Batch, result: ProgramResult) -> None:
        self.known = True
        self.traces.append(result.trace_id)
        self.notes += batch.notes
        for number, version in batch.made.items():
            created = result.results[number - 1].created
            self.changes.append(Change(version, created[0] if created else None))

    def _mark(self) -> int:
        return self.ledger.adapter.mark(self.ledger.context)


def _records(ledger: Ledger, evolution: Evolution) -> Sequence[Record]:
    """The facts, deleted ones apart, of every attribute that a step names."""
    named: dict[str, str] = {}
    for step in evolution.steps:
        for each in sources_and_targets(step):
            named.update((name_key(name), name) for name in each)

    def look() -> dict[str, Record]:
        context, now = ledger.context, ledger.now()
        return {
            record.id: record
            for name in named.values()
            for record in ledger.adapter.versions(context, now, attribute=name)
            if record.is_fact and not record.deleted
        }

    found = ledger.ticked(look)
    return sorted(found.values(), key=lambda record: int(record.id))


def _batches(planned: Plan) -> Iterator[list[Version]]:
    """Whole subjects together, up to ``BATCH`` versions; at least one batch, which may be empty."""
    batch: list[Version] = []
    for versions in planned.subjects.values():
        if batch and len(batch) + len(versions) > BATCH:
            yield batch
            batch = []
        batch += versions
    yield batch
