"""Reads a person's answer to a question: yes, no, or which option, in English or Chinese."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any, Literal

from text2mem import resources
from text2mem.conversation.reply import DROP, Question
from text2mem.errors import ChoiceNeeded, NoSuchOption

_LAST = -1
"""The number of the last option, however many there are."""


def choice(words: str, question: Question) -> int | None:
    """The offer that a reply chooses, from 1, or DROP; None where it says something else.

    A yes, or the same request once more, chooses an offer that is the only one. A number that is no
    offer's is the id of a memory in question, or what a question without offers asks for. Raises
    NoSuchOption, and ChoiceNeeded for a yes to several.
    """
    said, count = spoken(words), len(question.offers)
    if said == "no":
        return DROP
    again = plain(words) == plain(question.request)
    if (said == "yes" or again) and count == 1:
        return 1
    if said == "yes" and count:
        raise ChoiceNeeded("that does not say which one", hint=f"say a number from 1 to {count}")
    if not isinstance(said, int) or not count:
        return None
    number = count if said == _LAST else said
    if DROP <= number <= count:
        return number
    if any(str(said) == one.get("id") for one in question.candidates):
        return None
    raise NoSuchOption(said, options=count)


def spoken(words: str) -> Literal["yes", "no"] | int | None:
    """What a reply says; None where it is neither a yes, a no, nor a number."""
    said, known = plain(words), _replies()
    if said in known["no"]:
        return "no"
    if said in known["yes"]:
        return "yes"
    found = _number().fullmatch(said)
    if found is None:
        return None
    number: int | None = known["numbers"].get(found[1])
    return int(found[1]) if number is None else number


def plain(words: str) -> str:
    """Words without case, without what ends a sentence, and with single blanks."""
    return " ".join(words.casefold().split()).rstrip(".!。！ ")


@cache
def _replies() -> dict[str, Any]:
    return tomllib.loads(resources.read_text("prompts", "replies.toml"))


@cache
def _number() -> re.Pattern[str]:
    before, numbers, after = (
        "|".join(sorted(map(re.escape, _replies()[key]), key=len, reverse=True))
        for key in ("before", "numbers", "after")
    )
    return re.compile(rf"(?:{before})?\s*([0-9]{{1,9}}|{numbers})\s*(?:{after})?")
