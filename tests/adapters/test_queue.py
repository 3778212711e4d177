"""The queue of every backend: leases, ends, failures, and what a rollback leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.postgres import server
from text2mem import ExecutionContext, FixedClock, Memory
from text2mem.adapters.base import Adapter

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)
Opened = Callable[..., Memory]


@pytest.fixture(params=["memory:", "file", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """Opens a store of a tenant, each time the same one."""
    stores: dict[str, Memory] = {}
    where = "memory:" if request.param == "memory:" else str(tmp_path / "store.db")
    if request.param == "postgres":
        where = f"postgres:{server().prepared('adapters')}"

    def call(tenant: str = "default") -> Memory:
        if tenant not in stores:
            context = ExecutionContext(tenant=tenant, clock=FixedClock(NOW), confirmed=True)
            stores[tenant] = Memory(where, context=context)
        return stores[tenant]

    yield call
    for memory in stores.values():
        memory.close()


def filled(memory: Memory, count: int = 3) -> Adapter:
    """A store with episodes 1 to ``count``, all in the queue."""
    for number in range(count):
        args = {"payload": {"text": f"turn {number}"}, "type": "episode"}
        assert memory.execute([{"stage": "ENC", "op": "Encode", "args": args}]).ok
    memory.adapter.queue.put([str(n + 1) for n in range(count)], now=NOW)
    return memory.adapter


def leased(adapter: Adapter, name: str, *, now: datetime = NOW, limit: int = 1) -> list[str]:
    until = now + timedelta(minutes=5)
    with adapter.transaction():
        found = adapter.queue.lease(name, now=now, until=until, limit=limit)
    return [task.episode for task in found]


def test_what_waits_longest_is_leased_first_and_to_one_alone(opened: Opened) -> None:
    adapter = filled(opened())
    assert leased(adapter, "a", limit=2) == ["1", "2"]
    assert leased(adapter, "b", limit=5) == ["3"]
    assert leased(adapter, "c") == []
    assert adapter.queue.holds("1", "a")
    assert not adapter.queue.holds("1", "b")


def test_a_lease_that_has_run_out_is_free_again(opened: Opened) -> None:
    adapter = filled(opened(), 1)
    assert leased(adapter, "a") == ["1"]
    assert leased(adapter, "b", now=LATER - timedelta(seconds=1)) == []
    assert leased(adapter, "b", now=LATER) == ["1"]
    assert not adapter.queue.holds("1", "a")
    (task,) = adapter.queue.tasks(dead=False)
    assert task.attempts == 2


def test_a_reader_is_given_what_they_may_read(opened: Opened) -> None:
    memory = opened()
    adapter = filled(memory)
    shared = {"set": {"read_whitelist": ["ann"]}}
    update = {"stage": "STO", "op": "Update", "target": {"ids": ["2"]}, "args": shared}
    assert memory.execute([update]).ok
    with adapter.transaction():
        found = adapter.queue.lease(
            "a", now=NOW, until=LATER, limit=5, reader=ExecutionContext(actor="ann")
        )
    assert [task.episode for task in found] == ["2"]
    assert leased(adapter, "b", limit=5) == ["1", "3"]


def test_what_is_put_twice_stands_there_once(opened: Opened) -> None:
    adapter = filled(opened())
    assert leased(adapter, "a") == ["1"]
    adapter.queue.put(["1", "2"], now=LATER)
    assert [task.episode for task in adapter.queue.tasks(dead=False)] == ["1", "2", "3"]
    assert adapter.queue.holds("1", "a")


def test_what_is_put_under_a_lease_is_nobody_elses(opened: Opened) -> None:
    adapter = filled(opened(), 0)
    adapter.queue.put(["7"], now=NOW, lease="a", until=LATER)
    assert leased(adapter, "b") == []
    assert adapter.queue.holds("7", "a")
    assert leased(adapter, "b", now=LATER) == ["7"]


def test_a_failure_is_due_again_later_and_the_last_one_is_given_up(opened: Opened) -> None:
    adapter = filled(opened(), 2)
    leased(adapter, "a", limit=2)
    adapter.queue.failed("1", error="ServiceUnreachable", due=LATER)
    adapter.queue.failed("2", error="unexpected KeyError", due=None)
    assert leased(adapter, "a") == []
    (dead,) = adapter.queue.tasks(dead=True)
    assert (dead.episode, dead.error) == ("2", "unexpected KeyError")
    counts = adapter.queue.counts(now=NOW)
    assert (counts.waiting, counts.leased, counts.dead, counts.oldest) == (1, 0, 1, NOW)
    assert leased(adapter, "a", now=LATER, limit=5) == ["1"]
    assert adapter.queue.retry(["1"], now=LATER) == 0
    assert adapter.queue.retry(None, now=LATER) == 1
    assert leased(adapter, "a", now=LATER, limit=5) == ["2"]
    assert [task.attempts for task in adapter.queue.tasks(dead=False)] == [2, 1]


def test_a_try_that_does_not_count_is_taken_back(opened: Opened) -> None:
    adapter = filled(opened(), 1)
    for _ in range(2):
        leased(adapter, "a")
        adapter.queue.failed("1", error="ServiceUnreachable", due=NOW, counts=False)
    adapter.queue.failed("1", error="ServiceUnreachable", due=NOW, counts=False)
    (task,) = adapter.queue.tasks(dead=False)
    assert (task.attempts, task.lease, task.dead) == (0, None, False)


def test_what_is_done_and_what_is_erased_leaves(opened: Opened) -> None:
    memory = opened()
    adapter = filled(memory)
    adapter.queue.done("1")
    target = {"ids": ["2"]}
    hard = {"stage": "STO", "op": "Delete", "target": target, "args": {"soft": False}}
    assert memory.execute([hard]).ok
    assert [task.episode for task in adapter.queue.tasks(dead=False)] == ["3"]


def test_a_transaction_that_is_rolled_back_leaves_the_queue_as_it_was(opened: Opened) -> None:
    adapter = filled(opened(), 1)
    before = adapter.queue.tasks(dead=False)
    with pytest.raises(KeyError), adapter.transaction():
        adapter.queue.lease("a", now=NOW, until=LATER, limit=1)
        adapter.queue.done("1")
        adapter.queue.put(["9"], now=NOW)
        raise KeyError
    assert adapter.queue.tasks(dead=False) == before


def test_tenants_have_queues_of_their_own(opened: Opened) -> None:
    filled(opened("one"), 2)
    other = opened("two").adapter
    assert leased(other, "a", limit=5) == []
    assert other.queue.tasks(dead=False) == []
    assert other.queue.counts(now=NOW).waiting == 0
    other.queue.done("1")
    assert len(opened("one").adapter.queue.tasks(dead=False)) == 2


def test_facts_are_found_by_the_episodes_that_they_were_heard_in(opened: Opened) -> None:
    memory = opened()

    def told(value: str, episode: str) -> str:
        content = {"subject": "ann", "attribute": "city", "value": value}
        args = {"payload": {"structured": content}, "source_episode_id": episode}
        result = memory.execute([{"stage": "ENC", "op": "Encode", "args": args}])
        assert result.ok
        return result.results[0].affected[0]

    first, again, second = told("Oslo", "5"), told("Oslo", "6"), told("Bergen", "7")
    assert first == again

    def found(*episodes: str) -> list[str]:
        return [fact.id for fact in memory.adapter.records(memory.context, NOW, episodes=episodes)]

    assert found("5") == found("6") == [first]
    assert found("6", "7") == [first, second]
    assert found("8") == found() == []
    hard = {"op": "Delete", "target": {"ids": [first]}, "args": {"soft": False}}
    result = memory.execute([{"stage": "STO", **hard}])
    assert result.ok
    assert found("5", "6", "7") == [second]
