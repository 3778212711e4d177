"""English texts: what is read out of them by code."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from tests.extraction import cases, played, said, wanted
from tests.fixtures import case_id, faults
from text2mem.ledger.candidate import Reading
from text2mem.ledger.episode import Message
from text2mem.ledger.extraction import extract

CASES = [*cases("english"), *cases("english-more")]


def as_text(value: dict[str, Any]) -> str:
    """What candidates are put in order by."""
    return repr(sorted(value.items()))


def test_cases_fit_their_schema() -> None:
    assert faults("extraction", CASES) == []
    assert len(CASES) >= 150
    assert len({case["id"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_texts_are_read(case: dict[str, Any]) -> None:
    episode, known = played(case)
    reading = extract(episode, known)
    found = sorted((said(each, known) for each in reading.candidates), key=as_text)
    expected = sorted((wanted(each, known) for each in case.get("expected", ())), key=as_text)
    assert found == expected
    if "explicit" in case:
        assert reading.explicit is case["explicit"]
    for each in reading.candidates:
        start, end = each.quote
        assert 0 <= start < end <= len(episode.text)
    told = {(e["attribute"], str(e.get("value"))): e for e in case.get("expected", ())}
    for each in reading.candidates:
        entry = told.get((each.attribute, str(each.value)), {})
        assert each.type == entry.get("type", each.type)
        assert each.replaces == entry.get("replaces", each.replaces)


def test_an_assistant_says_nothing_that_counts() -> None:
    episode, known = played({"text": "You live in Lisbon.", "role": "assistant"})
    assert extract(episode, known) == Reading(nothing="assistant")


def test_a_document_is_no_statement() -> None:
    episode, known = played({"text": "I live in Lisbon. " * 400})
    assert extract(episode, known).nothing == "document"


def test_an_event_in_words_is_read() -> None:
    episode, known = played({"text": "Order 8812 has arrived.", "role": "event"})
    assert [each.value for each in extract(episode, known).candidates] == ["arrived"]


@pytest.mark.parametrize(
    "text",
    ["my " * 1300, "on 2 May " * 440, "A " * 2000, "'" * 4000, "(" * 4000, "I have to x by " * 260,
     "since may " * 400, "Ab Cd " * 650, "0 " * 1900 + "a", "ab" * 2000, "my A's " * 500,
     "`a " * 1300],
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    episode, known = played({"text": text.strip()[:4000]})
    start = time.perf_counter()
    extract(episode, known)
    assert time.perf_counter() - start < 10


def test_a_speaker_by_name_is_who_says_i() -> None:
    episode, known = played({"text": "I live in Porto."})
    named = replace(episode, message=Message(text=episode.text, speaker="Ines Duarte"))
    assert extract(named, known).candidates[0].subject == "ines_duarte"
