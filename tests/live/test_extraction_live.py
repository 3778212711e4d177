"""What the real small model reads of sentences that code does not read."""

from __future__ import annotations

import pytest

from tests.extraction import played
from text2mem.ledger.extraction import extract
from text2mem.providers.base import Provider

pytestmark = pytest.mark.model


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("Release notes get signed off by Anneke.", "approver", "Anneke"),
        ("下周开始值班的是温宁。", "值班人", "温宁"),
    ],
)
def test_a_sentence_that_no_table_reads(
    text: str, attribute: str, value: str, local_model: Provider
) -> None:
    episode, known = played({"text": text, "registry": {attribute: {}}})
    assert extract(episode, known).candidates == ()
    (found,) = extract(episode, known, local_model).candidates
    assert (found.subject, found.attribute, found.value) == ("user", attribute, value)
    assert found.by == "model"
