"""Rows put together: means, shares of assertions, quantiles, ops and their confusion."""

from __future__ import annotations

import random
from typing import Any

import pytest

from text2mem_bench import scores


def check(*, held: bool, effective: bool) -> dict[str, Any]:
    return {"held": held, "effective": effective}


def row(id_: str, gold: list[str], ops: list[str], **parts: Any) -> dict[str, Any]:
    """A row of a single English case that was executed, with other parts where they are given."""
    return {
        "id": id_, "lang": "en", "instruction_type": "direct", "structure": "single",
        "gold_ops": gold, "ops": ops, "predicted": [{"op": op} for op in ops],
        "status": "executed", "redrafts": 0, "seconds": 1.0,
        "usage": {"prompt_tokens": 10, "output_tokens": 4, "cached_tokens": None},
        "checks": [], "scores": {"valid": 1, "op_exact": int(gold == ops)}, **parts,
    }  # fmt: skip


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    return [
        row(
            "a", ["Encode"], ["Encode"], seconds=1.0,
            checks=[check(held=True, effective=True), check(held=True, effective=False),
                    check(held=False, effective=True)],
            scores={"valid": 1, "op_exact": 1, "emr": 2 / 3, "effective": 0.5, "slots": 0.5},
        ),
        row(
            "b", ["Retrieve", "Label"], ["Retrieve"], seconds=3.0, structure="workflow", lang="zh",
            redrafts=2, checks=[check(held=False, effective=True)],
            usage={"prompt_tokens": 20, "output_tokens": 6, "cached_tokens": 5},
            scores={"valid": 1, "op_exact": 0, "emr": 0.0, "effective": 0.0, "slots": None},
        ),
        row(
            "c", ["Label"], [], predicted=None, status="no-program", seconds=2.0, redrafts=1,
            checks=[check(held=True, effective=False)],
            scores={"valid": 0, "op_exact": 0, "emr": 0.0, "effective": None, "slots": 0.0},
        ),
        row("d", ["Delete"], [], predicted=None, status="service", scores={}),
    ]  # fmt: skip


def test_a_cell_holds_means_and_sums(rows: list[dict[str, Any]]) -> None:
    cell = scores.summarise(rows)["overall"]
    assert cell["n"] == 3
    assert cell["scores"]["op_exact"] == pytest.approx(1 / 3)
    assert cell["scores"]["valid"] == pytest.approx(2 / 3)
    assert (cell["scores"]["slots"], cell["counts"]["slots"]) == (0.25, 2)
    assert cell["seconds"] == {"p50": 2.0, "p95": pytest.approx(2.9)}
    assert cell["tokens"] == {"prompt": 40, "output": 14, "cached": 5}
    assert cell["redrafts"] == 1.0
    assert cell["unaided"] == pytest.approx(1 / 3)


def test_emr_counts_assertions_and_what_did_not_run_holds_none(rows: list[dict[str, Any]]) -> None:
    cell = scores.summarise(rows)["overall"]
    # Five assertions; two hold after programs that ran. Three are effective; one of them holds.
    assert cell["assertions"] == {"total": 5, "held": 2, "effective": 3, "effective_held": 1}
    assert cell["scores"]["emr"] == 0.4
    assert cell["scores"]["effective"] == pytest.approx(1 / 3)
    empty = row("e", ["Label"], [], predicted=[], status="illegal",
                checks=[check(held=True, effective=False)], scores={"emr": 1.0})  # fmt: skip
    assert scores.cell([empty])["scores"] == {"emr": 1.0, "effective": None}


def test_groups_by_op_language_type_and_structure(rows: list[dict[str, Any]]) -> None:
    found = scores.summarise(rows)
    assert {op: cell["n"] for op, cell in found["op"].items()} == {
        "Encode": 1, "Label": 2, "Retrieve": 1,
    }  # fmt: skip
    assert {lang: cell["n"] for lang, cell in found["lang"].items()} == {"en": 2, "zh": 1}
    assert {kind: cell["n"] for kind, cell in found["structure"].items()} == {
        "single": 2, "workflow": 1,
    }  # fmt: skip
    assert found["instruction_type"]["direct"]["n"] == 3
    assert found["status"] == {"executed": 2, "no-program": 1, "service": 1}


def test_each_op_has_precision_and_recall(rows: list[dict[str, Any]]) -> None:
    more = row("e", ["Label"], ["Label", "Label"])
    ops = scores.summarise([*rows, more])["ops"]
    # Label: wanted in b, c and e, given twice in e, found once.
    assert ops["Label"] == {
        "gold": 3, "predicted": 2, "precision": 0.5, "recall": pytest.approx(1 / 3), "f1": 0.4,
    }  # fmt: skip
    assert ops["Encode"]["f1"] == ops["Retrieve"]["f1"] == 1.0
    assert "Delete" not in ops


def test_the_confusion_of_ops(rows: list[dict[str, Any]]) -> None:
    more = [row("e", ["Promote"], ["Demote"]), row("f", ["Encode"], ["Encode", "Lock"])]
    assert scores.summarise([*rows, *more])["confusion"] == {
        "Encode": {"Encode": 2}, "Label": {"none": 2}, "Promote": {"Demote": 1},
        "Retrieve": {"Retrieve": 1}, "none": {"Lock": 1},
    }  # fmt: skip


def test_the_order_of_the_rows_does_not_matter(rows: list[dict[str, Any]]) -> None:
    shuffled = list(rows)
    random.Random(1).shuffle(shuffled)
    assert scores.summarise(shuffled) == scores.summarise(rows)


def test_nothing_has_no_scores() -> None:
    found = scores.summarise([])
    assert found["overall"]["n"] == 0
    assert found["overall"]["seconds"] == {"p50": None, "p95": None}
    assert found["overall"]["scores"] == found["op"] == found["status"] == {}


@pytest.mark.parametrize(
    ("values", "share", "value"),
    [([4.0], 0.95, 4.0), ([3.0, 1.0], 0.5, 2.0), ([1.0, 2.0, 3.0, 4.0, 5.0], 0.95, 4.8),
     ([5.0, 1.0, 3.0], 0.0, 1.0), ([5.0, 1.0, 3.0], 1.0, 5.0), ([], 0.5, None)],
)  # fmt: skip
def test_quantiles(values: list[float], share: float, value: float | None) -> None:
    found = scores.quantile(values, share)
    assert found == (None if value is None else pytest.approx(value))
