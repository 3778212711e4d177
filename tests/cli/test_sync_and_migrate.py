"""``text2mem sync`` and ``text2mem migrate`` on stores of LangGraph."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from langgraph.store.sqlite import SqliteStore

from text2mem.cli.main import cli

SPACE = ("users", "mira")
PROGRAM = json.dumps([{"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "ours"}}}])


@pytest.fixture(autouse=True)
def no_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXT2MEM_EMBEDDER", "none")


def told(*arguments: str, given: str | None = None) -> Any:
    done = CliRunner().invoke(cli, arguments, input=given, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def failed(*arguments: str) -> Result:
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code != 0
    return done


def put(path: Path, key: str, value: dict[str, Any]) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    store = SqliteStore(connection)
    store.setup()
    store.put(SPACE, key, value)
    connection.close()


def test_a_sync_is_shown_run_and_undone(tmp_path: Path) -> None:
    store = f"langgraph:{tmp_path}/s.db?namespace=users/{{tenant}}"
    where = ("--db", store, "--tenant", "mira", "--json")
    told("exec", *where, "-", given=PROGRAM)
    put(tmp_path / "s.db", "tea", {"text": "tea at five"})
    assert told("sync", *where, "--dry-run")["new"] == ["2"]
    found = told("sync", *where)
    assert (found["new"], found["changed"], found["gone"]) == (["2"], [], [])
    assert told("sync", *where)["new"] == []
    told("undo", found["trace_id"], *where)
    told("exec", "--db", f"{tmp_path}/plain.db", "--json", "-", given=PROGRAM)
    assert "mirrors no framework" in str(failed("sync", "--db", f"{tmp_path}/plain.db").exception)


def test_a_store_moves_there_and_a_foreign_one_comes_in(tmp_path: Path) -> None:
    told("exec", "--db", f"{tmp_path}/a.db", "--json", "-", given=PROGRAM)
    moved = told("migrate", f"{tmp_path}/a.db", f"langgraph:{tmp_path}/b.db", "--json")
    assert moved["same"] and (moved["memories"], moved["entries"]) == (1, 1)
    put(tmp_path / "theirs.db", "tea", {"text": "tea at five"})
    foreign = f"langgraph:{tmp_path}/theirs.db?namespace=users/{{tenant}}"
    came = told("migrate", foreign, f"{tmp_path}/c.db", "--tenant", "mira", "--json")
    assert came == {"imported": 1, "from": "langgraph"}
    assert not (tmp_path / "theirs.db.text2mem.db").exists()
    missing = failed("migrate", f"langgraph:{tmp_path}/none.db", f"{tmp_path}/d.db")
    assert "there is no store" in str(missing.exception)
    for nowhere in ("memory:", f"sqlite:{tmp_path}/../{tmp_path.name}/a.db"):
        kept = failed("migrate", f"{tmp_path}/a.db", nowhere)
        assert "nothing would be kept" in str(kept.exception)
