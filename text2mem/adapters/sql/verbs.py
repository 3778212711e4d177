"""The ops that write but make no memory: Label, Promote, Demote, Lock, Expire, Delete; and carrying
out what is due (docs/language.md, "Ops", "Expiry and reminders", "Erasure, undo")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from text2mem.adapters import notes
from text2mem.adapters.base import Effect, Env, Touched
from text2mem.adapters.sql.erasing import erase, forget
from text2mem.adapters.sql.store import Store
from text2mem.ir.ops import Delete, Demote, Expire, Label, Lock, Promote, Remind
from text2mem.ir.patch import diff
from text2mem.ir.record import (
    ANONYMOUS,
    DEMOTED_WEIGHT,
    ERASING,
    NO_REMINDER,
    Record,
    due,
    lasting,
    locked,
    wakes,
)
from text2mem.ir.rights import may_read
from text2mem.ir.times.rrule import next_occurrence, zone_key
from text2mem.messages import told

Rows = Sequence[Record]


def label(op: Label, row: Record, env: Env) -> Record:
    """Add, replace or remove tags and facets, as far as the op names any."""
    tags, facets = dict.fromkeys(op.tags or ()), op.facets or {}
    match op.mode:
        case "add":
            tags, facets = {**dict.fromkeys(row.tags), **tags}, {**row.facets, **facets}
        case "remove":
            tags = {tag: None for tag in row.tags if tag not in tags}
            facets = {key: value for key, value in row.facets.items() if key not in facets}
        case "replace":
            tags = tags if op.tags is not None else dict.fromkeys(row.tags)
            facets = facets if op.facets is not None else row.facets
    return replace(row, tags=tuple(tags), facets=facets)


def promote(op: Promote, row: Record, env: Env) -> Record:
    """Set or change the weight, and set or cancel the reminder, as far as the op says so."""
    if op.weight is not None or op.weight_delta is not None:
        weight = changed_weight(row.weight, op.weight, op.weight_delta)
        row = replace(row, weight=weight, **lasting(row, ("weight",)))
    return row if op.remind is None else replace(row, **reminder(op.remind, env))


def demote(op: Demote, row: Record, env: Env) -> Record:
    """Set or change the weight, or archive with weight 0; until an instant, or for good."""
    fields: dict[str, Any] = {"weight": changed_weight(row.weight, op.weight, op.weight_delta)}
    if op.archive:
        fields = {"weight": 0.0, "archived": True}
    if op.until is None:
        return replace(row, **fields, **lasting(row, fields))
    # If an earlier temporary demotion is still in force, this one restores what that one would.
    earlier = {name: getattr(row, name) for name in fields} | dict(row.demoted_from)
    return replace(row, **fields, demoted_until=op.until, demoted_from=earlier)


def lock(op: Lock, row: Record, env: Env) -> Record:
    """Set or lift a lock."""
    if op.mode == "none":
        return replace(row, lock_mode=None, lock_policy={}, lock_reason=None, lock_expires=None)
    lists = {key: list(getattr(op.policy, key)) for key in ("allow", "deny", "reviewers")}
    return replace(
        row, lock_mode=op.mode, lock_policy={key: each for key, each in lists.items() if each},
        lock_reason=op.reason, lock_expires=op.policy.expires,
    )  # fmt: skip


def expire(op: Expire, rows: Rows, env: Env, store: Store) -> Effect:
    """Set an expiry: the instant, and what happens then."""
    horizon = op.until if op.ttl is None else op.ttl.after(env.now)
    effect = edit_each(
        rows, lambda row: replace(row, expire_at=horizon, expire_action=op.on_expire), env, store
    )
    if rows and op.on_expire in ERASING:
        effect = replace(effect, warnings=(*effect.warnings, told(f"ends-by-{op.on_expire}")))
    return effect


def delete(op: Delete, rows: Rows, env: Env, store: Store) -> Effect:
    """Soft-delete rows, or erase them. With ``cascade``, the memories that hold their content are
    erased, too; otherwise a warning names those that the caller may read."""
    if op.soft:
        return edit_each(rows, lambda row: replace(row, deleted=True), env, store)
    doomed = {row.id: row for row in rows}
    warnings = []
    queue = list(rows)
    for row in queue:  # which may grow meanwhile
        holders = [holder for holder in _holders(row, store) if holder.id not in doomed]
        if op.cascade:
            doomed.update((holder.id, holder) for holder in holders)
            queue.extend(holders)
        elif left := [holder.id for holder in holders if may_read(holder, env.context)]:
            warnings.append(told("still-held", id=row.id, holders=tuple(left)))
    for row in doomed.values():
        erase(row, env, store)
    return Effect(
        affected=tuple(doomed), touched=tuple((row, None) for row in doomed.values()),
        forgotten=frozenset(doomed), warnings=(*warnings, told("cannot-be-undone")),
    )  # fmt: skip


def settle(env: Env, ending: Rows, store: Store) -> Effect:
    """Carry out what is due for these rows, in their order. A memory that was locked when its end
    came is soft-deleted instead of erased or anonymised, with a warning."""
    touched: list[Touched] = []
    forgotten: set[str] = set()
    warnings = []
    for row in ending:
        woken = replace(row, **waking(row)) if wakes(row, env.now) else row
        if not due(row, env.now):
            touched.append(store.change(row, woken, env.now))
            continue
        action = row.expire_action or "soft_delete"
        if action in ERASING and locked(row, row.expire_at or env.now):
            warnings.append(notes.softened(row, action))
            action = "soft_delete"
        if action in ERASING:
            forgotten.add(row.id)
        if action == "hard_delete":
            erase(row, env, store)
            touched.append((row, None))
            continue
        fields: dict[str, Any] = {"deleted": True}
        if action == "demote":
            fields = {"weight": min(woken.weight, DEMOTED_WEIGHT), "archived": True,
                      "demoted_until": None, "demoted_from": {}}  # fmt: skip
        elif action == "anonymize":
            fields = dict(ANONYMOUS)
        after = replace(woken, expire_at=None, expire_action=None, **fields)
        touched.append(store.change(row, after, env.now))
        if action == "anonymize":
            forget(store, row.id, row.lineage_children)
    return Effect(
        affected=tuple(row.id for row in ending), touched=tuple(touched),
        forgotten=frozenset(forgotten), warnings=tuple(warnings),
    )  # fmt: skip


def waking(row: Record) -> dict[str, Any]:
    """The fields of a memory that change when its temporary demotion ends."""
    return {**row.demoted_from, "demoted_until": None, "demoted_from": {}}


def reminder(remind: Remind | None, env: Env) -> Mapping[str, Any]:
    """The fields of a memory that a reminder sets; None cancels the reminder."""
    if remind is None:
        return NO_REMINDER
    if remind.rrule is None:
        return {**NO_REMINDER, "remind_next": remind.at, "remind_start": env.now}
    start = remind.start or env.now
    following = remind.at or next_occurrence(
        remind.rrule, after=env.now, start=start, tz=env.context.tz, until=remind.until
    )
    return {
        "remind_rrule": remind.rrule, "remind_until": remind.until, "remind_next": following,
        "remind_start": start, "remind_tz": zone_key(env.context.tz),
    }  # fmt: skip


def edit_each(rows: Rows, after: Callable[[Record], Record], env: Env, store: Store) -> Effect:
    """Write the state that ``after`` makes of each row; one left as it is counts as affected
    only."""
    touched = []
    for row in rows:
        new = after(row)
        if diff(row, new):
            touched.append(store.change(row, new, env.now))
    return Effect(affected=tuple(row.id for row in rows), touched=tuple(touched))


def embed(touched: Iterable[Touched], env: Env, store: Store) -> list[str]:
    """Make vectors for the memories that should have one and whose text is new, or was not to be
    embedded before; warnings where the service failed."""
    wanted = [
        (after.id, after.text)
        for before, after in touched
        if after is not None and after.text and after.payload and not after.skip_embedding
        if before is None or before.text != after.text or before.skip_embedding
    ]
    return embed_texts(wanted, env, store)


def embed_texts(wanted: Sequence[tuple[str, str]], env: Env, store: Store) -> list[str]:
    """Make and store vectors for memories, given as (id, text); warnings as above."""
    embedding = env.services.embedding
    if embedding is None or not wanted:
        return []
    store.vectors.check(embedding)
    made = env.services.vectors([text for _, text in wanted])
    pairs = [(id_, vector) for (id_, _), vector in zip(wanted, made, strict=True)]
    store.vectors.put({id_: v for id_, v in pairs if v is not None}, embedding)
    return [notes.without_vector(id_) for id_, vector in pairs if vector is None]


def changed_weight(weight: float, absolute: float | None, delta: float | None) -> float:
    """The ``absolute`` weight if given, else the weight changed by ``delta``, within [0, 1]."""
    if absolute is not None:
        return absolute
    return round(min(1.0, max(0.0, weight + (delta or 0.0))), 6)


def _holders(row: Record, store: Store) -> list[Record]:
    """The memories that hold a row's content: children of its Split, or the primary of a Merge."""
    children = store.get(row.lineage_children)
    return [
        children[id_] for id_ in row.lineage_children
        if id_ in children and row.id in children[id_].lineage_parents
    ]  # fmt: skip


EDITS: dict[str, Callable[[Any, Record, Env], Record]] = {
    "Label": label, "Promote": promote, "Demote": demote, "Lock": lock,
}  # fmt: skip
"""The functions of the ops that change each row by itself, by op."""
