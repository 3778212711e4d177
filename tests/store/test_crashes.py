"""A process that is killed leaves whole programs behind, in a file that is sound."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.crashing import planned, trace
from tests.store.programs import LONG, WordHashes, done, encode, fact, find, ids, on, opened
from tests.store.secret_words import Secrets
from tests.store.soundness import contents, faults, looked_at

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = 200
SEEDS = range(6) if LONG else range(1)
FAULTS = {
    "tag left over": "UPDATE memories SET tags = '[]' WHERE id = 1",
    "tag missing": "DELETE FROM memory_tags",
    "the words of memory 1": "UPDATE memories SET text = 'other' WHERE id = 1",
    "has words of": "DELETE FROM memories WHERE id = 2",
    "what is believed of fact": "UPDATE memories SET value = '0' WHERE id = 3",
    "source missing": "DELETE FROM heard",
    "are no facts": "UPDATE memories SET attribute = NULL WHERE id = 3",
    "which should have none": "UPDATE memories SET skip_embedding = 1 WHERE id = 1",
    "would give the id": "UPDATE tenants SET next_id = 2",
    "the journal of": "UPDATE memories SET weight = 0.1 WHERE id = 1",
    "was given by": "UPDATE journal SET id = 1 WHERE id = 2",
    "as it was not": "UPDATE journal SET changes = '{\"text\": [1, 2]}' WHERE op = 'Label'",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_unsound_file_would_be_found_out(fault: str, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with opened(path, embedder=WordHashes()) as memory:
        done(memory, encode("one", tags=["a"]))
        done(memory, encode("two"), fact("Ann", "city", "Oslo", source_episode_id="1"))
        done(memory, on("Label", ["1"], tags=["b"]))
    assert faults(path) == []
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(FAULTS[fault])
        connection.commit()
    assert any(fault in found for found in faults(path)), faults(path)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_program_is_wholly_there_or_wholly_absent(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    path, plan = tmp_path / "store.db", tmp_path / "plan.json"
    tasks, states = planned(PROGRAMS, seed)
    plan.write_text(json.dumps(tasks), encoding="utf-8")
    kept = kills = 0
    while kept < PROGRAMS:
        process = _running(path, plan, kept)
        said = _killed(process, chance, chance.randrange(4, 40))
        kills += process.wait() == -signal.SIGKILL
        opened(path).close()
        with closing(looked_at(path)) as connection:
            present = contents(connection)
            traces = {row[0] for row in connection.execute("SELECT trace_id FROM journal")}
        whole = [number for number in range(PROGRAMS) if trace(number) in traces]
        assert whole == list(range(len(whole)))
        # What was given out is kept; one more may be, whose result nobody has seen.
        assert max(said, kept) <= len(whole) <= max(said, kept) + 1
        assert present == states[len(whole)]
        assert faults(path) == []
        kept = len(whole)
    assert kills > 3


def test_a_process_killed_while_it_erases_leaves_the_rest_to_a_tick(tmp_path: Path) -> None:
    chance = random.Random(5)
    path, plan = tmp_path / "store.db", tmp_path / "plan.json"
    hidden = Secrets(5)
    secrets = [hidden.latin(str(number)) for number in range(4)]
    with opened(path) as memory:
        for number in range(400):
            word = secrets[number // 100] if number % 100 == 50 else f"filler {number}"
            done(memory, encode(f"{word} 记忆", tags=[word], topic=word))
    for number, secret in enumerate(secrets):
        task = {"program": [on("Delete", [str(number * 100 + 51)], soft=False)]}
        plan.write_text(json.dumps([{}] * number + [task]), encoding="utf-8")
        process = _running(path, plan, number)
        assert process.stdout is not None
        assert process.stdout.readline() == "erasing\n"
        time.sleep(chance.uniform(0, 0.03))
        process.send_signal(signal.SIGKILL)
        process.stdout.close()
        process.wait()
        with opened(path) as memory:
            assert ids(memory, find(secret)) == []
            assert memory.tick().warnings == ()
        assert hidden.left(path) == [
            f"{later} in store.db" for later in range(number + 1, 4)
        ]  # fmt: skip
        assert faults(path) == []
    with opened(path) as memory:
        assert len(ids(memory, find("filler"), include=["id"])) == 20
        assert done(memory, encode("after")).results[0].created == ("401",)


def _running(path: Path, plan: Path, first: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.store.crashing", str(path), str(plan), str(first)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _killed(process: subprocess.Popen[str], chance: random.Random, after: int) -> int:
    """Kill a process a moment after it has given out so many programs; how many it has, in all."""
    assert process.stdout is not None
    last = -1
    cleans = chance.random() < 0.3  # in the midst of cleaning the file, if it comes to that
    for line in process.stdout:
        if line.strip().isdigit():
            last, after = int(line), after - 1
        if after <= 0 and (not cleans or line == "erasing\n"):
            break
    time.sleep(chance.uniform(0, 0.012))
    process.send_signal(signal.SIGKILL)
    for line in process.stdout:  # what it said before it died
        if line.strip().isdigit():
            last = int(line)
    process.stdout.close()
    return last + 1
