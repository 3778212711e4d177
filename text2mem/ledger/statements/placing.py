"""Find the words of a statement in a text, however they are written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import normalize

from text2mem.ir.words.segment import HAN

_ACCENTS = re.compile(r"[\u0300-\u036f]")
_TYPED = re.compile(
    r"[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|.[\u0300-\u036f\u3099\u309a]*", re.DOTALL
)
"""A letter with its combining marks, or a Korean syllable that is typed in parts."""
MARKS = " \t\n.,;:!?。，！？；：、\"'“”‘’「」()（）"
"""Characters that are stripped from the ends of words."""
Span = tuple[int, int]
"""Start and end of words in a text, in characters."""


def place(text: str, words: str) -> Span | None:
    """The span of the first occurrence of words in a text, if any. Only whole words match (except
    in Chinese, where blanks do not count); case and accents are ignored."""
    sought = _plain(words.strip(MARKS))[0].split()
    if not sought:
        return None
    pattern = r"\s+".join(map(re.escape, sought))
    if HAN.search(words):
        pattern = r"\s*".join(map(re.escape, "".join(sought)))
    else:
        pattern = rf"(?<![^\W_\u3400-\u9fff]){pattern}(?![^\W_\u3400-\u9fff])"
    plain, offsets = _plain(text)
    match = re.search(pattern, plain, re.IGNORECASE)
    return (offsets[match.start()], offsets[match.end()]) if match else None


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """A text without accents and curly apostrophes, and the offsets of its characters."""
    if text.isascii():
        return text, range(len(text) + 1)
    plain, offsets = "", []
    for typed in _TYPED.finditer(text):
        letter = normalize("NFC", _ACCENTS.sub("", normalize("NFD", typed[0])))
        plain += letter
        offsets += [typed.start()] * len(letter)
    return plain.replace("’", "'").replace("‘", "'"), [*offsets, len(text)]
