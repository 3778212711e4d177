"""Files of schema 0001 in the present version: everything is there, and in the ledger's order."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.store.old_files import OldFile, old_content
from tests.store.programs import LONG, NOW, done, encode, fact, find, ids, on, opened
from tests.store.secret_words import bytes_of
from tests.store.soundness import faults
from text2mem import FixedClock, Memory
from text2mem.adapters.sqlite import migrations
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import StoreError

ROOT = Path(__file__).resolve().parents[2]
OPEN = """
import sys
from text2mem.adapters.sqlite.adapter import SqliteAdapter
print("ready", flush=True)
SqliteAdapter(sys.argv[1]).close()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "old.db"


def day(month: int, of: int = 1) -> str:
    return f"2026-{month:02}-{of:02}T00:00:00Z"


def migrated(path: Path, fill: Callable[[OldFile], None], **options: object) -> Memory:
    """An old file that holds what ``fill`` puts there, opened."""
    old = OldFile(path)
    fill(old)
    old.close()
    return opened(path, **options)


def test_every_memory_is_there_and_found(path: Path) -> None:
    whole = {
        "text": "The red bicycle", "payload": {"text": "The red bicycle", "mood": "好"},
        "type": "note", "tags": ["bike", "红"], "facets": {"n": 1, "b": [1, {"c": None}]},
        "time": day(1, 5), "subject": "bike", "location": "家", "topic": "t", "source": "s",
        "weight": 0.25, "archived": True, "updated_at": day(2), "expire_at": day(12),
        "expire_action": "anonymize", "lock_mode": "append_only", "lock_reason": "why",
        "lock_policy": {"allow": ["Label"]}, "lock_expires": day(11), "owner": "ann",
        "read_perm_level": "custom", "write_perm_level": "open", "read_whitelist": ["bob"],
        "read_blacklist": ["eve"], "write_whitelist": ["bob"], "write_blacklist": ["eve"],
        "lineage_parents": ["2"], "lineage_children": ["3"], "lineage_facets": {"2": {"x": 1}},
        "source_episode_id": "e1", "retention_policy": "long", "confidence": 0.5, "version": 7,
    }  # fmt: skip

    def fill(old: OldFile) -> None:
        old.memory(**whole)
        old.memory(text="自行车在车库里", tags=["bike"])
        old.memory(text="A deleted bicycle", tags=["bike"], deleted=True)
        old.memory("other", text="Another bicycle", tags=["bike"])
        for number in range(2100):  # more than one block of the word index
            old.memory(text=f"filler {number}")

    with migrated(path, fill) as memory:
        record = memory.show("1")
        assert record is not None
        held = memory.adapter._store.connection.execute(  # type: ignore[attr-defined]
            "SELECT * FROM memories WHERE id = 1 AND tenant = 1"
        ).fetchone()
        assert {name: getattr(record, name) for name in ("tags", "weight", "version")} == {
            "tags": ("bike", "红"), "weight": 0.25, "version": 7,
        }  # fmt: skip
        for name, value in whole.items():
            told = getattr(record, name)
            told = list(told) if isinstance(told, tuple) else told
            told = told.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(told, datetime) else told
            assert told == value, name
        assert (held["pk"], held["schema_version"], held["pending"]) == ((1 << 40) + 1, 1, 0)
        assert ids(memory, find("bicycle")) == []
        assert ids(memory, find("bicycle"), include_archived=True) == ["1"]
        assert ids(memory, find("bicycle"), include_archived=True, include_deleted=True) == [
            "3", "1",
        ]  # fmt: skip
        assert ids(memory, find("车库")) == ["2"]
        assert ids(memory, find("filler 2099"))[:1] == ["2103"]
        assert ids(memory, {"filter": {"has_tags": ["bike"]}}) == ["2"]
        assert ids(memory, {"filter": {"has_tags": ["红"], "include": ["archived"]}}) == ["1"]
        assert done(memory, encode("new")).results[0].created == ("2104",)
    with opened(path, tenant="other") as memory:
        assert ids(memory, {"all": True}) == ["1"]
        assert ids(memory, find("bicycle")) == ["1"]
        assert done(memory, encode("new")).results[0].created == ("2",)
    assert faults(path, journal=False) == []


def test_versions_of_a_fact_come_into_order(path: Path) -> None:
    def fill(old: OldFile) -> None:
        old.fact("Ann", "city", "Oslo", valid_from=day(1))  # 1: current, and so is the next
        old.fact("Ann", "city", "Bern", valid_from=day(2))  # 2
        old.fact("Ann", "city", "Rome", valid_from=day(1, 15), valid_to=day(3))  # 3: overlaps 2
        old.fact("Ann", "city", "Lima", valid_from=day(2))  # 4: begins with 2, recorded later
        old.fact("Ann", "city", "Gone", valid_from=day(1, 20), deleted=True)  # 5
        old.fact("Bob", "City", "Kyiv", valid_from=day(1))  # 6: the registry writes it "city"
        old.fact("Ann", "city", "Past", valid_from=day(1), valid_to=day(1))  # 7: never held
        old.fact("Ann", "likes", "tea", valid_from=day(1))  # 8: holds many values
        old.fact("Ann", "likes", "milk", valid_from=day(1))  # 9
        old.fact("Ann", "likes", " tea", valid_from=day(2))  # 10: the same value
        old.fact("Ann", "shoe size", 39, valid_from=day(1))  # 11: in no registry
        old.fact("Ann", "shoe size", None, valid_from=day(2), valid_to=day(5))  # 12

    with migrated(path, fill) as memory:
        ends = {str(n): memory.show(str(n)) for n in range(1, 13)}
        assert {
            id_: row.valid_to and row.valid_to.strftime("%m-%d") for id_, row in ends.items() if row
        } == {
            "1": "01-01", "2": "02-01", "3": "02-01", "4": None, "5": None, "6": None,
            "7": "01-01", "8": "02-01", "9": None, "10": None, "11": "02-01", "12": "05-01",
        }  # fmt: skip
        city = {"filter": {"attribute": "city", "subject": "Ann"}}
        assert ids(memory, city) == ["4"]
        assert ids(memory, city, as_of=day(1, 20)) == ["3"]
        assert ids(memory, city, as_of=day(1, 2)) == []  # the deleted one counts for nothing
        assert ids(memory, {"filter": {"attribute": "CITY", "subject": "Bob"}}) == ["6"]
        assert ids(memory, {"filter": {"attribute": "likes"}}) == ["10", "9"]
        assert ids(memory, {"filter": {"attribute": "shoe size"}}) == ["12"]
        # The ledger goes on from there.
        again = done(memory, fact("Bob", "city", "Kyiv"))
        assert again.results[0].affected == ("6",) and not again.results[0].created
        likes = done(memory, fact("Ann", "likes", "milk"), fact("Ann", "likes", "rum"))
        assert [step.created for step in likes.results] == [(), ("13",)]
        moved = done(memory, fact("Ann", "city", "Paris", valid_from=day(2, 20)))
        assert moved.results[0].created == ("14",)
        assert ids(memory, city) == ["14"]
        refused = memory.execute([on("Update", ["4"], set={"valid_to": day(12)})])
        assert refused.error is not None and refused.error.code == "fact-overlap"
        assert ids(memory, city, include_deleted=True, as_of=day(1, 25)) == ["5", "3"]
    assert faults(path, journal=False) == []


def test_at_no_instant_do_two_values_of_a_fact_hold(path: Path) -> None:
    chance = random.Random(7)
    starts = [day(month, of) for month in range(1, 7) for of in (1, 9, 17)]

    def fill(old: OldFile) -> None:
        for _ in range(150):
            begin, *end = sorted(chance.choices(starts, k=chance.choice((1, 2))))
            old.fact(
                chance.choice("AB"), chance.choice(("city", "City", "likes", "password")),
                chance.choice(("x", "y", "z")), valid_from=begin,
                valid_to=end[0] if end else None, deleted=chance.random() < 0.2,
            )  # fmt: skip

    with migrated(path, fill) as memory:
        rows = [row for n in range(1, 151) if (row := memory.show(str(n))) and not row.deleted]
        assert {row.attribute for row in rows} == {"city", "likes", "password"}
        for instant in (datetime(2026, 1, 1, 12, tzinfo=UTC) + timedelta(n) for n in range(200)):
            holding = [
                (row.subject, row.attribute, row.value if row.attribute == "likes" else "")
                for row in rows
                if row.valid_from and row.valid_from <= instant
                and (row.valid_to is None or instant < row.valid_to)
            ]  # fmt: skip
            assert len(holding) == len(set(holding))
    assert faults(path, journal=False) == []


def test_what_the_journal_held_can_be_undone(path: Path) -> None:
    def fill(old: OldFile) -> None:
        for text in ("one", "two", "three", "four"):
            old.memory(text=text, tags=["t"])
        old.change("labelled", "Label", "1", tags=["t", "u"])
        old.change("edited", "Update", "2", text="deux", payload={"text": "deux"}, topic="fr")
        old.change("deleted", "Delete", "3", deleted=True)
        old.erase("erased", "4")
        old.fact("Ann", "City", "Oslo", trace="fact")
        old.memory(text="five")
        old.change("raised", "Promote", "6", weight=0.9)

    with migrated(path, fill) as memory:
        assert [logged.trace_id for logged in memory.log(limit=3)] == [
            "raised", "made-default-6", "fact",
        ]  # fmt: skip
        assert [entry.trail.op for entry in memory.history("1")] == ["Encode", "Label"]
        for trace in ("labelled", "edited", "deleted", "fact", "raised"):
            assert memory.undo(trace).ok, trace
        assert ids(memory, {"filter": {"has_tags": ["u"]}}) == []
        assert ids(memory, find("two")) == ["2"]
        assert ids(memory, find("three")) == ["3"]
        rows = {id_: memory.show(id_) for id_ in "1256"}
        assert rows["5"] is None
        assert rows["1"] and rows["6"] and (rows["6"].weight, rows["1"].tags) == (0.5, ("t",))
        assert rows["2"] and (rows["2"].topic, rows["2"].payload) == (None, {"text": "two"})
        undone = memory.undo("erased")
        assert undone.error is not None and undone.error.code == "undo-erased"
        redone = memory.log(limit=2)[1]  # the undoing of "fact"
        assert memory.undo(redone.trace_id).ok
        assert ids(memory, {"filter": {"attribute": "city"}}) == ["5"]
    assert faults(path, journal=False) == []


def test_reminders_and_expiries_go_on(path: Path) -> None:
    due, later = NOW - timedelta(hours=1), NOW + timedelta(days=1)

    def fill(old: OldFile) -> None:
        old.memory(
            text="water the plants", remind_rrule="FREQ=DAILY;BYHOUR=8;BYMINUTE=0",
            remind_next=due.strftime("%Y-%m-%dT%H:%M:%SZ"), updated_at=day(2),
        )  # fmt: skip
        old.memory(text="over", expire_at=day(2), expire_action="hard_delete")
        old.memory(text="stays", expire_at=later.strftime("%Y-%m-%dT%H:%M:%SZ"))

    with migrated(path, fill) as memory:
        ticked = memory.tick()
        assert ticked.expired == ("2",)
        (fired,) = ticked.fired
        assert (fired.memory["id"], fired.due) == ("1", due)
        assert fired.following == datetime(2026, 3, 3, 8, tzinfo=UTC)
        assert memory.tick().fired == ()
    with opened(path, clock=FixedClock(later)) as memory:
        assert memory.tick().expired == ("3",)


def test_a_file_that_knows_no_demotions_for_a_while_takes_them(path: Path) -> None:
    with opened(path) as memory:
        done(memory, encode("the loft is damp"))
    with sqlite3.connect(path) as file:  # as a file of schema 0003 is
        file.execute("DROP INDEX memories_by_demotion")
        file.execute("ALTER TABLE memories DROP COLUMN demoted_until")
        file.execute("ALTER TABLE memories DROP COLUMN demoted_from")
        file.execute("DELETE FROM migrations WHERE name = '0004_demotions.sql'")
    file.close()
    snooze = {"archive": True, "until": "2026-12-01T00:00:00Z"}
    with opened(path) as memory:
        done(memory, on("Demote", "1", **snooze))
        assert ids(memory, find("loft")) == []
    with opened(path, clock=FixedClock(datetime(2026, 12, 1, tzinfo=UTC))) as memory:
        assert ids(memory, find("loft")) == ["1"]
        assert memory.tick().resumed == ("1",)
    assert faults(path) == []


def test_two_spellings_of_a_subject_come_onto_one_line(path: Path) -> None:
    def fill(old: OldFile) -> None:
        old.fact("Ann", "city", "Oslo", valid_from=day(1), tags=["kept"])  # 1: current
        old.fact("ann", "city", "Bern", valid_from=day(1, 15), valid_to=day(4))  # 2: overlaps 1, 3
        old.fact("ANN", "city", "Rome", valid_from=day(2))  # 3: current, too
        old.fact("Bo", "city", "Oslo", valid_from=day(1))  # 4: somebody else
        old.fact("ann", "likes", "tea", valid_from=day(1))  # 5
        old.fact("Ann", "likes", "milk", valid_from=day(1))  # 6: another value beside it
        old.fact("Ann", "city", "Gone", valid_from=day(1, 20), deleted=True)  # 7
        old.memory(text="a note", subject="ann")  # 8

    with migrated(path, fill) as memory:
        rows = {n: memory.show(str(n)) for n in range(1, 8)}
        assert {n: row.valid_to and f"{row.valid_to:%m-%d}" for n, row in rows.items() if row} == {
            1: "01-15", 2: "02-01", 3: None, 4: None, 5: None, 6: None, 7: None,
        }  # fmt: skip
        city = {"filter": {"attribute": "city", "subject": "aNN"}}
        assert ids(memory, city) == ["3"]
        assert ids(memory, city, as_of=day(1, 20)) == ["2"]
        assert ids(memory, {"filter": {"subject": "ANN"}}) == ["8", "6", "5", "3"]
        assert ids(memory, {"filter": {"has_tags": ["kept"]}}) == []
        moved = done(memory, fact("ann", "city", "Kyiv", valid_from=day(2, 20)))
        assert ids(memory, city) == list(moved.results[0].created)
    assert faults(path, journal=False) == []


def test_nothing_comes_along_of_what_was_erased_before(path: Path) -> None:
    chance = random.Random(1)

    def fill(old: OldFile) -> None:
        for number in range(400):
            secret = number % 20 == 7
            old.memory(
                text=f"{'qsecretword' if secret else 'harmless'} {chance.random()} " * 4,
                tags=["qsecrettag" if secret else "tag"],
            )
        for number in range(8, 401, 20):
            old.erase(f"erase-{number}", str(number))

    old = OldFile(path)
    fill(old)
    old.close()
    # The terms of an index were not cleaned then.
    assert any(b"secret" in data for data in bytes_of(path).values())
    opened(path).close()
    assert not any(b"secret" in data for data in bytes_of(path).values())
    assert faults(path, journal=False) == []


def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    for name, make in (
        ("old.db", lambda path: OldFile(path).close()),
        ("new.db", lambda path: opened(path).close()),
    ):
        path = tmp_path / name
        make(path)
        connection = sqlite3.connect(path)
        connection.execute("INSERT INTO migrations VALUES ('0999_future.sql', 'later'), (NULL, '')")
        connection.commit()
        before = list(connection.iterdump()) if name == "new.db" else old_content(path)
        with pytest.raises(StoreError, match=r"newer version.*0999_future\.sql") as refused:
            SqliteAdapter(path)
        assert "upgrade" in refused.value.hint
        after = list(connection.iterdump()) if name == "new.db" else old_content(path)
        assert before == after
        connection.close()


def test_a_migration_that_fails_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = OldFile(path)
    old.memory(text="precious")
    old.close()
    before = old_content(path)

    def failing(connection: sqlite3.Connection) -> None:
        migrations._ledger(connection)
        raise RuntimeError("the power is off")

    with monkeypatch.context() as patch:
        patch.setattr(migrations, "_AFTER", {"0002_ledger.sql": failing})
        with pytest.raises(RuntimeError):
            SqliteAdapter(path)
    assert before and old_content(path) == before
    with opened(path) as memory:
        assert ids(memory, find("precious")) == ["1"]


def test_a_migration_that_is_killed_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    source = tmp_path / "source.db"
    old = OldFile(source)
    for number in range(600):
        id_ = old.memory(text=f"memory number {number} 记忆", tags=[f"t{number % 7}"])
        old.change(f"weight-{number}", "Promote", id_, weight=0.75)
    old.fact("Ann", "city", "Oslo")
    old.close()
    before = old_content(source)
    process = _opening(source, tmp_path / "whole.db")
    began = time.perf_counter()
    process.wait()
    whole = time.perf_counter() - began
    chance = random.Random(3)
    states = []
    for run in range(24 if LONG else 6):
        path = tmp_path / f"{run}.db"
        process = _opening(source, path)
        time.sleep(whole * chance.uniform(0, 0.9))
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = old_content(path)
        states.append(bool(left))
        assert left in ({}, before)
        with opened(path) as memory:
            assert ids(memory, find("number 599"))[:1] == ["600"]
            assert memory.undo("weight-599").ok
        assert faults(path, journal=False) == []
    assert True in states


def test_several_processes_may_find_the_same_old_file(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    old = OldFile(path)
    for number in range(300):
        old.memory(text=f"memory {number}")
    old.close()
    processes = [_opening(None, path) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    assert faults(path, journal=False) == []
    with opened(path) as memory:
        assert ids(memory, find("299")) == ["300"]


def _opening(source: Path | None, path: Path) -> subprocess.Popen[str]:
    """A process that is about to open a file, or its copy of one."""
    if source is not None:
        path.write_bytes(source.read_bytes())
    process = subprocess.Popen(
        [sys.executable, "-c", OPEN, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.stdout.close()
    return process
