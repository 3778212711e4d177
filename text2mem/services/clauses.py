"""Cutting a text where its own clauses end, by what its parts are to be about; nothing is written.

Parts that are named share the clauses out: each clause goes to the part that it is likest, by words
and vectors, and those that stand together rather stay together. Parts that are not named ("one for
each pot") are the clauses themselves, the coarsest that there are. A heading belongs to every part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from text2mem.ir.ports import Embedder
from text2mem.ir.words.likeness import dot
from text2mem.ir.words.segment import CJK, STOPWORDS, query_terms
from text2mem.ir.words.splitting import joins, spans

_MOST = 6
"""So many parts may be named; more are no names."""
_MANY = 80
"""So many clauses are shared out; of a longer text what stands together goes together."""
_LISTED, _COMMAS = re.compile(r"\s*[;；]\s*"), re.compile(r"\s*[,，、]\s*")
_HEADING = re.compile(r"\s*[^,;，；、。.!?！？\n]{1,40}?[:：](?!\d|//)\s*")
_HEADINGS = re.compile(r"(?:^|[;；。.!?！？\n])\s*[^,;，；、。.!?！？\n]{1,40}?[:：](?!\d|//)")
_ENDS = (
    re.compile(r"[;；\n]+\s*"),
    re.compile(rf"(?:,(?!\d)|[，、]|\s[-–—]\s|(?<=[{CJK}]) +(?=[{CJK}]))\s*"),
)
"""What ends a clause within a sentence, the coarser first."""
_LAST_WORD = re.compile(r"(\w+)\W*$")
_TRIMMED = " \t\n,;，；、。."
_WORDS, _LIKE = 4.0, 16.0
_APART = (0.0, 0.2, 0.3, 0.3)
"""What it costs to give two clauses to two parts where a sentence, a half of one, or less ends."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a text, and what ends with it: 0 a sentence, 1 a half of one, 2 and 3 less."""

    start: int
    end: int
    level: int


class ClauseSplitter:
    """A ``Splitter`` that no model is asked by. Without an embedder, words alone decide."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        """The parts in the order of the text; the text alone where it cannot be cut so."""
        begin = _heading(text)
        names = _names(instruction, text)
        clauses = list(_clauses(text, begin))
        if len(clauses) < max(2, len(names)):
            further = _named_at(text, names) or joins(text)
            clauses = list(_clauses(text, begin, further))
        if 1 < len(names) <= min(_MOST, len(clauses)):
            clauses = _at_most(_MANY, clauses)
            owners = self._shared_out([text[c.start : c.end] for c in clauses], names, clauses)
            held = [
                [c for c, owner in zip(clauses, owners, strict=True) if owner == part]
                for part in dict.fromkeys(owners)
            ]
        else:
            held = list(_coarsest(clauses))
        if len(held) < 2:
            return [text]
        return [text[:begin] + _joined(text, part) for part in held]

    def _shared_out(
        self, said: Sequence[str], names: Sequence[str], clauses: Sequence[Clause]
    ) -> Sequence[int]:
        """Which name each clause goes to: the likest of all ways in which every name has one."""
        likeness = self._likeness(said, names)
        # By the last clause's owner and the names that have one: what it is worth, and the way.
        best: dict[tuple[int, frozenset[int]], tuple[float, tuple[int, ...]]] = {
            (k, frozenset({k})): (likeness[0][k], (k,)) for k in range(len(names))
        }
        for (before, _), row in zip(pairwise(clauses), likeness[1:], strict=True):
            further: dict[tuple[int, frozenset[int]], tuple[float, tuple[int, ...]]] = {}
            for (last, used), (worth, way) in best.items():
                for k, gain in enumerate(row):
                    found = worth + gain - (_APART[before.level] if k != last else 0.0)
                    key = (k, used | {k})
                    if key not in further or further[key][0] < found:
                        further[key] = (found, (*way, k))
            best = further
        whole = [each for (_, used), each in best.items() if len(used) == len(names)]
        return max(whole)[1]

    def _likeness(self, said: Sequence[str], names: Sequence[str]) -> list[list[float]]:
        wanted = [frozenset(query_terms(name)) for name in names]
        rows = [
            [_WORDS * len(terms.intersection(query_terms(clause))) / len(terms) for terms in wanted]
            for clause in said
        ]
        if self._embedder is None:
            return rows
        of_names = self._embedder.embed(names, kind="query")
        of_clauses = self._embedder.embed(said, kind="passage")
        for row, vector in zip(rows, of_clauses, strict=True):
            near = [dot(vector, name) for name in of_names]
            mean = sum(near) / len(near)
            row[:] = [a + _LIKE * (b - mean) for a, b in zip(row, near, strict=True)]
        return rows


def _names(instruction: str, text: str) -> list[str]:
    """The parts that an instruction names: what it lists with semicolons ("by person: Ana; Ben"),
    or with commas where each is something that the text says."""
    head, _, rest = instruction.rpartition(": ")
    listed = rest if ";" not in head else instruction
    for mark in (_LISTED, _COMMAS):
        names = [name for name in mark.split(listed.strip()) if query_terms(name)]
        said = {*query_terms(text)}
        if len(names) > 1 and (mark is _LISTED or all(said & {*query_terms(n)} for n in names)):
            return names
    return []


def _heading(text: str) -> int:
    """Where a heading of the whole ends; 0 where there is none, or more than one."""
    found = _HEADING.match(text)
    return found.end() if found is not None and len(_HEADINGS.findall(text)) == 1 else 0


def _named_at(text: str, names: Sequence[str]) -> list[int]:
    """Where a text says its parts' names, the first time each, with the small words before it."""
    said, found = text.casefold(), []
    for name in names:
        at = said.find(name.casefold())
        while (word := _LAST_WORD.search(said[: max(at, 0)])) and word[1] in STOPWORDS:
            at = word.start()
        found.append(at)
    return [at for at in found if at > 0]


def _clauses(text: str, begin: int, further: Sequence[int] = ()) -> Iterator[Clause]:
    """The clauses from a place on; ``further`` are places where one ends besides."""
    for start, end in spans(text[begin:]):
        first, last = begin + start, begin + end
        ends = {at: len(_ENDS) + 1 for at in further if first < at < last}
        for level, mark in reversed([*enumerate(_ENDS, 1)]):
            ends |= {found.end(): level for found in mark.finditer(text, first, last)}
        ends[last] = 0
        for at in sorted(ends):
            if text[first:at].strip(_TRIMMED):
                yield Clause(first, at, ends[at])
                first = at


def _at_most(many: int, clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses, neighbours joined where there are more; sentences, where those are more, too."""
    groups = [[clause] for clause in clauses]
    for level in range(len(_APART) - 2, -1, -1):
        if len(coarser := _grouped(clauses, level)) > many:
            groups = coarser
    size = -(-len(groups) // many)
    joined = [groups[at : at + size] for at in range(0, len(groups), size)]
    return [Clause(each[0][0].start, each[-1][-1].end, each[-1][-1].level) for each in joined]


def _grouped(clauses: Sequence[Clause], level: int) -> list[list[Clause]]:
    """The clauses in groups that end where so much ends, or more."""
    groups: list[list[Clause]] = [[]]
    for clause in clauses:
        groups[-1].append(clause)
        if clause.level <= level:
            groups.append([])
    return [group for group in groups if group]


def _coarsest(clauses: Sequence[Clause]) -> Iterable[list[Clause]]:
    """The clauses in groups that end where the most ends: the coarsest cut that cuts at all."""
    for level in range(len(_APART)):
        if len(groups := _grouped(clauses, level)) > 1:
            return groups
    return [list(clauses)]


def _joined(text: str, clauses: Sequence[Clause]) -> str:
    """What some clauses say; those that stand together as they stand."""
    said = ""
    for at, clause in enumerate(clauses):
        between = text[clauses[at - 1].end : clause.start] if at else ""
        said = f"{said.rstrip()} " if between.strip() else said + between
        said += text[clause.start : clause.end]
    return said.strip(_TRIMMED)
