"""Encoding many plain memories at once: the same rows as one by one, without making records. A
field that no Encode of a block sets is a constant in the statement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any

from text2mem.adapters.base import Effect, Env
from text2mem.adapters.sql.codec import COLUMNS, WRITERS, subject_key, to_json, to_row
from text2mem.adapters.sql.journal import INSERT, words_of
from text2mem.adapters.sql.making import fields_of, origin, with_retention
from text2mem.adapters.sql.store import ADD_TAG, Store
from text2mem.adapters.sql.verbs import embed_texts
from text2mem.ir.journal import Trail
from text2mem.ir.ops import Encode
from text2mem.ir.patch import BLANK, same
from text2mem.ir.record import Record, jsonable
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.segment import SHORT, searched

BLOCK = 5_000
"""How many memories are written into all tables before the next ones."""

_Fields = dict[str, Any]
"""Fields of a memory, by name."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BLANK_ROW = to_row(Record(id="0", created_at=_EPOCH, updated_at=_EPOCH))
"""The values of a memory without any field set, by column."""


def encode_many(ops: Sequence[Encode], env: Env, trail: Trail, store: Store) -> Effect:
    """Encode memories that are not facts and have no parents; the ids in order, and warnings."""
    ids = store.take_ids(len(ops))
    common = origin(env, store)
    drafts = [{"id": id_, **fields_of(op, env)} for id_, op in zip(ids, ops, strict=True)]
    warnings = _retain(drafts, common, store)
    program = trail.trace_id, words_of(store, trail, env)
    for start in range(0, len(drafts), BLOCK):
        _insert(drafts[start : start + BLOCK], common, program, start + 1, store)
    warnings += embed_texts(
        [(d["id"], d["text"]) for d in drafts if d["text"] and not d.get("skip_embedding")],
        env, store,
    )  # fmt: skip
    return Effect(affected=tuple(ids), warnings=tuple(warnings))


def _retain(drafts: Sequence[_Fields], common: _Fields, store: Store) -> list[str]:
    """Add the expiry of each draft's retention class, looked up once per class and type; the
    warnings."""

    @cache
    def ending(policy: str | None, type_: str | None) -> tuple[_Fields, list[str]]:
        probe = Record(id="0", retention_policy=policy, type=type_, **common)
        record, warnings = with_retention(probe, store)
        if record.expire_at is None:
            return {}, warnings
        return {"expire_at": record.expire_at, "expire_action": record.expire_action}, warnings

    warnings = []
    for draft in drafts:
        ends, noted = ending(draft.get("retention_policy"), draft.get("type"))
        warnings += noted
        if "expire_at" not in draft:
            draft.update(ends)
    return warnings


def _insert(
    drafts: Sequence[_Fields], common: _Fields, program: tuple[str, str | None], step: int,
    store: Store,
) -> None:  # fmt: skip
    """Insert the rows of a block into every table. ``program`` is its trace id and the words that
    it came from; ``step`` is the step of the first memory."""
    trace_id, said = program
    names = frozenset[str]().union(common, *drafts)
    columns = tuple(name for name in COLUMNS if name in names)
    row = {name: _BLANK_ROW[name] for name in columns} | _bound(common)
    entry = dict.fromkeys(columns) | _changes(common)
    now = format_instant(common["created_at"])
    rows, tags, texts, entries = [], [], [], []
    for number, draft in enumerate(drafts, start=step):
        pk, labels, time = store.pk(draft["id"]), draft.get("tags", ()), draft.get("time")
        bound = (row | _bound(draft)).values()
        rows.append([pk, store.number, subject_key(draft.get("subject")), *bound])
        when = now if time is None else format_instant(time)
        tags.extend([(store.number, tag, 0, when, pk) for tag in dict.fromkeys(labels)])
        texts.append((int(draft["id"]), searched(draft["text"], map(draft.get, SHORT), labels)))
        changes = {name: each for name, each in (entry | _changes(draft)).items() if each}
        entries.append(
            (store.number, trace_id, number, "Encode", None, now, common["owner"], said,
             int(draft["id"]), "created", to_json(changes))
        )  # fmt: skip
    store.many(_statement(columns), rows)
    store.many(ADD_TAG, sorted(tags))
    store.many(INSERT, entries)
    store.words.add_texts(texts)


def _bound(fields: _Fields) -> _Fields:
    """Fields of a memory as their columns hold them."""
    return {
        name: value if value is None or (write := WRITERS.get(name)) is None else write(value)
        for name, value in fields.items()
    }


def _changes(fields: _Fields) -> dict[str, list[Any]]:
    """The fields of a new memory in its journal entry, without those that are blank."""
    return {
        name: [BLANK[name], jsonable(value)]
        for name, value in fields.items()
        if name in BLANK and not same(value, BLANK[name])
    }


@lru_cache(maxsize=64)
def _statement(bound: tuple[str, ...]) -> str:
    """An INSERT that binds the columns ``bound``; the others are constants of a blank memory."""
    values = [
        "?" if name in bound else "NULL" if blank is None else repr(blank)
        for name, blank in _BLANK_ROW.items()
    ]
    return (
        f"INSERT INTO memories (pk, tenant, subject_key, {', '.join(COLUMNS)}) "  # noqa: S608
        f"VALUES (?, ?, ?, {', '.join(values)})"
    )
