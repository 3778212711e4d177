"""The user of a text-to-SQL task: knows what was meant, and answers what is asked, no more."""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.ir.words.segment import query_terms
from text2mem_bench.sql.tasks import Part

_UNSURE = "I do not know what you mean. Which part of what I said is unclear?"
_NAMED, _RELATED = 1.0, 0.5


def answer(question: str, open_parts: Sequence[Part]) -> tuple[str, Part | None]:
    """The answer to a question, and the phrase that it makes clear, None where it makes none.

    A question is about the phrase whose words it uses, or else those of its meaning.
    """
    asked = question.casefold()
    likely = [(_about(asked, part), -place, part) for place, part in enumerate(open_parts)]
    score, _, part = max(likely, default=(0.0, 0, None), key=lambda each: each[:2])
    if part is None or score == 0:
        return _UNSURE, None
    assert part.answer is not None
    return part.answer, part


def _about(question: str, part: Part) -> float:
    """How much a question is about a phrase: the whole of it, or a share of its words."""
    vague, asked = str(part.vague), frozenset(query_terms(question))
    named, related = query_terms(vague), query_terms(f"{part.answer} {part.sql}")
    shares = sum(
        weight * len(asked.intersection(terms)) / len(terms)
        for weight, terms in ((_NAMED, named), (_RELATED, related))
        if terms
    )
    return shares + (vague.casefold() in question)
