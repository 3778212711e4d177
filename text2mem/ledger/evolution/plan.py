"""The plan of an evolution: every version that changes, and every one that does not fit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from text2mem.ir.record import Record, locked
from text2mem.ir.registry import Registry, UnfitValue
from text2mem.ir.values import canonical
from text2mem.ir.words.naming import name_key
from text2mem.ledger.evolution.document import Evolution, results
from text2mem.ledger.evolution.steps import carried_out
from text2mem.ledger.evolution.version import Misfit, Version


@dataclass(frozen=True, slots=True)
class Plan:
    """The new versions by subject, the memories that are left as they are, and notes for a report.

    ``shared`` are the subjects and attributes of which some facts stay as they are.
    """

    subjects: dict[str, tuple[Version, ...]]
    left: tuple[Misfit, ...]
    notes: tuple[str, ...]
    shared: frozenset[tuple[str, str]]


def plan(
    records: Sequence[Record], evolution: Evolution, registry: Registry, now: datetime
) -> Plan:
    """Plan an evolution: what becomes of ``records``, the facts of all attributes that it names.

    ``registry`` is the one that it leads to. Where a fact does not fit, all facts of the same new
    version are left. What was written under that registry, and under a name that the steps lead
    to, is done already. Planning is repeated without what does not fit until all the rest does.
    """
    reached = results(evolution)
    done = {
        record.id
        for record in records
        if record.schema_version >= evolution.version
        and name_key(record.attribute or "") in reached
    }
    left: dict[str, Misfit] = {}
    while True:
        round_ = _Round(registry, now)
        out = done | left.keys()
        staying = [Version.of(record) for record in records if record.id in out]
        versions = [Version.of(record) for record in records if record.id not in out]
        for step in evolution.steps:
            versions = carried_out(step, versions, round_.refuse)
        versions = [round_.written(version) for version in versions]
        placed = round_.placed([*staying, *versions])
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
    """One round of planning: it collects what does not fit, and notes."""

    def __init__(self, registry: Registry, now: datetime) -> None:
        self._registry = registry
        self._now = now
        self.misfits: dict[str, Misfit] = {}
        self.notes: list[str] = []

    def refuse(self, version: Version, reason: str) -> None:
        """Leave the memories that a version is made of as they are."""
        for record in version.origins:
            self.misfits.setdefault(record.id, Misfit.of(record, reason))

    def written(self, version: Version) -> Version:
        """A version as the registry writes it; refused where value, confidence or a lock forbid."""
        known = self._registry.attribute(version.attribute)
        if not version.moved:
            return version
        version = replace(version, attribute=known.name)
        try:
            version = replace(version, value=self._registry.normalise(known, version.value))
        except UnfitValue as error:
            self.refuse(version, str(error))
            return version
        if not version.moved:
            return version
        sure, floor = version.confidence, self._registry.confidence_floor
        if version.pending != (sure is not None and sure < floor):
            says = "not wait any more" if version.pending else "wait"
            self.refuse(version, f"under the new floor of confidence, {floor:g}, it would {says}")
        for record in version.origins:
            if locked(record, self._now):
                self.refuse(version, f"memory {record.id} is locked")
        return version

    def placed(self, versions: Sequence[Version]) -> list[Version]:
        """The versions on their time lines, where a later one may end an earlier one."""
        lines: dict[tuple[str, str, str], list[Version]] = defaultdict(list)
        out: list[Version] = []
        for version in versions:
            if version.holds:
                known = self._registry.attribute(version.attribute)
                key = self._registry.key(known, version.value)
                lines[version.about, version.attribute, key].append(version)
            else:
                out.append(version)
        for line in lines.values():
            out += self._line(sorted(line, key=lambda v: (v.valid_from, int(v.first.id))))
        return sorted(out, key=lambda v: (v.attribute, v.valid_from, int(v.first.id)))

    def _line(self, line: Sequence[Version]) -> list[Version]:
        out: list[Version] = []
        for later in line:
            earlier = out[-1] if out else None
            if earlier is None or not earlier.overlaps(later) or not (earlier.moved or later.moved):
                out.append(later)
            elif canonical(earlier.value) == canonical(later.value):
                out[-1] = _united(earlier, later)
            elif self._gives_way(earlier, later):
                if earlier.moved:
                    out[-1] = replace(earlier, valid_to=later.valid_from)
                names = _named(earlier), _named(later)
                self.notes.append(f"{names[0]} ends where {names[1]} begins")
                out.append(later)
            else:
                moved = later if later.moved else earlier
                other = earlier if moved is later else later
                self.refuse(moved, f"it would hold at the same time as {_named(other)}")
                out.append(later)
        return out

    def _gives_way(self, earlier: Version, later: Version) -> bool:
        """Whether an earlier version can end where a later one begins: no later time is lost."""
        if earlier.alone or later.alone or earlier.valid_from == later.valid_from:
            return False
        ends = later.valid_to
        return ends is None or (earlier.valid_to is not None and earlier.valid_to <= ends)


def _united(earlier: Version, later: Version) -> Version:
    """One version of two that overlap and have the same value."""
    origins = {record.id: record for record in (*earlier.origins, *later.origins)}
    open_ = earlier.valid_to is None or later.valid_to is None
    ends = [end for end in (earlier.valid_to, later.valid_to) if end is not None]
    end = None if open_ else max(ends)
    return replace(earlier, origins=tuple(origins.values()), valid_to=end)


def _named(version: Version) -> str:
    ids = [record.id for record in version.origins]
    return f"memory {ids[0]}" if len(ids) == 1 else f"what memories {', '.join(ids)} say"
