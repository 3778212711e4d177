"""What each write does to the memory adapter's state (docs/language.md, "Ops")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from text2mem.adapters.base import Effect, Env
from text2mem.adapters.memory_facts import (
    CONTENT,
    enter,
    fact_in,
    other_keys,
    render,
    supersede,
)
from text2mem.adapters.memory_state import Changes, same
from text2mem.adapters.refusals import nothing_to_merge, refuse_facts
from text2mem.ir.ops import (
    Delete,
    Demote,
    Edits,
    Encode,
    Expire,
    Label,
    Lock,
    Merge,
    Op,
    Promote,
    Remind,
    Split,
    Update,
)
from text2mem.ir.record import ANONYMOUS, DEFAULT_WEIGHT, DEMOTED_WEIGHT, Record, locked
from text2mem.ir.rights import may_read
from text2mem.ir.rrule import next_occurrence
from text2mem.ir.splitting import chunks, sentence_groups

INHERITED = (
    "type", "tags", "facets", "time", "subject", "location", "topic", "source", "weight",
    "read_perm_level", "write_perm_level", "read_whitelist", "read_blacklist",
    "write_whitelist", "write_blacklist", "expire_at", "expire_action",
)  # fmt: skip
"""What a Split child takes over from its parent."""


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """Every name once, in the order of first mention."""
    return tuple(dict.fromkeys(names))


def in_id_order(records: Iterable[Record]) -> list[Record]:
    """By the number that an id is: "10" comes after "9"."""
    return sorted(records, key=lambda record: int(record.id))


def ids_of(records: Iterable[Record]) -> tuple[str, ...]:
    """The ids of records, in their order."""
    return tuple(record.id for record in records)


# --- one op each ---------------------------------------------------------------------------


def encode(op: Encode, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """One new memory; a fact finds its place among the versions that are there."""
    fields: dict[str, Any] = dict(op.attributes)
    fact = fact_in(op.content)
    if fact is not None:
        fields = {
            "subject": fact["subject"],
            "valid_from": fields.get("time", changes.now),
            **fields,
            "attribute": fact["attribute"],
            "value": fact["value"],
        }
    parents = [changes.fetch(str(id_)) for id_ in op.lineage_parents]
    new = Record(
        id=changes.new_id(),
        text=render(op.content.kind, op.content.value),
        payload={op.content.kind: op.content.value, **op.content.extra},
        created_at=changes.now,
        updated_at=changes.now,
        owner=env.context.actor,
        expire_at=op.expire_at,
        expire_action=None if op.expire_at is None else "soft_delete",
        lineage_parents=unique(ids_of(parents)),
        **fields,
    )
    changes.create(enter(changes, new) if fact is not None else new)
    for parent in parents:
        children = changes.fetch(parent.id).lineage_children
        changes.change(parent.id, lineage_children=unique((*children, new.id)))
    return Effect(affected=(new.id,), created=(new.id,), touched=changes.touched())


def update(op: Update, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """Fields edited in place; a fact's new value makes a new version instead."""
    affected: list[str] = []
    created: list[str] = []
    for row in rows:
        fields = edited(row, op.edits, env, changes)
        if "value" in op.edits:
            created.append(supersede(changes, row, op.edits["value"], fields).id)
            affected.append(created[-1])
        else:
            changes.change(row.id, **fields)
            affected.append(row.id)
    return Effect(affected=tuple(affected), created=tuple(created), touched=changes.touched())


def label(op: Label, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """Tags and facets added, replaced or removed."""
    for row in rows:
        if op.tags is not None:
            tags = {
                "add": unique((*row.tags, *op.tags)),
                "replace": op.tags,
                "remove": tuple(tag for tag in row.tags if tag not in op.tags),
            }
            changes.change(row.id, tags=tags[op.mode])
        if op.facets is not None:
            facets = {
                "add": {**row.facets, **op.facets},
                "replace": dict(op.facets),
                "remove": {k: v for k, v in row.facets.items() if k not in op.facets},
            }
            changes.change(row.id, facets=facets[op.mode])
    return Effect(affected=ids_of(rows), touched=changes.touched())


def promote(op: Promote, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """Weight up, and/or a reminder."""
    for row in rows:
        fields: dict[str, Any] = {} if op.remind is None else reminder(op.remind, env, changes)
        if op.weight is not None or op.weight_delta is not None:
            fields["weight"] = reweighted(row, op)
        changes.change(row.id, **fields)
    return Effect(affected=ids_of(rows), touched=changes.touched())


def demote(op: Demote, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """Weight down, or out of default reads."""
    for row in rows:
        if op.archive:
            changes.change(row.id, weight=0.0, archived=True)
        else:
            changes.change(row.id, weight=reweighted(row, op))
    return Effect(affected=ids_of(rows), touched=changes.touched())


def merge(op: Merge, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """Rows joined into the primary; what loses there is kept in its lineage."""
    primary = changes.fetch(str(op.primary_id))
    everyone = in_id_order([primary, *(row for row in rows if row.id != primary.id)])
    others = [record for record in everyone if record.id != primary.id]
    refuse_facts(everyone, "facts-not-mergeable", "Merge")
    if not others:
        raise nothing_to_merge(primary.id)
    facets = dict(primary.facets)
    lost: dict[str, dict[str, Any]] = {
        id_: dict(kept) for id_, kept in primary.lineage_facets.items()
    }
    for other in others:
        for key, value in other.facets.items():
            if not same(facets.setdefault(key, value), value):
                lost.setdefault(other.id, {})[key] = value
    text = "\n\n".join(unique(record.text for record in everyone if record.text))
    changes.change(
        primary.id,
        text=text,
        payload={"text": text, **other_keys(primary.payload)},
        tags=unique(tag for record in everyone for tag in record.tags),
        facets=facets,
        weight=max(record.weight for record in everyone),
        lineage_parents=unique((*primary.lineage_parents, *ids_of(others))),
        lineage_facets=lost,
    )
    for other in others:
        changes.change(
            other.id,
            lineage_children=unique((*other.lineage_children, primary.id)),
            deleted=op.soft_delete_children or other.deleted,
        )
    return Effect(affected=(primary.id, *ids_of(others)), touched=changes.touched())


def split(op: Split, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """Each row cut into children; the row itself is archived unless it is kept or locked."""
    refuse_facts(rows, "facts-not-splittable", "Split")
    created: list[str] = []
    warnings: list[str] = []
    for row in rows:
        parts = parts_of(row.text, op, env)
        if len(parts) < 2:
            warnings.append(f"memory {row.id} has nothing to split")
            continue
        inherited = {name: getattr(row, name) for name in INHERITED} if op.inherit_all else {}
        children = [
            changes.create(
                Record(
                    id=changes.new_id(),
                    text=part,
                    payload={"text": part},
                    created_at=changes.now,
                    updated_at=changes.now,
                    owner=row.owner,
                    lineage_parents=(row.id,),
                    **inherited,
                )
            )
            for part in parts
        ]
        stays = op.keep_parent or locked(row, env.now)
        changes.change(
            row.id,
            lineage_children=(*row.lineage_children, *ids_of(children)),
            archived=row.archived or not stays,
        )
        created.extend(ids_of(children))
    return Effect(
        affected=tuple(created),
        created=tuple(created),
        touched=changes.touched(),
        warnings=tuple(warnings),
    )


def delete(op: Delete, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """Rows hidden, or erased with a warning about what still holds their content."""
    if op.soft:
        for row in rows:
            changes.change(row.id, deleted=True)
        return Effect(affected=ids_of(rows), touched=changes.touched())
    erased = {row.id: row for row in rows}
    if op.cascade:
        waiting = list(rows)
        while waiting:
            for holder in holders(waiting.pop(0), changes):
                if holder.id not in erased:
                    erased[holder.id] = holder
                    waiting.append(holder)
    kept = {
        row.id: [
            holder.id
            for holder in holders(row, changes)
            if holder.id not in erased and may_read(holder, env.context)
        ]
        for row in erased.values()
    }
    for id_ in erased:
        changes.erase(id_)
    return Effect(
        affected=tuple(erased),
        touched=changes.touched(),
        warnings=tuple(
            f"memory {id_}'s content is still held by: {', '.join(ids)}"
            for id_, ids in kept.items()
            if ids
        ),
    )


def lock(op: Lock, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """A lock set in place of the one that was there, or taken off."""
    named = {"allow": op.policy.allow, "deny": op.policy.deny, "reviewers": op.policy.reviewers}
    fields: dict[str, Any] = {
        "lock_mode": op.mode,
        "lock_policy": {key: list(names) for key, names in named.items() if names},
        "lock_reason": op.reason,
        "lock_expires": op.policy.expires,
    }
    if op.mode == "none":
        fields = {"lock_mode": None, "lock_policy": {}, "lock_reason": None, "lock_expires": None}
    for row in rows:
        changes.change(row.id, **fields)
    return Effect(affected=ids_of(rows), touched=changes.touched())


def expire(op: Expire, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """An end set, counted from now where it is a length."""
    end = op.until if op.ttl is None else op.ttl.after(changes.now)
    for row in rows:
        changes.change(row.id, expire_at=end, expire_action=op.on_expire)
    return Effect(affected=ids_of(rows), touched=changes.touched())


Write = Callable[[Any, Sequence[Record], Env, Changes], Effect]

WRITES: Mapping[type[Op], Write] = {
    Encode: encode, Update: update, Label: label, Promote: promote, Demote: demote, Merge: merge,
    Split: split, Delete: delete, Lock: lock, Expire: expire,
}  # fmt: skip


# --- what expiry does ----------------------------------------------------------------------


def end(record: Record, changes: Changes) -> None:
    """Carry out a memory's expiry; a locked one is soft-deleted at most."""
    action = record.expire_action or "soft_delete"
    if locked(record, changes.now) and record.expire_action in ("hard_delete", "anonymize"):
        action = "soft_delete"
    if action == "hard_delete":
        changes.erase(record.id)
        return
    outcome: dict[str, Mapping[str, Any]] = {
        "soft_delete": {"deleted": True},
        "demote": {"weight": min(record.weight, DEMOTED_WEIGHT), "archived": True},
        "anonymize": ANONYMOUS,
    }
    if action == "anonymize":
        changes.state.forget_images(record.id)
    changes.change(record.id, expire_at=None, expire_action=None, **outcome[action])


# --- parts of the ops ----------------------------------------------------------------------


def edited(record: Record, edits: Edits, env: Env, changes: Changes) -> dict[str, Any]:
    """The fields of a record that an Update sets; ``value`` is left to the facts."""
    fields: dict[str, Any] = {}
    for key, given in edits.items():
        value: Any = given
        if key in CONTENT:
            payload = {**other_keys(record.payload), key: value}
            fields |= {"text": render(key, value), "payload": payload}
        elif key == "ttl":
            fields |= {"expire_at": value.after(changes.now), "expire_action": "soft_delete"}
        elif key == "expire_at":
            action = None if value is None else record.expire_action or "soft_delete"
            fields |= {"expire_at": value, "expire_action": action}
        elif key == "remind":
            fields |= reminder(value, env, changes)
        elif key == "archived":
            fields["archived"] = False
            # Archiving set the weight to 0, where nothing would ever rank it up again.
            if record.weight == 0 and "weight" not in edits:
                fields["weight"] = DEFAULT_WEIGHT
        elif key not in ("value", "skip_embedding"):
            fields[key] = value
    return fields


def reminder(remind: Remind | None, env: Env, changes: Changes) -> dict[str, Any]:
    """The fields of a reminder whose rule counts from now; None takes it off."""
    if remind is None:
        return {"remind_rrule": None, "remind_until": None, "remind_next": None}
    following = next_occurrence(
        remind.rrule, after=changes.now, start=changes.now, tz=env.context.tz, until=remind.until
    )
    return {
        "remind_rrule": remind.rrule,
        "remind_until": remind.until,
        "remind_next": following,
    }


def reweighted(record: Record, op: Promote | Demote) -> float:
    """The weight that is set, or the one that a delta leads to: within [0, 1], six decimals."""
    if op.weight is not None:
        return op.weight
    return round(min(max(record.weight + (op.weight_delta or 0.0), 0.0), 1.0), 6)


def parts_of(text: str, op: Split, env: Env) -> Sequence[str]:
    """The parts that a Split cuts a text into."""
    if op.strategy == "by_sentences":
        return sentence_groups(text, op.max_sentences)
    if op.strategy == "by_chunks":
        return chunks(text, op.chunk_size, op.overlap)
    return env.services.split(text, op.instruction or "")


def holders(record: Record, changes: Changes) -> list[Record]:
    """The memories that hold a memory's content: its Split children and its Merge primary.

    Both stand among its children and name it as a parent.
    """
    children = [changes.find(id_) for id_ in record.lineage_children]
    return [child for child in children if child is not None and record.id in child.lineage_parents]
