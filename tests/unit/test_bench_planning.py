"""The planning layer: cases played and scored, the floors, the judge, and which cases are taken."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.toys import Outage, WordVectors
from text2mem.errors import ConfigurationError, ContextOverflow, RateLimited, ServiceUnreachable
from text2mem.program import Program
from text2mem.providers.base import Completion, Request, Usage
from text2mem.providers.function import FunctionProvider
from text2mem_bench.corpus import Case, read_corpus
from text2mem_bench.floors import FLOORS, Neighbours, floor
from text2mem_bench.plan import Judges, at_once, each, run_plan
from text2mem_bench.planning import ModelPredictor, Predict, Prediction, play, row_of
from text2mem_bench.running import Scene, Stores, temporary_stores
from text2mem_bench.runs import open_run
from text2mem_bench.scores import Row, summarise
from text2mem_bench.selection import read_ids, select, split_of, stratum

PATH = Path(__file__).parents[2] / "fixtures" / "corpus" / "rows.jsonl"
ROWS = read_corpus(PATH)
CASES = {case.id: case for case in ROWS}
PASSED = [case for case in ROWS if case.id.startswith("passed")]
DELETE = CASES["passed-en-2"]


@pytest.fixture(scope="module")
def stores() -> Iterator[Stores]:
    with temporary_stores() as made:
        yield made


def played(cases: Iterable[Case], predict: Predict, stores: Stores) -> list[Row]:
    found = (play(case, predict, stores) for case in cases)
    return [row_of(one) for one in found if one is not None]


def model(answer: Callable[[Request], Any], **options: Any) -> ModelPredictor:
    return ModelPredictor(provider=FunctionProvider(answer), **options)


def scripted(*answers: Any) -> tuple[ModelPredictor, list[Request]]:
    """A model that gives these answers in turn, the last one for ever, and what it was asked."""
    asked: list[Request] = []

    def answer(request: Request) -> Any:
        asked.append(request)
        said = answers[min(len(asked), len(answers)) - 1]
        if isinstance(said, Exception):
            raise said
        text = json.dumps(said)
        return Completion(text, said, Usage(100, 10, 40), "function:scripted")

    return model(answer), asked


def one_row(predict: Predict, stores: Stores, case: Case = DELETE) -> Row:
    (row,) = played([case], predict, stores)
    return row


SOFT = {"steps": [{"op": "Delete", "tags": ["list"], "many": True}]}
READ = {"steps": [{"op": "Retrieve", "which": "all"}]}
BAD = {"steps": [{"op": "Delete", "target": {}}]}


# --- a row ---------------------------------------------------------------------------------


def test_a_row_says_what_was_asked_planned_run_and_checked(stores: Stores) -> None:
    predict, asked = scripted(SOFT)
    row = one_row(predict, stores, replace(DELETE, context=("We were in the shop.",)))
    assert (row["id"], row["lang"], row["structure"]) == ("passed-en-2", "en", "single")
    assert row["context"] == ["We were in the shop."]
    assert "We were in the shop." in asked[0].messages[-1].content
    assert row["gold_ops"] == row["ops"] == ["Delete"]
    assert row["predicted"] == [
        {"stage": "STO", "op": "Delete", "target": {"filter": {"has_tags": ["list"]}}}
    ]
    assert (row["status"], row["error"], row["diagnostics"]) == ("executed", None, [])
    assert row["usage"] == {"prompt_tokens": 100, "output_tokens": 10, "cached_tokens": 40}
    assert row["seconds"] >= 0
    assert [(c["name"], c["before"], c["after"], c["held"], c["effective"])
            for c in row["checks"]] == [
        ("soft_deleted", 0, 1, True, True), ("not_in_active", 1, 0, True, True),
    ]  # fmt: skip
    assert {"sql", "params", "compare", "value"} <= set(row["checks"][0])
    scores = row["scores"]
    assert [scores[name] for name in ("valid", "esr", "op_exact", "emr", "effective", "row")] == (
        [1] * 6
    )
    # The gold has tags and the three slots of a time range; none of them is right.
    assert scores["slots"] == 0.0
    # Its pairs are the op and those four; the op alone is common with op and tag.
    assert (scores["kv_precision"], scores["kv_recall"]) == (0.5, 0.2)
    assert json.loads(json.dumps(row)) == row


def test_the_gold_is_in_the_normal_form(stores: Stores) -> None:
    gold = [
        {"stage": "ST0", "op": "delete", "target": {"by_tags": ["list"]}, "args": {"soft": True}}
    ]
    row = one_row(scripted(SOFT)[0], stores, replace(DELETE, gold=gold))
    assert row["gold"] == row["predicted"]
    assert row["scores"]["sma_lev"] == row["scores"]["slots"] == row["scores"]["kv_f1"] == 1


def test_the_model_sees_the_store_and_the_clock_of_the_case(stores: Stores) -> None:
    predict, asked = scripted(SOFT)
    one_row(predict, stores)
    shown = asked[0].messages[-1].content.rpartition("Request:")[0]
    assert "Shopping list: leeks, rye bread." in shown
    assert "2026-03-04 10:30" in shown


def test_what_asks_for_nothing_is_no_program_that_runs(stores: Stores) -> None:
    for answer in ({"steps": []}, {"undo": True}):
        row = one_row(scripted(answer)[0], stores)
        assert (row["predicted"], row["ops"], row["question"]) == (None, [], None)
        assert (row["scores"]["valid"], row["scores"]["esr"], row["scores"]["row"]) == (0, 0, 0)
        assert row["redrafts"] == 0


def test_a_question_is_a_status_of_its_own(stores: Stores) -> None:
    row = one_row(scripted({"steps": [{"op": "Delete", "which": "all"}]})[0], stores)
    assert (row["status"], row["reason"], row["predicted"]) == ("asked", "everything", None)
    assert row["question"] == "That would change all 2 memories. Should it?"


def test_memories_have_vectors_where_there_is_an_embedder(stores: Stores) -> None:
    toy = WordVectors({"shopping": (1.0, 0.0)}, (0.0, 1.0), 0.5, Outage())
    found: list[list[str]] = []

    def predict(case: Case, scene: Scene) -> Prediction:
        (vector,) = toy.embed([case.prerequisites[0]["args"]["payload"]["text"]], kind="query")
        hits = scene.view.search("zzz", vector=vector)
        found.append([record.id for record in hits])
        return Prediction(program=case.gold)

    for embedder in (None, toy):
        assert play(DELETE, predict, stores, embedder=embedder) is not None
    assert found[0] == [] and found[1][:1] == ["1"]


def test_a_predictor_can_try_a_draft_on_the_store(stores: Stores) -> None:
    tried: list[tuple[bool, tuple[str, ...]]] = []

    def predict(case: Case, scene: Scene) -> Prediction:
        result = scene.preview(Program.load(case.gold, now=case.clock.now()).ops)
        tried.append((result.results[0].dry_run, result.results[0].affected))
        return Prediction(program=case.gold)

    row = one_row(predict, stores)
    assert tried == [(True, ("1",))]
    assert row["scores"]["row"] == 1  # what was tried is not there


def test_a_mended_plan_says_what_was_wrong_with_its_drafts(stores: Stores) -> None:
    row = one_row(scripted(BAD, SOFT)[0], stores)
    assert (row["status"], row["redrafts"], row["diagnostics"]) == ("executed", 1, [])
    assert [draft["codes"] for draft in row["drafts"]] == [["unknown-key"], []]
    assert row["usage"]["prompt_tokens"] == 200


def test_a_plan_that_was_given_up_scores_nothing(stores: Stores) -> None:
    row = one_row(scripted(BAD)[0], stores)
    assert (row["status"], row["predicted"], row["ops"]) == ("no-program", None, [])
    assert row["error"]["type"] == "RepairExhausted"
    assert [d["code"] for d in row["diagnostics"]] == ["unknown-key"]
    assert row["redrafts"] == 1
    assert row["usage"] == {"prompt_tokens": 200, "output_tokens": 20, "cached_tokens": 80}
    assert set(row["scores"].values()) == {0}


def test_a_model_that_never_answers_usably_keeps_its_attempts(stores: Stores) -> None:
    row = one_row(model(lambda request: None), stores)
    assert (row["status"], row["error"]["type"]) == ("no-program", "EmptyAnswer")
    assert row["redrafts"] == 1
    assert all(draft["fault"] for draft in row["drafts"])
    row = one_row(scripted(ContextOverflow("too long"))[0], stores)
    assert (row["status"], row["redrafts"], row["drafts"]) == ("no-program", 0, [])


def test_a_program_that_the_store_refuses_counts_for_nothing(stores: Stores) -> None:
    case = CASES["refused-en-1"]
    row = one_row(floor("floor:gold", ROWS), stores, case)
    assert (row["status"], row["error"]["code"]) == ("refused", "locked")
    assert [check["held"] for check in row["checks"]] == [True, False]
    assert (row["scores"]["valid"], row["scores"]["esr"], row["scores"]["emr"]) == (1, 0, 0)
    # The gold program is refused as well, so that nothing is effective.
    assert row["scores"]["effective"] is None
    assert row["scores"]["op_exact"] == 1
    # A model that tries it first asks.
    change = {"steps": [{"op": "Update", "ids": ["1"], "old": "3306", "new": "4417"}]}
    row = one_row(scripted(change)[0], stores, case)
    assert (row["status"], row["reason"]) == ("asked", "refused")


def test_a_service_that_is_down_is_not_scored(stores: Stores) -> None:
    row = one_row(scripted(ServiceUnreachable("nobody is there"))[0], stores)
    assert (row["status"], row["scores"]) == ("service", {})
    assert row["error"] == {"type": "ServiceUnreachable", "message": "nobody is there"}


def test_a_ranking_is_a_part_of_the_row(stores: Stores) -> None:
    case = CASES["missed-zh-1"]
    row = one_row(scripted(READ)[0], stores, case)
    assert row["ranking"]["held"] and row["scores"]["row"] == 1
    assert row["scores"]["emr"] is row["scores"]["effective"] is None
    assert one_row(floor("floor:gold", ROWS), stores, case)["scores"]["row"] == 0


def test_a_case_whose_prerequisites_do_not_run_is_left_out(stores: Stores, tmp_path: Path) -> None:
    predict, asked = scripted(SOFT)
    with open_run(tmp_path / "run", {}, "") as run:
        rows = list(run_plan([CASES["illegal-zh-1"], DELETE], predict, run, Judges()))
    assert [row["id"] for row in rows] == ["passed-en-2"]
    assert len(asked) == 1
    assert run.config["left_out"] == ["illegal-zh-1"]


def test_two_runs_are_the_same(stores: Stores) -> None:
    def rows(name: str) -> list[Row]:
        found = played(ROWS, floor(name, ROWS, seed=3), stores)
        return [{key: value for key, value in row.items() if key != "seconds"} for row in found]

    for name in FLOORS:
        assert rows(name) == rows(name)


# --- the floors ----------------------------------------------------------------------------


def emr(cases: list[Case], name: str, stores: Stores) -> dict[str, float]:
    """EMR, effective EMR, whole rows and right ops of a floor, as the summary has them."""
    found = summarise(played(cases, floor(name, ROWS), stores))["overall"]["scores"]
    return {key: round(found[key], 3) for key in ("emr", "effective", "row", "op_exact")}


def test_emr_is_whole_for_the_gold_and_far_lower_for_what_understands_nothing(
    stores: Stores,
) -> None:
    found = {name: emr(PASSED, name, stores) for name in FLOORS}
    assert found["floor:gold"] == {"emr": 1, "effective": 1, "row": 1, "op_exact": 1}
    # Of seven assertions, one holds without any program: that some memory is there.
    assert found["floor:empty"] == {"emr": 0.143, "effective": 0, "row": 0, "op_exact": 0}
    assert found["floor:shuffled"] == {"emr": 0.143, "effective": 0, "row": 0, "op_exact": 0.25}
    # In that row, the program of the nearest utterance is refused: what holds does not count.
    assert found["floor:nearest"] == {"emr": 0, "effective": 0, "row": 0, "op_exact": 0}


@pytest.mark.parametrize("path", os.environ.get("TEXT2MEM_BENCH_CORPUS", "").split(os.pathsep))
def test_emr_of_a_corpus(path: str, stores: Stores) -> None:
    """The same on corpora that are not ours: TEXT2MEM_BENCH_CORPUS lists their files."""
    if not path:
        pytest.skip("TEXT2MEM_BENCH_CORPUS names no corpus")
    cases = read_corpus(path)
    every = played(cases, floor("floor:gold", cases), stores)
    held = {row["id"] for row in every if row["scores"]["row"] == 1}
    chosen = [case for case in cases if case.id in held]
    assert len(chosen) > 0.9 * len(cases)
    found = {
        name: summarise(played(chosen, floor(name, cases), stores))["overall"]["scores"]
        for name in ("floor:gold", "floor:empty", "floor:shuffled")
    }
    assert found["floor:gold"]["emr"] == found["floor:gold"]["effective"] == 1
    assert found["floor:empty"]["emr"] < 0.25
    assert found["floor:shuffled"]["emr"] < 0.35
    assert found["floor:empty"]["effective"] == 0
    assert found["floor:shuffled"]["effective"] < 0.15


def test_the_empty_program_is_illegal_and_scores_what_holds_anyway(stores: Stores) -> None:
    row = one_row(floor("floor:empty", ROWS), stores, CASES["passed-zh-1"])
    assert (row["status"], row["predicted"]) == ("illegal", [])
    assert (row["scores"]["valid"], row["scores"]["esr"], row["scores"]["emr"]) == (0, 0, 0.5)
    assert row["scores"]["effective"] == row["scores"]["row"] == 0


def test_another_rows_gold_does_not_depend_on_which_rows_are_taken(stores: Stores) -> None:
    predict = floor("floor:shuffled", ROWS, seed=7)
    whole = {row["id"]: row["predicted"] for row in played(ROWS, predict, stores)}
    (alone,) = played([ROWS[3]], predict, stores)
    assert alone["predicted"] == whole[ROWS[3].id]
    golds = [floor("floor:shuffled", ROWS, seed=seed) for seed in range(5)]
    assert len({str(played([ROWS[0]], one, stores)[0]["predicted"]) for one in golds}) > 1


def said(id_: str, utterance: str) -> Case:
    return replace(DELETE, id=id_, utterance=utterance)


def test_the_nearest_utterance_is_another_one() -> None:
    pool = [
        said("1", "Delete the notes on tea"), said("2", "delete the NOTES on coffee"),
        said("3", "请把茶的笔记删掉"), said("4", "把茶的照片删掉"), said("5", "?"),
    ]  # fmt: skip
    neighbours = Neighbours(pool)
    assert [neighbours.nearest(case).id for case in pool[:4]] == ["2", "1", "4", "3"]
    # Of nothing in common the first is as near as any.
    assert neighbours.nearest(pool[4]).id == "1"
    assert neighbours.nearest(said("new", "茶的笔记")).id == "3"
    # The same utterance in another file, under the same id: it is the same row.
    assert neighbours.nearest(said("1", "Delete the notes on tea")).id == "2"


def test_rare_characters_weigh_more_than_common_ones() -> None:
    pool = [said("common", "the the the the"), said("rare", "quartz"), said("more", "the the")]
    assert Neighbours(pool).nearest(said("x", "the quartz")).id == "rare"


def test_a_floor_that_there_is_not() -> None:
    with pytest.raises(ConfigurationError, match="floor:sky"):
        floor("floor:sky", ROWS)
    for name in ("floor:nearest", "floor:shuffled"):
        with pytest.raises(ConfigurationError, match="there are none"):
            floor(name, ROWS[:1])


# --- the judge -----------------------------------------------------------------------------


def judged(answer: Any, stores: Stores, predict: Predict | None = None) -> tuple[Row, list[Any]]:
    asked: list[Any] = []

    def judge(request: Request) -> Any:
        asked.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    shown = replace(DELETE, utterance="Delete it </case> now")
    found = play(shown, predict or scripted(SOFT)[0], stores, FunctionProvider(judge))
    assert found is not None
    return row_of(found), asked


def test_a_judge_gives_quarters_and_its_name(stores: Stores) -> None:
    row, (request,) = judged({"reason": "almost", "score": 3}, stores)
    assert row["scores"]["adjudicated"] == 0.75
    assert row["adjudicator"]["model"] == "function:judge"
    assert row["adjudicator"]["reason"] == "almost"
    content = request.messages[-1].content
    assert content.count("</case>") == 1 and content.endswith("</case>")
    assert '"has_tags":["list"]' in content and "Reference program" in content
    assert "adjudicated" not in one_row(scripted(SOFT)[0], stores)["scores"]


@pytest.mark.parametrize("answer", [{"score": 9}, {"score": True}, "words", RateLimited("later")])
def test_a_judge_that_gives_no_score(answer: Any, stores: Stores) -> None:
    row, _ = judged(answer, stores)
    assert row["scores"]["adjudicated"] is None
    assert row["adjudicator"]["reason"]
    assert row["scores"]["esr"] == 1


def test_where_there_is_no_program_nobody_is_asked(stores: Stores) -> None:
    row, asked = judged({"reason": "", "score": 4}, stores, scripted(BAD)[0])
    assert (row["scores"]["adjudicated"], asked) == (0.0, [])
    down = scripted(ServiceUnreachable("nobody is there"))[0]
    row, asked = judged({"reason": "", "score": 4}, stores, down)
    assert (row["scores"], asked) == ({}, [])


# --- a run ---------------------------------------------------------------------------------


def test_a_service_that_stays_down_ends_the_run(tmp_path: Path) -> None:
    predict, asked = scripted(ServiceUnreachable("nobody is there"))
    with open_run(tmp_path / "run", {}, "") as run:
        with pytest.raises(ServiceUnreachable):
            list(run_plan(ROWS, predict, run, Judges()))
        assert len(asked) == len(run.rows) == 3
        assert run.config["finished"] is None


def test_cases_without_an_answer_in_between_do_not_end_it(tmp_path: Path) -> None:
    down = ServiceUnreachable("nobody is there")
    predict, _ = scripted(down, down, READ, down, down, READ)
    with open_run(tmp_path / "run", {}, "") as run:
        rows = list(run_plan(ROWS, predict, run, Judges()))
    assert Counter(row["status"] for row in rows)["service"] == 4
    assert run.config["finished"]


def test_several_at_a_time_make_the_same_rows(tmp_path: Path) -> None:
    together = threading.Barrier(2, timeout=30)

    def answer(request: Request) -> Any:
        together.wait()
        return READ

    with open_run(tmp_path / "run", {}, "") as run:
        rows = list(run_plan(ROWS[:4], model(answer), run, Judges(), threads=2))
    assert {row["id"] for row in rows} == {case.id for case in ROWS[:4]}
    assert run.done == {case.id for case in ROWS[:4]}


def test_what_one_of_several_raises_ends_the_work() -> None:
    begun: list[int] = []

    def work(item: int) -> int:
        begun.append(item)
        if item == 2:
            raise ConfigurationError("no key")
        time.sleep(0.01)
        return item

    with pytest.raises(ConfigurationError, match="no key"):
        list(each(range(1000), work, threads=2))
    assert len(begun) < 1000
    assert sorted(each(range(50), lambda item: -item, threads=4)) == list(range(-49, 1))
    assert list(each([], work, threads=4)) == []


# --- which cases ---------------------------------------------------------------------------


def many(*parts: tuple[str, int]) -> list[Case]:
    """Cases of these ops, so many of each; of two letters, a workflow."""
    return [
        replace(DELETE, id=f"{ops}-{number}", gold=[{"op": op} for op in ops])
        for ops, size in parts
        for number in range(size)
    ]


def test_a_sample_keeps_the_shares_of_the_ops() -> None:
    cases = many(("A", 60), ("B", 30), ("AB", 7), ("C", 3))
    # A tenth: 6, 3, 0.7 and 0.3, of which the greatest remainder is rounded up.
    taken = select(cases, sample=10, seed=1)
    assert Counter(stratum(case) for case in taken) == {"A": 6, "B": 3, "workflow": 1}
    assert taken == [case for case in cases if case in taken]
    assert taken == select(list(reversed(cases)), sample=10, seed=1)[::-1]
    assert taken != select(cases, sample=10, seed=2)
    assert select(cases, sample=1000) == cases


def test_a_split_is_by_the_hash_of_the_id() -> None:
    # The SHA-256 of "abc" ends in ad, that of "" in 55, that of "c" in c6.
    assert [split_of(id_) for id_ in ("abc", "", "c")] == ["odd", "odd", "even"]
    cases = many(("A", 200))
    even, odd = select(cases, split="even"), select(cases, split="odd")
    assert sorted([*even, *odd], key=cases.index) == cases
    assert 70 < len(even) < 130
    assert all(split_of(case.id) == "even" for case in even)


def test_named_cases_and_the_first_ones(tmp_path: Path) -> None:
    cases = many(("A", 5))
    (tmp_path / "ids").write_text("A-3\n\n A-1 \nA-3\n")
    ids = read_ids(tmp_path / "ids")
    assert [case.id for case in select(cases, ids=ids)] == ["A-1", "A-3"]
    assert [case.id for case in select(cases, ids=ids, limit=1)] == ["A-1"]
    with pytest.raises(ConfigurationError, match=r"there is no case 'x' \(nor 1 more\)"):
        select(cases, ids=["x", "A-1", "y"])
    with pytest.raises(ConfigurationError, match="cannot read"):
        read_ids(tmp_path / "nowhere")


def test_the_turns_before_an_utterance_are_read(tmp_path: Path) -> None:
    row = json.loads(PATH.read_text("utf-8").splitlines()[0])
    (tmp_path / "rows").write_text(json.dumps({**row, "context": ["What is there?"]}))
    assert read_corpus(tmp_path / "rows")[0].context == ("What is there?",)
    (tmp_path / "rows").write_text(json.dumps({**row, "context": "What is there?"}))
    with pytest.raises(ConfigurationError, match="'context' is not a list of texts"):
        read_corpus(tmp_path / "rows")


def test_a_server_may_be_asked_several_questions_at_once_and_this_process_one() -> None:
    allowed = {
        "local:qwen2.5-coder-0.5b": 1, "local:qwen2.5-72b": 1, "ollama:llama3.3:70b": 4,
        "OpenAI:gpt-4o": 16, "function:json:dumps": 16, "other:thing": 1,
    }  # fmt: skip
    assert {name: at_once(name) for name in allowed} == allowed
