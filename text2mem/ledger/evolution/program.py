"""The program of a batch: an Encode for every new version, and the end of those they replace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from text2mem.executor.authorise import WRITE_CAP
from text2mem.ir.content import beside
from text2mem.ir.record import DEFAULT_WEIGHT, Record
from text2mem.ir.registry import Registry
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.values import canonical
from text2mem.ir.words.naming import name_key
from text2mem.ledger.evolution.plan import Plan
from text2mem.ledger.evolution.version import Version
from text2mem.ledger.rights import inherited

End = Literal["told", "closed", "afterwards"]
"""How a new version comes by its end: told with it, by what closes it, or told afterwards."""
_AS_IT_WAS = ("type", "facets", "location", "topic", "retention_policy", "skip_embedding")


@dataclass(slots=True)
class Batch:
    """Instances under a registry, and which step (1-based) makes which version."""

    registry: Registry
    steps: list[dict[str, Any]] = field(default_factory=list)
    made: dict[int, Version] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, op: str, target: Any = None, **args: Any) -> int:
        """One more step; its number."""
        aim = {} if target is None else {"target": {"ids": list(target)}}
        stage = "ENC" if op == "Encode" else "STO"
        self.steps.append({"stage": stage, "op": op, **aim, "args": args})
        return len(self.steps)


def batch_of(versions: Sequence[Version], plan: Plan, registry: Registry, reason: str) -> Batch:
    """The program for the versions of some subjects. A subject is never in two of them."""
    batch = Batch(registry)
    origins = {record.id: record for version in versions for record in version.origins}
    _make_room(batch, versions, origins)
    lines: dict[tuple[str, str, str], list[Version]] = defaultdict(list)
    for version in versions:
        if version.pending:
            _encode(batch, version, "told")
            continue
        key = registry.key(registry.attribute(version.attribute), version.value)
        lines[version.about, version.attribute, key].append(version)
    for line in lines.values():
        line.sort(key=lambda v: (v.valid_from, v.holds, int(v.first.id)))
        shared = (line[0].about, line[0].attribute) in plan.shared
        for version, end in zip(line, _ends(line, shared=shared), strict=True):
            _encode(batch, version, end)
    ids = sorted(origins, key=int)
    for start in range(0, len(ids), WRITE_CAP):  # a step changes no more than that
        batch.add("Delete", ids[start : start + WRITE_CAP], soft=True, reason=reason)
    return batch


def _make_room(batch: Batch, versions: Sequence[Version], origins: Mapping[str, Record]) -> None:
    """Free the time lines that are written anew: end the old facts where they begin.

    They cannot be deleted yet, because they are to be the parents of the new ones. A read with
    ``known_at`` still sees them as they were.
    """
    written = {(version.about, name_key(version.attribute)) for version in versions}
    for record in sorted(origins.values(), key=lambda r: int(r.id)):
        begins = record.valid_from
        empty = record.valid_to is not None and begins is not None and record.valid_to <= begins
        if record.pending or empty or begins is None:
            continue
        if (name_key(record.subject or ""), name_key(record.attribute or "")) in written:
            batch.add("Update", [record.id], set={"valid_to": format_instant(begins)})


def _encode(batch: Batch, version: Version, end: End) -> None:
    """Add the steps that make a version: its Encode, one for each further source, and updates."""
    record = version.first
    stated = {"subject": version.subject, "attribute": version.attribute, "value": version.value}
    args = {name: getattr(record, name) for name in _AS_IT_WAS if getattr(record, name)}
    if record.tags:
        args["tags"] = list(record.tags)
    args |= inherited(record)
    args["payload"] = {"structured": stated, **beside(record.payload)}
    told_end = version.valid_to if end == "told" else None
    instants = {"valid_from": version.valid_from, "valid_to": told_end, "time": record.time}
    args |= {name: format_instant(at) for name, at in instants.items() if at is not None}
    if version.confidence is not None:
        args["confidence"] = version.confidence
    parents = [parent.id for parent in version.origins]
    told = {"episode": record.source_episode_id, "source": record.source}
    first, *further = version.sources or (told,)
    ends = {} if record.expire_at is None else {"expire_at": format_instant(record.expire_at)}
    number = batch.add("Encode", **args, **ends, **_source_args(first), lineage_parents=parents)
    batch.made[number] = version
    _add_sources(batch, version, further, args)
    if end == "afterwards":
        batch.add("Update", [f"${number}"], set={"valid_to": args["valid_from"]})
    _complete(batch, version, number)


def _add_sources(
    batch: Batch, version: Version, further: Sequence[Mapping[str, Any]], args: Mapping[str, Any]
) -> None:
    """Encode the same fact once more for each further source; one that never holds gains none."""
    if (further and not version.holds and "valid_to" in args) or (further and version.pending):
        ids = ", ".join(record.id for record in version.origins)
        batch.notes.append(f"what memory {ids} says keeps only its first source")
        return
    for entry in further:
        sure = entry.get("confidence")
        told = {k: v for k, v in args.items() if k != "confidence"} | _source_args(entry)
        if sure is not None:
            told["confidence"] = max(sure, batch.registry.confidence_floor)
        batch.add("Encode", **told)


def _complete(batch: Batch, version: Version, number: int) -> None:
    """Add the steps that restore archived state, weight, reminder and expiry."""
    record, named = version.first, [f"${number}"]
    if record.demoted_until is not None:
        _demote_for_a_while(batch, named, record, record.demoted_until)
    elif record.archived:
        batch.add("Demote", named, archive=True)
    rest: dict[str, Any] = {}
    usual = 0.0 if record.archived else DEFAULT_WEIGHT  # where nothing but an archiving has weighed
    if record.demoted_until is None and record.weight != usual:
        rest["weight"] = record.weight
    if record.remind_rrule is None and record.remind_next is not None:
        rest["remind"] = {"at": format_instant(record.remind_next)}
    if record.remind_rrule is not None:
        until = record.remind_until
        ends = {} if until is None else {"until": format_instant(until)}
        rest["remind"] = {"rrule": record.remind_rrule, **ends}
    known = batch.registry.attribute(version.attribute)
    kept = batch.registry.retention(record.retention_policy, known, record.type)
    if record.expire_at is None and kept is not None and kept.keep is not None:
        rest["expire_at"] = None
    if rest:
        batch.add("Update", named, set=rest)
    if record.expire_at is not None and record.expire_action not in (None, "soft_delete"):
        batch.add("Expire", named, until=format_instant(record.expire_at),
                  on_expire=record.expire_action)  # fmt: skip


def _demote_for_a_while(
    batch: Batch, named: Sequence[str], record: Record, until: datetime
) -> None:
    """Set weight and archived state as they will be after the demotion, then demote again."""
    was = {"weight": record.weight, "archived": record.archived, **record.demoted_from}
    if was["archived"]:
        batch.add("Demote", named, archive=True)
    if was["weight"] != (0.0 if was["archived"] else DEFAULT_WEIGHT):
        batch.add("Update", named, set={"weight": was["weight"]})
    end = format_instant(until)
    if record.archived and not was["archived"]:
        batch.add("Demote", named, archive=True, until=end)
    if record.weight != 0.0 or not record.archived or was["archived"]:
        batch.add("Demote", named, weight=record.weight, until=end)


def _source_args(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an Encode that say where a statement was heard."""
    said = {"source_episode_id": entry.get("episode"), "source": entry.get("source")}
    return {name: value for name, value in said.items() if value}


def _ends(line: Sequence[Version], *, shared: bool) -> list[End]:
    """How each version of a line comes by its end; the versions begin one after the other.

    What never holds closes nothing, unless it is written as if it held. On a line that others
    share it might close one of theirs.
    """
    beginning: dict[datetime | None, list[int]] = defaultdict(list)
    for number, version in enumerate(line):
        beginning[version.valid_from].append(number)
    out: list[End] = []
    closing: set[int] = set()
    for number, version in enumerate(line):
        following = (n for n in beginning[version.valid_to] if n > number)
        later = next((n for n in following if _took_over(line[n], version)), None)
        if later is not None and (line[later].holds or not shared):
            closing.add(later)
            out.append("closed")
        else:
            held = version.holds or number not in closing
            out.append("told" if held else "afterwards")
    return out


def _took_over(later: Version, version: Version) -> bool:
    """Whether a version ends because the one that begins there took its place."""
    if canonical(later.value) == canonical(version.value):
        return False
    before = {record.id for record in version.origins}
    told = any(record.supersedes in before for record in later.origins)
    cut = all(record.valid_to != version.valid_to for record in version.origins)
    return told or cut or len(version.origins) > 1 or len(later.origins) > 1
