"""Words that an assertion asks for and nobody said: the gold program made them up.

A compile that copies what it is told, or what the store holds, cannot come by them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from text2mem_bench.assertions import Assertion

if TYPE_CHECKING:
    from text2mem_bench.corpus import Case

Invented = Literal["text", "tags"]
_LIKE: dict[Invented, re.Pattern[str]] = {
    "text": re.compile(r"(?<!\w)text\s+LIKE(?!\w)", re.IGNORECASE),
    "tags": re.compile(r"(?<!\w)tags(?!\w).*(?<!\w)LIKE(?!\w)", re.IGNORECASE),
}
_BOUND = re.compile(r":(\w+)")
_QUOTED = re.compile(r"'([^']*)'")
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
"""A Chinese character, or a run of other letters and digits."""


def said_of(case: Case) -> str:
    """Everything that a planner can know of a case: the turns, the request and the store."""
    stored = json.dumps(list(case.prerequisites), ensure_ascii=False)
    return "\n".join([*case.context, case.utterance, stored])


def invented(assertion: Assertion, said: str) -> Invented | None:
    """Where it asks for a word, or a Chinese character, that is nowhere in ``said``.

    The text of a memory goes before its tags. An assertion that holds of an empty store asks for
    nothing.
    """
    known = said.casefold()
    if assertion.holds(0):
        return None
    for field, like in _LIKE.items():
        words = (word for wanted in _keywords(assertion, like) for word in _WORD.findall(wanted))
        if any(word not in known for word in words):
            return field
    return None


def _keywords(assertion: Assertion, like: re.Pattern[str]) -> Iterator[str]:
    """What the conditions of one kind ask for, in small letters."""
    for condition in assertion.where:
        if like.search(condition):
            bound = (str(assertion.params.get(name, "")) for name in _BOUND.findall(condition))
            for wanted in (*bound, *_QUOTED.findall(condition)):
                yield wanted.casefold()
