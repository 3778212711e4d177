"""A memory read once more with the request beside it: what of its text becomes what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.planning import Raw, draft, note, part, planned
from text2mem.clarification import Clarification
from text2mem.planner.edit import Exchange, Revision, revised
from text2mem.planner.revise import revision
from text2mem.providers.base import Completion
from text2mem.providers.profiles import TUNED


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """All readings count, whatever the shipped reader has earned."""
    monkeypatch.setattr("text2mem.planner.again.EDITED_WELL", 0.01)
    monkeypatch.setattr("text2mem.planner.again.CHOSEN", 0.5)
    monkeypatch.setattr("text2mem.planner.again.MEANT", 0.5)


FERRY = "Ferry leaves 7:40 from pier 2, bring passport"
LIST = "Shopping list: milk, coffee, eggs"
STORE = [note(FERRY), note(LIST), note("The boiler is serviced in June")]


@pytest.mark.parametrize(
    ("text", "pairs", "made"),
    [
        (FERRY, [("pier 2", "pier 6")], "Ferry leaves 7:40 from pier 6, bring passport"),
        (LIST, [("milk, coffee,", "milk,")], "Shopping list: milk, eggs"),
        (LIST, [("milk", "oat milk"), ("eggs", "eggs, okra")],
         "Shopping list: oat milk, coffee, eggs, okra"),
        (LIST, [("", "nothing to buy")], "nothing to buy"),
        ("two\nlines here", [("two lines", "three lines")], "three lines here"),
        (LIST, [], LIST),
        (LIST, [("e", "a")], None),
        (LIST, [("tea", "jam")], None),
        (LIST, [("milk, coffee", "tea"), ("coffee, eggs", "jam")], None),
        (LIST, [("", "one"), ("milk", "two")], None),
        (LIST, [("", "")], None),
    ],
)  # fmt: skip
def test_edits_of_a_text(text: str, pairs: list[tuple[str, str]], made: str | None) -> None:
    found = revised(text, [Exchange(old, new) for old, new in pairs])
    assert (found.text if found else None) == made
    if found:
        assert all(each.old in text for each in found.edits)


@pytest.mark.parametrize(
    ("said", "pairs", "fits"),
    [
        ("it is pier 6 now", [["pier 2", "pier 6"]], True),
        ("they moved it", [["pier 2", "pier 6"]], False),
        ("it goes at half six", [["7:40", "half six"]], True),
        ("bring the tickets as well", [["passport", "passport and tickets"]], True),
        ("bring the tickets as well", [["passport", "passport plus sunglasses"]], False),
        ("it is pier 6 now", {"old": "pier 2"}, False),
        ("it is pier 6 now", [["pier 2"]], False),
        ("it is pier 6 now", [["pier 2", 6]], False),
        ("it is pier 6 now", None, False),
    ],
)
def test_what_nobody_said_is_not_written(said: str, pairs: Any, fits: bool) -> None:
    assert (revision(FERRY, Completion("", pairs), said) is not None) == fits


def test_a_reading_is_as_certain_as_its_least_token() -> None:
    tokens = (("[[", 0.9), ("pier 2", 0.5), ("pier 6", 0.99))
    answer = Completion("", [["pier 2", "pier 6"]], tokens=tokens)
    found = revision(FERRY, answer, "pier 6")
    assert found is not None and found.certainty == 0.5


def program(said: str, read: Raw, *edits: Any, store: list[Raw] | None = None) -> list[Raw]:
    return planned(said, read, *edits, store=store or STORE, profile=TUNED).program


def test_a_value_is_exchanged_whose_old_words_nobody_said() -> None:
    (made,) = program(
        "the ferry goes from pier 6", draft("Update", about="ferry", new="pier 6"),
        [["pier 2", "pier 6"]],
    )  # fmt: skip
    assert made["target"] == {"ids": ["1"]}
    assert made["args"] == {"replace": {"old": "pier 2", "new": "pier 6"}}


def test_several_edits_are_one_new_text() -> None:
    (made,) = program(
        "shopping list: oat milk, and add okra", draft("Update", about="shopping list", add="okra"),
        [["milk", "oat milk"], ["eggs", "eggs, okra"]],
    )  # fmt: skip
    assert made["args"] == {"set": {"text": "Shopping list: oat milk, coffee, eggs, okra"}}


def test_two_steps_on_a_memory_are_one_reading() -> None:
    steps = [part("Update", about="shopping list", add=words) for words in ("bread", "okra")]
    (made,) = program(
        "bread and okra on the shopping list", {"steps": steps}, [["eggs", "eggs, bread, okra"]]
    )
    assert made["args"]["replace"] == {"old": "eggs", "new": "eggs, bread, okra"}


def test_the_request_tells_what_is_to_go_where_the_reading_does_not_fit() -> None:
    (made,) = program(
        "ferry: pier 6, not pier 2", draft("Update", about="ferry", old="pier 2", new="pier 6"), []
    )
    assert made["args"] == {"replace": {"old": "pier 2", "new": "pier 6"}}


@pytest.mark.parametrize("edits", [[], [["pier 3", "pier 6"]]])
def test_a_reading_that_makes_nothing_leaves_it_to_the_draft(edits: Any) -> None:
    read = draft("Update", about="ferry", new="pier 6")
    (made,) = program("the ferry goes from pier 6", read, edits)
    assert made["args"] == {"set": {"text": f"{FERRY}, pier 6"}}


def _unsure(*rest: Any) -> Revision | None:
    found = revision(*rest)
    return found and replace(found, certainty=0.5)


def test_an_edit_that_is_not_certain_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    read = draft("Update", about="ferry", new="pier 6")
    for bound in (0.9, 1.0):  # at 1 it is not even asked for
        monkeypatch.setattr("text2mem.planner.again.EDITED_WELL", bound)
        answers = [[["pier 2", "pier 6"]]] if bound < 1 else []
        monkeypatch.setattr("text2mem.planner.again.revision", _unsure)
        (made,) = program("the ferry goes from pier 6", read, *answers)
        assert made["args"] == {"set": {"text": f"{FERRY}, pier 6"}}


def test_a_reminder_goes_with_its_time() -> None:
    said = draft("Encode", text="Dentist on 10 March at 9:00", date="10 March at 9:00")
    store = planned("Dentist on 10 March at 9:00", said, store=[]).program
    made = program(
        "the dentist moved to 12 March", draft("Update", about="dentist", new="12 March"),
        [["10 March", "12 March"]], store=store,
    )  # fmt: skip
    assert [each["args"] for each in made] == [
        {"replace": {"old": "10 March", "new": "12 March"}},
        {"set": {"time": "2026-03-12T09:00:00Z"}},
    ]


@pytest.mark.parametrize(
    "read",
    [
        draft("Update", about="ferry", text="Ferry cancelled"),
        draft("Label", about="ferry", add=["trip"]),
        draft("Retrieve", about="ferry"),
    ],
)
def test_what_needs_no_reading_is_not_asked(read: Raw) -> None:
    assert program("tag the ferry trip, or say Ferry cancelled", read)


PIERS = [
    note("Ferry to Lismore leaves 7:40 from pier 2"),
    note("Ferry to Kerrera, cash only, no dogs"),
]


def test_of_memories_that_fit_as_well_the_one_that_changes_is_meant() -> None:
    (made,) = program(
        "the ferry goes from pier 6 now", draft("Update", about="ferry", new="pier 6"),
        [], [["pier 2", "pier 6"]], store=PIERS,
    )  # fmt: skip
    assert made["target"] == {"ids": ["1"]}
    assert made["args"] == {"replace": {"old": "pier 2", "new": "pier 6"}}


def test_where_both_change_the_person_chooses() -> None:
    read = draft("Update", about="ferry", new="six pounds")
    edits = ([["cash only", "six pounds"]], [["7:40", "six pounds"]])
    asked = planned(
        "the ferry is six pounds", read, *edits, store=PIERS, profile=TUNED
    ).outcome  # fmt: skip
    assert isinstance(asked, Clarification)
    made = [option.program.to_list()[0]["args"]["replace"] for option in asked.options]
    assert [each["old"] for each in made] == ["cash only", "7:40"]


def test_an_edit_that_is_not_certain_chooses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("text2mem.planner.again.CHOSEN", 1.1)
    read = draft("Update", about="ferry", new="pier 6")
    asked = planned(
        "the ferry goes from pier 6", read, [], [["pier 2", "pier 6"]], store=PIERS, profile=TUNED
    ).outcome
    assert isinstance(asked, Clarification) and len(asked.options) == 2


def test_which_memory_a_step_means_is_read_where_several_fit() -> None:
    read = draft("Promote", about="ferry", priority="high")
    asked = {"store": PIERS, "profile": TUNED}
    (made,) = planned("the early ferry matters most", read, meant="7:40", **asked).program
    assert made["target"] == {"ids": ["1"]}
    (other,) = planned("the ferry without dogs matters most", read, meant="dogs", **asked).program
    assert other["target"] == {"ids": ["2"]}


def test_a_question_is_answered_from_all_that_is_meant() -> None:
    read = draft("Retrieve", about="ferry")
    asked = {"store": PIERS, "profile": TUNED}
    (one,) = planned("when does the ferry leave?", read, meant="7:40", **asked).program
    assert one["target"] == {"ids": ["1"]}
    (both,) = planned("what of the ferry?", read, meant="Ferry", **asked).program
    assert sorted(both["target"]["ids"]) == ["1", "2"]
