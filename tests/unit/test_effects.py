"""Effects: what a dry run of a draft shows, on both stores, and what a compile makes of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fixtures import case_id, cases, faults
from tests.planning import CONTEXT, NOW, WHOLE, Raw, note, opened, planned, step
from text2mem.adapters.base import Adapter
from text2mem.ir.diagnostic import CODES, Diagnostic
from text2mem.pipeline import execute, previewing
from text2mem.planner import effects
from text2mem.planner.aids import Aids
from text2mem.program import Program

CASES = list(cases("effects"))
BLIND = Aids.without(["evidence"])
STORES = pytest.mark.parametrize("store", ["memory", "sqlite"])


def rows(adapter: Adapter) -> list[Any]:
    """Everything that a store holds, deleted and archived memories too."""
    everything = step("Retrieve", {"filter": {"include": ["archived", "deleted"], "limit": 100}})
    [found] = execute([everything], adapter, context=CONTEXT).results
    return [dict(row) for row in found.rows]


def tried(case: Raw, adapter: Adapter) -> list[Diagnostic]:
    """What is wrong with a case's draft."""
    ops = Program.load(case["program"], now=NOW).ops
    result = previewing(adapter, CONTEXT)(ops)
    total = adapter.view(CONTEXT).vocabulary(limit=1).total
    return effects.diagnose(ops, result, case["utterance"], total)


def test_the_cases_have_the_form_of_cases() -> None:
    assert faults("effects", CASES) == []
    assert len({case["id"] for case in CASES}) == len(CASES)
    seen = {d["code"] for case in CASES for d in case["expected"]["diagnostics"]}
    assert seen == effects.CODES <= set(CODES)


@STORES
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_draft_is_told_what_it_would_wrongly_do(case: Raw, store: str) -> None:
    adapter = opened(store, case["store"])
    before = rows(adapter)
    found = tried(case, adapter)
    assert [{"code": d.code, "pointer": d.pointer, "severity": d.severity} for d in found] == case[
        "expected"
    ]["diagnostics"]
    assert all(d.message for d in found)
    assert rows(adapter) == before
    adapter.close()


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_where_no_redraft_helps_a_person_is_asked_or_the_draft_goes(case: Raw) -> None:
    found = [d for d in tried(case, opened("memory", case["store"])) if d.severity == "error"]
    asked = [effects.question(d, case["program"], case["utterance"]) for d in found]
    first = next((question for question in asked if question), None)
    expected = case["expected"]["question"]
    if first is None:
        assert expected is None
        return
    assert {"reason": first.reason, "options": len(first.options)} == expected
    chinese = any("\u4e00" <= c <= "\u9fff" for c in case["utterance"])
    assert any("\u4e00" <= c <= "\u9fff" for c in first.text) is chinese
    assert all(option.instances == case["program"] for option in first.options)


@STORES
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_model_that_does_not_mend_its_draft_leaves_it_or_a_question(
    case: Raw, store: str
) -> None:
    wrong = [d for d in case["expected"]["diagnostics"] if d["severity"] == "error"]
    answers: list[Any] = [{"ops": case["program"]}]
    if wrong:  # the part that is blamed first is redrafted once, and says the same again
        answers.append(case["program"][int(wrong[0]["pointer"].split("/")[1])])
    adapter = opened(store, case["store"])
    done = planned(case["utterance"], *answers, store=adapter, profile=WHOLE, aids=BLIND)
    if case["expected"]["question"] is None:
        assert done.program == Program.load(case["program"], now=NOW).to_list()
    else:
        assert done.question.reason == case["expected"]["question"]["reason"]
        assert len(done.question.options) == case["expected"]["question"]["options"]
    adapter.close()


# --- in a compile --------------------------------------------------------------------------

STORE = [
    note("The dentist is at nine on Monday.", "health"),
    note("Milk and bread are out.", "shopping"),
    note("Bo moved to Oslo.", "people"),
]
NOTHING = {"op": "Delete", "target": {"filter": {"has_tags": ["travel"]}}}
DENTIST = {"op": "Delete", "target": {"ids": ["1"]}}


@STORES
def test_a_draft_that_hits_nothing_is_mended(store: str) -> None:
    adapter = opened(store, STORE)
    done = planned(
        "Forget the dentist.", {"ops": [NOTHING]}, DENTIST, store=adapter, profile=WHOLE, aids=BLIND
    )
    assert done.program == [{"stage": "STO", **DENTIST}]
    told = done.asked[1].messages[-1].content
    assert "/0/target: the store holds no memory that this selects" in told
    assert "[empty-selection]" in told
    trace = done.outcome.trace
    assert trace is not None
    assert [[d.code for d in attempt.diagnostics] for attempt in trace.attempts] == [
        ["empty-selection"], [],
    ]  # fmt: skip
    adapter.close()


@STORES
def test_a_lock_in_the_way_is_told_and_the_draft_can_go_round_it(store: str) -> None:
    adapter = opened(store, [*STORE, step("Lock", {"ids": ["1"]}, mode="read_only")])
    milk = {"op": "Delete", "target": {"ids": ["2"]}}
    done = planned(
        "Forget it.", {"ops": [DENTIST]}, milk, store=adapter, profile=WHOLE, aids=BLIND
    )  # fmt: skip
    assert done.program == [{"stage": "STO", **milk}]
    assert "memory 1 is locked" in done.asked[1].messages[-1].content
    adapter.close()


def test_what_code_has_linked_to_the_store_is_not_doubted() -> None:
    locked = [*STORE, step("Lock", {"ids": ["1"]}, mode="read_only")]
    done = planned("Forget memory 1.", store=locked)
    assert done.program == [step("Delete", {"ids": ["1"]})]


def test_the_words_of_everything_are_asked_for_in_so_many_words() -> None:
    for all_of_it, few in (
        ("Delete everything.", "Delete the notes."),
        ("全部删除。", "删除记录。"),
    ):
        whole = {"op": "Delete", "target": {"filter": {"has_tags": ["x"]}}}
        store = [note(text, "x") for text in ("a b c", "d e f", "g h i")]
        drafts = ({"ops": [whole]}, whole)
        done = planned(all_of_it, drafts[0], store=store, profile=WHOLE, aids=BLIND)
        assert done.program == [{"stage": "STO", **whole}]
        asked = planned(few, *drafts, store=store, profile=WHOLE, aids=BLIND).question
        assert asked.reason == "everything"
        assert asked.choose(1).to_list() == [{"stage": "STO", **whole}]


@pytest.mark.parametrize("without", [["effects"], ["effects", "evidence"]])
def test_without_effects_no_draft_is_tried(without: list[str]) -> None:
    def preview(ops: Any) -> Any:
        raise AssertionError("a draft was tried")

    done = planned(
        "Forget the trip.", {"ops": [NOTHING]}, store=STORE, profile=WHOLE,
        aids=Aids.without(without), preview=preview,
    )  # fmt: skip
    assert done.program == [{"stage": "STO", **NOTHING}]
