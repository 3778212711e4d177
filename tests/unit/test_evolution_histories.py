"""Whatever was told, an evolution says of every instant what was said of it before."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.playing_episodes import ledger_of
from tests.store.programs import NOW, context, done, fact, on, opened
from tests.store.soundness import faults
from text2mem import Memory
from text2mem.ir.record import Record
from text2mem.ledger.evolution import evolve

START = datetime(2025, 1, 1, tzinfo=UTC)
DAYS = 40
SUBJECTS = ("ann", "bob")
Json = dict[str, Any]


def day(number: int) -> str:
    return (START + timedelta(days=number)).isoformat()


def tell(memory: Memory, attributes: tuple[str, ...], seed: int, *, values: int = 4) -> None:
    """Facts told out of order: with ends, corrections, repeats, retractions and deletions."""
    chance = random.Random(seed)
    for number in range(40):
        who, attribute = chance.choice(SUBJECTS), chance.choice(attributes)
        begin = chance.randrange(DAYS)
        args: Json = {"valid_from": day(begin), "source_episode_id": f"e{number}"}
        if chance.random() < 0.3:
            args["valid_to"] = day(begin + chance.randrange(8))
        if chance.random() < 0.1:
            args["confidence"] = 0.1
        said = fact(who, attribute, f"v{chance.randrange(values)}", **args)
        (id_, *_) = done(memory, said).results[0].affected
        record = memory.show(id_)
        assert record is not None
        if chance.random() < 0.1 and record.valid_from and not record.pending:
            memory.execute([on("Update", [id_], set={"valid_to": day(begin + 2)})])
        elif chance.random() < 0.08:
            memory.execute([on("Delete", [id_])])


def held(memory: Memory, attribute: str) -> list[list[Any]]:
    """What held of an attribute on every day: subject, value and its episodes."""
    ledger = ledger_of(memory)
    out = []
    for number in range(-1, DAYS + 10):
        at = START + timedelta(days=number, hours=1)
        rows = [
            row for who in SUBJECTS
            for row in ledger.facts(subject=who, attribute=attribute, as_of=at)
        ]  # fmt: skip
        out.append(sorted((r.subject, r.value, sorted(map(str, heard(r)))) for r in rows))
    return out


def heard(record: Record) -> set[Any]:
    return {entry["episode"] for entry in record.sources}


def opening(which: str, tmp_path: Path) -> Memory:
    if which == "sqlite":
        return opened(tmp_path / "store.db")
    return Memory("memory:", context=context())


@pytest.mark.parametrize("which", ["sqlite", "plain"])
@pytest.mark.parametrize("attribute", ["city", "allergies"])
@pytest.mark.parametrize("seed", range(4))
def test_a_renamed_history_is_the_same(
    which: str, attribute: str, seed: int, tmp_path: Path
) -> None:
    with opening(which, tmp_path) as memory:
        tell(memory, (attribute,), seed)
        before = held(memory, attribute)
        waiting = [(r.subject, r.value) for r in ledger_of(memory).waiting()]
        chains = superseding(memory, attribute)
        step = {"op": "rename", "from": attribute, "to": "renamed"}
        evolved = evolve(ledger_of(memory), {"version": 2, "steps": [step]})
        assert evolved.ok and evolved.left == ()
        assert held(memory, "renamed") == before and any(before)
        assert not any(held(memory, attribute))
        assert sorted((r.subject, r.value) for r in ledger_of(memory).waiting()) == sorted(waiting)
        assert superseding(memory, "renamed") >= chains - never(memory, chains)
        for trace in evolved.traces:
            assert memory.undo(trace).ok
        assert held(memory, attribute) == before
    if which == "sqlite":
        assert faults(tmp_path / "store.db") == []


def superseding(memory: Memory, attribute: str) -> set[tuple[Any, ...]]:
    """Which version took the place of which, for those that meet and hold."""
    found = memory.adapter.records(memory.context, NOW, attribute=attribute)
    by_id = {r.id: r for r in found if not r.deleted and not r.pending}
    return {
        (r.subject, by_id[r.supersedes].value, r.value, r.valid_from)
        for r in by_id.values()
        if r.supersedes in by_id and by_id[r.supersedes].valid_to == r.valid_from
    }


def never(memory: Memory, chains: set[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """Those that say the same value twice, which a line tells by itself."""
    return {chain for chain in chains if chain[1] == chain[2]}


@pytest.mark.parametrize("which", ["sqlite", "plain"])
@pytest.mark.parametrize("seed", range(5))
def test_joined_values_are_those_that_held_together(which: str, seed: int, tmp_path: Path) -> None:
    with opening(which, tmp_path) as memory:
        tell(memory, ("first", "last"), seed)
        pairs = list(zip(held(memory, "first"), held(memory, "last"), strict=True))
        expected = []
        for first, last in pairs:
            on_day = []
            for who in SUBJECTS:
                parts = [row for row in (*first, *last) if row[0] == who]
                if parts:
                    told = sorted({episode for part in parts for episode in part[2]})
                    on_day.append((who, " ".join(part[1] for part in parts), told))
            expected.append(on_day)
        step = {"op": "merge", "attributes": ["first", "last"], "into": "name", "join": " "}
        document = {"version": 2, "steps": [step], "on_misfit": "leave"}
        evolved = evolve(ledger_of(memory), document)
        assert evolved.ok, evolved.error
        assert all("waits" in misfit.reason for misfit in evolved.left)
        found = held(memory, "name")
        assert values(found) == values(expected)
        # A span that says the same as the one before it is one version, with the sources of both.
        for day_found, day_expected in zip(found, expected, strict=True):
            for one, other in zip(day_found, day_expected, strict=True):
                assert set(one[2]) >= set(other[2])


def values(days: list[Any]) -> list[Any]:
    return [[row[:2] for row in rows] for rows in days]


@pytest.mark.parametrize("which", ["sqlite", "plain"])
@pytest.mark.parametrize("seed", range(4))
def test_two_lines_that_meet_lose_nothing_that_is_not_said(
    which: str, seed: int, tmp_path: Path
) -> None:
    """Each day holds what the one or the other line held; what does not fit is left and listed."""
    with opening(which, tmp_path) as memory:
        tell(memory, ("old", "new"), seed, values=2)
        old, new = held(memory, "old"), held(memory, "new")
        step = {"op": "rename", "from": "old", "to": "new"}
        document = {"version": 2, "steps": [step], "on_misfit": "leave"}
        evolved = evolve(ledger_of(memory), document)
        assert evolved.ok, evolved.error
        left, found = held(memory, "old"), held(memory, "new")
        for number, rows in enumerate(found):
            before = {row[:2] for row in (*old[number], *new[number])}
            after = {row[:2] for row in (*rows, *left[number])}
            assert after <= before
            assert {row[0] for row in after} == {row[0] for row in before}
        said = json.dumps(evolved.as_dict())
        again = evolve(ledger_of(memory), document)
        assert again.changes == () and json.loads(said)["ok"]
