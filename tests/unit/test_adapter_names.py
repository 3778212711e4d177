"""What names a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from text2mem.adapters.registry import open_adapter, shown
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.cli.options import store_path
from text2mem.errors import ConfigurationError
from text2mem_bench.oracle.adapter import PlainAdapter


@pytest.mark.parametrize("spec", ["memory:", ":memory:", "sqlite::memory:"])
def test_a_store_in_memory_is_sqlite_without_a_file(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    adapter = open_adapter(spec)
    assert isinstance(adapter, SqliteAdapter)
    adapter.close()
    assert list(tmp_path.iterdir()) == []


def test_a_path_is_a_file_and_plain_the_oracle(tmp_path: Path) -> None:
    open_adapter(tmp_path / "notes.db").close()
    assert (tmp_path / "notes.db").exists()
    assert isinstance(open_adapter("plain:"), PlainAdapter)
    with pytest.raises(ConfigurationError, match="memory:notes is no name of a store"):
        open_adapter("memory:notes")
    with pytest.raises(ConfigurationError, match="sqlite: names no file"):
        open_adapter("sqlite:")
    with pytest.raises(ConfigurationError, match="no adapter 'memori'"):
        open_adapter("memori:")


@pytest.mark.parametrize(
    ("name", "file"),
    [("notes.db", "notes.db"), ("sqlite:notes.db", "notes.db"), ("C:/notes.db", "C:/notes.db"),
     ("memory:", None), (":memory:", None), ("mem0:notes", None)],
)  # fmt: skip
def test_a_command_knows_which_names_are_files(name: str, file: str | None) -> None:
    assert store_path(name) == (file and Path(file))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("postgres:postgresql://u:sekret@h/x", "postgres:postgresql://u@h/x"),
        (
            "postgres:postgresql://h/x?password=sekret&a=1",
            "postgres:postgresql://h/x?password=…&a=1",
        ),
        ("postgres:host=h password='sek ret' port=1", "postgres:host=h password=… port=1"),
        ("postgres:host=h password = sekret", "postgres:host=h password = …"),
        (r"postgres:password=sek\ ret host=h", "postgres:password=… host=h"),
        ("postgres:password=sek&ret host=h", "postgres:password=… host=h"),
        ("postgres:postgresql://u:sek@ret@h/x", "postgres:postgresql://u@h/x"),
    ],
)
def test_the_name_of_a_store_is_shown_without_its_password(name: str, said: str) -> None:
    assert shown(name) == said
