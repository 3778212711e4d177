"""A store that another program holds is no wrong usage: whoever scripts it tries again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from text2mem import Memory
from text2mem.adapters.sqlite import database
from text2mem.cli.main import main


def test_a_store_in_use_ends_in_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "busy.db"
    Memory(path, embedder="none").close()
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    monkeypatch.setenv("TEXT2MEM_EMBEDDER", "none")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(SystemExit) as ended:
            main(["undo", "--db", str(path), "x"])
    assert ended.value.code == 3
    assert "in use by another program" in capsys.readouterr().err
