"""Words that an assertion asks for and nobody said: the gold program made them up.

A compile that copies what it is told, or what the store holds, cannot come by them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from text2mem.bench.assertions import Assertion

if TYPE_CHECKING:
    from text2mem.bench.corpus import Case

_TEXT = re.compile(r"\btext\s+LIKE\b", re.IGNORECASE)
_BOUND = re.compile(r":(\w+)")
_QUOTED = re.compile(r"'([^']*)'")
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
"""A Chinese character, or a run of other letters and digits."""


def said_of(case: Case) -> str:
    """Everything that a planner can know of a case: the turns, the request and the store."""
    stored = json.dumps(list(case.prerequisites), ensure_ascii=False)
    return "\n".join([*case.context, case.utterance, stored])


def is_invented(assertion: Assertion, said: str) -> bool:
    """Whether it asks for a text with a word, or a Chinese character, that is nowhere in ``said``.

    An assertion that holds of an empty store asks for none.
    """
    known = said.casefold()
    return not assertion.holds(0) and any(
        word not in known for wanted in _keywords(assertion) for word in _WORD.findall(wanted)
    )


def _keywords(assertion: Assertion) -> Iterator[str]:
    """What the text of a memory has to be like, in small letters."""
    for condition in assertion.where:
        if _TEXT.search(condition):
            bound = (str(assertion.params.get(name, "")) for name in _BOUND.findall(condition))
            for wanted in (*bound, *_QUOTED.findall(condition)):
                yield wanted.casefold()
