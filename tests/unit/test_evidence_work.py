"""Evidence: the work is linear in the length of an utterance, whatever it says."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from text2mem.planner import evidence
from text2mem.planner.evidence import read_evidence

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
WIDEST = 400
"""How many characters one match of a pattern may look at."""
HOSTILE = [
    "a ", '" ', "' ", '""', "«", "“", "《", "\n", "(((", "一", "年", "。", "第", "不", "从周一到",
    "x" * 50 + " ", "1 ", "12:00 ", "#1, ", "note 1, ", "3 may ", "friday ", "in three days ",
    "every monday ", "between may and june ", "twenty one and a half ", "older than ", "until ",
    "remember that ", "remember that x. delete it. ", "remember, for x, that ", "replace a with b ",
    'tagged "x" and ', "tagged a and tagged b and ", "tagged a, ", "the status of ", "if ", "not ",
    ", and delete it", "and then ", "remind me tomorrow, ", "bring ", "get ", "keep ", "nobody ",
    "lower by ", "0.3 by ", "only ", "move it to the archive ", "summarise in ", "show me ",
    "标签", "记住", "如果", "把它", "最近三天", "每周三", "带“x”和", "“x”、“y”和", "，把它们归档",
    "取消", "恢复",
    "一二三四五六七八九十百", "只有", "由", "为", "删，", "每月", "把x记下来，",
]  # fmt: skip


def patterns(value: Any, depth: int = 0) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for one in dataclasses.fields(value):
            yield from patterns(getattr(value, one.name), depth + 1)
    elif isinstance(value, (tuple, list, set)) and depth < 6:
        for item in value:
            yield from patterns(item, depth + 1)
    elif isinstance(value, dict) and depth < 6:
        for item in value.values():
            yield from patterns(item, depth + 1)


def modules() -> list[str]:
    found = pkgutil.iter_modules(evidence.__path__, f"{evidence.__name__}.")
    return [one.name for one in found]


@pytest.mark.parametrize("name", modules())
def test_a_pattern_looks_at_a_bounded_stretch(name: str) -> None:
    """So that a match at one place is bounded work, and a search linear."""
    for key, value in vars(importlib.import_module(name)).items():
        for pattern in patterns(value) if not key.startswith("__") else ():
            _, widest = re._parser.parse(pattern.pattern, pattern.flags).getwidth()  # type: ignore[attr-defined]
            assert widest <= WIDEST, (key, pattern.pattern[:80])


def calls(utterance: str) -> int:
    """How many functions reading an utterance calls, those of the regular expressions included."""
    count = 0

    def seen(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        read_evidence(utterance, now=NOW, tz=UTC)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("piece", HOSTILE)
def test_twice_the_words_are_at_most_twice_the_work(piece: str) -> None:
    short = piece * (1_000 // len(piece))
    calls(short)
    single, double = calls(short), calls(short * 2)
    # The readers of times are cached by their words, and so are parts of what they call.
    assert double <= 2.3 * single + 500, (single, double)
