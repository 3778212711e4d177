"""A model that cuts a text: what it makes up, loses or says twice is no part."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from text2mem.errors import MalformedOutput
from text2mem.providers.function import FunctionProvider
from text2mem.services.model import ModelSplitter

NOTE = "Dentist on Tuesday at 10:30, and also buy oat milk; ask Ana about the keys"
CHINESE = "周二十点看牙医，顺便买牛奶；周三问安娜钥匙"


def split(text: str, parts: Sequence[str]) -> Sequence[str]:
    return ModelSplitter(lambda: FunctionProvider(lambda _: {"parts": [*parts]})).split(
        text, instruction="by topic"
    )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (NOTE, ("Dentist on Tuesday at 10:30", "buy oat milk", "ask Ana about the keys")),
        (CHINESE, ("周二十点看牙医", "顺便买牛奶", "周三问安娜钥匙")),
        (CHINESE, ("周二十点看牙医 ", " 买牛奶", "", "周三问安娜钥匙")),
    ],
)
def test_parts_that_the_text_holds_are_kept(text: str, parts: Sequence[str]) -> None:
    assert split(text, parts) == [part.strip() for part in parts if part.strip()]


@pytest.mark.parametrize(
    ("text", "parts", "fault"),
    [
        (NOTE, (NOTE, "call Bob"), "hold words that the memory does not: bob, call"),
        (NOTE, ("Dentist on Tuesday at 10:30", "buy oat milk"), "leave out words of the memory"),
        (NOTE, (NOTE.replace("10:30", ""),), "leave out words of the memory: 10, 30"),
        (NOTE, (NOTE, "buy oat milk", "oat milk"), "repeat words of the memory: buy, milk, oat"),
        (CHINESE, ("周二十点看牙医", "周三问安娜钥匙"), "leave out words of the memory"),
        (CHINESE, (CHINESE, "买牛奶"), "repeat words of the memory"),
    ],
)
def test_other_parts_are_refused_with_the_words(
    text: str, parts: Sequence[str], fault: str
) -> None:
    with pytest.raises(MalformedOutput, match=f"the model's parts {fault}") as raised:
        split(text, parts)
    assert "sentences" in str(raised.value.hint)
