"""A store in Postgres: tenants, writers at once, killed writers, the queue, and what is refused."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg
import pytest

from tests.postgres import ROLE, TABLES, server
from tests.store.programs import (
    NOW,
    WordHashes,
    context,
    done,
    encode,
    fact,
    find,
    ids,
    merge,
    on,
    read,
)
from text2mem import Memory
from text2mem.adapters.base import Scope
from text2mem.adapters.postgres import connections, store
from text2mem.adapters.postgres.adapter import PostgresAdapter
from text2mem.adapters.postgres.connections import address
from text2mem.adapters.registry import open_adapter
from text2mem.errors import AdapterError, ConfigurationError, StoreBusy, StoreError
from text2mem.executor import undo
from text2mem.ir.ops import ByIds, Content, Encode

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = "stored"
ALL = {"all": True}
Opened = Callable[..., Memory]


@pytest.fixture
def url() -> str:
    return server().prepared(SCHEMA)


@pytest.fixture
def opened(url: str) -> Iterator[Opened]:
    """Opens the store of a tenant."""
    made: list[Memory] = []

    def call(tenant: str = "default", **options: Any) -> Memory:
        asked = context(tenant=tenant)
        adapter = PostgresAdapter(url, tenant=tenant)
        made.append(Memory(adapter, context=asked, **options))
        return made[-1]

    yield call
    for memory in made:
        memory.close()


def raw(*, tenant: str | None = None) -> Any:
    """A connection of the stores' role, past the adapter."""
    connection = psycopg.connect(
        address(server().url(SCHEMA)).conninfo, autocommit=True,
        options=f"-c search_path={SCHEMA},public",
    )  # fmt: skip
    if tenant is not None:
        connection.execute("SELECT set_config('text2mem.tenant', %s, false)", (tenant,))
    return connection


# --- tenants -------------------------------------------------------------------------------


def fill(memory: Memory, whose: str) -> None:
    """Like-named memories, facts, a merge and an erasure."""
    tags = ["%", "_", "all"]
    done(memory, *(encode(f"note {n} of {whose} 记忆", tags=tags, subject="Ann") for n in range(4)))
    done(memory, merge("1", "2"), on("Label", ["3"], facets={"k": [1, whose]}))
    done(memory, fact("Ann", "city", whose, valid_from="2026-01-01"))
    done(memory, fact("Ann", "city", f"{whose} later"))
    done(memory, on("Delete", ["4"], soft=False))


def seen(memory: Memory) -> list[Any]:
    """What reads of every kind answer, and what is kept beside the memories."""
    asked = [
        read(ALL, include=["text", "tags", "facets", "value", "lineage_parents"]),
        read(find("note 记忆 %", limit=20), include=["text", "score"]),
        read(ALL, include=["text"], include_deleted=True, include_archived=True),
        read({"filter": {"has_tags": ["%"], "not_tags": ["x"]}}),
        read({"filter": {"facets": {"k": [1, "one"]}}}),
        read({"filter": {"attribute": "city"}}, include=["value"], as_of="2026-02-01T00:00:00Z"),
    ]
    rows = [done(memory, step).results[0].rows for step in asked]
    adapter, local = memory.adapter, memory.context
    scope = Scope(context=local, now=NOW, deleted=True)
    found = adapter.resolve(ByIds(tuple(map(str, range(20)))), scope).rows
    journal = [(e.trail.op, e.id, e.kind) for e in adapter.entries(local)]
    return [
        rows,
        [(row.id, row.text) for row in found],
        journal,
        adapter.active(local),
        list(adapter.view(local).tags()),
    ]


def test_two_tenants_never_meet(opened: Opened) -> None:
    one, two = opened("one"), opened("two")
    fill(one, "one")
    before = seen(one)
    assert not any(seen(two)[0])
    fill(two, "two")
    for step in (on("Delete", {"all": True}, soft=False), on("Label", ALL, tags=["x"])):
        done(two, step)
    done(two, encode("note 1 of one"))
    assert seen(one) == before
    theirs = one.adapter.entries(one.context)[0].trail.trace_id
    assert not undo(theirs, two.adapter, two.context).ok
    with pytest.raises(ConfigurationError, match="bound to tenant"):
        two.adapter.active(one.context)


def test_row_level_security_stands_where_the_statements_do_not(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = opened("one", embedder=WordHashes()), opened("two", embedder=WordHashes())
    for memory, whose in ((one, "one"), (two, "two")):
        fill(memory, whose)
    before = seen(one), seen(two)
    mine = re.compile(r"(\w+\.)?tenant = (%\(tenant\)s|%s)")
    named = store.translated

    def without_the_tenant(sql: str) -> str:
        # Bound by position, what is compared is bound all the same.
        return mine.sub(lambda found: "true" if "(" in found[2] else "%s IS NOT NULL", named(sql))

    monkeypatch.setattr(store, "translated", without_the_tenant)
    assert "tenant" not in without_the_tenant("SELECT 1 FROM memories WHERE tenant = ?")
    assert (seen(one), seen(two)) == before
    # Whom no policy holds is told of others now, so the conditions are gone indeed.
    with closing(PostgresAdapter(server().url(SCHEMA, user="postgres"), tenant="one")) as admin:
        assert seen(Memory(admin, context=context(tenant="one"))) != before[0]
    done(two, on("Label", ["1"], tags=["changed"]), on("Delete", {"all": True}, soft=False))
    monkeypatch.undo()
    assert seen(one) == before[0]


@pytest.mark.parametrize("table", TABLES)
def test_a_connection_sees_the_rows_of_the_tenant_that_it_names(opened: Opened, table: str) -> None:
    for tenant in ("one", "two"):
        fill(opened(tenant, embedder=WordHashes()), tenant)
    # Nothing is broken, nothing waits, and nobody has set a registry.
    mirrored = ("mirrors", "outbox", "kept")
    empty = table in ("queue", "broken", "registries", "heard", *mirrored)
    with closing(raw()) as nobody, closing(raw(tenant="one")) as one:
        count = f"SELECT count(*), count(*) FILTER (WHERE tenant = 'one') FROM {table}"  # noqa: S608
        assert nobody.execute(count).fetchone() == (0, 0)
        found, own = one.execute(count).fetchone()
        assert found == own and (found > 0) is not empty
        assert one.execute(f"DELETE FROM {table} WHERE tenant = 'two'").rowcount == 0  # noqa: S608
    for name in ("rolsuper", "rolbypassrls"):
        (may,) = (
            server()
            .admin.execute(
                f"SELECT {name} FROM pg_roles WHERE rolname = %s",  # noqa: S608
                (ROLE,),
            )
            .fetchone()
        )
        assert not may


def test_a_row_of_another_tenant_is_not_written(opened: Opened) -> None:
    opened("one")
    with (
        closing(raw(tenant="one")) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"),
    ):
        connection.execute("INSERT INTO tenants (tenant) VALUES ('two')")


# --- the ledger, behind the adapter's back -------------------------------------------------

APRIL, MAY = "2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z"


@pytest.fixture
def lived(opened: Opened) -> Iterator[Any]:
    """A connection to the ledger in which Ann has lived in Rome in March, in Oslo since April."""
    memory = opened("one")
    done(memory, fact("Ann", "city", "Rome", valid_from="2026-03-01T00:00:00Z"))
    done(memory, fact("Ann", "city", "Oslo", valid_from=APRIL))
    with closing(raw(tenant="one")) as connection:
        yield connection


@pytest.mark.parametrize(
    "change",
    [
        "valid_to = NULL WHERE id = 1",
        f"valid_to = '{MAY}' WHERE id = 1",
        "valid_from = '2026-03-20T00:00:00Z' WHERE id = 2",
    ],
)
def test_the_database_keeps_out_what_would_make_two_values_hold(lived: Any, change: str) -> None:
    with pytest.raises(psycopg.IntegrityError):
        lived.execute(f"UPDATE memories SET {change}")  # noqa: S608


def test_two_writers_past_the_adapter_make_no_two_values(lived: Any) -> None:
    """The second one waits for the first, and then sees what it has done."""
    lived.execute(f"UPDATE memories SET valid_to = '{MAY}' WHERE id = 2")  # noqa: S608
    columns = [
        row[0]
        for row in lived.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'memories'::regclass "
            "AND attnum > 0 AND attgenerated = '' ORDER BY attnum"
        )
    ]
    names = ", ".join(columns)
    picked = ", ".join(f"(row).{name}" for name in columns)
    insert = (
        f"INSERT INTO memories ({names}) SELECT {picked} FROM (SELECT jsonb_populate_record(m, "  # noqa: S608
        "jsonb_build_object('pk', CAST(%s AS bigint), 'id', CAST(%s AS bigint), "
        "'valid_from', CAST(%s AS text), 'valid_to', CAST(%s AS text))) AS row "
        "FROM memories AS m WHERE m.id = 1) AS made"
    )
    with closing(raw(tenant="one")) as other, ThreadPoolExecutor(1) as pool:
        lived.execute("BEGIN")
        lived.execute(insert, (8, 8, "2026-06-01T00:00:00Z", "2026-08-01T00:00:00Z"))
        late = pool.submit(
            other.execute, insert, (9, 9, "2026-07-01T00:00:00Z", "2026-09-01T00:00:00Z")
        )
        with pytest.raises(TimeoutError):
            late.result(timeout=0.3)
        lived.execute("COMMIT")
        with pytest.raises(psycopg.IntegrityError, match="fact-overlap"):
            late.result(timeout=60)


def test_a_belief_is_never_rewritten(lived: Any) -> None:
    for change in ("value = '1'", "retracted_at = NULL", "recorded_at = 'x'"):
        with pytest.raises(psycopg.errors.RaiseException, match="never rewritten"):
            lived.execute(f"UPDATE beliefs SET {change}")  # noqa: S608


# --- at once -------------------------------------------------------------------------------


def test_eight_writers_at_once(opened: Opened) -> None:
    """Each on a connection of its own, two of them new tenants of the same name."""

    def write(name: str, tenant: str) -> list[str]:
        memory, made = opened(tenant), []
        for number in range(5):
            result = memory.execute(
                [encode(f"{name} {number}", tags=[name]), fact("shared", "city", f"{name}{number}"),
                 on("Label", ["$1"], facets={"n": number})]
            )  # fmt: skip
            assert result.ok, result.error
            made += [id_ for step in result.results for id_ in step.created]
        return made

    with ThreadPoolExecutor(8) as pool:
        names = [(f"w{n}", "default" if n < 6 else "fresh") for n in range(8)]
        told = list(pool.map(lambda each: write(*each), names))
    for tenant, own in (("default", told[:6]), ("fresh", told[6:])):
        created = [id_ for each in own for id_ in each]
        assert sorted(map(int, created)) == list(range(1, len(created) + 1))
        memory = opened(tenant)
        assert len(ids(memory, {"filter": {"attribute": "city"}})) == 1
        rows = done(memory, read(ALL, include=["text", "facets"])).results[0].rows
        assert all(row["facets"] for row in rows if row["text"].startswith("w"))


def test_a_reader_keeps_no_writer_waiting_and_sees_one_state(opened: Opened) -> None:
    reader, writer = opened(), opened()
    done(writer, encode("before", tags=["t"]))
    with reader.adapter.transaction(write=False):
        assert ids(reader, {"filter": {"has_tags": ["t"]}}) == ["1"]
        done(writer, encode("meanwhile", tags=["t"]))
        assert ids(reader, {"filter": {"has_tags": ["t"]}}) == ["1"]
    assert sorted(ids(reader, {"filter": {"has_tags": ["t"]}})) == ["1", "2"]


def test_a_search_keeps_to_its_tags_and_its_tenant(opened: Opened) -> None:
    for whose in ("one", "two"):
        memory = opened(whose)
        memory.add("a boat", tags=("red", "old"))
        memory.add(f"the boat of {whose}", tags=("red", "new"))
        memory.add("a boat house")
        found = memory.search("boat", tags=("new", "red"))
        assert [each.text for each in found] == [f"the boat of {whose}"]
        assert memory.search("boat", tags=("new", "old")) == []


def test_a_writer_waits_for_its_own_tenant_and_for_no_other(opened: Opened) -> None:
    one, other, late = opened("one"), opened("two"), opened("one")
    with ThreadPoolExecutor(1) as pool:
        with one.adapter.transaction():
            done(other, encode("at once"))
            waiting = pool.submit(done, late, encode("later"))
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.3)
        assert waiting.result(timeout=60).ok
    with closing(raw(tenant="one")) as connection, one.adapter.transaction():
        connection.execute("SET lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            connection.execute(store._LOCK, ("one",))


def test_whoever_waits_too_long_may_try_again(opened: Opened) -> None:
    one, late = opened("one"), opened("one")
    with closing(raw(tenant="one")) as holder:
        holder.execute("BEGIN")
        holder.execute(store._LOCK, ("one",))
        impatient = "SELECT set_config('lock_timeout', '50ms', true), "
        with (
            patch.object(store, "_NAME_TENANT", impatient + store._NAME_TENANT[len("SELECT ") :]),
            pytest.raises(StoreBusy, match="cannot be used now"),
        ):
            done(late, encode("later"))
        holder.execute("ROLLBACK")
    done(late, encode("on time"))
    done(one, encode("as well"))


WRITER = """
import sys
from tests.store.programs import context, encode, fact, on
from text2mem import Memory
from text2mem.adapters.postgres.adapter import PostgresAdapter
memory = Memory(PostgresAdapter(sys.argv[1]), context=context())
for number in range(10_000):
    result = memory.execute([
        encode(f"task {number}", tags=["whole"]), fact("A", "city", str(number)),
        on("Label", ["$1"], facets={"n": number}),
    ])
    assert result.ok, result.error
    print(number, flush=True)
"""


def test_a_killed_writer_leaves_whole_programs(url: str, opened: Opened) -> None:
    told = 0
    for last in (0, 3):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, url], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        while int(process.stdout.readline()) < last:
            told += 1
        told += 1
        process.send_signal(signal.SIGKILL)
        process.stdout.close()
        process.wait()
        memory = opened()
        rows = done(memory, read({"filter": {"has_tags": ["whole"], "limit": 1000}},
                                 include=["text", "facets"])).results[0].rows  # fmt: skip
        assert len(rows) in (told, told + 1)
        assert all(row["text"] == f"task {row['facets']['n']}" for row in rows)
        told = len(rows)
        assert len(ids(memory, {"filter": {"attribute": "city"}})) == 1
        assert len(memory.adapter.entries(memory.context)) >= 2 * told
        done(memory, on("Promote", ["1"], weight_delta=0.01))  # and it holds no lock


# --- the queue -----------------------------------------------------------------------------


def test_several_workers_take_each_task_once(opened: Opened) -> None:
    memory = opened()
    done(memory, *(encode(f"turn {n}", type="episode") for n in range(24)))
    memory.adapter.queue.put([str(n + 1) for n in range(24)], now=NOW)

    def work(name: str) -> list[str]:
        queue, taken = opened().adapter.queue, []
        while found := queue.lease(name, now=NOW, until=NOW + timedelta(minutes=5), limit=2):
            taken += [task.episode for task in found]
            queue.done(found[0].episode)
        return taken

    with ThreadPoolExecutor(4) as pool:
        taken = [task for each in pool.map(work, "abcd") for task in each]
    assert sorted(map(int, taken)) == list(range(1, 25))
    assert len(memory.adapter.queue.tasks(dead=False)) < 24


def test_what_another_worker_is_taking_is_skipped_not_waited_for(opened: Opened) -> None:
    memory = opened()
    done(memory, *(encode(f"turn {n}", type="episode") for n in range(3)))
    memory.adapter.queue.put(["1", "2", "3"], now=NOW)
    later = NOW + timedelta(minutes=5)
    with closing(raw(tenant="default")) as other:
        other.execute("BEGIN")
        other.execute("SELECT 1 FROM queue WHERE pk = 1 FOR UPDATE")
        found = memory.adapter.queue.lease("b", now=NOW, until=later, limit=9)
    assert [task.episode for task in found] == ["2", "3"]


# --- vectors -------------------------------------------------------------------------------


def test_an_index_of_vectors_finds_what_comparing_all_finds(opened: Opened) -> None:
    memory = opened("many", embedder=WordHashes())
    other = opened("few", embedder=WordHashes())
    words = ("harbour", "lantern", "合同", "orchard", "violin", "granite")
    texts = [f"{a} {b} {n}" for n, (a, b) in enumerate((a, b) for a in words for b in words)]
    memory.encode_many([Encode(content=Content("text", text)) for text in texts])
    done(other, *(encode(text) for text in texts[:9]))
    vectors = memory.adapter._store.vectors  # type: ignore[attr-defined]
    asked = [
        read(find(word, limit=3, overrides={"alpha": 1.0}), include=["score"]) for word in words
    ]
    exact = [done(memory, step).results[0].rows for step in asked]
    vectors.many = 10
    assert not vectors._by_index(16)
    memory.adapter.rebuild_vector_index()
    assert vectors._by_index(16)
    assert [done(memory, step).results[0].rows for step in asked] == exact
    assert len(ids(other, find("harbour", limit=20))) <= 9


# --- what is refused -----------------------------------------------------------------------


def test_a_schema_of_something_else_is_refused() -> None:
    admin = server().admin
    admin.execute("CREATE SCHEMA foreigners")
    admin.execute("CREATE TABLE foreigners.memories (id int)")
    admin.execute(f"GRANT ALL ON SCHEMA foreigners TO {ROLE}")
    with pytest.raises(StoreError, match="tables of something else"):
        PostgresAdapter(server().url("foreigners"))
    assert admin.execute("SELECT count(*) FROM foreigners.memories").fetchone() == (0,)


def test_a_newer_schema_is_refused(url: str) -> None:
    newer = ("9999_later.sql", "2030-01-01T00:00:00Z")
    with closing(raw()) as connection:
        connection.execute("INSERT INTO migrations VALUES (%s, %s)", newer)
        try:
            with pytest.raises(StoreError, match=r"newer version of text2mem.*9999_later"):
                PostgresAdapter(url)
        finally:
            connection.execute("DELETE FROM migrations WHERE name = %s", newer[:1])


def test_a_table_that_is_gone_is_said(opened: Opened) -> None:
    memory = opened()
    with closing(raw()) as connection:
        connection.execute("ALTER TABLE terms RENAME TO lost")
        try:
            with pytest.raises(
                AdapterError, match=r'relation "terms" does not exist|a table is gone'
            ):
                memory.execute([encode("milk")])
        finally:
            connection.execute("ALTER TABLE lost RENAME TO terms")
    done(memory, encode("milk"))


def test_a_row_that_cannot_be_read_is_set_aside(opened: Opened) -> None:
    memory = opened()
    done(memory, encode("milk", tags=["shop"]), encode("tea"))
    with closing(raw(tenant="default")) as connection:
        connection.execute("UPDATE memories SET facets = '{broken' WHERE id = 1")
    rows = done(memory, read(ALL, include=["text", "facets"])).results[0].rows
    assert {row["text"]: row["facets"] for row in rows} == {"milk": {}, "tea": {}}
    assert memory.adapter.set_aside() == [("1", "facets")]


@pytest.mark.parametrize(
    ("address_", "says"),
    [
        ("postgresql://bo:secret@127.0.0.1:1/none", "cannot open postgres:127.0.0.1/none"),
        ("postgresql://bo:secret@127.0.0.1:1/none?schema=A;B", "names no schema"),
        ("no such thing", "no address of a Postgres database"),
    ],
)
def test_an_address_that_leads_nowhere(address_: str, says: str) -> None:
    with pytest.raises((ConfigurationError, StoreError)) as refused:
        open_adapter(f"postgres:{address_}")
    assert says in str(refused.value)
    assert "secret" not in f"{refused.value!r} {refused.value} {refused.value.__cause__}"


def test_a_text_that_postgres_cannot_hold_is_refused_and_nothing_is_kept(opened: Opened) -> None:
    memory = opened()
    for step in (
        encode("milk\x00tea"),
        encode("milk", tags=["\x00"]),
        encode("x", facets={"\x00": 1}),
    ):
        with pytest.raises(ConfigurationError, match="a text holds a NUL"):
            memory.execute([encode("first"), step])
    with pytest.raises(AdapterError, match="nothing of the program was kept"):
        memory.execute([encode("first"), encode("x", tags=["".join(map(chr, range(200, 4000)))])])
    assert memory.adapter.active(memory.context) == 0


def test_an_address_keeps_its_secrets() -> None:
    assert address("postgresql:///notes?schema=mine").conninfo == "postgresql:///notes"
    where = address("postgresql://bo:secret@db.example/notes?schema=mine&sslmode=require")
    assert where.schema == "mine" and "sslmode" in where.conninfo
    assert repr(where) == "Address('postgres:db.example/notes (mine)')"
    assert connections.SCHEMA == "text2mem"
