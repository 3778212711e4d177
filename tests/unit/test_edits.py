"""Edits: what an Update sets, and that it writes no word that nobody said."""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests import record, requests, said, step_of
from text2mem.planner.edits import edits, invented


@pytest.mark.parametrize("case", requests("edits"), ids=said)
def test_a_request_sets_this(case: dict[str, Any]) -> None:
    rows = [record(number, text) for number, text in enumerate(case["texts"], 1)]
    step = step_of(case["utterance"])
    edited = edits(step, rows)
    if case["set"] is None:
        assert not edited.told.complete
        return
    assert edited.told.complete
    assert edited.told.args == {"set": case["set"]}
    if "chosen" in case:
        assert edited.chosen == rows[case["chosen"]]
    if "text" in case["set"]:
        assert not invented(case["set"]["text"], step, rows)
