"""LangGraph's store over a store of memories: what every store of theirs does, and what ours adds.

The table of docs/frameworks.md says which behaviours there are. The first part holds LangGraph's
own store in memory to the same assertions, so that they are its behaviours and not our wishes.
"""

from __future__ import annotations

import asyncio
import string
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from tests.doors.frameworks import opened
from tests.doors.talking import Wall
from text2mem.doors.frameworks.langgraph import Text2MemStore
from text2mem.errors import ConfigurationError, ExecutionError, ValidationError
from text2mem.ir.context import ExecutionContext
from text2mem.memory import Memory

PLACES = [("a",), ("a", "b"), ("ab",), ("a", "c", "d"), ("b", "a"), ("a b",), ("a", "B")]


@pytest.fixture
def clock() -> Wall:
    return Wall()


@pytest.fixture
def memory(tmp_path: Path, clock: Wall) -> Iterator[Memory]:
    with opened(tmp_path / "graph.db", clock=clock) as memory:
        yield memory


@pytest.fixture(params=["theirs", "ours"])
def store(request: pytest.FixtureRequest, memory: Memory) -> BaseStore:
    return InMemoryStore() if request.param == "theirs" else Text2MemStore(memory)


@pytest.fixture
def ours(memory: Memory) -> Text2MemStore:
    return Text2MemStore(memory)


def keys(found: list[Any]) -> list[str]:
    return [each.key for each in found]


# --- what every store does -----------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        {"text": "红茶", "n": 1, "f": 1.5, "on": True, "no": None, "in": {"a": [1, {"b": "c"}]}},
        {},
        {"item": {"a": 1}},
        {"subject": "Mira", "attribute": "city", "value": "Bergen"},
        {"text": 'it\'s; DROP TABLE memories -- "quoted" \\ \n'},
    ],
)
def test_a_value_comes_back_exactly(store: BaseStore, value: dict[str, Any]) -> None:
    store.put(("users", "mira"), "k", value)
    item = store.get(("users", "mira"), "k")
    assert item is not None
    assert (item.value, item.key, item.namespace) == (value, "k", ("users", "mira"))
    assert item.created_at.tzinfo is not None and item.created_at <= item.updated_at


def test_an_item_is_found_under_its_own_namespace_and_key_alone(store: BaseStore) -> None:
    for place in PLACES:
        store.put(place, "k", {"place": list(place)})
    store.put(("a",), "K", {"place": "another key"})
    for place in PLACES:
        item = store.get(place, "k")
        assert item is not None and item.value == {"place": list(place)}
    for place, key in [(("a", "b", "k"), "k"), (("a",), "k "), (("A",), "k"), (("a",), "b/k")]:
        assert store.get(place, key) is None


@pytest.mark.parametrize("name", ["re\u0301sume\u0301", "\u1112\u1161\u11ab", "\u212b"])
def test_labels_and_keys_are_found_as_they_are_spelt(store: BaseStore, name: str) -> None:
    composed = unicodedata.normalize("NFC", name)
    for n, spelt in enumerate((name, composed, name)):
        store.put(("docs", spelt), spelt, {"n": n})
    for spelt, n in ((name, 2), (composed, 1)):
        item = store.get(("docs", spelt), spelt)
        assert item is not None and item.value == {"n": n}
        assert [item.value for item in store.search(("docs", spelt), limit=1)] == [{"n": n}]
    store.delete(("docs", name), name)
    assert [item.key for item in store.search(("docs",))] == [composed]


def test_a_put_replaces_and_a_delete_removes(store: BaseStore) -> None:
    store.put(("a",), "k", {"old": 1, "both": 1})
    store.put(("a",), "k", {"new": 2, "both": 2})
    assert [item.value for item in store.search(("a",))] == [{"new": 2, "both": 2}]
    store.delete(("a",), "k")
    store.delete(("a",), "k")
    assert store.get(("a",), "k") is None and store.search(("a",)) == []
    store.put(("a",), "k", {"again": 3})
    assert [item.value for item in store.search(("a",))] == [{"again": 3}]


def test_a_search_takes_in_what_lies_below_whole_labels(store: BaseStore) -> None:
    for place in PLACES:
        store.put(place, "k", {})
    found = {item.namespace for item in store.search(("a",))}
    assert found == {("a",), ("a", "b"), ("a", "c", "d"), ("a", "B")}
    assert len(store.search(())) == len(PLACES)
    assert store.search(("nowhere",)) == []


def test_what_only_looks_alike_takes_no_place_in_a_page(ours: Text2MemStore) -> None:
    for place in ((" a",), (" a",), ("a",)):
        ours.put(place, f"k{len(ours.search((), limit=9))}", {})
    assert [item.namespace for item in ours.search(("a",), limit=1)] == [("a",)]
    assert [item.key for item in ours.search((" a",), limit=1, offset=1)] == ["k1"]


def test_pages_make_up_the_whole(store: BaseStore) -> None:
    for n in range(11):
        store.put(("a", str(n % 3)), f"k{n}", {"n": n, "even": n % 2 == 0})
    whole = keys(store.search(("a",), limit=100))
    assert len(set(whole)) == 11 and len(store.search(("a",))) == 10
    assert [
        k for at in range(0, 12, 4) for k in keys(store.search(("a",), limit=4, offset=at))
    ] == (whole)
    even = keys(store.search(("a",), filter={"even": True}, limit=100))
    assert keys(store.search(("a",), filter={"even": True}, limit=2, offset=3)) == even[3:5]
    assert store.search(("a",), offset=11) == []


@pytest.mark.parametrize(
    ("conditions", "wanted"),
    [
        ({"n": 2}, "b"),
        ({"n": {"$eq": 2}}, "b"),
        ({"n": {"$ne": 2}}, "acd"),
        ({"n": {"$gt": 1, "$lte": 3}}, "bc"),
        ({"n": {"$gte": 3}}, "cd"),
        ({"n": {"$lt": 2}}, "a"),
        ({"in": {"deep": {"x": "b"}}}, "b"),
        ({"list": [1, 3]}, "c"),
        ({"list": (1, 3)}, "c"),
        ({"list": [1, {"$gt": 2}]}, "cd"),
        ({"list": [1]}, ""),
        ({"rows": [{"x": "b"}]}, "b"),
        ({"n": 2, "in": {"deep": {"x": "c"}}}, ""),
        ({"missing": None}, "abcd"),
        ({"missing": 1}, ""),
        ({"n') OR 1=1 --": 2}, ""),
    ],
)
def test_filters(store: BaseStore, conditions: dict[str, Any], wanted: str) -> None:
    for n, key in enumerate("abcd", 1):
        deep = {"deep": {"x": key}, "more": 1}
        rows = [{"x": key, "y": n}]
        store.put(("f",), key, {"n": n, "in": deep, "list": [1, n], "rows": rows})
    assert sorted(keys(store.search(("f",), filter=conditions))) == list(wanted)


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({"prefix": ("a", "b")}, ["a.b.c", "a.b.d.e", "a.b.d.i", "a.b.f"]),
        ({"suffix": ("f",)}, ["a.b.f", "a.c.f", "b.a.f"]),
        ({"prefix": ("a",), "suffix": ("f",)}, ["a.b.f", "a.c.f"]),
        ({"prefix": ("a", "b"), "max_depth": 3}, ["a.b.c", "a.b.d", "a.b.f"]),
        ({"prefix": ("a", "*", "f")}, ["a.b.f", "a.c.f"]),
        ({"suffix": ("*", "f")}, ["a.b.f", "a.c.f", "b.a.f"]),
        ({"prefix": ("*", "a")}, ["b.a.f"]),
        ({"prefix": ("a", "b", "c", "d")}, []),
        ({"prefix": ("a", "b"), "limit": 2}, ["a.b.c", "a.b.d.e"]),
        ({"prefix": ("a", "b"), "offset": 2}, ["a.b.d.i", "a.b.f"]),
        ({"max_depth": 1}, ["a", "b"]),
        ({"prefix": ("none",)}, []),
    ],
)
def test_namespaces_are_listed(store: BaseStore, asked: dict[str, Any], wanted: list[str]) -> None:
    for n, name in enumerate(["a.b.c", "a.b.d.e", "a.b.d.i", "a.b.f", "a.c.f", "b.a.f"]):
        store.put(tuple(name.split(".")), f"k{n}", {"n": n})
    assert [".".join(labels) for labels in store.list_namespaces(**asked)] == wanted


def test_what_was_deleted_leaves_no_namespace_in_ours(ours: Text2MemStore) -> None:
    ours.put(("gone",), "k", {})
    ours.delete(("gone",), "k")
    assert ours.list_namespaces() == []


@pytest.mark.parametrize("place", [(), ("a.b",), ("a", ""), ("a\x00",), (1,), ("langgraph", "a")])
def test_a_name_that_is_none_is_refused(store: BaseStore, place: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(place, "k", {"a": 1})
    assert store.search(()) == []


@pytest.mark.parametrize(
    "place", [(" ",), ("a\n",), ("\u200b",), ("*",), ("a_%",), ("用户", "a/b")]
)
@pytest.mark.parametrize("key", ["", " ", "a/b", "k\n", "%", "*"])
def test_strange_labels_and_keys_are_literal(ours: Text2MemStore, place: Any, key: str) -> None:
    ours.put(place, key, {"a": 1})
    assert [(item.namespace, item.key) for item in ours.search(place)] == [(place, key)]
    assert ours.get(place, key) is not None and ours.get(place, f"{key}!") is None
    assert ours.list_namespaces(prefix=place[:1]) == [place]
    for other in ("a", "", "ab", "a_x"):
        assert other == "" or ours.search((other,)) == []


def test_a_batch_keeps_its_order_and_reads_what_was_there(store: BaseStore) -> None:
    store.put(("t", "a"), "k1", {"d": 1})
    results = store.batch([
        GetOp(("t", "a"), "k1"),
        PutOp(("t", "a"), "k1", {"d": 2}),
        PutOp(("t", "b"), "k2", {"d": 1}),
        PutOp(("t", "b"), "k2", {"d": 3}),
        SearchOp(("t",), filter={"d": 1}),
        ListNamespacesOp((MatchCondition("prefix", ("t",)),)),
        PutOp(("t",), "nothing", None),
        GetOp(("t", "b"), "k2"),
    ])  # fmt: skip
    first, *puts = results[0], results[1], results[2], results[3], results[6]
    assert getattr(first, "value", None) == {"d": 1} and puts == [None] * 4
    assert keys(results[4] or []) == ["k1"]  # type: ignore[arg-type]
    assert results[5] == [("t", "a")] and results[7] is None
    assert [item.value for item in store.search(("t",))] == [{"d": 2}, {"d": 3}]


def test_every_method_is_awaited(store: BaseStore) -> None:
    async def main() -> None:
        places = [("a", str(n)) for n in range(6)]
        await asyncio.gather(*(store.aput(place, "k", {"n": place[1]}) for place in places))
        got = await asyncio.gather(*(store.aget(place, "k") for place in places))
        assert [item.value["n"] for item in got if item is not None] == list("012345")
        await store.adelete(("a", "0"), "k")
        assert len(await store.asearch(("a",))) == 5
        assert len(await store.alist_namespaces(suffix=("1",))) == 1
        with pytest.raises(InvalidNamespaceError):
            await store.aput((), "k", {})

    asyncio.run(main())


def test_a_graph_reads_and_writes_it(store: BaseStore) -> None:
    def node(state: MessagesState, runtime: Runtime[None]) -> dict[str, Any]:
        assert runtime.store is not None
        runtime.store.put(("notes",), "k", {"text": state["messages"][-1].content})
        (item,) = runtime.store.search(("notes",))
        return {"messages": [("ai", item.value["text"])]}

    graph = StateGraph(MessagesState).add_node("node", node)
    compiled = graph.add_edge(START, "node").add_edge("node", END).compile(store=store)
    assert compiled.invoke({"messages": [("user", "Tea.")]})["messages"][-1].content == "Tea."


# --- searching -----------------------------------------------------------------------------


class Letters:
    """An embedder by how often a text holds each letter."""

    model, dimension, threshold = "test:letters", 26, 0.0

    def embed(self, texts: list[str], *, kind: str) -> list[list[float]]:
        counts = [
            [float(text.lower().count(one)) for one in string.ascii_lowercase] for text in texts
        ]
        return [[n / (sum(x * x for x in row) ** 0.5 or 1.0) for n in row] for row in counts]


@pytest.fixture(params=["words", "vectors"])
def searched(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Text2MemStore]:
    embedder: Any = "none" if request.param == "words" else Letters()
    with Memory(tmp_path / "search.db", embedder=embedder) as memory:
        yield Text2MemStore(memory)


def test_a_query_ranks_what_the_namespace_holds(searched: Text2MemStore) -> None:
    for n, text in enumerate(["green apples", "a red car", "red apple pie", "blue sky"]):
        searched.put(("s",), f"k{n}", {"text": text, "n": n})
    searched.put(("other",), "k", {"text": "red apple pie"})
    found = searched.search(("s",), query="red apple pie")
    assert found[0].key == "k2" and len(found) == 4
    scores = [item.score for item in found if item.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert keys(searched.search(("s",), query="red apple pie", filter={"n": {"$lt": 2}})) != []
    paged = [searched.search(("s",), query="red apple", limit=1, offset=n)[0].key for n in range(4)]
    assert paged == keys(searched.search(("s",), query="red apple"))


def test_what_is_not_to_be_indexed_has_no_score(searched: Text2MemStore) -> None:
    searched.put(("s",), "k0", {"text": "red apple pie"}, index=False)
    searched.put(("s",), "k1", {"text": "a red car"})
    first, last = searched.search(("s",), query="red apple pie")
    assert (first.key, last.key, last.score) == ("k1", "k0", None)
    searched.put(("s",), "k0", {"text": "red apple pie"})
    assert keys(searched.search(("s",), query="red apple pie")) == ["k0", "k1"]


@pytest.mark.parametrize(
    ("text", "other"),
    [("这是中文", "日本の電車"), ("Это русский", "другое"), ("한국어 문장", "바다")],
)
def test_a_query_in_any_script(searched: Text2MemStore, text: str, other: str) -> None:
    searched.put(("s",), "no", {"text": other})
    searched.put(("s",), "yes", {"text": text})
    assert searched.search(("s",), query=text)[0].key == "yes"


# --- time to live --------------------------------------------------------------------------


def test_an_item_ends_when_its_time_is_over(ours: Text2MemStore, clock: Wall) -> None:
    ours.put(("t",), "short", {"n": 1}, ttl=30)
    ours.put(("t",), "fraction", {"n": 1}, ttl=0.5)
    ours.put(("t",), "stays", {"n": 1})
    clock.pass_by(minutes=1)
    assert keys(ours.search(("t",), refresh_ttl=False)) == ["short", "stays"]
    clock.pass_by(minutes=29)
    assert ours.get(("t",), "short", refresh_ttl=False) is None
    assert keys(ours.search(())) == ["stays"] and ours.list_namespaces() == [("t",)]
    ours.put(("t",), "short", {"n": 2})
    item = ours.get(("t",), "short")
    assert item is not None and item.value == {"n": 2}


def test_reading_an_item_lets_it_live_on(ours: Text2MemStore, clock: Wall) -> None:
    ours.put(("t",), "got", {}, ttl=10)
    ours.put(("t",), "found", {"f": 1}, ttl=10)
    ours.put(("t",), "left", {}, ttl=10)
    clock.pass_by(minutes=9)
    assert ours.get(("t",), "got") is not None
    assert keys(ours.search(("t",), filter={"f": 1})) == ["found"]
    assert ours.get(("t",), "left", refresh_ttl=False) is not None
    clock.pass_by(minutes=9)
    assert sorted(keys(ours.search(("t",), refresh_ttl=False))) == ["found", "got"]


def test_a_put_sets_the_time_anew_or_takes_it_away(ours: Text2MemStore, clock: Wall) -> None:
    ours.put(("t",), "longer", {}, ttl=10)
    ours.put(("t",), "stays", {}, ttl=10)
    clock.pass_by(minutes=9)
    ours.put(("t",), "longer", {"n": 1}, ttl=20)
    ours.put(("t",), "stays", {"n": 1})
    clock.pass_by(minutes=19)
    assert len(ours.search(("t",), refresh_ttl=False)) == 2
    clock.pass_by(days=9)
    assert keys(ours.search(("t",))) == ["stays"]


def test_the_configuration_says_how_long_and_whether_reading_counts(
    memory: Memory, clock: Wall
) -> None:
    store = Text2MemStore(memory, ttl={"default_ttl": 10, "refresh_on_read": False})
    store.put(("t",), "default", {})
    store.put(("t",), "stays", {}, ttl=None)
    before = len(memory.log())
    clock.pass_by(minutes=9)
    assert len(store.search(("t",))) == 2 and len(memory.log()) == before
    clock.pass_by(minutes=1)
    assert keys(store.search(("t",))) == ["stays"]


@pytest.mark.parametrize("ttl", [0, -1, float("nan"), float("inf"), "5"])
def test_a_time_to_live_that_is_none_is_refused(ours: Text2MemStore, ttl: Any) -> None:
    with pytest.raises(ConfigurationError, match="minutes"):
        ours.put(("t",), "k", {}, ttl=ttl)
    assert ours.search(()) == []


# --- what ours adds ------------------------------------------------------------------------


def test_a_batch_is_one_program_that_an_undo_takes_back(
    ours: Text2MemStore, memory: Memory
) -> None:
    ours.put(("t",), "old", {"n": 1}, ttl=60)
    ours.put(("t",), "gone", {"n": 2})
    ours.batch([
        PutOp(("t",), "old", {"n": 10}), PutOp(("t",), "new", {"n": 3}, ttl=5),
        PutOp(("t",), "gone", None),
    ])  # fmt: skip
    assert len(memory.log()) == 3
    assert sorted(keys(ours.search(("t",), refresh_ttl=False))) == ["new", "old"]
    assert memory.undo_last().ok
    held = {item.key: item.value for item in ours.search(("t",), refresh_ttl=False)}
    assert held == {"old": {"n": 1}, "gone": {"n": 2}}


def test_a_batch_is_kept_whole_or_not_at_all(ours: Text2MemStore, memory: Memory) -> None:
    ours.put(("t",), "locked", {"n": 1})
    lock = {"mode": "read_only"}
    memory.execute({"stage": "STO", "op": "Lock", "target": {"ids": ["1"]}, "args": lock})
    with pytest.raises(ExecutionError, match="lock"):
        ours.batch([PutOp(("t",), "new", {"n": 2}), PutOp(("t",), "locked", {"n": 2})])
    with pytest.raises(ValidationError, match="no JSON"):
        ours.batch([PutOp(("t",), "new", {"n": 2}), PutOp(("t",), "bad", {"n": object()})])
    assert [item.value for item in ours.search(("t",))] == [{"n": 1}]


def test_an_item_is_a_memory_that_the_language_reads_and_corrects(
    ours: Text2MemStore, memory: Memory
) -> None:
    ours.put(("users", "mira"), "ferry", {"text": "The ferry leaves at 11:30.", "n": 1})
    record = memory.show("1")
    assert record is not None
    assert (record.type, record.subject) == ("item", "users.mira")
    assert record.tags == ("users/", "users.mira/", "users.mira/ferry")
    memory.run("The ferry leaves at 12:00 now, not 11:30.")
    item = ours.get(("users", "mira"), "ferry")
    assert item is not None and item.value == {"text": "The ferry leaves at 12:00.", "n": 1}


def test_tenants_and_actors_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    with (
        opened(path, tenant="acme", actor="ann") as ann,
        opened(path, tenant="acme", actor="bob") as bob,
        opened(path, tenant="other") as other,
    ):
        Text2MemStore(ann).put(("t",), "k", {"of": "ann"}, ttl=10)
        for stranger in (Text2MemStore(bob), Text2MemStore(other)):
            assert stranger.get(("t",), "k") is None and stranger.search(()) == []
            assert stranger.list_namespaces() == []
            stranger.delete(("t",), "k")
            stranger.put(("t",), "k", {"of": "another"})
        item = Text2MemStore(ann).get(("t",), "k")
        assert item is not None and item.value == {"of": "ann"}


def test_what_may_only_be_read_does_not_live_on_by_it(tmp_path: Path) -> None:
    clock, path = Wall(), tmp_path / "shared.db"
    team = ExecutionContext(tenant="acme", actor="bob", roles=frozenset({"team"}), clock=clock)
    with (
        opened(path, tenant="acme", actor="ann", clock=clock) as ann,
        Memory(path, context=team, embedder="none") as bob,
    ):
        Text2MemStore(ann).put(("t",), "k", {"of": "ann"}, ttl=10)
        level = {"set": {"read_perm_level": "team"}}
        ann.execute({"stage": "STO", "op": "Update", "target": {"ids": ["1"]}, "args": level})
        clock.pass_by(minutes=9)
        assert Text2MemStore(bob).get(("t",), "k") is not None
        with pytest.raises(ExecutionError):
            Text2MemStore(bob).put(("t",), "k", {"of": "bob"})
        clock.pass_by(minutes=1)
        assert Text2MemStore(bob).get(("t",), "k") is None


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda store: store.search(("t",), filter={"n": {"$regex": "x"}}), "no operator"),
        (lambda store: store.search(("t",), query=5), "query is 5, and no text"),
        (lambda store: store.batch(["get"]), "no operation"),
        (lambda store: store.put(("t",), "other", [1]), "no value of an item"),
    ],
)
def test_what_is_asked_wrongly_is_refused(
    ours: Text2MemStore, call: Callable[[Text2MemStore], object], told: str
) -> None:
    ours.put(("t",), "k", {"n": 1})
    with pytest.raises(ConfigurationError, match=told):
        call(ours)
