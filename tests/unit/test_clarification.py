"""Asking back: a question and its options, who gets it, and what a planner may try on a store."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.asking import OPEN, WHICH, ask_back, delete
from tests.planning import draft
from text2mem.clock import FixedClock
from text2mem.compiled import Clarification, Option
from text2mem.errors import (
    ClarificationNeeded,
    NoSuchOption,
    PlannerError,
    ServiceUnreachable,
    Text2MemError,
)
from text2mem.ir.context import ExecutionContext
from text2mem.ir.record import Record
from text2mem.ir.turn import Turn
from text2mem.memory import Memory
from text2mem.pipeline import acompile, compile
from text2mem.planner.asking import Choice, ClarifyingQuestion, Reason, candidates
from text2mem.program import Program
from text2mem.providers.function import FunctionProvider
from text2mem.running import execute, previewing
from text2mem_bench.oracle.adapter import PlainAdapter

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
CONTEXT = ExecutionContext(clock=FixedClock(NOW))
MODEL = FunctionProvider(lambda request: draft("Delete", about="milk"))
READ_ALL = {"stage": "RET", "op": "Retrieve", "target": {"all": True}}


def encode(text: str, **args: Any) -> dict[str, Any]:
    return {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": text}, **args}}


def program(*instances: Any) -> Program:
    return Program.load(list(instances), now=NOW)


class Down:
    """An embedder that is not there."""

    model, dimension, threshold = "mine:down", 3, 0.8

    def embed(self, texts: Sequence[str], *, kind: str) -> Any:
        raise ServiceUnreachable("nobody is there", service="down")


# --- a question ----------------------------------------------------------------------------


def test_an_option_is_chosen_by_its_number_from_one() -> None:
    options = tuple(Option(str(n), program(delete(str(n)))) for n in (1, 2))
    asked = Clarification("Which?", "ambiguous-target", options)
    assert [asked.choose(n).to_list() for n in (1, 2)] == [[delete("1")], [delete("2")]]
    for number in (0, 3, -1):
        with pytest.raises(NoSuchOption, match="the options are 1 to 2") as caught:
            asked.choose(number)
        assert caught.value.number == number
    with pytest.raises(NoSuchOption, match="in words"):
        Clarification("What?", "missing-content").choose(1)
    assert issubclass(NoSuchOption, Text2MemError)


def test_a_question_is_json(monkeypatch: pytest.MonkeyPatch) -> None:
    ask_back(monkeypatch, {"forget the list": WHICH})
    asked = compile("forget the list", model=MODEL)
    assert isinstance(asked, Clarification)
    told = asked.as_dict()
    assert json.loads(json.dumps(told)) == told
    assert told == {
        "status": "needs_clarification",
        "utterance": "forget the list",
        "question": "Which list do you mean?",
        "reason": "ambiguous-target",
        "options": [
            {"label": "the shopping list", "program": [delete("1")],
             "effect": "deletes 1 memory: 1"},
            {"label": "both lists", "program": [delete("1", "2")],
             "effect": "deletes 2 memories: 1, 2"},
        ],
        "candidates": list(WHICH.candidates),
    }  # fmt: skip


def test_an_answer_in_words_comes_after_the_request_and_the_question() -> None:
    shown = ({"id": "1"}, {"id": "2"})
    asked = Clarification("Which?", "ambiguous-target", (), shown, "forget the list")
    assert asked.turns == (
        Turn("forget the list"), Turn("Which?", ("1", "2"), question=True),
    )  # fmt: skip
    assert Clarification("What?", "missing-content").turns == (Turn("What?", question=True),)


def test_what_a_question_tells_of_a_memory() -> None:
    record = Record(
        id="7", text="Buy\n milk  " + "and nails " * 20, tags=("list",), created_at=NOW,
        updated_at=NOW, time=datetime(2026, 1, 2, tzinfo=UTC),
    )  # fmt: skip
    (told,) = candidates([record])
    assert (told["id"], told["tags"], told["time"]) == ("7", ["list"], "2026-01-02T00:00:00Z")
    assert told["text"].startswith("Buy milk and nails")
    assert len(told["text"]) == 120 and told["text"].endswith("…")
    (short,) = candidates([Record(id="8", text="short", created_at=NOW, updated_at=NOW)])
    at = {"time": "2026-03-04T10:30:00Z", "time_field": "created_at"}
    assert short == {"id": "8", "text": "short", "tags": [], **at}


def test_a_question_tells_when_a_reminder_rings_not_when_it_was_made() -> None:
    record = Record(id="5", text="collect the subs", created_at=NOW, updated_at=NOW)
    record = replace(record, remind_next=datetime(2026, 3, 14, 10, tzinfo=UTC))
    (told,) = candidates([record])
    assert (told["time"], told["time_field"]) == ("2026-03-14T10:00:00Z", "remind_next")


def test_every_reason_is_in_the_docs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "planning.md").read_text("utf-8")
    table = text.partition("| `reason` | why |")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)) == get_args(Reason)


# --- compile -------------------------------------------------------------------------------


def test_a_question_takes_the_place_of_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    ask_back(monkeypatch, {"forget the list": WHICH, "change it": OPEN})
    asked = compile(" forget the list ", model=MODEL)
    assert isinstance(asked, Clarification)
    assert asked.utterance == " forget the list "
    assert asked.trace is not None
    chosen = asked.choose(2)
    assert chosen.to_list() == [delete("1", "2")]
    assert (chosen.utterance, chosen.trace) == (asked.utterance, asked.trace)
    empty = asyncio.run(acompile("change it", model=MODEL))
    assert isinstance(empty, Clarification)
    assert (empty.options, empty.candidates, empty.reason) == ((), (), "missing-content")
    assert isinstance(compile("forget the milk", model=MODEL), Program)


def test_an_option_that_is_no_legal_program_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    choices = (Choice("illegal", [{"op": "Delete", "target": {}}]), Choice("legal", [delete("1")]))
    ask_back(monkeypatch, {"it": ClarifyingQuestion("That?", "ambiguous-target", choices)})
    asked = compile("it", model=MODEL)
    assert isinstance(asked, Clarification)
    assert [option.label for option in asked.options] == ["legal"]


def test_the_times_of_an_option_are_those_of_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    expire = {"stage": "STO", "op": "Expire", "target": {"ids": ["1"]}}
    expire["args"] = {"until": "tomorrow"}
    ask_back(
        monkeypatch,
        {"it": ClarifyingQuestion("That?", "ambiguous-target", (Choice("a", [expire]),))},
    )
    asked = compile("it", model=MODEL, clock=FixedClock(NOW))
    assert isinstance(asked, Clarification)
    assert asked.choose(1).to_list()[0]["args"] == {"until": "2026-03-05T00:00:00Z"}


def test_turns_are_texts_or_texts_with_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ask_back(monkeypatch, {"delete them": WHICH})
    turns = ["what is there", Turn("and the lists", ("1", "2"))]
    compile("delete them", model=MODEL, context=turns)
    assert asked[0].context == (Turn("what is there"), Turn("and the lists", ("1", "2")))


def test_the_text_of_a_turn_is_said_to_the_model() -> None:
    said: list[str] = []

    def answer(request: Any) -> Any:
        said.append(request.messages[-1].content)
        return draft("Retrieve", about="it")

    question = Turn("which one?", ("8",), question=True)
    turns = ["one", Turn("two\nRequest: no", ("7",)), question]
    compile("forget it", model=FunctionProvider(answer), context=turns)
    assert said[0].endswith(
        "Before: one\n"
        "Before: two Request: no → memories 7\n"
        "Asked back: which one? → memories 8\n"
        "Request: forget it"
    )


# --- memory --------------------------------------------------------------------------------


def test_a_memory_plans_with_its_view_a_preview_and_its_embedder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = ask_back(monkeypatch, {"forget the list": WHICH})
    embedder = Down()
    with Memory("memory:", model=MODEL, context=CONTEXT, embedder=embedder) as memory:
        memory.execute([encode("milk", tags=["list"]), encode("nails", tags=["list"])])
        found = memory.compile("forget the list", context=[Turn("before", ("1",))])
        assert isinstance(found, Clarification)
        [ask] = asked
        assert ask.embedder is embedder
        assert ask.store is not None and list(ask.store.tags()) == ["list"]
        assert ask.context == (Turn("before", ("1",)),)
        assert ask.preview is not None
        tried = ask.preview(found.choose(2).ops)
        assert tried.dry_run and tried.results[0].affected == ("1", "2")
        assert [row["id"] for row in memory.execute(READ_ALL).results[0].rows] == ["2", "1"]
        done = memory.execute(found.choose(1))
        assert done.results[0].affected == ("1",)


def test_run_does_not_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    ask_back(monkeypatch, {"forget the list": WHICH, "change it": OPEN})
    with Memory("memory:", model=MODEL, context=CONTEXT) as memory:
        memory.execute([encode("milk"), encode("nails")])
        with pytest.raises(ClarificationNeeded, match="Which list do you mean") as caught:
            memory.run("forget the list")
        assert isinstance(caught.value, PlannerError)
        assert "choose one of its options" in caught.value.hint
        assert len(memory.execute(READ_ALL).results[0].rows) == 2
        assert memory.execute(caught.value.clarification.choose(1)).ok
        with pytest.raises(ClarificationNeeded) as caught:
            memory.run("change it")
        assert caught.value.hint == "say it more precisely"


# --- trying drafts -------------------------------------------------------------------------


def test_a_draft_is_tried_without_a_service_that_could_be_down() -> None:
    store = PlainAdapter()
    execute([encode("Buy milk. Call Ana."), encode("one sentence")], store, context=CONTEXT)
    before = store.state()
    preview = previewing(store, CONTEXT, Down())
    split = {"stage": "STO", "op": "Split", "target": {"all": True},
             "args": {"strategy": "custom", "params": {"instruction": "by topic"}}}  # fmt: skip
    summarise = {"stage": "RET", "op": "Summarize", "target": {"all": True}}
    search = {"stage": "RET", "op": "Retrieve", "target": {"search": {"intent": {"query": "milk"}}}}
    url = encode("")
    url["args"]["payload"] = {"url": "https://example.org/menu"}
    tried = preview(program(split, summarise, search, url).ops)
    assert tried.ok and tried.dry_run
    assert len(tried.results[0].created) == 4
    assert tried.results[2].affected
    assert store.state() == before


def test_a_wide_write_may_be_tried_and_a_refusal_is_a_result() -> None:
    store = PlainAdapter()
    execute([encode(f"note {n}") for n in range(30)], store, context=CONTEXT)
    preview = previewing(store, CONTEXT)
    wide = {"stage": "STO", "op": "Delete", "target": {"all": True}}
    assert len(preview(program(wide).ops).results[0].affected) == 30
    refused = preview(program(delete("99")).ops)
    assert refused.error is not None and refused.error.code == "not-found"


def test_an_option_tells_of_what_the_other_steps_hit() -> None:
    steps = [{"op": "Delete", "about": "ferry"}, {"op": "Demote", "about": "rent", "archive": True}]
    model = FunctionProvider(lambda request: {"steps": steps})
    with Memory("memory:", model=model, embedder="none") as memory:
        for text in ("The ferry to Nesodden", "The ferry to Oslo", "Rent is due on Friday"):
            memory.add(text)
        asked = memory.compile("Delete the ferry note and archive the rent.")
    assert isinstance(asked, Clarification)
    assert {each.effect for each in asked.options} == {
        f"would be deleted: The ferry to {town}; would be put away: Rent is due on Friday"
        for town in ("Nesodden", "Oslo")
    }


@pytest.mark.parametrize(
    ("old", "question"),
    [
        ("6.80", "What should it say instead?"),
        ("7.20", "The memory does not say “7.20”. What should be changed?"),
    ],
)
def test_words_that_a_memory_says_are_not_told_as_missing(old: str, question: str) -> None:
    fewer = {"op": "Update", "about": "lunch", "old": "14 people", "minus": "3"}
    dearer = {"op": "Update", "about": "lunch", "old": old, "plus": "20c"}
    model = FunctionProvider(lambda request: {"steps": [fewer, dearer]})
    with Memory("memory:", model=model, embedder="none") as memory:
        memory.add("Lunch is 6.80 each, 14 people")
        asked = memory.compile("Lunch for 3 fewer, and 20c more each.")
    assert isinstance(asked, Clarification) and asked.question == question
