"""The constraint from the store: a selector names what there is, or that it means none of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.planning import WHOLE, Planned, Raw, note, planned, step
from tests.unit.test_lowering import STRICT_KEYWORDS, nodes
from text2mem.ir.turn import Turn
from text2mem.planner.constraint import MOST, NONE
from text2mem.providers.profiles import Profile

STRICT = Profile(planning="whole", constraint="strict")
PROFILES = pytest.mark.parametrize(
    "profile", [WHOLE, STRICT], ids=lambda profile: profile.constraint
)
STORE = [
    step(
        "Encode", payload={"text": "The ferry to Nesodden leaves at 8:15."}, tags=["travel"],
        type="note", subject="ferry", location="Oslo", topic="timetables",
    ),
    step(
        "Encode", payload={"structured": {"subject": "Ana", "attribute": "drink", "value": "tea"}},
        tags=["people"],
    ),
    note("锅炉六月检修。", "家务"),
]  # fmt: skip
FERRY = {"op": "Delete", "target": {"ids": ["1"]}}
KEYS = ("type", "subject", "location", "topic", "attribute")


def schema(done: Planned) -> Raw:
    found = done.asked[0].schema
    assert found is not None
    return dict(found)


def bound(profile: Profile, **options: Any) -> Raw:
    """The schema of a draft about the ferry."""
    return schema(
        planned("Forget the ferry.", {"ops": [FERRY]}, store=STORE, profile=profile, **options)
    )


def names(conditions: Raw, key: str) -> list[str]:
    """What a condition can name."""
    place = conditions[key]
    place = place["anyOf"][0] if "anyOf" in place else place
    return list(place.get("items", place)["enum"])


def draft(profile: Profile, target: Raw) -> Raw:
    """A Delete as the profile's decoder has it: the strict one has every key."""
    if profile is WHOLE:
        return {"ops": [{"op": "Delete", "target": target}]}
    every = bound(STRICT)["$defs"]["Filter"]["properties"]
    if "filter" in target:
        target = {"filter": {**dict.fromkeys(every), **target["filter"]}}
    return {"ops": [{"op": "Delete", "target": target, "args": None}]}


@PROFILES
def test_a_selector_names_what_the_store_holds(profile: Profile) -> None:
    conditions = bound(profile)["$defs"]["Filter"]["properties"]
    for key in ("has_tags", "not_tags"):
        assert sorted(names(conditions, key)) == sorted(["travel", "people", "家务", NONE])
    held = {"type": ["note"], "subject": ["ferry", "Ana"], "location": ["Oslo"],
            "topic": ["timetables"], "attribute": ["drink"]}  # fmt: skip
    for key in KEYS:
        assert set(names(conditions, key)) == {*held[key], NONE}


@PROFILES
@pytest.mark.parametrize(
    ("target", "allowed"),
    [
        ({"filter": {"has_tags": ["travel"]}}, True),
        ({"filter": {"subject": "Ana", "attribute": "drink"}}, True),
        ({"filter": {"has_tags": [NONE]}}, True),
        ({"ids": ["1"]}, True),
        ({"ids": ["$1"]}, True),
        ({"ids": [NONE]}, True),
        ({"filter": {"has_tags": ["zeppelin"]}}, False),
        ({"filter": {"subject": "Bo"}}, False),
        ({"ids": ["7"]}, False),
    ],
)
def test_a_decoder_lets_pass_what_is_there(profile: Profile, target: Raw, allowed: bool) -> None:
    assert Draft202012Validator(bound(profile)).is_valid(draft(profile, target)) is allowed


@PROFILES
def test_what_is_made_stays_free(profile: Profile) -> None:
    free = schema(planned("Forget the ferry.", {"ops": [FERRY]}, profile=profile))
    constrained = bound(profile)
    assert free["properties"] == constrained["properties"]
    changed = {name for name in free["$defs"] if free["$defs"][name] != constrained["$defs"][name]}
    assert changed == {"Filter", "Target"}


def test_the_strict_schema_stays_within_the_strict_subset() -> None:
    for node in nodes(bound(STRICT)):
        assert set(node) <= STRICT_KEYWORDS
        if "properties" in node:
            assert node["required"] == list(node["properties"])


@PROFILES
@pytest.mark.parametrize(
    ("said", "context"),
    [
        ("Forget memories 1 and 30.", ()),
        ("Forget those.", (Turn("What is there?", ids=("30",)),)),
    ],
)
def test_ids_that_are_spoken_of_can_be_named(
    profile: Profile, said: str, context: Sequence[Turn]
) -> None:
    done = planned(said, {"ops": [FERRY]}, store=STORE, profile=profile, context=context)
    assert Draft202012Validator(schema(done)).is_valid(draft(profile, {"ids": ["30"]}))


def test_no_more_names_are_offered_than_a_model_can_choose_from() -> None:
    many = [note(f"ferry {n}", f"tag{n}") for n in range(MOST + 20)]
    done = planned("Forget the ferry.", {"ops": [FERRY]}, store=many, profile=WHOLE)
    conditions = schema(done)["$defs"]["Filter"]["properties"]
    assert len(names(conditions, "has_tags")) == MOST + 1


# --- none of these -------------------------------------------------------------------------

NOTHING: list[Raw] = [
    {"ids": [NONE]},
    {"filter": {"has_tags": [NONE]}},
    {"filter": {"subject": NONE}},
]


@pytest.mark.parametrize("target", NOTHING)
@pytest.mark.parametrize(
    ("said", "instance"),
    [
        ("Forget the zeppelin.", step("Delete")),
        ("Archive the zeppelin.", step("Demote", archive=True)),
        ("Lock the zeppelin.", step("Lock", mode="read_only")),
        ("给飞艇加上“旧”标签。", step("Label", tags=["旧"])),
    ],
)
def test_a_write_that_means_none_of_them_is_asked_about(
    said: str, instance: Raw, target: Raw
) -> None:
    answer = {"ops": [{**instance, "target": target}]}
    asked = planned(said, answer, store=STORE, profile=WHOLE).question
    assert asked.reason == "nothing-found"
    assert NONE not in str(asked.as_dict())


@pytest.mark.parametrize("target", NOTHING)
@pytest.mark.parametrize("op", ["Retrieve", "Summarize"])
def test_a_read_that_means_none_of_them_searches(op: str, target: Raw) -> None:
    said = "Find the zeppelin." if op == "Retrieve" else "Summarize the zeppelin."
    read = step(op, target)
    done = planned(said, {"ops": [read]}, store=STORE, profile=WHOLE, aids=None, preview=None)
    [found] = done.program
    assert found["op"] == op
    assert "zeppelin" in found["target"]["search"]["intent"]["query"]


def test_to_leave_out_nothing_is_no_condition() -> None:
    target = {"filter": {"has_tags": ["travel"], "not_tags": [NONE]}}
    answer = {"ops": [{"op": "Delete", "target": target}]}
    done = planned("Forget the ferry.", answer, store=STORE, profile=WHOLE)
    assert done.program == [step("Delete", {"filter": {"has_tags": ["travel"]}})]
