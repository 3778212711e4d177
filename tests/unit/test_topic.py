"""Topics: what a clause says of the memories that it means, in its own words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.requests import FOLDER, requests, said
from text2mem.planner.topics import topic


@pytest.mark.parametrize("case", requests("topics"), ids=said)
def test_a_clause_has_this_topic(case: dict[str, Any]) -> None:
    found = topic(case["clause"], tuple(case.get("types", ())))
    assert (found.words, found.noun, found.many) == (case["words"], case["noun"], case["many"])


@pytest.mark.parametrize("name", ["targets", "arguments", "edits", "content", "topics"])
def test_the_cases_are_of_the_form_that_their_schema_says(name: str) -> None:
    schema = json.loads((FOLDER / "case.schema.json").read_text("utf-8"))
    found = requests(name)
    Draft202012Validator(schema).validate(found)
    assert len({(case.get("op"), *map(str, case.values())) for case in found}) == len(found)
