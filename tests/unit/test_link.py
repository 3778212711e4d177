"""Link: the memories that a step's words stand for, or nothing, or several that are as likely."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

import pytest

from tests.fixtures import ROOT, case_id, cases, faults
from tests.planning import step as instance
from text2mem import Memory
from text2mem.adapters.base import Adapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import Attributes, Content, Encode
from text2mem.ir.turn import Turn
from text2mem.planner.ask import Ask
from text2mem.planner.draft import Step
from text2mem.planner.link import Linker
from text2mem.planner.linked import Link
from text2mem.running import execute
from text2mem_bench.oracle.adapter import PlainAdapter

CASES = list(cases("link"))
STORES = json.loads((ROOT / "link" / "stores.json").read_text("utf-8"))


STRANGERS = 300
"""How many memories that no case means may stand before a store's own."""


@cache
def opened(name: str, backend: str, strangers: str = "") -> Adapter:
    """A store of the fixtures, with newer memories, or newer ones that are deleted; nothing here
    writes to it."""
    adapter: Adapter = PlainAdapter() if backend == "plain" else SqliteAdapter(":memory:")
    for number, memory in enumerate(STORES[name]["memories"], 1):
        at = ExecutionContext(clock=FixedClock(datetime.fromisoformat(memory["created"])))
        args = {key: memory[key] for key in ("tags", "time") if key in memory}
        steps = [instance("Encode", payload={"text": memory["text"]}, **args)]
        target = {"ids": [str(number)]}
        steps += [instance("Demote", target, archive=True)] * bool(memory.get("archived"))
        steps += [instance("Delete", target)] * bool(memory.get("deleted"))
        assert execute(steps, adapter, context=at).ok
    if strangers:
        now = datetime.fromisoformat(STORES[name]["now"])
        at = ExecutionContext(clock=FixedClock(now), confirmed=True)
        tag = Attributes(tags=("stranger",))
        ops = [
            Encode(content=Content("text", f"Lamp {n} of the depot flickers"), attributes=tag)
            for n in range(STRANGERS)
        ]
        adapter.reserve_ids(1_000)
        Memory(adapter, context=at).encode_many(ops)
        if strangers == "deleted":
            target = {"filter": {"has_tags": ["stranger"]}}
            assert execute([instance("Delete", target)], adapter, context=at).ok
    return adapter


def linked(case: dict[str, Any], backend: str, embedder: Any = None, strangers: str = "") -> Link:
    held = STORES[case["store"]]
    now, tz = datetime.fromisoformat(held["now"]), ZoneInfo(held["tz"])
    context = ExecutionContext(clock=FixedClock(now), tz=tz)
    view = opened(case["store"], backend, strangers).view(context)
    turns = [
        Turn(turn) if isinstance(turn, str) else Turn(turn["text"], tuple(turn["ids"]))
        for turn in case.get("turns", ())
    ]
    linker = Linker(Ask("", now, tuple(turns), view, None, embedder, tz))
    links = [
        linker.link(Step(step["op"], {k: v for k, v in step.items() if k != "op"}))
        for step in case["input"]
    ]
    return links[-1]


def ids(records: Sequence[Any]) -> list[str]:
    return [record.id for record in records]


@pytest.mark.parametrize("backend", ["plain", "sqlite"])
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_step_means_what_its_fixture_says(case: dict[str, Any], backend: str) -> None:
    check(linked(case, backend), case["expected"])


def meets(step: dict[str, Any], strangers: str) -> bool:
    """Whether a step means memories of now that it says no words of: strangers, too."""
    wordless = not {"about", "tags"} & set(step)
    if strangers == "deleted":
        return wordless and step.get("state") == "deleted"
    newest = step.get("which") in ("latest", "all") and wordless
    return newest or step.get("from") == "三月起"


BESIDE = [
    pytest.param(case, strangers, id=f"{case_id(case)} {strangers}")
    for case in CASES
    for strangers in ("in sight", "deleted")
    if not any(meets(step, strangers) for step in case["input"])
]


@pytest.mark.parametrize("backend", ["plain", "sqlite"])
@pytest.mark.parametrize(("case", "strangers"), BESIDE)
def test_a_step_means_the_same_beside_many_newer_memories(
    case: dict[str, Any], backend: str, strangers: str
) -> None:
    check(linked(case, backend, strangers=strangers), case["expected"])


def check(link: Link, expected: dict[str, Any]) -> None:
    if "ids" in expected:
        assert sorted(link.ids, key=int) == expected["ids"]
    if "ordered" in expected:
        assert list(link.ids) == expected["ordered"]
    if "among" in expected:
        assert set(expected["among"]) <= set(link.ids)
    rivals = {*link.ids, *ids(link.rivals)} if "rivals" in expected else set()
    assert set(expected.get("rivals", ())) <= rivals
    assert bool(link.rivals) == ("rivals" in expected)
    assert link.missing == expected.get("missing", "")
    assert link.everything == expected.get("everything", False)
    assert link.step == expected.get("step")
    if "tags" in expected:
        assert link.filter == {"has_tags": tuple(expected["tags"])}
    if "primary" in expected:
        assert link.primary is not None and link.primary.id == expected["primary"]
    assert link.named == expected.get("named", link.named)


def test_fixture_cases_fit_their_schema_and_have_their_own_ids() -> None:
    assert faults("link", CASES) == []
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert {case["store"] for case in CASES} == set(STORES)


# --- what is near --------------------------------------------------------------------------


def of(store: str, *steps: Any, **rest: Any) -> Link:
    return linked({"store": store, "input": list(steps), **rest}, "plain")


def test_where_nothing_is_found_what_is_nearest_is_known() -> None:
    link = of("house", {"op": "Delete", "about": "zeppelin hangar"})
    assert link.records == () and 0 < len(link.near) <= 3


@pytest.mark.parametrize("about", ["", "…", "?", "的", "the", "a" * 2_000, "' OR 1=1"])
def test_strange_words_are_no_error(about: str) -> None:
    for backend in ("plain", "sqlite"):
        case = {"store": "house", "input": [{"op": "Retrieve", "about": about}]}
        assert isinstance(linked(case, backend), Link)


def test_a_link_is_as_certain_as_its_words_are_like_a_memory() -> None:
    exact = of("house", {"op": "Delete", "about": "passport renewal form blue folder"})
    loose = of("house", {"op": "Delete", "about": "passport of my granny in the attic"})
    assert exact.certainty > loose.certainty
    assert of("house", {"op": "Delete", "ids": ["6"]}).certainty == 1.0


def test_without_a_store_ids_and_turns_stand_as_they_are() -> None:
    linker = Linker(Ask("", datetime(2026, 3, 4), (Turn("x", ("4",)),)))
    assert linker.link(Step("Delete", {"ids": ["1", "2"]})).ids == ("1", "2")
    assert linker.link(Step("Delete", {"which": "earlier"})).ids == ("4",)
    assert linker.link(Step("Delete", {"which": "all"})).everything
    assert linker.link(Step("Delete", {"about": "milk"})).missing == "milk"


# --- by meaning ----------------------------------------------------------------------------


class Meanings:
    """An embedder that knows a few words' meanings."""

    model, dimension, threshold = "toy:meanings", 3, 0.5
    known: ClassVar = {
        "ferry": (1.0, 0.0, 0.0),
        "boat": (1.0, 0.0, 0.0),
        "dentist": (0.0, 1.0, 0.0),
    }

    def embed(self, texts: Sequence[str], *, kind: str) -> list[tuple[float, ...]]:
        self.asked = [*getattr(self, "asked", []), *texts]
        return [
            next((v for word, v in self.known.items() if word in text.casefold()), (0.0, 0.0, 1.0))
            for text in texts
        ]


@pytest.mark.parametrize("backend", ["plain", "sqlite"])
def test_a_memory_is_found_by_what_it_means(backend: str) -> None:
    adapter: Adapter = PlainAdapter() if backend == "plain" else SqliteAdapter(":memory:")
    now = datetime.fromisoformat("2026-03-04T10:30:00Z")
    context = ExecutionContext(clock=FixedClock(now))
    toy = Meanings()
    for text in ("The ferry leaves at eight", "Dentist on Tuesday", "Milk is out"):
        encode = instance("Encode", payload={"text": text})
        assert execute(encode, adapter, context=context, embedder=toy).ok
    linker = Linker(Ask("", now, (), adapter.view(context), None, toy))
    toy.asked = []
    about = Step("Retrieve", {"about": "the boat"})
    assert linker.link(about).ids[:1] == ("1",)
    linker.link(about)
    assert toy.asked == ["the boat"]  # once, however often it is ranked by
    adapter.close()


@pytest.mark.parametrize("op", ["Retrieve", "Summarize"])
def test_what_was_split_is_not_read_beside_its_parts(op: str) -> None:
    store = SqliteAdapter(":memory:")
    text = "The quiz has six pictures. The quiz has five riddles."
    execute(instance("Encode", payload={"text": text}), store)
    execute(instance("Split", {"ids": ["1"]}, strategy="by_sentences"), store)
    execute(instance("Update", {"ids": ["2"]}, replace={"old": "six", "new": "nine"}), store)
    ask = Ask(
        "", datetime(2026, 3, 4, tzinfo=ZoneInfo("UTC")), store=store.view(ExecutionContext())
    )
    for many in (True, False):
        found = Linker(ask).link(Step(op, {"about": "quiz", "many": many}))
        assert set(ids(found.records)) == {"2", "3"}
    found = Linker(ask).link(Step(op, {"ids": ["1"]}))
    assert ids(found.records) == ["1"]
