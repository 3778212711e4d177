"""Edits: a change of one value changes nothing else, and no word is invented."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.fixtures import case_id, cases, faults
from text2mem.editing.agreeing import agreeing
from text2mem.editing.edit import appended, exchange, removed, summed
from text2mem.editing.kinds import with_clock
from text2mem.ir.exchange import exchanged
from text2mem.ir.ops import Exchange
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.words.segment import query_terms

CASES = list(cases("edits"))
CLOCK = Clock(datetime(2026, 3, 10, 9, tzinfo=UTC), UTC)


def edited(
    text: str, old: str = "", new: str = "", said: str = "", add: str = "", now: str = ""
) -> str | None:
    """The text after an edit; None where it cannot be told what is meant."""
    if add:
        return appended(text, add)
    found = exchange(text, old, new, said)
    if found is None:
        return None
    if now:
        found = agreeing(text, found, Clock(datetime.fromisoformat(now), UTC), said)
    if found is None:
        return None
    assert found.old in text
    return exchanged(text, found)


def test_the_year_of_a_sum_is_the_one_that_was_computed() -> None:
    text = "The lease ends 3 June 2027"
    found = summed(text, "3 June 2027", "a year", up=True, clock=CLOCK)
    assert found is not None
    agreed = agreeing(text, found, CLOCK)
    assert agreed is not None and agreed.new == "3 June 2028"


@pytest.mark.parametrize(
    ("text", "old", "amount", "expected"),
    [
        ("dinner on Friday", "Fri", "a day", "dinner on Saturday"),
        ("dinner next Friday", "Friday", "a day", "dinner next Saturday"),
        ("a 12-week plan", "12", "two weeks", "a 14-week plan"),
        ("12-14 March", "14", "a week", "12-21 March"),
    ],
)
def test_a_sum_is_of_the_whole_word(text: str, old: str, amount: str, expected: str) -> None:
    found = summed(text, old, amount, up=True, clock=CLOCK)
    assert found is not None and exchanged(text, found) == expected


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_an_edit_is_the_one_of_its_fixture(case: dict[str, Any]) -> None:
    assert edited(**case["input"]) == case["expected"]


def test_fixture_cases_fit_their_schema_and_have_their_own_ids() -> None:
    assert faults("edits", CASES) == []
    assert len({case["id"] for case in CASES}) == len(CASES)


WORDS = st.sampled_from(
    ["milk", "bread", "Kai", "Tuesday", "at nine", "7:15", "40 euro", "5512", "$3", "QX7731", "。",
     "，", "、", "周二", "牛奶", "三千块", "İstanbul", "ß", "room 204", ".", ",", ";", "\n"]
)  # fmt: skip
TEXTS = st.lists(WORDS, max_size=6).map(" ".join) | st.text(max_size=20)


@example("milk", "milk", "，", "")
@given(TEXTS, WORDS | st.just(""), WORDS | st.just(""), TEXTS)
def test_what_goes_stands_in_the_text_and_what_comes_was_said(
    text: str, old: str, new: str, said: str
) -> None:
    found = exchange(text, old, new, said)
    if found is not None:
        assert found.old and found.old in text
        new = removed(text, old, new)[1]  # a comma alone is left out
        # What is taken out of one place alone is so with the words beside it; an hour stays.
        comes = (new, with_clock(found.old, new))
        assert found.new in comes or (not new and found.new in text)


@example("QX7731", "5512", "")
@example("0\U00016800", "5512", "")  # a letter that is cut off from no number
@given(TEXTS, WORDS, TEXTS)
def test_what_is_guessed_to_go_leaves_every_other_word_as_it_was(
    text: str, new: str, said: str
) -> None:
    found = exchange(text, "", new, said)
    if found is not None:
        after = exchanged(text, Exchange(found.old, found.new))
        assert after is not None
        assert {*query_terms(after)} <= {*query_terms(text), *query_terms(new)}


DAYS = st.sampled_from(
    ["Tuesday", "Thu", "15 December", "Dec 29", "31st of January", "29 February", "2026-12-31",
     "周五", "12月4日", "星期天", "the 17th", "5号", "next Friday", "tomorrow", "at 9", "(", ",",
     "）", "to", "17", "December"]
)  # fmt: skip


def everywhere(text: str, old: str, new: str) -> str:
    """A text with new words for old ones, which are no part of a word or number where they stand
    alone."""
    before, after = ("(?<![A-Za-z0-9])", "(?![A-Za-z0-9])")
    alone = rf"{before if old[0].isalnum() and old[0].isascii() else ''}{re.escape(old)}"
    alone += after if old[-1].isalnum() and old[-1].isascii() else ""
    apart = rf"(?<!\d[.,:/]){alone}" if old[0].isdigit() else alone
    apart += r"(?![.,:/]\d)" if old[-1].isdigit() else ""
    form = next((each for each in (apart, alone) if re.search(each, text)), re.escape(old))
    return re.sub(form, lambda _: new, text)


@given(st.lists(DAYS, min_size=1, max_size=6).map(" ".join), DAYS, DAYS)
@example("Tuesday Thu ,", "Thu", ",")
@example("to tomorrow", "to", "Tuesday")
def test_days_that_are_made_to_agree_leave_the_rest_as_it_was(
    text: str, old: str, new: str
) -> None:
    found = exchange(text, old, new, new)
    if found is not None:
        wider = agreeing(text, found, Clock(datetime(2026, 11, 27, 9, tzinfo=UTC), UTC))
        if wider is None:  # there is no such day
            return
        assert wider.old in text and found.old in wider.old
        after = everywhere(text, wider.old, wider.new)
        made = exchanged(text, Exchange(wider.old, wider.new))
        if not wider.new:  # what is removed takes a blank with it
            assert made is not None
            made, after = " ".join(made.split()), " ".join(after.split())
        assert made == after


@given(TEXTS, WORDS)
def test_what_is_added_leaves_the_text_before_it_as_it_was(text: str, words: str) -> None:
    after = appended(text, words)
    assert after.startswith(text.rstrip())
    assert after.endswith(words.strip())
    assert len(after) <= len(text.rstrip()) + len(words.strip()) + 2
