"""Split a text into parts at the ends of its clauses, as an instruction says, without a model.

If the instruction names the parts, each clause goes to the part that it is most similar to, by
words and vectors; neighbouring clauses tend to go to the same part. If it does not ("one for each
pot"), the parts are the largest clauses. A heading of the whole text is repeated in each part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from text2mem.ir.ports import Embedder
from text2mem.ir.words.likeness import dot
from text2mem.ir.words.segment import CJK, STOPWORDS, query_terms
from text2mem.ir.words.splitting import joins, spans

_MOST = 6
"""The most parts that an instruction can name. Longer lists are not taken for names."""
_MANY = 80
"""The most clauses that are assigned to parts. In a longer text, neighbours are joined first."""
_LISTED, _COMMAS = re.compile(r"\s*[;；]\s*"), re.compile(r"\s*[,，、]\s*")
_HEADING = re.compile(r"\s*[^,;，；、。.!?！？\n]{1,40}?[:：](?!\d|//)\s*")
_HEADINGS = re.compile(r"(?:^|[;；。.!?！？\n])\s*[^,;，；、。.!?！？\n]{1,40}?[:：](?!\d|//)")
_ENDS = (
    re.compile(r"[;；\n]+\s*"),
    re.compile(rf"(?:,(?!\d)|[，、]|\s[-–—]\s|(?<=[{CJK}]) +(?=[{CJK}]))\s*"),
)
"""What ends a clause within a sentence, from the strongest separator to the weakest."""
_LAST_WORD = re.compile(r"(\w+)\W*$")
_TRIMMED = " \t\n,;，；、。."
_WORDS, _LIKE = 4.0, 16.0
"""The weights of the share of a name's terms in a clause, and of the likeness of their vectors."""
_APART = (0.0, 0.2, 0.3, 0.3)
"""The cost of assigning two neighbours to different parts, by the level of the first one."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a text, from ``start`` to ``end``."""

    start: int
    end: int
    level: int
    """What ends with it: 0 a sentence; 1 a part of one that ends with a semicolon or a line break;
    2 one that ends with a comma or dash; 3 one that ends at another given place."""


_Ways = dict[tuple[int, frozenset[int]], tuple[float, tuple[int, ...]]]
"""The best score and assignment, by the name of the last clause and the set of names in use."""


class ClauseSplitter:
    """A ``Splitter`` that asks no language model. Without an embedder, only words are compared."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        """Return the parts, each with the heading; the text alone if it cannot be split."""
        begin = _heading(text)
        names = _names(instruction, text)
        clauses = list(_clauses(text, begin))
        if len(clauses) < max(2, len(names)):
            further = _named_at(text, names) or joins(text)
            clauses = list(_clauses(text, begin, further))
        if 1 < len(names) <= min(_MOST, len(clauses)):
            clauses = _at_most(_MANY, clauses)
            owners = self._shared_out([text[c.start : c.end] for c in clauses], names, clauses)
            parts = [
                [c for c, owner in zip(clauses, owners, strict=True) if owner == part]
                for part in dict.fromkeys(owners)
            ]
        else:
            levels = (_grouped(clauses, level) for level in range(len(_APART)))
            parts = next((groups for groups in levels if len(groups) > 1), [])
        return [text[:begin] + _joined(text, part) for part in parts] if len(parts) > 1 else [text]

    def _shared_out(
        self, said: Sequence[str], names: Sequence[str], clauses: Sequence[Clause]
    ) -> Sequence[int]:
        """The index of a name for each clause: of all assignments that give each name a clause, the
        one with the highest score, by dynamic programming."""
        first, *others = self._likeness(said, names)
        best: _Ways = {(k, frozenset({k})): (gain, (k,)) for k, gain in enumerate(first)}
        for before, row in zip(clauses, others, strict=False):
            further: _Ways = {}
            for (last, used), (worth, way) in best.items():
                for k, gain in enumerate(row):
                    found = worth + gain - (_APART[before.level] if k != last else 0.0)
                    key = (k, used | {k})
                    if key not in further or further[key][0] < found:
                        further[key] = (found, (*way, k))
            best = further
        return max(each for (_, used), each in best.items() if len(used) == len(names))[1]

    def _likeness(self, said: Sequence[str], names: Sequence[str]) -> list[list[float]]:
        """The similarity of each clause (row) to each name (column)."""
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
    """The parts that an instruction names in a list with semicolons ("by person: Ana; Ben"), or
    with commas if each shares a term with the text."""
    head, _, rest = instruction.rpartition(": ")
    listed = rest if ";" not in head else instruction
    said = {*query_terms(text)}
    for mark in (_LISTED, _COMMAS):
        names = [name for name in mark.split(listed.strip()) if query_terms(name)]
        if len(names) > 1 and (mark is _LISTED or all(said & {*query_terms(n)} for n in names)):
            return names
    return []


def _heading(text: str) -> int:
    """The end of a heading of the whole text; 0 if there is none, or if there are several."""
    found = _HEADING.match(text)
    return found.end() if found is not None and len(_HEADINGS.findall(text)) == 1 else 0


def _named_at(text: str, names: Sequence[str]) -> list[int]:
    """The places where a text mentions each name first, with the stop words before it."""
    said, found = text.casefold(), []
    for name in names:
        at = said.find(name.casefold())
        while (word := _LAST_WORD.search(said[: max(at, 0)])) and word[1] in STOPWORDS:
            at = word.start()
        found.append(at)
    return [at for at in found if at > 0]


def _clauses(text: str, begin: int, further: Sequence[int] = ()) -> Iterator[Clause]:
    """The clauses of a text from a place on; ``further`` are more places where one ends."""
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
    """Join equal numbers of neighbours, clauses or the groups of the coarsest level that has still
    too many, until there are at most ``many``."""
    groups = [[clause] for clause in clauses]
    for level in range(len(_APART) - 2, -1, -1):
        if len(coarser := _grouped(clauses, level)) > many:
            groups = coarser
    size = -(-len(groups) // many)
    joined = [groups[at : at + size] for at in range(0, len(groups), size)]
    return [Clause(each[0][0].start, each[-1][-1].end, each[-1][-1].level) for each in joined]


def _grouped(clauses: Sequence[Clause], level: int) -> list[list[Clause]]:
    """The clauses in groups, each of which ends with a clause of this level or a lower one."""
    groups: list[list[Clause]] = [[]]
    for clause in clauses:
        groups[-1].append(clause)
        if clause.level <= level:
            groups.append([])
    return [group for group in groups if group]


def _joined(text: str, clauses: Sequence[Clause]) -> str:
    """The text of some clauses. Text between neighbours is kept; others are joined by a blank,
    but for one behind a Chinese mark."""
    said = ""
    for at, clause in enumerate(clauses):
        between = text[clauses[at - 1].end : clause.start] if at else ""
        apart = said.rstrip() + " " * (not said.rstrip().endswith(("，", "、", "；", "。")))
        said = apart if between.strip() else said + between
        said += text[clause.start : clause.end]
    return said.strip(_TRIMMED)
