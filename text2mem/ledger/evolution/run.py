"""Carry out an evolution in batches, each of them one program. The first sets the new registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from text2mem.adapters.base import Env
from text2mem.adapters.transactions import unit
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.executor.frame import finish_erasures
from text2mem.ir.record import AsJson, Record, jsonable
from text2mem.ir.registry import Registry
from text2mem.ir.result import Failure, ProgramResult
from text2mem.ir.words.naming import name_key
from text2mem.ledger.evolution import names
from text2mem.ledger.evolution.declaring import registry_after
from text2mem.ledger.evolution.document import Evolution, old_and_new, read_evolution
from text2mem.ledger.evolution.plan import Plan, plan
from text2mem.ledger.evolution.program import Batch, batch_of
from text2mem.ledger.evolution.version import Misfit, Version
from text2mem.ledger.holdings import in_order
from text2mem.ledger.ledger import Ledger
from text2mem.program import Program

BATCH = 200
"""The most versions that a program makes, unless a single subject has more."""
_TRIES = 20
"""How often it is planned: others may change the store, or facts may fit after a batch."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A version that replaces memories."""

    version: Version
    id: str | None = None
    """That of the new memory; None in a dry run."""

    def as_dict(self) -> dict[str, Any]:
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
    """What an evolution did, or would do in a dry run. If an error interrupts it, the batches
    before are complete, and running the same evolution again goes on from there."""

    ok: bool
    """False if the store refuses, or if misfits are refused."""
    dry_run: bool
    version: int
    """The version of the registry after it."""
    before: int
    """The version of the registry before it."""
    changes: tuple[Replacement, ...] = ()
    left: tuple[Misfit, ...] = ()
    traces: tuple[str, ...] = ()
    """The trace ids of its programs, the last one first, which is the order to undo them in."""
    warnings: tuple[str, ...] = ()
    error: Failure | None = None


def evolve(
    ledger: Ledger, document: Mapping[str, Any] | Evolution, *, dry_run: bool = False
) -> Evolved:
    """Migrate a tenant's facts to another version of its registry.

    A dry run rolls everything back. Facts that were migrated already are skipped, so a second run
    changes nothing. Raise ConfigurationError if the document is invalid, if its version does not
    follow that of the store's registry, or if the caller is not the local user.
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
        finish_erasures(ledger.adapter, ledger.context, forgets=True)
        return done
    with unit(ledger.adapter, keep=False):
        done = work.run()
    changes = tuple(replace(change, id=None) for change in done.changes)
    return replace(done, dry_run=True, traces=(), changes=changes)


def _check(ledger: Ledger, evolution: Evolution) -> bool:
    """Whether the evolution was begun before. Raise ConfigurationError if it cannot follow."""
    present = ledger.registry
    begun = [other for other in names.carried_out(ledger) if other.version == evolution.version]
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
    ledger: Ledger
    evolution: Evolution
    before: int
    known: bool
    """Whether the store has its document already."""
    changes: list[Replacement] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def run(self) -> Evolved:
        """Plan the evolution and carry out its batches, again if others have changed the store."""
        for _ in range(_TRIES):
            mark = self._mark()
            records = _records(self.ledger, self.evolution)
            after = self._after()
            planned = plan(records, self.evolution, after, self.ledger.now())
            if planned.left and self.evolution.on_misfit == "refuse":
                count = len(planned.left)
                error = Failure(
                    "misfits", "a value does not fit" if count == 1 else f"{count} do not fit",
                    hint='see `left`; `"on_misfit": "leave"` leaves them as they are',
                )  # fmt: skip
                versions = chain.from_iterable(planned.subjects.values())
                shown = [Replacement(version) for version in versions]
                return self._done(planned, error, shown)
            self.notes += planned.notes
            failure, moved = self._carry_out(planned, after, mark)
            # If facts were left, some of them may fit after these changes.
            again = bool(planned.left and planned.subjects) and failure is None
            if not moved and not again:
                return self._done(planned, failure, self.changes)
        error = Failure("store-moving", "others keep changing the store", hint="run it again")
        return self._done(planned, error, self.changes)

    def _done(
        self, planned: Plan, error: Failure | None, changes: Sequence[Replacement]
    ) -> Evolved:
        return Evolved(
            ok=error is None, dry_run=False, version=self.evolution.version, before=self.before,
            changes=tuple(changes), left=planned.left, traces=tuple(reversed(self.traces)),
            warnings=tuple(dict.fromkeys(self.notes)), error=error,
        )  # fmt: skip

    def _after(self) -> Registry:
        """The registry after the evolution; the present one if it has that version or a later."""
        present = self.ledger.registry
        if present.version >= self.evolution.version:
            return present
        return registry_after(present, self.evolution)

    def _carry_out(self, planned: Plan, after: Registry, mark: int) -> tuple[Failure | None, bool]:
        """Run the batches: why one was refused, and whether others have changed the store."""
        reason = f"carried over to version {self.evolution.version} of the registry"
        for versions in _batches(planned):
            batch = batch_of(versions, planned, after, reason, self.ledger.now())
            if not self.known:
                batch.steps.append(dict(names.encoding(self.evolution)))
                batch.add("Demote", [f"${len(batch.steps)}"], archive=True)
            if not batch.steps:
                continue
            program = Program.load(batch.steps, now=self.ledger.now(), tz=self.ledger.context.tz)
            self.ledger.prepared.begin(program.ops)  # calls the embedder while no lock is held
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

    def _note(self, batch: Batch, result: ProgramResult) -> None:
        self.known = True
        self.traces.append(result.trace_id)
        self.notes += batch.notes
        for number, version in batch.made.items():
            created = result.results[number - 1].created
            self.changes.append(Replacement(version, created[0] if created else None))

    def _mark(self) -> int:
        """The adapter's mark, which grows with every change of the tenant's memories."""
        return self.ledger.adapter.mark(self.ledger.context)


def _records(ledger: Ledger, evolution: Evolution) -> Sequence[Record]:
    """The facts of all attributes that a step names, without deleted ones, in the order of ids."""
    groups = (names for step in evolution.steps for names in old_and_new(step))
    named = {name_key(name): name for names in groups for name in names}
    found = ledger.settled(lambda: [ledger.records(attribute=name) for name in named.values()])
    facts = (record for records in found for record in records if record.is_fact)
    return in_order({record.id: record for record in facts if not record.deleted}.values())


def _batches(planned: Plan) -> Iterator[list[Version]]:
    """Yield batches of up to ``BATCH`` versions, whole subjects at a time; one, if it is empty."""
    batch: list[Version] = []
    for versions in planned.subjects.values():
        if batch and len(batch) + len(versions) > BATCH:
            yield batch
            batch = []
        batch += versions
    yield batch
