"""The records of one tenant: reading, writing and removing them, with the indexes that follow."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from typing import Any

from text2mem.adapters.base import Touched
from text2mem.adapters.refusals import fact_overlap
from text2mem.adapters.shipped import shipped_registry
from text2mem.adapters.sql.codec import COLUMNS, from_row, subject_key, to_json, to_row
from text2mem.adapters.sql.database import Database
from text2mem.adapters.sql.vectors import Vectors
from text2mem.adapters.sql.words import CUT, Words
from text2mem.ir.record import Record, changed
from text2mem.ir.registry import Registry
from text2mem.ir.times.temporal import format_instant

# Column names are constants of the code, never of a program.
_INSERT = (
    f"INSERT INTO memories (pk, tenant, {', '.join(COLUMNS)}, fact_key, subject_key) "  # noqa: S608
    f"VALUES ({', '.join('?' * (len(COLUMNS) + 4))})"
)
ADD_TAG = "INSERT INTO memory_tags (tenant, tag, hidden, at, pk) VALUES (?, ?, ?, ?, ?)"
_REMOVE_TAG = (
    "DELETE FROM memory_tags WHERE tenant = ? AND tag = ? AND hidden = ? AND at = ? AND pk = ?"
)
_ADD_HEARD = "INSERT INTO heard (tenant, episode, pk) VALUES (?, ?, ?)"
_REMOVE_HEARD = "DELETE FROM heard WHERE tenant = ? AND episode = ? AND pk = ?"
_MANY = 2_000
"""``Store.tagged`` counts up to this number."""
ID_BITS = 40
"""How many lower bits of a key are the id. In SQLite, the tenant's number is above them."""
_BELIEF = ("subject", "attribute", "value", "valid_from", "valid_to", "pending", "deleted")
_Belief = dict[str, object]


def id_of(pk: int) -> str:
    """The id of the memory with a key."""
    return str(pk & ((1 << ID_BITS) - 1))


class Store(Database):
    """The memories of one tenant in a database."""

    words: Words
    vectors: Vectors
    _known: Registry | None = None
    """The registry that was read in the open transaction."""

    def get(self, ids: Iterable[str]) -> dict[str, Record]:
        """The records with these ids, deleted ones included, by id."""
        pks = [self.pk(id_) for id_ in ids if len(id_) <= 12]
        if not pks:
            return {}
        records = self.records(
            f"SELECT * FROM memories WHERE {self.dialect.by_keys}",  # noqa: S608
            pks=self.dialect.array(pks),
        )
        return {record.id: record for record in records}

    def records(self, sql: str, **parameters: object) -> list[Record]:
        """The records of a query. Raises UnreadableField, when all rows have been fetched: a cursor
        left open would keep a file from being cleaned of what was erased."""
        return [from_row(row) for row in self.rows(sql, **parameters)]

    def tagged(self, tag: str) -> int:
        """How many memories that are not hidden have a tag, counted up to ``_MANY``."""
        counted = self.scalar(
            "SELECT count(*) FROM (SELECT 1 FROM memory_tags WHERE tenant = :tenant "
            "AND tag = :tag AND hidden = 0 LIMIT :many) AS found",
            tag=tag, many=_MANY,
        )  # fmt: skip
        return int(counted)

    def take_ids(self, count: int = 1) -> list[str]:
        """Take new ids, within the transaction."""
        following = self.scalar(
            f"UPDATE tenants SET next_id = next_id + :count WHERE {self.dialect.own} "  # noqa: S608
            "RETURNING next_id",
            count=count,
        )
        return [str(id_) for id_ in range(following - count, following)]

    def release_id(self) -> None:
        """Return the last id that was taken, because it was not used."""
        self.set_tenant("next_id = next_id - 1")

    def insert(self, records: Sequence[Record]) -> None:
        """Insert new records with their tags, words, beliefs and episodes."""
        rows = [
            (self.pk(record.id), self.number, *self._columns(record).values()) for record in records
        ]
        with self._room_for(records[0]):
            self.many(_INSERT, rows)
        self._follow([(None, record) for record in records], records[0].updated_at)

    def write(self, before: Record, after: Record) -> None:
        """Write the new state of a record, ``before`` being the present one, with every index. Its
        vector is removed if the text has changed or is no longer to be embedded."""
        old, new = self._columns(before), self._columns(after)
        # Only columns that differ, because setting a column rewrites its indexes in any case.
        differing = {name: new[name] for name in new if new[name] != old[name]}
        with self._room_for(after):
            self.set_columns(self.pk(after.id), differing)
        self._follow([(before, after)], after.updated_at)
        if before.text != after.text or (after.skip_embedding and not before.skip_embedding):
            self.vectors.remove([after.id])

    def change(self, before: Record, after: Record, now: datetime) -> tuple[Record, Record]:
        """Write the new state of a record with the next version and ``updated_at``; both states."""
        after = changed(before, after, now)
        self.write(before, after)
        return before, after

    def set_columns(self, pk: int, values: Mapping[str, object]) -> None:
        """Set columns of one memory's row; the names are constants of the code."""
        assigned = ", ".join(f"{name} = :{name}" for name in values)
        self.execute(
            f"UPDATE memories SET {assigned} WHERE {self.dialect.mine}pk = :pk",  # noqa: S608
            **values, pk=pk,
        )  # fmt: skip

    def _columns(self, record: Record) -> dict[str, Any]:
        """The values of a record's row, by column, except the key."""
        keys = {"fact_key": self.fact_key(record), "subject_key": subject_key(record.subject)}
        return {**to_row(record), **keys}

    def remove(self, record: Record, now: datetime) -> None:
        """Delete a record from the table and every index; its journal entries stay."""
        self._follow([(record, None)], now)
        self.vectors.remove([record.id])
        self.delete("memories", record.id)

    def delete(self, table: str, id_: str) -> None:
        """Delete the rows of a memory from a table, whose name is a constant of the code."""
        self.execute(f"DELETE FROM {table} WHERE {self.dialect.mine}pk = :pk", pk=self.pk(id_))  # noqa: S608

    @property
    def erasing(self) -> int:
        """How many erasures there have been since the last cleaning."""
        return int(self.of_tenant("erasing"))

    def of_tenant(self, column: str) -> Any:
        """A column of the tenant's row, or a constant expression of such."""
        return self.scalar(f"SELECT {column} FROM tenants WHERE {self.dialect.own}")  # noqa: S608

    def set_tenant(self, assignments: str, **values: object) -> None:
        """Set columns of the tenant's row; the assignments are constants of the code."""
        self.execute(f"UPDATE tenants SET {assignments} WHERE {self.dialect.own}", **values)  # noqa: S608

    @property
    def registry(self) -> Registry:
        """The last registry that was set, else the shipped one. It is read once per transaction."""
        if self._known is None or not self.in_transaction:
            document = self.scalar(
                "SELECT document FROM registries WHERE tenant = :tenant "
                "ORDER BY version DESC LIMIT 1"
            )
            self._known = shipped_registry() if document is None else _parsed(document)
        return self._known

    def begin(self) -> None:
        """Drop what was cached, when a transaction begins or a savepoint is rolled back."""
        self._known = None

    def set_registry(self, registry: Registry, at: str) -> None:
        """Store a registry and adapt the ``fact_key`` of every fact to it. Raises ExecutionError
        "fact-overlap" if facts would overlap then."""
        self._known = None
        self.execute(
            "INSERT INTO registries (tenant, version, document, recorded_at) "
            "VALUES (:tenant, :version, :document, :at)",
            version=registry.version, document=to_json(registry.to_document()), at=at,
        )  # fmt: skip
        for row in self.rows(
            "SELECT * FROM memories WHERE tenant = :tenant AND attribute IS NOT NULL"
        ):
            record = from_row(row)
            key = self.fact_key(record)
            if key != row["fact_key"]:
                with self._room_for(record):
                    self.set_columns(row["pk"], {"fact_key": key})

    def rebuild_words(self) -> None:
        """Rebuild the word index, within a transaction."""
        self.words.undo([])  # the rows have the changes that were to be written
        self.words.create()
        last = self.pk("0")
        while rows := self.rows(
            f"SELECT * FROM memories WHERE {self.dialect.mine}pk > :last AND pk < :end "  # noqa: S608
            "ORDER BY pk LIMIT 1000",
            last=last, end=self.end,
        ):  # fmt: skip
            for record in map(from_row, rows):
                self.words.change(record.id, None, record)
            self.words.flush()
            last = rows[-1]["pk"]
        self.set_tenant("words = :cut", cut=CUT)

    @property
    def end(self) -> int:
        """The first key after those of the tenant."""
        return self.pk("0") + (1 << ID_BITS)

    def _begin_words(self) -> None:
        """Build the word index if it is missing or outdated; only one of several processes does."""
        if self.of_tenant("words") == CUT:
            return
        with self.alone():
            if self.of_tenant("words") != CUT:
                self.rebuild_words()

    def _follow(self, changes: Sequence[Touched], at: datetime) -> None:
        """Change tags, words, beliefs and episodes as the records change at an instant."""
        for rows_of, remove, add in (
            (self._tag_rows, _REMOVE_TAG, ADD_TAG),
            (self._heard_rows, _REMOVE_HEARD, _ADD_HEARD),
        ):
            old = dict.fromkeys(row for before, _ in changes for row in rows_of(before))
            new = dict.fromkeys(row for _, after in changes for row in rows_of(after))
            # Only rows that differ, because a memory may have many, and get them one by one.
            if gone := [row for row in old if row not in new]:
                self.many(remove, gone)
            if added := [row for row in new if row not in old]:
                self.many(add, added)
        for before, after in changes:
            known = after or before
            assert known is not None
            self.words.change(known.id, before, after)
            self._believe(self.pk(known.id), _belief(before), _belief(after), format_instant(at))

    def _tag_rows(self, record: Record | None) -> list[tuple[object, ...]]:
        if record is None or not record.tags:
            return []
        # As the generated column of this name.
        ended = record.is_fact and record.valid_to is not None
        hidden, at = int(record.away or record.pending or ended), format_instant(record.when)
        return [(self.number, tag, hidden, at, self.pk(record.id)) for tag in record.tags]

    def _heard_rows(self, record: Record | None) -> list[tuple[object, ...]]:
        """The rows of a fact in ``heard``: the episodes that it rests on."""
        if record is None or not record.is_fact:
            return []
        episodes = (entry.get("episode") for entry in record.sources)
        pk = self.pk(record.id)
        return [(self.number, str(each), pk) for each in episodes if each is not None]

    def fact_key(self, record: Record) -> str | None:
        """The key shared by values that exclude each other on a time line; None if no fact."""
        if record.attribute is None:
            return None
        registry = self.registry
        return registry.key(registry.attribute(record.attribute), record.value)

    def _believe(self, pk: int, old: _Belief | None, new: _Belief | None, at: str) -> None:
        """Retract the open belief of a changed fact, and record the new one."""
        if old == new:
            return
        if old is not None:
            self.execute(
                f"UPDATE beliefs SET retracted_at = :at WHERE {self.dialect.mine}pk = :pk "  # noqa: S608
                "AND retracted_at IS NULL",
                at=at, pk=pk,
            )  # fmt: skip
        if new is not None:
            columns = *self.dialect.key, *new, "recorded_at"
            self.execute(
                f"INSERT INTO beliefs ({', '.join(columns)}) "  # noqa: S608
                f"VALUES ({', '.join(f':{name}' for name in columns)})",
                **new, pk=pk, recorded_at=at,
            )  # fmt: skip

    @contextmanager
    def _room_for(self, record: Record) -> Iterator[None]:
        """Raise ExecutionError "fact-overlap" if the body violates a constraint on the ledger."""
        try:
            yield
        except self.faults as error:
            if self.overlaps(error):
                raise fact_overlap(record) from error
            raise


@lru_cache(maxsize=8)
def _parsed(document: str) -> Registry:
    return Registry.load(json.loads(document))


def _belief(record: Record | None) -> _Belief | None:
    """The columns of a fact in ``beliefs``, except key and instants; None if it is no fact."""
    if record is None or not record.is_fact:
        return None
    row = to_row(record)
    return {name: row[name] for name in _BELIEF}
