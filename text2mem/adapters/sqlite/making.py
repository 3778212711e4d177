"""The verbs that make memories or rework their content: Encode, Update, Merge, Split."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from text2mem.adapters.base import Effect, Env, Touched
from text2mem.adapters.refusals import not_a_fact, nothing_to_merge, refuse_facts, superseded
from text2mem.adapters.sqlite.codec import instant
from text2mem.adapters.sqlite.store import Store
from text2mem.adapters.sqlite.verbs import Rows, changed, edit_each, reminder
from text2mem.ir.ops import Content, Edits, Encode, Merge, Split, Update
from text2mem.ir.record import DEFAULT_WEIGHT, Record, diff, locked, same
from text2mem.ir.splitting import chunks, sentence_groups
from text2mem.ir.temporal import format_instant

_ATTRIBUTES = (
    "type", "tags", "facets", "time", "subject", "location", "topic", "source",
    "read_perm_level", "write_perm_level", "read_whitelist", "read_blacklist", "write_whitelist",
    "write_blacklist", "valid_from", "valid_to", "confidence", "source_episode_id",
    "retention_policy",
)  # fmt: skip
_INHERITED = (
    "type", "tags", "facets", "time", "subject", "location", "topic", "source", "weight",
    "read_perm_level", "write_perm_level", "read_whitelist", "read_blacklist", "write_whitelist",
    "write_blacklist", "expire_at", "expire_action",
)  # fmt: skip


def encode(op: Encode, env: Env, store: Store) -> Effect:
    """One new memory, a fact where the payload is one; its parents learn of it."""
    given: dict[str, Any] = dict(op.attributes)
    record = Record(
        id=store.next_id(), text=rendered(op.content), created_at=env.now, updated_at=env.now,
        payload={op.content.kind: op.content.value, **op.content.extra},
        owner=env.context.actor, lineage_parents=tuple(str(p) for p in op.lineage_parents),
        expire_at=op.expire_at, expire_action=None if op.expire_at is None else "soft_delete",
        **given,
    )  # fmt: skip
    record, closed = _as_fact(record, op, env, store)
    store.insert(record)
    before = {row.id: row for row, _ in closed}
    now = {row.id: row for _, row in closed}
    for parent in store.get(record.lineage_parents).values():
        # A parent may be the fact that was just closed: one op, one version.
        first = before.setdefault(parent.id, parent)
        child = replace(parent, lineage_children=(*parent.lineage_children, record.id))
        now[parent.id] = changed(first, child, env.now)
        store.write(parent, now[parent.id])
    touched = [(None, record), *((before[id_], now[id_]) for id_ in before)]
    return Effect(affected=(record.id,), created=(record.id,), touched=tuple(touched))


def update(op: Update, rows: Rows, env: Env, store: Store) -> Effect:
    """Edited fields; a fact's new value is a new version."""
    if "value" not in op.edits:
        return edit_each(rows, lambda row: _edited(row, op.edits, env), env, store)
    touched: list[Touched] = []
    made = []
    for row in rows:
        if not row.is_fact:
            raise not_a_fact(row)
        new = _next_version(row, op.edits, env, store)
        if (
            row.valid_to is not None
            and new.valid_from is not None
            and row.valid_to <= new.valid_from
        ):
            raise superseded(row)
        old = changed(row, replace(row, valid_to=new.valid_from), env.now)
        store.write(row, old)
        store.insert(new)
        touched.extend([(row, old), (None, new)])
        made.append(new.id)
    return Effect(affected=tuple(made), created=tuple(made), touched=tuple(touched))


def merge(op: Merge, rows: Rows, env: Env, store: Store) -> Effect:
    """The rows joined into the primary, with lineage both ways."""
    refuse_facts(rows, "facts-not-mergeable", "Merge")
    primary_id = str(op.primary_id)
    ordered = sorted(rows, key=lambda row: int(row.id))
    others = [row for row in ordered if row.id != primary_id]
    if not others:
        raise nothing_to_merge(primary_id)
    primary = next(row for row in ordered if row.id == primary_id)
    text = "\n\n".join(dict.fromkeys(row.text for row in ordered if row.text))
    facets, losers = _united_facets(primary, others)
    kept = {
        key: value for key, value in primary.payload.items() if key not in ("url", "structured")
    }
    after = replace(
        primary, text=text, payload={**kept, "text": text}, facets=facets,
        tags=tuple(dict.fromkeys(tag for row in ordered for tag in row.tags)),
        weight=max(row.weight for row in ordered),
        lineage_parents=tuple(dict.fromkeys((*primary.lineage_parents, *(r.id for r in others)))),
        lineage_facets={
            **primary.lineage_facets,
            **{i: {**primary.lineage_facets.get(i, {}), **lost} for i, lost in losers.items()},
        },
    )  # fmt: skip
    pairs = [(primary, after)]
    for row in others:
        children = tuple(dict.fromkeys((*row.lineage_children, primary_id)))
        gone = row.deleted or op.soft_delete_children
        pairs.append((row, replace(row, lineage_children=children, deleted=gone)))
    touched = [
        (before, changed(before, new, env.now)) for before, new in pairs if diff(before, new)
    ]
    for before, new in touched:
        store.write(before, new)
    return Effect(affected=(primary_id, *(row.id for row in others)), touched=tuple(touched))


def split(op: Split, rows: Rows, env: Env, store: Store) -> Effect:
    """Children in place of each row, with lineage both ways."""
    refuse_facts(rows, "facts-not-splittable", "Split")
    touched: list[Touched] = []
    made: list[str] = []
    warnings = []
    for row in rows:
        parts = _parts(op, row, env)
        if len(parts) < 2:
            warnings.append(f"memory {row.id} has nothing to split")
            continue
        inherited = {key: getattr(row, key) for key in _INHERITED} if op.inherit_all else {}
        children = [
            Record(
                id=store.next_id(), text=part, payload={"text": part}, created_at=env.now,
                updated_at=env.now, owner=row.owner, lineage_parents=(row.id,), **inherited,
            )
            for part in parts
        ]  # fmt: skip
        ids = tuple(child.id for child in children)
        # The lock of a parent that may be split all the same leaves the parent as it is.
        archived = row.archived or not (op.keep_parent or locked(row, env.now))
        after = replace(row, lineage_children=(*row.lineage_children, *ids), archived=archived)
        after = changed(row, after, env.now)
        store.write(row, after)
        for child in children:
            store.insert(child)
        touched.extend([(row, after), *((None, child) for child in children)])
        made.extend(ids)
    return Effect(
        affected=tuple(made), created=tuple(made), touched=tuple(touched), warnings=tuple(warnings)
    )


# --- content -------------------------------------------------------------------------------


def rendered(content: Content) -> str:
    """The text that a memory is read and searched by."""
    if isinstance(content.value, str):
        return content.value
    return _lines(content.value)


def _lines(structured: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{key}: {value if isinstance(value, str) else _compact(value)}"
        for key, value in structured.items()
    )


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _edited(row: Record, edits: Edits, env: Env) -> Record:
    fields: dict[str, Any] = {key: edits[key] for key in _ATTRIBUTES if key in edits}  # type: ignore[literal-required]
    for kind in ("text", "url", "structured"):
        if kind in edits:
            value = edits[kind]
            rest = {k: v for k, v in row.payload.items() if k not in ("text", "url", "structured")}
            fields["payload"] = {kind: value, **rest}
            fields["text"] = rendered(Content(kind, value))
    if "weight" in edits:
        fields["weight"] = edits["weight"]
    if "ttl" in edits:
        fields.update(expire_at=edits["ttl"].after(env.now), expire_action="soft_delete")
    if "expire_at" in edits:
        horizon = edits["expire_at"]
        action = None if horizon is None else row.expire_action or "soft_delete"
        fields.update(expire_at=horizon, expire_action=action)
    if "remind" in edits:
        fields.update(reminder(edits["remind"], env))
    if "deleted" in edits:
        fields["deleted"] = False
    if "archived" in edits:
        fields["archived"] = False
        if row.weight == 0 and "weight" not in edits:
            fields["weight"] = DEFAULT_WEIGHT
    return replace(row, **fields)


def _parts(op: Split, row: Record, env: Env) -> Sequence[str]:
    if op.strategy == "custom":
        return env.services.split(row.text, op.instruction or "")
    if op.strategy == "by_chunks":
        return chunks(row.text, op.chunk_size, op.overlap)
    return sentence_groups(row.text, op.max_sentences)


def _united_facets(
    primary: Record, others: Sequence[Record]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The primary's facets with what it lacks, and per memory the values that lost."""
    facets = dict(primary.facets)
    losers: dict[str, dict[str, Any]] = {}
    for row in others:
        for key, value in row.facets.items():
            if key not in facets:
                facets[key] = value
            elif not same(facets[key], value):
                losers.setdefault(row.id, {})[key] = value
    return facets, losers


# --- facts ---------------------------------------------------------------------------------


def _as_fact(
    record: Record, op: Encode, env: Env, store: Store
) -> tuple[Record, list[tuple[Record, Record]]]:
    """A structured payload with subject, attribute and value, placed among its versions."""
    content = op.content.value
    if isinstance(content, str) or not _is_fact(content):
        return record, []
    record = replace(
        record, subject=record.subject or content["subject"], attribute=content["attribute"],
        value=content["value"], valid_from=record.valid_from or record.time or env.now,
    )  # fmt: skip
    start = record.valid_from
    assert start is not None
    row = store.execute(
        "SELECT id FROM memories WHERE tenant = :tenant AND deleted = 0 AND subject = :subject "
        "AND attribute = :attribute AND valid_from <= :start "
        "ORDER BY valid_from DESC, id DESC LIMIT 1",
        {"subject": record.subject, "attribute": record.attribute, "start": format_instant(start)},
    ).fetchone()
    closed = []
    if row is not None:
        earlier = store.get([str(row["id"])])[str(row["id"])]
        if earlier.valid_to is None or earlier.valid_to > start:
            after = changed(earlier, replace(earlier, valid_to=start), env.now)
            store.write(earlier, after)
            closed.append((earlier, after))
            record = replace(record, supersedes=earlier.id)
    later = store.execute(
        "SELECT min(valid_from) FROM memories WHERE tenant = :tenant AND deleted = 0 "
        "AND subject = :subject AND attribute = :attribute AND valid_from > :start",
        {"subject": record.subject, "attribute": record.attribute, "start": format_instant(start)},
    ).fetchone()[0]
    if later is not None and (record.valid_to is None or record.valid_to > instant(later)):
        record = replace(record, valid_to=instant(later))
    return record, closed


def _is_fact(content: Mapping[str, Any]) -> bool:
    return (
        all(isinstance(content.get(key), str) and content[key] for key in ("subject", "attribute"))
        and "value" in content
    )


def _next_version(row: Record, edits: Edits, env: Env, store: Store) -> Record:
    new = _edited(row, edits, env)
    structured = {"subject": new.subject, "attribute": new.attribute, "value": edits["value"]}
    extra = {k: v for k, v in new.payload.items() if k not in ("text", "url", "structured")}
    return replace(
        new, id=store.next_id(), value=edits["value"], text=_lines(structured),
        payload={"structured": structured, **extra}, valid_from=edits.get("valid_from", env.now),
        valid_to=edits.get("valid_to", row.valid_to), supersedes=row.id, version=1,
        created_at=env.now, updated_at=env.now,
    )  # fmt: skip
