"""Own words: a person's own words for a thing, and the usual words that once explained them.

"What did I write about the old lady's belt?" was explained as "… about the belt of the Singer
treadle?". If a later request says "the old lady", its memories are looked for by "Singer treadle",
too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from text2mem.ir.words.segment import CJK, STOPWORDS, query_terms

_PIECE = re.compile(rf"[{CJK}]|[^\W{CJK}]+")
_LEAST = 2
"""The least characters of own words."""
Piece = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Own words of a person (``own``), and the usual ones that they stand for (``told``)."""

    own: str
    told: str

    def plain(self, text: str) -> str:
        """A text with the own words replaced by the usual ones."""
        return re.sub(re.escape(self.own), lambda _: self.told, text, flags=re.IGNORECASE)


def own_words(request: str, once: str, told: str) -> OwnWords | None:
    """The longest words that a request shares with an earlier one (``once``) where ``told``, which
    says the same in other words, differs. None if there are none, or ``told`` has nothing in their
    place."""
    asked, before, after = _pieces(request), _pieces(once), _pieces(told)
    compared = SequenceMatcher(None, _words(before), _words(after), autojunk=False).get_opcodes()
    changed = [each for each in compared if each[0] != "equal"]
    inserted = [(start, end) for tag, _, _, start, end in changed if tag == "insert"]
    best: tuple[str, list[tuple[int, int]]] = ("", [])
    for _, first, last, start, end in changed:
        run = _shared(request, asked, before[first:last])
        if len(run) > len(best[0]):
            best = run, [(start, end)] if end > start else inserted
    own, spans = best
    words = " ".join(filter(None, (_trimmed(told, after[a:b]) for a, b in spans)))
    return OwnWords(own, words) if len(own) >= _LEAST and query_terms(words) else None


def _shared(request: str, asked: list[Piece], own: list[Piece]) -> str:
    """The longest run of own words that a request holds; empty if it has only stop words."""
    found = SequenceMatcher(None, _words(asked), _words(own), autojunk=False).find_longest_match()
    if not found.size:
        return ""
    said = request[asked[found.a][1] : asked[found.a + found.size - 1][2]]
    return "" if {*query_terms(said)} <= STOPWORDS else said


def _trimmed(text: str, pieces: list[Piece]) -> str:
    """The text of some pieces, without stop words at its ends."""
    telling = [piece for piece in pieces if piece[0] not in STOPWORDS]
    return text[telling[0][1] : telling[-1][2]] if telling else ""


def _words(pieces: list[Piece]) -> list[str]:
    return [piece[0] for piece in pieces]


def _pieces(text: str) -> list[Piece]:
    """The words of a text, or single Chinese characters, each with its place."""
    return [(found[0].casefold(), found.start(), found.end()) for found in _PIECE.finditer(text)]
