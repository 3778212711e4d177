"""The cases of ``fixtures/ledger`` on every backend: what was said becomes facts, facts answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.conformance.playing import BACKENDS, Case, Seen, staged
from tests.fixtures import ROOT

FOLDER = ROOT / "ledger"
CASES = {
    case["id"]: case
    for case in (
        json.loads(path.read_text("utf-8"))
        for path in sorted(FOLDER.glob("*.json"))
        if path.name != "case.schema.json"
    )
}
QUESTIONS = [(case["id"], each["id"]) for case in CASES.values() for each in case["questions"]]


def answered(case: Case, program: Any, backend: str) -> tuple[list[Seen], Seen]:
    """What the episodes gave, in order, and what a program gives after them."""
    steps = [{"now": each["at"], "program": each["program"]} for each in case["episodes"]]
    script = {"now": case["now"], "setup": steps, "input": program}
    with staged(script, BACKENDS[backend]) as stage:
        return [stage.play(step) for step in steps], stage.play(program)


def rows(seen: Seen) -> Any:
    assert seen.outcome["ok"], seen.outcome
    (result,) = seen.outcome["results"]
    return result["rows"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_episodes_become_memories(case: Case, backend: str) -> None:
    written, after = answered(case, case["questions"][0]["program"], backend)
    for episode, seen in zip(case["episodes"], written, strict=True):
        assert seen.outcome["ok"], seen.outcome
        assert [
            result["warnings"] for result in seen.outcome["results"] if result["warnings"]
        ] == []
        assert episode["said"] in [memory["text"] for memory in seen.memories.values()]
    assert after.memories.keys() == case["memories"].keys()
    for id_, fields in case["memories"].items():
        assert {name: after.memories[id_][name] for name in fields} == fields


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("id_", "question"), QUESTIONS, ids="-".join)
def test_a_question_is_answered(id_: str, question: str, backend: str) -> None:
    case = CASES[id_]
    (asked,) = (each for each in case["questions"] if each["id"] == question)
    _, seen = answered(case, asked["program"], backend)
    assert rows(seen) == asked["rows"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_words_find_the_stale_sentence_and_the_ledger_the_date_that_holds(backend: str) -> None:
    case = CASES["mira"]
    asked = {each["id"]: each["program"] for each in case["questions"]}
    ((naive,), (fact,)) = (
        rows(answered(case, asked[id_], backend)[1]) for id_ in ("text-search", "current-state")
    )
    assert naive["source"] == "e1" and "15 July 2026" in naive["text"]
    assert (fact["source"], fact["value"]) == ("e2", "2026-06-30")


def test_the_cases_keep_their_schema() -> None:
    schema = json.loads((FOLDER / "case.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    for case in CASES.values():
        assert not list(Draft202012Validator(schema).iter_errors(case)), case["id"]
