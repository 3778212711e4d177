"""Lowering: what a decoder can enforce, the way back, and an honest list of what is left over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from jsonschema import Draft202012Validator

from tests.fixtures import case_id, cases
from text2mem.ir.export import all_models, definitions
from text2mem.ir.surface import INSTANCES, STAGES
from text2mem.planner.lowering import (
    Lowered,
    lower_form,
    lower_instance,
    lower_program,
    lower_verbs,
)
from text2mem.planner.slots import form
from text2mem.validator import validate

Schema = Mapping[str, Any]

UNENFORCED = {
    "allOf", "oneOf", "if", "then", "else", "not", "$comment", "dependentRequired",
    "dependentSchemas", "uniqueItems", "unevaluatedProperties", "patternProperties",
}  # fmt: skip
STRICT_KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "$ref",
    "$defs",
}  # fmt: skip
UTTERANCES = (
    "Forget the lunch notes.",
    "Merge memories 3 and 5.",
    "Everything tagged work.",
    "Delete what is older than a month.",
    "Remind me every Monday about the report.",
    "Remove the tag draft from the contract.",
    "Unlock the will.",
    "忘掉午饭的事。",
    "合并第3条和第5条。",
    "所有带“工作”标签的记忆。",
    "删除三个月以前的聊天。",
    "每周一提醒我写周报。",
    "去掉合同上的“草稿”标签。",
    "解锁遗嘱。",
)
KNOWN = ((), ("work",), ("work", "家务", "Q3/plan", '"quoted"'))
VALID = list(cases("ir/valid"))


# --- walking schemas -----------------------------------------------------------------------


def nodes(schema: Any) -> Iterator[Schema]:
    """Every subschema. Names of properties and definitions are no keywords."""
    if not isinstance(schema, dict):
        return
    yield schema
    for keyword, value in schema.items():
        if keyword in ("properties", "$defs"):
            for child in value.values():
                yield from nodes(child)
        elif isinstance(value, list):
            for child in value:
                yield from nodes(child)
        else:
            yield from nodes(value)


def resolved(schema: Schema, root: Schema) -> Schema:
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def depth(schema: Schema, root: Schema) -> int:
    """Levels of objects and lists inside one another, references followed."""
    schema = resolved(schema, root)
    branches = [depth(child, root) for child in schema.get("anyOf", ())]
    inner = [depth(child, root) for child in schema.get("properties", {}).values()]
    inner += [depth(schema["items"], root)] if "items" in schema else []
    nested = "properties" in schema or "items" in schema
    return max([0, *branches, *(1 + each for each in inner), int(nested)])


def expanded(schema: Schema, root: Schema, keyword: str) -> int:
    """How many entries ``keyword`` has in all, every reference counted where it is used."""
    schema = resolved(schema, root)
    children = [*schema.get("anyOf", ()), *schema.get("properties", {}).values()]
    children += [schema["items"]] if "items" in schema else []
    return len(schema.get(keyword, ())) + sum(expanded(c, root, keyword) for c in children)


def strict_answer(value: Any, schema: Schema, root: Schema) -> Any:
    """The strict spelling of a value: null where a key is absent, open objects as pairs.

    What the lowered schema has no place for is left out.
    """
    schema = resolved(schema, root)
    if "anyOf" in schema:
        options = [resolved(option, root) for option in schema["anyOf"]]
        options = [option for option in options if option.get("type") != "null"]
        return None if value is None else strict_answer(value, _fitting(value, options), root)
    if schema.get("type") == "array" and isinstance(value, dict):
        return [
            {"key": k, "value": v} for k, v in value.items() if isinstance(v, str | int | float)
        ]
    if isinstance(value, list):
        return [strict_answer(item, schema["items"], root) for item in value]
    if isinstance(value, dict):
        return {
            key: strict_answer(value.get(key), child, root)
            for key, child in schema["properties"].items()
        }
    return value


def _fitting(value: Any, options: list[Schema]) -> Schema:
    if len(options) == 1:
        return options[0]
    if "op" in value:
        return next(o for o in options if o["properties"]["op"]["enum"] == [value["op"]])
    return next(o for o in options if o["required"] == list(value))


LOSSES = (
    r"^Payload: keys beyond the known ones are not offered$",
    r"^\w+/(facets|structured): values are narrowed",
    r"^UpdateSet/(expire_at|remind): null stands for absent",
)


def without_losses(instance: Any) -> Any:
    """An instance of the surface form without what the strict report says is lost."""
    args = dict(instance.get("args", {}))
    if "payload" in args:
        known = ("text", "url", "structured")
        args["payload"] = {k: v for k, v in args["payload"].items() if k in known}
    if "set" in args:
        args["set"] = {k: v for k, v in args["set"].items() if v is not None}
    out = {**instance, **({"args": args} if "args" in instance else {})}
    return _scalars_only(out)


def _scalars_only(value: Any, open_object: bool = False) -> Any:
    if isinstance(value, list):
        return [_scalars_only(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _scalars_only(item, key in ("facets", "structured"))
        for key, item in value.items()
        if not open_object or isinstance(item, str | int | float)
    }


# --- every lowering ------------------------------------------------------------------------


PLANNED: dict[str, Lowered] = {
    f"{op or 'program'}-{'strict' if strict else 'plain'}": (
        lower_instance(op, strict=strict) if op else lower_program(strict=strict)
    )
    for strict in (False, True)
    for op in ("", *INSTANCES)
}
FORMS: dict[str, list[Lowered]] = {
    op: [lower_form(form(op, utterance, tags)) for utterance in UTTERANCES for tags in KNOWN]
    for op in INSTANCES
}
STRICT = {name: lowered for name, lowered in PLANNED.items() if name.endswith("-strict")}
GROUPS: dict[str, list[Lowered]] = {
    **{name: [lowered] for name, lowered in PLANNED.items()},
    **{f"form-{op}": lowered for op, lowered in FORMS.items()},
    "verbs": [lower_verbs()],
}


def all_nodes(group: str) -> Iterator[Schema]:
    for lowered in GROUPS[group]:
        yield from nodes(lowered.schema)


@pytest.mark.parametrize("group", GROUPS)
def test_a_lowered_schema_is_a_schema(group: str) -> None:
    for lowered in GROUPS[group]:
        Draft202012Validator.check_schema(lowered.schema)


@pytest.mark.parametrize("group", GROUPS)
def test_no_decoder_meets_a_keyword_that_it_ignores(group: str) -> None:
    assert not {keyword for node in all_nodes(group) for keyword in node} & UNENFORCED


@pytest.mark.parametrize("group", GROUPS)
def test_every_object_is_closed_unless_it_is_open_by_design(group: str) -> None:
    for node in all_nodes(group):
        if node.get("type") != "object" or node["additionalProperties"] is False:
            continue
        assert group not in STRICT
        # the payload, and objects of which nothing is known: facets, structured
        assert set(node.get("properties", ())) in (set(), {"text", "url", "structured"})


@pytest.mark.parametrize("group", GROUPS)
def test_no_property_stands_beside_alternatives(group: str) -> None:
    assert not [node for node in all_nodes(group) if "anyOf" in node and "properties" in node]


@pytest.mark.parametrize("group", GROUPS)
def test_the_model_is_never_offered_meta_or_stage(group: str) -> None:
    for node in all_nodes(group):
        assert not {"meta", "stage"} & set(node.get("properties", {}))
        assert "Meta" not in node.get("$defs", {})


def test_a_program_is_a_twelve_way_choice_of_instances_that_begin_with_their_op() -> None:
    for strict in (False, True):
        schema = lower_program(strict=strict).schema
        options = [resolved(o, schema) for o in schema["properties"]["ops"]["items"]["anyOf"]]
        assert [next(iter(o["properties"])) for o in options] == ["op"] * 12
        named = [o["properties"]["op"] for o in options]
        assert [n.get("const", n.get("enum", [None])[0]) for n in named] == list(INSTANCES)


# --- OpenAI's strict subset ----------------------------------------------------------------


@pytest.mark.parametrize("name", STRICT)
def test_a_strict_schema_uses_the_strict_subset_alone(name: str) -> None:
    schema = STRICT[name].schema
    assert schema["type"] == "object"
    assert "anyOf" not in schema
    for node in nodes(schema):
        assert set(node) <= STRICT_KEYWORDS
        if "properties" in node:
            assert node["required"] == list(node["properties"])
            assert node["additionalProperties"] is False
        if node.get("type") == "array":
            assert "items" in node
        assert node, "an empty schema allows anything"


@pytest.mark.parametrize("name", STRICT)
def test_a_strict_schema_stays_within_the_limits(name: str) -> None:
    schema = STRICT[name].schema
    assert sum(len(node.get("properties", ())) for node in nodes(schema)) <= 5_000
    assert sum(len(node.get("enum", ())) for node in nodes(schema)) <= 1_000
    assert expanded(schema, schema, "properties") <= 5_000
    assert expanded(schema, schema, "enum") <= 1_000
    assert depth(schema, schema) <= 10
    names = [key for node in nodes(schema) for key in (*node.get("properties", ()),)]
    names += [str(value) for node in nodes(schema) for value in node.get("enum", ())]
    assert sum(map(len, (*names, *schema["$defs"]))) <= 120_000


# --- the way back --------------------------------------------------------------------------


def zone(case: dict[str, Any]) -> dict[str, Any]:
    return {"now": datetime.fromisoformat(case["now"]), "tz": ZoneInfo(case["tz"])}


def planned(instance: dict[str, Any]) -> dict[str, Any]:
    """What a model writes for an instance: no stage."""
    return {key: value for key, value in instance.items() if key not in ("stage", "meta")}


@pytest.mark.parametrize("case", VALID, ids=case_id)
def test_every_legal_program_can_be_answered_and_comes_back_whole(case: dict[str, Any]) -> None:
    program = case["expected"]["program"]
    whole = lower_program()
    answer = {"ops": [planned(instance) for instance in program]}
    assert list(Draft202012Validator(whole.schema).iter_errors(answer)) == []
    assert whole.restore(answer) == program
    assert list(validate(whole.restore(answer), **zone(case))) == []
    for instance in program:
        alone = lower_instance(instance["op"])
        assert list(Draft202012Validator(alone.schema).iter_errors(planned(instance))) == []
        assert alone.restore(planned(instance)) == [instance]


@pytest.mark.parametrize("case", VALID, ids=case_id)
def test_every_legal_program_survives_the_strict_form(case: dict[str, Any]) -> None:
    program = case["expected"]["program"]
    whole = lower_program(strict=True)
    answer = strict_answer({"ops": [planned(i) for i in program]}, whole.schema, whole.schema)
    assert list(Draft202012Validator(whole.schema).iter_errors(answer)) == []
    restored = whole.restore(answer)
    assert restored == [without_losses(instance) for instance in program]
    for instance, kept in zip(program, restored, strict=True):
        alone = lower_instance(instance["op"], strict=True)
        again = strict_answer(planned(instance), alone.schema, alone.schema)
        assert list(Draft202012Validator(alone.schema).iter_errors(again)) == []
        assert alone.restore(again) == [kept]
    if restored == program:
        assert list(validate(restored, **zone(case))) == []


def test_what_the_strict_form_loses_is_little_and_named() -> None:
    moved = lower_program(strict=True).moved
    for pattern in LOSSES:
        assert any(re.search(pattern, line) for line in moved), pattern
    programs = [case["expected"]["program"] for case in VALID]
    lost = [p for p in programs if p != [without_losses(instance) for instance in p]]
    assert 0 < len(lost) < len(programs) / 4


def test_an_empty_open_object_comes_back_as_one() -> None:
    answer = {"op": "Label", "target": {"ids": ["1"]}, "args": {"tags": None, "facets": []}}
    answer["args"]["mode"] = "replace"  # type: ignore[index]
    [restored] = lower_instance("Label", strict=True).restore(answer)
    assert restored["args"] == {"facets": {}, "mode": "replace"}


def test_a_list_of_pairs_elsewhere_is_left_alone() -> None:
    answer = {"op": "Delete", "target": {"ids": [{"key": "a", "value": "b"}]}, "args": None}
    [restored] = lower_instance("Delete", strict=True).restore(answer)
    assert restored["target"] == {"ids": [{"key": "a", "value": "b"}]}
    assert "args" not in restored


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("wrapped", [lambda i: i, lambda i: [i], lambda i: {"ops": [i]}])
def test_a_redraft_may_come_wrapped_as_the_draft_was(strict: bool, wrapped: Any) -> None:
    answer = {"op": "Delete", "target": {"ids": ["1"]}}
    assert lower_instance("Delete", strict=strict).restore(wrapped(answer)) == [
        {"stage": "STO", **answer}
    ]


@pytest.mark.parametrize("count", [0, 2])
def test_a_redraft_of_several_instances_is_no_redraft(count: int) -> None:
    answer = [{"op": "Delete", "target": {"ids": ["1"]}}] * count
    with pytest.raises(ValueError, match="instead of one"):
        lower_instance("Delete").restore({"ops": answer})


@pytest.mark.parametrize("op", INSTANCES)
@pytest.mark.parametrize("spelled", [str, str.lower, str.upper])
def test_the_stage_is_given_however_the_op_is_spelled(op: str, spelled: Any) -> None:
    [restored] = lower_program().restore({"ops": [{"op": spelled(op)}]})
    assert restored == {"stage": STAGES[op], "op": spelled(op)}


@pytest.mark.parametrize(
    "item", ["text", 5, None, [], {}, {"op": None}, {"op": ["Delete"]}, {"op": {}}, {"op": "Eat"}]
)
def test_what_is_no_instance_is_passed_on_to_be_judged(item: Any) -> None:
    assert lower_program().restore({"ops": [item]}) == [item]
    [first, *_] = validate([item], now=datetime(2026, 3, 4, tzinfo=UTC), tz=UTC)
    assert first.severity == "error"


@pytest.mark.parametrize("answer", [{"verbs": ["Delete", "Eat"]}, {"verbs": "Delete"}])
def test_an_unknown_verb_is_no_answer(answer: Any) -> None:
    with pytest.raises(ValueError, match="not a list of ops"):
        lower_verbs().restore(answer)


def test_the_verbs_are_the_twelve_ops_in_order() -> None:
    lowered = lower_verbs()
    judge = Draft202012Validator(lowered.schema)
    for op in INSTANCES:
        assert judge.is_valid({"verbs": [op]})
    assert not judge.is_valid({"verbs": []})
    assert not judge.is_valid({"verbs": ["Delete"] * 7})
    assert not judge.is_valid({"verbs": ["delete"]})
    assert lowered.restore({"verbs": ["Encode", "Demote"]}) == ["Encode", "Demote"]


# --- what is left to the validator ---------------------------------------------------------


@pytest.mark.parametrize("name", PLANNED)
def test_every_rule_on_several_keys_is_reported(name: str) -> None:
    for model in all_models():
        for rule in model.groups:
            if model.__name__ == "Target":
                continue  # enforced: an alternative for each selector
            words = f"{model.__name__}: {rule.kind.replace('_', ' ')} of {', '.join(rule.keys)}"
            assert words in PLANNED[name].moved
    assert "UpdateSet: at least one key" in PLANNED[name].moved


def bounds(schema: Any, at: str) -> Iterator[str]:
    """The bounds of a definition with their addresses."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword == "properties":
            for key, child in value.items():
                yield from bounds(child, f"{at}/{key}")
        elif keyword == "anyOf":
            for child in value:
                yield from bounds(child, at)
        elif keyword.startswith(("min", "max")) or keyword == "pattern":
            yield f"{at}: {keyword} {value}"
        else:
            yield from bounds(value, at)


def test_every_bound_that_the_strict_form_drops_is_reported() -> None:
    moved = set(lower_program(strict=True).moved)
    planned_only = {k: v for k, v in definitions(groups=False).items() if k != "Meta"}
    dropped = {bound for name, schema in planned_only.items() for bound in bounds(schema, name)}
    assert len(dropped) > 50
    assert {bound for bound in dropped if not {bound, of_its_model(bound)} & moved} == set()


def of_its_model(bound: str) -> str:
    """A bound without the property that it stands at."""
    at, _, rule = bound.partition(": ")
    return f"{at.partition('/')[0]}: {rule}"


def test_a_pattern_that_no_decoder_reads_as_meant_is_dropped_and_reported() -> None:
    for group in GROUPS:
        for node in all_nodes(group):
            assert re.match(r"^\^.*\$$", node.get("pattern", "^$"))
    for op in INSTANCES:
        assert r"Filter: pattern \S" in lower_instance(op).moved


@pytest.mark.parametrize(
    ("op", "said", "tags", "moved"),
    [
        ("Encode", "Remember the milk.", (), (r"tags: pattern \S",)),
        ("Label", "Tag the trip.", (), (r"add: pattern \S",)),
        ("Label", "Untag the trip.", ("work",), (r"remove: pattern \S",)),
        ("Delete", "Everything tagged work.", (), (r"tags: pattern \S",)),
        ("Delete", "Everything tagged work.", ("work",), ()),
        ("Delete", "Forget the lunch notes.", ("work",), ()),
        ("Merge", "Merge memories 3 and 5.", (), ()),
        ("Promote", "Remind me every Monday.", (), ()),
    ],
)
def test_a_form_reports_the_patterns_that_it_drops(
    op: str, said: str, tags: tuple[str, ...], moved: tuple[str, ...]
) -> None:
    assert lower_form(form(op, said, tags)).moved == moved


@pytest.mark.parametrize("op", INSTANCES)
def test_what_a_form_does_not_report_it_enforces(op: str) -> None:
    """A blank answer for a list of texts is legal for no decoder, or reported."""
    for lowered in FORMS[op]:
        reported = {line.partition(": ")[0] for line in lowered.moved}
        for shape in lowered.schema.get("anyOf", [lowered.schema]):
            for key, slot in shape["properties"].items():
                if slot.get("type") == "array":
                    assert Draft202012Validator(slot).is_valid([" "]) == (key in reported)


@pytest.mark.parametrize("op", INSTANCES)
def test_every_slot_of_a_form_is_asked_for(op: str) -> None:
    for lowered in FORMS[op]:
        for shape in lowered.schema.get("anyOf", [lowered.schema]):
            assert shape["required"] == list(shape["properties"])


@pytest.mark.parametrize("selectors", [(), ("ids", "all"), ("filter", "search")])
def test_a_target_has_exactly_one_selector_in_every_decoder(selectors: tuple[str, ...]) -> None:
    some = {
        "ids": ["1"],
        "all": True,
        "filter": {"type": "note"},
        "search": {"intent": {"query": "lunch"}},
    }
    answer = {"op": "Retrieve", "target": {key: some[key] for key in selectors}}
    judge = Draft202012Validator(lower_instance("Retrieve").schema)
    assert not judge.is_valid(answer)
    for key, value in some.items():
        assert judge.is_valid({"op": "Retrieve", "target": {key: value}})
