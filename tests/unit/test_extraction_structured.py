"""Structured messages: which fields are facts, and of whom."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.extraction import cases, played, said, wanted
from tests.fixtures import case_id, faults
from text2mem.ledger.extraction import extract

CASES = cases("structured")


def test_cases_fit_their_schema() -> None:
    assert faults("extraction", CASES) == []


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_fields_are_read(case: dict[str, Any]) -> None:
    episode, known = played(case)
    reading = extract(episode, known)
    found = [said(each, known) for each in reading.candidates]
    expected = [wanted(each, known) for each in case.get("expected", ())]
    assert found == expected
    assert reading.nothing == case.get("nothing")
    types = [each.get("type") for each in case.get("expected", ())]
    assert [t and c.type for t, c in zip(types, reading.candidates, strict=True)] == types


@pytest.mark.parametrize("case", [c for c in CASES if "expected" in c], ids=case_id)
def test_a_quote_is_the_field(case: dict[str, Any]) -> None:
    episode, known = played(case)
    for each in extract(episode, known).candidates:
        start, end = each.quote
        quoted = episode.text[start:end]
        if quoted.startswith("{"):
            continue  # an item of a list
        assert quoted.endswith(json.dumps(each.value, ensure_ascii=False))


def test_no_provider_is_asked_about_fields() -> None:
    from text2mem.providers.function import FunctionProvider

    def fails(request: Any) -> Any:
        raise AssertionError("asked")

    episode, known = played({"structured": {"note": "my plan is Gold"}})
    assert extract(episode, known, FunctionProvider(fails)).candidates == ()
