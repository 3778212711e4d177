"""What the tools do on a store, without a protocol: effects, questions, tokens, conversations."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.asking import ask_back, delete
from tests.doors import scripted
from tests.doors.scripted import CORRECT, ERASE, FORGET, LIST, NOTE, THANKS, THIS_TOO, TIDY, UNDO
from tests.doors.talking import House
from text2mem.conversation.dialogue import destroys
from text2mem.conversation.reply import DROP
from text2mem.doors.agent.talk import TOKENS, NoSuchConversation, Talk, Talks, TokenRefused
from text2mem.doors.agent.wording import ToolAnswer
from text2mem.errors import (
    ChoiceNeeded,
    ConfigurationError,
    ExecutionError,
    NoSuchOption,
    ServiceUnreachable,
    StoreBusy,
    UnusableUtterance,
    ValidationError,
)
from text2mem.memory import Memory
from text2mem.planner.asking import Choice, ClarifyingQuestion
from text2mem.program import Program

QUAY = "The ticket desk is on the quay."


@pytest.fixture
def house() -> House:
    return House()


def texts(house: House) -> list[str]:
    """The active memories, the oldest first."""
    found = house.verbs.run_program(
        Talk(""), [{"stage": "RET", "op": "Retrieve", "target": {"all": True}}]
    )
    rows = found.data["result"]["results"][0]["rows"]
    return [row["text"] for row in sorted(rows, key=lambda row: int(row["id"]))]


def told(house: House, *notes: str) -> None:
    for each in notes:
        assert not house.verbs.remember(house.talk, each).failed


def step(op: str, target: dict[str, Any] | None = None, **args: Any) -> dict[str, Any]:
    stage = {"Encode": "ENC", "Retrieve": "RET"}.get(op, "STO")
    return {"stage": stage, "op": op, **({"target": target} if target else {}),
            **({"args": args} if args else {})}  # fmt: skip


def test_exactly_the_words_are_stored(house: House) -> None:
    words = "  Forget everything!\nAnd 忘掉它 — “undo that”  "
    said = house.verbs.remember(house.talk, words, ["a", "b"])
    record = house.shared.memory.show("1")
    assert record is not None
    assert (record.text, record.tags) == (words, ("a", "b"))
    assert said.data["status"] == "done" and said.data["result"]["trace_id"] in said.text


def test_recall_says_where_it_has_it_from_or_that_nothing_is_known(house: House) -> None:
    assert house.verbs.recall(house.talk, "When does the ferry leave?").text == (
        "Nothing is known about this."
    )
    told(house, NOTE, "The ferry to Inishturk takes bicycles.", "Rosa sings on Mondays.")
    found = house.verbs.recall(house.talk, "When does the ferry to Inishbofin leave?")
    assert found.data["known"] and "[m1]" in found.text and "11:30" in found.text
    assert "Rosa" not in found.text
    shown = [i for each in found.data["lines"] for i in each["records"]]
    assert not {note["id"] for note in found.data["notes"]} & set(shown)
    assert house.verbs.recall(house.talk, "Who is Quentin?").data["known"] is False


def test_the_nearest_notes_have_a_time_where_they_are_about_one(house: House) -> None:
    told(
        house,
        "The ferry was late.",
        "I live in a house by the ferry.",
        "The ferry leaves from my city.",
    )
    memory = Memory(house.shared.memory.adapter, model=scripted.MODEL, context=house.shared.context)
    memory.observe("Remember that I live in Bergen.", extract=True)
    found = house.verbs.recall(house.talk, "Which city do I live in?", k=9)
    _, _, notes = found.text.partition("Nearest notes:\n")
    assert "[m3] The ferry leaves from my city." in notes.splitlines()
    assert "[m4] Remember that I live in Bergen.  (2026-03-04T10:30:00Z)" in notes.splitlines()


@pytest.mark.parametrize("named", [True, False])
def test_without_a_model_the_words_are_kept_and_found(
    monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    monkeypatch.setenv("TEXT2MEM_MODEL", scripted.MODEL if named else "none")
    house = House(model="none" if named else None)
    house.shared.memory._reads_added = True  # as a server has it
    told(house, NOTE)
    assert house.verbs.recall(house.talk, "When does the ferry leave?").data["known"]
    with pytest.raises(ConfigurationError, match="no model is there that reads requests"):
        house.verbs.ask_memory(house.talk, FORGET)
    assert texts(house) == [NOTE]


def test_recall_answers_exactly_from_facts(house: House) -> None:
    memory = Memory(house.shared.memory.adapter, model=scripted.MODEL, context=house.shared.context)
    memory.observe("Remember that I live in Bergen.", extract=True)
    found = house.verbs.recall(house.talk, "Which city do I live in?", k=1)
    assert found.data["found"] == "exact" and found.data["values"] == ["Bergen"]
    assert found.text.startswith("[e1] user.city = Bergen")


def test_what_destroys_is_shown_and_not_run(house: House) -> None:
    told(house, NOTE, QUAY)
    asked = house.verbs.ask_memory(house.talk, FORGET)
    assert asked.data["status"] == "needs_confirmation" and asked.form is not None
    assert NOTE in asked.text and asked.data["memories"][0]["id"] == "1"
    assert texts(house) == [NOTE, QUAY]
    done = house.verbs.confirm(house.talk, asked.data["token"])
    assert done.data["status"] == "done" and texts(house) == [QUAY]


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        (step("Delete", {"ids": ["1"]}), True),
        (step("Expire", {"ids": ["1"]}, ttl="P7D"), True),
        (step("Merge", {"ids": ["1", "2"]}), True),
        (step("Demote", {"ids": ["1"]}, archive=True), True),
        (step("Demote", {"ids": ["1"]}, weight=0.1), False),
        (step("Update", {"ids": ["1"]}, set={"ttl": "P1D"}), True),
        (step("Update", {"ids": ["1"]}, set={"text": "x"}), False),
        (step("Label", {"ids": ["1"]}, tags=["x"]), False),
        (step("Lock", {"ids": ["1"]}, mode="read_only"), False),
        (step("Retrieve", {"ids": ["1"]}), False),
        (step("Encode", payload={"text": "x"}, expire_at="2096-09-01T00:00:00Z"), False),
    ],
)
def test_which_ops_destroy(instance: dict[str, Any], expected: bool) -> None:
    (op,) = Program.load(instance).ops
    assert destroys(op) is expected


def test_what_does_not_destroy_is_run_at_once(house: House) -> None:
    told(house, NOTE)
    done = house.verbs.ask_memory(house.talk, CORRECT)
    assert done.data["status"] == "done" and done.form is None
    assert texts(house) == [NOTE.replace("11:30", "12:00")]


def test_what_would_change_nothing_is_not_asked_about(house: House) -> None:
    gone = [step("Delete", {"filter": {"has_tags": ["nobody"]}})]
    said = house.verbs.run_program(house.talk, gone, dry_run=True)
    assert said.data["status"] == "previewed" and "token" not in said.data


def test_a_preview_keeps_nothing_and_its_token_runs_it(house: House) -> None:
    told(house, NOTE)
    shown = house.verbs.preview(house.talk, CORRECT)
    assert shown.data["status"] == "previewed" and shown.form is None
    assert texts(house) == [NOTE] and "11:30" in shown.text and "12:00" in shown.text
    assert house.verbs.confirm(house.talk, shown.data["token"], 1).data["status"] == "done"
    assert texts(house) == [NOTE.replace("11:30", "12:00")]
    looked = house.verbs.preview(house.talk, LIST)
    assert "token" not in looked.data and "12:00" in looked.text
    assert house.verbs.preview(house.talk, THANKS).data["status"] == "nothing"


def test_a_preview_of_an_undo_takes_nothing_back(house: House) -> None:
    told(house, NOTE)
    shown = house.verbs.preview(house.talk, UNDO)
    assert shown.data["undo"] in shown.text and texts(house) == [NOTE]


def test_where_the_store_has_moved_nothing_runs_and_it_is_shown_again(house: House) -> None:
    told(house, NOTE)
    asked = house.verbs.ask_memory(house.talk, FORGET)
    told(house, QUAY)
    again = house.verbs.confirm(house.talk, asked.data["token"])
    assert again.data["moved"] is True and "has changed" in again.text
    assert texts(house) == [NOTE, QUAY]
    assert again.data["token"] != asked.data["token"]
    assert house.verbs.confirm(house.talk, again.data["token"]).data["status"] == "done"
    assert texts(house) == [QUAY]


def test_a_token_is_good_once(house: House) -> None:
    told(house, NOTE)
    token = house.verbs.ask_memory(house.talk, FORGET).data["token"]
    assert house.verbs.confirm(house.talk, token, 0).data["status"] == "dropped"
    with pytest.raises(TokenRefused, match="spent"):
        house.verbs.confirm(house.talk, token)
    assert texts(house) == [NOTE]


@pytest.mark.parametrize(("minutes", "good"), [(9.99, True), (10, False), (60, False)])
def test_a_token_expires(house: House, minutes: float, good: bool) -> None:
    told(house, NOTE)
    token = house.verbs.ask_memory(house.talk, FORGET).data["token"]
    house.clock.pass_by(minutes=minutes)
    if good:
        assert house.verbs.confirm(house.talk, token).data["status"] == "done"
        return
    with pytest.raises(TokenRefused, match="expired"):
        house.verbs.confirm(house.talk, token)
    assert texts(house) == [NOTE]


def test_a_token_is_its_conversations_own_and_another_cannot_spend_it(house: House) -> None:
    told(house, NOTE)
    token = house.verbs.ask_memory(house.talk, FORGET).data["token"]
    other = Talk("")
    for choice in (None, DROP):
        with pytest.raises(TokenRefused, match="another conversation"):
            house.verbs.confirm(other, token, choice)
    with pytest.raises(TokenRefused):
        house.verbs.ask_memory(other, "yes", token)
    assert texts(house) == [NOTE]
    assert house.verbs.confirm(house.talk, token).data["status"] == "done"


def test_of_too_many_questions_the_oldest_is_dropped(house: House) -> None:
    told(house, NOTE)
    tokens = [house.verbs.ask_memory(house.talk, FORGET).data["token"] for _ in range(TOKENS + 1)]
    assert len(house.talk.outcomes) == TOKENS
    with pytest.raises(TokenRefused):
        house.verbs.confirm(house.talk, tokens[0])
    assert house.verbs.confirm(house.talk, tokens[1]).data["status"] == "done"


def test_a_secret_cannot_be_guessed() -> None:
    from text2mem.doors.agent.talk import mint

    made = {mint() for _ in range(100)}
    assert len(made) == 100 and all(len(each) == 32 for each in made)


WHICH = ClarifyingQuestion(
    "Which note do you mean?", "ambiguous-target",
    (Choice("the ferry", [delete("1")], "deletes 1"), Choice("both", [delete("1", "2")], "both")),
    ({"id": "1", "text": NOTE}, {"id": "2", "text": QUAY}),
)  # fmt: skip


def asked_which(house: House, monkeypatch: pytest.MonkeyPatch) -> ToolAnswer:
    told(house, NOTE, QUAY)
    ask_back(monkeypatch, {"Drop the note.": WHICH})
    return house.verbs.ask_memory(house.talk, "Drop the note.")


def test_a_question_comes_with_options(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asked_which(house, monkeypatch)
    assert asked.data["status"] == "needs_clarification"
    assert [each["choice"] for each in asked.data["options"]] == [1, 2]
    assert "1. the ferry (deletes 1)" in asked.text and f"[m2] {QUAY}" in asked.text
    with pytest.raises(ChoiceNeeded):
        house.verbs.confirm(house.talk, asked.data["token"])
    with pytest.raises(NoSuchOption):
        house.verbs.confirm(house.talk, asked.data["token"], 3)
    assert house.verbs.confirm(house.talk, asked.data["token"], 1).data["status"] == "done"
    assert texts(house) == [QUAY]


@pytest.mark.parametrize(
    ("reply", "left"), [("2", []), ("1.", [QUAY]), ("No!", [NOTE, QUAY]), ("0", [NOTE, QUAY])]
)
def test_a_question_is_answered_in_words(
    house: House, monkeypatch: pytest.MonkeyPatch, reply: str, left: list[str]
) -> None:
    asked = asked_which(house, monkeypatch)
    house.verbs.ask_memory(house.talk, reply, asked.data["token"])
    assert texts(house) == left
    assert house.talk.outcomes == {}


def test_other_words_are_read_with_the_question_before_them(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(house, NOTE, QUAY)
    asks = ask_back(monkeypatch, {"Drop the note.": WHICH, "the one of the harbour": WHICH})
    asked = house.verbs.ask_memory(house.talk, "Drop the note.")
    with pytest.raises(ChoiceNeeded, match="which one"):
        house.verbs.ask_memory(house.talk, "yes", asked.data["token"])  # to which of the two?
    house.verbs.ask_memory(house.talk, "the one of the harbour", asked.data["token"])
    assert [turn.text for turn in asks[-1].context][-2:] == ["Drop the note.", WHICH.text]
    assert asks[-1].context[-1].question


def test_a_question_without_options_is_answered_in_words_alone(house: House) -> None:
    told(house, NOTE)
    asked = house.verbs.ask_memory(house.talk, TIDY)
    assert asked.data["options"] == []
    with pytest.raises(ChoiceNeeded):
        house.verbs.confirm(house.talk, asked.data["token"])
    again = house.verbs.ask_memory(house.talk, FORGET, asked.data["token"])
    assert again.data["status"] == "needs_confirmation"


@pytest.mark.parametrize("reply", ["yes", "好的", FORGET, "1"])
def test_a_yes_runs_the_only_program(house: House, reply: str) -> None:
    told(house, NOTE)
    asked = house.verbs.ask_memory(house.talk, FORGET)
    assert house.verbs.ask_memory(house.talk, reply, asked.data["token"]).data["status"] == "done"
    assert texts(house) == []


def test_erasing_is_confirmed_in_every_way_in(house: House) -> None:
    told(house, NOTE)
    program = [step("Delete", {"ids": ["1"]}, soft=False)]
    asked = house.verbs.run_program(house.talk, program)
    assert asked.data["status"] == "needs_confirmation" and NOTE in asked.text
    spoken = house.verbs.ask_memory(house.talk, ERASE)
    assert spoken.data["status"] == "needs_clarification" and texts(house) == [NOTE]
    noted = [{**program[0], "meta": {"confirmation": True}}]
    assert house.verbs.run_program(house.talk, noted).data["status"] == "needs_confirmation"
    assert house.verbs.confirm(house.talk, asked.data["token"]).data["status"] == "done"
    assert house.shared.memory.show("1") is None


def test_no_edit_and_no_undo_erases_without_a_yes(house: House) -> None:
    told(house, NOTE)
    far = step("Expire", {"ids": ["1"]}, until="2030-01-01T00:00:00Z", on_expire="hard_delete")
    expired = house.shared.memory.execute([far], confirmed=True).trace_id
    near = step("Update", {"ids": ["1"]}, set={"expire_at": "2026-03-04T10:30:01Z"})
    assert house.verbs.run_program(house.talk, [near]).data["status"] == "needs_confirmation"
    lifted = house.verbs.undo(house.talk, expired).data["result"]["trace_id"]
    house.clock.pass_by(days=2000)
    again = house.verbs.undo(house.talk, lifted)
    assert again.data["status"] == "needs_confirmation" and texts(house) == [NOTE]
    house.verbs.confirm(house.talk, again.data["token"])
    house.shared.memory.tick()
    assert house.shared.memory.show("1") is None


def test_a_choice_among_memories_lets_none_be_erased_without_a_yes(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(house, NOTE, QUAY)
    far = step("Expire", {"ids": ["1"]}, until="2030-01-01T00:00:00Z", on_expire="hard_delete")
    house.shared.memory.execute([far], confirmed=True)
    near = [
        step("Update", {"ids": [id_]}, set={"expire_at": "2026-03-05T00:00:00Z"}) for id_ in "12"
    ]
    options = tuple(Choice(f"memory {number}", [each]) for number, each in enumerate(near, 1))
    which = ClarifyingQuestion("Which note do you mean?", "ambiguous-target", options, ())
    ask_back(monkeypatch, {"Only until tonight.": which})
    asked = house.verbs.ask_memory(house.talk, "Only until tonight.")
    again = house.verbs.confirm(house.talk, asked.data["token"], 1)
    assert again.data["status"] == "needs_confirmation"
    assert house.verbs.confirm(house.talk, again.data["token"]).data["status"] == "done"
    asked = house.verbs.ask_memory(house.talk, "Only until tonight.")
    assert house.verbs.confirm(house.talk, asked.data["token"], 2).data["status"] == "done"


def test_a_confirmation_confirms_one_program_and_no_other(house: House) -> None:
    told(house, NOTE, QUAY)
    asked = house.verbs.run_program(house.talk, [step("Delete", {"ids": ["1"]}, soft=False)])
    house.verbs.confirm(house.talk, asked.data["token"])
    wide = house.verbs.run_program(house.talk, [step("Delete", {"all": True})])
    assert wide.data["status"] == "needs_confirmation" and texts(house) == [QUAY]


def test_that_one_and_undo_that_mean_this_conversation(house: House) -> None:
    told(house, NOTE, QUAY)
    house.verbs.ask_memory(house.talk, CORRECT)
    asked = house.verbs.ask_memory(house.talk, THIS_TOO)
    assert [each["id"] for each in asked.data["memories"]] == ["1"]
    house.verbs.confirm(house.talk, asked.data["token"])
    assert texts(house) == [QUAY]
    assert house.verbs.ask_memory(house.talk, UNDO).data["status"] == "undone"
    assert house.verbs.undo(house.talk).data["status"] == "undone"
    assert texts(house) == [NOTE, QUAY]
    with pytest.raises(ExecutionError, match="changed nothing"):
        house.verbs.undo(Talk(""))


def test_a_program_of_another_conversation_is_undone_by_its_trace(house: House) -> None:
    trace = house.verbs.remember(house.talk, NOTE).data["result"]["trace_id"]
    assert house.verbs.undo(Talk(""), trace).data["undone"] == trace
    assert texts(house) == []
    again = house.verbs.undo(Talk(""), trace)
    assert again.failed and again.data["error"]["code"] == "no-such-trace"


def test_history_tells_every_change(house: House) -> None:
    told(house, NOTE)
    house.verbs.ask_memory(house.talk, CORRECT)
    found = house.verbs.history(house.talk, "m1")
    assert [each["op"] for each in found.data["entries"]] == ["Encode", "Update"]
    assert "11:30" in found.text and "12:00" in found.text
    for as_cited in ("1", "e1", "[m1]", " [e1] "):
        assert house.verbs.history(house.talk, as_cited).data == found.data
    for unknown in ("99", "m99", "x", "1; DROP"):
        with pytest.raises(ExecutionError, match="there is no memory"):
            house.verbs.history(house.talk, unknown)


def test_a_refusal_and_a_broken_program_say_what_is_wrong(house: House) -> None:
    gone = house.verbs.run_program(house.talk, [step("Delete", {"ids": ["99"]})])
    assert gone.failed and gone.data["error"]["code"] == "not-found"
    with pytest.raises(ValidationError):
        house.verbs.run_program(house.talk, [step("Delete", {})])
    with pytest.raises(ValidationError):
        house.verbs.run_program(house.talk, [{**step("Retrieve", {"ids": ["1"]}),
                                              "meta": {"actor": "root"}}])  # fmt: skip
    with pytest.raises(UnusableUtterance):
        house.verbs.ask_memory(house.talk, " ")
    with pytest.raises(ServiceUnreachable):
        house.verbs.ask_memory(house.talk, scripted.DOWN)


def test_the_store_is_free_while_the_model_thinks() -> None:
    asked, go_on = threading.Event(), threading.Event()

    def slow(request: Any) -> Any:
        if not asked.is_set():  # the first request alone: what is remembered is read, too
            asked.set()
            assert go_on.wait(30)
        return scripted.answer(request)

    from text2mem.providers.function import FunctionProvider

    house = House(model=FunctionProvider(slow))
    said: list[ToolAnswer] = []
    thread = threading.Thread(
        target=lambda: said.append(house.verbs.ask_memory(house.talk, "Tea is at five."))
    )
    thread.start()
    assert asked.wait(30)
    try:
        kept = {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": NOTE}}}
        assert not house.verbs.run_program(Talk(""), [kept]).failed  # would wait for ever
    finally:
        go_on.set()
        thread.join()
    assert said[0].data["status"] == "done" and texts(house) == [NOTE, "Tea is at five."]


def test_a_model_that_fails_leaves_the_store_free(house: House) -> None:
    with pytest.raises(RuntimeError):
        house.verbs.ask_memory(house.talk, scripted.CRASH)
    assert not house.shared.lock.locked()
    told(house, NOTE)


def test_a_token_is_still_good_where_an_answer_to_it_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("text2mem.adapters.sqlite.database.BUSY_SECONDS", 0.05)
    house = House(path=tmp_path / "busy.db")
    told(house, NOTE)
    token = house.verbs.ask_memory(house.talk, FORGET).data["token"]
    with pytest.raises(ServiceUnreachable):
        house.verbs.ask_memory(house.talk, scripted.DOWN, token)
    with sqlite3.connect(tmp_path / "busy.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match="in use"):
            house.verbs.confirm(house.talk, token)
    assert house.verbs.confirm(house.talk, token).data["status"] == "done"
    assert texts(house) == []


def test_conversations_are_bounded_and_the_silent_one_goes() -> None:
    numbers = iter("abcd")
    held = Talks(lambda: next(numbers), most=2)
    first, second = held.of_handle(None), held.of_handle(None)
    assert held.of_handle("a") is first
    held.of_session("s")
    with pytest.raises(NoSuchConversation):
        held.of_handle(second.handle)
    with pytest.raises(NoSuchConversation):
        held.of_handle("s")  # a session is no handle
    assert held.of_handle("a") is first
