"""Replies in words to a question: yes, no, or the number of an option, in either language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from text2mem import resources


def reply(words: str) -> Literal["yes", "no"] | int | None:
    """What a reply says; None where it is neither a yes, a no, nor a number."""
    said = plain(words)
    if said in _replies()["no"]:
        return "no"
    if said in _replies()["yes"]:
        return "yes"
    number = _number().fullmatch(said)
    return int(number[1]) if number is not None else None


def plain(words: str) -> str:
    """Words without case, without what ends a sentence, and with single blanks."""
    return " ".join(words.casefold().split()).rstrip(".!。！ ")


@cache
def _replies() -> Mapping[str, Sequence[str]]:
    held: Mapping[str, Sequence[str]] = tomllib.loads(
        resources.read_text("prompts", "replies.toml")
    )
    return held


@cache
def _number() -> re.Pattern[str]:
    before, after = ("|".join(map(re.escape, _replies()[key])) for key in ("before", "after"))
    return re.compile(rf"(?:{before})?\s*([0-9]{{1,9}})\s*(?:{after})?")
