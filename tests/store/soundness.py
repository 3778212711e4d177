"""What must be true of every file: its tables agree with each other and with the memories.

A file is looked at with plain SQLite, by none of the code that wrote it, but for the cutting of
words and the folding of a journal.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from text2mem.adapters.sql.codec import from_row
from text2mem.ir.patch import diff, in_full
from text2mem.ir.record import Record
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import index_terms, search_text

_BELIEVED = ("subject", "attribute", "value", "valid_from", "valid_to", "pending", "deleted")
_TABLES = (
    "tenants", "memories", "memory_tags", "heard", "queue", "beliefs", "vectors", "journal",
    "registries",
)  # fmt: skip
BITS = 40


def looked_at(path: Path | str) -> sqlite3.Connection:
    """A plain connection that reads."""
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    return connection


def faults(path: Path | str, *, journal: bool = True) -> list[str]:
    """Everything that is wrong with a file; empty where nothing is.

    A migration brings facts into order and journals nothing: such a file's ``journal`` is left out.
    """
    with closing(looked_at(path)) as connection:
        return list(_faults(connection, journal))


def contents(connection: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table in order, and every word; without the count of erasures."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for table in _TABLES:
        rows = [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]  # noqa: S608
        for row in rows:
            row.pop("erasing", None)
        found[table] = sorted((tuple(row.values()) for row in rows), key=repr)
    for number in _numbers(connection):
        found[f"words_{number}"] = sorted(
            (id_, term, count)
            for id_, held in _words(connection, number).items()
            for term, count in held.items()
        )
    return found


def _faults(connection: sqlite3.Connection, journal: bool) -> Iterator[str]:
    for pragma in ("integrity_check", "foreign_key_check"):
        said = [tuple(row) for row in connection.execute(f"PRAGMA {pragma}")]
        if said not in ([], [("ok",)]):
            yield f"{pragma}: {said}"
    rows = connection.execute("SELECT * FROM memories ORDER BY pk").fetchall()
    records = {row["pk"]: from_row(row) for row in rows}
    for row in rows:
        if row["pk"] != (row["tenant"] << BITS) + row["id"]:
            yield f"memory {row['pk']} is stored under the wrong key"
        if row["subject_key"] != (None if row["subject"] is None else name_key(row["subject"])):
            yield f"memory {row['pk']} is stored under another subject's key"
    yield from _tag_faults(connection, rows)
    yield from _source_faults(connection, rows)
    yield from _word_faults(connection, rows)
    yield from _belief_faults(connection, rows)
    yield from _vector_faults(connection, records)
    yield from _id_faults(connection)
    if journal:
        yield from _journal_faults(connection, records)


def _tag_faults(connection: sqlite3.Connection, rows: list[sqlite3.Row]) -> Iterator[str]:
    wanted = {
        (row["tenant"], tag, row["hidden"], row["at"], row["pk"])
        for row in rows
        for tag in json.loads(row["tags"])
    }
    found = {
        tuple(row)
        for row in connection.execute("SELECT tenant, tag, hidden, at, pk FROM memory_tags")
    }
    for entry in sorted(wanted ^ found):
        yield f"tag {'missing' if entry in wanted else 'left over'}: {entry}"


def _source_faults(connection: sqlite3.Connection, rows: list[sqlite3.Row]) -> Iterator[str]:
    wanted = {
        (row["tenant"], source["episode"], row["pk"])
        for row in rows
        for source in (json.loads(row["sources"]) if row["attribute"] is not None else ())
        if source["episode"] is not None
    }
    found = {tuple(row) for row in connection.execute("SELECT tenant, episode, pk FROM heard")}
    for entry in sorted(wanted ^ found):
        yield f"source {'missing' if entry in wanted else 'left over'}: {entry}"


def _word_faults(connection: sqlite3.Connection, rows: list[sqlite3.Row]) -> Iterator[str]:
    for number in _numbers(connection):
        found = _words(connection, number)
        for row in rows:
            if row["tenant"] != number:
                continue
            record = from_row(row)
            terms = Counter(index_terms(search_text(record)) if record.payload else ())
            if found.pop(row["id"], Counter()) != terms:
                yield f"the words of memory {row['id']} of tenant {number} are others"
        if found:
            yield f"tenant {number} has words of {sorted(found)}, which are not there"


def _belief_faults(connection: sqlite3.Connection, rows: list[sqlite3.Row]) -> Iterator[str]:
    held = {
        row["pk"]: tuple(row[name] for name in _BELIEVED)
        for row in connection.execute("SELECT * FROM beliefs WHERE retracted_at IS NULL")
    }
    for row in rows:
        if row["attribute"] is not None:
            stated = tuple(row[name] for name in _BELIEVED)
            if held.pop(row["pk"], None) != stated:
                yield f"what is believed of fact {row['pk']} is not what it says"
    if held:
        yield f"something is believed of {sorted(held)}, which are no facts"


def _vector_faults(connection: sqlite3.Connection, records: dict[int, Record]) -> Iterator[str]:
    tenants = connection.execute("SELECT number, vector_dimension FROM tenants")
    dimensions = {row["number"]: row["vector_dimension"] for row in tenants}
    for pk, blob in connection.execute("SELECT pk, vector FROM vectors"):
        record = records.get(pk)
        if record is None or not record.text or record.skip_embedding:
            yield f"a vector for {pk}, which should have none"
        if len(blob) != 4 * (dimensions[pk >> BITS] or 0):
            yield f"the vector of {pk} has another dimension"


def _id_faults(connection: sqlite3.Connection) -> Iterator[str]:
    for number, following in connection.execute("SELECT number, next_id FROM tenants"):
        for table in ("memories", "journal"):
            (last,) = connection.execute(
                f"SELECT max(id) FROM {table} WHERE tenant = ?",  # noqa: S608
                (number,),
            ).fetchone()
            if last is not None and last >= following:
                yield f"tenant {number} would give the id {following} after {last}"


def _journal_faults(connection: sqlite3.Connection, records: dict[int, Record]) -> Iterator[str]:
    """Whoever reads the journal from its beginning comes to what the memories are."""
    folded: dict[int, dict[str, Any]] = {}
    lost = set()
    made: dict[int, set[str]] = {}
    for row in connection.execute("SELECT * FROM journal ORDER BY seq"):
        pk = (row["tenant"] << BITS) + row["id"]
        if row["kind"] == "created" and row["op"] != "Undo":
            made.setdefault(pk, set()).add(row["trace_id"])
        if row["changes"] is None:
            lost.add(pk)
            continue
        values = folded.setdefault(pk, {})
        for name, (before, after) in json.loads(row["changes"]).items():
            held = values.get(name, [])
            if pk not in lost and name in values and held != in_full(name, before, held):
                yield f"entry {row['seq']} found {name} of {pk} as it was not"
            values[name] = in_full(name, after, held)
    for pk, traces in made.items():
        if len(traces) > 1:
            yield f"the id of {pk} was given by {sorted(traces)}"
    for pk, record in records.items():
        if pk in lost:
            continue
        stands = {change.field: change.after for change in diff(None, record)}
        told = {name: value for name, value in folded.get(pk, {}).items() if name in stands}
        if told != stands:
            yield f"the journal of {pk} ends with {told}, and it is {stands}"


def _numbers(connection: sqlite3.Connection) -> list[int]:
    return [row[0] for row in connection.execute("SELECT number FROM tenants WHERE words > 0")]


def _words(connection: sqlite3.Connection, number: int) -> dict[int, Counter[str]]:
    """The terms of each memory as the index has them, and whether it is whole in itself."""
    table = f"words_{number}"
    connection.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")  # noqa: S608
    connection.execute(f"CREATE VIRTUAL TABLE temp.seen USING fts5vocab (main, {table}, instance)")
    try:
        found: dict[int, Counter[str]] = {}
        for term, id_ in connection.execute("SELECT term, doc FROM temp.seen"):
            found.setdefault(id_, Counter())[term] += 1
        return found
    finally:
        connection.execute("DROP TABLE temp.seen")
        connection.rollback()
