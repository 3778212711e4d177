"""Cutting a note where its clauses end: nothing is lost, nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.fixtures import case_id, cases
from text2mem.ir.words.segment import query_terms
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import SMALL
from text2mem.services.clauses import ClauseSplitter
from text2mem.services.model import ModelSplitter

STOCK = "Van stock: 6 nightlatches, 11 euro cylinders 35/35, 4 mortice 5 lever"
PRICES = "Lobster £14 a kilo, brown crab £2.20. Velvets he takes only on a Thursday."
BARE = "Keys for the flat are with Mo and the bike is at Sandra's until May"


def split(text: str, instruction: str) -> Sequence[str]:
    return ClauseSplitter().split(text, instruction=instruction)


@pytest.mark.parametrize(
    ("text", "instruction", "parts"),
    [
        (STOCK, "cylinders; mortice and nightlatches", [
            "Van stock: 6 nightlatches, 4 mortice 5 lever", "Van stock: 11 euro cylinders 35/35",
        ]),
        (STOCK, "one for each", [
            "Van stock: 6 nightlatches", "Van stock: 11 euro cylinders 35/35",
            "Van stock: 4 mortice 5 lever",
        ]),
        ("待修：门禁、水管、道闸、路灯", "门禁和路灯; 水管和道闸", [
            "待修：门禁、路灯", "待修：水管、道闸",
        ]),
        (PRICES, "by kind: lobster; crab; velvets", [
            "Lobster £14 a kilo", "brown crab £2.20", "Velvets he takes only on a Thursday",
        ]),
        (PRICES, "lobster, velvets", [
            "Lobster £14 a kilo, brown crab £2.20", "Velvets he takes only on a Thursday",
        ]),
        (BARE, "flat; bike", [
            "Keys for the flat are with Mo", "and the bike is at Sandra's until May",
        ]),
        (BARE, "one each", [
            "Keys for the flat are with Mo", "and the bike is at Sandra's until May",
        ]),
        ("伴娘：小丽、冯倩；伴郎：赵岩", "伴娘; 伴郎", ["伴娘：小丽、冯倩", "伴郎：赵岩"]),
        ("包间：兰厅李总周六6点，竹厅刘姐周六中午", "一厅一条", [
            "包间：兰厅李总周六6点", "包间：竹厅刘姐周六中午",
        ]),
        ("黑耳朵的两天不吃草了 花额头的下了双羔", "一只羊一条", [
            "黑耳朵的两天不吃草了", "花额头的下了双羔",
        ]),
        ("Dentist", "one each", ["Dentist"]),
        ("Dentist", "tooth; gum", ["Dentist"]),
    ],
)  # fmt: skip
def test_a_note_is_cut_where_its_clauses_end(text: str, instruction: str, parts: list[str]) -> None:
    assert split(text, instruction) == parts


@pytest.mark.parametrize("case", [*cases("split")], ids=case_id)
def test_every_word_is_in_one_part_or_another(case: dict[str, Any]) -> None:
    parts = split(case["text"], "; ".join(case["names"]) or case["by"])
    wanted = "".join(query_terms(case["text"]))
    held = {term for part in parts for term in query_terms(part)}
    missing = [term for term in query_terms(case["text"]) if term not in held]
    assert wanted and all(len(term) == 2 and not term.isascii() for term in missing)
    assert all(part.strip() == part and part for part in parts)


def test_a_long_text_is_cut_as_well() -> None:
    text = "".join(f"rent {n}, gas {n}; " * 3 + f"Water {n}. " for n in range(500))
    parts = split(text, "rent; gas; water")
    assert len(parts) == 3
    assert {*query_terms(" ".join(parts))} == {*query_terms(text)}


def test_a_long_sentence_is_cut_as_well() -> None:
    text = ", ".join([*(f"rent {n}" for n in range(60)), *(f"gas {n}" for n in range(60))])
    assert [part.split()[0] for part in split(text, "rent; gas")] == ["rent", "gas"]


def test_a_small_model_is_not_asked_and_another_ones_bad_parts_give_way() -> None:
    asked = []

    def bad(request: Any) -> Any:
        asked.append(request)
        return {"parts": ["Van stock: 7 bananas"]}

    clauses = ClauseSplitter()
    small = ModelSplitter(lambda: FunctionProvider(bad, profile=SMALL), clauses)
    assert small.split(STOCK, instruction="one each") == split(STOCK, "one each") and not asked
    large = ModelSplitter(lambda: FunctionProvider(bad), clauses)
    assert large.split(STOCK, instruction="one each") == split(STOCK, "one each") and asked
