"""Aids: each of them can be switched off, and then does nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.planning import STAGED, WHOLE, Planned, note, opened, planned, step
from text2mem.errors import ConfigurationError
from text2mem.ir.surface import INSTANCES
from text2mem.planner.aids import AID_NAMES, Aids
from text2mem.planner.lowering import lower_form, lower_program, lower_verbs
from text2mem.planner.slots import form
from text2mem.prompts import load
from text2mem.providers.profiles import Profile

STORE = [
    note("The ferry to Nesodden leaves at 8:15.", "travel"),
    note("The boiler is serviced in June.", "home"),
    note("Ana drinks green tea.", "people"),
]
FERRY = {"op": "Delete", "target": {"ids": ["1"]}}
STRICT = Profile(planning="whole", constraint="strict")


def without(*names: str) -> Aids:
    return Aids.without(names)


def schema(done: Planned, question: int = 0) -> dict[str, Any]:
    """The schema of a question."""
    found = done.asked[question].schema
    assert found is not None
    return dict(found)


def test_every_aid_is_there_by_default_and_goes_by_its_name_alone() -> None:
    assert Aids.without([]) == Aids()
    assert all(getattr(Aids(), name) for name in AID_NAMES)
    for off in AID_NAMES:
        aids = Aids.without([off])
        assert {name for name in AID_NAMES if not getattr(aids, name)} == {off}
    assert not any(getattr(Aids.without(AID_NAMES), name) for name in AID_NAMES)


def test_a_name_that_is_no_aid_is_the_callers_mistake() -> None:
    with pytest.raises(ConfigurationError, match="no aid named 'cues'") as caught:
        Aids.without(["evidence", "cues"])
    assert all(name in caught.value.hint for name in AID_NAMES)


def test_a_compile_has_every_aid_unless_it_is_told_otherwise() -> None:
    for profile in (STAGED, WHOLE):
        answers: list[Any] = [{"ops": [FERRY]}] if profile is WHOLE else []
        plain = planned("Forget memory 1.", *answers, store=STORE, profile=profile)
        told = planned("Forget memory 1.", *answers, store=STORE, profile=profile, aids=Aids())
        assert plain.asked == told.asked
        assert plain.program == told.program == [step("Delete", {"ids": ["1"]})]


# --- grounding -----------------------------------------------------------------------------


@pytest.mark.parametrize("constraint", ["json_schema", "strict"])
def test_without_grounding_a_large_model_is_shown_nothing_of_the_store(constraint: Any) -> None:
    profile = Profile(planning="whole", constraint=constraint)
    said, answer = "Forget the ferry.", {"ops": [FERRY]}
    shown = planned(said, answer, store=STORE, profile=profile)
    blind = planned(said, answer, store=STORE, profile=profile, aids=without("grounding"))
    unseen = planned(said, answer, profile=profile)
    assert "leaves at 8:15" in shown.said and "<store>" in shown.said
    assert blind.asked == unseen.asked
    assert schema(blind) == lower_program(strict=constraint == "strict").schema


def test_without_grounding_a_small_model_says_itself_what_is_meant() -> None:
    said = "Archive the boiler note."
    assert planned(said, store=STORE).program == [
        step("Demote", {"ids": ["2"]}, archive=True)
    ]  # fmt: skip
    blind = planned(said, {"about": "boiler"}, store=STORE, aids=without("grounding"))
    search = {"search": {"intent": {"query": "boiler"}, "limit": 10}}
    assert blind.program == [step("Demote", search, archive=True)]
    assert "<store>" not in blind.said
    assert all(row["args"]["payload"]["text"] not in blind.said for row in STORE)


# --- constraint ----------------------------------------------------------------------------


def selectors(found: dict[str, Any]) -> str:
    """The part of a schema that says what a selector can name."""
    return json.dumps([found["$defs"]["Filter"], found["$defs"]["Target"]])


@pytest.mark.parametrize("profile", [WHOLE, STRICT])
def test_without_the_constraint_a_model_may_name_anything(profile: Profile) -> None:
    said, answer = "Forget the ferry.", {"ops": [FERRY]}
    bound = planned(said, answer, store=STORE, profile=profile)
    free = planned(said, answer, store=STORE, profile=profile, aids=without("constraint"))
    assert bound.asked[0].messages == free.asked[0].messages
    assert "none_of_these" in selectors(schema(bound)) and "travel" in selectors(schema(bound))
    assert schema(free) == lower_program(strict=profile is STRICT).schema


def test_without_the_constraint_a_small_model_may_name_any_tag() -> None:
    said, answers = "Forget what is tagged travel.", ({"verbs": ["Delete"]}, {"tags": ["travel"]})
    bound = planned(said, *answers, store=STORE, aids=without("evidence"))
    free = planned(said, *answers, store=STORE, aids=without("evidence", "constraint"))
    assert bound.asked[1].messages == free.asked[1].messages
    assert schema(bound, 1)["properties"]["tags"]["items"] == {
        "type": "string", "enum": ["home", "people", "travel"],
    }  # fmt: skip
    assert schema(free, 1) == lower_form(form("Delete", said)).schema


def test_without_the_constraint_what_is_not_there_is_searched_for() -> None:
    said = "Delete the note about the zeppelin."
    assert planned(said, store=STORE).question.reason == "nothing-found"
    [searched] = planned(said, store=STORE, aids=without("constraint")).program
    assert searched["op"] == "Delete"
    assert "zeppelin" in searched["target"]["search"]["intent"]["query"]


# --- staging -------------------------------------------------------------------------------


def test_without_staging_a_small_model_writes_the_whole_program() -> None:
    done = planned("Forget the ferry.", {"ops": [FERRY]}, store=STORE, aids=without("staging"))
    assert done.program == [{"stage": "STO", **FERRY}]
    large = planned("Forget the ferry.", {"ops": [FERRY]}, store=STORE, profile=WHOLE)
    assert done.asked == large.asked


def test_without_staging_a_bad_answer_still_does_not_go_back_to_a_small_model() -> None:
    bad = {"op": "Delete", "target": {"ids": []}}
    done = planned("Forget the ferry.", {"ops": [bad]}, FERRY, aids=without("staging"))
    assert all(json.dumps({"ops": [bad]}) not in m.content for m in done.asked[1].messages)


def test_a_large_model_never_stages() -> None:
    for aids in (Aids(), without("staging")):
        done = planned("Forget the ferry.", {"ops": [FERRY]}, profile=WHOLE, aids=aids)
        assert schema(done) == lower_program().schema


# --- evidence ------------------------------------------------------------------------------


def test_without_evidence_a_small_model_is_asked_for_all_of_it() -> None:
    said = "Let memory 1 expire in 30 days."
    assert planned(said).program == [step("Expire", {"ids": ["1"]}, ttl="P30D")]
    answers = ({"verbs": ["Expire"]}, {"ids": ["1"], "when": "P30D"})
    done = planned(said, *answers, aids=without("evidence"))
    assert done.program == [step("Expire", {"ids": ["1"]}, ttl="P30D")]
    assert schema(done, 0) == lower_verbs().schema
    assert schema(done, 1) == lower_form(form("Expire", said)).schema


def test_without_evidence_no_draft_is_contradicted() -> None:
    said = "Let memory 1 expire in 30 days."
    week, month = (step("Expire", {"ids": ["1"]}, ttl=ttl) for ttl in ("P7D", "P30D"))
    mended = planned(said, {"ops": [week]}, month, profile=WHOLE)
    assert mended.program == [month]
    assert "[contradicts-request]" in mended.said
    left = planned(said, {"ops": [week]}, profile=WHOLE, aids=without("evidence"))
    assert left.program == [week]


def test_without_evidence_whoever_writes_may_do_what_nobody_asked_for() -> None:
    said, all_of_it = "Find the ferry.", step("Delete", {"all": True})
    mended = planned(said, {"ops": [all_of_it]}, all_of_it, profile=WHOLE)
    assert mended.question.reason == "unsupported-by-request"
    left = planned(said, {"ops": [all_of_it]}, profile=WHOLE, aids=without("evidence"))
    assert left.program == [all_of_it]


# --- effects -------------------------------------------------------------------------------


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_without_effects_a_draft_that_hits_nothing_goes(store: str) -> None:
    adapter = opened(store, STORE)
    said = "Forget the zeppelin."
    nothing = {"op": "Delete", "target": {"filter": {"has_tags": ["zeppelin"]}}}
    drafts = ({"ops": [nothing]}, nothing)
    asked = planned(said, *drafts, store=adapter, profile=WHOLE)
    assert asked.question.reason == "nothing-found"
    left = planned(said, drafts[0], store=adapter, profile=WHOLE, aids=without("effects"))
    assert left.program == [{"stage": "STO", **nothing}]
    adapter.close()


# --- examples ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "template", "answers"),
    [
        (STAGED, "staged", [{"verbs": ["Delete"]}, {"about": "ferry"}]),
        (WHOLE, "whole", [{"ops": [FERRY]}]),
    ],
)
def test_without_examples_the_prompt_is_its_system_turn(
    profile: Profile, template: str, answers: list[Any]
) -> None:
    system, *worked = load(template).turns
    assert system.role == "system" and worked
    for names, fixed in ((["evidence"], (system, *worked)), (["evidence", "examples"], (system,))):
        done = planned("Forget the ferry.", *answers, profile=profile, aids=Aids.without(names))
        for request in done.asked:
            assert request.messages[: len(fixed)] == fixed
            assert request.messages[len(fixed)].content.endswith("Request: Forget the ferry.")


def test_without_every_aid_both_ways_of_planning_still_work() -> None:
    done = planned("Forget the ferry.", {"ops": [FERRY]}, store=STORE, aids=without(*AID_NAMES))
    assert done.program == [{"stage": "STO", **FERRY}]
    assert schema(done) == lower_program().schema
    assert set(INSTANCES) <= set(schema(done)["$defs"])
