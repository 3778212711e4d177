"""A worker that is killed at random points neither loses a fact nor makes one twice."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.store.programs import LONG
from tests.store.soundness import faults
from text2mem import ExecutionContext, FixedClock, Memory
from text2mem.ir.times.temporal import format_instant
from text2mem.ledger.ledger import Ledger

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
EPISODES, KILLS = (180, 50) if LONG else (90, 20)


def opened(path: Path, now: datetime = NOW) -> Memory:
    return Memory(path, context=ExecutionContext(clock=FixedClock(now)))


def test_killed_workers_leave_every_fact_there_once(tmp_path: Path) -> None:
    chance, path = random.Random(11), tmp_path / "store.db"
    events = [
        {"role": "event", "structured": {"ticket": f"T-{n % 30}", "status": f"state {n // 30}"}}
        for n in range(EPISODES)
    ]
    with opened(path) as memory:
        memory.observe(events, session="s", extract=False)
        assert len(memory.adapter.queue.tasks(dead=False, limit=500)) == EPISODES
    kills, now = 0, NOW
    while kills < KILLS:
        now += timedelta(minutes=10)  # every lease has run out
        kills += _killed(path, now, chance) == -signal.SIGKILL
        assert faults(path) == []
    with opened(path, now + timedelta(minutes=10)) as memory:
        assert {worked.fate for worked in memory.work()} <= {"read"}
        assert memory.adapter.queue.tasks(dead=False) == memory.adapter.queue.tasks(dead=True) == []
        ledger: Ledger = memory.ledger
        episodes = [str(number + 1) for number in range(EPISODES)]
        heard = ledger.heard_in(episodes)
        assert all(len(heard[episode]) == 1 for episode in episodes)
        versions = Counter(fact.subject for facts in heard.values() for fact in facts)
        assert versions == {f"t_{n}": EPISODES // 30 for n in range(30)}
        assert all(len(fact.sources) == 1 for facts in heard.values() for fact in facts)
        held = {n: ledger.facts(subject=f"t_{n}", attribute="status") for n in range(30)}
        assert {n: [fact.value for fact in facts] for n, facts in held.items()} == {
            n: [f"state {EPISODES // 30 - 1}"] for n in range(30)
        }


def _killed(path: Path, now: datetime, chance: random.Random) -> int:
    """Kill a worker a moment after it has read one to four episodes; its exit code."""
    command = [sys.executable, "-m", "text2mem", "worker", "--once", "--jsonl", "--model", "none"]
    process = subprocess.Popen(
        [*command, "--db", str(path), "--now", format_instant(now)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    for _ in range(chance.randrange(1, 4)):
        line = process.stdout.readline()
        assert not line or json.loads(line)["fate"] == "read", line
    time.sleep(chance.uniform(0, 0.004))
    process.send_signal(signal.SIGKILL)
    process.stdout.close()
    return process.wait()
