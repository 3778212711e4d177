"""Chinese: what the pairs of ``chinese*.json`` say is read, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.extraction import FOLDER, cases, played, said, wanted
from tests.fixtures import ROOT, case_id
from text2mem.ledger.episode import Message
from text2mem.ledger.extraction.chinese import read

CASES = [*cases("chinese"), *cases("chinese-more")]
_TURN = json.loads((ROOT / "episodes" / "case.schema.json").read_text("utf-8"))["$defs"]["turn"]
_REASONS = {reason["const"] for reason in _TURN["properties"]["nothing"]["oneOf"]}


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_text_says_what_its_case_says(case: dict[str, Any]) -> None:
    episode, known = played(case)
    reading = read(episode, known)
    found = [said(candidate, known) for candidate in reading.candidates]
    expected = [wanted(each, known) for each in case.get("expected", ())]
    for has, wants in zip(found, expected, strict=False):
        if wants["value"] is None:
            has["value"] = None
    assert sorted(found, key=str) == sorted(expected, key=str)
    named = {str(candidate.replaces) for candidate in reading.candidates}
    assert named.issuperset(str(e["replaces"]) for e in case.get("expected", ()) if "replaces" in e)
    assert reading.nothing == case.get("nothing")
    if "explicit" in case:
        assert reading.explicit is case["explicit"]


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_every_quote_is_a_part_of_the_text(case: dict[str, Any]) -> None:
    episode, known = played(case)
    for candidate in read(episode, known).candidates:
        start, end = candidate.quote
        assert 0 <= start < end <= len(episode.text)
        assert episode.text[start:end].strip()


def test_the_cases_fit_their_schema_and_say_each_thing_once() -> None:
    schema = json.loads((FOLDER / "case.schema.json").read_text("utf-8"))
    for case in CASES:
        Draft202012Validator(schema).validate(case)
        assert case.get("nothing", "chatter") in _REASONS
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert len({case["text"] for case in CASES}) == len(CASES) >= 150


def test_the_assistant_is_nobody_that_i_stands_for() -> None:
    """The speaker of a turn is its user; an event's 我 is the event, and never the user."""
    episode, known = played({"text": "我住在苏州。", "speaker": "马骏"})
    (own,) = read(episode, known).candidates
    assert own.subject == "马骏"
    message = Message(text="我住在苏州。", role="event", speaker="日历")
    (other,) = read(replace(episode, message=message), known).candidates
    assert other.subject == "日历"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "。",
        "，，，。",
        "？",
        "的",
        "是" * 500,
        "我" * 2000,
        "我住在" + "很" * 3000 + "远的地方",
        "从" + "8月1日到" * 400,
        "不是" * 700 + "。",
        "我的" * 900 + "是A",
        "\ue000\ue001\ue002\ue003我住在苏州",
        "我的邮箱是" + "a" * 3000 + "@",
        "电话" + "1 " * 1500,
        "“我的" * 500,
        "我" + "一直都" * 1300,
    ],
    ids=range(16),
)
def test_odd_texts_are_read_without_an_error_and_soon(text: str) -> None:
    episode, known = played({"text": text or "。"})
    for candidate in read(episode, known).candidates:
        assert len(str(candidate.value)) <= 64
