"""Requests over a store that holds more memories than a planner looks at one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import pytest

from tests.planning import CONTEXT, SMALL, Counted, Raw, draft, note, opened, planned, step
from text2mem import Memory
from text2mem.adapters.base import Adapter
from text2mem.clock import FixedClock
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import Attributes, Content, Encode
from text2mem.program import Program
from text2mem.running import execute
from text2mem_bench.oracle.adapter import PlainAdapter

MANY = 300
BACKENDS = pytest.mark.parametrize("backend", ["plain", "sqlite"])


def at(day: str) -> ExecutionContext:
    moment = datetime.fromisoformat(f"{day}T09:00:00Z")
    return ExecutionContext(clock=FixedClock(moment), confirmed=True)


def keep(adapter: Adapter, day: str, texts: Iterable[str], *tags: str, time: str = "") -> list[str]:
    """Memories that are made on a day; their ids."""
    when = datetime.fromisoformat(f"{time}T09:00:00Z") if time else None
    filed = Attributes(tags=tags, time=when)
    ops = [Encode(content=Content("text", text), attributes=filed) for text in texts]
    return list(Memory(adapter, context=at(day)).encode_many(ops))


def do(adapter: Adapter, op: str, *ids: str, **args: Any) -> None:
    assert execute([step(op, {"ids": [*ids]}, **args)], adapter, context=at("2026-03-03")).ok


def numbered(text: str, count: int = MANY) -> Sequence[str]:
    return [f"{text} number {n}" for n in range(count)]


@cache
def garden(backend: str) -> Adapter:
    """One recipe, forty notes on a boat of January, hundreds on a garden of February, and three
    on a shed; nothing here writes to it."""
    adapter = opened(backend)
    keep(adapter, "2025-12-01", ["Grandma's recipe for plum cake"], "Recipe")
    keep(adapter, "2026-01-10", numbered("The boat has a leak", 40), "boat")
    keep(adapter, "2026-02-10", numbered("A weed in the garden"), "garden")
    keep(adapter, "2026-03-02", numbered("A tile of the shed", 3))
    return adapter


def fresh(*texts: str, backend: str = "sqlite") -> Adapter:
    """Hundreds of notes of February, and others of the day after."""
    adapter = opened(backend)
    keep(adapter, "2026-02-10", numbered("A weed in the garden"))
    keep(adapter, "2026-02-11", texts)
    return adapter


def target(said: str, wanted: Raw, adapter: Adapter) -> Any:
    (instance,) = planned(said, wanted, store=adapter).program
    return instance["target"]


def ids(*numbers: int) -> Raw:
    return {"ids": [str(number) for number in numbers]}


@BACKENDS
def test_the_oldest_and_the_latest_are_those_of_the_whole_store(backend: str) -> None:
    store = garden(backend)
    assert target("delete the oldest note", draft("Delete", which="oldest"), store) == ids(1)
    two = draft("Retrieve", which="latest", count=2)
    assert target("show the latest two", two, store) == ids(344, 343)
    first = draft("Retrieve", which="oldest", tags=["boat"])
    assert target("the oldest one tagged boat", first, store) == ids(2)
    first = draft("Retrieve", which="oldest", from_="February")
    assert target("the oldest note of February", first, store) == ids(42)


@BACKENDS
def test_the_oldest_is_the_one_that_was_made_first_whatever_its_time(backend: str) -> None:
    adapter = fresh(backend=backend)
    keep(adapter, "2026-02-20", ["The founding of the club"], time="1987-05-01")
    assert target("delete the oldest", draft("Delete", which="oldest"), adapter) == ids(1)
    adapter.close()


@BACKENDS
@pytest.mark.parametrize("tag", ["Recipe", "recipe"])
def test_a_tag_is_found_however_old_its_memory_is(backend: str, tag: str) -> None:
    found = target(f"delete what is tagged {tag}", draft("Delete", tags=[tag]), garden(backend))
    assert found == {"filter": {"has_tags": ["Recipe"]}}


def test_a_tag_that_is_spelt_in_two_ways_means_both() -> None:
    for count in (1, MANY):
        adapter = opened("sqlite")
        keep(adapter, "2026-02-01", ["bow"], "Boat")
        keep(adapter, "2026-02-02", ["stern"], "boat")
        keep(adapter, "2026-02-03", numbered("weed", count))
        found = target(
            "lock what is tagged boat", draft("Label", tags=["boat"], add=["x"]), adapter
        )
        assert found["filter"]["match"] == "any"
        assert sorted(found["filter"]["has_tags"]) == ["Boat", "boat"]
        adapter.close()


@BACKENDS
def test_everything_from_a_month_is_all_of_it(backend: str) -> None:
    away = draft("Demote", from_="January", archive=True)
    found = target("archive everything from January", away, garden(backend))
    assert sorted(found["ids"], key=int) == ids(*range(2, 42))["ids"]


@BACKENDS
def test_what_is_too_much_to_be_named_by_id_is_meant_by_a_filter(backend: str) -> None:
    adapter = fresh("A tile of the shed", backend=backend)
    keep(adapter, "2026-03-02", numbered("Snow", 20))
    away = draft("Demote", from_="February", archive=True)
    asked = planned("archive everything from February", away, store=adapter).question
    assert asked.reason == "everything" and "301" in asked.question
    (option,) = asked.options
    (instance,) = option.program.to_list()
    assert instance["target"] == {
        "filter": {"time_range": {"start": "2026-02-01T00:00:00Z", "end": "2026-02-28T23:59:59Z"}}
    }
    assert execute(option.program, adapter, context=at("2026-03-03")).ok
    assert adapter.view(CONTEXT).everything(1).matched == 20
    adapter.close()


@BACKENDS
def test_a_read_of_a_month_shows_all_of_it(backend: str) -> None:
    store = garden(backend)
    outcome = planned("what of February?", draft("Retrieve", from_="February"), store=store).outcome
    assert isinstance(outcome, Program)
    result = execute(outcome, store, context=CONTEXT)
    assert result.ok and len(result.results[0].rows or ()) == MANY


@BACKENDS
def test_where_no_filter_says_it_it_is_asked_with_how_many_there_are(backend: str) -> None:
    adapter = fresh(backend=backend)
    keep(adapter, "2026-02-20", ["The concert"], time="2026-07-01")
    do(adapter, "Demote", "1", archive=True)
    for wanted, many in (
        (draft("Demote", from_="February", archive=True), 300),  # one of them is of July
        (draft("Delete", which="all", except_="concert"), 299),
        (draft("Delete", which="oldest", count=280), 280),
        (draft("Update", from_="February", old="weed", new="rose"), 300),
    ):
        asked = planned("…", wanted, store=adapter, profile=SMALL).question
        assert asked.reason == "everything" and not asked.options
        assert str(many) in asked.question
    adapter.close()


def test_what_a_filter_would_reach_besides_is_asked_about() -> None:
    adapter = fresh("The hedge")
    keep(adapter, "2026-03-02", numbered("Snow", 3))
    do(adapter, "Demote", "7", archive=True)
    asked = planned("delete all of February", draft("Delete", from_="February"), store=adapter)
    assert not asked.question.options and "300" in asked.question.question
    away = draft("Demote", from_="February", archive=True)
    assert planned("archive all of February", away, store=adapter).question.options
    adapter.close()


@BACKENDS
def test_words_for_more_than_are_looked_at_are_asked_about(backend: str) -> None:
    store = garden(backend)
    wanted = draft("Label", about="weed garden", many=True, add=["x"])
    asked = planned("tag the weed garden notes with x", wanted, store=store).question
    assert asked.reason == "everything" and not asked.options
    oldest = draft("Delete", about="weed garden", which="oldest")
    kept = {"store": store, "profile": SMALL}
    asked = planned("delete the oldest weed garden note", oldest, **kept).question
    (option,) = asked.options  # the oldest of those that were looked at, if that is the one
    assert asked.reason == "ambiguous-target" and len(option.program.ops[0].target.ids) == 1
    latest = draft("Label", about="weed garden", which="latest", add=["x"])
    (instance,) = planned("tag the latest of the weed garden with x", latest, **kept).program
    assert len(instance["target"]["ids"]) == 1
    few = draft("Label", about="boat leak", many=True, add=["x"])
    (instance,) = planned("tag the boat leak notes with x", few, store=store).program
    assert sorted(instance["target"]["ids"], key=int) == ids(*range(2, 42))["ids"]


@BACKENDS
def test_a_read_that_shows_a_part_says_so(backend: str) -> None:
    wanted = draft("Retrieve", about="weed garden", many=True)
    outcome = planned("the weed garden notes", wanted, store=garden(backend)).outcome
    assert isinstance(outcome, Program) and outcome.trace is not None
    (told,) = outcome.trace.warnings
    assert told.code == "some-of-many" and "more than" in told.message


@BACKENDS
def test_words_beside_a_tag_are_looked_for_in_all_that_have_it(backend: str) -> None:
    adapter = opened(backend)
    keep(adapter, "2026-01-01", ["The red buoy", "The blue buoy"], "sea")
    keep(adapter, "2026-02-10", numbered("The buoy is yellow"), "lake")
    found = draft("Delete", about="blue buoy", tags=["sea"])
    assert target("delete the blue buoy of the sea", found, adapter) == ids(2)
    adapter.close()


@BACKENDS
def test_what_is_deleted_takes_the_place_of_nothing_in_sight(backend: str) -> None:
    adapter = opened(backend)
    keep(adapter, "2026-02-01", numbered("The boat has a leak", 10), "keep")
    gone = keep(adapter, "2026-02-02", numbered("The boat has a leak"))
    do(adapter, "Delete", *gone)
    assert target("the latest note", draft("Retrieve", which="latest"), adapter) == ids(10)
    kept = {"filter": {"has_tags": ["keep"]}}
    assert target("what is tagged keep", draft("Retrieve", tags=["keep"]), adapter) == kept
    many = draft("Label", about="boat leak", many=True, add=["x"])
    found = target("tag the boat leak notes with x", many, adapter)["ids"]
    assert sorted(found, key=int) == ids(*range(1, 11))["ids"]
    back = draft("Promote", about="boat leak number 299")
    assert target("bring back boat leak number 299", back, adapter) == ids(310)
    adapter.close()


def test_a_question_without_a_mark_means_all_of_them() -> None:
    found = target("what is there?", draft("Retrieve"), garden("sqlite"))
    assert found == {"all": True}


# --- how often a store is asked --------------------------------------------------------------


@pytest.mark.parametrize("count", [60, MANY])
def test_a_request_has_one_picture_of_the_store(count: int) -> None:
    adapter = PlainAdapter()
    keep(adapter, "2026-02-01", numbered("the boat in the harbour", count))
    counted = Counted(adapter)
    wanted = draft("Delete", about="boat")
    assert planned("delete the boat", wanted, store=counted, profile=SMALL).question.options
    assert sum(counted.calls[each] for each in ("select", "search", "everything")) <= 3
    adapter.close()


def test_tags_in_many_spellings_are_not_all_looked_for() -> None:
    adapter, tags = PlainAdapter(), [f"tag{n}" for n in range(12)]
    for spelt in (str.lower, str.upper, str.title):
        keep(adapter, "2026-02-01", ["the boat in the harbour"], *map(spelt, tags))
    counted = Counted(adapter)
    wanted = draft("Label", tags=[*tags, "none"], add=["wet"])
    assert planned("these are wet", wanted, store=counted, profile=SMALL).question.question
    assert counted.calls["select"] <= 20
    adapter.close()


def test_words_are_embedded_once_a_request() -> None:
    class Embedder:
        model, dimension, threshold = "toy:one", 2, 0.5

        def __init__(self) -> None:
            self.asked: list[str] = []

        def embed(self, texts: Sequence[str], *, kind: str) -> list[tuple[float, ...]]:
            self.asked += texts
            return [(1.0, 0.0) for _ in texts]

    toy = Embedder()
    store = opened("plain", [note("the red boat"), note("the blue boat")])
    wanted = draft("Delete", about="boat")
    outcome = planned("delete the boat", wanted, store=store, embedder=toy, profile=SMALL)
    assert outcome.question.options and "boat" in toy.asked
    assert len(toy.asked) == len({*toy.asked})


@BACKENDS
def test_words_that_only_say_what_a_tag_does_mean_all_of_it(backend: str) -> None:
    wanted = draft("Label", about="stuff", tags=["garden"], add=["x"])
    asked = planned("tag the garden stuff with x", wanted, store=garden(backend)).question
    assert asked.reason == "everything" and not asked.options
    wanted = draft("Label", about="stuff", tags=["boat"], add=["x"])
    found = target("tag the boat stuff with x", wanted, garden(backend))
    assert len(found["ids"]) == 40


@pytest.mark.parametrize("filler", [20, MANY])
@BACKENDS
def test_tags_reach_no_memory_that_was_put_away(backend: str, filler: int) -> None:
    adapter = opened(backend)
    plans = keep(adapter, "2026-01-01", numbered("A plan", 7), "work")
    keep(adapter, "2026-02-01", numbered("A tea", filler))
    do(adapter, "Demote", *plans[:4], archive=True)
    for wanted in (
        draft("Delete", tags=["work"]),
        draft("Delete", tags=["work"], for_good=True),
        draft("Label", tags=["work"], add=["x"]),
        draft("Demote", tags=["work"], archive=True, until="9 May 2030"),
    ):
        outcome = planned("those tagged work", wanted, store=adapter, profile=SMALL).outcome
        program = outcome if isinstance(outcome, Program) else outcome.choose(1)
        shown = execute(program, adapter, context=CONTEXT.dry())
        assert sorted(shown.results[0].affected) == sorted(plans[4:])
    both = [*draft("Demote", tags=["work"], archive=True)["steps"],
            *draft("Label", which="step", add=["x"])["steps"]]  # fmt: skip
    program = planned("archive and tag them", {"steps": both}, store=adapter).outcome
    shown = execute(program, adapter, context=CONTEXT.dry())
    assert sorted(shown.results[1].affected) == sorted(plans[4:])
    adapter.close()


@BACKENDS
def test_a_tag_means_all_that_have_it_however_it_is_spelt(backend: str) -> None:
    adapter = opened(backend)
    keep(adapter, "2026-01-01", numbered("A note", 480), "fun")
    for home in ("home", "Home"):
        keep(adapter, "2026-01-01", numbered("A note", 60), "fun", home)
    keep(adapter, "2026-02-01", numbered("A tea", 30), "cup")
    for tags, many in ((["cup"], 30), (["fun", "home"], 120), (["fun"], 600)):
        outcome = planned("show them", draft("Retrieve", tags=tags), store=adapter).outcome
        assert isinstance(outcome, Program) and outcome.trace and not outcome.trace.warnings
        result = execute(outcome, adapter, context=CONTEXT)
        assert result.ok and len(result.results[0].rows or ()) == many
    wanted = draft("Label", tags=["fun", "home"], add=["x"])
    outcome = planned("tag them", wanted, store=adapter, profile=SMALL).outcome
    shown = execute(outcome, adapter, context=CONTEXT.dry())
    assert len(shown.results[0].affected) == 120
    adapter.close()


@BACKENDS
def test_what_was_looked_at_in_full_is_not_said_to_be_a_part(backend: str) -> None:
    adapter = opened(backend)
    keep(adapter, "2026-01-01", numbered("A loft beam", 257))
    outcome = planned("the loft", draft("Retrieve", about="loft", many=True), store=adapter).outcome
    assert isinstance(outcome, Program) and outcome.trace and not outcome.trace.warnings
    latest = draft("Demote", about="loft", which="latest", archive=True)
    outcome = planned("archive the last of the loft", latest, store=adapter, profile=SMALL).outcome
    assert isinstance(outcome, Program)
    adapter.close()


def test_what_the_store_would_refuse_is_not_offered() -> None:
    adapter = opened("sqlite")
    keep(adapter, "2026-01-01", numbered("A loft beam", 1_001))
    all_ = draft("Delete", which="all")
    asked = planned("delete everything", all_, store=adapter, profile=SMALL).question
    assert asked.reason == "refused" and not asked.options and "1000" in asked.question
    adapter.close()


@pytest.mark.parametrize("words", ["more than 2025 years ago", "before 0001-06-01"])
def test_a_time_at_the_beginning_of_the_calendar_is_no_error(words: str) -> None:
    outcome = planned(
        "what was then?", draft("Retrieve", from_=words), store=garden("plain")
    ).outcome
    assert isinstance(outcome, Program)
