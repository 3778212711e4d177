"""Results, programs, questions and recalls, printed: short lines that a person can read."""

from __future__ import annotations

from tests.planning import note, step
from tests.reading import me, scripted
from text2mem import Clarification, Memory, Program
from text2mem.compiled import Option
from text2mem.ir.effects import exchange_in_words


def test_a_result_says_what_changed_and_how_it_is_taken_back(memory: Memory) -> None:
    memory.add("The gate is 4.")
    done = memory.update("1", "The gate is 5.")
    assert str(done) == (
        "Update: changed memory 1\n"
        "  1.text: The gate is 4. → The gate is 5.\n"
        f"trace {done.trace_id}"
    )  # fmt: skip
    assert repr(done).startswith("ProgramResult(ok=True, ")
    tried = memory.preview(step("Delete", {"ids": ["1"]}))
    assert str(tried) == "Delete: changed memory 1 (dry run)\n  1.deleted: false → true"


def test_a_read_shows_its_rows_and_a_refusal_its_reason(memory: Memory) -> None:
    memory.add("The gate is 4.\nThe desk is 9.", tags="airport")
    read = memory.execute(step("Retrieve", {"all": True}))
    assert str(read) == (
        "Retrieve: found 1 memory\n"
        "  1: The gate is 4.\n    The desk is 9.  #airport"
    )  # fmt: skip
    memory.add("The ferry is at 11.")
    assert str(memory.execute(step("Retrieve", {"all": True}))).startswith(
        "Retrieve: found 2 memories\n"
    )
    some = memory.execute(step("Retrieve", {"filter": {"weight_gte": 0.0, "limit": 1}}))
    assert str(some).startswith("Retrieve: 1 of 2 matching memories\n")
    none = memory.execute(step("Retrieve", {"filter": {"has_tags": ["sea"]}}))
    assert str(none).splitlines()[0] == "Retrieve: found no memory"
    refused = memory.execute(step("Delete", {"ids": ["9"]}))
    assert refused.error is not None
    assert str(refused).splitlines()[0] == f"Delete: {refused.error.message}"


def test_many_changes_are_cut_and_stored_text_steers_no_terminal(memory: Memory) -> None:
    for number in range(20):
        memory.add(f"note {number}")
    lines = str(memory.preview(step("Delete", {"all": True}))).splitlines()
    assert lines[0].startswith("Delete: changed memories 1, 2, 3")
    assert lines[0].endswith("12 and 8 more (dry run)")
    assert len(lines) == 14 and lines[-1] == "  and 8 more changes"
    memory.add("a\x1b[2Jb")
    assert "\x1b" not in str(memory.execute(step("Retrieve", {"ids": ["21"]})))


def test_a_program_is_a_line_a_step() -> None:
    program = Program.load([
        note("The ferry leaves at 8:15", "ferry", "travel"),
        step("Update", {"ids": ["$1"]}, replace={"old": "8:15", "new": "8:30"}),
        step("Delete", {"all": True}),
    ])  # fmt: skip
    assert str(program).splitlines() == [
        'Encode: payload text "The ferry leaves at 8:15", tags "ferry", "travel"',
        'Update ids "$1": replace old "8:15", new "8:30"',
        "Delete all true",
    ]
    assert repr(program).startswith("Program(ops=(Encode(")


def test_a_question_has_its_options_or_what_may_be_meant() -> None:
    first = Option("the red one", Program.load(step("Delete", {"ids": ["1"]})), "deletes 1")
    second = Option("both", Program.load(step("Delete", {"all": True})))
    meant = ({"id": "1", "text": "the red\none"},)
    asked = Clarification("Which one?", "ambiguous-target", (first, second), meant)
    assert str(asked) == "Which one?\n  1. the red one (deletes 1)\n  2. both"
    assert str(Clarification("Which one?", "ambiguous-target", (), meant)) == (
        "Which one?\n  1: the red one"
    )


def test_a_recall_is_its_lines_or_says_that_nothing_is_known(memory: Memory) -> None:
    assert str(memory.recall("Which city do I live in?")) == "nothing is known about this"
    model = scripted({"I live in Bergen.": [me("city", "Bergen")]})
    hearing = Memory(memory.adapter, reader=model, context=memory.context)
    hearing.observe("I live in Bergen.", extract=True)
    assert str(memory.recall("Which city do I live in?")).startswith("[e1] user.city = Bergen")
    assert str(memory.recall("What colour is the sea?")).startswith("no exact answer, but (")
    alone = Memory(memory.adapter, reader="none", context=memory.context)
    answered = str(alone.recall("Which city do I live in?", answer=True))
    assert "Bergen" in answered.splitlines()[0] and "[e1]" in answered


def test_of_a_long_text_all_that_changes_is_shown_and_what_stands_around_it() -> None:
    keane = "Mam's appointment with Dr Keane is {} in Merlin Park, bring the list of tablets"
    before, after = keane.format("Thursday at 2.15"), keane.format("the Monday after at 2.15")
    assert exchange_in_words(before, after) == f"{before} → {after}"
    long = "She asked for it twice. " * 20
    moved = exchange_in_words(f"{keane} {long}", f"{keane[:-7]}pills {long}")
    assert moved.count("…") == 4 and len(moved) < 340 and "tablets" in moved and "pills" in moved
    farrier = "farrier comes every six weeks, last came on the 24th of april"
    joined = f"stall fees at the yard are £35 a week, Duchess is in the third box {farrier}"
    assert exchange_in_words(farrier, joined) == f"{farrier} → {joined}"
