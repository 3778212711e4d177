"""Lowering: the draft's schema as decoders enforce it, and the way back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.fixtures import case_id, cases
from text2mem.planner.draft import SLOTS, Draft, draft_schema, keys_of, read_draft
from text2mem.planner.lowering import strict

Schema = Mapping[str, Any]

UNENFORCED = {
    "allOf", "oneOf", "if", "then", "else", "not", "$comment", "dependentRequired",
    "dependentSchemas", "uniqueItems", "unevaluatedProperties", "patternProperties",
}  # fmt: skip
STRICT_KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum",
}  # fmt: skip
MOST_PROPERTIES, MOST_LEVELS, MOST_VALUES, MOST_LETTERS = 5_000, 10, 1_000, 120_000
"""The limits of OpenAI's strict subset."""
SCHEMAS = {"plain": draft_schema(), "strict": strict(draft_schema())}
VALID = [case for case in cases("draft", "valid")]


def nodes(schema: Any) -> Iterator[Schema]:
    """Every subschema. Names of properties are no keywords."""
    if not isinstance(schema, dict):
        return
    yield schema
    for keyword, value in schema.items():
        if keyword == "properties":
            for child in value.values():
                yield from nodes(child)
        elif isinstance(value, list):
            for child in value:
                yield from nodes(child)
        else:
            yield from nodes(value)


def depth(schema: Schema) -> int:
    """Levels of objects and lists inside one another."""
    branches = [depth(child) for child in schema.get("anyOf", ())]
    inner = [depth(child) for child in schema.get("properties", {}).values()]
    inner += [depth(schema["items"])] if "items" in schema else []
    nested = "properties" in schema or "items" in schema
    return max([0, *branches, *(1 + each for each in inner), int(nested)])


def strict_answer(value: Any, schema: Schema) -> Any:
    """The strict spelling of a value: null where a key is absent."""
    if "anyOf" in schema:
        if value is None:
            return None
        options = [option for option in schema["anyOf"] if option.get("type") != "null"]
        if len(options) > 1:
            options = [o for o in options if o["properties"]["op"]["enum"] == [value["op"]]]
        return strict_answer(value, options[0])
    if isinstance(value, list):
        return [strict_answer(item, schema["items"]) for item in value]
    if isinstance(value, dict):
        properties = schema["properties"]
        return {key: strict_answer(value.get(key), child) for key, child in properties.items()}
    return value


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_legal_and_every_object_is_closed(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    for node in nodes(SCHEMAS[name]):
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert set(node["required"]) <= set(node["properties"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_decoder_meets_a_keyword_that_it_ignores(name: str) -> None:
    assert not any(UNENFORCED & set(node) for node in nodes(SCHEMAS[name]))


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_step_begins_with_its_op_and_offers_its_keys_alone(name: str) -> None:
    steps = SCHEMAS[name]["properties"]["steps"]
    steps = steps if "items" in steps else steps["anyOf"][0]
    shapes = steps["items"]["anyOf"]
    assert len(shapes) == len(SLOTS)
    for op, shape in zip(SLOTS, shapes, strict=True):
        assert list(shape["properties"]) == ["op", *(key.name for key in keys_of(op))]


def test_the_strict_schema_uses_the_strict_subset_alone_and_keeps_to_its_limits() -> None:
    schema = SCHEMAS["strict"]
    assert schema["type"] == "object" and "anyOf" not in schema
    found = list(nodes(schema))
    for node in found:
        assert set(node) <= STRICT_KEYWORDS
        if "properties" in node:
            assert node["required"] == list(node["properties"])
    assert sum(len(node.get("properties", ())) for node in found) <= MOST_PROPERTIES
    values = [value for node in found for value in node.get("enum", ())]
    names = [name for node in found for name in node.get("properties", ())]
    assert len(values) <= MOST_VALUES
    assert sum(map(len, (*values, *names))) <= MOST_LETTERS
    assert depth(schema) <= MOST_LEVELS


@pytest.mark.parametrize("case", VALID, ids=case_id)
def test_every_draft_survives_the_strict_form(case: dict[str, Any]) -> None:
    draft = case["expected"]["draft"]
    answer = strict_answer(draft, SCHEMAS["strict"])
    assert Draft202012Validator(SCHEMAS["strict"]).is_valid(answer)
    read = read_draft(json.loads(json.dumps(answer)))
    assert isinstance(read, Draft)
    assert read.as_dict() == draft


def test_what_is_lowered_is_left_as_it_was() -> None:
    schema = draft_schema()
    before = json.dumps(schema)
    assert strict(schema) != schema
    assert json.dumps(schema) == before
