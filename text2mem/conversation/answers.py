"""Read a person's answer to a question: yes, no, the number of an option, or what it was.

The words of English and Chinese that count are in ``prompts/replies.toml``.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any, Literal

from text2mem import resources
from text2mem.conversation.reply import DROP, Question
from text2mem.errors import ChoiceNeeded, NoSuchOption

_LAST = -1
"""The number that stands for the last option."""


def choice(words: str, question: Question) -> int | None:
    """Return the number of the offer that a reply chooses, from 1; DROP for a no; else None.

    A yes chooses what the question is about (``Question.agreed``), the request repeated the only
    offer. A number chooses nothing if there are no offers, or if it is the id of a candidate and
    not the number of an offer. Raises NoSuchOption for any other number, and ChoiceNeeded for a yes
    that may mean several offers, and for who asks what the question was.
    """
    said, count = spoken(words), len(question.offers)
    if said == "no":
        return DROP
    if count == 1 and plain(words) == plain(question.request):
        return 1
    if said == "yes" and question.agreed is not None:
        return question.agreed
    if said == "again" or (said == "yes" and count):
        raise ChoiceNeeded("that does not say which one", hint=f"say a number from 1 to {count}")
    if not isinstance(said, int) or not count:
        return None
    number = count if said == _LAST else said
    if DROP <= number <= count:
        return number
    if any(str(said) == candidate.get("id") for candidate in question.candidates):
        return None
    raise NoSuchOption(said, options=count)


def spoken(words: str) -> Literal["yes", "no", "again"] | int | None:
    """Return the yes, no or number that a reply consists of, or "again" if it asks what the
    question was; None if it is anything else."""
    said, known = plain(words), _replies()
    if said in known["no"]:
        return "no"
    if said in known["yes"]:
        return "yes"
    if (said.rstrip("?？! ") or said[:1]) in known["again"]:
        return "again"
    found = _number().fullmatch(said)
    if found is None:
        return None
    number: int | None = known["numbers"].get(found[1])
    return int(found[1]) if number is None else number


def plain(words: str) -> str:
    """Return words in lower case, with single blanks, without commas, and without punctuation at
    the end."""
    return " ".join(re.sub("[,，]", " ", words).casefold().split()).rstrip(".!。！ ")


@cache
def _replies() -> dict[str, Any]:
    return tomllib.loads(resources.read_text("prompts", "replies.toml"))


@cache
def _number() -> re.Pattern[str]:
    """The pattern of a reply that consists of a number, such as "2", "the second one"."""
    before, numbers, after = (
        "|".join(sorted(map(re.escape, _replies()[key]), key=len, reverse=True))
        for key in ("before", "numbers", "after")
    )
    return re.compile(rf"(?:(?:{before})\s*)*([0-9]{{1,9}}|{numbers})(?:\s*(?:{after}))*")
