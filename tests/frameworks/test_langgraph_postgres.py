"""LangGraph's store in Postgres: its own tables, its address, and a server that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.frameworks import agree, database_place, everything
from tests.frameworks.test_mirrored import delete, encode, opened
from tests.postgres import server
from text2mem import Memory
from text2mem.adapters.mirrored.langgraph_ import LangGraphAdapter
from text2mem.adapters.mirrored.place import foreign_keeper
from text2mem.errors import ConfigurationError, StoreError


def test_the_rows_are_langgraphs_own(tmp_path: Path) -> None:
    place = database_place(tmp_path / "side.db")
    adapter = LangGraphAdapter(place)
    with opened(adapter) as memory:
        memory.execute([encode("tea at five", facets={"n": 1, "f": 1.0}), encode("gone")])
        memory.execute([delete("2", soft=False)])
        keeper = adapter.keeper
        rows = server().admin.execute(
            "SELECT value FROM langgraph.store WHERE prefix = %s", [keeper.place.replace("/", ".")]
        )
        ((value,),) = rows.fetchall()
        assert value["text"] == "tea at five" and value["text2mem"]["facets"] == {"n": 1, "f": 1.0}
        assert agree(memory.adapter)
    place = place.replace(f"sidecar={tmp_path}/side.db&", "")
    found = foreign_keeper(f"langgraph:{place}", "default")
    assert found is not None
    assert [item.text for item in everything(found).values()] == ["tea at five"]
    found.close()


def test_a_text_with_a_nul_stays_in_the_store_beside(tmp_path: Path) -> None:
    adapter = LangGraphAdapter(database_place(tmp_path / "side.db"))
    with opened(adapter) as memory:
        memory.execute([encode("a\0b"), encode("fine", facets={"x": ["y\0"]}), encode("plain")])
        held = everything(adapter.keeper)
        assert [item.text for item in held.values()] == ["plain"] and agree(memory.adapter)


def test_many_of_one_instant_are_all_scanned(tmp_path: Path) -> None:
    with opened(LangGraphAdapter(database_place(tmp_path / "side.db"))) as memory:
        memory.execute([encode(f"number {number}") for number in range(120)])
        assert agree(memory.adapter)


@pytest.mark.parametrize(
    ("place", "error", "said"),
    [
        ("postgresql://me:hidden-word@127.0.0.1:1/db?sidecar=s.db", StoreError, "cannot open"),
        ("postgresql://127.0.0.1:1/db?colour=red&sidecar=s.db", ConfigurationError, "no address"),
    ],
)
def test_a_server_that_is_none_is_said_without_its_password(
    place: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said) as found:
        Memory(f"langgraph:{place}", embedder="none")
    assert "hidden-word" not in str(found.value)


def test_what_stands_beside_has_to_be_named() -> None:
    with pytest.raises(ConfigurationError, match="nothing says where the store beside") as found:
        Memory(f"langgraph:{server().plain_url('langgraph')}", embedder="none")
    assert "sidecar=" in found.value.hint
