"""Heads: the word of a clause that asks for something, and the ops that it can ask for.

In "please mark the urgent report as done" the head is "mark"; "urgent" and "report" are not. A head
that can only mean one op decides it; where it can mean several, the model chooses among those.
"""

from __future__ import annotations

from dataclasses import dataclass

from text2mem.planner.heads import chinese, english

__all__ = ["Head", "head"]


@dataclass(frozen=True, slots=True)
class Head:
    """The ops that a clause can ask for, the likeliest first; empty where no word tells.

    ``start`` and ``end`` are where the request's own words stand in the clause ("please save"), so
    that what remains is what it is about; both 0 where they do not stand in front.
    """

    ops: tuple[str, ...] = ()
    start: int = 0
    end: int = 0


def head(clause: str) -> Head:
    """The head of one clause, in English or Chinese."""
    language = chinese if _is_chinese(clause) else english
    found = language.find(clause)
    return Head(*found) if found else Head()


def _is_chinese(text: str) -> bool:
    """Whether a clause reads as Chinese: more than a third of what is no space is a Han letter."""
    letters = [c for c in text if not c.isspace()]
    return 3 * sum("\u3400" <= c <= "\u9fff" for c in letters) > len(letters)
