"""The contract of a draft: what is read, what is refused, and that all of its forms agree."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.drafts import DRAFTS
from tests.fixtures import case_id, cases, faults
from tests.gbnf import accepts, named, pattern, rules
from text2mem.ir.surface import INSTANCES
from text2mem.planner.draft import (
    REQUIRED,
    SLOTS,
    Draft,
    Step,
    draft_grammar,
    draft_schema,
    keys_of,
    read_draft,
)
from training import rows

CASES = list(cases("draft"))
VALID = [case for case in CASES if "draft" in case["expected"]]
GRAMMAR = draft_grammar()
SCHEMA = Draft202012Validator(draft_schema())


# --- fixtures ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_an_answer_is_read_as_its_fixture_says(case: dict[str, Any]) -> None:
    found = read_draft(case["input"])
    if isinstance(found, Draft):
        assert {"draft": found.as_dict()} == case["expected"]
    else:
        told = [{"code": d.code, "pointer": d.pointer} for d in found]
        assert {"diagnostics": told} == case["expected"]
        assert all(d.message for d in found)


@pytest.mark.parametrize("case", VALID, ids=case_id)
def test_a_draft_that_is_written_again_is_the_same_draft(case: dict[str, Any]) -> None:
    read = read_draft(case["input"])
    assert isinstance(read, Draft)
    assert read_draft(json.loads(read.dump())) == read
    assert SCHEMA.is_valid(read.as_dict())
    assert accepts(read.dump(), GRAMMAR)


def test_fixture_cases_fit_their_schema_and_have_their_own_ids() -> None:
    assert faults("draft", CASES) == []
    assert len({case["id"] for case in CASES}) == len(CASES)
    shown = {step["op"] for case in VALID for step in case["expected"]["draft"].get("steps", ())}
    assert shown == set(SLOTS)


# --- the tables ----------------------------------------------------------------------------


def test_a_draft_speaks_of_every_op_of_the_language() -> None:
    assert set(SLOTS) == set(INSTANCES)


def test_what_an_op_needs_is_a_slot_of_it() -> None:
    for op, needed in REQUIRED.items():
        assert set(needed) <= {key.name for key in SLOTS[op]}
    for op in SLOTS:
        names = [key.name for key in keys_of(op)]
        assert len(set(names)) == len(names)
        assert all((key.kind == "choice") == bool(key.choices) for key in keys_of(op))


def test_every_key_of_the_contract_stands_in_its_page() -> None:
    from tests.fixtures import ROOT

    page = (ROOT.parent / "docs" / "draft.md").read_text("utf-8")
    for op in SLOTS:
        assert f"| {op} |" in page
        assert all(f"`{key.name}" in page or f"`{key.name}`" in page for key in keys_of(op))


# --- schema, grammar and check agree -------------------------------------------------------


@given(DRAFTS)
def test_a_draft_passes_the_schema_the_grammar_and_the_check(draft: Draft) -> None:
    assert SCHEMA.is_valid(draft.as_dict())
    assert pattern(GRAMMAR).fullmatch(draft.dump())
    assert read_draft(json.loads(draft.dump())) == draft


@given(DRAFTS, st.data())
def test_what_is_no_draft_passes_neither_the_grammar_nor_the_check(
    draft: Draft, data: st.DataObject
) -> None:
    broken = draft.as_dict()
    if not broken.get("steps"):
        broken["why"] = "because"
        assert not SCHEMA.is_valid(broken)
        assert not pattern(GRAMMAR).fullmatch(json.dumps(broken, separators=(",", ":")))
        return
    step = data.draw(st.sampled_from(broken["steps"]))
    change = data.draw(st.sampled_from(["unknown key", "unknown op", "wrong type"]))
    if change == "unknown key":
        step["why"] = "because"
    elif change == "unknown op":
        step["op"] = "Eat"
    else:
        step[data.draw(st.sampled_from(sorted(step)))] = {"an": "object"}
    assert not SCHEMA.is_valid(broken)
    assert not pattern(GRAMMAR).fullmatch(json.dumps(broken, separators=(",", ":")))
    assert isinstance(read_draft(broken), list)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                        st.sampled_from(("steps", "ask", "undo", "op", "about", "ids")), inner,
                        max_size=3), max_leaves=12))  # fmt: skip
def test_any_answer_is_a_draft_or_all_that_is_wrong_with_it(answer: Any) -> None:
    found = read_draft(answer)
    assert isinstance(found, Draft) or found


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"steps":[]', '{"steps":[{"op":"Delete","about":""}]}', '{"undo":false}',
     '{"steps":[{"op":"Delete","many":true,"about":"x"}]}', '{"ask":""}',
     '{"steps":[{"op":"Delete","count":0}]}', '{"steps":[{"op":"Delete","about":"a\nb"}]}',
     '{"steps":[{"op":"Lock","about":"x"}]}', '{"steps":[{"op":"Label","about":"x"}]}',
     '{"steps":[{"op":"Delete","about":"x"}],"undo":true}', '{"steps":[],"ask":"x"}',
     '{"steps": [ ]}'],
)  # fmt: skip
def test_the_grammar_refuses(text: str) -> None:
    assert not accepts(text, GRAMMAR)
    assert not pattern(GRAMMAR).fullmatch(text)


def test_the_grammar_names_only_rules_that_it_has_and_bounds_every_text() -> None:
    found = rules(GRAMMAR)
    assert named(found) <= found.keys()
    assert named(found) | {"root"} == found.keys()
    assert accepts(Draft(ask="a" * 240).dump(), GRAMMAR)
    assert not accepts(Draft(ask="a" * 241).dump(), GRAMMAR)
    for length in (600, 601):
        long = Draft((Step("Encode", {"text": "a" * length}),))
        assert accepts(long.dump(), GRAMMAR) is (length == 600)


# --- what the tuned model was trained on ---------------------------------------------------


def test_every_draft_of_the_training_data_can_be_written_under_the_grammar() -> None:
    known = pattern(GRAMMAR)
    data = rows.load()
    assert len(data) > 5_000
    assert [row.draft.dump() for row in data if not known.fullmatch(row.draft.dump())] == []
    assert {step.op for row in data for step in row.draft.steps} == set(SLOTS)
