"""Eight writers, two readers, one that ticks and one that reads the queue, on one file at once.

The short run is of threads, each with a store of its own; the long one is of processes. Whatever
was acknowledged is there at the end, and the file is sound.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.store.programs import LONG, NOW, Step, encode, fact, find, on, opened, read
from tests.store.soundness import faults
from text2mem import FixedClock, Memory
from text2mem.ir.result import ProgramResult
from text2mem.ir.times.temporal import format_instant

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60.0 if LONG else 4.0
SANE = 15.0
"""Seconds in which one action is through, whatever the others do; a lock is waited for 30."""
PACE = 300
"""How many seconds the clock of the stores moves on in one of ours."""
ROLES = (
    *(f"writer{n}" for n in range(8)), "reader0", "reader1", "ticker", "worker",
)  # fmt: skip

Told = dict[str, Any]
"""What one did: acknowledged writes by their kind, and ``slowest`` in seconds."""


@dataclass(frozen=True)
class Moving:
    """A clock that runs ahead: the same for all who know when it was started."""

    started: float

    def now(self) -> datetime:
        return NOW + timedelta(seconds=PACE * (time.time() - self.started))


class Writer:
    """One who writes in every way, and remembers what was acknowledged."""

    def __init__(self, memory: Memory, name: str) -> None:
        self.memory, self.name = memory, name
        self.chance = random.Random(name)
        self.number = 0
        self.told: Told = {
            "notes": {}, "pairs": [], "gone": [], "hidden": [], "ending": [], "episodes": {},
            "facts": 0, "demoted": [],
        }  # fmt: skip

    def act(self) -> None:
        """One of the ways, by chance."""
        self.number += 1
        ways: list[Callable[[], None]] = [
            self.note, self.note, self.pair, self.label, self.group, self.observe, self.state,
            self.end, self.demote, self.hide, self.merge, self.take_back,
        ]  # fmt: skip
        self.chance.choice([*ways, self.erase] if self.number % 4 == 0 else ways)()

    def done(self, *steps: Step) -> tuple[list[str], str]:
        """Run a program that must be taken; the ids that it made, and its trace."""
        result = self.memory.execute(list(steps))
        assert result.ok, result.error
        return [id_ for step in result.results for id_ in step.created], result.trace_id

    def text(self) -> str:
        return f"{self.name} {self.number} 记忆 harbour"

    def note(self) -> None:
        [id_], _ = self.done(encode(self.text(), tags=[self.name]))
        self.told["notes"][id_] = [self.text(), None]

    def pair(self) -> None:
        """Two memories in one program: a reader sees both of them, or none."""
        ids, _ = self.done(
            encode(self.text(), tags=["pair"]), encode(self.text(), tags=["pair"]),
            on("Promote", ["$1"], weight=0.9),
        )  # fmt: skip
        self.told["pairs"] += ids

    def label(self) -> None:
        if self.told["notes"]:
            id_ = self.chance.choice(list(self.told["notes"]))
            self.done(on("Label", [id_], facets={"n": self.number}))
            self.told["notes"][id_][1] = self.number

    def group(self) -> None:
        programs = [[encode(f"{self.text()} {k}", tags=[self.name])] for k in range(5)]
        for k, result in enumerate(self.memory.execute_many(programs)):
            assert result.ok, result.error
            self.told["notes"][result.results[0].created[0]] = [f"{self.text()} {k}", None]

    def observe(self) -> None:
        ticket = f"t-{self.name}-{self.number}"
        event = {"role": "event", "structured": {"ticket": ticket, "status": f"s{self.number}"}}
        [seen] = self.memory.observe(event, session=self.name, extract=False)
        assert seen.queued
        self.told["episodes"][seen.episode] = [ticket, f"s{self.number}"]

    def state(self) -> None:
        """A new value of a fact that is this writer's alone, and one that all write."""
        at = format_instant(NOW - timedelta(days=999) + timedelta(hours=self.number))
        self.done(fact(self.name, "city", f"c{self.number}", valid_from=at))
        self.told["facts"] += 1
        self.told["city"] = f"c{self.number}"

    def end(self) -> None:
        until = format_instant(self.memory.context.clock.now() + timedelta(minutes=5))
        [id_], _ = self.done(encode(self.text(), expire_at=until))
        self.told["ending"].append(id_)

    def demote(self) -> None:
        until = format_instant(self.memory.context.clock.now() + timedelta(minutes=5))
        [id_], _ = self.done(
            encode(self.text()), on("Demote", ["$1"], archive=True, until=until)
        )  # fmt: skip
        self.told["demoted"].append(id_)

    def hide(self) -> None:
        [id_], _ = self.done(encode(self.text()))
        self.done(on("Delete", [id_]))
        self.told["hidden"].append(id_)

    def merge(self) -> None:
        ids, _ = self.done(
            encode(self.text(), tags=[self.name]), encode("more"),
            on("Merge", ["$1", "$2"], strategy="merge_into_primary", primary_id="$1"),
        )  # fmt: skip
        self.told["notes"][ids[0]] = [f"{self.text()}\n\nmore", None]
        self.told["hidden"].append(ids[1])

    def take_back(self) -> None:
        [id_], trace = self.done(encode(self.text()))
        undone = self.memory.undo(trace)
        assert undone.ok, undone.error
        self.told["gone"].append(id_)

    def erase(self) -> None:
        [id_], _ = self.done(encode(f"{self.name} secret{self.number}"))
        self.done(on("Delete", [id_], soft=False))
        self.told["gone"].append(id_)


class Reader:
    """One who looks at everything, and sees nothing by half."""

    def __init__(self, memory: Memory, name: str) -> None:
        self.memory, self.told = memory, {"looks": 0}

    def act(self) -> None:
        memory = self.memory
        result = memory.execute(
            [
                read(find("harbour", limit=20)),
                read({"filter": {"has_tags": ["pair"], "limit": 100_000}}, include=["weight"]),
            ]
        )
        assert result.ok, result.error
        assert self.summed().ok
        weights = [row["weight"] for row in result.results[1].rows]
        assert weights.count(0.9) * 2 == len(weights)
        for logged in memory.log(limit=3):
            assert logged.ops
        for row in result.results[0].rows[:3]:
            seen = memory.show(row["id"])
            assert seen is None or memory.history(seen.id) or memory.show(seen.id) is None
        memory.stats()
        memory.recall("Which city?")
        view = memory.view()
        assert len(view.recent(5)) <= 5 and view.everything(5).matched >= 0
        self.told["looks"] += 1

    def summed(self) -> ProgramResult:
        """A digest: code makes it within the read, however fast the store moves on."""
        target = {"filter": {"has_tags": ["writer1"], "limit": 5}}
        return self.memory.execute([read(target, op="Summarize")])


class Ticker:
    """One who lets the clock of the store strike."""

    def __init__(self, memory: Memory, name: str) -> None:
        self.memory = memory
        self.told: Told = {"expired": 0, "resumed": 0}

    def act(self) -> None:
        ticked = self.memory.tick()
        assert all("erase pending" in warning for warning in ticked.warnings), ticked.warnings
        self.told["expired"] += len(ticked.expired)
        self.told["resumed"] += len(ticked.resumed)
        time.sleep(0.05)


class Worker:
    """One who reads what waits in the queue, by code alone."""

    def __init__(self, memory: Memory, name: str) -> None:
        self.memory = memory
        self.told: Told = {"read": 0}

    def act(self) -> None:
        worked = self.memory.work(limit=5)
        assert {each.fate for each in worked} <= {"read"}, worked
        self.told["read"] += len(worked)
        if not worked:
            time.sleep(0.02)


KINDS: dict[str, Callable[[Memory, str], Writer | Reader | Ticker | Worker]] = {
    "writer": Writer, "reader": Reader, "ticker": Ticker, "worker": Worker,
}  # fmt: skip


def play(path: Path, role: str, seconds: float, started: float) -> Told:
    """Act until the time is over, once at least; what was done."""
    slowest = 0.0
    with opened(path, clock=Moving(started)) as memory:
        actor = KINDS[role.rstrip("0123456789")](memory, role)
        end = time.monotonic() + seconds
        while not slowest or time.monotonic() < end:
            begun = time.monotonic()
            actor.act()
            slowest = max(slowest, time.monotonic() - begun, 1e-9)
    return {**actor.told, "slowest": slowest}


def in_threads(path: Path, started: float) -> dict[str, Told]:
    """All roles as threads of this process."""
    told: dict[str, Told] = {}
    failed: dict[str, BaseException] = {}

    def run(role: str) -> None:
        try:
            told[role] = play(path, role, SECONDS, started)
        except BaseException as error:  # told to the test below
            failed[role] = error

    threads = [threading.Thread(target=run, args=(role,)) for role in ROLES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS + 60)
    assert not any(thread.is_alive() for thread in threads)
    for role, error in failed.items():
        raise AssertionError(f"{role} failed") from error
    return told


def in_processes(path: Path, started: float) -> dict[str, Told]:
    """All roles as processes."""
    command = [sys.executable, "-m", "tests.store.test_soak", str(path)]
    processes = {
        role: subprocess.Popen(
            [*command, role, str(SECONDS), str(started)], cwd=ROOT, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for role in ROLES
    }  # fmt: skip
    told = {}
    for role, process in processes.items():
        said, complaint = process.communicate(timeout=SECONDS + 120)
        assert process.returncode == 0, f"{role}: {complaint}"
        told[role] = json.loads(said)
    return told


def lost(memory: Memory, told: Sequence[Told]) -> list[str]:
    """The acknowledged writes that a store does not hold."""
    wrong = []

    def look(id_: str, what: str, check: Callable[[Any], bool]) -> None:
        record = memory.show(id_)
        if not check(record):
            wrong.append(f"{what} {id_}: {record}")

    for each in told:
        for id_, (text, number) in each["notes"].items():
            facets = {} if number is None else {"n": number}
            record = memory.show(id_)
            if record is None or (record.text, record.facets) != (text, facets):
                wrong.append(f"note {id_}: {record}")
        for id_ in each["pairs"]:
            look(id_, "pair", lambda r: r is not None and not r.deleted)
        for id_ in each["gone"]:
            look(id_, "gone", lambda r: r is None)
        for id_ in (*each["hidden"], *each["ending"]):
            look(id_, "hidden", lambda r: r is not None and r.deleted)
        for id_ in each["demoted"]:
            look(id_, "demoted", lambda r: r is not None and not r.archived and r.weight == 0.5)
        for id_, (ticket, status) in each["episodes"].items():
            record = memory.show(id_)
            if record is None or ticket not in record.text:
                wrong.append(f"episode {id_}: {record}")
            heard = memory.ledger.heard_in([id_])[id_]
            if [fact.value for fact in heard if fact.attribute == "status"] != [status]:
                wrong.append(f"heard in {id_}: {heard}")
    return wrong


@pytest.mark.timeout(600)
def test_many_at_once_for_a_while_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    opened(path).close()
    started = time.time()
    told = (in_processes if LONG else in_threads)(path, started)
    writers = [told[role] for role in ROLES if role.startswith("writer")]
    assert max(each["slowest"] for each in told.values()) < SANE
    assert sum(len(each["notes"]) for each in writers) > 8
    assert told["reader0"]["looks"] and told["reader1"]["looks"]
    later = FixedClock(Moving(started).now() + timedelta(hours=1))
    with opened(path, clock=later) as memory:
        left = memory.work()
        assert {each.fate for each in left} <= {"read"}
        assert memory.tick().warnings == ()
        for dead in (False, True):
            assert memory.adapter.queue.tasks(dead=dead) == []
        episodes = sum(len(each["episodes"]) for each in writers)
        assert told["worker"]["read"] + len(left) == episodes
        assert lost(memory, writers) == []
        for role, each in zip(ROLES, writers, strict=False):
            versions = memory.adapter.records(memory.context, later.now(), subject=role)
            assert len(versions) == each["facts"]
            held = [fact.value for fact in memory.ledger.facts(subject=role, attribute="city")]
            assert held == ([each["city"]] if each["facts"] else [])
    assert faults(path) == []


if __name__ == "__main__":
    file, role, seconds, started = sys.argv[1:]
    print(json.dumps(play(Path(file), role, float(seconds), float(started))))  # noqa: T201
