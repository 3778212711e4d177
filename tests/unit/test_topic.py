"""Topics: what a clause says of the memories that it means, in its own words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests import requests, said
from text2mem.planner.topics import topic


@pytest.mark.parametrize("case", requests("topics"), ids=said)
def test_a_clause_has_this_topic(case: dict[str, Any]) -> None:
    found = topic(case["clause"], tuple(case.get("types", ())))
    assert (found.words, found.noun, found.many) == (case["words"], case["noun"], case["many"])
