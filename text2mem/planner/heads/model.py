"""What a head is, and the rules of both languages that find one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from text2mem.planner.evidence.text import CLOSING, INSIDE, OPENING

QUOTED = f"{OPENING}{INSIDE}{{0,400}}{CLOSING}"
"""The source of a pattern for a quotation, which is one mark to a head."""


@dataclass(frozen=True, slots=True)
class Head:
    """The ops that a clause can ask for, the likeliest first; empty where no word tells.

    ``start`` and ``end`` are where the request's own words stand in the clause ("please save"), so
    that what remains is what it is about; both 0 where they do not stand together. ``first``: the
    request leads its clause, as an imperative does.
    """

    ops: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    first: bool = False


NONE = Head()


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and the ops that a clause can ask for where it is met."""

    ops: tuple[str, ...]
    pattern: re.Pattern[str]


def words(said: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(said.split())


def rule(ops: str, *patterns: str) -> Rule:
    """A rule of one or several ops, for any of the patterns."""
    return Rule(tuple(ops.split()), re.compile("|".join(patterns)))


@dataclass(frozen=True, slots=True)
class Frame:
    """What some verbs ask for where what follows them reads like this ("put … under …")."""

    ops: tuple[str, ...]
    verbs: frozenset[str]
    pattern: re.Pattern[str]


def frame(ops: str, verbs: str, *patterns: str) -> Frame:
    """A frame of verbs, for any of the patterns; each is searched in what follows the verb."""
    return Frame(tuple(ops.split()), words(verbs), re.compile("|".join(patterns)))
