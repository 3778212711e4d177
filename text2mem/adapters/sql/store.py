"""The tables as a place for records: reading by id, writing, erasing, with every index behind them.

A store is one tenant's share of a database: every statement is bound to it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from text2mem.adapters.refusals import fact_overlap
from text2mem.adapters.shipped import shipped_registry
from text2mem.adapters.sql.codec import COLUMNS, from_row, subject_key, to_json, to_values
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
_MANY = 2_000
ID_BITS = 40
"""The lower bits of a key of SQLite, which are the id; above them is the tenant's number."""
_BELIEF = ("subject", "attribute", "value", "valid_from", "valid_to", "pending", "deleted")


def id_of(pk: int) -> str:
    """The id of the memory that is stored under a key."""
    return str(pk & ((1 << ID_BITS) - 1))


class Store(Database):
    """One tenant's memories in a database."""

    words: Words
    vectors: Vectors
    _known: Registry | None = None
    _registry: tuple[str, Registry] | None = None

    # --- reading ---------------------------------------------------------------------------

    def get(self, ids: Iterable[str]) -> dict[str, Record]:
        """The records with these ids, deleted ones too, by id."""
        pks = [self.pk(id_) for id_ in ids if len(id_) <= 12]
        if not pks:
            return {}
        found = self.records(
            f"SELECT * FROM memories WHERE {self.dialect.by_keys}",  # noqa: S608
            pks=self.dialect.array(pks),
        )
        return {record.id: record for record in found}

    def records(self, sql: str, **parameters: object) -> list[Record]:
        """The records of a query, whose rows are read to the end first: one that cannot be read
        would leave a cursor open, and the file could not be cleaned of what was erased."""
        return [from_row(row) for row in self.execute(sql, **parameters).fetchall()]

    def tagged(self, tag: str) -> int:
        """How many memories in sight have a tag, counted up to a number that is many."""
        return int(
            self.scalar(
                "SELECT count(*) FROM (SELECT 1 FROM memory_tags WHERE tenant = :tenant "
                "AND tag = :tag AND hidden = 0 LIMIT :many) AS found",
                tag=tag, many=_MANY,
            )
        )  # fmt: skip

    # --- writing ---------------------------------------------------------------------------

    def take_ids(self, count: int = 1) -> list[str]:
        """Fresh ids, taken inside the transaction and never given again."""
        following = self.scalar(
            f"UPDATE tenants SET next_id = next_id + :count WHERE {self.dialect.own} "  # noqa: S608
            "RETURNING next_id",
            count=count,
        )
        return [str(id_) for id_ in range(following - count, following)]

    def give_back(self) -> None:
        """The last id taken was not needed after all."""
        self.execute(f"UPDATE tenants SET next_id = next_id - 1 WHERE {self.dialect.own}")  # noqa: S608

    def insert(self, records: Sequence[Record]) -> None:
        """New records, with their tags, words and beliefs."""
        rows = [
            (self.pk(record.id), self.number, *self._columns(record).values()) for record in records
        ]
        with self._room_for(records[0]):
            self.many(_INSERT, rows)
        self.many(ADD_TAG, [row for record in records for row in self._tag_rows(record)])
        self.words.add(records)
        for record in records:
            self._believe(None, record, record.updated_at)
            self._cite(None, record)

    def write(self, before: Record, after: Record) -> None:
        """The new state of a record, whose present one is ``before``; every index follows."""
        old, new = self._columns(before), self._columns(after)
        # Only what differs: an index whose column is set is rewritten, whatever the value.
        differing = {name: new[name] for name in new if new[name] != old[name]}
        with self._room_for(after):
            self.set_columns(self.pk(after.id), differing)
        old_tags, new_tags = self._tag_rows(before), self._tag_rows(after)
        if old_tags != new_tags:
            # Only what differs: a memory of many tags may get them one by one.
            self.many(_REMOVE_TAG, _without(old_tags, new_tags))
            self.many(ADD_TAG, _without(new_tags, old_tags))
        self.words.change(before, after)
        self._believe(before, after, after.updated_at)
        self._cite(before, after)
        if before.text != after.text or (after.skip_embedding and not before.skip_embedding):
            self.vectors.remove([after.id])

    def change(self, before: Record, after: Record, now: datetime) -> tuple[Record, Record]:
        """Write the new state of a record with its version and time of change; both states."""
        after = changed(before, after, now)
        self.write(before, after)
        return before, after

    def set_columns(self, pk: int, values: Mapping[str, object]) -> None:
        """Other values in columns of one memory's row, whose names are constants of the code."""
        assigned = ", ".join(f"{name} = :{name}" for name in values)
        self.execute(
            f"UPDATE memories SET {assigned} WHERE {self.dialect.mine}pk = :pk",  # noqa: S608
            **values, pk=pk,
        )  # fmt: skip

    def _columns(self, record: Record) -> dict[str, Any]:
        values = dict(zip(COLUMNS, to_values(record), strict=True))
        key = subject_key(record.subject)
        return {**values, "fact_key": self.fact_key(record), "subject_key": key}

    def remove(self, record: Record, now: datetime) -> None:
        """The record is not there any more; the journal may still know what it was."""
        self.many(_REMOVE_TAG, self._tag_rows(record))
        self.words.remove(record)
        self.vectors.remove([record.id])
        self._believe(record, None, now)
        self._cite(record, None)
        self.execute(
            f"DELETE FROM memories WHERE {self.dialect.mine}pk = :pk",  # noqa: S608
            pk=self.pk(record.id),
        )

    @property
    def erasing(self) -> int:
        """How many erasures there have been since the file was last cleaned."""
        return int(self.scalar(f"SELECT erasing FROM tenants WHERE {self.dialect.own}"))  # noqa: S608

    # --- the registry ----------------------------------------------------------------------

    @property
    def registry(self) -> Registry:
        """The last one that was set, else the shipped one; looked for once a transaction."""
        if self._known is None or not self.in_transaction:
            self._known = self._read_registry()
        return self._known

    def begin(self) -> None:
        """A transaction begins: others may have changed what this connection knew."""
        self._known = None

    def _read_registry(self) -> Registry:
        document = self.scalar(
            "SELECT document FROM registries WHERE tenant = :tenant ORDER BY version DESC LIMIT 1"
        )
        if document is None:
            return shipped_registry()
        # By the text, since a version that was rolled back may be set once more, as another one.
        if self._registry is None or self._registry[0] != document:
            self._registry = document, Registry.load(json.loads(document))
        return self._registry[1]

    def set_registry(self, registry: Registry, at: str) -> None:
        """Another registry; the facts' keys follow. Raises ExecutionError "fact-overlap"."""
        self._known = None
        self.execute(
            "INSERT INTO registries (tenant, version, document, recorded_at) "
            "VALUES (:tenant, :version, :document, :at)",
            version=registry.version, document=to_json(registry.to_document()), at=at,
        )  # fmt: skip
        for row in self.execute(
            "SELECT * FROM memories WHERE tenant = :tenant AND attribute IS NOT NULL"
        ).fetchall():
            record = from_row(row)
            key = self.fact_key(record)
            if key != row["fact_key"]:
                with self._room_for(record):
                    self.set_columns(row["pk"], {"fact_key": key})

    # --- indexes ---------------------------------------------------------------------------

    def rebuild_words(self) -> None:
        """Make the word index anew, within a transaction."""
        self.words.create()
        last = self.pk("0")
        while rows := self.execute(
            f"SELECT * FROM memories WHERE {self.dialect.mine}pk > :last AND pk < :end "  # noqa: S608
            "ORDER BY pk LIMIT 1000",
            last=last, end=self.end,
        ).fetchall():  # fmt: skip
            self.words.add([from_row(row) for row in rows])
            self.words.flush()
            last = rows[-1]["pk"]
        self.execute(f"UPDATE tenants SET words = :cut WHERE {self.dialect.own}", cut=CUT)  # noqa: S608

    @property
    def end(self) -> int:
        """The first key past those of the tenant."""
        return self.pk("0") + (1 << ID_BITS)

    def _cut(self) -> int:
        return int(self.scalar(f"SELECT words FROM tenants WHERE {self.dialect.own}"))  # noqa: S608

    def _begin_words(self) -> None:
        """The index of a tenant that has none yet; of several that open it, one makes it."""
        if self._cut() == CUT:
            return
        with self.alone():
            if self._cut() != CUT:
                self.rebuild_words()

    def _tag_rows(self, record: Record) -> list[tuple[object, ...]]:
        if not record.tags:
            return []
        hidden, at, pk = int(hidden_record(record)), format_instant(record.when), self.pk(record.id)
        return [(self.number, tag, hidden, at, pk) for tag in dict.fromkeys(record.tags)]

    def fact_key(self, record: Record) -> str | None:
        """Which values of a fact exclude each other: None for what is no fact."""
        if record.attribute is None:
            return None
        registry = self.registry
        return registry.key(registry.attribute(record.attribute), record.value)

    def _cite(self, before: Record | None, after: Record | None) -> None:
        """Keep in mind which episodes a fact rests on."""
        old, new = _episodes(before), _episodes(after)
        known = after or before
        if old == new or known is None:
            return
        for statement, episodes in (
            ("DELETE FROM heard WHERE tenant = ? AND episode = ? AND pk = ?", old - new),
            ("INSERT INTO heard (tenant, episode, pk) VALUES (?, ?, ?)", new - old),
        ):
            rows = [(self.number, episode, self.pk(known.id)) for episode in sorted(episodes)]
            self.many(statement, rows)

    def _believe(self, before: Record | None, after: Record | None, now: datetime) -> None:
        """Retract what was believed of a fact, and record what is believed now."""
        old, new = _belief(before), _belief(after)
        if old == new:
            return
        known = after or before
        assert known is not None
        at, pk = format_instant(now), self.pk(known.id)
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
        """Raises ExecutionError "fact-overlap" where the database's own guard of the ledger refuses
        a record."""
        try:
            yield
        except self.violations as error:
            if self.overlaps(error):
                raise fact_overlap(record) from error
            raise


def hidden_record(record: Record) -> bool:
    """What the generated column ``hidden`` says of a record."""
    return (
        record.deleted
        or record.archived
        or record.pending
        or (record.is_fact and record.valid_to is not None)
    )


def _without(rows: Sequence[tuple[object, ...]], others: Sequence[tuple[object, ...]]) -> list[Any]:
    known = set(others)
    return [row for row in rows if row not in known]


def _episodes(record: Record | None) -> set[str]:
    """Those that a fact rests on."""
    if record is None or not record.is_fact:
        return set()
    return {str(entry["episode"]) for entry in record.sources if entry.get("episode") is not None}


def _belief(record: Record | None) -> dict[str, object] | None:
    if record is None or not record.is_fact:
        return None
    values = dict(zip(COLUMNS, to_values(record), strict=True))
    return {name: values[name] for name in _BELIEF}
