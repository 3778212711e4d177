"""Encoding many plain memories at once: the same rows as one by one, without making records.

Each field that an Encode sets is written directly into the row and into the journal entry. A field
that no Encode of a block sets is a constant in the statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any

from text2mem.adapters.base import Effect, Env
from text2mem.adapters.sql.codec import AS_JSON, COLUMNS, WRITERS, subject_key, to_json, to_values
from text2mem.adapters.sql.journal import INSERT, words_of
from text2mem.adapters.sql.making import given, retained, signed
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
_BLANK_ROW = to_values(Record(id="0", created_at=_EPOCH, updated_at=_EPOCH))
"""The values of ``COLUMNS`` of a memory without any field set."""


def encode_many(ops: Sequence[Encode], env: Env, trail: Trail, store: Store) -> Effect:
    """Encode memories that are not facts and have no parents; the ids in order, and warnings."""
    ids = store.take_ids(len(ops))
    common = signed(env, store)
    drafts = [{"id": id_, **given(op, env)} for id_, op in zip(ids, ops, strict=True)]
    _retain(drafts, common, store)
    program = trail.trace_id, words_of(store, trail, env)
    for start in range(0, len(drafts), BLOCK):
        _insert(drafts[start : start + BLOCK], common, program, start + 1, store)
    warnings = embed_texts(
        [(d["id"], d["text"]) for d in drafts if d["text"] and not d.get("skip_embedding")],
        env, store,
    )  # fmt: skip
    return Effect(affected=tuple(ids), warnings=tuple(warnings))


def _retain(drafts: Sequence[_Fields], common: _Fields, store: Store) -> None:
    """Add the expiry of each draft's retention class, looked up once per class and type."""

    @cache
    def ends(policy: str | None, type_: str | None) -> _Fields:
        probe = Record(id="0", retention_policy=policy, type=type_, **common)
        record, _ = retained(probe, store)
        if record.expire_at is None:
            return {}
        return {"expire_at": record.expire_at, "expire_action": record.expire_action}

    for draft in drafts:
        if "expire_at" not in draft:
            draft.update(ends(draft.get("retention_policy"), draft.get("type")))


class _Writing:
    """Writes the fields of a block's memories as row values and as parts of journal entries."""

    def __init__(self, names: Set[str], common: _Fields) -> None:
        """``names`` are the fields that any memory of the block sets; all have ``common``."""
        self.columns = tuple(name for name in COLUMNS if name in names or name in common)
        self._places = {name: place for place, name in enumerate(self.columns)}
        self._bound = [_BLANK_ROW[COLUMNS.index(name)] for name in self.columns]
        self._changes: list[str | None] = [None] * len(self.columns)
        self._bound, self._changes = self.written(common)

    def written(self, fields: _Fields) -> tuple[list[Any], list[str | None]]:
        """The values of ``columns``, and for each the JSON of its change in the journal; None where
        the field has its blank value."""
        bound, changes = self._bound.copy(), self._changes.copy()
        for name, value in fields.items():
            place = self._places[name]
            write, blank, start, as_json = _WAYS[name]
            column = value if write is None or value is None else write(value)
            bound[place] = column
            if start is None or value is blank or (value == blank and same(value, blank)):
                continue
            text = column if as_json else to_json(jsonable(value))
            changes[place] = f"{start}{text}]"
        return bound, changes


def _insert(
    drafts: Sequence[_Fields], common: _Fields, program: tuple[str, str | None], step: int,
    store: Store,
) -> None:  # fmt: skip
    """Insert the rows of a block into every table. ``program`` is its trace id and the words that
    it came from; ``step`` is the step of the first memory."""
    trace_id, said = program
    writing = _Writing(frozenset[str]().union(*drafts), common)
    now = format_instant(common["created_at"])
    rows, tags, texts, entries = [], [], [], []
    for number, draft in enumerate(drafts, start=step):
        pk, labels, time = store.pk(draft["id"]), draft.get("tags", ()), draft.get("time")
        bound, parts = writing.written(draft)
        rows.append([pk, store.number, subject_key(draft.get("subject")), *bound])
        when = now if time is None else format_instant(time)
        tags.extend([(store.number, tag, 0, when, pk) for tag in dict.fromkeys(labels)])
        texts.append((int(draft["id"]), searched(draft["text"], map(draft.get, SHORT), labels)))
        changes = f"{{{', '.join(filter(None, parts))}}}"
        entries.append(
            (store.number, trace_id, number, "Encode", None, now, common["owner"], said,
             int(draft["id"]), "created", changes)
        )  # fmt: skip
    store.many(_statement(writing.columns), rows)
    store.many(ADD_TAG, sorted(tags))
    store.many(INSERT, entries)
    store.words.add_texts(texts)


@lru_cache(maxsize=64)
def _statement(bound: tuple[str, ...]) -> str:
    """An INSERT that binds the columns ``bound``; the others are constants of a blank memory."""
    values = [
        "?" if name in bound else "NULL" if blank is None else repr(blank)
        for name, blank in zip(COLUMNS, _BLANK_ROW, strict=True)
    ]
    return (
        f"INSERT INTO memories (pk, tenant, subject_key, {', '.join(COLUMNS)}) "  # noqa: S608
        f"VALUES (?, ?, ?, {', '.join(values)})"
    )


def _way(name: str) -> tuple[Callable[[Any], Any] | None, Any, str | None, bool]:
    """How to write a field: its writer, its blank value, how its part of a journal entry begins
    (None if the journal has no such field), and whether the column's text is its JSON."""
    start = f"{to_json(name)}: [{to_json(BLANK[name])}, " if name in BLANK else None
    return WRITERS.get(name), BLANK.get(name), start, name in AS_JSON


_WAYS = {name: _way(name) for name in COLUMNS}
