"""What each write does to the plain store's state (docs/language.md, "Ops")."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from text2mem.adapters import notes
from text2mem.adapters.base import Effect, Env
from text2mem.adapters.refusals import MOST_PARTS, nothing_to_merge, refuse_facts, refuse_parts
from text2mem.ir.ops import (
    Delete,
    Demote,
    Encode,
    Expire,
    Label,
    Lock,
    Merge,
    Op,
    Promote,
    Split,
    Update,
    beside_content,
)
from text2mem.ir.patch import same
from text2mem.ir.record import ERASING, NO_REMINDER, Record, lasting, locked, reminder_of
from text2mem.ir.registry import Attribute
from text2mem.ir.rights import may_read
from text2mem.ir.words.splitting import chunks, sentence_groups
from text2mem.messages import told
from text2mem_bench.oracle.edits import reminder, reweighted, text_of, update
from text2mem_bench.oracle.facts import enter, fact_in, normal, unarchived
from text2mem_bench.oracle.state import Changes, ids_of, in_id_order, unique

INHERITED = (
    "type", "tags", "facets", "time", "subject", "location", "topic", "source", "weight",
    "read_perm_level", "write_perm_level", "read_whitelist", "read_blacklist",
    "write_whitelist", "write_blacklist", "expire_at", "expire_action",
    "skip_embedding",
)  # fmt: skip
"""What a Split child takes over from its parent."""


def encode(op: Encode, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """One new memory; a fact finds its place among the versions that are there."""
    registry = changes.registry
    fields: dict[str, Any] = dict(op.attributes)
    fact = fact_in(op.content)
    attribute = None
    warnings: list[str] = []
    if fact is not None:
        attribute = registry.attribute(fact["attribute"])
        fields = {
            "subject": fact["subject"],
            "valid_from": fields.get("time", changes.now),
            **fields,
            "attribute": attribute.name,
            "value": normal(registry, attribute, fact["value"]),
        }
        if not attribute.declared:
            warnings.append(notes.undeclared_attribute(attribute.name))
    policy = fields.get("retention_policy")
    if policy is not None and not registry.knows_retention(policy):
        warnings.append(notes.unknown_retention(policy))
    parents = [changes.fetch(str(id_)) for id_ in op.lineage_parents]
    new = Record(
        id="",
        text=text_of(op.content, env),
        payload={op.content.kind: op.content.value, **op.content.extra},
        created_at=changes.now,
        updated_at=changes.now,
        owner=env.context.actor,
        lineage_parents=unique(ids_of(parents)),
        skip_embedding=op.skip_embedding,
        schema_version=registry.version,
        **({} if op.remind is None else reminder(op.remind, env, changes)),
        **_end(op, attribute, changes),
        **fields,
    )
    if fact is None:
        id_, fresh = changes.create(replace(new, id=changes.new_id())).id, True
    else:
        id_, fresh, told = enter(changes, new, env, end=op.attributes.get("valid_to"))
        warnings.extend(told)
    for parent in parents if fresh else ():
        children = changes.fetch(parent.id).lineage_children
        changes.change(parent.id, lineage_children=unique((*children, id_)))
    return Effect(affected=(id_,), warnings=tuple(warnings))


def _end(op: Encode, attribute: Attribute | None, changes: Changes) -> dict[str, Any]:
    """When a new memory ends: as the Encode says, else by its retention class."""
    if op.expire_at is not None:
        return {"expire_at": op.expire_at, "expire_action": "soft_delete"}
    given = op.attributes
    retention = changes.registry.retention(
        given.get("retention_policy"), attribute, given.get("type")
    )
    if retention is None or retention.keep is None:
        return {}
    return {"expire_at": retention.keep.after(changes.now), "expire_action": retention.on_expire}


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
    return Effect(affected=ids_of(rows))


def promote(op: Promote, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """Weight up, and/or a reminder."""
    for row in rows:
        fields: dict[str, Any] = {} if op.remind is None else reminder(op.remind, env, changes)
        if op.weight is not None or op.weight_delta is not None:
            fields |= {"weight": reweighted(row, op), **lasting(row, ("weight",))}
        changes.change(row.id, **fields)
    return Effect(affected=ids_of(rows))


def demote(op: Demote, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """Weight down, or out of default reads; both come back where the op says until when."""
    for row in rows:
        fields: dict[str, Any] = {"weight": reweighted(row, op)}
        if op.archive:
            fields = {"weight": 0.0, "archived": True}
        if op.until is None:
            fields |= lasting(row, fields)
        else:
            was = {name: getattr(row, name) for name in fields}
            fields |= {"demoted_until": op.until, "demoted_from": {**was, **row.demoted_from}}
        changes.change(row.id, **fields)
    return Effect(affected=ids_of(rows))


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
    rings = in_order_of_ringing(others) if op.soft_delete_children else []
    heir = rings.pop(0) if rings and primary.remind_next is None else None
    hides = op.soft_delete_children and any(not o.archived and not o.deleted for o in others)
    shown = unarchived(primary) if hides and primary.archived else {}
    own_weight = shown.pop("weight", primary.weight)
    changes.change(
        primary.id,
        **({} if heir is None else reminder_of(heir)),
        **shown,
        text=text,
        payload=primary.payload
        if text == primary.text
        else {"text": text, **beside_content(primary.payload)},
        tags=unique(tag for record in everyone for tag in record.tags),
        facets=facets,
        weight=max(own_weight, *(record.weight for record in others)),
        lineage_parents=unique((*primary.lineage_parents, *ids_of(others))),
        lineage_facets=lost,
    )
    for other in others:
        changes.change(
            other.id,
            lineage_children=unique((*other.lineage_children, primary.id)),
            deleted=op.soft_delete_children or other.deleted,
            **(NO_REMINDER if other is heir else {}),
        )
    warnings = tuple(
        told("reminder-ends", id=other.id, primary=primary.id) for other in in_id_order(rings)
    )
    return Effect(affected=(primary.id, *ids_of(others)), warnings=warnings)


def split(op: Split, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """Each row cut into children; the row itself is archived unless it is kept or locked."""
    refuse_facts(rows, "facts-not-splittable", "Split")
    created: list[str] = []
    warnings: list[str] = []
    for row in rows:
        parts = parts_of(row.text, op, env)
        refuse_parts(row, parts)
        if len(parts) < 2:
            warnings.append(told("nothing-to-split", id=row.id))
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
                    schema_version=changes.registry.version,
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
    return Effect(affected=tuple(created), warnings=tuple(warnings))


def delete(op: Delete, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """Rows hidden, or erased with a warning about what still holds their content."""
    if op.soft:
        for row in rows:
            changes.change(row.id, deleted=True)
        return Effect(affected=ids_of(rows))
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
        warnings=(
            *(told("still-held", id=id_, holders=tuple(ids)) for id_, ids in kept.items() if ids),
            told("cannot-be-undone"),
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
    return Effect(affected=ids_of(rows))


def expire(op: Expire, rows: Sequence[Record], env: Env, changes: Changes) -> Effect:
    """An end set, counted from now where it is a length."""
    end = op.until if op.ttl is None else op.ttl.after(changes.now)
    for row in rows:
        changes.change(row.id, expire_at=end, expire_action=op.on_expire)
    warnings = (told(f"ends-by-{op.on_expire}"),) if op.on_expire in ERASING and rows else ()
    return Effect(affected=ids_of(rows), warnings=warnings)


Write = Callable[[Any, Sequence[Record], Env, Changes], Effect]

WRITES: Mapping[type[Op], Write] = {
    Encode: encode, Update: update, Label: label, Promote: promote, Demote: demote, Merge: merge,
    Split: split, Delete: delete, Lock: lock, Expire: expire,
}  # fmt: skip


# --- parts of the ops ----------------------------------------------------------------------


def parts_of(text: str, op: Split, env: Env) -> Sequence[str]:
    """The parts that a Split cuts a text into."""
    if op.strategy == "by_sentences":
        return sentence_groups(text, op.max_sentences)
    if op.strategy == "by_chunks":
        return chunks(text, op.chunk_size, op.overlap, most=MOST_PARTS + 1)
    return env.services.split(text, op.instruction or "")


def in_order_of_ringing(records: Sequence[Record]) -> list[Record]:
    """The memories in sight whose reminders are still to fire, the next one first."""
    due = [each for each in records if each.remind_next is not None and not each.deleted]
    return sorted(due, key=lambda each: (each.remind_next or each.when, int(each.id)))


def holders(record: Record, changes: Changes) -> list[Record]:
    """The memories that hold a memory's content: its Split children and its Merge primary.

    Both stand among its children and name it as a parent.
    """
    children = [changes.find(id_) for id_ in record.lineage_children]
    return [child for child in children if child is not None and record.id in child.lineage_parents]
