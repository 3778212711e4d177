"""What experience holds of a memory goes with it, whoever erases it or takes it back."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.every_call import Local
from tests.planning import CONTEXT
from tests.postgres import server
from text2mem import Conversation, Memory, pipeline
from text2mem.clock import SetClock
from text2mem.errors import StoreBusy
from text2mem.executor import frame
from text2mem.executor.frame import ERASE_PENDING
from text2mem.experience import Bank, Episode, bank_of
from text2mem.planner.draft import Draft, Step
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import TUNED, Profile

SAID, TOLD = "That embarrassing thing is off.", "Cancel the zygomatic test with Dr Weiss."
ACT = Draft((Step("Delete", {"about": "zygomatic test"}),))
WORD = b"zygomatic"
CLOCK = SetClock(CONTEXT.clock.now())
ALL = replace(CONTEXT, clock=CLOCK, confirmed=True)


def step(op: str, **args: Any) -> dict[str, Any]:
    return {"stage": "STO", "op": op, "target": {"ids": ["1"]}, "args": args}


def expired(memory: Memory) -> None:
    memory.execute(step("Expire", ttl="P1D", on_expire="anonymize")).checked()
    CLOCK.at += timedelta(days=2)
    assert not memory.tick().warnings


def forgotten(memory: Memory) -> None:
    assert not memory.forget(subject="weiss").erase_pending


GONE: dict[str, Callable[[Memory], object]] = {
    "a hard delete": lambda m: m.execute(step("Delete", soft=False)).checked(),
    "one of many programs": lambda m: m.execute_many([[step("Delete", soft=False)]] * 2),
    "forgetting": forgotten,
    "an expiry": expired,
}


@pytest.fixture(params=["sqlite", "postgres", "langgraph"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store in which two people have each told something of two memories."""
    where = {
        "sqlite": str(tmp_path / "store.db"),
        "langgraph": f"langgraph:{tmp_path / 'store.db'}",
    }.get(request.param) or f"postgres:{server().prepared('erased_words')}"
    CLOCK.at = CONTEXT.clock.now()
    with opened(where) as memory:
        first, second = (
            memory.add(text, subject=subject)
            for text, subject in ((f"{TOLD} Friday.", "weiss"), ("The boiler was serviced.", "him"))
        )
        log = memory.log()
    for actor in ("ann", "bob"):
        with closing(bank_of(where, replace(ALL, actor=actor))) as bank:
            for request_, memory_, trace in (
                (SAID, first, log[-1].trace_id),
                (f"{SAID} No.", second, log[0].trace_id),
            ):
                kept = Episode(
                    request=request_, draft=ACT if memory_ == first else Draft((Step("Retrieve"),)),
                    outcome="corrected", told=TOLD if memory_ == first else "", trace_id=trace,
                    rests_on=(memory_,),
                )  # fmt: skip
                assert bank.keep(kept)
    return where


def opened(where: str, **more: Any) -> Memory:
    """Without experience, as most doors have it."""
    return Memory(where, context=ALL, embedder="none", model="none", **more)


def told(where: str) -> list[str]:
    """What is left for each of the two."""
    found = []
    for actor in ("ann", "bob"):
        with closing(bank_of(where, replace(ALL, actor=actor))) as bank:
            found += [each.told for each in bank.all()]
    return found


@pytest.mark.parametrize("way", GONE)
def test_an_erasure_takes_it_out_of_the_store(where: str, way: str) -> None:
    with opened(where) as memory:
        GONE[way](memory)
    assert told(where) == ["", ""]
    if where.endswith(".db"):
        path = Path(where.removeprefix("langgraph:"))
        files = [path, *path.parent.glob(f"{path.name}*")]
        assert not any(WORD in file.read_bytes() for file in files)


def test_an_undo_takes_what_it_taught_and_what_rests_on_what_it_made(where: str) -> None:
    with opened(where) as memory:
        traces = [each.trace_id for each in memory.log()]
        assert memory.undo(traces[-1], dry_run=True).ok and len(told(where)) == 4
        assert memory.undo(traces[-1]).ok
    assert told(where) == ["", ""]


def test_a_soft_delete_leaves_it(where: str) -> None:
    with opened(where) as memory:
        memory.execute(step("Delete")).checked()
        memory.tick()
    assert sorted(told(where)) == ["", "", TOLD, TOLD]


def test_no_framework_is_told_of_it(where: str) -> None:
    with opened(where) as memory, closing(bank_of(where, ALL)) as bank:
        assert bank.keep(Episode(request=SAID, draft=ACT, outcome="corrected", told=TOLD))
        assert bank.adapter.undelivered() is None and memory.adapter.undelivered() is None
    if where.startswith("langgraph:"):
        told = Path(where.removeprefix("langgraph:")).read_bytes()
        assert SAID.encode() not in told and b"boiler" in told


@pytest.fixture
def learning(tmp_path: Path) -> Iterator[Memory]:
    CLOCK.at = CONTEXT.clock.now()
    with opened(str(tmp_path / "store.db"), experience=True) as memory:
        memory.add(f"{TOLD} Friday.")
        assert memory.experience is not None
        memory.experience.keep(
            Episode(request=SAID, draft=ACT, outcome="corrected", told=TOLD, rests_on=("1",))
        )
        yield memory


@pytest.mark.parametrize("way", ["erased", "undone"])
def test_what_could_not_be_erased_is_said_and_a_tick_erases_it(
    learning: Memory, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    def busy(*_: object) -> None:
        raise StoreBusy("somebody writes")

    assert learning.experience is not None
    (episode,) = learning.experience.all()
    trace = learning.execute(step("Label", tags=["off"])).trace_id
    assert learning.experience.keep(replace(episode, trace_id=trace))
    with monkeypatch.context() as patched:
        patched.setattr(learning.experience.adapter, "lower", busy)
        if way == "undone":
            done = learning.undo(trace)
        else:
            done = learning.execute(step("Delete", soft=False))
        assert done.ok and ERASE_PENDING in done.results[-1].warnings
        assert list(learning.experience.all())
    assert learning.tick().warnings == () and not list(learning.experience.all())


def talking(path: Path, *days: str, **read: Any) -> Memory:
    """A memory with a test on each day, whose reader reads one step in everything that is said."""
    draft = {"steps": [{"about": "zygomatic test", **read}]}
    model = FunctionProvider(lambda _: json.dumps(draft), profile=Profile(sees_store=True))
    context = replace(ALL, confirmed=False)
    memory = Memory(path, context=context, embedder="none", model=model, experience=True)
    for day in days:
        memory.execute(
            {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": f"{TOLD} {day}."}}}
        ).checked()
    return memory


def test_a_conversation_that_erases_learns_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with talking(tmp_path / "store.db", "Friday", op="Delete", for_good=True) as memory:
        talk = Conversation(memory)
        assert talk.say("shred the zygomatic test").status == "asked"
        monkeypatch.delattr(Bank, "keep")  # nothing is written that would have to go again
        assert talk.answer(1).status == "done" and memory.show("1") is None
        assert memory.experience is not None and not list(memory.experience.all())
    assert not any(WORD in file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize("way", ["erased", "undone"])
def test_what_somebody_else_erases_or_undoes_before_it_is_kept_teaches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    keep = Bank.keep

    def too_late(bank: Bank, episode: Episode) -> Episode | None:
        with opened(str(tmp_path / "store.db")) as other:
            if way == "undone":
                assert other.undo(episode.trace_id).ok
            else:
                target = {"ids": [*episode.rests_on]}
                args = {"soft": False}
                other.execute({"stage": "STO", "op": "Delete", "target": target, "args": args})
        return keep(bank, episode)

    with talking(tmp_path / "store.db", "Friday", "Monday", op="Update", add="at noon") as memory:
        talk = Conversation(memory)
        assert talk.say("put noon to the zygomatic test").status == "asked"
        monkeypatch.setattr(Bank, "keep", too_late)
        assert talk.answer(1).status == "done"
        assert memory.experience is not None and not list(memory.experience.all())
        assert not memory.experience.adapter.erasing


def test_within_a_transaction_the_bank_is_left_alone_until_the_commit(
    learning: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waits(**_: object) -> None:
        raise AssertionError("the bank's lock is held by the open transaction")

    assert learning.experience is not None
    with monkeypatch.context() as patched, learning.adapter.transaction():
        patched.setattr(learning.experience.adapter, "transaction", waits)
        done = learning.execute(step("Delete", soft=False))
        assert done.ok and ERASE_PENDING in done.results[-1].warnings
    assert learning.tick().warnings == () and not list(learning.experience.all())


def test_an_evolution_that_erases_does_not_wait_for_its_own_lock(learning: Memory) -> None:
    assert learning.experience is not None
    fact = {"subject": "Ana", "attribute": "phone", "value": "1"}
    encode = {"stage": "ENC", "op": "Encode", "args": {"payload": {"structured": fact}}}
    learning.execute(encode).checked()
    learning.execute(step("Expire", ttl="P1D", on_expire="hard_delete")).checked()
    CLOCK.at += timedelta(days=2)
    rename = {"op": "rename", "from": "phone", "to": "telephone"}
    began = time.monotonic()
    assert learning.evolve({"version": 2, "steps": [rename]}).ok
    assert time.monotonic() - began < 15  # the bank's connection would wait for 30 s
    assert not list(learning.experience.all())


@pytest.mark.parametrize("way", ["forgotten", "replaced", "undone"])
def test_a_tick_finishes_an_erasure_of_the_bank_alone(
    learning: Memory, tmp_path: Path, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    bank = learning.experience
    assert bank is not None
    (episode,) = bank.all()
    trace = learning.execute(step("Label", tags=["off"])).trace_id
    bank.keep(replace(episode, told="the word is quixotry", trace_id=trace))
    with closing(sqlite3.connect(tmp_path / "store.db")) as reader:
        reader.execute("BEGIN").execute("SELECT count(*) FROM memories").fetchone()
        if way == "forgotten":
            assert bank.forget([each.id for each in bank.all()]) == 1
        elif way == "replaced":
            assert bank.keep(episode)
        else:
            assert ERASE_PENDING in learning.undo(trace).results[-1].warnings
    assert (ERASE_PENDING in caplog.text) == (way != "undone")
    assert not learning.adapter.erasing and learning.tick().warnings == ()
    assert not any(b"quixotry" in file.read_bytes() for file in tmp_path.iterdir())


def test_nothing_is_looked_for_where_nothing_was_erased(
    learning: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(frame, "erase_resting")
    learning.execute(step("Delete")).checked()


def test_a_store_without_experience_is_given_none(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with opened(str(path)) as memory:
        memory.add(TOLD)
        memory.execute(step("Delete", soft=False)).checked()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT tenant FROM tenants").fetchall() == [("default",)]


def test_what_a_model_has_answered_is_not_kept(tmp_path: Path) -> None:
    reads = {"steps": [{"op": "Retrieve", "about": "Weiss"}]}
    model = Local(lambda _: reads, profile=TUNED)
    with Memory(tmp_path / "store.db", context=ALL, embedder="none", model=model) as memory:
        memory.execute(
            {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": TOLD}}}
        ).checked()
        memory.compile("what about Weiss?")
        assert any("zygomatic" in str(key) for key in pipeline.ANSWERS._held)
        memory.execute(step("Delete", soft=False)).checked()
    assert not any("zygomatic" in str(held) for held in pipeline.ANSWERS._held.items())
