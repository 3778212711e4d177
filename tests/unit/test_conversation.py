"""A conversation: what runs at once, what is asked, how a question is answered, and undo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.asking import ask_back, delete
from tests.doors.scripted import (
    CORRECT,
    DOWN,
    ERASE,
    FORGET,
    LIST,
    MODEL,
    NOTE,
    THANKS,
    THIS_TOO,
    UNDO,
)
from tests.planning import CONTEXT, SMALL
from text2mem import Conversation, Memory, Program
from text2mem.clock import SetClock
from text2mem.compiled import Nothing
from text2mem.conversation.answers import spoken
from text2mem.conversation.conversation import NoQuestion
from text2mem.conversation.dialogue import Asks, Dialogue, Transcript
from text2mem.conversation.reply import Reply
from text2mem.errors import (
    ConfigurationError,
    ExecutionError,
    NoSuchOption,
    ServiceUnreachable,
    UnusableUtterance,
)
from text2mem.planner.asking import Choice, ClarifyingQuestion
from text2mem.providers.function import FunctionProvider

QUAY = "The ticket desk is on the quay."
WHICH = ClarifyingQuestion(
    "Which note do you mean?", "ambiguous-target",
    (Choice("the ferry", [delete("1")], "deletes 1"), Choice("both", [delete("1", "2")], "both")),
    ({"id": "1", "text": NOTE}, {"id": "12", "text": QUAY}),
)  # fmt: skip


@pytest.fixture(params=["sqlite", "plain"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    where = tmp_path / "store.db" if request.param == "sqlite" else "plain:"
    with Memory(
        where, model=MODEL, context=CONTEXT, embedder="none", summariser="extractive"
    ) as memory:
        memory.add(NOTE)
        memory.add(QUAY)
        yield memory


def texts(memory: Memory) -> list[str]:
    return [record.text for record in sorted(memory.list(), key=lambda each: int(each.id))]


def test_what_destroys_nothing_runs_at_once(memory: Memory) -> None:
    talk = Conversation(memory)
    done = talk.say(CORRECT)
    assert (done.status, done.ok, talk.question) == ("done", True, None)
    assert str(done).startswith("Update: changed memory 1\n  1.text: ")
    assert texts(memory)[0] == NOTE.replace("11:30", "12:00")
    assert str(talk.say(THANKS)) == "Nothing to do."
    assert str(talk.say(LIST)).startswith("Retrieve: found 2 memories\n  2: The ticket")


def test_what_a_memory_says_already_changes_nothing_and_is_told() -> None:
    draft = {"steps": [{"op": "Update", "about": "ferry", "old": "11:30", "new": "11:30"}]}
    asked = "the ferry leaves at 11:30"
    model = FunctionProvider(lambda _: draft)
    with Memory("memory:", model=model, context=CONTEXT, embedder="none") as memory:
        memory.add(NOTE)
        said = Conversation(memory).say(asked)
        compiled = memory.compile(asked)
        assert texts(memory) == [NOTE]
    assert said.status == "nothing"
    assert str(said) == "Nothing to do.\nnote: memory 1 says '11:30' already"
    assert isinstance(compiled, Nothing)
    assert [each["code"] for each in compiled.as_dict()["warnings"]] == ["says-already"]


def test_a_reminder_that_is_set_already_is_not_asked_about() -> None:
    draft = {"steps": [{"op": "Promote", "about": "ferry", "remind": "15 March 2030 at 9 am"}]}
    clock = SetClock(CONTEXT.clock.now())
    model = FunctionProvider(lambda _: draft)
    context = replace(CONTEXT, clock=clock)
    with Memory("memory:", model=model, context=context, embedder="none") as memory:
        memory.add(NOTE)
        talk = Conversation(memory, asks="changes")
        assert talk.say("remind me of the ferry on 15 March at 9").status == "asked"
        assert talk.say("yes").status == "done"
        clock.at += timedelta(minutes=1)
        again = talk.say("remind me of the ferry on 15 March at 9")
    assert str(again) == "Promote: changed nothing (dry run)"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("When does my alarm ring?", "1: sleep alarm  reminder: Thu 2030-03-14 16:30"),
        ("闹钟什么时候响？", "1: sleep alarm  提醒：周四 2030-03-14 16:30"),
    ],
)
def test_an_answer_tells_when_a_memory_reminds(asked: str, told: str) -> None:
    model = FunctionProvider(lambda _: {"steps": [{"op": "Retrieve", "which": "all"}]})
    with Memory("memory:", model=model, context=CONTEXT, embedder="none") as memory:
        alarm = {"payload": {"text": "sleep alarm"}, "remind": {"at": "2030-03-14T16:30:00Z"}}
        memory.execute({"stage": "ENC", "op": "Encode", "args": alarm})
        reply = Conversation(memory).say(asked)
    assert str(reply).splitlines()[1].strip() == told
    assert reply.result is not None
    assert reply.result.results[0].rows[0]["remind_next"] == "2030-03-14T16:30:00Z"


@pytest.mark.parametrize("answer", [1, "1", "yes", "the first one", "第一个", FORGET])
def test_what_destroys_waits_for_an_answer(memory: Memory, answer: int | str) -> None:
    talk = Conversation(memory)
    asked = talk.say(FORGET)
    assert asked.status == "asked" and talk.question is asked.question
    assert str(asked).endswith(f"\n  would be deleted: {NOTE}") and texts(memory) == [NOTE, QUAY]
    done = talk.answer(answer) if isinstance(answer, int) else talk.say(answer)
    assert (done.status, talk.question) == ("done", None)
    assert texts(memory) == [QUAY]


def test_a_choice_of_a_memory_is_no_yes_to_erasing_another(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    erased = {"stage": "STO", "op": "Delete", "target": {"ids": ["2"]}, "args": {"soft": False}}
    which = ClarifyingQuestion(
        "Which note do you mean?", "ambiguous-target",
        (Choice("the ferry", [delete("1"), erased], "Delete memory 1; Delete memory 2"),),
    )  # fmt: skip
    ask_back(monkeypatch, {"drop that, and erase the desk": which})
    talk = Conversation(memory)
    talk.say("drop that, and erase the desk")
    shown = talk.answer(1)
    assert shown.status == "asked" and texts(memory) == [NOTE, QUAY]
    assert talk.answer(1).status == "done" and texts(memory) == []


@pytest.mark.parametrize("answer", ["yes", "好的", "OK"])
def test_a_yes_to_several_offers_puts_the_question_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    ask_back(monkeypatch, {"drop the note": WHICH})
    talk = Conversation(memory)
    talk.say("drop the note")
    again = talk.say(answer)
    assert again.status == "asked" and talk.question is again.question
    assert str(again) == "Which of these do you mean?\n  1. the ferry (deletes 1)\n  2. both (both)"
    assert texts(memory) == [NOTE, QUAY]
    assert talk.say("the first one").status == "done" and texts(memory) == [QUAY]


def test_a_no_drops_the_question_and_other_words_are_a_request(memory: Memory) -> None:
    talk = Conversation(memory)
    talk.say(FORGET)
    assert str(talk.say("no")) == "Dropped: nothing was run."
    talk.say(FORGET)
    assert talk.say(CORRECT).status == "done" and talk.question is None
    assert len(texts(memory)) == 2
    talk.say(FORGET)
    assert talk.drop().status == "dropped"
    with pytest.raises(NoQuestion):
        talk.answer(1)


def test_one_of_several_is_chosen_by_number_or_in_words(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Conversation(memory)
    asks = ask_back(monkeypatch, {"Drop the note.": WHICH, "the blue one": WHICH, "12": WHICH})
    assert str(talk.say("Drop the note.")) == (
        "Which note do you mean?\n  1. the ferry (deletes 1)\n  2. both (both)"
    )
    for wrong in (3, "3"):
        with pytest.raises(NoSuchOption):
            talk.answer(wrong)
    talk.say("the blue one")
    assert [turn.text for turn in asks[-1].context] == ["Drop the note.", WHICH.text]
    talk.say("12")  # the id of a memory in question
    assert asks[-1].utterance == "12"
    assert talk.say("the second one").status == "done"
    assert texts(memory) == []


def test_the_last_one_is_the_last_however_many(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Conversation(memory)
    ask_back(monkeypatch, {"Drop the note.": WHICH})
    talk.say("Drop the note.")
    talk.say("The last one.")
    assert texts(memory) == []


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("yes", ["Boiler serviced by Cormac, next one due in a year, eggs, butter"]),
        ("2", ["Boiler serviced by Cormac, next one due in a year", "Shopping: eggs, butter"]),
        ("Shopping: eggs, butter", ["Boiler serviced by Cormac, next one due in a year"]),
        ("no", ["Boiler serviced by Cormac, next one due in a year"]),
    ],
)
def test_a_yes_means_the_memory_that_is_asked_about_and_news_may_be_kept(
    answer: str, left: list[str]
) -> None:
    step = {"op": "Update", "about": "the boiler man in the year", "add": "eggs, butter"}
    model = FunctionProvider(lambda _: {"steps": [step]}, profile=SMALL)
    with Memory("memory:", model=model, context=CONTEXT, embedder="none") as memory:
        memory.add("Boiler serviced by Cormac, next one due in a year")
        talk = Conversation(memory)
        assert str(talk.say("Shopping: eggs, butter")).startswith("Is this what you mean?")
        talk.say(answer)
        assert texts(memory) == left


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("2", 2), ("#2", 2), ("option 2.", 2), ("2nd", 2), ("The second one!", 2), ("第二个", 2),
        ("三", 3), ("last", -1), ("最后一个", -1), ("Yes.", "yes"), ("不用了。", "no"), ("", "no"),
        ("要", "yes"), ("确定。", "yes"), ("對", "yes"), ("Yep", "yes"), ("nope", "no"),
        ("那就第一个", 1), ("第二个吧。", 2), ("选2", 2), ("the second one, please", 2),
        ("yes, please", "yes"), ("OK, do it!", "yes"), ("嗯嗯", "yes"), ("No, leave it.", "no"),
        ("no, the first one", None), ("那就删", None), ("那就" * 9_000, None),
        ("Neither.", "no"), ("none of these", "no"), ("都不是。", "no"),
        ("What?", "again"), ("什么？", "again"), ("what is it?", None), ("yes?", None),
        ("what??", "again"), ("？？", "again"), ("什么？！", "again"), ("!", "no"),
        ("neither, the ferry", None), ("second thoughts", None), ("the ferry one", None),
        ("two", None),
    ],
)  # fmt: skip
def test_what_a_reply_says(words: str, meant: object) -> None:
    assert spoken(words) == meant


def test_who_asks_what_the_question_was_is_asked_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Conversation(memory)
    asked = talk.say(FORGET)
    assert (str(talk.say("what?")), talk.say("yes").status) == (str(asked), "done")
    ask_back(monkeypatch, {"drop the note": WHICH})
    options = str(talk.say("drop the note")).splitlines()[1:]
    assert str(talk.say("什么？")).splitlines()[1:] == options


@pytest.mark.parametrize("words", ["yes", "好的", "what?"])
def test_a_yes_to_no_question_asks_nothing_and_no_model(words: str) -> None:
    asked: list[object] = []
    with Memory("memory:", model=FunctionProvider(asked.append), embedder="none") as memory:
        talk = Conversation(memory)
        assert (talk.say(words).status, asked, talk.transcript.said) == ("nothing", [], [])


def test_an_undo_of_what_waits_for_an_answer_drops_it(memory: Memory) -> None:
    talk = Conversation(memory)
    talk.say(CORRECT)
    before = texts(memory)
    assert talk.say(FORGET).status == "asked"
    dropped = talk.say(UNDO)
    assert (dropped.status, talk.question) == ("dropped", None)
    assert texts(memory) == before
    assert talk.say(UNDO).status == "undone"


def test_undo_takes_back_one_program_after_another(memory: Memory) -> None:
    talk = Conversation(memory)
    with pytest.raises(ExecutionError, match="changed nothing"):
        talk.undo()
    talk.say(CORRECT)
    talk.say(THIS_TOO)  # "that one" is what was said last
    talk.answer(1)
    assert texts(memory) == [QUAY]
    undone = talk.say(UNDO)
    assert undone.status == "undone" and str(undone).startswith("Undo: changed memory 1")
    assert talk.undo().ok
    assert texts(memory) == [NOTE, QUAY]
    with pytest.raises(ExecutionError):
        talk.say(UNDO)


@pytest.mark.parametrize("asks", ["destroys", "changes"])
def test_undo_goes_on_to_the_one_before_where_somebody_took_the_last_back(
    memory: Memory, asks: Asks
) -> None:
    bold = Dialogue(memory, Transcript(), "never")
    for text in ("Tea is at four.", "Supper is at eight."):
        args = {"payload": {"text": text}}
        bold.run(Program.load([{"stage": "ENC", "op": "Encode", "args": args}]))
    talk = Conversation(memory, asks=asks)
    talk.transcript.traces = bold.transcript.traces
    assert memory.undo(talk.transcript.traces[-1]).ok
    reply = talk.undo()
    reply = reply if asks == "destroys" else talk.answer(1)
    assert reply.status == "undone" and texts(memory) == [NOTE, QUAY]
    with pytest.raises(ExecutionError, match="changed nothing"):
        talk.undo()


@pytest.mark.parametrize("asks", ["destroys", "changes", "never"])
def test_a_change_that_somebody_took_back_is_not_in_the_way_of_undo(
    memory: Memory, asks: Asks
) -> None:
    talk = Conversation(memory, asks=asks)

    def undo() -> Reply:
        reply = talk.undo()
        return talk.answer(1) if reply.status == "asked" else reply

    for request in (CORRECT, FORGET):
        if talk.say(request).status == "asked":
            talk.answer(1)
    assert memory.undo_last().ok
    assert undo().status == "undone" and texts(memory) == [NOTE, QUAY]
    with pytest.raises(ExecutionError, match="changed nothing"):
        talk.undo()

    if talk.say(FORGET).status == "asked":
        talk.answer(1)
    back = memory.undo_last()
    assert memory.undo(back.trace_id).ok and texts(memory) == [QUAY]  # deleted again
    assert undo().status == "undone" and texts(memory) == [NOTE, QUAY]


def test_what_somebody_else_changed_meanwhile_is_shown_again(memory: Memory) -> None:
    talk = Conversation(memory)
    talk.say(FORGET)
    memory.add("A new note.")
    again = talk.say("yes")
    assert again.status == "asked" and again.question is not None and again.question.moved
    assert len(texts(memory)) == 3
    assert talk.say("yes").status == "done" and NOTE not in texts(memory)


def test_erasing_takes_a_yes_and_is_confirmed_by_it(memory: Memory) -> None:
    talk = Conversation(memory)
    assert talk.say(ERASE).status == "asked"
    assert talk.say("yes").status == "done"
    assert memory.show("1") is None
    assert not memory.context.confirmed


def test_every_change_can_be_asked_about_or_none(memory: Memory) -> None:
    careful = Conversation(memory, asks="changes")
    assert careful.say(CORRECT).status == "asked" and NOTE in texts(memory)
    assert careful.say(LIST).status == "done"  # other words: the question is dropped
    careful.say(CORRECT)
    careful.say("yes")
    assert careful.undo().status == "asked" and NOTE not in texts(memory)
    assert careful.answer(1).status == "undone" and NOTE in texts(memory)

    same = {"stage": "STO", "op": "Promote", "target": {"ids": ["1"]}, "args": {"weight": 0.5}}
    asking = Dialogue(memory, Transcript(), asks="changes")
    assert asking.carry_out(Program.load([same])).status == "done"  # it would change nothing

    bold = Conversation(memory, asks="never")
    assert bold.say(FORGET).status == "done" and texts(memory) == [QUAY]


@pytest.mark.parametrize("asks", ["change", "Changes", "", None, True, 5])
def test_what_is_no_word_of_what_is_asked_about_is_refused(memory: Memory, asks: Any) -> None:
    with pytest.raises(ConfigurationError, match="asks is") as refused:
        Conversation(memory, asks=asks)
    assert "changes" in refused.value.hint


@pytest.mark.parametrize("text", [None, 5, b"x", ["a"], "\ud800", "a" * 8_001])
def test_what_is_no_utterance_was_not_said(memory: Memory, text: Any) -> None:
    talk = Conversation(memory)
    for status in ("asked", "done"):
        with pytest.raises((UnusableUtterance, ConfigurationError)):
            talk.say(text)
        assert talk.say(FORGET).status == status
    assert texts(memory) == [QUAY]


def test_what_the_store_refuses_is_a_reply_and_leaves_no_question(memory: Memory) -> None:
    talk = Conversation(memory)
    talk.say(CORRECT)
    memory.update("1", "Somebody else's words.")
    refused = talk.undo()
    assert (refused.status, refused.ok, talk.question) == ("refused", False, None)
    assert str(refused).startswith("Undo: changed since\n")
    assert texts(memory)[0] == "Somebody else's words."


def test_what_the_policy_denies_is_a_reply() -> None:
    policy = {"values": {"credential": "deny"}}
    key = {"subject": "me", "attribute": "key", "value": "AKIAIOSFODNN7EXAMPLQ"}
    args = {"payload": {"structured": key}}
    program = Program.load([{"stage": "ENC", "op": "Encode", "args": args}])
    program = replace(program, utterance="my key is AKIAIOSFODNN7EXAMPLQ")
    with Memory("memory:", model="none", policy=policy, embedder="none") as memory:
        for asks in get_args(Asks):
            dialogue = Dialogue(memory, Transcript(), asks)
            for reply in (dialogue.carry_out(program), dialogue.offer(program)):
                assert reply.status == "refused" and reply.result is not None
                assert reply.result.error is not None and reply.result.error.code == "denied"


def test_a_question_outlasts_a_model_that_is_down(memory: Memory) -> None:
    talk = Conversation(memory)
    asked = talk.say(FORGET).question
    with pytest.raises(ServiceUnreachable):
        talk.say(DOWN)
    assert talk.question is asked is not None
    assert talk.say("yes").status == "done" and texts(memory) == [QUAY]


def test_what_the_model_fails_at_is_raised_and_was_said(memory: Memory) -> None:
    talk = Conversation(memory)
    with pytest.raises(ServiceUnreachable):
        talk.say(DOWN)
    assert [turn.text for turn in talk.transcript.said] == [DOWN]


@pytest.mark.parametrize("asks", ["destroys", "changes"])
def test_an_undo_without_words_is_told_in_the_language_of_the_last_request(asks: Asks) -> None:
    model = FunctionProvider(lambda _: {"steps": [{"op": "Encode", "text": "阳台的薄荷要浇水"}]})
    with Memory("memory:", model=model, context=CONTEXT, embedder="none") as memory:
        talk = Conversation(memory, asks=asks)
        reply = talk.say("记住阳台的薄荷要浇水")
        if asks == "changes":
            talk.answer(1)
        reply = talk.undo()
        if asks == "changes":
            reply = talk.answer(1)
        assert reply.status == "undone"
        assert "记忆 1" in str(reply)
