"""The program of a batch: Encodes for the new versions, and the end of the facts they replace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from text2mem.executor.authorise import WRITE_CAP
from text2mem.executor.tick import following
from text2mem.ir.ops import beside_content
from text2mem.ir.record import DEFAULT_WEIGHT, Record
from text2mem.ir.registry import Registry
from text2mem.ir.times.temporal import format_instant, format_instants
from text2mem.ir.values import canonical
from text2mem.ir.words.naming import name_key
from text2mem.ledger.evolution.plan import Plan, by_line
from text2mem.ledger.evolution.version import Version
from text2mem.ledger.holdings import in_order
from text2mem.ledger.rights import inherited

End = Literal["told", "closed", "afterwards"]
"""How a new version gets its end: from its own Encode (``told``), from the next version, which
closes it (``closed``), or from an Update after its Encode (``afterwards``)."""
_AS_IT_WAS = ("type", "facets", "location", "topic", "retention_policy", "skip_embedding")
"""Fields that are copied from a version's first memory."""
_SOON = timedelta(minutes=1)
"""The time within which the program of a batch is run."""


@dataclass(slots=True)
class Batch:
    """The steps of one program of an evolution."""

    registry: Registry
    """The registry after the evolution."""
    now: datetime
    steps: list[dict[str, Any]] = field(default_factory=list)
    made: dict[int, Version] = field(default_factory=dict)
    """The version that each Encode makes, by the number of the step, from 1."""
    notes: list[str] = field(default_factory=list)

    def add(self, op: str, target: Any = None, **args: Any) -> int:
        """Add a step, and return its number, from 1. ``target`` are ids or a step reference."""
        of_ids = {} if target is None else {"target": {"ids": list(target)}}
        stage = "ENC" if op == "Encode" else "STO"
        self.steps.append({"stage": stage, "op": op, **of_ids, "args": args})
        return len(self.steps)


def batch_of(
    versions: Sequence[Version], plan: Plan, registry: Registry, reason: str, now: datetime
) -> Batch:
    """The program for all versions of some subjects. ``reason`` is that of the Deletes."""
    batch = Batch(registry, now)
    origins = {record.id: record for version in versions for record in version.origins}
    _make_room(batch, versions, origins)
    for version in versions:
        if version.pending:
            _encode(batch, version, "told")
    for line in by_line((v for v in versions if not v.pending), registry):
        line.sort(key=lambda v: (v.valid_from, v.holds, int(v.first.id)))
        shared = (line[0].about, line[0].attribute) in plan.shared
        for version, end in zip(line, _ends(line, shared=shared), strict=True):
            _encode(batch, version, end)
    ids = sorted(origins, key=int)
    for start in range(0, len(ids), WRITE_CAP):  # the most memories that a step may change
        batch.add("Delete", ids[start : start + WRITE_CAP], soft=True, reason=reason)
    return batch


def _make_room(batch: Batch, versions: Sequence[Version], origins: Mapping[str, Record]) -> None:
    """End the old facts where they begin, on the time lines on which new versions are written. They
    cannot be deleted before the Encodes, since they are the parents of the new versions."""
    written = {(version.about, name_key(version.attribute)) for version in versions}
    for record in in_order(origins.values()):
        if Version.of(record).holds and record.line in written:
            batch.add("Update", [record.id], set={"valid_to": format_instant(record.begins)})


def encodes(
    version: Version, valid_to: datetime | None, registry: Registry
) -> list[dict[str, Any]]:
    """The arguments of an Encode for a version that ends ``valid_to``, and for each more source."""
    record = version.first
    stated = {"subject": version.subject, "attribute": version.attribute, "value": version.value}
    args = {name: getattr(record, name) for name in _AS_IT_WAS if getattr(record, name)}
    if record.tags:
        args["tags"] = list(record.tags)
    args |= inherited(record)
    args["payload"] = {"structured": stated, **beside_content(record.payload)}
    instants = {"valid_from": version.valid_from, "valid_to": valid_to, "time": record.time}
    args |= format_instants(instants)
    if version.confidence is not None:
        args["confidence"] = version.confidence
    parents = [parent.id for parent in version.origins]
    own_source = {"episode": record.source_episode_id, "source": record.source}
    first, *further = version.sources or (own_source,)
    expiry = {} if record.expire_at is None else {"expire_at": format_instant(record.expire_at)}
    made = [{**args, **expiry, **_source_args(first), "lineage_parents": parents}]
    for entry in further:
        repeated = {k: v for k, v in args.items() if k != "confidence"} | _source_args(entry)
        if (confidence := entry.get("confidence")) is not None:
            repeated["confidence"] = max(confidence, registry.confidence_floor)
        made.append(repeated)
    return made


def _encode(batch: Batch, version: Version, end: End) -> None:
    """Add the Encodes of a version, and the steps for what they do not set. A fact that never holds
    or is pending gains no further source, which is noted."""
    own_end = version.valid_to if end == "told" else None
    first, *further = encodes(version, own_end, batch.registry)
    number = batch.add("Encode", **first)
    batch.made[number] = version
    if further and (version.pending or (not version.holds and own_end is not None)):
        ids = ", ".join(record.id for record in version.origins)
        batch.notes.append(f"what memory {ids} says keeps only its first source")
    else:
        for args in further:
            batch.add("Encode", **args)
    if end == "afterwards":
        batch.add("Update", [f"${number}"], set={"valid_to": first["valid_from"]})
    _complete(batch, version, number)


def _complete(batch: Batch, version: Version, number: int) -> None:
    """Add the steps that give the memory of step ``number`` what an Encode does not set."""
    record, target = version.first, [f"${number}"]
    if record.demoted_until is not None:
        _demote_for_a_while(batch, target, record, record.demoted_until)
    elif record.archived:
        batch.add("Demote", target, archive=True)
    edits: dict[str, Any] = {}
    weight = 0.0 if record.archived else DEFAULT_WEIGHT  # that of the new memory so far
    if record.demoted_until is None and record.weight != weight:
        edits["weight"] = record.weight
    if record.remind_next is not None:
        edits["remind"] = _reminder(record, record.remind_next, batch.now)
    attribute = batch.registry.attribute(version.attribute)
    retention = batch.registry.retention(record.retention_policy, attribute, record.type)
    if record.expire_at is None and retention is not None and retention.keep is not None:
        edits["expire_at"] = None
    if edits:
        batch.add("Update", target, set=edits)
    if record.expire_at is not None and record.expire_action not in (None, "soft_delete"):
        batch.add("Expire", target, until=format_instant(record.expire_at),
                  on_expire=record.expire_action)  # fmt: skip


def _reminder(record: Record, due: datetime, now: datetime) -> dict[str, Any]:
    """The reminder of a memory. What has come due and does not recur rings soon."""
    rings = following(record, now)
    if record.remind_rrule is None or rings is None:
        return {"at": format_instant(max(due, now + _SOON))}
    put_off = due if now < due != rings else None
    ends = {"at": put_off, "start": record.remind_start, "until": record.remind_until}
    return {"rrule": record.remind_rrule, **format_instants(ends)}


def _demote_for_a_while(
    batch: Batch, target: Sequence[str], record: Record, until: datetime
) -> None:
    """Add the steps for what holds after a demotion, and then demote until its end."""
    after = {"weight": record.weight, "archived": record.archived, **record.demoted_from}
    if after["archived"]:
        batch.add("Demote", target, archive=True)
    if after["weight"] != (0.0 if after["archived"] else DEFAULT_WEIGHT):
        batch.add("Update", target, set={"weight": after["weight"]})
    end = format_instant(until)
    if record.archived and not after["archived"]:
        batch.add("Demote", target, archive=True, until=end)
    if record.weight != 0.0 or not record.archived or after["archived"]:
        batch.add("Demote", target, weight=record.weight, until=end)


def _source_args(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an Encode for one entry of ``sources``."""
    args = {"source_episode_id": entry.get("episode"), "source": entry.get("source")}
    return {name: value for name, value in args.items() if value}


def _ends(line: Sequence[Version], *, shared: bool) -> list[End]:
    """How each version of a time line, in the order of beginnings, gets its end.

    A version that never holds closes nothing. Where it is to close the version before it, it is
    written without its end, which an Update then sets (``afterwards``). That is not done on a line
    with facts that are left unchanged (``shared``), since it could close one of these.
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
            out.append("told" if version.holds or number not in closing else "afterwards")
    return out


def _took_over(later: Version, version: Version) -> bool:
    """Whether a version ends because ``later``, which begins there, has replaced it."""
    if canonical(later.value) == canonical(version.value):
        return False
    before = {record.id for record in version.origins}
    supersedes = any(record.supersedes in before for record in later.origins)
    cut = all(record.valid_to != version.valid_to for record in version.origins)
    return supersedes or cut or len(version.origins) > 1 or len(later.origins) > 1
