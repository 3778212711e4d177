"""What a small reader was not sure of, by the probabilities of its tokens."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from tests.gbnf import accepts
from text2mem.ledger.statements.contract import (
    BEGUN,
    Statement,
    dump,
    read_statements,
    statements_grammar,
)
from text2mem.ledger.statements.doubt import again, doubts_nothing, weighed
from text2mem.providers.base import Completion

CITY = Statement("me", "city", "Bergen")
WRONG = Statement("my colleague", "town", "Leeds", "correct", "Ghent")


def answer(*statements: Statement, unsure: str = "", probability: float = 0.5) -> Completion:
    """An answer in tokens of words and marks, of which ``unsure`` was not certain."""
    text = dump(statements)
    tokens = re.findall(r"\w+|\W+", text)
    told = tuple((token, probability if token == unsure else 0.9) for token in tokens)
    return Completion(text, json.loads(text), tokens=told)


def test_what_it_was_sure_of_stands() -> None:
    assert weighed((CITY,), answer(CITY)) == (CITY,)


def test_what_it_was_not_sure_of_is_unsure() -> None:
    dog = Statement("the dog", "name", "Biscuit")
    found = weighed((CITY, dog), answer(CITY, dog, unsure="Biscuit"))
    assert [each.sure for each in found] == ["", "no"]


def test_another_name_for_the_attribute_is_no_doubt() -> None:
    assert weighed((CITY,), answer(CITY, unsure="city")) == (CITY,)


def test_a_doubtful_correction_is_unsure_and_a_doubtful_end_is_left_out() -> None:
    assert weighed((CITY, WRONG), answer(CITY, WRONG, unsure="correct")) == (
        CITY, replace(WRONG, sure="no"),
    )  # fmt: skip
    assert weighed((WRONG,), answer(WRONG)) == (WRONG,)
    sold = Statement("me", "car", kind="retract")
    assert weighed((CITY, sold), answer(CITY, sold, unsure="retract")) == (CITY,)
    assert weighed((sold,), answer(sold)) == (sold,)


def test_without_probabilities_everything_stands() -> None:
    told = Completion("", {})
    assert weighed((CITY, WRONG), told) == (CITY, WRONG)
    assert not doubts_nothing((), told)


def test_a_doubtful_nothing_is_asked_about_again() -> None:
    nothing = '":[]}'
    assert doubts_nothing((), answer(unsure=nothing, probability=0.6))
    assert not doubts_nothing((), answer(unsure=nothing, probability=0.8))
    assert not doubts_nothing((CITY,), answer(CITY, unsure="me"))


def test_what_it_is_made_to_say_counts_where_it_is_sure() -> None:
    assert again((CITY,), answer(CITY)) == (CITY,)
    assert again((CITY,), answer(CITY, unsure="Bergen")) == ()
    assert again((WRONG,), answer(WRONG)) == ()


def test_the_rest_of_an_answer_that_has_begun_fits_its_grammar() -> None:
    grammar = statements_grammar(begun=True)
    for statements in ((CITY,), (CITY, WRONG)):
        written = dump(statements)
        assert written.startswith(BEGUN)
        assert accepts(written.removeprefix(BEGUN), grammar)
        assert read_statements(json.loads(written)) == statements
    assert not accepts(dump(()), grammar)
