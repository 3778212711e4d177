"""A search that looks at the rare words first finds what one finds that looks at everything."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from text2mem import Memory
from text2mem.adapters.base import Adapter, Scope
from text2mem.adapters.sql import search
from text2mem.adapters.sqlite import words
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.adapters.transactions import Mended
from text2mem.clock import FixedClock
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import BySearch
from text2mem_bench.oracle.adapter import PlainAdapter

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
COMMON = ("lives", "works", "喜欢")
RARE = tuple(f"name{n}" for n in range(24))


def found(adapter: Adapter, query: str, limit: int, actor: str | None) -> list[tuple[str, float]]:
    context = ExecutionContext(actor=actor, clock=FixedClock(NOW))
    with adapter.transaction(write=False):
        hits = adapter.resolve(BySearch(query=query, limit=limit), Scope(context=context, now=NOW))
    return [(row.id, round(hits.scores[row.id], 6)) for row in hits.rows]


def fill(adapter: Adapter, texts: Sequence[str], rng: Random) -> None:
    for number, text in enumerate(texts):
        at = NOW - timedelta(days=rng.randrange(90))
        context = ExecutionContext(
            actor=rng.choice((None, "ana")), clock=FixedClock(at), confirmed=True
        )
        memory = Memory(adapter, context=context, embedder="none")
        memory.execute([{"stage": "ENC", "op": "Encode", "args": {"payload": {"text": text}}}])
        target = {"ids": [str(number + 1)]}
        if number % 3 == 0:
            weight = {"set": {"weight": rng.choice((0.0, 0.3, 1.0))}}
            memory.execute([{"stage": "STO", "op": "Update", "target": target, "args": weight}])
        if number % 7 == 0:
            memory.execute([{"stage": "STO", "op": "Delete", "target": target}])


@pytest.mark.parametrize("seed", range(3))
def test_the_first_hits_are_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_FEW", 12)
    monkeypatch.setattr(words, "_MANY", 30)
    sooner: list[bool] = []
    foremost = search._foremost

    def counted(*args: Any) -> Any:
        rows = foremost(*args)
        sooner.append(rows is not None)
        return rows

    monkeypatch.setattr(search, "_foremost", counted)
    texts = []
    rng = Random(seed)
    for _ in range(160):
        told = [rng.choice(RARE), rng.choice(COMMON), *rng.choices(("in", "Oslo", "茶"), k=2)]
        texts.append(
            " ".join(rng.sample(told, k=rng.randint(2, 4)) + ["and so on"] * rng.choice((0, 5)))
        )
    with closing(SqliteAdapter(":memory:")) as sqlite, closing(PlainAdapter()) as plain:
        fill(sqlite, texts, Random(seed))
        fill(plain, texts, Random(seed))
        for _ in range(60):
            query = " ".join(rng.sample([*rng.sample(RARE, 2), rng.choice(COMMON), "Oslo"], k=3))
            limit, actor = rng.randint(1, 9), rng.choice((None, "ana"))
            assert found(sqlite, query, limit, actor) == found(plain, query, limit, actor), query
    assert any(sooner) and not all(sooner)


def test_an_index_of_words_rebuilt_within_a_transaction_has_its_last_change() -> None:
    with closing(SqliteAdapter()) as adapter:
        fill(adapter, ["gone", "apple pie"], Random(0))
        memory = Memory(adapter, context=ExecutionContext(clock=FixedClock(NOW)), embedder="none")
        edit = {"op": "Update", "stage": "STO", "target": {"ids": ["2"]}}
        with adapter.transaction():
            memory.execute([{**edit, "args": {"set": {"text": "pear tart"}}}])
            adapter.rebuild_words()
        assert not found(adapter, "apple", 5, None)
        assert [id_ for id_, _ in found(adapter, "pear", 5, None)] == ["2"]


def test_a_missing_index_of_words_is_rebuilt_within_a_transaction_that_writes() -> None:
    with closing(SqliteAdapter()) as adapter:
        fill(adapter, ["pear tart"], Random(0))
        adapter._store.execute(f"DROP TABLE {adapter._store.words.table}")
        with adapter.transaction():
            fill(adapter, ["apple pie"], Random(0))
            adapter.rebuild_words()
        assert [id_ for id_, _ in found(adapter, "apple", 5, None)] == ["2"]


def test_an_index_of_words_is_rebuilt_as_a_whole_or_not_at_all() -> None:
    with closing(SqliteAdapter()) as adapter:
        fill(adapter, ["apple pie", "pear tart"], Random(0))
        store = adapter._store
        segments = f"SELECT * FROM {store.words.table}_data ORDER BY id"  # noqa: S608
        before = store.rows(segments)
        store.execute("UPDATE memories SET tags = 'no JSON' WHERE id = 2")
        with pytest.raises(Mended):
            adapter.rebuild_words()
        assert store.rows(segments) == before
