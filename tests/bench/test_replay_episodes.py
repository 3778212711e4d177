"""Replayed dialogues: every figure of a small one by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.bench.tiny_dialogue import RIGHT, TINY, WRONG, day, played, share, state, tiny
from text2mem import Memory
from text2mem.errors import MalformedOutput, ServiceUnreachable
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.recall import Answer, Recalled, recall
from text2mem.providers.base import Message, Request
from text2mem.providers.function import FunctionProvider
from text2mem_bench.episodes import asking
from text2mem_bench.episodes.cases import Case, Session, Turn
from text2mem_bench.episodes.counting import CountingProvider, fits
from text2mem_bench.episodes.play import Players, play, replay
from text2mem_bench.episodes.saying import says
from text2mem_bench.episodes.system import Heard
from text2mem_bench.episodes.table import misses
from text2mem_bench.episodes.tally import Tally, summarise
from text2mem_bench.runs import open_run

# --- by hand -------------------------------------------------------------------------------


@pytest.mark.parametrize("store", [None, "memory:"])
def test_gold_is_right_in_everything(store: str | None) -> None:
    for row in (play(tiny(), Players(gold=True, store=store)), played(RIGHT, store=store)):
        assert row["status"] == "played"
        assert row["misses"] == []
        assert all(held == of for held, of in row["shares"].values())
    counted = {name: of for name, (_, of) in row["shares"].items() if "/" not in name}
    assert counted == {
        "precision": 4, "recall": 4, "dates": 4, "types": 3, "outcomes": 4, "legal programs": 4,
        "sources": 3, "sources of the ledger": 3, "supersession": 2, "stale facts closed": 2,
        "no duplicates": 3, "denied kept out": 1, "ledger, precision": 3, "ledger, recall": 3,
        "state, given the ledger": 3, "state, end to end": 3, "words, given the ledger": 3,
        "words, end to end": 3, "not known, said so": 1, "recall@1": 2, "recall@5": 2,
        "recall@10": 2, "forgotten: facts": 1, "forgotten: episodes": 1, "kept: episodes": 5,
        "nothing comes back": 1, "no survivors": 3 if store is None else 2, "retention": 5,
    }  # fmt: skip


def test_a_reading_that_finds_nothing_has_no_recall() -> None:
    row = played({})
    assert share(row, "recall") == (0, 4)
    assert "precision" not in row["shares"]
    assert share(row, "ledger, recall") == (0, 3)
    assert share(row, "state, given the ledger") == (3, 3)
    assert share(row, "state, end to end") == (1, 3)  # that nothing is known of what Ada likes
    assert share(row, "not known, said so") == (1, 1)
    assert "supersession" not in row["shares"]
    cell = summarise([row])["extraction"]["all"]
    assert cell == {
        "precision": None, "recall": 0.0, "f1": 0.0, "gold": 4, "found": 0, "right": 0
    }  # fmt: skip


def test_a_wrong_reading_scores_what_it_should() -> None:
    row = played(WRONG)
    # Porto, chess and Lisbon of Porto, chess, Lisbon and the end of chess;
    # wrong are Faro, that chess is liked again, and the mood. The password counts neither way.
    assert share(row, "recall") == (3, 4)
    assert share(row, "precision") == (3, 6)
    assert summarise([row])["extraction"]["all"]["f1"] == pytest.approx(0.6)
    assert share(row, "recall/kind:retract") == (0, 1)
    assert share(row, "precision/attribute:undeclared") == (0, 1)
    assert share(row, "precision/attribute:declared") == (3, 5)
    assert share(row, "dates") == (2, 3)
    assert share(row, "types") == (2, 3)
    assert share(row, "outcomes") == (3, 3)
    assert "supersession" not in row["shares"]  # no line was read rightly up to its change
    assert share(row, "stale facts closed") == (0, 2)
    assert share(row, "ledger, recall") == (2, 3)
    assert share(row, "ledger, precision") == (2, 7)
    # Of the eight that were held at the two looks, chess stands twice at the second.
    assert share(row, "no duplicates") == (6, 8)
    assert share(row, "denied kept out") == (1, 1)
    assert share(row, "state, given the ledger") == (3, 3)
    assert share(row, "state, end to end") == (2, 3)
    told = "\n".join(misses([row]))
    assert '"value": "Faro"' in told and "tiny/e4" in told


def test_a_change_counts_against_the_ledger_only_where_its_line_was_read_rightly() -> None:
    before = datetime(2025, 12, 30, tzinfo=UTC)
    late = {**RIGHT, "e2": [state("ada", "city", "Lisbon", type="profile", valid_from=before)]}
    row = played(late)
    assert share(row, "supersession") == (1, 1)  # the end of chess; Lisbon was misread
    assert share(row, "dates") == (3, 4)
    assert share(row, "outcomes") == (3, 4)  # Lisbon became late


def test_a_fact_that_stands_twice_is_a_duplicate() -> None:
    case = tiny(aliases={"attributes": {"city": ["home town"]}})
    twice = {**RIGHT, "e2": [state("ada", "home_town", "Lisbon", valid_from=day(2))]}
    row = played(twice, case)
    assert share(row, "recall") == (4, 4)
    assert share(row, "outcomes") == (3, 4)  # a home town is new to the store
    assert share(row, "supersession") == (1, 2)
    assert share(row, "stale facts closed") == (1, 2)
    # After e2 Porto, Lisbon and chess, after e5 Porto and Lisbon.
    assert share(row, "no duplicates") == (1, 5)


def test_sources_are_those_that_stated_a_fact() -> None:
    case = tiny()
    looks = [look.model_copy(update={"facts": tuple(
        fact.model_copy(update={"sources": ("e1", "e2")}) for fact in look.facts
    )}) for look in case.ledger]  # fmt: skip
    row = played(RIGHT, case.model_copy(update={"ledger": tuple(looks)}))
    assert share(row, "sources of the ledger") == (3, 6)
    assert share(row, "sources") == (3, 3)


def test_a_program_that_the_store_refuses_is_no_legal_one() -> None:
    script = {**RIGHT, "e5": [state("", "city", "Faro")]}
    assert share(played(script), "legal programs") == (4, 5)


# --- tenants, deletion, retention ----------------------------------------------------------


def two_tenants() -> Case:
    other = {
        "id": "s9", "tenant": "away", "turns": [
            {"episode": "f1", "at": "2026-01-01T10:00:00Z", "role": "user", "speaker": "Ada",
             "text": "I live in Faro.", "gold": [
                 {"subject": "ada", "attribute": "city", "value": "Faro", "type": "profile",
                  "valid_from": "2026-01-01T10:00:00Z", "quote": "Faro", "outcome": "new"}]}],
    }  # fmt: skip
    return tiny(tenants=["home", "away"], sessions=[*TINY["sessions"], other])


def test_what_one_tenant_says_is_not_the_other_ones() -> None:
    right = {**RIGHT, "f1": [state("ada", "city", "Faro", type="profile")]}
    row = played(right, two_tenants())
    held, of = share(row, "isolation")
    assert held == of > 10
    assert share(row, "no survivors") == (3, 3)
    leaking = {**right, "e5": [state("ada", "city", "Faro")]}
    row = played(leaking, two_tenants())
    held, of = share(row, "isolation")
    assert held < of
    assert {miss["where"] for miss in row["misses"] if miss["figure"] == "isolation"} == {
        "tiny/home"
    }


def test_a_word_that_the_other_tenant_says_may_stay_in_the_file() -> None:
    case = two_tenants()
    gone = case.forget[0].gone.model_copy(update={"words": ("Lisbon", "live")})
    order = case.forget[0].model_copy(update={"gone": gone})
    right = {**RIGHT, "f1": [state("ada", "city", "Faro", type="profile")]}
    row = played(right, case.model_copy(update={"forget": (order,)}))
    # "live" still stands in a row of the tenant, and in the file rightly.
    found = [miss["found"] for miss in row["misses"] if miss["figure"] == "no survivors"]
    assert share(row, "no survivors")[1] == 5
    assert "file" not in found and "rows" in found


def test_a_deletion_that_deletes_nothing_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Memory, "forget", lambda self, **_: None)
    row = played(RIGHT)
    assert share(row, "forgotten: facts") == (0, 1)
    assert share(row, "forgotten: episodes") == (0, 1)
    assert share(row, "no survivors") == (0, 3)
    assert share(row, "kept: episodes") == (5, 5)


def test_a_deletion_of_everything_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def forget(self: Memory, **_: Any) -> None:
        ids = [str(number) for number in range(1, 20) if self.show(str(number)) is not None]
        delete = {"stage": "STO", "op": "Delete", "target": {"ids": ids}, "args": {"soft": False}}
        assert self.execute([delete]).ok

    monkeypatch.setattr(Memory, "forget", forget)
    row = played(RIGHT)
    assert share(row, "forgotten: facts") == (1, 1)
    assert share(row, "kept: episodes") == (0, 5)


def test_what_stays_past_its_class_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = {**RIGHT, "e5": [state("ada", "mood", "great", type="scratch")]}
    assert share(played(scratch), "retention") == (6, 6)  # five episodes and the mood

    def keeps(self: Memory) -> None:
        """Nothing is carried out, and what is due is put off."""
        for number in range(1, 20):
            if (record := self.show(str(number))) is not None and not record.deleted:
                edit = {"expire_at": None}
                target = {"ids": [record.id]}
                self.execute(
                    [{"stage": "STO", "op": "Update", "target": target, "args": {"set": edit}}]
                )

    monkeypatch.setattr(Memory, "tick", keeps)
    assert share(played(scratch), "retention") == (0, 6)


# --- answers, models -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "spellings", "held"),
    [
        ("It is on 30 June 2026.", ["2026-06-30"], True),
        ("on June 30, 2026", ["2026-06-30"], True),
        ("截止日期是2026年6月30日。", ["2026-06-30"], True),
        ("on 30 June 2025", ["2026-06-30"], False),
        ("She is 12.", [12], True),
        ("She is 123.", [12], False),
        ("she moved to LISBON", ["Porto", "Lisbon"], True),
        ("李娜住在苏州", ["苏州"], True),
        ("the port", ["Porto"], False),
    ],
)
def test_whether_a_text_says_a_value(text: str, spellings: list[Any], held: bool) -> None:
    assert says(text, spellings) is held


def test_answers_that_code_gives_are_right() -> None:
    row = played(RIGHT, answer=True)
    assert row["misses"] == []
    assert share(row, "answers right") == (3, 3)
    assert share(row, "answers right/conflict:some") == (3, 3)
    assert share(row, "answers that do not know, rightly") == (1, 1)
    assert share(row, "claims supported") == (2, 2)
    assert share(row, "citations are evidence") == (2, 2)


def test_wrong_answers_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = {
        "Which city does Ada live in?": Answer("Ada lives in Lisbon, not in Porto.", ("e4",)),
        "Which city did Ada live in on 1 January 2026?": Answer("She lived in Faro.", ("e1", "e4")),
        "What does Ada like?": Answer("Chess.", ("e1",)),
    }

    def answering(ledger: Ledger, question: str | None = None, **named: Any) -> Recalled:
        told = recall(ledger, question, **named)
        return told if told.answer is None else replace(told, answer=sentences[question or ""])

    monkeypatch.setattr(asking, "recall", answering)
    row = played(RIGHT, answer=True)
    assert share(row, "answers right") == (0, 3)
    assert share(row, "answers that do not know, rightly") == (0, 1)
    # Memory 4, the second turn, says Lisbon; Faro is no value at all.
    assert share(row, "claims supported") == (1, 2)
    assert share(row, "citations are evidence") == (2, 3)  # where she lived then is not in it
    assert share(row, "state, end to end") == (3, 3)


def test_a_model_is_counted() -> None:
    schema = {"type": "object", "required": ["a"]}
    answers: list[Any] = [{"a": 1}, {"b": 1}, MalformedOutput("no JSON", raw="x")]

    def answer(request: Request) -> Any:
        given = answers.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    counted = CountingProvider(FunctionProvider(answer))
    request = Request((Message("user", "?"),), schema=schema)
    assert counted.complete(request).data == {"a": 1}
    counted.complete(request)
    with pytest.raises(MalformedOutput):
        counted.complete(request)
    assert dict(counted.take()) == {"asked": 3, "unfit": 2, "prompt": 0, "output": 0, "cached": 0}
    assert dict(counted.take()) == {}
    assert fits("anything", None)


def test_a_service_that_is_down_leaves_the_dialogue_for_later(tmp_path: Path) -> None:
    class Down:
        name = "down"

        def hear(self, memory: Memory, session: Session, turn: Turn, tally: Tally) -> Heard:
            raise ServiceUnreachable("nobody is there")

    row = play(tiny(), Players(listening=lambda _: Down()))
    assert row["status"] == "service"
    assert summarise([row])["unscored"] == ["tiny"]
    with open_run(tmp_path / "run", {"kind": "x"}, "x") as run:
        list(replay([tiny()], Players(listening=lambda _: Down()), run))
    with open_run(tmp_path / "run", {"kind": "x"}, "x") as run:
        (again,) = replay([tiny()], Players(gold=True), run)
    assert again["status"] == "played"
    with open_run(tmp_path / "run", {"kind": "x"}, "x") as run:
        assert list(replay([tiny()], Players(gold=True), run)) == []
        assert [each["status"] for each in run.rows] == ["played"]
