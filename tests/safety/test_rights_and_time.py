"""What is due, the past, and whose it is: seen by those alone who may, at one instant a call."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.store.programs import NOW, done, encode, on, opened
from text2mem import ExecutionContext, FixedClock, Memory
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import SetClock
from text2mem.errors import ConfigurationError
from text2mem.ir.times.rrule import UnreadableRule, next_occurrence


class Running:
    """A clock that moves on by a second whenever it is looked at."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


def seen_by(memory: Memory, actor: str, at: datetime = NOW) -> Memory:
    asked = ExecutionContext(actor=actor, clock=FixedClock(at), confirmed=True)
    return Memory(memory.adapter, context=asked, embedder="none")


# --- ticks and recall -----------------------------------------------------------------------


def test_a_tick_tells_nobody_of_what_is_not_theirs() -> None:
    with opened(":memory:") as memory:
        olga = seen_by(memory, "olga")
        done(olga, encode("a diary of mine"), on("Expire", ["1"], ttl="P1D"))
        later = NOW + timedelta(days=2)
        bob = seen_by(memory, "bob", later)
        dry = Memory(memory.adapter, context=bob.context.dry(), embedder="none")
        for told in (dry.tick(), bob.tick()):
            assert (told.expired, told.changes) == ((), ())
        record = seen_by(memory, "olga", later).show("1")
        assert record is not None and record.deleted  # it was carried out all the same


def test_a_recall_takes_one_instant_however_long_it_takes() -> None:
    clock = SetClock(NOW)
    memory = Memory(
        SqliteAdapter(":memory:"), context=ExecutionContext(clock=clock, confirmed=True),
        embedder="none",
    )  # fmt: skip
    with memory:
        done(memory, encode("Rex is the dog of the neighbours"))
        for seconds in range(1, 40):
            done(memory, encode(f"note {seconds}", expire_at=f"2026-03-02T09:00:{seconds:02d}Z"))
        running = ExecutionContext(clock=Running(NOW))
        asked = Memory(memory.adapter, context=running, embedder="none")
        for _ in range(8):
            found = asked.recall("what is the dog of the neighbours called?")
            assert found.question
            asked.view().recent()
            asked.export("rex")
            asked.stats()


# --- registry and locks ---------------------------------------------------------------------


def test_an_actor_does_not_set_the_registry() -> None:
    with opened(":memory:") as memory:
        bob = seen_by(memory, "bob")
        with pytest.raises(ConfigurationError, match="everybody's facts"):
            bob.registry = memory.registry


def test_only_owner_and_reviewers_lock() -> None:
    with opened(":memory:") as memory:
        olga, bob = seen_by(memory, "olga"), seen_by(memory, "bob")
        open_ = {"read_perm_level": "public", "write_perm_level": "open"}
        done(olga, encode("shared", **open_))
        lock = on("Lock", ["1"], mode="read_only", policy={"reviewers": ["bob"]})
        refused = bob.execute([lock])
        assert refused.error is not None and refused.error.code == "not-writable"
        done(olga, lock)
        done(bob, on("Lock", ["1"], mode="none"))


def test_under_append_only_a_label_overwrites_nothing() -> None:
    with opened(":memory:") as memory:
        done(memory, encode("log", facets={"k": "v"}), on("Lock", ["1"], mode="append_only"))
        refused = memory.execute([on("Label", ["1"], facets={"k": "w"})])
        assert refused.error is not None and refused.error.code == "locked"
        done(memory, on("Label", ["1"], tags=["t"], facets={"other": 1, "k": "v"}))


# --- what erases ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step",
    [
        on("Delete", ["1"], soft=False),
        on("Delete", {"filter": {"has_tags": ["t"]}}, soft=False),
        on("Expire", ["1"], ttl="P1D", on_expire="hard_delete"),
        on("Expire", ["1"], ttl="P1D", on_expire="anonymize"),
    ],
    ids=["by name", "by tag", "expire", "anonymise"],
)
def test_what_erases_needs_a_yes_wherever_it_comes_from(step: dict[str, object]) -> None:
    with opened(":memory:") as memory:
        done(memory, encode("one", tags=["t"]))
        unsure = Memory(memory.adapter, context=ExecutionContext(clock=FixedClock(NOW)))
        refused = unsure.execute([step])
        assert refused.error is not None and refused.error.code == "needs-confirmation"
        assert unsure.preview([step]).ok
        done(memory, step)


# --- a basis --------------------------------------------------------------------------------


def test_a_basis_confirms_its_program_and_its_caller_alone() -> None:
    with opened(":memory:") as memory:
        done(memory, encode("one"), encode("two"))
        shown = memory.preview([on("Delete", ["1"])])
        other = memory.execute([on("Delete", ["2"])], basis=shown.basis)
        assert other.error is not None and other.error.code == "other-program"
        bob = seen_by(memory, "bob")
        foreign = bob.execute([on("Delete", ["1"])], basis=shown.basis)
        assert foreign.error is not None and foreign.error.code == "other-program"
        assert memory.execute([on("Delete", ["1"])], basis=shown.basis).ok


def test_a_basis_holds_in_its_time_zone_alone() -> None:
    with opened(":memory:") as memory:
        done(memory, encode("one"))
        nine = on("Promote", ["1"], remind={"rrule": "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"})
        shown = memory.preview([nine])
        there = replace(memory.context, tz=ZoneInfo("Asia/Shanghai"))
        other = Memory(memory.adapter, context=there, embedder="none")
        refused = other.execute([nine], basis=shown.basis)
        assert refused.error is not None and refused.error.code == "other-program"
        assert memory.execute([nine], basis=shown.basis).ok


# --- the past -------------------------------------------------------------------------------


def test_the_owner_of_an_anonymised_memory_sees_and_undoes_what_comes_later() -> None:
    with opened(":memory:") as memory:
        olga = seen_by(memory, "olga")
        done(olga, encode("a diary of mine"))
        done(olga, on("Expire", ["1"], ttl="P1D", on_expire="anonymize"))
        at = NOW + timedelta(days=2)
        olga, bob = seen_by(memory, "olga", at), seen_by(memory, "bob", at)
        olga.tick()
        later = done(olga, on("Update", ["1"], set={"text": "begun anew"}))
        shown = [(entry.trail.op, entry.forgotten) for entry in olga.history("1")]
        assert shown == [("Encode", True), ("Expire", True), ("tick", True), ("Update", False)]
        done(olga, on("Update", ["1"], set={"text": "for all", "read_perm_level": "public"}))
        assert [len(entry.changes) for entry in bob.history("1")] == [0]
        assert olga.undo(olga.log(limit=1)[0].trace_id).ok
        assert olga.undo(later.trace_id).ok


# --- bounds ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    ["FREQ=WEEKLY;BYMONTH=13", "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2", "FREQ=WEEKLY;BYMONTHDAY=31",
     "FREQ=YEARLY;BYYEARDAY=0", "FREQ=DAILY;BYHOUR=24", "FREQ=HOURLY;BYSETPOS=1"],
)  # fmt: skip
def test_a_rule_that_cannot_be_is_refused(rule: str) -> None:
    with pytest.raises(UnreadableRule):
        next_occurrence(rule, after=NOW, start=NOW, tz=UTC)


@pytest.mark.parametrize("rule", ["FREQ=DAILY;BYSETPOS=2", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"])
def test_a_rule_without_an_occurrence_has_none(rule: str) -> None:
    assert next_occurrence(rule, after=NOW, start=NOW, tz=UTC) is None


def test_a_rule_of_every_minute_is_not_counted_from_its_start() -> None:
    start = datetime(1990, 1, 1, tzinfo=UTC)
    found = next_occurrence("FREQ=MINUTELY;INTERVAL=7", after=NOW, start=start, tz=UTC)
    assert found is not None and NOW < found <= NOW + timedelta(minutes=7)
    assert (found - start) % timedelta(minutes=7) == timedelta(0)


def test_a_split_into_too_many_is_refused() -> None:
    with opened(":memory:") as memory:
        done(memory, encode("Yes. " * 1500))
        refused = memory.execute([on("Split", ["1"], strategy="by_sentences")])
        assert refused.error is not None and refused.error.code == "over-cap"


def test_a_family_is_told_of_as_far_as_a_hundred_generations() -> None:
    with opened(":memory:") as memory:
        done(memory, encode("first"))
        for number in range(1, 130):
            done(memory, encode("next", lineage_parents=[str(number)]))
        family = memory.lineage("1")
        assert family is not None
        generations = 0
        while family.children:
            (family,) = family.children
            generations += 1
        assert (generations, family.more) == (100, True)
