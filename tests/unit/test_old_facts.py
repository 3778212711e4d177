"""Facts that hold are known however many other memories are newer than they are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from text2mem import ExecutionContext, FixedClock, Memory
from text2mem.ledger import known
from text2mem.ledger.episode import Episode, Message
from text2mem.ledger.known import Known
from text2mem.ledger.recall.exact import NEWEST
from text2mem.program import Program

BEGUN = datetime(2026, 1, 1, 9, tzinfo=UTC)
LATER = BEGUN + timedelta(days=9)
TOLD = (("lena", "allergy", "nuts"), ("bram", "allergy", "pollen"), ("cem", "diet", "vegan"))


def at(instant: datetime, actor: str | None) -> ExecutionContext:
    return ExecutionContext(clock=FixedClock(instant), actor=actor)


@pytest.fixture(params=[None, "ann"])
def memory(request: pytest.FixtureRequest) -> Iterator[Memory]:
    """Three facts, and one note more than the facts that a question looks at."""
    with Memory("memory:", embedder="none", model="none") as memory:
        for day, (subject, attribute, value) in enumerate(TOLD):
            memory.context = at(BEGUN + timedelta(days=day), request.param)
            stated = {"subject": subject, "attribute": attribute, "value": value}
            memory.execute(
                {"stage": "ENC", "op": "Encode", "args": {"payload": {"structured": stated}}}
            ).checked()
        memory.context = at(LATER, request.param)
        notes = [
            {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": f"turn {number}"}}}
            for number in range(NEWEST + 1)
        ]
        memory.encode_many([*Program.load(notes, now=LATER).ops])  # type: ignore[list-item]
        yield memory


@pytest.mark.parametrize(
    ("asked", "who"),
    [("Who is allergic to nuts?", "lena"), ("Who has the allergy to pollen?", "bram"),
     ("Who is vegan?", "cem")],
)  # fmt: skip
def test_a_question_finds_whose_value_it_is(memory: Memory, asked: str, who: str) -> None:
    found = memory.recall(asked)
    assert (found.found, found.values) == ("exact", (who,))


def test_a_reading_knows_them(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "_REACH", 2)
    said = Episode(id="999", message=Message(text="hello"), session=None, at=LATER, tz=UTC)
    knows = Known(memory.ledger, said)
    assert {(r.subject, r.attribute, r.value) for r in knows.facts()} == {*TOLD}
    assert (sorted(knows.subjects()), sorted(knows.attributes())) == (
        ["bram", "cem"], ["allergy", "diet"],
    )  # fmt: skip
