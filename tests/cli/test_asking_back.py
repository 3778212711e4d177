"""A question of the planner: as a row, in words, and in a conversation."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.asking import OPEN, WHICH, ask_back, delete
from tests.cli.command_line import READ_ALL, Command, note, run
from text2mem.cli import repl_
from text2mem.planner import Ask
from text2mem.planner.asking import Choice, ClarifyingQuestion

SHOWN = """\
? Which list do you mean?
  1. the shopping list (deletes 1 memory: 1)
  2. both lists (deletes 2 memories: 1, 2)
"""
ONE = ClarifyingQuestion("Delete all 3?", "everything", (Choice("all", [delete("1", "2", "3")]),))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Ask]:
    """The planner asks which list, what to write, and whether everything."""
    return ask_back(monkeypatch, {"forget the list": WHICH, "change it": OPEN, "forget all": ONE})


@pytest.fixture
def filled(text2mem: Command, asked: list[Ask]) -> Command:
    """The command line over a store of three memories."""
    run(text2mem, *(note(text, tags=["list"]) for text in ("milk", "nails", "bread")))
    return text2mem


@pytest.fixture
def person(filled: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The same, with a person who types."""
    monkeypatch.setattr(repl_, "_talking", lambda: True)
    return filled


def ids(text2mem: Command) -> list[str]:
    """The memories that are there."""
    (row,) = run(text2mem, READ_ALL)
    return sorted(found["id"] for found in row["results"][0]["rows"])


# --- compile, run, exec --------------------------------------------------------------------


def test_compile_prints_the_question_as_a_row(text2mem: Command, asked: list[Ask]) -> None:
    done = text2mem("compile", "forget the list")
    assert done.code == 1
    row = done.json
    assert (row["status"], row["utterance"]) == ("needs_clarification", "forget the list")
    assert (row["question"], row["reason"]) == (WHICH.text, "ambiguous-target")
    assert [option["program"] for option in row["options"]] == [[delete("1")], [delete("1", "2")]]
    assert row["options"][0]["effect"] == "deletes 1 memory: 1"
    assert row["candidates"] == list(WHICH.candidates)
    assert (row["attempts"], set(row["tokens"])) == (0, {"prompt", "output", "cached"})
    assert done.err.startswith("error: forget the list: Which list do you mean?\n  say it more")


def test_a_question_leaves_the_other_rows_alone(text2mem: Command, asked: list[Ask]) -> None:
    done = text2mem("compile", stdin="note one\nforget the list\nnonsense\nnote two\n")
    assert done.code == 1
    assert [row["status"] for row in done.rows] == ["ok", "needs_clarification", "failed", "ok"]


def test_an_undo_right_after_a_question_takes_nothing_back(
    text2mem: Command, asked: list[Ask]
) -> None:
    done = text2mem("run", stdin="note one\nforget the list\nundo that\nundo that\n")
    assert [row.get("status") for row in done.rows] == [
        None, "needs_clarification", "nothing", "undo"
    ]  # fmt: skip
    assert ids(text2mem) == []


def test_exec_passes_a_question_on(text2mem: Command, asked: list[Ask]) -> None:
    rows = text2mem("compile", stdin="note one\nforget the list\n").out
    done = text2mem("exec", "--jsonl", stdin=rows)
    assert done.code == 1
    assert [(row["utterance"], row["ok"]) for row in done.rows] == [
        ("note one", True), ("forget the list", False),
    ]  # fmt: skip
    error = done.rows[1]["error"]
    assert (error["type"], error["message"]) == ("ClarificationNeeded", WHICH.text)
    assert text2mem("validate", "--jsonl", stdin=rows).code == 1


def test_run_does_nothing_and_prints_the_question(filled: Command) -> None:
    done = filled("run", stdin="forget the list\nnote more\n")
    assert done.code == 1
    question, ran = done.rows
    assert (question["status"], question["ok"]) == ("needs_clarification", False)
    assert question["options"][1]["label"] == "both lists"
    assert ran["ok"]
    assert ids(filled) == ["1", "2", "3", "4"]


@pytest.mark.parametrize("command", ["compile", "run"])
def test_a_person_is_shown_the_question(filled: Command, command: str) -> None:
    done = filled(command, "forget the list", terminal=True)
    assert (done.code, done.err) == (
        1, "(say it more precisely, or answer it in text2mem repl)\n"
    )  # fmt: skip
    assert done.out == ("› forget the list\n" if command == "run" else "") + SHOWN
    assert done.out == filled(command, "--text", "forget the list").out


def test_compile_sees_and_tries_the_store_that_it_is_given(
    filled: Command, asked: list[Ask]
) -> None:
    filled("compile", "note one")
    assert asked[-1].store is None and asked[-1].preview is None
    filled("compile", "--db", "memory.db", "--context", "before", "note one")
    assert asked[-1].store is not None and asked[-1].preview is not None
    assert [turn.text for turn in asked[-1].context] == ["before"]


EVIL = {"id": "1", "text": "e\x1b[2J\nf", "tags": ["g\x1b[2J"], "time": None}


@pytest.mark.parametrize("options", [(Choice("c\x1b[2J", [delete("1")], "d\x1b[2J"),), ()])
def test_a_question_cannot_steer_the_terminal(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch, options: tuple[Choice, ...]
) -> None:
    evil = ClarifyingQuestion("a\x1b[2Jb", "ambiguous-target", options, (EVIL,))
    ask_back(monkeypatch, {"it": evil})
    done = text2mem("compile", "--text", "it")
    assert "\x1b" not in done.out
    assert len(done.out.splitlines()) == 2


def test_memories_in_question_are_shown_where_there_is_no_option(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"it": ClarifyingQuestion("Which?", "ambiguous-target", (), WHICH.candidates)}
    ask_back(monkeypatch, said)
    shown = text2mem("compile", "--text", "it").out
    assert shown.splitlines()[1] == "    1: milk  #list  made Wed 2026-03-04 10:30"


# --- a conversation ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "left"),
    [("1", ["2", "3"]), ("2", ["3"]), (" 2. ", ["3"]), ("#1", ["2", "3"]),
     ("option 2", ["3"]), ("第2个", ["3"]), ("選2", ["3"]), ("第二則", ["3"]), ("2 of them", None),
     ("2号", None)],  # which is a day, too
)  # fmt: skip
def test_a_number_chooses(filled: Command, reply: str, left: list[str] | None) -> None:
    done = filled("repl", stdin=f"forget the list\n{reply}\ny\n")
    assert done.code == 0
    assert done.out.startswith(f"› forget the list\n{SHOWN}answer › {reply.strip()}\n")
    if left is None:  # words, which the scripted model keeps
        assert ids(filled) == ["1", "2", "3", "4"]
    else:
        assert done.out.count("✓ Delete") == 1
        assert ids(filled) == left


def test_an_option_that_told_no_effect_is_shown_and_may_be_declined(
    filled: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = ClarifyingQuestion("Which?", "ambiguous-target", (Choice("the milk", [delete("1")]),))
    ask_back(monkeypatch, {"forget it": plain})
    done = filled("repl", stdin="forget it\n1\nn\n")
    assert "would be deleted: milk" in done.out
    assert ids(filled) == ["1", "2", "3"]
    filled("repl", "--yes", stdin="forget it\n1\n")  # asks what, and not whether
    assert ids(filled) == ["2", "3"]


@pytest.mark.parametrize("reply", ["", "no", "No.", "never mind", "算了", "不用了。"])
def test_a_question_is_dropped(filled: Command, asked: list[Ask], reply: str) -> None:
    done = filled("repl", stdin=f"forget the list\n{reply}\nwhat is there\n")
    assert (done.code, done.err) == (0, "left as it was\n")
    assert [ask.utterance for ask in asked] == ["forget the list", "what is there"]
    assert ids(filled) == ["1", "2", "3"]


def test_the_end_of_the_input_and_quit_drop_it(filled: Command) -> None:
    for stdin in ("forget the list\n", "forget the list\n/quit\n1\ny\n"):
        assert filled("repl", stdin=stdin).code == 0
    assert ids(filled) == ["1", "2", "3"]


def test_a_yes_chooses_the_only_option(filled: Command, asked: list[Ask]) -> None:
    filled("repl", stdin="forget all\nyes\ny\n")
    assert ids(filled) == []
    again = filled("repl", stdin="forget the list\nyes\nno\n")  # which of two, it does not say
    assert "? Which of these do you mean?" in again.out
    assert asked[-1].utterance == "forget the list"


def test_words_are_compiled_with_the_request_and_the_question(
    filled: Command, asked: list[Ask]
) -> None:
    filled("repl", stdin="what is there\nforget the list\nnote the longer one\nn\nnote x\nn\n")
    first, request, answer, after = asked
    assert (first.context, answer.utterance) == ((), "note the longer one")
    assert [turn.text for turn in answer.context] == [
        "what is there", "forget the list", "Which list do you mean?",
    ]  # fmt: skip
    assert answer.context[:1] == request.context
    assert [turn.question for turn in answer.context] == [False, False, True]
    assert answer.context[-1].ids == ("1", "2")
    # What the planner asked is nothing that the person said.
    assert [turn.text for turn in after.context] == [
        "what is there", "forget the list", "note the longer one",
    ]  # fmt: skip


def test_an_answer_may_be_asked_back_again(filled: Command, asked: list[Ask]) -> None:
    filled("repl", stdin="change it\nforget the list\n1\ny\n")
    assert [turn.text for turn in asked[1].context] == ["change it", OPEN.text]
    assert ids(filled) == ["2", "3"]


def test_a_number_that_is_no_options_ends_the_question_of_a_pipe(
    filled: Command, asked: list[Ask]
) -> None:
    done = filled("repl", stdin="forget the list\n9\nwhat is there\n")
    assert done.code == 1
    assert done.err == "error: there is no option 9\n  the options are 1 to 2\n"
    assert [ask.utterance for ask in asked] == ["forget the list", "what is there"]


def test_a_person_may_try_again(person: Command) -> None:
    done = person("repl", stdin="forget the list\n9\n/tags\n1\ny\n")
    assert "there is no option 9" in done.err
    assert "answer › " in done.err
    assert ids(person) == ["2", "3"]


def test_a_number_may_be_an_id_or_what_was_asked_for(
    filled: Command, asked: list[Ask], monkeypatch: pytest.MonkeyPatch
) -> None:
    filled("repl", stdin="change it\n1\nn\n")
    assert asked[-1].utterance == "1"
    three = ClarifyingQuestion("Which?", "ambiguous-target", WHICH.options, ({"id": "3"},))
    again = ask_back(monkeypatch, {"forget bread": three})
    filled("repl", stdin="forget bread\n3\nn\n")
    assert again[-1].utterance == "3"


# --- what them is --------------------------------------------------------------------------

Turns = Callable[..., list[tuple[str, tuple[str, ...]]]]


@pytest.fixture
def turns(filled: Command, asked: list[Ask]) -> Turns:
    """The turns that the planner is given with the last line of a conversation."""

    def talk(*lines: str, options: tuple[str, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
        filled("repl", *options, stdin="\n".join([*lines, "what is there", ""]))
        return [(turn.text, turn.ids) for turn in asked[-1].context]

    return talk


def test_a_turn_keeps_what_its_program_touched(turns: Turns) -> None:
    assert turns("what is there", "note one", "y", "forget the list", "1", "y") == [
        ("what is there", ("3", "2", "1")), ("note one", ("4",)), ("forget the list", ("1",)),
    ]  # fmt: skip


def test_a_program_that_was_declined_leaves_no_ids(turns: Turns) -> None:
    lines = ["note one", "n", "forget the list", "no", "nonsense", "forget the list", "no"]
    assert turns(*lines) == [
        ("note one", ()), ("forget the list", ()), ("nonsense", ()), ("forget the list", ()),
    ]  # fmt: skip


def test_a_dry_run_leaves_what_it_read(turns: Turns) -> None:
    assert turns("what is there", "note one", options=("--dry-run",)) == [
        ("what is there", ("3", "2", "1")), ("note one", ()),
    ]  # fmt: skip


def test_the_last_four_turns_are_kept(turns: Turns) -> None:
    lines = [f"note {n}" for n in range(5)]
    assert [text for text, _ in turns(*lines, options=("--yes",))] == lines[1:]


def test_the_row_of_a_question_is_valid_json_in_a_pipe(filled: Command) -> None:
    for line in filled("run", stdin="forget all\nchange it\n").out.splitlines():
        assert json.loads(line)["status"] == "needs_clarification"


def test_what_was_left_of_many_requests_is_counted(filled: Command) -> None:
    said = "note one\nforget the list\nnote two\nchange it\n"
    done = filled("run", "--text", stdin=said)
    assert done.code == 1 and done.err.endswith("2 of 4 were not done: 2, 4\n")
    assert "were not done" not in filled("run", "--text", "change it").err
