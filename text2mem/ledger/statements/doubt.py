"""How sure a small reader is of what it has written, by the probabilities of its tokens.

They say more than its words do: what it misreads it mostly writes with a token or two of which it
was not sure. The bounds were set by hand on a few dozen turns (docs/statements.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from text2mem.ledger.statements.contract import Statement
from text2mem.providers.base import Completion

_SURE, _NOTHING = 0.55, 0.7
_NAMING = re.compile(r'"attribute":"[^"]*$')


def doubts_nothing(statements: Sequence[Statement], answer: Completion) -> bool:
    """Whether a reader found nothing in a turn, and was not sure of that."""
    least = min((probability for _, probability in answer.tokens), default=1.0)
    return not statements and least < _NOTHING


def weighed(statements: Sequence[Statement], answer: Completion) -> tuple[Statement, ...]:
    """The statements, those marked as doubted of which the reader was not sure.

    A doubted retraction or answer is left out: it states nothing that could wait. Without
    probabilities the statements stay as they are.
    """
    found = list(_probabilities(answer))
    if len(found) != len(statements):
        return tuple(statements)
    return tuple(
        each if probability >= _SURE else replace(each, sure="no")
        for each, probability in zip(statements, found, strict=True)
        if probability >= _SURE or each.kind in ("", "correct")
    )


def again(statements: Sequence[Statement], answer: Completion) -> tuple[Statement, ...]:
    """The statements of a reader that was made to state something, as far as it was sure."""
    found = list(_probabilities(answer, names=True))
    if len(found) != len(statements):
        return ()
    pairs = zip(statements, found, strict=True)
    return tuple(each for each, probability in pairs if probability >= _SURE and not each.kind)


def _probabilities(answer: Completion, *, names: bool = False) -> Iterator[float]:
    """The least probability of a token of each fact, in the order of the answer.

    Tokens of the attribute's name count only with ``names``: several names may be as good.
    """
    least: float | None = None
    depth = 0
    written = ""
    for token, probability in answer.tokens:
        if least is not None and (names or not _NAMING.search(written)):
            least = min(least, probability)
        written += token
        for character in token:
            depth += (character == "{") - (character == "}")
            if character == "{" and depth == 2:
                least = 1.0
            if character == "}" and depth == 1 and least is not None:
                yield least
                least = None
