"""Many processes on one file: nothing is lost, nobody gives up, readers keep nobody waiting."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.store.programs import LONG, NOW, done, encode, find, ids, on, opened, read
from tests.store.soundness import faults
from tests.store.working import Told
from text2mem import FixedClock, Memory
from text2mem.adapters.sql.search import Hits, _Lexical
from text2mem.errors import ConfigurationError, StoreBusy, StoreError
from text2mem.ir.ops import Content, Encode

ROOT = Path(__file__).resolve().parents[2]
SANE = 15.0
"""Seconds in which a program must be through, whatever the others do; a lock is waited for 30."""
TIMES = 60 if LONG else 20


def working(path: Path, *workers: tuple[str, str, int, str]) -> list[Told]:
    """Let processes begin at the same moment (name, way, count, tenant); what they tell."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.store.working", str(path), name, way, str(count), tenant],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )
        for name, way, count, tenant in workers
    ]  # fmt: skip
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    told = []
    for process in processes:
        said, complaint = process.communicate()
        assert process.returncode == 0, complaint
        told.append(json.loads(said))
    return told


def all_ids(told: Sequence[Told]) -> list[str]:
    return [id_ for each in told for id_ in each["created"]]


def test_eight_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    opened(path).close()
    told = working(
        path,
        *((f"single{n}", "singles", TIMES, "default") for n in range(5)),
        *((f"group{n}", "groups", 5 * TIMES, "default") for n in range(2)),
        ("eraser", "erasers", TIMES // 2, "default"),
        *((f"reader{n}", "readers", TIMES, "default") for n in range(2)),
    )
    assert max(each["slowest"] for each in told) < SANE
    created = all_ids(told)
    assert len(created) == len(set(created))
    with opened(path) as memory:
        assert memory.tick().warnings == ()
        for n in range(5):
            tag = {"filter": {"has_tags": [f"single{n}"], "limit": 1000}}
            rows = done(memory, read(tag, include=["text", "facets"])).results[0].rows
            told_of = {row["text"].partition(" 记忆")[0] for row in rows}
            assert told_of == {f"single{n} {k}" for k in range(TIMES)}
            assert all(row["facets"] for row in rows)  # no program is there by half
        for n in range(2):
            tag = {"filter": {"has_tags": [f"group{n}"], "limit": 1000}}
            assert len(ids(memory, tag)) == 5 * TIMES
        assert ids(memory, find("secret")) == []
        assert len(ids(memory, {"filter": {"attribute": "city"}})) == 1
    assert faults(path) == []


@pytest.mark.parametrize("run", range(8 if LONG else 2))
def test_eight_processes_may_make_the_same_file(run: int, tmp_path: Path) -> None:
    path = tmp_path / "fresh.db"
    # Pairs of them are of one tenant, which is new as well.
    told = working(path, *((f"n{n}", "singles", 2, f"tenant-{n // 2}") for n in range(8)))
    assert max(each["opening"] for each in told) < SANE
    for number in range(4):
        pair = all_ids(told[2 * number : 2 * number + 2])
        assert sorted(map(int, pair)) == list(range(1, len(pair) + 1))
    assert faults(path) == []


def test_several_processes_may_open_a_new_tenant(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with opened(path) as memory:
        done(memory, encode("first"))
    told = working(path, *((f"n{n}", "singles", 1, "newcomer") for n in range(6)))
    assert Counter(all_ids(told)).most_common(1)[0][1] == 1
    assert faults(path) == []


@contextmanager
def quick() -> Iterator[None]:
    """Nothing in here waits for anybody."""
    begun = time.perf_counter()
    yield
    assert time.perf_counter() - begun < 5


def test_a_reader_keeps_no_writer_waiting_and_sees_one_state(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    everything: dict[str, Any] = {"filter": {"has_tags": ["t"]}}
    with opened(path) as reader, opened(path) as writer:
        done(writer, encode("before", tags=["t"]))
        with reader.adapter.transaction(write=False):
            assert ids(reader, everything) == ["1"]
            with quick():
                done(writer, encode("meanwhile", tags=["t"]), on("Delete", ["1"]))
            assert ids(reader, everything) == ["1"]
            assert ids(reader, find("meanwhile")) == []
        assert ids(reader, everything) == ["2"]


def test_a_writer_keeps_no_reader_waiting(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with opened(path) as reader, opened(path) as writer:
        done(writer, encode("before"))
        with writer.adapter.transaction():
            done(writer, encode("meanwhile"))
            with quick():
                assert ids(reader, {"all": True}) == ["1"]
                assert ids(reader, find("before")) == ["1"]
                assert len(reader.log()) == 1
                assert reader.view().tags() == []
                assert reader.show("1") is not None
            assert ids(writer, find("meanwhile")) == ["2"]


def test_what_is_due_is_read_as_carried_out_by_whoever_reads(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with opened(path) as memory:
        done(memory, encode("short", expire_at="2026-03-02T10:00:00Z"), encode("long"))
    later = FixedClock(NOW.replace(hour=11))
    told = []
    with opened(path, clock=later) as one, opened(path, clock=later) as other:
        told = [ids(memory, {"all": True}) for memory in (one, other, one)]
        assert one.adapter.mark(one.context) == 2  # a read keeps nothing of it
        done(other, encode("new"))
        assert one.adapter.mark(one.context) == 4
    assert told == [["2"]] * 3
    assert faults(path) == []


def test_whoever_waits_too_long_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    opened(path).close()
    monkeypatch.setattr("text2mem.adapters.sqlite.database.BUSY_SECONDS", 0.05)
    with opened(path) as patient, opened(path) as other:
        with patient.adapter.transaction():
            with pytest.raises(StoreError, match="in use by another program") as refused:
                done(other, encode("late"))
            assert refused.value.hint == "try again"
            assert not isinstance(refused.value, ConfigurationError)  # it is nobody's mistake
            with pytest.raises(StoreBusy, match="locked"):
                opened(path, tenant="newcomer")
            with pytest.raises(StoreBusy, match="in use by another program"):
                other.adapter.queue.lease("worker", now=NOW, until=NOW, limit=1)
        done(other, encode("on time"))


def test_a_search_sees_one_state_of_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    with Memory(path, embedder="none") as memory, Memory(path, embedder="none") as other:
        lives = [f"person{number} lives in town" for number in range(2_200)]
        texts = (*lives, "zanzibar lives")
        memory.encode_many([Encode(content=Content("text", text)) for text in texts])
        scored = _Lexical._scored

        def written_between(self: _Lexical, hits: Hits, count: int | None) -> Any:
            rows = scored(self, hits, count)
            other.add("zanzibar lives here")  # another program, between two statements
            return rows

        monkeypatch.setattr(_Lexical, "_scored", written_between)
        found = memory.view().search("zanzibar lives", limit=1)
    assert [record.id for record in found] == ["2201"]
