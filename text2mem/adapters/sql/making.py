"""The ops that make memories or change their content: Encode, Update, Merge, Split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from text2mem.adapters import notes, refusals
from text2mem.adapters.base import Effect, Env, Touched
from text2mem.adapters.sql import facts
from text2mem.adapters.sql.editing import edited, text_of
from text2mem.adapters.sql.store import Store
from text2mem.adapters.sql.verbs import Rows, embed, reminder
from text2mem.ir.exchange import edits_in
from text2mem.ir.ops import Edits, Encode, Merge, Split, Update, as_lines, beside_content
from text2mem.ir.patch import diff, same
from text2mem.ir.record import NO_REMINDER, Record, changed, locked, reminder_of
from text2mem.ir.words.splitting import chunks, sentence_groups
from text2mem.messages import told

_INHERITED = (
    "type", "tags", "facets", "time", "subject", "location", "topic", "source", "weight",
    "read_perm_level", "write_perm_level", "read_whitelist", "read_blacklist", "write_whitelist",
    "write_blacklist", "expire_at", "expire_action",
    "skip_embedding",
)  # fmt: skip


def encode(op: Encode, env: Env, store: Store) -> Effect:
    """Insert a new memory, or enter a fact into the ledger, and make it a child of its parents."""
    parents = tuple(str(parent) for parent in op.lineage_parents)
    (id_,) = store.take_ids()
    record = Record(id=id_, lineage_parents=parents, **origin(env, store), **fields_of(op, env))
    if facts.is_fact(op.content.value):
        record = facts.as_fact(record, op.content.value, store)
    record, warnings = with_retention(record, store)
    touched: list[tuple[Record, Record]] = []
    if record.is_fact and not record.pending:
        entered, touched = facts.enter(record, store, env)
        if entered is None:
            store.release_id()
            return _repetition(touched, warnings)
        record = entered
    store.insert([record])
    warnings.extend(embed([(None, record)], env, store))
    closed = {row.id: row for row, _ in touched}
    for parent in store.get(record.lineage_parents).values():
        # A parent may be the fact that was just closed. Both changes count as one version.
        first = closed.get(parent.id, parent)
        child = replace(parent, lineage_children=(*parent.lineage_children, record.id))
        after = changed(first, child, env.now)
        store.write(parent, after)
        touched = [pair for pair in touched if pair[0] is not first]
        touched.append((first, after))
    return Effect(
        affected=(record.id,), touched=((None, record), *touched), warnings=tuple(warnings)
    )  # fmt: skip


def _repetition(touched: Sequence[Touched], warnings: Sequence[str] = ()) -> Effect:
    """The effect of stating again what a version of the ledger, the last one touched, says."""
    holding, _ = touched[-1]
    assert holding is not None
    return Effect(
        affected=(holding.id,), touched=tuple(touched),
        warnings=(*warnings, notes.repeated(holding)),
    )  # fmt: skip


def fields_of(op: Encode, env: Env) -> dict[str, Any]:
    """The fields that an Encode itself sets, except the parents."""
    content = op.content
    fields: dict[str, Any] = {
        "text": text_of(content, env),
        "payload": {content.kind: content.value, **content.extra},
        **op.attributes,
    }
    if op.expire_at is not None:
        fields.update(expire_at=op.expire_at, expire_action="soft_delete")
    if op.remind is not None:
        fields.update(reminder(op.remind, env))
    if op.skip_embedding:
        fields["skip_embedding"] = True
    return fields


def origin(env: Env, store: Store) -> dict[str, Any]:
    """The fields of a new memory's owner, instants and registry version."""
    return {
        "created_at": env.now, "updated_at": env.now, "owner": env.context.actor,
        "schema_version": store.registry.version,
    }  # fmt: skip


def update(op: Update, rows: Rows, env: Env, store: Store) -> Effect:
    """Edit each row. A fact's new value becomes a new version."""
    touched: dict[str, Touched] = {}
    affected: list[str] = []
    warnings: list[str] = []
    for row in rows:
        # The present state, because the edit of an earlier row may have closed this one.
        present = touched[row.id][1] if row.id in touched else row
        assert present is not None
        edits = edits_in(present, op)
        result = (_new_value if "value" in edits else _edit)(present, edits, env, store)
        for before, after in result.touched:
            assert after is not None
            touched[after.id] = _combine(touched.get(after.id), (before, after), store)
        affected.extend(result.affected)
        warnings.extend(result.warnings)
    warnings.extend(embed(touched.values(), env, store))
    return Effect(
        affected=tuple(dict.fromkeys(affected)), touched=tuple(touched.values()),
        warnings=tuple(warnings),
    )  # fmt: skip


def _combine(earlier: Touched | None, pair: Touched, store: Store) -> Touched:
    """Combine an op's earlier change of a memory with a later one, as one new version."""
    if earlier is None:
        return pair
    first, last = earlier[0], pair[1]
    assert last is not None
    after = replace(last, version=1 if first is None else first.version + 1)
    store.write(last, after)
    return first, after


def merge(op: Merge, rows: Rows, env: Env, store: Store) -> Effect:
    """Merge the rows into the primary, and record the lineage on both sides."""
    refusals.refuse_facts(rows, "facts-not-mergeable", "Merge")
    primary_id = str(op.primary_id)
    ordered = sorted(rows, key=lambda row: int(row.id))
    others = [row for row in ordered if row.id != primary_id]
    if not others:
        raise refusals.nothing_to_merge(primary_id)
    primary = next(row for row in ordered if row.id == primary_id)
    after = _merged(op, primary, ordered, env)
    # Reminders of memories that are now hidden: the primary takes the first one if it has none.
    hidden = [r for r in others if r.remind_next and op.soft_delete_children and not r.deleted]
    moved = None
    if hidden and primary.remind_next is None:
        moved = min(hidden, key=lambda row: (row.remind_next or row.when, int(row.id)))
        after = replace(after, **reminder_of(moved))
    pairs = [(primary, after)]
    for row in others:
        children = tuple(dict.fromkeys((*row.lineage_children, primary_id)))
        gone = row.deleted or op.soft_delete_children
        new = replace(row, lineage_children=children, deleted=gone)
        pairs.append((row, replace(new, **NO_REMINDER) if row is moved else new))
    touched = [store.change(before, new, env.now) for before, new in pairs if diff(before, new)]
    ended = (row.id for row in hidden if row is not moved)
    warnings = [told("reminder-ends", id=id_, primary=primary_id) for id_ in ended]
    warnings += embed(touched, env, store)
    affected = (primary_id, *(row.id for row in others))
    return Effect(affected=affected, touched=tuple(touched), warnings=tuple(warnings))


def _merged(op: Merge, primary: Record, rows: Rows, env: Env) -> Record:
    """The primary with the content of all rows, in their order, and its lineage."""
    others = [row for row in rows if row.id != primary.id]
    text = "\n\n".join(dict.fromkeys(row.text for row in rows if row.text))
    facets, losers = _united_facets(primary, others)
    payload = {"text": text, **beside_content(primary.payload)}
    # What was in sight does not leave it with a primary that was put away.
    seen = op.soft_delete_children and not all(row.away for row in others)
    shown = edited(primary, {"archived": False}, env) if seen and primary.archived else primary
    return replace(
        shown, text=text, payload=primary.payload if text == primary.text else payload,
        facets=facets,
        tags=tuple(dict.fromkeys(tag for row in rows for tag in row.tags)),
        weight=max(row.weight for row in (shown, *others)),
        lineage_parents=tuple(dict.fromkeys((*primary.lineage_parents, *(r.id for r in others)))),
        lineage_facets={
            **primary.lineage_facets,
            **{i: {**primary.lineage_facets.get(i, {}), **lost} for i, lost in losers.items()},
        },
    )  # fmt: skip


def split(op: Split, rows: Rows, env: Env, store: Store) -> Effect:
    """Split each row into children, and record the lineage on both sides. A row that gives fewer
    than two parts stays as it is, with a warning."""
    refusals.refuse_facts(rows, "facts-not-splittable", "Split")
    touched: list[Touched] = []
    made: list[str] = []
    warnings = []
    for row in rows:
        parts = _parts(op, row, env)
        refusals.refuse_parts(row, parts)
        if len(parts) < 2:
            warnings.append(told("nothing-to-split", id=row.id))
            continue
        common = {**origin(env, store), "owner": row.owner, "lineage_parents": (row.id,)}
        if op.inherit_all:
            common |= {key: getattr(row, key) for key in _INHERITED}
        children = [
            Record(id=id_, text=part, payload={"text": part}, **common)
            for id_, part in zip(store.take_ids(len(parts)), parts, strict=True)
        ]
        ids = tuple(child.id for child in children)
        # A locked parent, if its lock permits the Split at all, is not archived.
        archived = row.archived or not (op.keep_parent or locked(row, env.now))
        after = replace(row, lineage_children=(*row.lineage_children, *ids), archived=archived)
        touched.append(store.change(row, after, env.now))
        store.insert(children)
        touched.extend((None, child) for child in children)
        made.extend(ids)
    warnings.extend(embed(touched, env, store))
    return Effect(affected=tuple(made), touched=tuple(touched), warnings=tuple(warnings))


def _parts(op: Split, row: Record, env: Env) -> Sequence[str]:
    """The texts into which a Split divides a memory."""
    if op.strategy == "custom":
        return env.services.split(row.text, op.instruction or "")
    if op.strategy == "by_chunks":
        return chunks(row.text, op.chunk_size, op.overlap, most=refusals.MOST_PARTS + 1)
    return sentence_groups(row.text, op.max_sentences)


def _united_facets(
    primary: Record, others: Sequence[Record]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The facets of a merged memory, each from the first memory that has it, and by memory id those
    that had another value."""
    facets = dict(primary.facets)
    losers: dict[str, dict[str, Any]] = {}
    for row in others:
        for key, value in row.facets.items():
            if key not in facets:
                facets[key] = value
            elif not same(facets[key], value):
                losers.setdefault(row.id, {})[key] = value
    return facets, losers


def with_retention(record: Record, store: Store) -> tuple[Record, list[str]]:
    """The record with the expiry of its retention class (by ``retention_policy``, attribute or
    type), if it has none yet; and warnings."""
    if not (record.retention_policy or record.type or record.is_fact):
        return record, []
    registry, policy = store.registry, record.retention_policy
    warnings = []
    attribute = None if record.attribute is None else registry.attribute(record.attribute)
    if attribute is not None and not attribute.declared:
        warnings.append(notes.undeclared_attribute(attribute.name))
    if policy is not None and not registry.knows_retention(policy):
        warnings.append(notes.unknown_retention(policy))
    if record.pending:
        warnings.append(notes.waiting(record, registry.confidence_floor))
    retention = registry.retention(policy, attribute, record.type)
    if retention is not None and retention.keep is not None and record.expire_at is None:
        ends = retention.keep.after(record.created_at)
        record = replace(record, expire_at=ends, expire_action=retention.on_expire)
    return record, warnings


def _edit(row: Record, edits: Edits, env: Env, store: Store) -> Effect:
    """Edit the fields of one memory. A pending fact whose new confidence reaches the floor enters
    the ledger. A fact whose validity would overlap another version's is refused."""
    new = edited(row, edits, env)
    if new.pending and not new.deleted and "confidence" in edits and not facts.unsure(new, store):
        return _admit(row, replace(new, pending=False), env, store)
    if not diff(row, new):
        return Effect(affected=(row.id,))
    facts.check_room(new, store)
    return Effect(affected=(row.id,), touched=(store.change(row, new, env.now),))


def _admit(row: Record, new: Record, env: Env, store: Store) -> Effect:
    """Enter a pending fact, which is sure enough now, into the ledger. If a version there says the
    same already, the fact is soft-deleted instead."""
    entered, touched = facts.enter(new, store, env)
    if entered is None:
        given_up = store.change(row, replace(new, pending=True, deleted=True), env.now)
        effect = _repetition(touched)
        return replace(effect, touched=(*effect.touched, given_up))
    put = store.change(row, entered, env.now)
    return Effect(affected=(row.id,), touched=(*touched, put))


def _new_value(row: Record, edits: Edits, env: Env, store: Store) -> Effect:
    """Make a new version of a fact and close the old one (docs/ledger.md, "Writing")."""
    refusals.refuse_new_value(row)
    start = edits.get("valid_from", env.now)
    assert row.attribute is not None and row.valid_from is not None
    if row.valid_to is not None and row.valid_to <= max(start, row.valid_from):
        raise refusals.superseded(row)
    new = _next_version(row, edits, start, env, store)
    if new.pending:
        store.insert([new])
        return Effect(
            affected=(new.id,), touched=((None, new),),
            warnings=(notes.waiting(new, store.registry.confidence_floor),),
        )  # fmt: skip
    stated = replace(new, valid_to=edits.get("valid_to"))
    if row.valid_from <= start and facts.same_line(row, new, store) and facts.matches(row, stated):
        store.release_id()
        of_a_version = ("value", "valid_from", "valid_to")
        others: Any = {k: v for k, v in edits.items() if k not in of_a_version}
        after = replace(edited(row, others, env), sources=(*row.sources, *new.sources))
        return _repetition([store.change(row, after, env.now)])
    _, old = store.change(row, replace(row, valid_to=max(start, row.valid_from)), env.now)
    entered, touched = facts.enter(new, store, env, stated=stated)
    if entered is None:
        store.release_id()
        return _repetition([(row, old), *touched])
    silent = replace(old, **NO_REMINDER)  # the new version has it, or the Update's own reminder
    if diff(old, silent):
        store.write(old, silent)
    store.insert([entered])
    return Effect(
        affected=(entered.id,), touched=((row, silent), (None, entered), *touched)
    )  # fmt: skip


def _next_version(row: Record, edits: Edits, start: datetime, env: Env, store: Store) -> Record:
    """The new version that an Update with a value makes, before it enters the ledger. Its only
    source is the Update's; it is pending if the Update names a confidence below the floor."""
    assert row.attribute is not None
    value = facts.normalised(store.registry.attribute(row.attribute), edits["value"], store)
    fields = edited(row, edits, env)
    structured = {"subject": fields.subject, "attribute": row.attribute, "value": value}
    episode = fields.source_episode_id if "source_episode_id" in edits else None
    new = replace(
        fields, id=store.take_ids()[0], value=value, text=as_lines(structured),
        payload={"structured": structured, **beside_content(fields.payload)}, valid_from=start,
        valid_to=edits.get("valid_to", row.valid_to), supersedes=row.id, version=1,
        source=edits.get("source"), source_episode_id=episode,
        created_at=env.now, updated_at=env.now, schema_version=store.registry.version,
    )  # fmt: skip
    new = replace(new, sources=(facts.source_entry(new, env.now),))
    if "confidence" in edits and facts.unsure(new, store):
        # The reminder stays with the old version until this one enters the ledger.
        waits = new if "remind" in edits else replace(new, **NO_REMINDER)
        return replace(waits, pending=True, supersedes=None)
    return new
