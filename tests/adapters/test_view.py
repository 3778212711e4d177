"""What a planner may see of a store, on both backends: rights, sight, order, and how they agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Literal

import pytest

from tests.postgres import server
from text2mem import Memory
from text2mem.adapters.base import Adapter, Embedding
from text2mem.adapters.postgres.adapter import PostgresAdapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.adapters.viewing import SELECT_LIMIT
from text2mem.clock import FixedClock
from text2mem.errors import ExecutionError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByFilter, Content, Encode
from text2mem.ir.ports import Selection, StoreView
from text2mem.ir.times.temporal import TimeRange
from text2mem.ir.values import as_text
from text2mem_bench.oracle.adapter import PlainAdapter

Include = tuple[Literal["archived", "deleted"], ...]
NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


class Place:
    """A store, and the actors who use it."""

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter

    def context(
        self, actor: str | None = None, *roles: str, at: datetime = NOW
    ) -> ExecutionContext:
        return ExecutionContext(
            tenant="home", actor=actor, roles=frozenset(roles), clock=FixedClock(at),
            confirmed=True,
        )  # fmt: skip

    def view(self, actor: str | None = None, *roles: str, at: datetime = NOW) -> StoreView:
        return self.adapter.view(self.context(actor, *roles, at=at))

    def run(self, *program: Mapping[str, Any], actor: str | None = None) -> None:
        result = Memory(self.adapter, context=self.context(actor)).execute(list(program))
        assert result.ok, result

    def keep(self, text: str, *tags: str, actor: str | None = None, **args: Any) -> None:
        """The next id, counted from 1."""
        payload = {"payload": {"text": text}, "tags": list(tags), **args}
        self.run({"stage": "ENC", "op": "Encode", "args": payload}, actor=actor)

    def fact(
        self, subject: str, attribute: str, value: str, *, actor: str | None = None, **args: Any
    ) -> None:
        content = {"subject": subject, "attribute": attribute, "value": value}
        payload = {"payload": {"structured": content}, **args}
        self.run({"stage": "ENC", "op": "Encode", "args": payload}, actor=actor)

    def do(self, op: str, *ids: str, **args: Any) -> None:
        self.run({"stage": "STO", "op": op, "target": {"ids": list(ids)}, "args": args})


def on_postgres(tenant: str) -> Adapter:
    return PostgresAdapter(server().prepared("adapters"), tenant=tenant)


@pytest.fixture(
    params=[PlainAdapter, SqliteAdapter, on_postgres], ids=["plain", "sqlite", "postgres"]
)
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    with closing(request.param(tenant="home")) as adapter:
        yield Place(adapter)


def found(view: StoreView, query: str, **options: Any) -> list[str]:
    return [record.id for record in view.search(query, **options)]


def total(view: StoreView) -> int:
    """How many memories are in sight."""
    return view.everything(1).matched


# --- vocabulary ----------------------------------------------------------------------------


def test_a_vocabulary_names_what_selectors_can_name_by_frequency_then_alphabet(
    place: Place,
) -> None:
    place.keep("a", "run", "food", subject="Lena")
    place.keep("b", "food", "art")
    place.keep("c")
    place.fact("Lena", "city", "Graz")
    seen = place.view().vocabulary()
    assert seen.tags == ("food", "art", "run")
    assert seen.subjects == ("Lena",)
    assert seen.attributes == ("city",)
    assert total(place.view()) == 4


def test_each_kind_of_a_vocabulary_is_cut_at_the_limit(place: Place) -> None:
    place.keep("a", "x", "y", "z")
    for subject, attribute in (("Ana", "city"), ("Bo", "job"), ("Cem", "likes")):
        place.fact(subject, attribute, "tea")
    seen = place.view().vocabulary(2)
    assert (seen.tags, seen.subjects) == (("x", "y"), ("Ana", "Bo"))
    assert seen.attributes == ("city", "job")


def test_an_empty_store_has_an_empty_vocabulary(place: Place) -> None:
    assert not any(astuple(place.view().vocabulary())) and total(place.view()) == 0
    assert place.view().search("anything") == []
    assert place.view().find(["1"]) == {}
    assert place.view().select(ByFilter(type="plan")) == Selection((), 0)


def test_beyond_its_reach_a_vocabulary_is_that_of_the_newest(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("text2mem_bench.oracle.view", "text2mem.adapters.sql.view"):
        monkeypatch.setattr(f"{module}.VIEW_REACH", 2)
    for year, tags in ((2020, "old"), (2021, "new"), (2022, "new newer")):
        place.keep(str(year), *tags.split(), time=f"{year}-01-01T00:00:00Z")
    view = place.view()
    assert (view.vocabulary().tags, total(view)) == (("new", "newer"), 3)
    place.do("Demote", "1", archive=True)
    assert view.vocabulary(include=("archived",)).tags == ("new", "newer", "old")
    assert total(view) == 2
    assert [row.text for row in view.recent()] == ["2022", "2021"]


@pytest.mark.parametrize("actor", [None, "ana"])
def test_a_ledger_is_told_what_it_needs(place: Place, actor: str | None) -> None:
    place.fact("Ana", "city", "Bergen", actor=actor)
    for text in ("boat", "shed"):
        place.keep(text, "t1", actor=actor)
    place.fact("Ana", "likes", "tea", actor=actor)
    view = place.adapter.view(place.context(actor))
    assert [row.id for row in view.recent(9, facts=True)] == ["4", "1"]
    assert [row.id for row in view.recent(2, facts=True)] == ["4", "1"]
    assert [row.id for row in view.recent(1, facts=True)] == ["4"]
    told = [place.adapter.view(place.context(actor)).recent_subjects(n) for n in (9, 2, 1)]
    assert told == [["ana", "ana"], ["ana", "ana"], ["ana"]]
    told = [view.vocabulary(facts=n) for n in (9, 2)]
    assert [each.attributes for each in told] == [("city", "likes")] * 2
    assert [each.subjects for each in told] == [("Ana",)] * 2
    assert not told[0].tags and view.vocabulary().tags == ("t1",)
    assert total(view) == 4


def test_a_facet_is_told_by_its_text() -> None:
    assert [as_text(value) for value in ("é", 2, 2.5, False)] == ["é", "2", "2.5", "false"]


# --- sight ---------------------------------------------------------------------------------


def test_what_a_read_would_not_show_is_out_of_sight_unless_it_is_asked_for(place: Place) -> None:
    place.keep("apple one", "t1")
    place.keep("apple two", "t2")
    place.keep("apple three", "t3")
    place.do("Demote", "2", archive=True)
    place.do("Delete", "3")
    view = place.view()
    cases: tuple[tuple[Include, list[str]], ...] = (
        ((), ["1"]),
        (("archived",), ["1", "2"]),
        (("deleted",), ["1", "3"]),
        (("archived", "deleted"), ["1", "2", "3"]),
    )
    for include, ids in cases:
        assert view.vocabulary(include=include).tags == tuple(f"t{id_}" for id_ in ids)
        assert sorted(found(view, "apple", include=include)) == ids
        chosen = view.select(ByFilter(weight_gte=0, include=include))
        assert sorted(row.id for row in chosen.rows) == ids and chosen.matched == len(ids)
        everything = view.everything(9, include=include)
        assert sorted(row.id for row in everything.rows) == ids
    assert sorted(view.find(["1", "2", "3"])) == ["1", "2", "3"]
    assert view.tags() == ["t1"] and total(view) == 1


def test_what_is_due_is_out_of_sight_before_it_is_carried_out(place: Place) -> None:
    for action in ("soft_delete", "hard_delete", "demote", "anonymize"):
        place.keep(f"pear {action}", action, type=action)
    place.keep("pear kept", "kept")
    place.keep("pear gone", "gone")
    for id_, action in enumerate(("soft_delete", "hard_delete", "demote", "anonymize"), 1):
        place.do("Expire", str(id_), ttl="P1D", on_expire=action)
    before, after = place.view(), place.view(at=NOW + 2 * DAY)
    assert len(found(before, "pear")) == total(before) == 6
    place.do("Delete", "6")
    everything: Include = ("archived", "deleted")
    assert found(after, "pear") == ["5"]
    assert found(after, "pear", limit=1) == ["5"]
    assert after.vocabulary().tags == ("kept",)
    assert after.tags() == ["kept"]
    assert [row.id for row in after.recent()] == ["5"]
    assert [row.id for row in after.select(ByFilter(weight_gte=0, limit=1)).rows] == ["5"]
    assert sorted(after.find(["1", "2", "3", "4", "5", "6"])) == ["5", "6"]
    assert sorted(found(after, "pear", include=everything)) == ["5", "6"]
    assert after.vocabulary(include=everything).tags == ("gone", "kept")


def test_nothing_is_hidden_behind_what_is_due(place: Place) -> None:
    """However much ends at once, and was not carried out yet."""
    place.keep("pear of old", "kept")
    many = Memory(place.adapter, context=place.context(at=NOW + DAY), embedder="none")
    payload, ends = Content("text", "a pear for sale"), NOW + 2 * DAY
    many.encode_many([Encode(content=payload, expire_at=ends) for _ in range(300)])
    before, after = place.view(at=NOW + DAY), place.view(at=NOW + 3 * DAY)
    assert (total(before), total(after)) == (301, 1)
    assert found(before, "pear", limit=1) != found(after, "pear", limit=1) == ["1"]
    for wanted in (ByFilter(weight_gte=0), ByFilter(limit=1), ByFilter(limit=1, order="oldest")):
        assert [row.id for row in after.select(wanted).rows] == ["1"]
    assert [row.id for row in after.recent()] == ["1"]


def test_facts_are_seen_while_they_hold(place: Place) -> None:
    place.fact("Lena", "city", "Graz", valid_from="2027-01-01T00:00:00Z")
    place.fact("Lena", "city", "Bern", valid_from="2027-02-01T00:00:00Z", topic="moving")
    place.fact("Lena", "job", "baker", valid_from="2027-06-01T00:00:00Z")
    view = place.view()
    assert view.vocabulary().attributes == ("city",)
    assert total(view) == 1
    assert found(view, "city Lena") == ["2"]
    assert place.view(at=NOW + 200 * DAY).vocabulary().attributes == ("city", "job")


# --- rights --------------------------------------------------------------------------------


def test_nothing_is_told_of_what_the_actor_may_not_read(place: Place) -> None:
    levels: tuple[dict[str, Any], ...] = (
        {"read_perm_level": "public"},
        {"read_perm_level": "team"},
        {"read_perm_level": "private"},
        {"read_perm_level": "custom", "read_whitelist": ["bob"]},
        {"read_perm_level": "public", "read_blacklist": ["bob"]},
    )
    for id_, level in enumerate(levels, 1):
        place.keep(
            "secret plum", f"tag{id_}", actor="ana", subject=f"who{id_}", **level,
        )  # fmt: skip
    for view, ids in (
        (place.view("bob"), ["1", "4"]),
        (place.view("bob", "team"), ["1", "2", "4"]),
        (place.view("eve"), ["1", "5"]),
        (place.view("ana"), ["1", "2", "3", "4", "5"]),
        (place.view(), ["1", "2", "3", "4", "5"]),
    ):
        seen = view.vocabulary()
        for values, kind in ((seen.tags, "tag"), (seen.subjects, "who")):
            assert values == tuple(f"{kind}{id_}" for id_ in ids)
        assert total(view) == len(ids)
        assert sorted(found(view, "plum")) == ids
        assert sorted(view.find(["1", "2", "3", "4", "5"])) == ids
        assert sorted(row.id for row in view.select(ByFilter(weight_gte=0)).rows) == ids
        assert view.tags() == [f"tag{id_}" for id_ in ids]


def test_a_view_is_of_one_tenant() -> None:
    one = SqliteAdapter(tenant="one")
    context = ExecutionContext(tenant="two", clock=FixedClock(NOW))
    with closing(one), pytest.raises(Exception, match="tenant"):
        one.view(context)
    with pytest.raises(Exception, match="tenant"):
        PlainAdapter("one").view(context)


def test_tenants_of_one_file_see_nothing_of_each_other(tmp_path: Any) -> None:
    path = tmp_path / "store.db"
    for tenant in ("one", "two"):
        with closing(SqliteAdapter(path, tenant=tenant)) as adapter:
            context = ExecutionContext(tenant=tenant, clock=FixedClock(NOW))
            memory = Memory(adapter, context=context)
            args = {"payload": {"text": f"plum of {tenant}"}, "tags": [tenant]}
            memory.execute([{"stage": "ENC", "op": "Encode", "args": args}])
    with closing(SqliteAdapter(path, tenant="two")) as adapter:
        view = adapter.view(ExecutionContext(tenant="two", clock=FixedClock(NOW)))
        assert view.vocabulary().tags == ("two",)
        assert total(view) == 1
        assert [record.text for record in view.search("plum")] == ["plum of two"]
        assert [row.text for row in view.find(["1", "2"]).values()] == ["plum of two"]
        assert len(view.select(ByFilter(weight_gte=0)).rows) == 1


# --- searches, ids, filters ----------------------------------------------------------------


def test_a_search_finds_what_holds_a_word_of_it_the_best_first(place: Place) -> None:
    place.keep("blue boat")
    place.keep("blue sky over green hills")
    place.keep("a red car")
    view = place.view()
    assert found(view, "blue boat race trip") == ["1", "2"]
    assert found(view, "blue", limit=1) == ["1"]
    assert found(view, "violin") == []
    assert found(view, "") == []


def test_a_vector_finds_what_words_do_not(place: Place) -> None:
    for text in ("boat", "ship", "car"):
        place.keep(text)
    embedding = Embedding("toy:one", 0.5)
    assert found(place.view(), "boat", vector=(1.0, 0.0)) == ["1"]
    place.adapter.set_vectors(embedding, {"1": (1.0, 0.0), "2": (0.8, 0.6), "3": (0.0, 1.0)})
    assert found(place.view(), "boat", vector=(1.0, 0.0)) == ["1", "2"]
    assert found(place.view(), "boat") == ["1"]
    with pytest.raises(ExecutionError, match="3 components"):
        place.view().search("boat", vector=(1.0, 0.0, 0.0))


@pytest.mark.parametrize("id_", ["0", "-1", "x", "", "1 OR 1", "９", "1" * 40, "$1"])
def test_an_id_that_is_none_is_not_found(place: Place, id_: str) -> None:
    place.keep("a")
    assert list(place.view().find([id_, "1", "1"])) == ["1"]


def test_a_filter_gives_its_memories_in_its_order_and_not_too_many(place: Place) -> None:
    for number in range(SELECT_LIMIT + 2):
        place.keep(f"n{number}", "many", time=f"{1800 + number // 12}-01-01T00:00:00Z")
    place.keep("other", "few")
    view = place.view()
    for limit in (None, 9999):
        found = view.select(ByFilter(has_tags=("many",), limit=limit))
        assert len(found.rows) == SELECT_LIMIT
        assert found.matched == SELECT_LIMIT + 2 and found.cut
    rows = view.select(ByFilter(has_tags=("many",), limit=2)).rows
    assert rows[0].when >= rows[1].when
    few = view.select(ByFilter(has_tags=("few",)))
    assert [row.text for row in few.rows] == ["other"] and not few.cut
    assert len(view.everything(SELECT_LIMIT + 9).rows) == SELECT_LIMIT + 3
    assert view.everything(7).matched == SELECT_LIMIT + 3


def test_a_filter_goes_by_when_memories_were_made_where_that_is_asked(place: Place) -> None:
    for text, time in (("a", "2027-07-01"), ("b", "2020-01-01"), ("c", "2027-03-05")):
        place.keep(text, "t1", time=f"{time}T09:00:00Z")
    place.keep("d", "t2")
    view = place.view()

    def texts(filter: ByFilter, *stretches: TimeRange) -> str:
        return "".join(row.text for row in view.select(filter, noted=stretches).rows)

    assert texts(ByFilter()) == "dcba" and texts(ByFilter(order="oldest", limit=3)) == "abc"
    assert texts(ByFilter(has_tags=("t1",))) == "cba"
    july = TimeRange(NOW + 100 * DAY, NOW + 150 * DAY)
    then = TimeRange(NOW - 3000 * DAY, NOW - 2000 * DAY)
    assert texts(ByFilter(), july) == "a" and texts(ByFilter(order="oldest"), july, then) == "ab"
    assert texts(ByFilter(), TimeRange(NOW - DAY, NOW)) == "dcba"  # all of them were made then
    assert texts(ByFilter(has_tags=("t2",)), july) == ""
    assert view.select(ByFilter(limit=1), noted=(july, then)).matched == 2


def test_words_of_a_query_are_values_and_no_syntax(place: Place) -> None:
    place.keep('say "near" or not')
    for query in ('"', "near(", "a* OR b", "'; DROP TABLE memories; --", "\x00", "say:near"):
        place.view().search(query)
    place.view().select(ByFilter(has_tags=("'; DROP TABLE memories; --",)))
    assert total(place.view()) == 1


def test_a_view_follows_the_store(place: Place) -> None:
    view = place.view()
    place.keep("later", "later")
    assert view.vocabulary().tags == ("later",)
    with pytest.raises(RuntimeError), place.adapter.transaction():
        place.keep("lost", "lost")
        assert view.vocabulary().tags == ("later", "lost")
        raise RuntimeError
    assert view.vocabulary().tags == ("later",)


def test_a_demotion_that_is_over_is_seen_no_more(place: Place) -> None:
    place.keep("blue boat", "t1")
    place.do("Demote", "1", archive=True, until="2027-03-02T12:00:00Z")
    for at, seen in ((NOW, []), (NOW + DAY, ["1"])):
        view = place.view(at=at)
        assert [row.id for row in view.recent()] == seen
        assert found(view, "boat") == seen
        assert [row.id for row in view.select(ByFilter(has_tags=("t1",))).rows] == seen
        assert list(view.tags()) == ["t1" for _ in seen]
        assert total(view) == len(seen)
        assert view.find(["1"])["1"].archived is not bool(seen)
    assert place.view(at=NOW).find(["1"])["1"].archived  # nothing of it was kept


def test_both_backends_show_the_same() -> None:
    chance = Random(5)
    words = ["blue", "boat", "race", "trip", "sky", "船票", "马拉松", "青岛", "planted", "plants"]
    places = [Place(PlainAdapter(tenant="home")), Place(SqliteAdapter(tenant="home"))]
    for number in range(60):
        text = " ".join(chance.sample(words, 3))
        args: dict[str, Any] = {
            "time": f"2026-{1 + number % 12:02}-01T00:00:00Z",
            "read_perm_level": chance.choice(["public", "private", "team"]),
            "facets": {chance.choice("ab"): chance.choice(["x", 1, True])},
            "type": chance.choice(["plan", "idea"]), "subject": chance.choice(["Ana", "何雨"]),
        }  # fmt: skip
        tags = chance.sample(["t1", "t2", "旅行", "T1"], 2)
        for place in places:
            place.keep(text, *tags, actor=owner(number), **args)
    for number in range(1, 60, 7):
        for place in places:
            place.do("Demote", str(number), archive=True)
            place.do("Delete", str(number + 1))
            place.do("Expire", str(number + 2), ttl="P1D")
            place.do("Demote", str(number + 3), archive=True, until="2027-03-02T12:00:00Z")
    for at in (NOW, NOW + 2 * DAY):
        for actor in (None, "ana", "bob"):
            for include in ((), ("archived", "deleted")):
                memory, sqlite = (shown(place, actor, at, include) for place in places)
                assert memory == sqlite
    for place in places:
        place.adapter.close()


def owner(number: int) -> str | None:
    return (None, "ana", "bob")[number % 3]


def shown(place: Place, actor: str | None, at: datetime, include: Include) -> list[Any]:
    """Everything that a view tells, of a fixed set of questions."""
    view = place.view(actor, "team", at=at)
    hits = [
        found(view, query, limit=9, include=include)
        for query in ("blue boat", "马拉松 青岛", "plants", "race 船票 sky trip", "T1 Ana")
    ]
    kept = view.select(ByFilter(has_tags=("t1",), include=include)).rows
    return [
        view.vocabulary(include=include), view.vocabulary(2), total(view), list(view.tags()), hits,
        [row.id for row in view.recent(99)], [row.id for row in kept],
        sorted(view.find([str(n) for n in range(80)])),
    ]  # fmt: skip
