"""The server finds what a read asks for by an index, on a few thousand memories of four tenants."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.postgres import server
from tests.store.scans import scans
from text2mem.adapters.base import Embedding
from text2mem.adapters.postgres.adapter import PostgresAdapter
from text2mem.executor import Prepared, encode_many, execute
from text2mem.ir.ops import ByIds, BySearch, Content, Delete, Encode, Retrieve
from text2mem_bench.plans import ExplainedAdapter, Plan, explained
from text2mem_bench.store import CONTEXT, hybrid, reads
from text2mem_bench.synthetic import Clusters, Synthetic

SCHEMA = "planned"
OTHERS = ("a", "b", "c")
EACH = 1_200
COPIED = ("tenants", "memories", "memory_tags", "terms", "vectors", "journal")
INDEXES = {
    "filter by tag": {"memory_tags_by_time", "memories_pkey"},
    "filter by tag, without a limit": {"memory_tags_by_time", "memories_pkey"},
    "filter by two tags": {"memory_tags_by_time"},
    "filter by tag and month": {"memory_tags_by_time"},
    "filter by time": {"memories_by_time"},
    "as_of": {"memory_tags_by_time", "memories_pkey"},
    "search by words, rare terms": {"terms_pkey", "memories_pkey"},
    "search by words, medium terms": {"terms_pkey", "memories_pkey"},
    "search by words, common terms": {"terms_pkey", "memories_pkey"},
}
"""The indexes by which the memories of each read are found."""
LARGE = {"memories", "memory_tags", "terms", "journal"}
CLUSTERS = Clusters(0, EACH, dimension=16)


def copy(admin: Any, table: str) -> None:
    """What the one tenant has of a table, for the others as well."""
    rows = admin.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 1 "
        "AND attgenerated = ''",
        (table,),
    )
    columns = ", ".join(row[0] for row in rows)
    admin.execute(
        f"INSERT INTO {table} (tenant, {columns}) "  # noqa: S608
        f"SELECT other, {columns} FROM {table}, unnest(%s::text[]) AS other",
        (list(OTHERS),),
    )


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Four tenants with the same memories, and the statistics that autovacuum gathers."""
    found, admin = server().prepared(SCHEMA), server().admin
    with closing(PostgresAdapter(found, vector_index_from=1)) as adapter:
        encode_many(list(Synthetic(0, total=EACH).encodes(EACH)), adapter, CONTEXT)
        rows = zip(range(1, EACH + 1), CLUSTERS.rows(EACH), strict=True)
        with adapter.transaction():
            embedding = Embedding(CLUSTERS.model, CLUSTERS.threshold)
            adapter.set_vectors(embedding, {str(id_): row for id_, row in rows})
        with admin.transaction():
            admin.execute(f"SET LOCAL search_path = {SCHEMA}, public")
            for table in COPIED:
                copy(admin, table)
        adapter.rebuild_vector_index()
    admin.execute(f"VACUUM (ANALYZE) {', '.join(f'{SCHEMA}.{table}' for table in COPIED)}")
    yield found
    server().empty(SCHEMA)


def carried_out(plans: list[Plan]) -> tuple[set[str], set[str]]:
    """The indexes that were chosen, and the large tables to be read from end to end."""
    found = list(scans(plans))
    whole = {scan.table for scan in found if scan.how == "Seq"}
    return {scan.index for scan in found if scan.index}, whole & LARGE


@pytest.mark.parametrize("what", INDEXES)
def test_a_read_goes_by_indexes(what: str, url: str) -> None:
    for op in reads(Synthetic(0, total=EACH), 9)[what][:3]:
        used, whole = carried_out(list(explained(url, op, CONTEXT)))
        assert INDEXES[what] <= used
        assert whole == set()


def test_every_read_that_is_measured_is_looked_at() -> None:
    assert set(reads(Synthetic(0), 9)) == set(INDEXES)


@pytest.mark.parametrize("index", [False, True])
def test_a_hybrid_search_goes_by_the_index_of_vectors_where_there_is_to_be_one(
    url: str, index: bool
) -> None:
    (op,) = hybrid(1)
    plans = explained(url, op, CONTEXT, prepared=Prepared(embedder=CLUSTERS), index=index)
    used, whole = carried_out(list(plans))
    assert ("vectors_near_16" in used) is index
    assert "terms_pkey" in used and whole == set()
    nearest = [plan for plan in plans if "ORDER BY CAST(vector" in plan.sql]
    assert len(nearest) == int(index)


def test_many_vectors_are_counted_once_and_again_after_one_went(url: str) -> None:
    asked = Retrieve(target=BySearch(vector=tuple(CLUSTERS.rows(1)[0].tolist()), k=5))

    def counts(adapter: ExplainedAdapter) -> int:
        adapter.plans()
        assert execute([asked], adapter, CONTEXT).ok
        return sum(
            "FROM vectors WHERE tenant = :tenant LIMIT" in plan.sql for plan in adapter.plans()
        )

    with closing(ExplainedAdapter(url, vector_index_from=EACH - 1)) as adapter:
        assert [counts(adapter) for _ in range(3)] == [1, 0, 0]
        gone = Delete(target=ByIds(("7",)), soft=False)
        assert execute([gone], adapter, CONTEXT).ok
        assert [counts(adapter) for _ in range(2)] == [1, 0]


def test_the_words_of_a_memory_are_written_by_one_statement(url: str) -> None:
    op = Encode(content=Content("text", "a dozen words of one memory, 茶, and yet one statement"))
    written = [p for p in explained(url, op, CONTEXT) if p.sql.startswith("INSERT INTO terms")]
    assert len(written) == 1 and "Function Scan on added" in written[0].text


def test_a_missing_index_would_be_seen(url: str) -> None:
    server().admin.execute(f"DROP INDEX {SCHEMA}.memories_by_time")
    try:
        with pytest.raises(AssertionError):
            test_a_read_goes_by_indexes("filter by time", url)
    finally:
        server().admin.execute(
            f"CREATE INDEX memories_by_time ON {SCHEMA}.memories (tenant, hidden, at DESC, id)"
        )
