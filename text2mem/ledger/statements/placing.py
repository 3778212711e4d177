"""Find the words of a statement: in a text, however they are written, and in a held value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from unicodedata import normalize

from text2mem.ir.words.joining import items
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import HAN
from text2mem.messages import listed

_ACCENTS = re.compile(r"[\u0300-\u036f]")
_TYPED = re.compile(
    r"[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|.[\u0300-\u036f\u3099\u309a]*", re.DOTALL
)
"""A letter with its combining marks, or a Korean syllable that is typed in parts."""
MARKS = " \t\n.,;:!?。，！？；：、\"'“”‘’「」()（）"
"""Characters that are stripped from the ends of words."""
_EDGE = 3
"""The least number of characters at the edge of a value that identify it."""
_FIGURES = re.compile(r"\d+(?:[.,]\d+)*")
_NUMBER = re.compile(r"[\d\s()+./-]+")
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


def place_end(text: str, number: str, old: str) -> Span | None:
    """The span of the figures in a text, two or more, that are the end of a number, where those
    before them are as in the old number: "221 at the end" makes 0987-111-221 of 0987-111-222."""
    new, was = (re.sub(r"\D", "", each) for each in (number, old))
    if len(new) != len(was) or new == was or not _NUMBER.fullmatch(number):
        return None
    kept = next(n for n, (a, b) in enumerate(zip(new, was, strict=True)) if a != b)
    runs = (run for run in re.finditer(r"\d{2,}", text) if new.endswith(run[0]))
    return next((run.span() for run in runs if 0 < len(new) - len(run[0]) <= kept), None)


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


# --- parts of values -----------------------------------------------------------------------


def stands_within(part: str, whole: str) -> bool:
    """Whether ``part`` consists of whole words or numbers of ``whole``, or one of them begins or
    ends with the other, such as "RabbitMQ" with "Rabbit", or a number with "156"."""
    part_key, whole_key = name_key(part), name_key(whole)
    short, long = sorted((part_key, whole_key), key=len)
    edge = len(short) >= _EDGE and (long.startswith(short) or long.endswith(short))
    words = rf"(?<![^\W_]){re.escape(part_key)}(?![^\W_])"
    return edge or re.search(words, whole_key) is not None or len(_numbers(part, whole)) == 1


def put_in(value: str, old: str, held: Any) -> str:
    """The held value with ``value`` in place of ``old``: of a list the item ("Friday" for "Monday"
    in "Monday and Tuesday"), of numbers the digits ("68" for "86" in "third floor, C 86", "45,000"
    for "40,000" in "40,000 euros"). If ``old`` is not exactly one such part, ``value``."""
    if not isinstance(held, str) or held == old:
        return value
    places = [_item(held, old)] if _FIGURES.fullmatch(value) is None else _numbers(old, held)
    if len(places) != 1 or places[0] is None:
        return value
    start, end = places[0]
    return held[:start] + value + held[end:]


def without(held: Any, words: str) -> str | None:
    """The held list without the item that words name; None if they name no single item."""
    gone = _item(held, words) if isinstance(held, str) else None
    if gone is None:
        return None
    return listed([held[slice(*each)] for each in items(held) if each != gone], held)


def _item(text: str, words: str) -> Span | None:
    """The only item of a list that words name."""
    found = [each for each in items(text) if stands_within(words, text[slice(*each)])]
    return found[0] if len(found) == 1 and name_key(words) != name_key(text) else None


def _numbers(number: str, text: str) -> list[Span]:
    """The places at which a number stands in a text, or ends it."""
    if _FIGURES.fullmatch(number) is None:
        return []
    sought = re.escape(number)
    whole = rf"(?<!\d)(?<!\d[.,]){sought}(?![.,]?\d)|{sought}$"
    return [each.span() for each in re.finditer(whole, text)]
