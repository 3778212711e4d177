"""One memory: notes and facts know of each other, whichever of them a request is about."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.reading import scripted, turn_of
from text2mem import Clarification, ExecutionContext, FixedClock, FunctionProvider, Memory, Program
from text2mem.errors import ServiceUnreachable
from text2mem.ledger.episode import EPISODE
from text2mem.providers.base import Request

DRAFTS: dict[str, Any] = {
    "Remember that I live in Bergen.": [{"op": "Encode", "text": "I live in Bergen"}],
    "Remember that the keys hang in the hall.": [
        {"op": "Encode", "text": "the keys hang in the hall"}
    ],
    "I moved to Oslo.": [
        {"op": "Update", "about": "travel", "old": "Paris", "new": "Oslo"}
    ],
    "Which city do I live in?": [{"op": "Retrieve", "about": "I live in Bergen"}],
    "Forget the note that I live in Bergen.": [{"op": "Delete", "about": "I live in Bergen"}],
    "In that note, write Leeds for Bergen.": [
        {"op": "Update", "about": "I live in Bergen", "old": "Bergen", "new": "Leeds"}
    ],
    "Keep privately that I live in Bergen.": [{"op": "Encode", "text": "I live in Bergen"}],
    "Remember that I live in Bergen, my password is swordfish.": [
        {"op": "Encode", "text": "I live in Bergen, my password is swordfish"}
    ],
    "Remember that my password is swordfish.": [
        {"op": "Encode", "text": "my password is swordfish"}
    ],
    "Remember that I take metformin.": [{"op": "Encode", "text": "I take metformin"}],
    "In that note, write Leeds (swordfish) for Bergen.": [
        {"op": "Update", "about": "I live in Bergen", "old": "Bergen", "new": "Leeds (swordfish)"}
    ],
}  # fmt: skip


LIVES = {"subject": "me", "attribute": "city", "value": "Bergen"}
SECRET = {"subject": "me", "attribute": "password", "value": "swordfish"}
FACTS: dict[str, Any] = {
    "I live in Bergen, my password is swordfish": [LIVES, SECRET],
    "my password is swordfish": [SECRET],
    "I live in Leeds (swordfish)": [{**LIVES, "value": "Leeds"}, SECRET],
    "I take metformin": [{"subject": "me", "attribute": "medication", "value": "metformin"}],
    "I live in Bergen": [LIVES],
    "I live in Leeds": [{**LIVES, "value": "Leeds"}],
    "I moved to Oslo.": [{**LIVES, "value": "Oslo"}],
    "the keys hang in the hall": [
        {"subject": "keys", "attribute": "place where they hang", "value": "the hall"}
    ],
}


def answer(asked: Request) -> Any:
    """What a model that reads well says to a request, and to a turn."""
    if '"turn": ' in asked.messages[-1].content:
        return {"facts": FACTS.get(turn_of(asked), [])}
    said = "".join(message.content for message in asked.messages)
    return {"steps": DRAFTS[max(DRAFTS, key=said.rfind)]}


@pytest.fixture(params=["memory:", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    store = "memory:" if request.param == "memory:" else str(tmp_path / "m.db")
    context = ExecutionContext(clock=FixedClock(datetime(2026, 11, 23, 9, tzinfo=UTC)))
    model = FunctionProvider(answer)
    with Memory(store, model=model, context=context, summariser="extractive") as opened:
        yield opened


def city(memory: Memory) -> list[Any]:
    return [fact.value for fact in memory.ledger.facts(subject="user", attribute="city")]


def test_what_is_remembered_and_reads_as_a_fact_is_one(memory: Memory) -> None:
    program, result = memory.run("Remember that I live in Bergen.")
    assert [op.name for op in program.ops] == ["Encode", "Encode"]
    assert result.ok
    found = memory.recall("Which city do I live in?")
    assert found.values == ("Bergen",)
    assert found.context.startswith("[e1] user.city = Bergen")
    episode = memory.show("1")
    assert episode is not None
    assert (episode.type, episode.text) == (EPISODE, "I live in Bergen")


def test_a_preview_shows_the_fact_and_an_undo_takes_both_back(memory: Memory) -> None:
    compiled = memory.compile("Remember that I live in Bergen.")
    assert isinstance(compiled, Program)
    assert sum(len(step.created) for step in memory.preview(compiled).results) == 2
    assert memory.show("1") is None
    trace = memory.execute(compiled).trace_id
    assert city(memory) == ["Bergen"]
    assert memory.undo(trace).ok
    assert city(memory) == []


def test_what_waits_says_why(memory: Memory) -> None:
    _, result = memory.run("Remember that I take metformin.")
    (fact,) = memory.pending()
    assert result.results[1].warnings == (
        f"memory {fact.id} waits: the policy asks for a yes to medication",
    )


def test_what_is_no_declared_fact_stays_a_note(memory: Memory) -> None:
    program, _ = memory.run("Remember that the keys hang in the hall.")
    assert [op.name for op in program.ops] == ["Encode"]
    note = memory.show("1")
    assert note is not None
    assert note.type != EPISODE


def test_what_was_remembered_and_what_was_observed_are_one_line(memory: Memory) -> None:
    memory.run("Remember that I live in Bergen.")
    memory.observe("I moved to Oslo.", extract=True)
    assert city(memory) == ["Oslo"]
    program, result = memory.run("Which city do I live in?")
    fact = memory.ledger.facts(subject="user", attribute="city")[0]
    rows = result.results[0].rows
    assert [row["id"] for row in rows] == [fact.id], program.to_list()
    assert "Oslo" in str(rows[0]["text"])


@pytest.mark.parametrize(
    ("requests", "lives", "about"),
    [
        (
            ["Remember that I live in Bergen, my password is swordfish."],
            ["Bergen"], ["bergen", "user"],
        ),
        (["Remember that my password is swordfish."], [], ["user"]),
        (
            [
                "Remember that I live in Bergen.",
                "In that note, write Leeds (swordfish) for Bergen.",
            ],
            ["Leeds"], ["bergen", "leeds", "user"],
        ),
    ],
)  # fmt: skip
def test_a_note_with_what_the_policy_denies_is_withheld(
    memory: Memory, requests: list[str], lives: list[str], about: list[str]
) -> None:
    for request in requests:
        assert memory.run(request)[1].ok
    assert city(memory) == lives
    note = memory.show("1")
    assert note is not None and "swordfish" in note.text
    assert (note.facets["about"], note.facets["withheld"]) == (about, True)
    assert "swordfish" not in memory.recall("What is my password?").context


def test_a_statement_that_changes_a_fact_is_kept_where_no_note_is_meant(memory: Memory) -> None:
    memory.run("Remember that I live in Bergen.")
    program, result = memory.run("I moved to Oslo.")
    assert result.ok
    assert city(memory) == ["Oslo"]
    assert program.utterance == "I moved to Oslo."
    past = memory.ledger.facts(
        subject="user", attribute="city", as_of=datetime(2026, 1, 1, tzinfo=UTC)
    )
    assert [fact.value for fact in past] == []


def test_a_statement_about_what_is_not_held_is_asked_about(memory: Memory) -> None:
    assert isinstance(memory.compile("I moved to Oslo."), Clarification)


def test_a_question_that_the_reader_asks_stands(tmp_path: Path) -> None:
    def asks(asked: Request) -> Any:
        turn = '"turn": ' in asked.messages[-1].content
        return answer(asked) if turn else {"ask": "Which trip?"}

    with Memory("memory:", model=FunctionProvider(answer)) as memory:
        memory.run("Remember that I live in Bergen.")
        with Memory(memory.adapter, model=FunctionProvider(asks)) as doubting:
            asked = doubting.compile("I moved to Oslo.")
    assert isinstance(asked, Clarification)
    assert asked.question == "Which trip?"


def test_new_words_of_a_note_bring_its_fact_along(memory: Memory) -> None:
    memory.run("Remember that I live in Bergen.")
    _, result = memory.run("In that note, write Leeds for Bergen.")
    assert result.ok, result
    assert city(memory) == ["Leeds"]
    note = memory.show("1")
    assert note is not None
    assert note.text == "I live in Leeds"


def test_forgetting_a_note_forgets_its_fact(memory: Memory) -> None:
    memory.run("Remember that I live in Bergen.")
    _, result = memory.run("Forget the note that I live in Bergen.")
    assert sorted(id_ for step in result.results for id_ in step.affected) == ["1", "2"]
    assert city(memory) == []
    assert memory.recall("Which city do I live in?").found == "nothing"


def test_a_fact_that_was_heard_elsewhere_stays_when_one_note_goes(memory: Memory) -> None:
    memory.run("Remember that I live in Bergen.")
    memory.observe("I live in Bergen", extract=True)
    episode = memory.ledger.facts(subject="user", attribute="city")[0]
    assert len(episode.sources) == 2
    program = Program.load(
        [{"stage": "STO", "op": "Delete", "target": {"ids": ["1"]}}], tz=memory.context.tz
    )
    memory.execute(program)
    assert city(memory) == ["Bergen"]


MOVES = "We move to Ghent on 1 December."
BOTH = "I work for Halden, and we move to Ghent on 1 December."
GHENT = {"subject": "me", "attribute": "city", "value": "Ghent", "when": "on 1 December"}
READ = {
    MOVES: [GHENT],
    BOTH: [{"subject": "me", "attribute": "employer", "value": "Halden"}, GHENT],
    "I have diabetes.": [{"subject": "me", "attribute": "diagnosis", "value": "diabetes"}],
}


def deleted(said: str, id_: str) -> tuple[str, ...]:
    """What is deleted with a memory, where this was said first: the episode 1 and its facts."""
    context = ExecutionContext(clock=FixedClock(datetime(2026, 11, 23, 9, tzinfo=UTC)))
    with Memory("memory:", model=scripted(READ), context=context) as memory:
        memory.observe(said, extract=True)
        (step,) = memory.delete(id_).results
        return tuple(sorted(step.affected))


def test_with_a_note_goes_what_it_says_of_days_to_come_and_what_waits() -> None:
    assert deleted(MOVES, "1") == ("1", "2")
    assert deleted("I have diabetes.", "1") == ("1", "2")


def test_a_note_that_says_more_of_days_to_come_outlives_a_fact() -> None:
    assert deleted(BOTH, "2") == ("2",)
    assert deleted(BOTH, "1") == ("1", "2", "3")


def test_the_rights_of_a_note_are_those_of_its_fact() -> None:
    """Whoever may not read the note may not read what was read out of it."""
    context = ExecutionContext(actor="ana", clock=FixedClock(datetime(2026, 11, 23, 9, tzinfo=UTC)))
    with Memory("memory:", model=FunctionProvider(answer), context=context) as memory:
        memory.run("Remember that I live in Bergen.")
        facts = memory.ledger.facts(subject="ana", attribute="city")
        assert [fact.owner for fact in facts] == ["ana"]
        other = ExecutionContext(actor="bob", clock=context.clock)
        with Memory(memory.adapter, model=FunctionProvider(answer), context=other) as his:
            assert his.recall(subject="ana", attribute="city").found == "nothing"


def test_what_is_added_is_kept_where_the_model_is_down(caplog: pytest.LogCaptureFixture) -> None:
    def down(_: Request) -> Any:
        raise ServiceUnreachable("nobody is there", service="scripted")

    with Memory("memory:", model=FunctionProvider(down), embedder="none") as memory:
        assert memory.add("I live in Bergen") == "1"
        assert [each.text for each in memory.list()] == ["I live in Bergen"]
        assert memory.ledger.facts(subject="user", attribute="city") == []
    assert "kept without the facts that it may state: nobody is there" in caplog.text


def test_the_rights_of_an_edited_note_are_those_of_its_new_fact() -> None:
    context = ExecutionContext(actor="ana", clock=FixedClock(datetime(2026, 11, 23, 9, tzinfo=UTC)))
    with Memory("memory:", model=FunctionProvider(answer), context=context) as memory:
        memory.run("Remember that I live in Bergen.")
        noted = {"target": {"ids": ["1", "2"]}, "args": {"set": {"read_perm_level": "public"}}}
        assert memory.execute([{"stage": "STO", "op": "Update", **noted}]).ok
        memory.run("In that note, write Leeds for Bergen.")
        (fact,) = memory.ledger.facts(subject="ana", attribute="city")
        assert (fact.value, fact.read_perm_level) == ("Leeds", "public")
