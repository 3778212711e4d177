"""What failed rows are made of: each cause, and words that the gold alone has."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.fixtures import ROOT
from text2mem.cli.main import cli
from text2mem_bench.assertions import Assertion
from text2mem_bench.causes import CAUSES, causes, table
from text2mem_bench.corpus import read_corpus
from text2mem_bench.invention import invented, said_of
from text2mem_bench.planning import Prediction, play, row_of
from text2mem_bench.running import temporary_stores
from text2mem_bench.scores import Row

CORPUS = ROOT / "corpus" / "rows.jsonl"
CASES = {case.id: case for case in read_corpus(CORPUS)}


def step(op: str, *ids: str, **args: Any) -> dict[str, Any]:
    target = {"target": {"ids": list(ids)}} if ids else {}
    return {"op": op, **target, **({"args": args} if args else {})}


def check(**facts: Any) -> dict[str, Any]:
    return {"name": "a", "sql": "SELECT 1", "held": False, "effective": True, "invented": None,
            **facts}  # fmt: skip


def row(gold: list[Any], predicted: list[Any] | None, **facts: Any) -> Row:
    """A row that missed its one assertion."""
    return {
        "id": "x", "status": "executed", "gold": gold, "predicted": predicted,
        "gold_ops": [one["op"] for one in gold], "ops": [one["op"] for one in predicted or []],
        "scores": {"row": 0, "op_exact": 1}, "checks": [check()], "ranking": None,
        "hits": {"gold": [one.get("target", {}).get("ids", []) for one in gold],
                 "predicted": [one.get("target", {}).get("ids", []) for one in predicted or []]},
        **facts,
    }  # fmt: skip


LABEL, DELETE, READ = step("Label", "1", tags=["a"]), step("Delete", "1"), step("Retrieve", "1")
RANKING = {"gold_ids": ["1"], "min_hits": 1, "k": 5, "held": False, "hits": 0, "returned": [["2"]]}


@pytest.mark.parametrize(
    ("found", "cause", "detail"),
    [
        (row([LABEL], None, status="no-program", error={"type": "RepairExhausted"},
             diagnostics=[{"code": "blank-tag"}]), "no-program", "RepairExhausted: blank-tag"),
        (row([LABEL], None, status="no-program", error={"type": "EmptyAnswer"}),
         "no-program", "EmptyAnswer"),
        (row([LABEL], [LABEL], status="refused", diagnostics=[{"code": "locked"}]),
         "refused", "locked"),
        (row([LABEL], None, status="asked", reason="ambiguous-target"),
         "asked", "ambiguous-target"),
        (row([LABEL], [DELETE]), "ops", "Delete for Label"),
        (row([LABEL, READ], [DELETE]), "ops", "Delete for Label, no Retrieve"),
        (row([LABEL, READ], [LABEL]), "cut", "Retrieve"),
        (row([LABEL, READ, READ], [LABEL]), "cut", "Retrieve ×2"),
        (row([LABEL], [READ, LABEL]), "extra", "Retrieve"),
        (row([LABEL, READ], [READ, LABEL]), "order", "Retrieve, Label for Label, Retrieve"),
        (row([LABEL], [LABEL], checks=[check(invented="text")]), "invented", "Label"),
        (row([LABEL], [LABEL], checks=[check(), check(invented="tags")]), "tags", "Label"),
        (row([LABEL], [{**LABEL, "target": {"ids": []}}]), "none", "Label"),
        (row([step("Label", "1", "2")], [step("Label", "1")]), "few", "Label"),
        (row([DELETE], [step("Delete", "1", "2")]), "many", "Delete"),
        (row([DELETE], [step("Delete", "2")]), "others", "Delete"),
        (row([DELETE], [step("Delete", "2")], hits=None), "target", "Delete"),
        (row([READ], [step("Retrieve", "2")], ranking=RANKING),
         "ranking", "none of them is among the first"),
        (row([READ], [READ], ranking={**RANKING, "returned": [[]]}),
         "ranking", "nothing is returned"),
        (row([READ], [READ], ranking={**RANKING, "hits": 1}),
         "ranking", "others are returned besides"),
        (row([LABEL], [step("Label", "1", tags=["b"])]), "args", "Label tags"),
        (row([step("Encode", payload={"text": "a"}, type="x")],
             [step("Encode", payload={"text": "b"})], hits={}), "args", "Encode payload, type"),
        (row([step("Encode", payload={"text": "a"}, type="x")],
             [step("Encode", payload={"text": "b"})], checks=[check(sql="… (text LIKE :k)")]),
         "args", "Encode payload"),
        (row([step("Update", "1", set={"text": "a"})], [step("Update", "1", set={"text": "b"})]),
         "args", "Update text"),
        (row([DELETE], [DELETE], checks=[check(effective=False)]), "gold", "Delete"),
        (row([DELETE], [DELETE]), "other", "Delete"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_each_cause(found: Row, cause: str, detail: str) -> None:
    (failed,) = causes([found])
    assert (failed.cause, failed.detail, failed.missed) == (cause, detail, True)
    assert cause in CAUSES


def test_what_went_well_or_got_no_answer_has_no_cause() -> None:
    right = row([DELETE], [DELETE], scores={"row": 1, "op_exact": 1})
    down = row([DELETE], None, status="service", scores={})
    assert causes([right, down]) == []
    other_ops = row([DELETE], [LABEL], scores={"row": 1, "op_exact": 0})
    assert [one.missed for one in causes([other_ops])] == [False]


def test_causes_are_counted_the_commonest_first() -> None:
    rows = [
        {**row([LABEL], [LABEL, READ]), "id": "a"},
        {**row([LABEL], [DELETE]), "id": "b"},
        {**row([DELETE], [LABEL], scores={"row": 1, "op_exact": 0}), "id": "c"},
        {**row([LABEL], [DELETE]), "id": "d"},
    ]
    told = table(causes(rows))
    assert [(one["cause"], one["rows"], one["missed"]) for one in told] == [
        ("ops", 3, 2), ("extra", 1, 1),
    ]  # fmt: skip
    assert told[0]["details"] == [
        {"detail": "Delete for Label", "rows": 2, "missed": 2, "ids": ["b", "d"]},
        {"detail": "Label for Delete", "rows": 1, "missed": 0, "ids": ["c"]},
    ]


# --- words that nobody said ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "params", "value", "found"),
    [
        ("text LIKE :keyword", {"keyword": "%Tea Pots%"}, 1, None),  # each word, somewhere
        ("text LIKE :keyword", {"keyword": "%kettle%"}, 1, "text"),
        ("text LIKE :keyword", {"keyword": "%kettle%"}, 0, None),  # it has to be absent
        ("text LIKE '%' || :words || '%'", {"words": "kettle"}, 1, "text"),
        ("text LIKE '%a pot of tea%'", {}, 1, None),
        ("text LIKE '%茶壶%'", {}, 1, None),
        ("text LIKE '%茶杯%'", {}, 1, "text"),
        ("EXISTS (SELECT 1 FROM json_each(tags) WHERE value LIKE :tag)", {"tag": "%cup%"}, 1,
         "tags"),
        ("tags LIKE '%tea%'", {}, 1, None),
        ("subject LIKE :subject", {"subject": "%kettle%"}, 1, None),
    ],
)  # fmt: skip
def test_words_that_stand_nowhere(
    where: str, params: dict[str, str], value: int, found: str | None
) -> None:
    asked = Assertion("a", (where,), ">=" if value else "==", value, params)
    assert invented(asked, "Some pots of TEA, a 茶 and a 壶") == found


def test_the_turns_the_request_and_the_store_are_known() -> None:
    case = replace(CASES["passed-zh-2"], context=("an earlier turn",))
    said = said_of(case)
    assert "an earlier turn" in said and case.utterance in said
    assert str(case.prerequisites[0]["args"]["payload"]["text"]) in said


# --- rows of a run -------------------------------------------------------------------------


def test_a_row_of_a_run_tells_its_cause() -> None:
    case = CASES["passed-en-2"]  # deletes the memory that is tagged "list"
    nothing = {"stage": "STO", "op": "Delete", "target": {"filter": {"has_tags": ["nothing"]}}}
    with temporary_stores() as stores:
        played = play(case, lambda case, scene: Prediction(program=[nothing]), stores)
    assert played is not None
    found = json.loads(json.dumps(row_of(played)))
    assert found["hits"] == {"gold": [["1"]], "predicted": [[]]}
    assert [one["invented"] for one in found["checks"]] == [None, None]
    (failed,) = causes([found])
    assert (failed.cause, failed.detail) == ("none", "Delete")


def test_the_data_tells_of_rows_that_do_not() -> None:
    case = CASES["passed-en-2"]
    asked = Assertion("a", ("text LIKE :k",), ">=", 1, {"k": "%volcano%"})
    case = replace(case, assertions=(asked,))
    untold = {"name": "a", "sql": asked.sql, "held": False, "effective": True}
    old = row([DELETE], [DELETE], id=case.id, hits=None, checks=[untold])
    assert [one.cause for one in causes([old])] == ["other"]
    assert [one.cause for one in causes([old], {case.id: case})] == ["invented"]


def command(*words: str | Path) -> Any:
    return CliRunner().invoke(cli, ["bench", "causes", *map(str, words)])


def test_the_command_counts() -> None:
    folder = ROOT / "runs" / "ungrounded"
    told = json.loads(command(folder, "--json").stdout)
    assert told["model"] == "local:example-small"
    assert told["failed"] == sum(one["rows"] for one in told["causes"]) > 0
    assert told["missed"] <= told["failed"] <= told["rows"] == 28
    said = command(folder, "--text", "--data", CORPUS).stdout
    assert said.startswith(f"ungrounded: {told['failed']} of 28 rows of synthetic.jsonl failed")
    assert f"  {told['causes'][0]['title']}\n" in said
    page = command(folder, "--markdown").stdout
    assert "| cause | rows | missed | of them |\n" in page


def test_what_is_no_run(tmp_path: Path) -> None:
    assert command(tmp_path).exit_code != 0
