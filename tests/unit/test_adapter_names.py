"""What names a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from text2mem.adapters.memory import MemoryAdapter
from text2mem.adapters.registry import open_adapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import ConfigurationError


@pytest.mark.parametrize("spec", [":memory:", "sqlite::memory:"])
def test_sqlite_s_own_name_for_a_store_in_memory_is_one(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    adapter = open_adapter(spec)
    assert isinstance(adapter, SqliteAdapter)
    adapter.close()
    assert list(tmp_path.iterdir()) == []


def test_a_path_is_a_file_and_memory_the_plain_model(tmp_path: Path) -> None:
    open_adapter(tmp_path / "notes.db").close()
    assert (tmp_path / "notes.db").exists()
    assert isinstance(open_adapter("memory:"), MemoryAdapter)
    with pytest.raises(ConfigurationError, match="no adapter 'memori'"):
        open_adapter("memori:")
