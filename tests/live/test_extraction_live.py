"""What the real small model reads of sentences that code does not read."""

from __future__ import annotations

import pytest

from tests.extraction import played
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction import extract
from text2mem.providers.base import Provider

pytestmark = pytest.mark.model


def read(text: str, declared: str, model: Provider) -> tuple[Candidate, ...]:
    episode, known = played({"text": text, "registry": {declared: {}}})
    assert extract(episode, known).candidates == ()
    return extract(episode, known, model).candidates


def test_a_sentence_that_no_table_reads(local_model: Provider) -> None:
    text = "Three nights in Ghent is what we booked, hotel: it was the Monasterium that had rooms."
    for found in read(text, "hotel", local_model):
        assert (found.subject, found.attribute, found.by) == ("user", "hotel", "model")
        assert "Monasterium" in str(found.value) and str(found.value) in text


def test_a_moment_is_no_fact(local_model: Provider) -> None:
    assert read("The hotel lift stopped twice between floors.", "hotel", local_model) == ()
