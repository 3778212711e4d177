"""An erasure that cannot be finished at once, and what is not erased at all."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.programs import context, done, encode, erase, on, opened, pending
from tests.store.secret_words import Secrets
from text2mem import Memory
from text2mem.adapters.sqlite import erasure


def test_a_reader_of_an_older_state_leaves_the_erasure_to_a_tick(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = Secrets(12)
    done(memory, encode(secrets.both("text")), encode("kept"))
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM memories").fetchone() == (2,)
        begun = time.perf_counter()
        assert pending(erase(memory, "1"))
        assert time.perf_counter() - begun < 10  # and not as long as a lock is waited for
        monkeypatch.setattr(erasure, "READERS_SECONDS", 0.05)
        assert secrets.left(path)
        size = sum(file.stat().st_size for file in path.parent.iterdir())
        for _ in range(3):
            assert pending(memory.tick().warnings)
        assert sum(file.stat().st_size for file in path.parent.iterdir()) == size
        assert reader.execute("SELECT count(*) FROM memories").fetchone() == (2,)
        reader.execute("COMMIT")
    assert memory.tick().warnings == ()
    assert secrets.left(path) == []
    assert memory.tick().warnings == ()


def test_a_writer_that_stays_leaves_the_erasure_to_a_tick(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = Secrets(13)
    done(memory, encode(secrets.both("text")), encode("kept"))
    with opened(path) as other:
        held = other.adapter.transaction()
        begin = erasure.finish

        def finish(*args: object, **options: object) -> bool:
            held.__enter__()  # the program is kept, and now somebody else writes
            return begin(*args, **options)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(erasure, "finish", finish)
            memory.adapter._store.connection.execute("PRAGMA busy_timeout = 100")  # type: ignore[attr-defined]
            assert pending(erase(memory, "1"))
        held.__exit__(None, None, None)
    assert memory.tick().warnings == ()
    assert secrets.left(path) == []


def test_a_large_file_is_rewritten_by_a_tick(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = Secrets(14)
    done(memory, encode(secrets.both("text")), encode("kept"))
    monkeypatch.setattr(erasure, "AT_ONCE", 4096)
    assert pending(erase(memory, "1"))
    assert memory.tick().warnings == ()
    assert secrets.left(path) == []
    assert memory.adapter._store.connection.execute("PRAGMA temp_store").fetchone()[0] == 2  # type: ignore[attr-defined]


def test_an_erasure_while_another_is_finished_is_not_forgotten(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = Secrets(15)
    done(memory, encode("first"), encode(secrets.both("second")), encode("kept"))
    rewrite = erasure._rewrite
    with opened(path) as other:
        monkeypatch.setattr(other.adapter, "finish_erasures", lambda **_: False)

        def late(connection: sqlite3.Connection) -> None:
            rewrite(connection)
            monkeypatch.setattr(erasure, "_rewrite", rewrite)
            assert pending(erase(other, "2"))

        monkeypatch.setattr(erasure, "_rewrite", late)
        erase(memory, "1")
    assert memory.adapter._store.erasing  # type: ignore[attr-defined]
    assert memory.tick().warnings == ()
    assert secrets.left(path) == []


def test_a_soft_delete_and_an_undone_encode_erase_nothing(memory: Memory, path: Path) -> None:
    """What may come back is kept: only a hard delete and anonymising are for good."""
    secrets = Secrets(16)
    encoded = done(memory, encode(secrets.latin("undone"))).trace_id
    done(memory, encode(secrets.latin("soft")))
    done(memory, on("Delete", ["2"]))
    assert memory.undo(encoded).ok
    assert memory.tick().warnings == ()
    assert {where.partition(" in ")[0] for where in secrets.left(path)} == {"undone", "soft"}


def test_a_dry_run_erases_nothing(memory: Memory, path: Path) -> None:
    secrets = Secrets(17)
    done(memory, encode(secrets.latin("text")))
    previewed = memory.preview(on("Delete", ["1"], soft=False))
    assert previewed.results[0].warnings == ("a hard delete cannot be undone",)
    assert not memory.adapter._store.erasing  # type: ignore[attr-defined]
    assert secrets.left(path)
    assert memory.context == context()
