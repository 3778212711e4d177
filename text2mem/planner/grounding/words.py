"""An utterance as words: Latin ones by their stems, Chinese ones as what generic words leave.

All places are offsets into the text as it was given.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from text2mem.ir.segment import CJK
from text2mem.planner.grounding.generic import ALONE_ZH, SHORT, STOP, STOP_ZH, WEAK, WEAK_ZH

_PIECES = re.compile(rf"[{CJK}]+|(?:(?![{CJK}])[^\W_])+(?:['’][A-Za-z]+)?")
_IS_HAN = re.compile(rf"[{CJK}]")
_QUANTITY = re.compile(
    r"(?:[第近前后过]|最近)?[\d一二两三四五六七八九十百千半几数]+(?:个|多)?"
    r"(?:工作日|星期|季度|小时|分钟|天|日|周|月|年|条|份|个|次|封|篇|段)"
    r"(?:以后|以前|之后|之前|以内|之内|后|前|内|里)?"
)
_JOINED = re.compile(r"n?['’][a-z]+$")
_ALSO_NOUNS = frozenset(("will", "can", "mine", "well"))
"""Stop words that are none after an article, or alone: the will, a can."""
_THE = re.compile(r"\b(?:the|a|my|our|his|her|their|\w+['’]s) $", re.IGNORECASE)
_BEFORE = 24
_LONGEST_ZH = max(map(len, STOP_ZH | WEAK_ZH))
_VOWEL = re.compile("[aeiouy]")
_LEAST_STEM = 3
_LEAST_NOUN = 5
_SHORT_NUMBER = 2
"""Numbers of up to two digits count things and say nothing; longer ones may name a year."""


@dataclass(frozen=True, slots=True)
class Word:
    """A stretch of a text that says something of what is meant.

    ``stem`` compares it: of a Latin word its stem, of a Chinese stretch the stretch itself.
    ``weak`` words say something only beside others.
    """

    start: int
    end: int
    text: str
    stem: str
    weak: bool

    @property
    def han(self) -> bool:
        """Whether it is Chinese."""
        return is_han(self.text)


def content_words(text: str) -> list[Word]:
    """The words of a text that are no stop words, in order. Chinese quantities are none."""
    found: list[Word] = []
    for start, piece in pieces(_QUANTITY.sub(lambda said: " " * len(said.group()), text)):
        if is_han(piece):
            found.extend(_stretches(start, piece))
            continue
        folded = fold(piece)
        named = folded in _ALSO_NOUNS and (
            folded == text.strip().casefold() or _THE.search(text, max(0, start - _BEFORE), start)
        )
        if (folded not in STOP or named) and not (
            folded.isdecimal() and len(folded) <= _SHORT_NUMBER
        ):
            base = stem(folded)
            found.append(Word(start, start + len(piece), piece, base, is_weak(folded)))
    return found


def is_han(text: str) -> bool:
    """Whether a text begins with a Chinese character."""
    return bool(_IS_HAN.match(text))


def is_stop(piece: str) -> bool:
    """Whether a folded Latin word, or a run of Chinese, says nothing."""
    return piece in STOP_ZH if is_han(piece) else piece in STOP


def is_weak(piece: str) -> bool:
    """Whether a folded Latin word, or a run of Chinese, says something only beside others."""
    return piece in WEAK_ZH if is_han(piece) else stem(piece) in _WEAK_STEMS


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """Latin words and runs of Chinese, with where they begin."""
    for match in _PIECES.finditer(text):
        yield match.start(), match.group()


def fold(word: str) -> str:
    """A word without case, width and what an apostrophe joins to it."""
    folded = (word if word.isascii() else unicodedata.normalize("NFKC", word)).casefold()
    return folded if folded.isalnum() else _JOINED.sub("", folded)


def stems(text: str) -> list[str]:
    """The stems of the Latin words of a text, repeats kept."""
    return [stem(fold(piece)) for _, piece in pieces(text) if not is_han(piece)]


def singulars(text: str) -> list[str]:
    """The words of a text without case and plural."""
    return [singular(fold(piece)) for _, piece in pieces(text)]


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """An English word without its plural, -ing, -ed and -ion, and without a last e.

    It only serves to compare words: "plan" of "planned", "complet" of "completion". A short form is
    the word that it is short for, "doc" a document.
    """
    if not word.isascii() or not word.isalpha():
        return word
    base = singular(word)
    base = SHORT.get(base, base)
    for ending in ("ing", "ed"):
        cut = base.removesuffix(ending)
        if cut != base and len(cut) >= _LEAST_STEM and _VOWEL.search(cut) and cut[-1] != "e":
            doubled = cut[-1] == cut[-2] and cut[-1] not in "lsz"
            base = cut[:-1] if doubled else cut
            break
    for ending in ("ation", "ition", "ion"):
        cut = base.removesuffix(ending)
        if cut != base and len(cut) >= _LEAST_NOUN:
            base = cut
            break
    if base.endswith("i"):
        base = base[:-1] + "y"
    if len(base) > _LEAST_NOUN and base.endswith("ll"):
        base = base[:-1]
    return base[:-1] if len(base) > _LEAST_STEM and base.endswith("e") else base


def singular(word: str) -> str:
    """An English word without its plural ending."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def variants(word: Word) -> list[str]:
    """How a store's index may spell a word: it folds a plural s and nothing else."""
    base = word.stem
    if word.han or not base.isascii() or not base.isalpha():
        return [word.text]
    doubled = base + base[-1]
    forms = [
        fold(word.text),
        *_SHORTENED.get(base, ()),
        base,
        base + "e",
        base + "ing",
        base + "ed",
        base + "ion",
    ]
    forms += [doubled + "ing", doubled + "ed", base + "ation"]
    if base.endswith("l"):
        forms.append(doubled)
    if base.endswith("y"):
        forms += [base[:-1] + "ie", base[:-1] + "ied"]
    return list(dict.fromkeys(forms))


def _stretches(start: int, run: str) -> Iterator[Word]:
    """What generic words leave of a run, and its weak words; the longest word is taken first."""
    begun, at = 0, 0
    while at < len(run):
        length = _generic(run, at)
        if not length:
            at += 1
            continue
        yield from _between(start + begun, run[begun:at])
        word = run[at : at + length]
        if word in WEAK_ZH:
            yield Word(start + at, start + at + length, word, word, weak=True)
        at += length
        begun = at
    yield from _between(start + begun, run[begun:])


def _generic(run: str, at: int) -> int:
    """The length of the longest generic word at a place, 0 for none."""
    for length in range(min(_LONGEST_ZH, len(run) - at), 0, -1):
        word = run[at : at + length]
        if word in STOP_ZH or word in WEAK_ZH:
            return length
    return 0


def _between(start: int, text: str) -> Iterator[Word]:
    """What stands between generic words, unless it says nothing there; one character is weak."""
    if len(text) > 2 and text[0] in "为给":
        start, text = start + 1, text[1:]
    if text and text not in ALONE_ZH:
        yield Word(start, start + len(text), text, text, weak=len(text) == 1)


_SHORTENED = {stem(long): (short,) for short, long in SHORT.items()}
_WEAK_STEMS = frozenset(map(stem, WEAK))
