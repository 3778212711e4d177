"""A store that another program holds is no wrong usage: whoever scripts it tries again."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from text2mem import Memory
from text2mem.adapters.sqlite import database
from text2mem.cli.main import main


@pytest.fixture
def busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store that somebody else is writing to."""
    path = tmp_path / "busy.db"
    told = {
        "role": "tool",
        "name": "crm",
        "structured": {"subject": "ana", "attribute": "phone", "value": "+47 555 01 23"},
    }
    with Memory(path, embedder="none", reader="none", policy={"confirm": ["phone"]}) as memory:
        assert memory.observe(told, extract=True)[0].outcomes[0].ids == ("2",)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    monkeypatch.setenv("TEXT2MEM_EMBEDDER", "none")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield path


@pytest.mark.parametrize("options", [[], ["--tenant", "newcomer"]])
def test_a_store_in_use_ends_in_3(
    busy: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["undo", "--db", str(busy), *options, "x"])
    assert ended.value.code == 3
    assert "another program" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [["observe", "--model", "none", "I live in Oslo"], ["pending", "--approve", "2"],
     ["forget", "--yes", "--episode", "1"], ["tick"], ["exec"], ["queue", "--retry", "all"]],
    ids=lambda command: command[0],
)  # fmt: skip
def test_every_command_that_writes_says_that_the_store_is_in_use(
    busy: Path, command: list[str], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    note = b'{"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "Gate 4"}}}'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(note)))
    with pytest.raises(SystemExit) as ended:
        main([*command, "--db", str(busy)])
    assert ended.value.code == 3
    assert "another program" in capsys.readouterr().err


def test_a_server_that_is_down_ends_in_3(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["undo", "--db", "postgres:postgresql://bo@127.0.0.1:1/none", "x"])
    assert ended.value.code == 3
    assert "cannot open postgres:127.0.0.1/none" in capsys.readouterr().err
