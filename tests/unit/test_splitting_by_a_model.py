"""A model that cuts a text: what it makes up, loses or says twice is no part."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from text2mem.providers.function import FunctionProvider
from text2mem.services.model import ModelSplitter

NOTE = "Dentist on Tuesday at 10:30, and also buy oat milk; ask Ana about the keys"
CHINESE = "周二十点看牙医，顺便买牛奶；周三问安娜钥匙"


class Otherwise:
    """The fallback: one part that no test gives."""

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        return ["cut otherwise"]


def split(text: str, parts: Sequence[str]) -> Sequence[str]:
    model = FunctionProvider(lambda _: {"parts": [*parts]})
    return ModelSplitter(lambda: model, Otherwise()).split(text, instruction="by topic")


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
    ("text", "parts"),
    [
        pytest.param(NOTE, (NOTE, "call Bob"), id="made up"),
        pytest.param(NOTE, ("Dentist on Tuesday at 10:30", "buy oat milk"), id="lost"),
        pytest.param(NOTE, (NOTE.replace("10:30", ""),), id="lost a number"),
        pytest.param(NOTE, (NOTE, "buy oat milk", "oat milk"), id="said twice"),
        pytest.param(CHINESE, ("周二十点看牙医", "周三问安娜钥匙"), id="lost in Chinese"),
        pytest.param(CHINESE, (CHINESE, "买牛奶"), id="said twice in Chinese"),
    ],
)
def test_other_parts_give_way(text: str, parts: Sequence[str]) -> None:
    assert split(text, parts) == ["cut otherwise"]
