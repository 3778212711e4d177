"""A person's own words for a thing, and the words in which they were once told.

"What did I write about the old lady's belt?" was told as "… about the belt of the Singer treadle?":
where a request says "the old lady" again, its memories are looked for by "Singer treadle" as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from text2mem.ir.words.segment import CJK, STOPWORDS, query_terms

_PIECE = re.compile(rf"[{CJK}]|[^\W{CJK}]+")
_LEAST = 2
"""How many characters own words have at least."""
Piece = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class OwnWords:
    """``own`` as a request has them, and what was ``told`` in their place."""

    own: str
    told: str

    def plain(self, text: str) -> str:
        """A text with the words that were told."""
        return re.sub(re.escape(self.own), lambda _: self.told, text, flags=re.IGNORECASE)


def own_words(request: str, once: str, told: str) -> OwnWords | None:
    """The longest words of a request that an earlier one (``once``) had where ``told`` has others;
    None where there are none, or nothing was told in their place."""
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
    """What a request has on end of own words, at most; empty where that says nothing."""
    found = SequenceMatcher(None, _words(asked), _words(own), autojunk=False).find_longest_match()
    if not found.size:
        return ""
    said = request[asked[found.a][1] : asked[found.a + found.size - 1][2]]
    return "" if {*query_terms(said)} <= STOPWORDS else said


def _trimmed(text: str, pieces: list[Piece]) -> str:
    """What pieces of a text say, without the small words at its ends."""
    telling = [piece for piece in pieces if piece[0] not in STOPWORDS]
    return text[telling[0][1] : telling[-1][2]] if telling else ""


def _words(pieces: list[Piece]) -> list[str]:
    return [piece[0] for piece in pieces]


def _pieces(text: str) -> list[Piece]:
    return [(found[0].casefold(), found.start(), found.end()) for found in _PIECE.finditer(text)]
