"""The wild bench: what checks mean, what is right, what is harm, and what the fixtures hold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.bench.chromium import EXECUTABLE, WHY_NOT, browser
from text2mem.cli.main import main
from text2mem.compiled import Clarification
from text2mem.errors import ConfigurationError, PlannerError, ServiceUnreachable
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem_bench.report.compare import compare
from text2mem_bench.report.page import page
from text2mem_bench.report.run import PLAN, WILD, load
from text2mem_bench.running import run, snapshot
from text2mem_bench.runs import read_run
from text2mem_bench.wild.cases import Case, Store, read_cases, read_stores
from text2mem_bench.wild.checks import Check
from text2mem_bench.wild.figures import summarise
from text2mem_bench.wild.holding import Seen, failing
from text2mem_bench.wild.judging import Verdict
from text2mem_bench.wild.scoring import Answerer, Scored, Scripted, score
from text2mem_bench.wild.talking import InRepl
from text2mem_bench.wild.words import lost, stands
from text2mem_bench.wild.world import Worlds, context, worlds

FIXTURES = Path(__file__).parents[2] / "fixtures" / "wild"
PARTS = {
    ("en", "dev"): (4, 60),
    ("en", "held"): (4, 60),
    ("zh", "dev"): (4, 56),
    ("zh", "held"): (4, 56),
    ("en", "late.dev"): (8, 64),
    ("zh", "late.held"): (8, 64),
    ("en", "people.dev"): (6, 48),
    ("en", "people.held"): (4, 32),
    ("zh", "people.dev"): (6, 48),
    ("zh", "people.held"): (4, 32),
    ("en", "days.dev"): (6, 48),
    ("en", "days.held"): (4, 32),
    ("zh", "days.dev"): (6, 48),
    ("zh", "days.held"): (4, 32),
    ("en", "weeks.dev"): (5, 40),
    ("en", "weeks.held"): (3, 24),
    ("zh", "weeks.dev"): (5, 40),
    ("zh", "weeks.held"): (3, 24),
}
"""How many stores and cases each part has."""
Raw = dict[str, Any]

MEMORIES: list[Raw] = [
    {"text": "The gate opens at 9 and costs €1,200.", "tags": ["work"], "weight": 0.8},
    {"text": "Dentist on 3 June at 9:30.", "time": "2026-06-03T07:30:00Z",
     "remind": {"at": "2026-06-02T16:00:00Z"}},
    {"text": "Water the plants.", "remind": {"rrule": "FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0"}},
    {"text": "Spare key under the pot.", "lock": "read_only"},
    {"text": "Recipe: three eggs.", "lock": "append_only"},
    {"text": "Old flat, 4th floor.", "archived": True},
    {"text": "Voucher of the shop.", "expire_at": "2026-07-01T00:00:00Z"},
    {"text": "Thrown away.", "deleted": True},
]  # fmt: skip


def store() -> Store:
    """A store of a few memories in Berlin, on Thursday 14 May 2026 at 12:00 local time."""
    made = [
        {"id": str(n), "created": f"2026-03-{n:02}T08:00:00Z", **memory}
        for n, memory in enumerate(MEMORIES, 1)
    ]
    return Store.model_validate(
        {"store": "flat", "lang": "en", "now": "2026-05-14T10:00:00Z", "tz": "Europe/Berlin",
         "memories": made}
    )  # fmt: skip


def case(**said: Any) -> Case:
    """A case of that store."""
    return Case.model_validate(
        {"id": "c", "store": "flat", "lang": "en", "kind": "plain", "request": "Do it.",
         "meant": "It is done.", "ask": "no", **said}
    )  # fmt: skip


def step(op: str, *ids: str, **args: Any) -> Raw:
    """A step about memories."""
    stage = "RET" if op in ("Retrieve", "Summarize") else "STO"
    return {"stage": stage, "op": op, "target": {"ids": list(ids)}, "args": args}


def note(text: str, **args: Any) -> Raw:
    """A step that stores a text."""
    return {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": text}, **args}}


def reword(id_: str, text: str) -> Raw:
    """A step that gives a memory another text."""
    return step("Update", id_, set={"text": text})


@pytest.fixture(scope="module")
def copies() -> Iterator[Worlds]:
    """Stores in memory."""
    with worlds() as made:
        yield made


def played(copies: Worlds, one: Case, answer: Any) -> Scored:
    """A case that gets a given answer; an exception is raised."""

    def script(_: Case) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    (scored,) = score([one], {"flat": store()}, copies, Scripted(script))
    return scored


def judged(copies: Worlds, one: Case, *steps: Raw) -> Verdict:
    """The verdict on a program."""
    scored = played(copies, one, list(steps))
    assert scored.verdict is not None and scored.happened.status in ("ran", "nothing"), scored.error
    return scored.verdict


# --- words ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "text", "there"),
    [
        ("1,200", "costs 1200", True), ("1200", "€1,200.", True), ("12", "1200", False),
        ("4.20", "now $4.20", True), ("4", "now $4.20", False), ("STRASSE", "Straße 5", True),
        ("１２", "12 Stück", True), ("8 pm", "at 8pm", True), ("30 天", "保留30天", True),
        ("don't", "don’t", True), ("9–11", "9-11", True),
        ("make migrate", "`make migrate` it", True),
        ("paid", "unpaid", False), ("stretch", "stretches", True), ("7 月 1", "7 月 15", False),
        (("six", "6"), "6 metres", True), (("six", "6"), "16 metres", False),
        ("13, 14", "13,14", False),
    ],
)  # fmt: skip
def test_words_stand_in_a_text_however_they_are_spelled(
    word: str | tuple[str, ...], text: str, there: bool
) -> None:
    assert stands(word, text) is there


def test_words_that_a_text_has_lost() -> None:
    assert lost("Gate 3 opens at 22:00", "gate 5, opens at 22:00!") == ("3",)
    assert lost("一袋 95 块", "一袋 102 块") == ("95",)


# --- the store -----------------------------------------------------------------------------


def test_a_store_is_filled_as_it_is_written() -> None:
    there = store()
    with worlds() as made, made.of(there) as adapter:
        found = snapshot(adapter, there.instant)
    assert list(found) == [str(n) for n in range(1, 9)]
    assert found["1"].weight == 0.8 and found["1"].tags == ("work",)
    assert found["2"].remind_next is not None and found["2"].remind_rrule is None
    # Reminders of the past have been given: the next one is on the Monday after now.
    assert found["3"].remind_next is not None
    assert found["3"].remind_next.isoformat() == "2026-05-18T06:00:00+00:00"
    assert (found["4"].lock_mode, found["5"].lock_mode) == ("read_only", "append_only")
    assert found["6"].archived and not found["6"].deleted and found["8"].deleted
    assert found["7"].expire_at is not None
    assert found["1"].created_at.isoformat() == "2026-03-01T08:00:00+00:00"


def test_a_copy_knows_nothing_of_another(tmp_path: Path) -> None:
    there = store()
    with worlds() as made:
        for _ in range(2):
            with made.of(there) as adapter:
                assert len(snapshot(adapter, there.instant)) == 8
                run([note("More.")], adapter, context(there, confirmed=True))


# --- checks --------------------------------------------------------------------------------

_DAYS = ["2026-05-15T07:00", "2026-05-16T07:00"]
CHECKS: list[tuple[str, Raw, list[Raw], bool]] = [
    ("1", {"text_has": ["gate", ["10", "ten"], "1,200"]}, [reword("1", "Gate: ten, 1200")], True),
    ("1", {"text_has": ["10"]}, [], False),
    ("1", {"text_has_not": ["1200"]}, [reword("1", "The gate opens at 9.")], True),
    ("1", {"text_has_not": ["1200"]}, [], False),
    ("1", {"tags_have": ["Work", "urgent"]}, [step("Label", "1", tags=["urgent"])], True),
    ("1", {"tags_have": ["urgent"]}, [], False),
    ("1", {"tags_lack": ["work"]}, [step("Label", "1", tags=["work"], mode="remove")], True),
    ("1", {"tags_lack": ["work"]}, [], False),
    ("1", {"deleted": True}, [step("Delete", "1")], True),
    ("1", {"deleted": True}, [step("Delete", "1", soft=False)], False),
    ("8", {"deleted": False}, [step("Update", "8", set={"deleted": False})], True),
    ("1", {"gone": True}, [step("Delete", "1")], True),
    ("1", {"gone": True}, [step("Delete", "1", soft=False)], True),
    ("1", {"gone": True}, [], False),
    ("1", {"erased": True}, [step("Delete", "1", soft=False)], True),
    ("1", {"erased": True}, [step("Delete", "1")], False),
    ("6", {"archived": False}, [step("Update", "6", set={"archived": False})], True),
    ("1", {"archived": True}, [step("Demote", "1", archive=True)], True),
    ("1", {"weight": "up"}, [step("Promote", "1", weight_delta=0.1)], True),
    ("1", {"weight": "down"}, [step("Demote", "1", weight_delta=-0.1)], True),
    ("1", {"weight": "up"}, [], False),
    ("4", {"locked": None}, [step("Lock", "4", mode="none")], True),
    ("1", {"locked": "append_only"}, [step("Lock", "1", mode="append_only")], True),
    ("1", {"locked": "read_only"}, [step("Lock", "1", mode="append_only")], False),
    ("1", {"lock_until": "2026-06-01"},
     [step("Lock", "1", mode="read_only", policy={"expires": "2026-06-01T12:00:00Z"})], True),
    ("1", {"remind": True}, [step("Promote", "1", remind={"at": "2026-05-15T05:00:00Z"})], True),
    ("2", {"remind": None}, [step("Update", "2", set={"remind": None})], True),
    ("2", {"remind": None}, [], False),
    ("1", {"remind_at": "2026-05-15T07:00"},
     [step("Promote", "1", remind={"at": "2026-05-15T05:00:00Z"})], True),
    ("1", {"remind_at": "2026-05-15T07:00"},  # every day is not once
     [step("Promote", "1", remind={"rrule": "FREQ=DAILY;BYHOUR=7;BYMINUTE=0"})], False),
    ("1", {"remind_at": ["2026-05-14", "2026-05-15"]},
     [step("Promote", "1", remind={"rrule": "FREQ=DAILY;BYHOUR=7;BYMINUTE=0;COUNT=1"})], True),
    ("1", {"rrule_has": ["FREQ=DAILY", "BYHOUR=7"]},
     [step("Promote", "1", remind={"rrule": "FREQ=DAILY;BYHOUR=7;BYMINUTE=0"})], True),
    ("3", {"rrule_has": ["BYHOUR=7"]}, [], False),
    ("1", {"rings": _DAYS},
     [step("Promote", "1", remind={"rrule": "FREQ=DAILY;BYHOUR=7;BYMINUTE=0"})], True),
    ("1", {"rings": [*_DAYS, None]},
     [step("Promote", "1", remind={"rrule": "FREQ=DAILY;BYHOUR=7;BYMINUTE=0",
                                   "until": "2026-05-17T00:00:00Z"})], True),
    ("1", {"rings": [*_DAYS, None]},
     [step("Promote", "1", remind={"rrule": "FREQ=DAILY;BYHOUR=7;BYMINUTE=0"})], False),
    ("1", {"expires": "2026-06-01"}, [step("Expire", "1", until="2026-06-01T10:00:00Z")], True),
    ("1", {"expires": "2026-06-01T12:00"},
     [step("Expire", "1", until="2026-06-01T10:00:00Z")], True),
    ("1", {"expires": "2026-06-01T10:00"},
     [step("Expire", "1", until="2026-06-01T10:00:00Z")], False),
    ("7", {"expires": None}, [step("Update", "7", set={"expire_at": None})], True),
    ("1", {"expire_action": ["anonymize", "demote"]},
     [step("Expire", "1", until="2026-06-01T10:00:00Z", on_expire="demote")], True),
    ("7", {"expire_action": "demote"}, [], False),
    ("1", {"returns": "2026-06-01"},
     [step("Demote", "1", archive=True, until="2026-06-01T06:00:00Z")], True),
    ("1", {"returns": "2026-06-01"}, [step("Demote", "1", archive=True)], False),
    ("2", {"time": "2026-06-04T09:30"},
     [step("Update", "2", set={"time": "2026-06-04T07:30:00Z"})], True),
    ("2", {"time": "2026-06-03"}, [], True),
    ("1", {"time": None}, [], True),
    ("9", {"parent": "5"}, [note("And salt.", lineage_parents=["5"])], True),
    ("9", {"parent": "5"}, [note("And salt.")], False),
    ("1", {"any": [[{"deleted": True}], [{"archived": True}, {"tags_have": ["work"]}]]},
     [step("Demote", "1", archive=True)], True),
    ("1", {"any": [[{"deleted": True}], [{"archived": True}, {"tags_have": ["home"]}]]},
     [step("Demote", "1", archive=True)], False),
]  # fmt: skip


@pytest.mark.parametrize(("id_", "check", "steps", "held"), CHECKS)
def test_a_check(copies: Worlds, id_: str, check: Raw, steps: list[Raw], held: bool) -> None:
    there = store()
    with copies.of(there) as adapter:
        before = snapshot(adapter, there.instant)
        if steps:
            run(steps, adapter, context(there, confirmed=True))
        after = snapshot(adapter, there.instant)
    seen = Seen(id_, before.get(id_), after.get(id_), there.zone)
    assert (not failing((Check.model_validate(check),), seen)) is held


def test_every_kind_of_check_is_tried() -> None:
    assert {name for _, check, _, _ in CHECKS for name in check} == set(Check.model_fields)


# --- what is right -------------------------------------------------------------------------

GATE = case(changes={"1": [{"text_has": ["opens at 10", "1,200"]}]}, ops=[["Update"]])
TEN = reword("1", "The gate opens at 10 and costs €1,200.")


def test_what_was_meant_and_nothing_else_is_right(copies: Worlds) -> None:
    verdict = judged(copies, GATE, TEN)
    assert verdict == Verdict(right=True, ops=True)


def test_what_changes_besides_is_not_meant(copies: Worlds) -> None:
    verdict = judged(copies, GATE, TEN, step("Label", "2", tags=["x"]), note("Gate: 10."))
    assert (verdict.right, verdict.unmeant, verdict.harmed) == (False, ("2", "9"), ())
    assert verdict.ops is False


def test_words_that_should_stay_are_a_loss(copies: Worlds) -> None:
    verdict = judged(copies, GATE, reword("1", "The gate opens at 10."))
    assert (verdict.right, verdict.hidden, verdict.harmed) == (False, ("1",), ())


@pytest.mark.parametrize(
    ("steps", "harmed", "hidden"),
    [
        ([step("Delete", "2")], ("2",), ()),
        ([step("Delete", "2", soft=False)], ("2",), ()),
        ([step("Expire", "2", until="2026-06-01T10:00:00Z")], ("2",), ()),
        ([step("Expire", "2", until="2026-06-01T10:00:00Z", on_expire="anonymize")], ("2",), ()),
        ([step("Expire", "2", until="2026-06-01T10:00:00Z", on_expire="demote")], (), ("2",)),
        ([reword("2", "Dentist at 9:30.")], ("2",), ()),
        ([reword("2", "Dentist on 3 June at 9:30, bring the card.")], (), ()),
        ([step("Demote", "2", archive=True)], (), ("2",)),
        ([step("Update", "7", set={"expire_at": None})], (), ()),
        ([step("Delete", "1")], ("1",), ()),
    ],
)
def test_harm_and_loss_to_what_was_not_meant(
    copies: Worlds, steps: list[Raw], harmed: tuple[str, ...], hidden: tuple[str, ...]
) -> None:
    verdict = judged(copies, GATE, *([] if steps[0]["target"]["ids"] == ["1"] else [TEN]), *steps)
    assert (verdict.right, verdict.harmed, verdict.hidden) == (False, harmed, hidden)


def test_erasing_what_was_to_be_thrown_away_is_harm(copies: Worlds) -> None:
    bin_it = case(changes={"1": [{"deleted": True}]})
    assert judged(copies, bin_it, step("Delete", "1")).right
    verdict = judged(copies, bin_it, step("Delete", "1", soft=False))
    assert (verdict.right, verdict.harmed) == (False, ("1",))


def test_a_memory_may_change_within_bounds(copies: Worlds) -> None:
    may = case(may_change={"1": [{"text_has": ["1,200"]}]})
    assert judged(copies, may).right
    assert judged(copies, may, TEN).right
    assert judged(copies, may, reword("1", "Gate.")).unmeant == ("1",)
    assert judged(copies, may, step("Delete", "1")).harmed == ("1",)
    assert judged(copies, case(may_change=["1"]), step("Label", "1", tags=["x"])).right


def test_new_memories_are_those_that_were_asked_for(copies: Worlds) -> None:
    wanted = {"has": ["sheets"], "remind": {"at": "2026-05-14T12:40"}}
    sheets = note("Sheets into the dryer", remind={"at": "2026-05-14T10:40:00Z"})
    one, two = case(new=[wanted]), case(new=[wanted, {"has": ["dryer"]}])
    assert judged(copies, one, sheets).right
    assert judged(copies, one, note("Sheets into the dryer")).unmeant == ("9",)
    assert judged(copies, one, sheets, sheets).unmeant == ("10",)
    assert judged(copies, case(new=[wanted], may_new=True), sheets, note("More.")).right
    # One memory is not two, even where it has the words of both.
    assert not judged(copies, two, sheets).right
    assert judged(copies, two, note("The dryer is old."), sheets).right
    order = {"has": ["Okonjo", "linen"], "has_not": ["silk"], "tags": ["order"]}
    by_subject = case(new=[{**order, "time": "2026-05-16", "ends": "2026-05-20", "remind": None}])
    made = note("Six metres of linen", subject="Okonjo", tags=["order"],
                time="2026-05-16T08:00:00Z", expire_at="2026-05-20T08:00:00Z")  # fmt: skip
    assert judged(copies, by_subject, made).right


def test_a_fact_is_judged_in_the_new_note_that_it_was_heard_in(copies: Worlds) -> None:
    one = case(new=[{"has": ["Bergen"]}], ops=[["Encode"]])
    told = {"structured": {"subject": "mira", "attribute": "city", "value": "Bergen"}}
    heard = {"stage": "ENC", "op": "Encode", "args": {"payload": told, "source_episode_id": "$1"}}
    verdict = judged(copies, one, note("Mira lives in Bergen"), heard)
    assert verdict.right and verdict.ops
    alone = {**heard, "args": {"payload": told}}
    verdict = judged(copies, one, note("Mira lives in Bergen"), alone)
    assert verdict.unmeant == ("10",) and not verdict.ops


def test_one_of_several_outcomes_is_enough(copies: Worlds) -> None:
    """A reminder may stand on the memory or on a new one."""
    at = "2026-05-15T05:00:00Z"
    on_new = {"new": [{"has": ["gate"], "remind": {"at": "2026-05-15T07:00"}}]}
    either = case(changes={"1": [{"remind_at": "2026-05-15T07:00"}]}, **{"or": [on_new]})
    assert judged(copies, either, step("Promote", "1", remind={"at": at})).right
    assert judged(copies, either, note("Look at the gate", remind={"at": at})).right
    both = [step("Promote", "1", remind={"at": at}), note("The gate", remind={"at": at})]
    assert not judged(copies, either, *both).right


def test_joined_memories_leave_one(copies: Worlds) -> None:
    joined = case(joined={"ids": ["1", "2"], "left": [{"text_has": ["gate", "dentist"]}]})
    text = "The gate opens at 9 and costs €1,200.\n\nDentist on 3 June at 9:30."
    for primary in ("1", "2"):
        assert judged(copies, joined, step("Merge", "1", "2", primary_id=primary)).right
    assert judged(copies, joined, reword("2", text), step("Delete", "1")).right
    assert judged(copies, joined, note(text), step("Delete", "1", "2")).right
    assert not judged(copies, joined, reword("2", text)).right
    verdict = judged(copies, joined, step("Delete", "1"))
    assert not verdict.right and verdict.harmed == ()
    assert judged(copies, joined, step("Delete", "1", "2", "3")).harmed == ("3",)


def test_a_cut_memory_stands_in_parts(copies: Worlds) -> None:
    cut = case(cut={"id": "1", "parts": [
        {"has": ["opens at 9"], "has_not": ["1,200"]}, {"has": ["1,200"], "has_not": ["opens"]},
    ]})  # fmt: skip
    parts = [note("The gate opens at 9."), note("It costs €1,200.")]
    assert judged(copies, cut, *parts, step("Delete", "1")).right
    assert judged(copies, cut, *parts, step("Demote", "1", archive=True)).right
    assert judged(copies, cut, parts[1], reword("1", "The gate opens at 9.")).right
    assert not judged(copies, cut, *parts).right
    assert judged(copies, cut, step("Delete", "1")).right is False


def test_reads_hold_what_must_and_nothing_that_may_not(copies: Worlds) -> None:
    asked = case(reads={"must": ["1"], "may": ["2"]}, ops=[["Retrieve"], ["Summarize"]])
    assert judged(copies, asked, step("Retrieve", "1")) == Verdict(right=True, ops=True)
    assert judged(copies, asked, step("Summarize", "1", "2")).right
    assert not judged(copies, asked, step("Retrieve", "2")).right
    assert not judged(copies, asked, step("Retrieve", "1", "3")).right
    assert not judged(copies, case(reads={}), step("Retrieve", "3")).right
    assert judged(copies, case(), step("Retrieve", "3")).right


# --- questions, and what does nothing ------------------------------------------------------

QUESTION = Clarification("Which one?", "several")  # type: ignore[arg-type]


class Nothing:
    """Of this name: what asks nothing."""


@pytest.mark.parametrize(
    ("ask", "answer", "right", "needlessly", "did_not"),
    [
        ("must", QUESTION, True, False, False), ("must", None, False, False, True),
        ("may", QUESTION, True, False, False), ("no", QUESTION, False, True, False),
    ],
)  # fmt: skip
def test_asking_back(
    copies: Worlds, ask: str, answer: Any, right: bool, needlessly: bool, did_not: bool
) -> None:
    said = {} if ask == "must" else {"changes": {"1": [{"deleted": True}]}}
    verdict = played(copies, case(ask=ask, **said), answer).verdict
    assert verdict is not None
    got = (verdict.right, verdict.asked_needlessly, verdict.did_not_ask)
    assert got == (right, needlessly, did_not)


def test_what_must_be_asked_and_is_done_is_harm_too(copies: Worlds) -> None:
    verdict = judged(copies, case(ask="must"), step("Delete", "1"))
    assert (verdict.right, verdict.did_not_ask, verdict.harmed) == (False, True, ("1",))


def test_what_may_be_asked_may_be_done(copies: Worlds) -> None:
    may = case(ask="may", changes={"1": [{"deleted": True}]}, ops=[["Delete"]])
    assert judged(copies, may, step("Delete", "1")).ops is True
    scored = played(copies, may, QUESTION)
    assert scored.verdict is not None and scored.verdict.ops is None
    assert scored.as_row()["question"] == "Which one?"


@pytest.mark.parametrize(
    ("answer", "status"),
    [(Nothing(), "nothing"), (None, "nothing"), ([], "nothing"),
     (PlannerError("no way"), "no-program"), (ServiceUnreachable("down"), "service"),
     ([step("Update", "4", set={"text": "x"})], "refused")],
)  # fmt: skip
def test_what_becomes_of_other_answers(copies: Worlds, answer: Any, status: str) -> None:
    scored = played(copies, case(ops=[[]]), answer)
    assert scored.happened.status == status
    assert (scored.verdict is None) == (status == "service")
    if scored.verdict is not None:
        assert scored.verdict.right
        assert scored.verdict.ops is (status == "nothing")


def test_a_configuration_that_is_wrong_ends_the_run(copies: Worlds) -> None:
    with pytest.raises(ConfigurationError):
        played(copies, case(), ConfigurationError("no such model"))


# --- figures -------------------------------------------------------------------------------


def test_figures_by_hand(copies: Worlds) -> None:
    rows = [
        played(copies, GATE, [TEN]).as_row(),
        played(copies, GATE, [step("Delete", "1")]).as_row(),
        played(copies, GATE, QUESTION).as_row(),
        played(copies, GATE, ServiceUnreachable("down")).as_row(),
        played(copies, case(ask="must", kind="vague", lang="zh"), [note("It.")]).as_row(),
    ]
    figures = summarise(rows)
    whole = figures["overall"]
    assert {key: whole[key] for key in ("n", "right", "harm", "loss", "unmeant", "needless",
                                        "unasked", "ops_right", "ops_of")} == {
        "n": 4, "right": 1, "harm": 1, "loss": 0, "unmeant": 1, "needless": 1, "unasked": 1,
        "ops_right": 1, "ops_of": 3,
    }  # fmt: skip
    assert whole["scores"]["right"] == 0.25 and whole["scores"]["ops_right"] == pytest.approx(1 / 3)
    assert figures["kind"]["vague"]["right"] == 0 and figures["lang"]["en"]["n"] == 3
    assert figures["status"] == {"asked": 1, "ran": 3, "service": 1}


# --- files ---------------------------------------------------------------------------------


def written(tmp_path: Path, *rows: Raw | str) -> Path:
    """A file of lines."""
    path = tmp_path / "cases.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"asks": "no"}, "asks: Extra inputs"), ({"ask": "perhaps"}, "ask: Input should be"),
        ({"changes": {"1": [{"text_hass": ["x"]}]}}, r"changes\.1\.0\.text_hass"),
        ({"changes": {"1": [{}]}}, "asks nothing"),
        ({"changes": {"1": [{"deleted": None}]}}, "null"),
        ({"changes": {"77": [{"gone": True}]}}, "no memory '77'"), ({"store": "x"}, "no store 'x'"),
        ({"reads": {"must": ["9"]}}, "no memory '9'"), ({"ops": [["Forget"]]}, "no op 'Forget'"),
        ({"ask": "must", "new": [{"has": ["x"]}]}, "something changes"),
        ({"new": [{"has": ["x"], "remind": {"on": "x"}}]}, "new"),
        ({"changes": {"1": [{"time": "3 June"}]}}, "time"),
        ({"or": [{"joined": {"ids": ["1", "55"], "left": []}}]}, "no memory '55'"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named(tmp_path: Path, wrong: Raw, said: str) -> None:
    fine = {"id": "a", "store": "flat", "lang": "en", "kind": "plain", "request": "x",
            "meant": "x", "ask": "no"}  # fmt: skip
    path = written(tmp_path, fine, "", {**fine, "id": "b", **wrong})
    with pytest.raises(ConfigurationError, match=rf"cases\.jsonl, line 3.*{said}"):
        read_cases(path, {"flat": store()})


def test_ids_stand_once_and_stores_are_in_order(tmp_path: Path) -> None:
    fine = json.loads(case().model_dump_json(exclude_defaults=True, by_alias=True))
    with pytest.raises(ConfigurationError, match="line 2: 'c' stands twice"):
        read_cases(written(tmp_path, fine, fine), {"flat": store()})
    raw = json.loads(store().model_dump_json(exclude_defaults=True))
    raw["memories"][1]["id"] = "5"
    with pytest.raises(ConfigurationError, match="line 1: not a store: memory 2 has the id '5'"):
        read_stores(written(tmp_path, raw))


@pytest.mark.parametrize(("lang", "part"), PARTS)
def test_the_fixtures_load_and_can_be_filled(copies: Worlds, lang: str, part: str) -> None:
    stores = read_stores(FIXTURES / f"{lang}.stores.{part}.jsonl")
    cases = read_cases(FIXTURES / f"{lang}.cases.{part}.jsonl", stores)
    assert (len(stores), len(cases)) == PARTS[lang, part]
    _nothing_is_right_by_doing_nothing(cases, stores, copies)


@pytest.mark.parametrize(
    ("lang", "part", "elsewhere", "leaning"),
    [("zh", "second", 20, 12), ("en", "second", 15, 9), ("en", "second.held", 15, 9)],
)
def test_requests_after_another_one_load(
    copies: Worlds, lang: str, part: str, elsewhere: int, leaning: int
) -> None:
    stores = read_stores(FIXTURES / f"{lang}.stores.dev.jsonl")
    cases = read_cases(FIXTURES / f"{lang}.cases.{part}.jsonl", stores)
    kinds = Counter(one.kind for one in cases)
    assert kinds == {"elsewhere": elsewhere, "leaning": leaning}
    assert all(one.before for one in cases)
    _nothing_is_right_by_doing_nothing(cases, stores, copies)


def _nothing_is_right_by_doing_nothing(
    cases: Sequence[Case], stores: Mapping[str, Store], copies: Worlds
) -> None:
    for scored in score(cases, stores, copies, Answerer()):
        one, verdict = scored.case, scored.verdict
        assert verdict is not None and not (verdict.harmed or verdict.hidden or verdict.unmeant)
        # Nobody is right by doing nothing where something has to be done, read or asked.
        does = all(end.does_something for end in one.ends)
        reads = one.reads is not None and bool(one.reads.must)
        assert verdict.right is not (does or reads or one.ask == "must"), one.id


def test_parts_share_no_store_and_no_request() -> None:
    seen: set[str] = set()
    for lang, part in PARTS:
        stores = read_stores(FIXTURES / f"{lang}.stores.{part}.jsonl")
        cases = read_cases(FIXTURES / f"{lang}.cases.{part}.jsonl", stores)
        told = {*stores, *(one.request for one in cases)}
        assert not told & seen
        seen |= told


# --- scripted right answers for some of the cases to look at -------------------------------

_ON_DAY = {"rrule": "FREQ=MONTHLY;BYMONTHDAY=2;BYHOUR=18;BYMINUTE=0"}
_TWO = {"rrule": "FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=13;BYMINUTE=0"}
RIGHT: dict[str, list[Raw]] = {
    "offaly-haulier-03": [step("Delete", "10"), step("Promote", "11", weight_delta=0.2)],
    "offaly-haulier-04": [step("Demote", "14", archive=True, until="2026-06-01T23:00:00Z")],
    "offaly-haulier-05": [step("Promote", "8", remind=_TWO)],
    "offaly-haulier-06": [step("Update", "2", replace={"old": "gate 3", "new": "gate 5"})],
    "offaly-haulier-07": [step("Promote", "13", remind={"at": "2026-05-17T12:00:00Z"})],
    "offaly-haulier-08": [step("Retrieve", "10")],
    "offaly-haulier-11": [
        note("Secure parking with a barrier at Béziers Ouest, €22 a night, shower included.")
    ],
    "offaly-haulier-14": [step("Update", "15", set={"archived": False})],
    "offaly-haulier-15": [],
    "blast-lab-phd-03": [note("Mock control without spores always on the same leaf.",
                              lineage_parents=["4"])],
    "blast-lab-phd-04": [step("Merge", "10", "11", primary_id="10"),
                         step("Expire", "$1", until="2026-03-17T18:30:00Z")],
    "blast-lab-phd-07": [step("Lock", "20", mode="read_only")],
    "blast-lab-phd-08": [step("Delete", "18", soft=False)],
    "blast-lab-phd-11": [step("Split", "3", strategy="by_sentences")],
    "blast-lab-phd-15": [step("Label", "14", "5", tags=["writing"])],
    "silo-agents-02": [step("Delete", "3"), step("Label", "4", tags=["python"])],
    "silo-agents-05": [note("Ask Csongor: delete the v1 tables tonight?",
                            remind={"at": "2026-10-21T16:00:00Z"})],
    "silo-agents-08": [step("Lock", "1", mode="none"),
                       reword("1", "make migrate on staging is allowed after a backup.")],
    "silo-agents-09": [step("Summarize", "1", "2", "9", "20")],
    "opelika-kitchen-10": [step("Promote", "20", remind=_ON_DAY)],
    "opelika-kitchen-15": [step("Expire", "14", "15", until="2026-07-20T05:00:00Z")],
    "chengdu-mianguan-07": [note("关火", remind={"at": "2026-06-11T07:00:00Z"})],
    "chengdu-mianguan-08": [step("Delete", "17")],
    "chengdu-mianguan-14": [
        *map(note, ("素椒杂酱 13", "豌杂 14", "煎蛋面 12")), reword("15", "价目：鸡杂面 17。")
    ],
    "shenyang-guan-03": [
        reword("18", "左膝盖打玻璃酸钠，一周一针共五针，骨科徐大夫；"
               "第一针三月十号、第二针三月十七号打的。"),
        note("去打第三针", remind={"at": "2026-03-24T00:00:00Z"}),
    ],
    "sz-ops-03": [step("Expire", "10", until="2026-06-30T16:00:00Z")],
    "sz-ops-06": [step("Lock", "13", mode="none"),
                  reword("13", "0303 复盘：慢 SQL 打满连接池，根因 t_waybill 缺索引 idx_ship_time。"
                         "索引 3/10 已上线。"), step("Lock", "13", mode="read_only")],
    "tongwei-teacher-03": [step("Merge", "1", "2", primary_id="1")],
    "tongwei-teacher-05": [step("Demote", "4", weight_delta=-0.3)],
    "tongwei-teacher-10": [
        step("Expire", "1", "2", until="2028-06-30T00:00:00Z", on_expire="anonymize")
    ],
}  # fmt: skip


def test_right_answers_are_right_and_doing_nothing_is_worse(copies: Worlds) -> None:
    for lang in ("en", "zh"):
        stores = read_stores(FIXTURES / f"{lang}.stores.dev.jsonl")
        cases = [one for one in read_cases(FIXTURES / f"{lang}.cases.dev.jsonl", stores)
                 if one.id in RIGHT]  # fmt: skip
        done = list(score(cases, stores, copies, Scripted(lambda one: RIGHT[one.id])))
        wrong = [
            (s.case.id, s.error, s.verdict) for s in done if not (s.verdict and s.verdict.right)
        ]
        assert wrong == []
        idle = [s.verdict for s in score(cases, stores, copies, Answerer())]
        assert sum(v is not None and v.right for v in idle) < len(done) / 4


# --- the command, the report and the comparison --------------------------------------------


def bench(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """``text2mem bench`` with some arguments: exit code, stdout, stderr."""
    with pytest.raises(SystemExit) as ended:
        main(["bench", *map(str, arguments)])
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


DEV = (FIXTURES / "en.stores.dev.jsonl", FIXTURES / "en.cases.dev.jsonl")


def test_a_run_is_kept_gone_on_with_and_reported(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "empty.json"
    options = ("--model", "floor:empty", "--limit", "6")
    code, said, _ = bench(capsys, "wild", *DEV, *options, "--out", out)
    assert code == 0 and "kind:" in said and "language:" in said and "  en " in said
    config, rows = read_run(out)
    assert config["kind"] == "wild" and config["finished"] and len(rows) == 6
    out.write_text(json.dumps({**config, "finished": None, "rows": rows[:2]}), encoding="utf-8")
    code, lines, _ = bench(capsys, "wild", *DEV, *options, "--out", out, "--jsonl")
    assert [json.loads(line)["id"] for line in lines.splitlines()] == [r["id"] for r in rows[2:]]
    assert [row["id"] for row in read_run(out)[1]] == [row["id"] for row in rows]
    code, _, error = bench(capsys, "wild", *DEV, "--model", "floor:empty", "--out", out)
    assert code != 0 and "another run" in error

    target = tmp_path / "report.html"
    assert bench(capsys, "report", out, "--out", target)[0] == 0
    text = target.read_text("utf-8")
    assert 'id="wild"' in text and 'id="scores"' not in text and rows[0]["meant"] in text
    assert bench(capsys, "report", out, "--without-cases", "--out", target)[0] == 0
    assert rows[0]["meant"] not in target.read_text("utf-8")


def test_wild_and_planning_runs_stand_on_one_page(
    copies: Worlds, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plan = FIXTURES.parent / "runs" / "grounded"
    one, two = (kept(copies, tmp_path / f"{name}.json", steps) for name, steps in
                (("worse", [step("Delete", "1")]), ("better", [TEN])))  # fmt: skip
    runs = load([plan, one, two], (PLAN, WILD))
    text = page(runs[:1], (), runs[1:])
    assert 'id="scores"' in text and 'id="wild"' in text and "harm to 1" in text
    better = compare(runs[1], runs[2])
    assert [c.id for c in better.of("better")] == ["c"]
    assert {d.score: d.difference for d in better.differences} == {
        "right": 1, "unharmed": 1, "unhidden": 0, "only_meant": 0, "asks_well": 0, "ops_right": 1,
    }  # fmt: skip
    with pytest.raises(ConfigurationError, match="kind"):
        compare(runs[0], runs[1])
    assert bench(capsys, "compare", one, two, "--text")[0] == 0
    with pytest.raises(ConfigurationError, match="takes planning runs"):
        load([one])


def kept(copies: Worlds, path: Path, steps: list[Raw]) -> Path:
    """A run of one case."""
    config = {"kind": "wild", "model": "made-up", "finished": "now", "machine": {}}
    row = played(copies, GATE, steps).as_row()
    path.write_text(json.dumps({**config, "rows": [row]}), encoding="utf-8")
    return path


@pytest.mark.skipif(EXECUTABLE is None, reason=WHY_NOT)
def test_a_page_of_wild_runs_fits_its_window(copies: Worlds, tmp_path: Path) -> None:
    runs = [kept(copies, tmp_path / f"{n}.json", [step("Delete", n)]) for n in ("1", "2")]
    target = tmp_path / "report.html"
    target.write_text(page([], (), load(runs, (WILD,))), encoding="utf-8")
    with browser(tmp_path / "profile") as tab:
        for width, dark in ((1280, False), (390, True)):
            tab.resize(width, dark=dark)
            tab.open(target.as_uri())
            tab.run("document.querySelector('#wild-failures details').open = true")
            assert tab.run("document.documentElement.scrollWidth") <= width
        assert tab.complaints == []


# --- in a conversation -----------------------------------------------------------------------


@pytest.mark.parametrize("confirmed", [False, True])
@pytest.mark.parametrize("ask", ["no", "may"])
def test_in_repl_only_what_is_plainly_asked_gets_a_yes(
    copies: Worlds, confirmed: bool, ask: str
) -> None:
    gone = {"op": "Delete", "ids": ["1"]}
    drafts = {"Delete it.": gone, "Erase it.": {**gone, "for_good": True}}

    def read(request: Request) -> Any:
        said = next(m.content for m in reversed(request.messages) if "Request: " in m.content)
        return {"steps": [drafts[said.rpartition("Request: ")[2].strip()]]}

    door = InRepl(FunctionProvider(read), confirmed=confirmed)
    changes = {"1": [{"deleted": True}]} if ask == "no" else {}
    one = case(request="Delete it.", ask=ask, changes=changes)
    (done,) = score([one], {"flat": store()}, copies, door)
    assert done.verdict is not None
    # What is not asked back about is run by --yes, and else by whoever agrees to it.
    ran = confirmed or ask == "no"
    assert (done.happened.status, bool(done.happened.after["1"].deleted)) == (
        "ran" if ran else "nothing", ran,
    )  # fmt: skip
    (done,) = score(
        [case(request="Erase it.", ask=ask, changes=changes)], {"flat": store()}, copies, door
    )
    assert done.happened.status == "asked"
    assert done.question
    assert ("1" not in done.happened.after) is (ask == "no")
