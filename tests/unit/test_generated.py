"""What is made from the surface models is fresh, and says what the models say."""

from __future__ import annotations

import copy
import importlib.util
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import lark
import pytest
from jsonschema import Draft202012Validator

from tests.gbnf import accepts, named, rules
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.executor import execute
from text2mem.ir.context import ExecutionContext
from text2mem.ir.dialect import canonicalise
from text2mem.ir.export import submodels
from text2mem.ir.surface import INSTANCES, Surface
from text2mem.parser import parse
from text2mem.resources import read_text
from text2mem_bench.oracle.adapter import PlainAdapter
from tools.generating.grammar import dropped, to_gbnf, to_lark

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 3, 4, tzinfo=UTC)
GBNF = read_text("grammars", "ir.v1.gbnf")


def _generate() -> Any:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "tools" / "generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _schema(name: str) -> dict[str, Any]:
    loaded = json.loads(read_text("schema", name))
    assert isinstance(loaded, dict)
    return loaded


@cache
def _lark() -> lark.Lark:
    return lark.Lark(read_text("grammars", "ir.v1.lark"), parser="lalr", start="root")


@cache
def _ir(op: str) -> Draft202012Validator:
    """One op's part of the schema: a twelfth of the work, and no mutant turns into another op."""
    schema = _schema("ir.v1.schema.json")
    return Draft202012Validator({"$ref": f"#/$defs/{op}", "$defs": schema["$defs"]})


def _accepted(text: str, parser: lark.Lark | None = None) -> bool:
    try:
        (parser or _lark()).parse(text)
    except lark.exceptions.UnexpectedInput:
        return False
    return True


def _ordered(value: dict[str, Any], model: type[Surface]) -> dict[str, Any]:
    """The object with its keys in the order of the schema: the model's leading ones first."""
    inside = submodels(model)
    return {
        key: _ordered(value[key], inside[key])
        if key in inside and isinstance(value[key], dict)
        else value[key]
        for key in dict.fromkeys([*model.leading, *value])
        if key in value
    }


def _programs() -> dict[str, list[dict[str, Any]]]:
    """The canonical programs of the fixtures, keys in the order of the schema."""
    found = {}
    for path in sorted((ROOT / "fixtures" / "ir" / "valid").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            found[case["id"]] = [
                _ordered(model.model_validate(step).model_dump(exclude_unset=True), model)
                for step in case["expected"]["program"]
                for model in [INSTANCES[step["op"]]]
            ]
    return found


PROGRAMS = _programs()


# --- fresh ---------------------------------------------------------------------------------


def test_generated_files_are_fresh() -> None:
    assert _generate().stale(ROOT) == []


def test_a_changed_or_absent_file_is_named(tmp_path: Path) -> None:
    generate = _generate()
    for name, content in generate.generated().items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content.encode())
    (tmp_path / "docs/ops.md").unlink()
    (tmp_path / "grammars/ir.v1.lark").write_text("root: CHANGED\n")
    assert generate.stale(tmp_path) == ["grammars/ir.v1.lark", "docs/ops.md"]


def test_generation_is_deterministic() -> None:
    assert _generate().generated() == _generate().generated()


@pytest.mark.parametrize("name", ["ir.v1.schema.json", "result.v1.schema.json"])
def test_schemas_are_legal(name: str) -> None:
    Draft202012Validator.check_schema(_schema(name))


# --- grammar -------------------------------------------------------------------------------


def test_fixtures_hold_every_op() -> None:
    assert {step["op"] for program in PROGRAMS.values() for step in program} == set(INSTANCES)


@pytest.mark.parametrize("case", PROGRAMS)
def test_lark_accepts_every_valid_program(case: str) -> None:
    program = PROGRAMS[case]
    for form in [program, *program]:
        assert _accepted(json.dumps(form, ensure_ascii=False, separators=(",", ":")))
        assert _accepted(json.dumps(form, ensure_ascii=False, indent=2))
        assert _accepted(json.dumps(form))


def _mutants(instance: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The instance with one thing changed: each key gone, empty or of another type, a new key."""

    def places(value: Any) -> Iterator[tuple[str | int, ...]]:
        if isinstance(value, dict | list):
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            for key, inner in pairs:
                yield (key,)
                yield from ((key, *rest) for rest in places(inner))

    for place in [(), *places(instance)]:
        *way, last = place or (None,)
        for change in ("gone", "nonsense", "", {}, [], True, None, 7, "new key"):
            mutant = copy.deepcopy(instance)
            holder: Any = mutant
            for key in way:
                holder = holder[key]
            if change == "new key":
                inside = holder[last] if place else mutant
                if not isinstance(inside, dict):
                    continue
                inside["nonsense"] = 1
            elif not place:
                continue
            elif change == "gone":
                del holder[last]
            else:
                holder[last] = change
            yield mutant


def test_lark_accepts_a_mutant_exactly_when_the_schema_does() -> None:
    verdicts = set()
    for program in PROGRAMS.values():
        for instance in program:
            for mutant in _mutants(instance):
                text = json.dumps(mutant, ensure_ascii=False)
                legal = _ir(instance["op"]).is_valid(mutant)
                assert _accepted(text) == legal, text
                verdicts.add(legal)
    assert verdicts == {True, False}


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"stage":"STO","op":"Forget","target":{"all":true}}',
        '{"stage":"ENC","op":"Delete","target":{"all":true}}',
        '{"stage":"STO","op":"Delete","target":{"all":true},"why":"x"}',
        '{"stage":"STO","op":"Delete"}',
        '{"op":"Delete","stage":"STO","target":{"all":true}}',
        '{"stage":"STO","op":"Lock","target":{"all":true},"args":{"mode":"shut"}}',
        '{"stage":"STO","op":"Delete","target":{"ids":["1"],"all":true}}',
        '{"stage":"STO","op":"Delete","target":{"ids":["01"]}}',
        '{"stage":"STO","op":"Delete","target":{"ids":["1234567890123456789"]}}',
        '{"stage":"STO","op":"Delete","target":{"ids":["$0"]}}',
        '{"stage":"STO","op":"Delete","target":{"ids":["$12345"]}}',
        '{"stage":"STO","op":"Delete","target":{"all":true},}',
        '{"stage":"STO","op":"Delete","target":{"all":  true}}',
        '{"stage":"STO","op":"Promote","target":{"all":true},"args":{"weight":1.5}}',
        '{"stage":"ENC","op":"Encode","args":{"type":"a","payload":{"text":"b"}}}',
        '{"stage":"ENC","op":"Encode","args":{"payload":{"text":"a","text":"b"}}}',
        '{"stage":"ENC","op":"Encode","args":{"payload":{"text":"a","ur\\u006c":5}}}',
        '{"stage":"ENC","op":"Encode","args":{"payload":{"text":"\\ud800"}}}',
        '{"stage":"ENC","op":"Encode","args":{"payload":{"text":"a\nb"}}}',
    ],
)
def test_both_grammars_reject(text: str) -> None:
    assert not _accepted(text)
    assert not accepts(text, GBNF)


@pytest.mark.parametrize("id_", ["0", "7", "123456789012345678", "$1", "$1234"])
def test_both_grammars_take_ids_up_to_their_bounds(id_: str) -> None:
    text = f'{{"stage":"STO","op":"Delete","target":{{"ids":["{id_}"]}}}}'
    assert _accepted(text)
    assert accepts(text, GBNF)


def test_only_bounds_and_escaped_blanks_are_left_to_the_validator() -> None:
    assert [rule for rule in dropped() if "escaped blank" not in rule] == [
        "TimeRange.amount: maximum 100000",
        "Filter.limit: maximum 100000",
        "Overrides.k: maximum 100000",
        "Search.limit: maximum 100000",
        "SplitParams.max_sentences: maximum 100000",
        "SummarizeArgs.max_tokens: maximum 32768",
    ]


def test_grammars_of_another_schema() -> None:
    schema = {"type": "array", "items": {"$ref": "#/$defs/Colour"}, "maxItems": 3}
    schema["$defs"] = {"Colour": {"enum": ["red", "blue"]}}  # type: ignore[assignment]
    assert to_gbnf(schema).startswith(
        "root ::= list-open (colour (comma colour)*)? list-close\n"
        'colour ::= "\\"red\\"" |\n  "\\"blue\\""\n'
    )
    assert lark.Lark(to_lark(schema), parser="lalr", start="root").parse('["red", "blue"]')
    assert dropped(schema) == ["program: maxItems 3"]


def test_objects_beside_each_other_keep_their_own_rules() -> None:
    shapes: list[dict[str, Any]] = [
        {
            "type": "object",
            "properties": {key: {"type": "boolean"} for key in keys},
            "additionalProperties": more,
        }
        for keys, more in (("abc", False), ("def", False), ("ghi", {"type": "null"}))
    ]
    properties = {"one": shapes[0], "two": {"anyOf": shapes[1:]}}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    grammar = to_gbnf(schema)
    for text, legal in (
        ('{"one": {"a": true, "c": true}, "two": {"d": true, "f": false}}', True),
        ('{"two": {"h": true, "a": null}}', True),
        ('{"two": {"h": true, "a": 1}}', False),
        ('{"two": {"d": true, "a": 1}}', False),
        ('{"two": {"h": 1}}', False),
        ('{"one": {"d": true}}', False),
        ('{"two": {"d": true}, "one": {"a": true}}', False),
    ):
        assert accepts(text, grammar) == legal, text


# --- GBNF ----------------------------------------------------------------------------------


def test_gbnf_names_only_rules_that_it_has() -> None:
    found = rules(GBNF)
    assert named(found) <= found.keys()
    assert "root" in found


@pytest.mark.parametrize("case", PROGRAMS)
def test_gbnf_accepts_every_valid_program(case: str) -> None:
    assert accepts(json.dumps(PROGRAMS[case], ensure_ascii=False), GBNF)
    assert accepts(json.dumps(PROGRAMS[case], indent=2), GBNF)


# --- results -------------------------------------------------------------------------------


@pytest.mark.parametrize("adapter", [SqliteAdapter, PlainAdapter])
def test_result_schema_describes_real_results(adapter: Any) -> None:
    store = adapter()
    context = ExecutionContext(clock=FixedClock(NOW))
    schema = Draft202012Validator(_schema("result.v1.schema.json"))
    lunch: dict[str, Any] = {"filter": {"has_tags": ["lunch"]}}
    programs: list[tuple[bool, Any]] = [
        (
            True,
            {
                "stage": "ENC",
                "op": "Encode",
                "args": {"payload": {"text": "Lunch at noon. It was good!"}, "tags": ["lunch"]},
            },
        ),
        (
            True,
            {"stage": "STO", "op": "Split", "target": lunch, "args": {"strategy": "by_sentences"}},
        ),
        (True, {"stage": "RET", "op": "Retrieve", "target": {"all": True}}),
        (True, {"stage": "STO", "op": "Delete", "target": {"filter": {"type": "none such"}}}),
        (True, {"stage": "STO", "op": "Delete", "target": lunch}),
        (False, {"stage": "STO", "op": "Delete", "target": {"ids": ["99"]}}),
    ]
    for ok, program in programs:
        result = execute(
            parse(canonicalise(program).instances, now=NOW, tz=UTC), store, context
        ).as_dict()
        result = json.loads(json.dumps(result))
        assert result["ok"] is ok
        schema.validate(result)
        assert not schema.is_valid(result | {"more": 1})
        for key in result["results"][0]:
            less = {k: v for k, v in result["results"][0].items() if k != key}
            assert not schema.is_valid(result | {"results": [less]})
