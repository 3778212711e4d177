"""Questions in the benchmark: they score nothing, and are counted and told apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.asking import OPEN, WHICH, ask_back
from text2mem.planner.asking import ClarifyingQuestion
from text2mem.providers.function import FunctionProvider
from text2mem_bench.adversarial.cases import Expected, read_cases
from text2mem_bench.adversarial.figures import summarise
from text2mem_bench.adversarial.judging import Happening, judge
from text2mem_bench.adversarial.scoring import judge_utterances
from text2mem_bench.cli.running_scores import Tally
from text2mem_bench.cli.score_table import table
from text2mem_bench.corpus import read_corpus
from text2mem_bench.planning import ModelPredictor, play, row_of
from text2mem_bench.report.compare import compare
from text2mem_bench.report.failures import listed, reasons
from text2mem_bench.report.page import page
from text2mem_bench.report.run import ReportedRun
from text2mem_bench.running import Stores, temporary_stores
from text2mem_bench.scores import Row, lacks_content
from text2mem_bench.scores import summarise as summarise_rows

FIXTURES = Path(__file__).parents[2] / "fixtures"
DELETE = next(c for c in read_corpus(FIXTURES / "corpus" / "rows.jsonl") if c.id == "passed-en-2")
MODEL = FunctionProvider(lambda request: {"steps": [{"op": "Retrieve", "which": "all"}]})


@pytest.fixture(scope="module")
def stores() -> Iterator[Stores]:
    with temporary_stores() as made:
        yield made


def row(id_: str, gold: str = "Update", **parts: Any) -> Row:
    """A row whose program was right."""
    scores = {"valid": 1, "esr": 1, "op_exact": 1, "emr": 1.0, "row": 1}
    return {
        "id": id_, "lang": "en", "instruction_type": "direct", "structure": "single",
        "utterance": "Change it.", "context": [], "gold": [{"op": gold}], "gold_ops": [gold],
        "predicted": [{"op": gold}], "ops": [gold], "status": "executed", "error": None,
        "question": None, "reason": None, "diagnostics": [], "redrafts": 0, "seconds": 1.0,
        "usage": {"prompt_tokens": 10, "output_tokens": 4, "cached_tokens": 0},
        "checks": [{"name": "n", "sql": "", "held": True, "effective": True}], "ranking": None,
        "scores": scores, **parts,
    }  # fmt: skip


def asking(id_: str, gold: str = "Update", reason: str = "missing-content") -> Row:
    """A row in place of whose program there is a question."""
    scores = {"valid": 0, "esr": 0, "op_exact": 0, "emr": 0.0, "row": 0}
    return row(
        id_, gold, status="asked", question="Say <what>?", reason=reason, predicted=None, ops=[],
        scores=scores,
    )  # fmt: skip


def run(*rows: Row, label: str = "made-up") -> ReportedRun:
    config = {"kind": "plan", "finished": "now", "data": {"name": "d.jsonl", "sha256": "aa"}}
    return ReportedRun(label, label, config, rows, summarise_rows(rows))


ROWS = (
    row("a"), row("b", "Delete"), asking("c"), asking("d", "Delete", "everything"),
    asking("e", "Delete"),
)  # fmt: skip
PLAIN = tuple(row(one["id"], one["gold_ops"][0]) for one in ROWS)


# --- a row ---------------------------------------------------------------------------------


def test_a_question_runs_nothing_and_scores_nothing(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_back(monkeypatch, {DELETE.utterance: WHICH})
    played = play(DELETE, ModelPredictor(provider=MODEL), stores)
    assert played is not None
    found = row_of(played)
    assert (found["status"], found["predicted"], found["ops"]) == ("asked", None, [])
    assert (found["question"], found["reason"]) == (WHICH.text, "ambiguous-target")
    assert (found["error"], found["diagnostics"]) == (None, [])
    assert set(found["scores"].values()) == {0}
    assert json.loads(json.dumps(found)) == found


def test_a_program_asks_nothing(stores: Stores) -> None:
    played = play(DELETE, ModelPredictor(provider=MODEL), stores)
    assert played is not None
    found = row_of(played)
    assert (found["status"], found["question"], found["reason"]) == ("executed", None, None)


def test_a_row_of_a_question_keeps_the_schema_of_runs() -> None:
    schema = json.loads((FIXTURES / "runs" / "case.schema.json").read_text("utf-8"))
    status = Draft202012Validator(schema["properties"]["status"])
    assert status.is_valid("asked")
    assert {"question", "reason"} <= set(schema["properties"])


# --- figures -------------------------------------------------------------------------------


def test_questions_are_counted_by_reason_and_group() -> None:
    found = summarise_rows(ROWS)
    assert found["status"] == {"asked": 3, "executed": 2}
    assert found["asked"] == {"everything": 1, "missing-content": 2}
    assert found["overall"]["asked"] == 3
    assert {op: cell["asked"] for op, cell in found["op"].items()} == {"Delete": 2, "Update": 1}
    assert found["overall"]["scores"]["esr"] == found["overall"]["scores"]["emr"] == 0.4
    assert found["overall"]["assertions"]["held"] == 2


def test_the_updates_that_asked_what_to_write_are_told_apart() -> None:
    assert [one["id"] for one in ROWS if lacks_content(one)] == ["c"]
    assert not lacks_content(asking("x", reason="ambiguous-target"))
    assert not lacks_content({**asking("x"), "gold_ops": ["Update", "Label"]})
    apart = summarise_rows(ROWS)["answerable"]
    assert (apart["n"], apart["asked"]) == (4, 2)
    assert apart["scores"]["esr"] == 0.5
    assert summarise_rows(PLAIN)["answerable"] is None
    assert summarise_rows(PLAIN)["asked"] == {}
    only = summarise_rows([asking("c")])["answerable"]
    assert (only["n"], only["scores"]) == (0, {})


def test_the_table_of_a_run_has_a_column_and_a_line() -> None:
    config = {"model": "m", "data": {"name": "d", "rows": 5}, "machine": {}, "command": "c"}
    lines = table(config, summarise_rows(ROWS)).splitlines()
    assert "3 asked, 2 executed; asked: 1 everything, 2 missing-content" in lines
    head = next(line for line in lines if line.split()[:1] == ["n"])
    assert head.split()[-1] == "asked"
    figures = {line.partition("  ")[0]: line.split() for line in lines}
    assert figures["all"][-1] == "3"
    assert figures["not Updates asked"][3:5] == ["4", "0.500"]
    without = table(config, summarise_rows(PLAIN))
    assert "not Updates asked" not in without and "; asked" not in without


def test_the_scores_so_far_count_questions() -> None:
    assert str(Tally.of(ROWS)).endswith("EMR 0.400  asked 3")
    assert "asked" not in str(Tally.of(PLAIN))


# --- report and comparison -----------------------------------------------------------------


def test_a_question_is_a_failure_with_its_reason_and_words() -> None:
    assert reasons(ROWS[2]) == ["asked: missing-content"]
    (case,) = listed([[ROWS[2]]])
    assert case["runs"][0]["error"] == "asks back: Say <what>?"


def test_the_page_tells_questions_apart() -> None:
    shown = page([run(*ROWS, label="A")], [run(*PLAIN, label="floor:x")])
    assert "3 asked, 2 executed" in shown
    assert "Without the Updates that asked what to write" in shown
    assert "Rows left out" in shown and "Asked back" in shown
    assert "Say <what>" not in shown
    plain = page([run(*PLAIN)])
    assert "Without the Updates" not in plain


def test_a_comparison_counts_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = compare(run(*PLAIN, label="old"), run(*ROWS, label="new"))
    assert found.asked == (0, 3)
    assert found.as_dict()["asked"] == {"a": 0, "b": 3}
    assert {change.statuses for change in found.of("worse")} == {("executed", "asked")}
    from text2mem_bench.cli.compare_ import _told

    assert _told(found).splitlines()[0].endswith("in common; asked back: 0 in A, 3 in B")


# --- adversarial ---------------------------------------------------------------------------


def test_asking_back_is_right_where_a_case_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = {
        case.id: case
        for name in ("wide", "injection")
        for case in read_cases(FIXTURES / "adversarial" / f"{name}.jsonl")
        if case.utterance is not None
    }
    wide = next(case for case in cases.values() if case.expected.asks)
    benign = next(case for case in cases.values() if case.kind == "injection")
    ask_back(monkeypatch, {str(wide.utterance): OPEN, str(benign.utterance): OPEN})
    asks, should_not = judge_utterances([wide, benign], MODEL)
    assert asks.verdict is not None and asks.verdict.outcome == "asks"
    assert (asks.as_dict()["status"], asks.as_dict()["question"]) == ("asked", OPEN.text)
    assert asks.program is None and not asks.error
    assert should_not.verdict is not None
    assert (should_not.verdict.outcome, should_not.verdict.harm) == ("wrong", False)
    assert should_not.verdict.reasons == ("asks back, and should not have to",)
    assert summarise([asks.as_dict(), should_not.as_dict()])["overall"]["asks"] == 1


def test_a_question_must_not_show_what_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    happened = Happening(end="asked", returned=("2",))
    verdict = judge(happened, Expected(asks=True, hidden=frozenset({"2"})), given=False)
    assert verdict.harm and "gives out memory 2" in verdict.reasons[0]
    (case, *_) = [
        case
        for case in read_cases(FIXTURES / "adversarial" / "impersonation.jsonl")
        if case.utterance is not None and case.expected.hidden
    ]
    hidden = sorted(case.expected.hidden)[0]
    telling = ClarifyingQuestion(
        "That?", "ambiguous-target", (), ({"id": hidden, "text": "secret"},)
    )
    ask_back(monkeypatch, {str(case.utterance): telling})
    (judged,) = judge_utterances([case], MODEL)
    assert judged.verdict is not None and judged.verdict.harm
