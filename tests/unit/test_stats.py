"""Counters and ages of a store."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tests.playing_episodes import ledger_of
from tests.store.programs import NOW, done, encode, fact, on, opened
from text2mem import Memory
from text2mem.clock import SetClock
from text2mem.ledger.stats import stats


def at(memory: Memory, **since: float) -> None:
    clock = memory.context.clock
    assert isinstance(clock, SetClock)
    clock.at = NOW + timedelta(**since)


def counted(memory: Memory, **options: Any) -> dict[str, Any]:
    return stats(ledger_of(memory, **options))


def states(**counts: int) -> dict[str, int]:
    return dict.fromkeys(("current", "past", "ahead", "pending", "deleted"), 0) | counts


def test_an_empty_store_is_all_noughts(memory: Memory) -> None:
    found = counted(memory)
    assert found["facts"] == {"total": states(), "by_type": {}, "by_attribute": {}}
    assert found["episodes"] == {"total": 0, "by_role": {}, "oldest": None, "newest": None}
    assert found["pending"] == {"count": 0, "oldest_seconds": None, "median_seconds": None}
    assert found["superseded"] == {
        f"2026-{day}": 0 for day in ("02-24", "02-25", "02-26", "02-27", "02-28", "03-01", "03-02")
    }
    assert (found["retention"], found["memories"], found["queue"]) == ([], {}, None)


def test_facts_are_counted_by_what_they_are_now(memory: Memory) -> None:
    for value, since in (("Lille", "2025-01-01"), ("Ghent", "2026-01-01")):
        done(memory, fact("bram", "city", value, valid_from=since, type="fact"))
    done(memory, fact("bram", "city", "Kyiv", valid_from="2027-01-01", type="fact"))
    done(memory, on("Update", ["2"], set={"value": "Gent", "valid_from": "2026-01-01"}))
    done(memory, fact("bram", "diet", "vegan", confidence=0.1, type="preference"))
    done(memory, fact("ann", "city", "Bruges"), on("Delete", ["$1"]))
    done(memory, encode("a note", type="note"), encode("bare"), encode("gone"))
    done(memory, on("Delete", ["9"]))
    found = counted(memory)
    assert found["facts"]["total"] == states(current=1, past=2, ahead=1, pending=1, deleted=1)
    assert found["facts"]["by_attribute"] == {
        "city": states(current=1, past=2, ahead=1, deleted=1), "diet": states(pending=1),
    }  # fmt: skip
    assert found["facts"]["by_type"] == {
        "fact": states(current=1, past=2, ahead=1), "none": states(deleted=1),
        "preference": states(pending=1),
    }  # fmt: skip
    assert (found["memories"], found["deleted"]) == ({"none": 1, "note": 1}, 2)


def test_episodes_by_role_with_the_oldest_and_the_newest(memory: Memory) -> None:
    for role, day in (
        ("user", "02-01"),
        ("user", "02-20"),
        ("assistant", "02-21"),
        (None, "02-03"),
    ):
        facets = {} if role is None else {"role": role}
        done(memory, encode("x", type="episode", facets=facets, time=f"2026-{day}T10:00:00Z"))
    assert counted(memory)["episodes"] == {
        "total": 4, "by_role": {"none": 1, "assistant": 1, "user": 2},
        "oldest": "2026-02-01T10:00:00Z", "newest": "2026-02-21T10:00:00Z",
    }  # fmt: skip


def test_superseded_versions_by_day_of_the_caller_s_zone(memory: Memory) -> None:
    done(memory, fact("ann", "city", "a", valid_from="2026-01-01"))
    for days, value in ((-8.0, "x"), (-6.0, "b"), (-1.0, "c"), (-0.99, "d"), (0.0, "e")):
        at(memory, days=days)
        since = (NOW + timedelta(days=days + 0.001)).isoformat()
        done(memory, fact("ann", "city", value, valid_from=since))
    at(memory)
    days = {day[5:]: count for day, count in counted(memory)["superseded"].items() if count}
    assert days == {"02-24": 1, "03-01": 2, "03-02": 1}
    far = counted(memory, tz=ZoneInfo("Pacific/Kiritimati"))["superseded"]
    assert {day[5:]: count for day, count in far.items() if count} == {
        "02-24": 1, "03-01": 2, "03-02": 1,
    }  # fmt: skip


def test_how_long_facts_have_waited(memory: Memory) -> None:
    for hours in (-5, -3, 0):
        at(memory, hours=hours)
        done(memory, fact("ann", f"a{hours + 9}", "x", confidence=0.1))
    at(memory)
    assert counted(memory)["pending"] == {
        "count": 3, "oldest_seconds": 18_000, "median_seconds": 10_800,
    }  # fmt: skip


def test_retention_by_class_the_next_to_fall_due_first(memory: Memory) -> None:
    done(memory, fact("ann", "city", "x", retention_policy="short"), encode("s", type="scratch"))
    at(memory, days=1)
    done(memory, fact("ann", "team", "x", retention_policy="Session"), encode("e", type="episode"))
    done(memory, encode("by itself", expire_at="2026-03-05T00:00:00Z"))
    told = [tuple(each.values()) for each in counted(memory)["retention"]]
    assert told == [
        ("session", "hard_delete", 1, "2026-03-04T09:00:00Z"),
        ("none", "soft_delete", 1, "2026-03-05T00:00:00Z"),
        ("short", "soft_delete", 2, "2026-04-01T09:00:00Z"),
        ("long", "soft_delete", 1, "2031-03-03T09:00:00Z"),
    ]
    at(memory, days=2)
    # What is due counts as carried out.
    assert [each["class"] for each in counted(memory)["retention"]] == ["none", "short", "long"]
    assert counted(memory)["facts"]["total"]["current"] == 1


def test_an_actor_counts_what_it_may_read(memory: Memory) -> None:
    ann, eve = ledger_of(memory, actor="ann"), ledger_of(memory, actor="eve")
    assert ann.run(fact("x", "city", "a"), encode("e", type="episode")).ok
    assert ann.run(fact("x", "team", "a", read_perm_level="public")).ok
    assert stats(eve)["facts"]["total"]["current"] == 1
    assert (stats(ann)["facts"]["total"]["current"], stats(eve)["episodes"]["total"]) == (2, 0)


def test_the_queue_is_passed_on_and_a_file_has_a_size(memory: Memory) -> None:
    queue = {"waiting": 3, "leased": 1, "dead": 0, "lag_seconds": 12}
    found = stats(ledger_of(memory), queue)
    assert found["queue"] == queue
    assert (found["bytes"] or 0) > 1_000 if memory.adapter.name == "sqlite" else not found["bytes"]


def test_tenants_of_one_file_are_counted_apart(tmp_path: Path) -> None:
    with opened(tmp_path / "s.db", tenant="a") as a, opened(tmp_path / "s.db", tenant="b") as b:
        done(a, fact("x", "city", "a"))
        assert counted(a)["facts"]["total"]["current"] == 1
        assert counted(b)["facts"]["total"] == states()
