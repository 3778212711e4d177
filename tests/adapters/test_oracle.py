"""The adapter contract on the plain model, called directly: no executor in between."""

from __future__ import annotations

from datetime import timedelta, timezone
from math import log
from zoneinfo import ZoneInfo

import pytest

from tests.adapters.plain_store import ALL, DAY, NOW, Store
from text2mem.adapters.base import Effect
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import (
    ByFilter,
    ByIds,
    BySearch,
    Content,
    Delete,
    Demote,
    Expire,
    Label,
    Lock,
    LockPolicy,
    Merge,
    Promote,
    RelativeRange,
    Remind,
    Split,
)
from text2mem.ir.times.duration import Duration
from text2mem.ir.times.rrule import zone_key, zone_of
from text2mem.ir.words.splitting import chunks, sentence_groups, sentences


@pytest.fixture
def store() -> Store:
    return Store()


def reminding(store: Store) -> list[str]:
    return [row.id for row in store.adapter.records(store.context, store.now, reminds=True)]


def test_a_failed_transaction_gives_ids_memories_and_journal_back(store: Store) -> None:
    store.text("kept")
    with pytest.raises(RuntimeError), store.adapter.transaction():
        store.text("lost")
        with pytest.raises(KeyError), store.adapter.transaction():
            store.run(Delete(target=ALL, soft=False), "1")
            raise KeyError
        assert store.row("1").text == "kept"
        store.step("t", store.run(Demote(target=ALL, archive=True), "1"))
        raise RuntimeError
    assert store.ids(ALL) == ["1"]
    assert store.adapter.entries(store.context) == []
    assert store.adapter.mark(store.context) == 0
    store.run(Delete(target=ALL, soft=False), store.text("second"))
    assert store.text("third") == "3"  # 2 was given out and committed


def test_another_tenant_is_refused(store: Store) -> None:
    with pytest.raises(ConfigurationError):
        store.adapter.active(ExecutionContext(tenant="other"))


def test_ids_come_in_the_order_of_mention_and_deleted_ones_are_absent(store: Store) -> None:
    for text in "abc":
        store.text(text)
    store.run(Delete(target=ALL), "2")
    store.run(Demote(target=ALL, archive=True), "3")
    assert store.ids(ByIds(("3", "1", "2", "9", "1"))) == ["3", "1"]
    assert store.ids(ByIds(("2",)), deleted=True) == ["2"]
    assert store.ids(ALL) == ["1"]
    assert store.adapter.active(store.context) == 1


def test_a_filter_is_a_conjunction_newest_first(store: Store) -> None:
    store.text("a", tags=("x", "y"), facets={"n": 1}, time=NOW - DAY)
    store.text("b", tags=("x",), facets={"n": True}, time=NOW - 7 * DAY)
    store.text("c", tags=("X",))
    assert store.ids(ByFilter(has_tags=("x", "y"))) == ["1"]
    assert store.ids(ByFilter(has_tags=("y", "X"), match="any")) == ["3", "1"]
    assert store.ids(ByFilter(not_tags=("y",))) == ["3", "2"]
    assert store.ids(ByFilter(facets={"n": 1})) == ["1"]
    week = ByFilter(time_range=RelativeRange("last", 7, "days"), limit=2)
    found = store.adapter.resolve(week, store.scope())
    assert ([row.id for row in found.rows], found.matched) == (["3", "1"], 3)
    assert store.ids(ByFilter(weight_gte=0.5, has_tags=("x",))) == ["1", "2"]


def test_rows_that_the_actor_may_not_read_are_not_there(store: Store) -> None:
    store.context = ExecutionContext(actor="ann")
    store.text("mine")
    store.text("everybody's", read_perm_level="public")
    store.context = ExecutionContext(actor="bob")
    assert store.ids(ByIds(("1", "2"))) == ["2"]
    assert store.adapter.active(store.context) == 2


def test_a_search_ranks_by_bm25_over_all_indexed_memories(store: Store) -> None:
    store.text("tea tea with milk")
    store.text("green tea")
    store.text("coffee")
    store.text("nothing of that kind")
    store.run(Delete(target=ALL), "4")
    found = store.adapter.resolve(BySearch(query="tea"), store.scope())
    assert [row.id for row in found.rows] == ["1", "2"]
    average = (4 + 2 + 1 + 4) / 4
    # Two of four hold the word: ln(2.5 / 2.5) is not positive.
    new = 1.05  # a memory of this instant; its weight of 0.5 changes nothing
    expected = new * 1e-6 * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / average))
    assert found.scores["1"] == pytest.approx(expected, rel=1e-12)
    one = store.adapter.resolve(BySearch(query="coffee"), store.scope())
    expected = new * log(3.5 / 1.5) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 1 / average))
    assert one.scores == {"3": pytest.approx(expected, rel=1e-12)}


def test_a_search_finds_chinese_pairs_and_its_floor_asks_for_half_of_the_terms(
    store: Store,
) -> None:
    store.text("下周五和李雷开会", topic="项目")
    store.text("李雷喜欢喝茶")
    assert store.ids(BySearch(query="开会")) == ["1"]
    assert store.ids(BySearch(query="李雷 项目 预算")) == ["1", "2"]
    assert store.ids(BySearch(query="李雷 项目 预算"), floor=True) == ["1"]
    assert store.ids(BySearch(query="李雷", k=1)) == ["2"]  # the shorter one
    with pytest.raises(ExecutionError) as refused:
        store.ids(BySearch(vector=(1.0,)))
    assert refused.value.code == "no-embedder"


def test_an_update_touches_only_what_changes(store: Store) -> None:
    store.text("a", tags=("x",))
    unchanged = store.edit("1", text="a", tags=("x",))
    assert (unchanged.affected, unchanged.touched) == (("1",), ())
    store.now = NOW + DAY
    [(before, after)] = store.edit(
        "1", remind=Remind("FREQ=DAILY"), ttl=Duration(seconds=60)
    ).touched
    assert before is not None and after is not None
    assert (before.version, after.version, after.updated_at) == (1, 2, NOW + DAY)
    assert after.remind_next == NOW + 2 * DAY
    assert after.expire_at == NOW + DAY + timedelta(minutes=1)
    store.run(Demote(target=ALL, archive=True), "1")
    store.edit("1", archived=False, remind=None, expire_at=None)
    last = store.row("1")
    assert (last.archived, last.weight, last.remind_rrule, last.expire_action) == (
        False, 0.5, None, None,
    )  # fmt: skip


def test_labels_and_weights(store: Store) -> None:
    store.text("a", tags=("x", "y"), facets={"p": 1, "q": 2})
    store.run(Label(target=ALL, tags=("z", "x"), facets={"q": 3}), "1")
    assert store.row("1").tags == ("x", "y", "z")
    assert store.row("1").facets == {"p": 1, "q": 3}
    store.run(Label(target=ALL, tags=("x",), facets={"p": 0}, mode="remove"), "1")
    assert store.row("1").tags == ("y", "z")
    assert store.row("1").facets == {"q": 3}
    store.run(Label(target=ALL, facets={}, mode="replace"), "1")
    assert (store.row("1").tags, store.row("1").facets) == (("y", "z"), {})
    store.run(Promote(target=ALL, weight_delta=0.2), "1")
    assert store.row("1").weight == 0.7
    store.run(Promote(target=ALL, weight_delta=0.9), "1")
    assert store.row("1").weight == 1


def test_a_merge_keeps_what_loses_in_the_lineage(store: Store) -> None:
    store.text("one", tags=("a",), facets={"k": 1})
    store.text("two", tags=("b",), facets={"k": 2, "m": 3})
    store.text("one", tags=("b", "c"))
    effect = store.run(Merge(target=ALL, primary_id="2"), "1", "3")
    assert effect.affected == ("2", "1", "3")
    primary = store.row("2")
    assert primary.text == primary.payload["text"] == "one\n\ntwo"
    assert primary.tags == ("a", "b", "c")
    assert primary.facets == {"k": 2, "m": 3}
    assert primary.lineage_facets == {"1": {"k": 1}}
    assert primary.lineage_parents == ("1", "3")
    assert store.row("3").deleted and store.row("3").lineage_children == ("2",)
    for primary_id, code in (("2", "merge-one-memory"), ("9", "not-found")):
        with pytest.raises(ExecutionError) as refused:
            store.run(Merge(target=ALL, primary_id=primary_id))
        assert refused.value.code == code


def test_a_split_archives_the_parent_and_a_hard_delete_names_the_children(store: Store) -> None:
    store.context = ExecutionContext(actor="ann")
    store.text("First. Second! 第三。", tags=("x",))
    store.context = ExecutionContext()
    effect = store.run(Split(target=ALL, strategy="by_sentences", max_sentences=2), "1")
    assert effect.created == ("2", "3")
    assert [store.row(i).text for i in "23"] == ["First. Second!", "第三。"]
    assert (store.row("2").tags, store.row("2").owner, store.row("2").lineage_parents) == (
        ("x",),
        "ann",
        ("1",),
    )
    assert (store.row("1").archived, store.row("1").weight) == (True, 0.5)
    again = store.run(Split(target=ALL, strategy="by_sentences"), "3")
    assert again.warnings == ("memory 3 has nothing to split",)
    halves = store.run(Split(target=ALL, strategy="custom", instruction="in two"), "3")
    assert [store.row(i).text for i in halves.created] == ["第", "三。"]
    with pytest.raises(RuntimeError), store.adapter.transaction():
        gone = store.run(Delete(target=ALL, soft=False), "1")
        assert gone.warnings == (
            "memory 1's content is still held by: 2, 3",
            "a hard delete cannot be undone",
        )
        raise RuntimeError
    gone = store.run(Delete(target=ALL, soft=False, cascade=True), "1")
    assert gone.affected == ("1", "2", "3", "4", "5")
    assert store.ids(ALL, deleted=True, archived=True) == []


def test_settling_carries_out_what_is_due(store: Store) -> None:
    for action in ("soft_delete", "hard_delete", "demote", "anonymize", "hard_delete"):
        id_ = store.text("secret", tags=("x",), subject="Ann")
        effect = store.run(Expire(target=ALL, ttl=Duration(seconds=60), on_expire=action), id_)
        done = {"hard_delete": "erased", "anonymize": "anonymised"}.get(action)
        assert effect.warnings == (
            () if done is None else (f"memories {done} by this expiry cannot be brought back",)
        )
    store.run(Lock(target=ALL, mode="read_only", policy=LockPolicy(reviewers=("bob",))), "5")
    assert store.row("5").lock_policy == {"reviewers": ["bob"]}
    assert store.adapter.settle(store.env()) == Effect()
    later = NOW + timedelta(seconds=60)
    assert not store.adapter.falls_due(store.context, NOW, later - timedelta(seconds=1))
    assert store.adapter.falls_due(store.context, NOW, later)
    assert not store.adapter.falls_due(store.context, later, later + DAY)
    store.now = later
    effect = store.adapter.settle(store.env())
    assert effect.affected == ("1", "2", "3", "4", "5")
    assert [after and after.id for _, after in effect.touched] == ["1", None, "3", "4", "5"]
    assert effect.forgotten == {"2", "4"}
    assert effect.warnings == ("memory 5 is locked: soft-deleted instead of erased",)
    assert store.row("1").deleted and store.row("5").deleted
    assert (store.row("3").archived, store.row("3").weight) == (True, 0.2)
    anonymous = store.row("4")
    assert (anonymous.text, anonymous.payload, anonymous.subject) == ("", {}, None)
    assert (anonymous.tags, anonymous.expire_at, anonymous.expire_action) == (("x",), None, None)
    assert store.ids(BySearch(query="x")) == []
    assert store.adapter.settle(store.env()) == Effect()


def test_a_page_that_was_fetched_is_the_memorys_text(store: Store) -> None:
    store.services.pages = {"https://a.example/1": "green tea"}
    store.encode(Content("url", "https://a.example/1"))
    store.encode(Content("url", "https://a.example/2"))
    assert [store.row(i).text for i in "12"] == ["green tea", "https://a.example/2"]
    assert store.row("1").payload == {"url": "https://a.example/1"}
    store.edit("2", url="https://a.example/1")
    assert store.row("2").text == "green tea"


def test_a_reminder_is_kept_with_its_anchor_and_zone(store: Store) -> None:
    store.context = ExecutionContext(tz=ZoneInfo("Asia/Shanghai"))
    for text in "abc":
        store.text(text)
    store.run(Promote(target=ALL, remind=Remind("FREQ=DAILY;BYHOUR=8;BYMINUTE=0")), "2", "1")
    row = store.row("1")
    assert (row.remind_start, row.remind_tz) == (NOW, "Asia/Shanghai")
    assert row.remind_next == NOW + timedelta(hours=15)
    assert reminding(store) == []
    store.now = NOW + timedelta(hours=15)
    assert reminding(store) == ["1", "2"]
    store.run(Delete(target=ALL), "1")
    store.edit("2", remind=None)
    assert reminding(store) == []
    assert (store.row("2").remind_start, store.row("2").remind_tz) == (None, None)


def test_a_zone_comes_back_from_its_key() -> None:
    fixed = timezone(timedelta(hours=-3, minutes=-30))
    for zone, key in (
        (NOW.tzinfo, "UTC"),
        (timezone(timedelta()), "UTC"),
        (ZoneInfo("Europe/Berlin"), "Europe/Berlin"),
        (timezone(timedelta(hours=8)), "+08:00"),
        (fixed, "-03:30"),
    ):
        assert zone is not None
        assert zone_key(zone) == key
        back = zone_of(key)
        assert NOW.astimezone(back).utcoffset() == NOW.astimezone(zone).utcoffset()
    for unknown in ("Nowhere/At_all", "+25:00", "+8"):
        with pytest.raises(ConfigurationError):
            zone_of(unknown)


def test_a_view_shows_what_is_active_and_readable(store: Store) -> None:
    store.text("a", tags=("b", "a"))
    store.text("b", tags=("a", "c"))
    store.text("c", tags=("c", "d"))
    store.run(Delete(target=ALL), "3")
    view = store.adapter.view(store.context)
    assert view.tags() == ["a", "b", "c"]
    assert [record.id for record in view.recent(1)] == ["2"]
    assert not store.adapter.view(ExecutionContext(actor="bob")).recent()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pi is 3.5 now. Use e.g. this. Go!", ["Pi is 3.5 now.", "Use e.g. this.", "Go!"]),
        ('他说"好。"然后走了。第二句！', ['他说"好。"', "然后走了。", "第二句！"]),
        ('他来了。"走吧。"她说。', ["他来了。", '"走吧。"', "她说。"]),
        ("“真的吗？”他问\n新行", ["“真的吗？”", "他问", "新行"]),
        ('He said "go." Then http://a.b/c?x=1', ['He said "go."', "Then http://a.b/c?x=1"]),
        ("  \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_groups_and_chunks() -> None:
    assert sentence_groups("一。二。三。", 2) == ["一。二。", "三。"]
    assert chunks("abcdefghij", 4, 1) == ["abcd", "defg", "ghij"]
    assert chunks("abcd", 4, 3) == ["abcd"]
    assert chunks("", 4) == []
    with pytest.raises(ValueError, match="overlap"):
        chunks("abc", 2, 2)
