"""Clauses: the steps of a request, where several things are asked for one after another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from text2mem.planner.evidence.model import Clause
from text2mem.planner.evidence.text import Span, Text, masked


@dataclass(frozen=True, slots=True)
class Connectors:
    """How one language goes on to the next step.

    ``joint`` ends where the next step starts, if it starts as ``asks`` does; a joint with the group
    ``loose`` needs a step that starts as ``named`` does. What stands before has to ask for
    something (``asked``) and be more than a ``search``. What starts as ``aside`` does is none, nor
    is what ``follows`` on an ``ending``: "keep it until Friday, then delete it" is one step.
    """

    joint: re.Pattern[str]
    asks: re.Pattern[str]
    named: re.Pattern[str]
    asked: re.Pattern[str]
    search: re.Pattern[str]
    aside: re.Pattern[str]
    ending: re.Pattern[str]
    follows: re.Pattern[str]


def read_clauses(
    text: Text, conditions: Sequence[Span], connectors: Sequence[Connectors]
) -> tuple[Clause, ...]:
    """The steps in their order; one where there is but one."""
    # What a condition says is not asked for: "if I have to delete notes, …".
    seen = masked(text.asked, conditions)
    cuts = sorted(
        {cut.start: cut for words in connectors for cut in _cuts(seen, words)}.values(),
        key=lambda cut: cut.start,
    )
    clauses, start = [], 0
    for cut in (*cuts, Span(len(seen), len(seen))):
        if cut.start >= start:
            clauses += [_clause(text.utterance, start, cut.start)]
            start = cut.end
    return tuple(one for one in clauses if one.words) or (_clause(text.utterance, 0, len(seen)),)


def _cuts(text: str, words: Connectors) -> list[Span]:
    found: list[Span] = []
    start = 0
    for joint in words.joint.finditer(text):
        if _goes_on(text, start, joint, words):
            found.append(Span(*joint.span()))
            start = joint.end()
    return found


def _goes_on(text: str, start: int, joint: re.Match[str], words: Connectors) -> bool:
    left, place = text[start : joint.start()], joint.end()
    if words.aside.match(text, place) or not words.asks.match(text, place):
        return False
    if joint.groupdict().get("loose") is not None and not words.named.match(text, place):
        return False
    if not words.asked.search(left) or words.search.fullmatch(left.strip()):
        return False
    return not (words.ending.search(left) and words.follows.match(text, place))


def _clause(utterance: str, start: int, end: int) -> Clause:
    words = utterance[start:end]
    start += len(words) - len(words.lstrip(" \t\r\n,;，；、。"))
    words = utterance[start:end].rstrip(" \t\r\n,;，；、")
    return Clause(start, start + len(words), words)
