"""The dialect step: every spelling becomes one, and every part keeps its address."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings

from tests.fixtures import case_id, cases
from tests.strategies import DOCUMENTS, mutations
from text2mem.ir.dialect import canonicalise
from text2mem.ir.pointers import escape

VALID = list(cases("ir/valid"))
EVERY = [*VALID, *cases("ir/invalid")]


def one(**instance: Any) -> dict[str, Any]:
    """The canonical form of one instance."""
    [found] = canonicalise(instance).instances
    return dict(found)


def update(**values: Any) -> dict[str, Any]:
    """The canonical ``set`` of an Update."""
    return dict(one(op="Update", args={"set": values})["args"]["set"])


# --- spellings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ({"by_ids": ["3", 4]}, {"ids": ["3", "4"]}),
        ({"by_ids": 3}, {"ids": ["3"]}),
        ({"ids": [3, "$1"]}, {"ids": ["3", "$1"]}),
        ({"by_tags": ["a"]}, {"filter": {"has_tags": ["a"]}}),
        ({"by_tags": ["a"], "match": "any"}, {"filter": {"has_tags": ["a"], "match": "any"}}),
        ({"by_tags": ["a"], "limit": 2}, {"filter": {"has_tags": ["a"], "limit": 2}}),
        ({"by_query": "x"}, {"search": {"intent": {"query": "x"}}}),
        (
            {"by_query": "x", "k": 3, "limit": 2},
            {"search": {"intent": {"query": "x"}, "overrides": {"k": 3}, "limit": 2}},
        ),
        ({"all": True, "ids": None}, {"all": True}),
        (
            {"filter": {"time_range": {"relative": "last", "amount": 1, "unit": "week"}}},
            {"filter": {"time_range": {"relative": "last", "amount": 1, "unit": "weeks"}}},
        ),
    ],
)
def test_a_target_of_any_spelling(written: dict[str, Any], canonical: dict[str, Any]) -> None:
    assert one(op="Delete", target=written)["target"] == canonical


@pytest.mark.parametrize(("written", "canonical"), [("ST0", "STO"), ("STO", "STO"), ("XYZ", "XYZ")])
def test_the_stage_of_the_paper_is_the_store(written: str, canonical: str) -> None:
    assert one(op="Delete", stage=written)["stage"] == canonical


def test_use_embedding_is_skip_embedding_turned_round() -> None:
    assert one(op="Encode", args={"use_embedding": True})["args"] == {"skip_embedding": False}
    assert update(use_embedding=False) == {"skip_embedding": True}


def test_a_document_that_is_no_object_is_passed_on() -> None:
    assert canonicalise(42).instances == [42]
    assert canonicalise([]).instances == []
    assert canonicalise([None, "x"]).instances == [None, "x"]


# --- null is absent ------------------------------------------------------------------------


def test_nulls_are_dropped() -> None:
    found = one(
        op="Encode",
        stage=None,
        target=None,
        args={"tags": None, "payload": {"text": "x", "url": None}, "remind": {"until": None}},
        meta=None,
    )
    assert found == {"op": "Encode", "args": {"payload": {"text": "x"}, "remind": {}}}


def test_nulls_inside_selectors_are_dropped() -> None:
    written = {"filter": {"type": None, "time_range": {"start": "now", "end": None}}}
    assert one(op="Delete", target=written)["target"] == {
        "filter": {"time_range": {"start": "now"}}
    }
    written = {"search": {"intent": {"query": "x", "vector": None}, "overrides": {"k": None}}}
    assert one(op="Retrieve", target=written)["target"] == {
        "search": {"intent": {"query": "x"}, "overrides": {}}
    }


def test_null_in_an_update_cancels_expiry_and_reminder_and_is_a_value() -> None:
    assert update(expire_at=None, remind=None, value=None, text=None, weight=None) == {
        "expire_at": None,
        "remind": None,
        "value": None,
    }


def test_nulls_inside_a_reminder_that_is_set_are_dropped() -> None:
    rule = "FREQ=DAILY"
    assert update(remind={"rrule": rule, "until": None}) == {"remind": {"rrule": rule}}


def test_nulls_inside_meta_are_dropped() -> None:
    assert one(op="Delete", meta={"actor": None, "lang": "zh"})["meta"] == {"lang": "zh"}


def test_nulls_inside_open_objects_are_values() -> None:
    args = {"payload": {"text": "x", "n": None}, "facets": {"a": None}}
    assert one(op="Encode", args=args)["args"] == args


# --- wrappers and pointers -----------------------------------------------------------------

PAPER = {
    "op": "Update",
    "target": {"by_tags": ["a", " "], "match": "all", "limit": 3},
    "args": {"set": {"use_embedding": False, "text": "x"}},
}
SEARCH = {"op": "Delete", "target": {"by_query": "x", "k": 3, "limit": 2}, "args": {"soft": True}}
IDS = {"op": "Merge", "target": {"by_ids": ["1", "2"]}, "args": {"primary_id": 1}}


@pytest.mark.parametrize(
    ("wrap", "root"),
    [
        (lambda instance: instance, ""),
        (lambda instance: [instance], "/0"),
        (lambda instance: {"ops": [instance]}, "/ops/0"),
        (lambda instance: {"ops": instance}, "/ops"),
    ],
    ids=["alone", "in a list", "in ops", "alone in ops"],
)
@pytest.mark.parametrize(
    ("instance", "canonical", "original"),
    [
        (PAPER, "", ""),
        (PAPER, "/op", "/op"),
        (PAPER, "/target", "/target"),
        (PAPER, "/target/filter", "/target"),
        (PAPER, "/target/filter/has_tags", "/target/by_tags"),
        (PAPER, "/target/filter/has_tags/1", "/target/by_tags/1"),
        (PAPER, "/target/filter/match", "/target/match"),
        (PAPER, "/target/filter/limit", "/target/limit"),
        (PAPER, "/args/set/skip_embedding", "/args/set/use_embedding"),
        (PAPER, "/args/set/text", "/args/set/text"),
        (SEARCH, "/target/search", "/target"),
        (SEARCH, "/target/search/intent/query", "/target/by_query"),
        (SEARCH, "/target/search/overrides/k", "/target/k"),
        (SEARCH, "/target/search/limit", "/target/limit"),
        (SEARCH, "/args/soft", "/args/soft"),
        (IDS, "/target/ids", "/target/by_ids"),
        (IDS, "/target/ids/1", "/target/by_ids/1"),
        (IDS, "/args/primary_id", "/args/primary_id"),
    ],
)
def test_a_pointer_leads_back_to_the_document(
    wrap: Any, root: str, instance: dict[str, Any], canonical: str, original: str
) -> None:
    assert canonicalise(wrap(instance)).original(f"/0{canonical}") == root + original


def test_each_step_has_its_own_addresses() -> None:
    found = canonicalise([IDS, PAPER])
    assert found.original("/0/target/filter/has_tags") == "/0/target/filter/has_tags"
    assert found.original("/1/target/filter/has_tags") == "/1/target/by_tags"
    assert found.original("/0/target/ids/0") == "/0/target/by_ids/0"


def test_one_id_without_a_list_is_addressed_as_it_stands() -> None:
    found = canonicalise({"op": "Delete", "target": {"by_ids": "abc"}})
    assert found.original("/0/target/ids/0") == "/target/by_ids"


def test_a_key_becomes_a_token_of_a_pointer() -> None:
    assert escape("a/b~c") == "a~1b~0c"


# --- any document --------------------------------------------------------------------------


@pytest.mark.parametrize("case", EVERY, ids=case_id)
def test_a_fixture_is_not_modified_and_its_canonical_form_stays(case: dict[str, Any]) -> None:
    before = copy.deepcopy(case["input"])
    once = canonicalise(case["input"]).instances
    assert case["input"] == before
    kept = copy.deepcopy(once)
    assert canonicalise(once).instances == once == kept


def check_document(document: Any) -> None:
    # repr tells true from 1 and takes NaN as equal to itself.
    before = repr(document)
    once = canonicalise(document).instances
    assert repr(document) == before
    again = repr(once)
    assert repr(canonicalise(once).instances) == again
    assert repr(once) == again


@settings(max_examples=200)
@given(DOCUMENTS)
def test_any_document_is_not_modified_and_its_canonical_form_stays(document: Any) -> None:
    check_document(document)


@settings(max_examples=200)
@given(mutations([case["input"] for case in VALID]))
def test_a_damaged_document_is_not_modified_and_its_canonical_form_stays(document: Any) -> None:
    check_document(document)
