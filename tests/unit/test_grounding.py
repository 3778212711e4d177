"""Linking phrases to stores: what is named, which memories are meant, and when there are none."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest

from tests.fixtures import ROOT, case_id, cases, faults
from text2mem import Memory
from text2mem.adapters.base import Embedding
from text2mem.clock import FixedClock
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import AbsoluteRange, ByFilter
from text2mem.ir.ports import StoreView, Vocabulary
from text2mem.planner.grounding import Reading, ground, link, mean
from text2mem.planner.grounding.picture import SNIPPET, TAGS, snippet
from text2mem.planner.grounding.words import content_words, fold, stem

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
CONTEXT = ExecutionContext(clock=FixedClock(NOW))
STORES = json.loads((ROOT / "grounding" / "stores.json").read_text("utf-8"))
CASES = list(cases("grounding"))


def kept(*memories: dict[str, Any]) -> Memory:
    """A store of these memories; their ids count from 1."""
    memory = Memory("memory:", context=CONTEXT)
    for each in memories:
        args = {**each, "payload": {"text": each["text"]}}
        del args["text"]
        assert memory.execute([{"stage": "ENC", "op": "Encode", "args": args}]).ok
    return memory


@cache
def store(name: str) -> StoreView:
    return kept(*STORES[name]).view()


def reading(phrase: str, view: StoreView, **options: Any) -> Reading:
    return mean(phrase, view, ground(phrase, view), **options)


def ids(found: Reading) -> list[str]:
    return sorted((row.id for row in found.records), key=int)


# --- what a phrase means -------------------------------------------------------------------


def test_the_cases_are_of_the_form_that_their_schema_says() -> None:
    assert faults("grounding", CASES) == []
    assert len({case["id"] for case in CASES}) == len(CASES) >= 60


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_phrase_means_these_memories(case: dict[str, Any]) -> None:
    found = reading(case["input"], store(case["store"]))
    assert ids(found) == case["expected"]["ids"]
    assert bool(found) == bool(case["expected"]["ids"])


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_phrase_means_nothing_in_a_store_of_other_things(case: dict[str, Any]) -> None:
    other = kept(
        {"text": "The cello needs a new bridge.", "tags": ["music"]},
        {"text": "小提琴该换弦了。", "tags": ["音乐"]},
    )
    assert not reading(case["input"], other.view())


@pytest.mark.parametrize(
    ("name", "phrase", "selector"),
    [
        ("home-en", "running", {"filter": {"has_tags": ["running"]}}),
        ("home-en", "the marathon", {"ids": ["4", "5"]}),
        ("home-en", "Corsica", {"filter": {"location": "Corsica"}}),
        ("home-en", "lessons", {"filter": {"type": "lesson"}}),
        ("home-en", "unrepaired", {"filter": {"facets": {"status": "unrepaired"}}}),
        ("office-en", "the audit meeting", {"filter": {"has_tags": ["audit", "meeting"]}}),
        ("home-zh", "阳台种菜", {"filter": {"has_tags": ["种菜"]}}),
        ("home-zh", "董洁", {"filter": {"subject": "董洁"}}),
        ("office-zh", "审计会议", {"filter": {"has_tags": ["审计", "会议"]}}),
    ],
)
def test_what_is_named_is_selected_by_its_name_and_the_rest_by_ids(
    name: str, phrase: str, selector: dict[str, Any]
) -> None:
    assert reading(phrase, store(name)).selector == selector


def test_a_tag_that_all_hits_share_is_an_alternative() -> None:
    found = reading("the marathon", store("home-en"))
    assert [(each.selector, each.why) for each in found.alternatives] == [
        ({"filter": {"has_tags": ["running"]}}, "shared")
    ]
    assert found.confidence == found.alternatives[0].confidence == 1


def test_a_reading_says_how_much_of_the_phrase_is_there() -> None:
    view = store("home-en")
    whole, part = reading("the garden", view), reading("the garden fence", view)
    assert ids(whole) == ids(part) == ["6", "7"]
    assert 1 == whole.confidence > part.confidence > 0


def test_a_reading_takes_half_of_the_phrase() -> None:
    view = store("home-en")
    half = reading("the ferry tickets", view)
    assert ids(half) == ["2"]
    more = reading("the ferry to Corsica and its tickets", view)
    assert half.confidence == 0.5 < more.confidence
    assert not reading("the tickets", view)
    assert not reading("the tickets of a ship", view)


def test_a_word_that_every_memory_has_finds_none() -> None:
    many = kept(*({"text": f"The ledger of shop {n}", "tags": [f"s{n}"]} for n in range(40)))
    assert not reading("the ledger of the bakery", many.view())
    assert ids(reading("the ledger", many.view()))
    one = kept({"text": "The ledger of the bakery"}, {"text": "The bread"})
    assert ids(reading("the ledger of the bakery", one.view())) == ["1"]


def test_what_is_similar_only_is_an_alternative_and_no_reading() -> None:
    memory = kept({"text": "The ferry leaves at noon"}, {"text": "Flour is out"})
    memory.adapter.set_vectors(Embedding("toy:one", 0.5), {"1": (1.0, 0.0), "2": (0.0, 1.0)})
    found = reading("a trip at sea", memory.view(), vector=(1.0, 0.0))
    assert not found
    assert [(each.selector, each.why) for each in found.alternatives] == [
        ({"ids": ["1"]}, "similar")
    ]
    assert not reading("a trip at sea", memory.view()).alternatives


def test_facets_that_are_no_texts_are_selected_by_their_values() -> None:
    memory = kept(
        {"text": "first", "facets": {"room": 204}}, {"text": "second", "facets": {"room": "205"}}
    )
    assert reading("204", memory.view()).selector == {"filter": {"facets": {"room": 204}}}
    assert reading("205", memory.view()).selector == {"filter": {"facets": {"room": "205"}}}


def test_archived_memories_are_meant_where_the_picture_has_them() -> None:
    memory = kept({"text": "The old ferry", "tags": ["boats"]}, {"text": "Bread", "tags": ["food"]})
    archive = {"stage": "STO", "op": "Demote", "target": {"ids": ["1"]}, "args": {"archive": True}}
    assert memory.execute([archive]).ok
    view = memory.view()
    assert not reading("boats", view)
    found = mean("boats", view, ground("boats", view, include=("archived",)))
    assert found.selector == {"filter": {"has_tags": ["boats"], "include": ["archived"]}}


def test_what_a_payload_says_beside_its_text_counts() -> None:
    memory = Memory("memory:", context=CONTEXT)
    payload = {"text": "Nobody was convinced", "occasion": "the pottery workshop"}
    memory.execute([{"stage": "ENC", "op": "Encode", "args": {"payload": payload}}])
    assert ids(reading("the pottery workshop", memory.view())) == ["1"]


@pytest.mark.parametrize(
    "phrase", ["", "   ", "?!", "😀", "()", '"', "'; DROP TABLE memories", "的", "\x00"]
)
def test_a_phrase_without_words_means_nothing(phrase: str) -> None:
    assert not reading(phrase, store("home-en"))
    assert not reading(phrase, kept().view())


# --- what an utterance names ---------------------------------------------------------------


def named(utterance: str, **names: Any) -> list[tuple[str, str, str, float]]:
    return [(x.field, x.value, x.words, x.score) for x in link(utterance, Vocabulary(**names))]


@pytest.mark.parametrize(
    ("utterance", "tag", "words", "score"),
    [
        ("Lock the garden", "garden", "garden", 1.0),
        ("Lock the GARDEN", "garden", "GARDEN", 1.0),
        ("two gardens", "garden", "gardens", 0.9),
        ("gardening", "garden", "gardening", 0.8),
        ("gardened", "garden", "gardened", 0.8),
        ("the packing list", "packing_list", "packing list", 0.9),
        ("packing-lists", "packing_list", "packing-lists", 0.9),
        ("a list for packing", "packing_list", "list for packing", 0.8),
        ("pack it", "packing_list", "pack", 0.25),
        ("studies", "study", "studies", 0.9),
        ("I ran the tests", "test", "tests", 0.63),
        ("请锁定阳台种菜的笔记", "种菜", "种菜", 1.0),
        ("关于服务器搬迁", "服务器迁移", "服务器", 0.3),
        ("P1事件的邮件", "P1事件", "P1事件", 1.0),
        ("the Café", "café", "Café", 1.0),
    ],
)
def test_a_tag_is_named_in_many_ways(utterance: str, tag: str, words: str, score: float) -> None:
    assert named(utterance, tags=(tag,)) == [("has_tags", tag, words, score)]


@pytest.mark.parametrize(
    ("utterance", "tag"),
    [
        ("all my notes", "notes"), ("所有记录", "记录"), ("the art", "party"), ("party", "art"),
        ("start", "art"), ("a cat", "cats and dogs of mine"), ("Lock it", ""), ("那里", "里程"),
    ],
)  # fmt: skip
def test_a_tag_is_not_named_by_less(utterance: str, tag: str) -> None:
    assert named(utterance, tags=(tag,)) == []


def test_the_longest_name_at_a_place_wins() -> None:
    assert named("the incident report", tags=("incident", "incident_report", "report")) == [
        ("has_tags", "incident_report", "incident report", 0.63)
    ]
    assert named("支付系统重构", tags=("系统", "支付系统", "重构")) == [
        ("has_tags", "支付系统", "支付系统", 1.0), ("has_tags", "重构", "重构", 1.0),
    ]  # fmt: skip
    found = named("the garden and the garden shed", tags=("garden", "garden shed"))
    assert [value for _, value, _, _ in found] == ["garden", "garden shed"]


def test_every_field_can_be_named_and_places_are_those_of_the_utterance() -> None:
    utterance = "Ana's city is in Graz, an open plan for trips"
    vocabulary = Vocabulary(
        types=("plan",), subjects=("Ana",), locations=("Graz",), topics=("trip",),
        attributes=("city",), facets=(("status", "open"),),
    )  # fmt: skip
    found = link(utterance, vocabulary)
    assert [(x.field, x.value, x.extra) for x in found] == [
        ("subject", "Ana", ""), ("attribute", "city", ""), ("location", "Graz", ""),
        ("facets", "status", "open"), ("type", "plan", ""), ("topic", "trip", ""),
    ]  # fmt: skip
    assert all(utterance[x.start : x.end] == x.words for x in found)


# --- the picture ---------------------------------------------------------------------------


def test_a_picture_has_linked_tags_first_then_those_of_candidates_then_frequent_ones() -> None:
    picture = ground("Archive the garden notes about the ferry", store("home-en"))
    assert picture.tags[:3] == ("garden", "travel", "house")
    assert set(picture.tags) == set(picture.vocabulary.tags)
    assert [(each.value, each.words) for each in picture.links] == [("garden", "garden")]
    assert {each.id for each in picture.candidates} == {"2", "6", "7"}
    first = picture.candidates[0]
    assert first.score == 1
    assert first.time == "2027-03-01T12:00:00Z"


def test_a_picture_has_the_best_tags_and_no_more() -> None:
    many = kept(*({"text": f"n{n}", "tags": [f"tag{n}"]} for n in range(TAGS + 6)))
    picture = ground("whatever tag69 is", many.view())
    assert len(picture.tags) == TAGS
    assert picture.tags[0] == "tag69"


def test_candidates_lie_in_the_window() -> None:
    memory = kept(
        {"text": "The ferry in June", "time": "2026-06-01T00:00:00Z"},
        {"text": "The ferry in July", "time": "2026-07-01T00:00:00Z"},
    )
    window = ByFilter(time_range=AbsoluteRange(datetime(2026, 6, 15, tzinfo=UTC)))
    assert [each.id for each in ground("the ferry", memory.view(), window=window).candidates] == [
        "2"
    ]


def test_a_picture_shows_nothing_of_what_the_actor_may_not_read() -> None:
    memory = Memory("memory:", context=ExecutionContext(actor="ana", clock=FixedClock(NOW)))
    args = {"payload": {"text": "The plum brandy"}, "tags": ["secret"], "subject": "Plum"}
    memory.execute([{"stage": "ENC", "op": "Encode", "args": args}])
    view = memory.adapter.view(ExecutionContext(actor="bob", clock=FixedClock(NOW)))
    picture = ground("the secret plum brandy", view)
    assert not any((picture.links, picture.candidates, picture.tags))
    assert not reading("the secret plum brandy", view)


def test_a_snippet_is_one_short_line() -> None:
    assert snippet(" a\n b\t c ") == "a b c"
    assert len(snippet("word " * 40)) <= SNIPPET
    assert snippet("word " * 40).endswith("word…")


# --- words ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("plans", "planning"), ("planned", "plan"), ("studies", "studied"),
        ("travelled", "travel"), ("installing", "install"), ("completed", "completion"),
        ("running", "runs"), ("baking", "bake"), ("boxes", "box"), ("classes", "class"),
        ("protection", "protected"), ("documentation", "document"), ("noted", "notes"),
        ("Ana's", "ana"), ("ＡＰＩ", "api"),
    ],
)  # fmt: skip
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(fold(one)) == stem(fold(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ring", "r"),
        ("red", "r"),
        ("bus", "bu"),
        ("need", "ne"),
        ("nation", "nat"),
        ("spring", "spr"),
    ],
)
def test_short_words_keep_their_ends(one: str, other: str) -> None:
    assert stem(one) != other


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the notes about last week's marathon", ["marathon"]),
        ("请把关于阳台种菜的所有记录都删掉", ["阳台种菜"]),
        ("最近三个月的锅炉检修", ["锅炉检修"]),
        ("P1事件和预算", ["P1", "预算"]),
        ("two of 14 boats in 2026", ["boats", "2026"]),
        ("don't you dare", ["dare"]),
    ],
)
def test_the_strong_words_of_a_text(text: str, words: list[str]) -> None:
    found = content_words(text)
    assert [word.text for word in found if not word.weak] == words
    assert all(text[word.start : word.end] == word.text for word in found)
