"""MemOS as a backend: its own items, its process, and what it is never asked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.frameworks import agree, everything
from tests.frameworks.test_mirrored import encode, opened
from text2mem import Memory
from text2mem.adapters.mirrored.memos_ import MemosAdapter, MemosKeeper, opened_memory
from text2mem.adapters.mirrored.mirrored import Mirrored
from text2mem.adapters.mirrored.place import foreign_keeper
from text2mem.adapters.mirrored.vectors import Vectors
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import ConfigurationError, MissingExtra
from text2mem.ir.context import ExecutionContext
from text2mem.mirroring import sync

needs_memos = pytest.mark.skipif(
    find_spec("memos") is None, reason="MemOS has an environment of its own: make memos-check"
)


@pytest.fixture
def held() -> Iterator[tuple[Any, Memory]]:
    """A MemOS in this process, and a store on it."""
    vectors = Vectors()
    memory, _ = opened_memory(":memory:", "held", vectors)
    keeper = MemosKeeper(memory, vectors, memory.vector_db.client.close)
    with opened(Mirrored(SqliteAdapter(), keeper)) as store:
        yield memory, store


@needs_memos
def test_what_is_held_are_items_of_memos_own(tmp_path: Path) -> None:
    with Memory(f"memos:{tmp_path}/agent", embedder="none") as memory:
        memory.execute([encode("tea at five", tags=["drinks"], facets={"cups": 3})])
        adapter = memory.adapter
        assert isinstance(adapter, Mirrored)
        (found,) = adapter.keeper._memory.get_all()  # type: ignore[attr-defined]
        assert (found.memory, found.metadata.tags) == ("tea at five", ["drinks"])
        assert found.metadata.text2mem["facets"] == {"cups": 3}
        (same,) = adapter.keeper._memory.search("tea", 3)  # type: ignore[attr-defined]
        assert same == found
    assert (tmp_path / "agent.text2mem.db").exists()


@needs_memos
def test_what_others_add_comes_in_by_a_sync(held: tuple[Any, Memory]) -> None:
    memos, store = held
    item = {
        "id": "5f0c8d1e-7c1e-4b57-9d6b-3f6e2f7a9b10", "memory": "Mira drinks tea",
        "metadata": {"tags": ["drinks"], "key": "tea", "user_id": "mira", "confidence": 90.0},
    }  # fmt: skip
    memos.add([item])
    found = sync(store.adapter, ExecutionContext())
    record = store.show(found.new[0])
    assert record is not None
    assert (record.text, record.tags, record.source) == ("Mira drinks tea", ("drinks",), "memos")
    assert record.facets == {"key": "tea", "confidence": 90.0}
    again = memos.get(item["id"])
    assert (again.metadata.user_id, again.metadata.key, again.metadata.tags) == (
        "mira", "tea", ["drinks"],
    )  # fmt: skip
    assert again.metadata.text2mem["id"] == record.id
    third = sync(store.adapter, ExecutionContext())
    assert (third.new, third.changed, third.gone) == ((), (), ()) and agree(store.adapter)

    memos.update(item["id"], {**again.model_dump(), "memory": "Mira drinks coffee"})
    changed = sync(store.adapter, ExecutionContext())
    assert changed.changed == found.new
    assert store.show(found.new[0]).text == "Mira drinks coffee"  # type: ignore[union-attr]
    memos.delete([item["id"]])
    gone = sync(store.adapter, ExecutionContext(confirmed=True))
    assert gone.gone == found.new
    assert store.undo(gone.trace_id).ok
    assert [each.memory for each in memos.get_all()] == ["Mira drinks coffee"]


@needs_memos
def test_tags_that_others_give_stay_beside_ours(held: tuple[Any, Memory]) -> None:
    memos, store = held
    store.execute([encode("tea at five", tags=["drinks"])])
    (item,) = memos.get_all()
    memos.update(item.id, {**item.model_dump(), "metadata": {
        **item.metadata.model_dump(), "tags": ["drinks", "evening"]}})  # fmt: skip
    label = {"stage": "STO", "op": "Label", "target": {"ids": ["1"]}, "args": {"tags": ["hot"]}}
    assert store.execute([label]).ok
    (item,) = memos.get_all()
    assert sorted(item.metadata.tags) == sorted([*store.show("1").tags, "evening"])  # type: ignore[union-attr]


@needs_memos
def test_a_folder_of_others_is_imported_as_it_is(tmp_path: Path) -> None:
    adapter = MemosAdapter(f"{tmp_path}/q?sidecar={tmp_path}/side.db&namespace=theirs")
    with opened(adapter) as memory:
        memory.execute([encode("one")])
    found = foreign_keeper(f"memos:{tmp_path}/q?namespace=theirs", "default")
    assert found is not None and [each.text for each in everything(found).values()] == ["one"]
    found.close()


@needs_memos
def test_vectors_of_another_length_are_said(tmp_path: Path) -> None:
    class Short(Vectors):
        @property
        def dimension(self) -> int:
            return 8

    memory, _ = opened_memory(":memory:", "theirs", Short())
    keeper = MemosKeeper(memory, Vectors(), memory.vector_db.client.close)
    with opened(Mirrored(SqliteAdapter(), keeper)) as store:
        result = store.execute([encode("one")])
        assert result.ok
        assert "of the collection 'theirs' are not of the 256" in result.results[-1].warnings[-1]


@needs_memos
def test_no_model_is_asked(held: tuple[Any, Memory]) -> None:
    memos, _ = held
    with pytest.raises(ConfigurationError, match="MemOS has no language model here"):
        memos.extract([{"role": "user", "content": "I drink tea"}])


@needs_memos
def test_a_process_keeps_its_log_and_its_environment(tmp_path: Path) -> None:
    program = """
import logging, os, sys
handler = logging.NullHandler()
logging.root.addHandler(handler)
before = set(os.environ)
from text2mem.adapters.mirrored.memos_ import MemosAdapter
MemosAdapter().close()
assert "memos" in sys.modules
assert logging.root.handlers == [handler] and logging.root.level == logging.WARNING
assert {name for name in set(os.environ) - before if not name.startswith("KMP_")} == set()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_a_namespace_is_one_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="'users/default' is no name of a collection"):
        Memory(f"memos:{tmp_path}/q?namespace=users/{{tenant}}", embedder="none")


def test_without_its_package_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "memos.configs.memory", None)
    with pytest.raises(MissingExtra, match="MemOS needs the optional dependency group 'memos'"):
        Memory(f"memos:{tmp_path}/q", embedder="none")
