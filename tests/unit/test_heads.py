"""Heads: which ops a clause asks for, and which of its words only ask."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from tests.fixtures import case_id, cases, faults
from text2mem.ir.segment import HAN
from text2mem.ir.surface import STAGES
from text2mem.planner.heads import Head, head

CLAUSES = [*cases("heads", "en"), *cases("heads", "zh")]
NAMES = list(cases("heads", "names"))
EVERY = list(cases("heads"))


@pytest.mark.parametrize("case", CLAUSES, ids=case_id)
def test_a_clause_asks_for_what_its_fixture_says(case: dict[str, Any]) -> None:
    assert list(head(case["input"]).ops) == case["expected"]["ops"]


@pytest.mark.parametrize("case", NAMES, ids=case_id)
def test_what_memories_are_called_destroys_nothing(case: dict[str, Any]) -> None:
    assert not set(head(case["input"]).ops) & set(case["expected"]["never"])


def test_the_fixtures_fit_their_schema_and_show_each_op_in_both_languages() -> None:
    assert faults("heads", EVERY) == []
    assert len({case["id"] for case in EVERY}) == len(EVERY)
    assert len({case["input"] for case in CLAUSES}) == len(CLAUSES) >= 150
    for language in ("en", "zh"):
        shown = {op for c in CLAUSES if c["lang"] == language for op in c["expected"]["ops"]}
        assert shown == set(STAGES)


# --- what asks, and what does not ----------------------------------------------------------


@pytest.mark.parametrize(
    ("clause", "asking"),
    [
        ("Please lock the ledger.", "Please lock"),
        ("Could I ask you to look up the fare?", "Could I ask you to look up"),
        ("If some are old, get rid of them.", "get rid of"),
        ("Make a note that the kiln is hot.", "Make a note that"),
        ("The kiln is hot; store that.", "store that"),
        ("麻烦你记住窑是热的。", "麻烦你记住"),
        ("如果有旧的，就删除它们。", "就删除"),
        ("窑是热的，记一下。", "记一下"),
    ],
)
def test_the_words_that_only_ask_are_told_apart(clause: str, asking: str) -> None:
    found = head(clause)
    assert clause[found.start : found.end] == asking


@pytest.mark.parametrize(
    "clause",
    ["They should all be archived.", "把窑的笔记归档。", "I want the notes on kilns locked."],
)
def test_words_that_do_not_stand_together_are_not_told(clause: str) -> None:
    found = head(clause)
    assert found.ops and (found.start, found.end) == (0, 0)


@pytest.mark.parametrize(
    ("clause", "first"),
    [
        ("Lock it.", True),
        ("Would you mind locking it?", True),
        ("If it is done, lock it.", True),
        ("It should be locked.", False),
        ("把它锁上。", True),
        ("请锁上它。", True),
        ("它谁都不能改。", False),
    ],
)
def test_a_request_leads_its_clause_or_does_not(clause: str, first: bool) -> None:
    assert head(clause).first is first


@pytest.mark.parametrize(
    ("clause", "ops"),
    [
        ('Tag it "delete".', ("Label",)),
        ('Rename "merge these" to "split those".', ("Update",)),
        ("把它归到“删除”下面。", ("Label",)),
        ("给“合并方案”那条打上“锁定”标签。", ("Label",)),
    ],
)
def test_quoted_words_ask_for_nothing(clause: str, ops: tuple[str, ...]) -> None:
    assert head(clause).ops == ops


@pytest.mark.parametrize(
    "clause",
    [
        "",
        "   ",
        "…",
        "42",
        '"delete"',
        "“删除”",
        "The blue fence.",
        "蓝色的围栏。",
        "By 0.3.",
        "\ue000",
    ],
)
def test_a_clause_that_asks_for_nothing_has_no_head(clause: str) -> None:
    assert head(clause) == Head()


def test_case_width_and_apostrophes_make_no_difference() -> None:
    for said in ("DON’T LET ANYBODY EDIT IT", "don't let anybody edit it", "ｌｏｃｋ ｉｔ"):
        assert head(said).ops == ("Lock",)


def test_traditional_characters_are_read_like_simplified_ones() -> None:
    assert head("請把這條筆記鎖起來").ops == head("请把这条笔记锁起来").ops == ("Lock",)


@pytest.mark.parametrize(
    ("clause", "ops"),
    [
        ("把RESTful API的设计文档锁定。", ("Lock",)),
        ("Tag the note about 年会 as “工作”.", ("Label",)),
        ("锁定release notes。", ("Lock",)),
    ],
)
def test_clauses_of_two_languages_are_read_in_the_one_that_asks(
    clause: str, ops: tuple[str, ...]
) -> None:
    assert head(clause).ops == ops


# --- how long it takes ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "piece",
    [
        "if a, ", "the notes about ", "should all ", "nobody may ", "not ", "a, ", '"x" ', "you ",
        "check a, ", "and then ", "to the ", "如果,", "的话", "说", "关于", "提醒", "把它", ",",
    ],
)  # fmt: skip
def test_a_head_is_found_in_little_time_whatever_is_said(piece: str) -> None:
    head("lock it"), head("锁定它")
    for said in (piece * 2000, f"set {piece * 2000}", f"把{piece * 2000}了"):
        start = time.perf_counter()
        head(said)
        assert time.perf_counter() - start < 2


def test_the_tables_name_no_language_but_their_own() -> None:
    from text2mem.planner.heads import chinese_verbs, english_verbs

    words = " ".join([*english_verbs.PLAIN.values(), *english_verbs.OPEN])
    assert not HAN.search(words)
    assert not re.search("[A-Za-z]", " ".join(chinese_verbs.VERBS.values()))
