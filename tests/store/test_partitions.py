"""Tenants over partitions of a real server: one tenant's programs touch its partitions alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import Any

import psycopg
import pytest

from tests.postgres import ROLE, TABLES, server
from tests.store.programs import NOW, WordHashes, context, done, encode, fact, on, read
from tests.store.scans import scans
from tests.store.test_postgres import fill, seen
from text2mem import Memory
from text2mem.adapters.base import Embedding
from text2mem.adapters.postgres.adapter import PostgresAdapter
from text2mem.adapters.postgres.connections import address
from text2mem.errors import ConfigurationError, StoreError
from text2mem.executor import Prepared, encode_many
from text2mem.ir.ops import ByFilter, ByIds, Delete, Label
from text2mem_bench.plans import Plan, explained
from text2mem_bench.store import CONTEXT, hybrid, reads
from text2mem_bench.synthetic import Clusters, Synthetic

COUNT = 4
SCHEMA = "divided"
TENANTS = [f"team-{number}" for number in range(8)]
MEMORIES = 20
CLUSTERS = Clusters(0, MEMORIES, dimension=16)
_PART = re.compile(r"(\w+?)_(\d+)$")


def number_of(tenant: str) -> int:
    """The number of the partitions that a tenant's rows lie in."""
    (name,) = (
        server()
        .admin.execute(
            f"SELECT tableoid::regclass::text FROM {SCHEMA}.tenants WHERE tenant = %s",  # noqa: S608
            (tenant,),
        )
        .fetchone()
    )
    return int(name.rpartition("_")[2])


@pytest.fixture(scope="module")
def strangers() -> set[int]:
    """The connections of stores that are none of this module's."""
    return connections()


@pytest.fixture(scope="module")
def url(strangers: set[int]) -> Iterator[str]:
    """Eight tenants over four partitions."""
    found = server().url(SCHEMA) + f"&partitions={COUNT}"
    for number, tenant in enumerate(TENANTS):
        with closing(PostgresAdapter(found, tenant=tenant, vector_index_from=1)) as adapter:
            ops = list(Synthetic(number, total=MEMORIES).encodes(MEMORIES))
            encode_many(ops, adapter, replace(CONTEXT, tenant=tenant))
            rows = zip(range(1, MEMORIES + 1), CLUSTERS.rows(MEMORIES), strict=True)
            with adapter.transaction():
                embedding = Embedding(CLUSTERS.model, CLUSTERS.threshold)
                adapter.set_vectors(embedding, {str(id_): row for id_, row in rows})
    with closing(PostgresAdapter(found, tenant=TENANTS[0], vector_index_from=1)) as adapter:
        adapter.rebuild_vector_index()
    yield found
    server().admin.execute(f"DROP SCHEMA {SCHEMA} CASCADE")


def parts(plans: list[Plan]) -> set[int]:
    """The numbers of the partitions that plans come to."""
    ran = [scan for scan in scans(plans) if scan.table and scan.ran]
    named = [found for scan in ran if (found := _PART.fullmatch(scan.table))]
    assert len(named) == len([scan for scan in ran if scan.table != "migrations"])
    return {int(found[2]) for found in named}


def test_every_table_is_divided_and_a_tenant_has_one_number_in_all(url: str) -> None:
    ask = server().admin.execute
    for table in TABLES:
        rows = ask(
            "SELECT count(*) FROM pg_inherits WHERE inhparent = %s::regclass",
            (f"{SCHEMA}.{table}",),
        )
        assert rows.fetchone() == (COUNT,)
    numbers = {tenant: number_of(tenant) for tenant in TENANTS}
    assert len(set(numbers.values())) > 2
    for table in ("memories", "memory_tags", "terms", "vectors", "journal"):
        held = ask(
            f"SELECT DISTINCT tenant, tableoid::regclass::text FROM {SCHEMA}.{table} "  # noqa: S608
            "WHERE tenant LIKE 'team-%'"
        ).fetchall()
        assert {tenant: int(name.rpartition("_")[2]) for tenant, name in held} == numbers


@pytest.mark.parametrize("what", [*reads(Synthetic(0), 9), "hybrid", "hybrid by the index"])
def test_a_read_of_a_tenant_comes_to_its_partitions_alone(url: str, what: str) -> None:
    tenant = TENANTS[5]
    op = hybrid(1)[0] if what not in (known := reads(Synthetic(5), 9)) else known[what][0]
    plans = explained(
        url, op, replace(CONTEXT, tenant=tenant), prepared=Prepared(embedder=CLUSTERS),
        index="index" in what,
    )  # fmt: skip
    assert parts(list(plans)) == {number_of(tenant)}


@pytest.mark.parametrize(
    "op",
    [
        Label(target=ByIds(("3",)), tags=("new",)),
        Label(target=ByFilter(not_tags=("none",)), tags=("newer",)),
        Delete(target=ByIds(("1",))),
        Delete(target=ByIds(("2",)), soft=False),
    ],
    ids=lambda op: f"{op.name}-{getattr(op, 'soft', '')}",
)
def test_a_write_of_a_tenant_comes_to_its_partitions_alone(url: str, op: Any) -> None:
    tenant = TENANTS[7]
    plans = list(explained(url, op, replace(CONTEXT, tenant=tenant)))
    assert any(plan.sql.startswith(("UPDATE memories", "DELETE FROM memories")) for plan in plans)
    assert parts(plans) == {number_of(tenant)}


def test_without_its_tenant_a_statement_comes_to_all(url: str) -> None:
    rows = server().admin.execute(
        f"EXPLAIN (ANALYZE, COSTS OFF) SELECT count(*) FROM {SCHEMA}.memories"  # noqa: S608
    )
    plan = Plan("", "\n".join(row[0] for row in rows.fetchall()))
    assert parts([plan]) == set(range(COUNT))


def counted() -> dict[str, tuple[int, ...]]:
    """What the server has counted of each partition: scans, and rows written."""
    admin = server().admin
    admin.execute("SELECT pg_stat_force_next_flush()")  # what it did itself is told late, too
    admin.execute("SELECT pg_stat_clear_snapshot()")
    rows = admin.execute(
        "SELECT relname, seq_scan + coalesce(idx_scan, 0), n_tup_ins, n_tup_upd, n_tup_del "
        "FROM pg_stat_user_tables WHERE schemaname = %s AND relname ~ '_[0-9]+$'",
        (SCHEMA,),
    )
    return {row[0]: tuple(row[1:]) for row in rows}


def connections() -> set[int]:
    """The processes of the server that serve stores."""
    rows = server().admin.execute("SELECT pid FROM pg_stat_activity WHERE usename = %s", (ROLE,))
    return {row[0] for row in rows}


def ended(others: set[int]) -> None:
    """Waits until no connection but these is left: what ends still reports what it did."""
    while connections() - others:
        sleep(0.02)


def test_the_server_counts_nothing_elsewhere_while_a_tenant_works(
    url: str, strangers: set[int]
) -> None:
    """Triggers, locks and savepoints too, which no plan shows."""
    ended(strangers)
    tenant = TENANTS[2]
    own, before = number_of(tenant), counted()
    embedder = WordHashes(CLUSTERS.model, 16)
    adapter = PostgresAdapter(url, tenant=tenant)
    memory = Memory(adapter, embedder=embedder, context=context(tenant=tenant))
    done(memory, encode("a note"), fact("Ann", "city", "Rome", valid_from="2026-01-01"))
    trace = done(memory, fact("Ann", "city", "Oslo"), on("Lock", ["1"], mode="read_only")).trace_id
    assert memory.undo(trace).ok
    done(memory, read({"all": True}), on("Delete", ["3"], soft=False))
    memory.adapter.queue.put(["4"], now=NOW)
    memory.tick()
    memory.close()
    ended(strangers)
    changed = {name for name, held in counted().items() if held != before[name]}
    named = {found[1]: int(found[2]) for name in changed if (found := _PART.fullmatch(name))}
    assert set(named.values()) == {own} and len(named) == len(changed)
    assert {"memories", "journal", "beliefs", "terms", "queue", "tenants"} <= set(named)


def test_what_tenants_see_is_what_they_see_without_partitions(url: str) -> None:
    plain = server().prepared("undivided")
    found = []
    for where in (plain, url):
        for tenant in ("one", "two"):
            memory = Memory(PostgresAdapter(where, tenant=tenant), context=context(tenant=tenant))
            fill(memory, tenant)
            found.append(seen(memory))
            memory.close()
    assert found[:2] == found[2:]


def test_the_second_wall_stands_in_each_partition(url: str) -> None:
    tenant = TENANTS[0]
    name = f"{SCHEMA}.memories_{number_of(tenant)}"
    with closing(
        psycopg.connect(address(url).conninfo, autocommit=True)  # the stores' role
    ) as connection:
        count = f"SELECT count(*) FROM {name}"  # noqa: S608
        assert connection.execute(count).fetchone() == (0,)
        connection.execute("SELECT set_config('text2mem.tenant', %s, false)", (tenant,))
        assert connection.execute(count).fetchone() == (MEMORIES,)
        assert connection.info.user == ROLE


def test_two_values_at_once_are_refused_behind_the_adapters_back(url: str) -> None:
    adapter = PostgresAdapter(url, tenant="guarded")
    memory = Memory(adapter, context=context(tenant="guarded"))
    done(memory, fact("Ann", "city", "Rome", valid_from="2026-01-01"), fact("Ann", "city", "Oslo"))
    admin = server().admin
    with pytest.raises(psycopg.IntegrityError) as refused, admin.transaction():
        admin.execute(f"SET LOCAL search_path = {SCHEMA}, public")
        admin.execute("SET LOCAL session_replication_role = replica")  # the index alone
        admin.execute("UPDATE memories SET valid_to = NULL WHERE tenant = 'guarded'")
    assert adapter._store.overlaps(refused.value)
    with pytest.raises(psycopg.IntegrityError) as refused, admin.transaction():
        admin.execute(f"SET LOCAL search_path = {SCHEMA}, public")
        admin.execute("UPDATE memories SET id = 1, pk = 1 WHERE tenant = 'guarded'")
    assert not adapter._store.overlaps(refused.value)
    memory.close()


def test_a_schema_keeps_its_number_of_partitions(url: str) -> None:
    plain = server().url(SCHEMA)
    PostgresAdapter(plain, tenant=TENANTS[0]).close()
    for where, has in ((plain, COUNT), (server().prepared("undivided"), "no")):
        with pytest.raises(StoreError, match=f"has {has} partitions, and not 16"):
            PostgresAdapter(f"{where}&partitions=16")
    for wrong in ("many", "-1", "257", "1e3"):
        with pytest.raises(ConfigurationError, match="is no number of partitions"):
            PostgresAdapter(f"{plain}&partitions={wrong}")


def test_the_page_distributes_every_table(url: str) -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "scale-out.md").read_text("utf-8")
    named = re.findall(r"create_distributed_table\('(\w+)', 'tenant'", text)
    rows = server().admin.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = %s::regnamespace",
        (SCHEMA,),
    )
    assert sorted(named) == sorted(TABLES) == sorted(row[0] for row in rows)


def test_a_later_migration_divides_its_tables_alike(url: str) -> None:
    admin = server().admin
    admin.execute(f"DROP TABLE {SCHEMA}.mirrors, {SCHEMA}.outbox, {SCHEMA}.kept")
    admin.execute(f"DELETE FROM {SCHEMA}.migrations WHERE name = '0002_outbox.sql'")  # noqa: S608
    PostgresAdapter(server().url(SCHEMA), tenant=TENANTS[0]).close()
    test_every_table_is_divided_and_a_tenant_has_one_number_in_all(url)
