"""What was forgotten is in none of the bytes of the store: rows, indexes, journal, queue, log."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.playing_episodes import ledger_of
from tests.store.programs import NOW, WordHashes, done, encode, erase, fact, on, opened
from tests.store.secret_words import Secrets
from tests.store.soundness import faults
from text2mem import Memory
from text2mem.ir.journal import ABOUT
from text2mem.ledger.forgetting import forget

EMBEDDER = WordHashes()


def heard(memory: Memory, secrets: Secrets, mark: str) -> str:
    """A queued episode that holds secrets wherever it can."""
    text = secrets.both(f"{mark} text")
    secrets.vector(text, EMBEDDER)
    fields = {**secrets.fields(mark), "type": "episode"}
    (id_,) = done(memory, encode(text, **fields)).results[0].created
    with memory.adapter.transaction():
        memory.adapter.queue.put([id_], now=NOW)
    return id_


def a_life(memory: Memory, secrets: Secrets, who: str) -> list[str]:
    """Versions of every kind about a subject, and what stated them; the episodes."""
    episodes = [heard(memory, secrets, f"episode {number}") for number in range(6)]
    secrets.drop(lambda where: where.endswith(" type"))
    one, two, three, four, five, six = episodes

    def state(episode: str, attribute: str, **args: object) -> str:
        value = secrets.both(f"{attribute} of {episode}")
        told = fact(who, attribute, value, source_episode_id=episode, **args)
        return done(memory, told).results[0].affected[0]

    state(one, "city", valid_from="2025-01-01T00:00:00Z", source=secrets.both("source"))
    current = state(two, "city")
    done(memory, on("Update", [current], set={"value": secrets.both("corrected")}))
    state(three, "diet", confidence=0.1)
    done(memory, on("Delete", [state(four, "team")]))
    done(memory, on("Demote", [state(four, "role")], archive=True))
    told = fact("ann", "sister", who, source_episode_id=five)
    done(memory, told, on("Update", ["$1"], set={"topic": secrets.both("topic")}))
    done(memory, on("Label", [six], facets={ABOUT: [who]}))
    done(memory, on("Split", [one], strategy="by_chunks", params={"chunk_size": 20}))
    done(memory, on("Update", [two], set={"text": secrets.both("later text")}))
    return episodes


@pytest.mark.parametrize("name", ["latin", "chinese"])
def test_a_forgotten_subject_leaves_no_byte(name: str, memory: Memory, path: Path) -> None:
    secrets, others = Secrets(1), Secrets(2)
    who = secrets.latin("name") if name == "latin" else secrets.chinese("name")
    for number in range(40):
        done(memory, fact(f"neighbour {number}", "city", others.both("neighbour's")))
    kept = heard(memory, others, "of others")
    a_life(memory, secrets, who)
    counted = len(others.left(path))
    assert len(secrets.left(path)) > 40
    seen = forget(ledger_of(memory, dry_run=True), subject=who)
    assert len(secrets.left(path)) > 40 and seen.dry_run
    report = forget(ledger_of(memory), subject=who)
    assert (report.ok, report.erase_pending, report.kept) == (True, False, ())
    assert report.facts == seen.facts and report.episodes == seen.episodes
    assert secrets.left(path) == []
    assert len(others.left(path)) == counted
    assert [task.episode for task in memory.adapter.queue.tasks(dead=False)] == [kept]
    assert faults(path) == []


def test_a_forgotten_episode_leaves_no_byte(memory: Memory, path: Path) -> None:
    secrets, others = Secrets(3), Secrets(4)
    who = others.latin("name")
    one = heard(memory, secrets, "forgotten")
    two = heard(memory, others, "kept")
    done(memory, fact(who, "city", secrets.both("alone"), source_episode_id=one))
    value = others.both("shared")
    for source in (one, two):
        done(memory, fact(who, "diet", value, source_episode_id=source))
    secrets.drop(lambda where: where.endswith(" type"))
    shared = [f for f in ledger_of(memory).facts(subject=who) if len(f.sources) > 1]
    report = forget(ledger_of(memory), episode=one)
    assert report.ok and len(report.facts) == 1
    assert [record.id for record in shared] == list(report.lost_source)
    assert len(shared) == 1 and others.left(path)
    assert secrets.left(path) == []
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM queue").fetchone() == (1,)


def test_a_reader_of_an_older_state_makes_the_erasure_wait(memory: Memory, path: Path) -> None:
    secrets = Secrets(5)
    who = secrets.both("name")
    done(memory, fact(who, "city", secrets.both("place")))
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()
        report = forget(ledger_of(memory), subject=who)
        assert report.ok and report.erase_pending
    memory.tick()
    assert secrets.left(path) == []


def test_nothing_of_it_stays_where_another_tenant_shares_the_file(path: Path) -> None:
    secrets, others = Secrets(6), Secrets(7)
    with (
        opened(path, tenant="one", embedder=EMBEDDER) as one,
        opened(path, tenant="two", embedder=EMBEDDER) as two,
    ):
        done(one, fact("ann", "city", secrets.both("place")))
        done(two, fact("ann", "city", others.both("place")))
        assert forget(ledger_of(one), subject="ann").facts == ("1",)
        assert secrets.left(path) == [] and others.left(path)
        assert two.show("1") is not None
        assert not any("pending" in warning for warning in erase(two, "1"))
