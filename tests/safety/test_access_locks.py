"""What a lock leaves to whom, and who may set one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.safety.secret_store import BACKENDS, PUBLIC, context_of
from tests.safety.shelves import attempted
from tests.store.programs import NOW, encode, on
from text2mem import FixedClock, Memory
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import Text2MemError
from text2mem_bench.oracle.adapter import PlainAdapter


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_may_be_appended_to_is_not_written_over(backend: str, tmp_path: Path) -> None:
    with _small(backend, tmp_path, "olga") as olga, _small(backend, tmp_path, "sten", olga) as sten:
        made = olga.execute([encode("a list", tags=["a"], facets={"k": "v"}, **PUBLIC)])
        assert made.ok
        assert olga.execute([on("Lock", ["1"], mode="append_only")]).ok
        held = olga.show("1")
        labels: list[dict[str, Any]] = [
            {"facets": {"k": "w"}}, {"facets": {"k": None}}, {"facets": {"k": "w", "n": 1}},
            {"tags": ["b"], "mode": "replace"}, {"tags": ["a"], "mode": "remove"},
        ]  # fmt: skip
        for args in labels:
            for memory in (sten, olga):
                label = on("Label", ["1"], **args)
                refused = attempted(partial(memory.execute, [label]))
                if not isinstance(refused, Text2MemError):
                    assert refused.error is not None and refused.error.code == "locked", args
                assert olga.show("1") == held
        assert sten.execute([on("Label", ["1"], tags=["b"], facets={"n": 1})]).ok
        row = olga.show("1")
        assert row is not None and (row.tags, row.facets) == (("a", "b"), {"k": "v", "n": 1})


@pytest.mark.parametrize("backend", BACKENDS)
def test_whoever_may_write_a_memory_may_not_lock_it(backend: str, tmp_path: Path) -> None:
    with _small(backend, tmp_path, "olga") as olga, _small(backend, tmp_path, "sten", olga) as sten:
        assert olga.execute([encode("a list", **PUBLIC)]).ok
        held = olga.show("1")
        policies: list[Any] = [
            {},
            {"policy": {"reviewers": ["sten"]}},
            {"policy": {"deny": ["Label"]}},
        ]
        for mode in ("read_only", "append_only"):
            for policy in policies:
                refused = sten.execute([on("Lock", ["1"], mode=mode, **policy)])
                assert refused.error is not None, (mode, policy)
                assert olga.show("1") == held
        hers = {"reviewers": ["sten"]}
        assert olga.execute([on("Lock", ["1"], mode="read_only", policy=hers)]).ok
        assert sten.execute([on("Lock", ["1"], mode="none")]).ok
        assert sten.execute([on("Lock", ["1"], mode="read_only")]).error is not None


@contextmanager
def _small(
    backend: str, folder: Path, actor: str, beside: Memory | None = None
) -> Iterator[Memory]:
    """An empty store as an actor has it, or the one of another actor."""
    context = context_of(actor, clock=FixedClock(NOW))
    adapter: Any = beside.adapter if beside is not None else None
    if adapter is None:
        adapter = PlainAdapter() if backend == "plain" else SqliteAdapter(folder / "s.db")
    with Memory(adapter, context=context, embedder="none") as memory:
        yield memory
