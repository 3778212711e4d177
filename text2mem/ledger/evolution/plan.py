"""Plan an evolution: find the versions that change, and the facts that do not fit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from text2mem.ir.record import Record, locked
from text2mem.ir.registry import Registry
from text2mem.ir.values import UnfitValue, canonical
from text2mem.ledger.evolution.document import Evolution, results
from text2mem.ledger.evolution.steps import carried_out
from text2mem.ledger.evolution.version import Misfit, Version


@dataclass(frozen=True, slots=True)
class Plan:
    """What an evolution will do."""

    subjects: dict[str, tuple[Version, ...]]
    """The new versions, by folded subject."""
    left: tuple[Misfit, ...]
    """The memories that do not fit and are left unchanged."""
    notes: tuple[str, ...]
    shared: frozenset[tuple[str, str]]
    """The subjects and attributes with facts that are left unchanged."""


def plan(
    records: Sequence[Record], evolution: Evolution, registry: Registry, now: datetime
) -> Plan:
    """Plan an evolution of ``records``, the facts of all attributes that it names, to ``registry``.

    A fact that was written under this registry (or a later one) and under a final name is not
    changed. If a fact does not fit, all facts that would become the same new version are left.
    Planning is repeated without these until everything fits.
    """
    final_names = results(evolution)
    done = {
        r.id for r in records
        if r.schema_version >= evolution.version and r.line[1] in final_names
    }  # fmt: skip
    left: dict[str, Misfit] = {}
    while True:
        round_ = _Round(registry, now)
        excluded = done | left.keys()
        unchanged = [Version.of(record) for record in records if record.id in excluded]
        versions = [Version.of(record) for record in records if record.id not in excluded]
        for step in evolution.steps:
            versions = carried_out(step, versions, round_.refuse)
        versions = [round_.written(version) for version in versions]
        placed = round_.placed([*unchanged, *versions])
        fresh = {id_: misfit for id_, misfit in round_.misfits.items() if id_ not in left}
        if not fresh:
            break
        left.update(fresh)
    subjects: dict[str, list[Version]] = defaultdict(list)
    for version in placed:
        if version.moved:
            subjects[version.about].append(version)
    return Plan(
        {name: tuple(subjects[name]) for name in sorted(subjects)},
        tuple(left[id_] for id_ in sorted(left, key=int)),
        tuple(round_.notes),
        frozenset((v.about, v.attribute) for v in placed if not v.moved),
    )


class _Round:
    """One round of planning. It collects the facts that do not fit (by id), and notes."""

    def __init__(self, registry: Registry, now: datetime) -> None:
        self._registry = registry
        self._now = now
        self.misfits: dict[str, Misfit] = {}
        self.notes: list[str] = []

    def refuse(self, version: Version, reason: str) -> None:
        """Record that the memories that a version is made of are left unchanged."""
        for record in version.origins:
            self.misfits.setdefault(record.id, Misfit.of(record, reason))

    def written(self, version: Version) -> Version:
        """The version with the declared name and the normalised value. It is refused if the value
        is unfit, if it would begin or cease to be pending, or if what it is made of is locked."""
        if not version.moved:
            return version
        attribute = self._registry.attribute(version.attribute)
        version = replace(version, attribute=attribute.name)
        try:
            version = replace(version, value=self._registry.normalise(attribute, version.value))
        except UnfitValue as error:
            self.refuse(version, str(error))
            return version
        if not version.moved:
            return version
        confidence, floor = version.confidence, self._registry.confidence_floor
        if version.pending != (confidence is not None and confidence < floor):
            says = "not wait any more" if version.pending else "wait"
            self.refuse(version, f"under the new floor of confidence, {floor:g}, it would {says}")
        for record in version.origins:
            if locked(record, self._now):
                self.refuse(version, f"memory {record.id} is locked")
        return version

    def placed(self, versions: Sequence[Version]) -> list[Version]:
        """The versions, with overlaps resolved or refused; only those that hold are on a line."""
        out = [version for version in versions if not version.holds]
        for line in by_line((v for v in versions if v.holds), self._registry):
            out += self._line(sorted(line, key=lambda v: (v.valid_from, int(v.first.id))))
        return sorted(out, key=lambda v: (v.attribute, v.valid_from, int(v.first.id)))

    def _line(self, line: Sequence[Version]) -> list[Version]:
        """Resolve the overlaps on one time line, given by beginning: unite versions with the same
        value, end an earlier one where a later one begins, or refuse one of them."""
        out: list[Version] = []
        for later in line:
            earlier = out[-1] if out else None
            if earlier and earlier.overlaps(later) and (earlier.moved or later.moved):
                if canonical(earlier.value) == canonical(later.value):
                    later = out.pop().united(later)
                elif self._gives_way(earlier, later):
                    if earlier.moved:
                        out[-1] = replace(earlier, valid_to=later.valid_from)
                    self.notes.append(f"{_named(earlier)} ends where {_named(later)} begins")
                else:
                    moved, other = (later, earlier) if later.moved else (earlier, later)
                    self.refuse(moved, f"it would hold at the same time as {_named(other)}")
            out.append(later)
        return out

    def _gives_way(self, earlier: Version, later: Version) -> bool:
        """Whether the earlier one can end where the later one begins, and no time is lost."""
        apart = not (earlier.alone or later.alone) and earlier.valid_from != later.valid_from
        return apart and earlier.ends <= later.ends


def by_line(versions: Iterable[Version], registry: Registry) -> Collection[list[Version]]:
    """The versions by time line: of a subject and an attribute, of one value if it holds many."""
    lines: dict[tuple[str, str, str], list[Version]] = defaultdict(list)
    for version in versions:
        key = registry.key(registry.attribute(version.attribute), version.value)
        lines[version.about, version.attribute, key].append(version)
    return lines.values()


def _named(version: Version) -> str:
    """What notes and reasons call a version: the memories that it is made of."""
    ids = [record.id for record in version.origins]
    return f"memory {ids[0]}" if len(ids) == 1 else f"what memories {', '.join(ids)} say"
