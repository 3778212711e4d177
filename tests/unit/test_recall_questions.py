"""Questions in words: whom they are about, which attribute, when, and what answers them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.fixtures import faults
from tests.recalling import CASES, QUESTIONS, Json, stored
from text2mem.ir.times.asked_times import read_instants, read_moment
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.words.folding import fold
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.recall import recall


@pytest.fixture(scope="module")
def ledgers() -> Iterator[dict[str, Ledger]]:
    """Each case in a store of its own, filled once."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield {id_: stack.enter_context(stored(case)) for id_, case in CASES.items()}


def test_the_cases_keep_their_schema() -> None:
    assert faults("recall", CASES.values()) == []
    assert all(case["id"] == id_ for id_, case in CASES.items())
    assert len(QUESTIONS) >= 100


def test_most_questions_are_read_and_answered(ledgers: dict[str, Ledger]) -> None:
    """What is held is found, and what is not is not answered by what stands next to it."""
    wrong = [
        (question["answer"], recall(ledgers[id_], question["asks"]))
        for id_, question in QUESTIONS
        if in_order(recall(ledgers[id_], question["asks"]).values)
        != in_order(question["answer"] or ())
    ]
    assert len(wrong) <= 0.22 * len(QUESTIONS), [str(found) for _, found in wrong]
    said = [found.question for _, found in wrong if found.values]
    assert len(said) <= 0.06 * len(QUESTIONS), said  # most are left open, and not answered wrongly
    shown = [found for gold, found in wrong if gold and says_all(found.context, gold)]
    assert len(shown) >= 0.8 * sum(bool(gold) for gold, _ in wrong), "the lines show it"


def says_all(context: str, values: Sequence[Any]) -> bool:
    """Whether every value stands in a context."""
    return all(str(value) in context for value in values)


@pytest.mark.parametrize(("id_", "question"), [(i, q) for i, q in QUESTIONS if "as_of" in q])
def test_times_are_read_of_a_question(id_: str, question: Json, ledgers: dict[str, Ledger]) -> None:
    zone = ZoneInfo(CASES[id_]["zone"])

    def day(instant: datetime | None) -> str | None:
        return None if instant is None else instant.astimezone(zone).date().isoformat()

    found = recall(ledgers[id_], question["asks"])
    if found.found == "exact":
        assert (day(found.as_of), day(found.known_at)) == (
            question["as_of"], question.get("known_at"),
        )  # fmt: skip


@pytest.mark.parametrize(("id_", "question"), [(i, q) for i, q in QUESTIONS if q["subject"]])
def test_what_is_named_needs_no_words(id_: str, question: Json, ledgers: dict[str, Ledger]) -> None:
    spoken = recall(ledgers[id_], question["asks"])
    if spoken.found != "exact" and question["answer"]:
        return  # what it says of before is not read
    named = recall(
        ledgers[id_], subject=question["subject"],
        attribute=[*question.get("via", ()), *filter(None, [question["attribute"]])],
        as_of=spoken.as_of, known_at=spoken.known_at,
    )  # fmt: skip
    assert in_order(named.values) == in_order(question["answer"] or ())


def small(*facts: Sequence[str]) -> Json:
    """A store of facts: subject, attribute, value, since when, and until when, if it is over."""
    keys = ("subject", "attribute", "value", "told", "to")
    told = [dict(zip(keys, fact, strict=False)) for fact in facts]
    return {"now": "2026-06-01T09:00:00Z", "zone": "UTC", "facts": told}


@pytest.mark.parametrize(
    ("subject", "asks", "values"),
    [
        ("user_妈", "我妈住在哪里?", ("Leeds",)),
        ("user_mother", "Where does my mother live?", ("Leeds",)),
        ("user_mother", "Where do I live?", ()),
        ("user_mother", "Where does my brother live?", ()),
    ],
)
def test_a_relative_is_known_of_whom_nothing_is_known_of_oneself(
    subject: str, asks: str, values: tuple[str, ...]
) -> None:
    at = "2026-03-01T09:00:00Z"
    case = small((subject, "city", "Leeds", at), (subject, "age", "72", at))
    with stored(case) as ledger:
        assert recall(ledger, asks).values == values


def test_what_was_before_is_the_last_that_was_also_where_nothing_was_in_between() -> None:
    case = small(
        ("user", "city", "Queens", "2012-01-01T00:00:00Z", "2019-12-31T00:00:00Z"),
        ("user", "city", "Hoboken", "2021-01-01T00:00:00Z"),
        ("user", "employer", "Nordwind", "2021-01-01T00:00:00Z"),
    )
    with stored(case) as ledger:
        assert recall(ledger, "Where did I live before?").values == ("Queens",)
        assert recall(ledger, "Where did I live before the move?").values == ("Queens",)


def test_who_was_before_somebody_is_the_one_before_and_not_what_has_them_now() -> None:
    case = small(
        ("chess_club", "treasurer", "Anna", "2026-01-01T00:00:00Z", "2026-05-12T00:00:00Z"),
        ("chess_club", "treasurer", "Tom", "2026-05-12T00:00:00Z"),
        ("chess_club", "venue", "the library", "2026-01-01T00:00:00Z"),
    )
    with stored(case) as ledger:
        assert recall(ledger, "Who was the treasurer before Tom?").values == ("Anna",)


@pytest.mark.parametrize(
    ("subject", "asks", "values"),
    [
        ("三号工地", "三号工地的安全员是谁？", ("Lee",)),
        ("三号工地", "5月3号三号工地的安全员是谁？", ("Anna",)),
        ("friday_club", "Who was the 安全员 of the Friday club?", ("Lee",)),
        ("friday_club", "Who was the 安全员 of the Friday club on Friday?", ("Anna",)),
    ],
)
def test_a_time_in_a_subject_s_name_is_none(
    subject: str, asks: str, values: tuple[str, ...]
) -> None:
    case = small(
        (subject, "安全员", "Anna", "2026-01-01T00:00:00Z", "2026-05-30T00:00:00Z"),
        (subject, "安全员", "Lee", "2026-05-30T00:00:00Z"),
    )
    with stored(case) as ledger:
        assert recall(ledger, asks).values == values


def test_a_file_answers_as_memory_does(tmp_path: Path, ledgers: dict[str, Ledger]) -> None:
    for id_, case in CASES.items():
        with stored(case, f"{tmp_path}/{id_}.db") as ledger:
            for question in case["questions"][::3]:
                found = recall(ledger, question["asks"])
                assert found.values == recall(ledgers[id_], question["asks"]).values, question


def in_order(values: Any) -> list[str]:
    return sorted(map(str, values))


# --- instants ------------------------------------------------------------------------------

NOW = Clock(datetime(2026, 9, 10, 12, tzinfo=UTC), ZoneInfo("Europe/London"))


@pytest.mark.parametrize(
    ("asks", "as_of", "known_at"),
    [
        ("Where did I live on 2 June 2026?", "2026-06-01T23:00", None),
        ("Where did I live in March?", "2026-03-16T00:00", None),
        ("Where did I live in early March?", "2026-03-06T00:00", None),
        ("Where did I live at the end of May?", "2026-05-30T23:00", None),
        ("Where did I live two weeks ago?", "2026-08-27T12:00", None),
        ("Where did I live last summer?", "2026-07-15T23:00", None),
        ("Where did I live in the winter of 2024?", "2025-01-14T00:00", None),
        ("Where did I live at 10:03 on 2 February?", "2026-02-02T10:03", None),
        ("Where did I live on the evening of 16 March?", "2026-03-16T21:00", None),
        ("As of 3 May, where do I live?", "2026-05-02T23:00", None),
        ("What did we believe on 7 September about June?", "2026-06-14T23:00", "2026-09-06T23:00"),
        ("On 7 September, what did we think?", None, "2026-09-06T23:00"),
        ("Where did I live in March, as far as we know?", "2026-03-16T00:00", None),
        ("Which languages do we know that I speak?", None, None),
        ("How much may it cost?", None, None),
        ("What is the second phone number?", None, None),
        ("When is the meeting on Friday?", None, None),
        ("Where do I live today?", None, None),
        ("Where will I be on 20 December?", "2026-12-20T00:00", None),
        ("What is planned for 3 October?", "2026-10-02T23:00", None),
        ("What was planned for 3 October?", "2025-10-02T23:00", None),
        ("12月20号我会在哪？", "2026-12-20T00:00", None),
        ("去年我住哪？", "2025-07-01T23:00", None),
        ("截至6月2日我住哪？", "2026-06-01T23:00", None),
        ("3月我住哪？", "2026-03-16T00:00", None),
        ("9月7日的时候我们以为3月我住哪？", "2026-03-16T00:00", "2026-09-06T23:00"),
        ("你知道3月我住哪吗？", "2026-03-16T00:00", None),
        ("现在我住哪？", None, None),
        ("去年冬天我住哪？", "2026-01-14T00:00", None),
        ("第一季度我住哪？", "2026-02-14T00:00", None),
        ("Which port did we use in the first days of May?", "2026-05-03T23:00", None),
        ("What was he taking in the last week of January?", "2026-01-28T00:00", None),
        ("三月第一周谁负责？", "2026-03-04T00:00", None),
        ("四月二十号的时候，你以为是哪天上线？", None, "2026-04-19T23:00"),
        ("And who sat on it with me on 10 May?", "2026-05-09T23:00", None),
        ("Who worked on 12 June (Friday)?", "2026-06-11T23:00", None),
        ("3月11日(三)谁负责？", "2026-03-11T00:00", None),
        ("Who will be on call in the first week of October?", "2026-10-03T23:00", None),
        ("Who works Mon/Thu 08:00?", None, None),
    ],
)
def test_instants(asks: str, as_of: str | None, known_at: str | None) -> None:
    found = read_instants(fold(asks), NOW)
    told = [
        None if instant is None else instant.astimezone(UTC).isoformat()[:16]
        for instant in (found.as_of, found.known_at)
    ]
    assert told == [as_of, known_at]


@pytest.mark.parametrize(
    ("zone", "day"),
    [("Europe/Oslo", "2025-07-16"), ("Australia/Sydney", "2026-01-14"), ("UTC", "2025-07-16")],
)
def test_summer_is_when_it_is_summer_there(zone: str, day: str) -> None:
    tz = ZoneInfo(zone)
    clock = Clock(datetime(2026, 5, 20, 9, tzinfo=UTC), tz)
    found = read_instants("Where did I live last summer?", clock).as_of
    assert found is not None and found.astimezone(tz).date().isoformat() == day


@pytest.mark.parametrize(
    ("words", "instant"),
    [
        ("2026-06-02", "2026-06-01T23:00"),
        ("2026-06-02T09:00", "2026-06-02T08:00"),
        ("2 June", "2026-06-01T23:00"),
        ("6月2日", "2026-06-01T23:00"),
        ("whenever", None),
    ],
)
def test_a_moment_by_itself(words: str, instant: str | None) -> None:
    found = read_moment(words, NOW)
    assert (None if found is None else found.astimezone(UTC).isoformat()[:16]) == instant
