"""Judge how sure a small reader is of its statements, by the probabilities of its tokens.

What it has misread mostly has one or two tokens of low probability. The thresholds were set by hand
on a few dozen turns (docs/statements.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from text2mem.ledger.statements.contract import Statement
from text2mem.providers.base import Completion

_SURE, _NOTHING = 0.55, 0.7
"""The least probability of a token of a sure statement, and of an answer without statements."""
_NAMING = re.compile(r'"attribute":"[^"]*$')
"""The end of an answer that is in the middle of an attribute's name."""


def doubts_nothing(statements: Sequence[Statement], answer: Completion) -> bool:
    """Whether a reader has stated nothing, and was not sure of that."""
    least = min((probability for _, probability in answer.tokens), default=1.0)
    return not statements and least < _NOTHING


def weighed(statements: Sequence[Statement], answer: Completion) -> tuple[Statement, ...]:
    """The statements: one with a token below ``_SURE`` is doubted, or, if it could not wait (a
    retraction, a yes or a no), left out. Without probabilities none is."""
    least = list(_probabilities(answer))
    if len(least) != len(statements):
        return tuple(statements)
    return tuple(
        statement if probability >= _SURE else replace(statement, sure="no")
        for statement, probability in zip(statements, least, strict=True)
        if probability >= _SURE or statement.kind in ("", "correct")
    )


def again(statements: Sequence[Statement], answer: Completion) -> tuple[Statement, ...]:
    """The statements without a kind all of whose tokens have a probability of ``_SURE`` or more, in
    an answer that had to state something. Without probabilities there are none."""
    least = list(_probabilities(answer, names=True))
    if len(least) != len(statements):
        return ()
    pairs = zip(statements, least, strict=True)
    return tuple(each for each, probability in pairs if probability >= _SURE and not each.kind)


def _probabilities(answer: Completion, *, names: bool = False) -> Iterator[float]:
    """Yield for each fact of the answer the least probability of its tokens; those of the
    attribute's name count only with ``names``, since several names may be equally good."""
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
