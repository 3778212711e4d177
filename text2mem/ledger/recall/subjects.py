"""Whom a question is about: a subject that the ledger knows, the one who asks, or a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from text2mem.ir.naming import fold
from text2mem.ir.segment import HAN
from text2mem.ledger.recall.attributes import MASK
from text2mem.ledger.recall.exact import State

_LONGEST = 4
"""Words of a name, or characters of a Chinese one."""
_TOKEN = re.compile(r"[^\W_](?:[\w.\-‐@+]*[^\W_])?(?:['’](?!s\b)[^\W_]+)?")
_POSSESSIVE = re.compile(r"['’]s?\b|'(?=\s)|\s*的")
_RUN = re.compile("[\u3400-\u9fff·]+|[A-Za-z0-9][\\w.\\-]*")
_BORDER = re.compile("(?<=[\u3400-\u9fff])(?=[A-Za-z0-9])")
_MIXED = re.compile("[\u3400-\u9fff]{2,4}(?=(?P<latin>[A-Za-z0-9][A-Za-z0-9_.\\-]*))")
_OWN = re.compile(r"\b(?:my|mine|our)\b", re.IGNORECASE)
_I = re.compile(r"\b(?:i|i'm|i've|me|myself|we|us)\b", re.IGNORECASE)
_ZH_I = re.compile("(?:我|咱|本人|俺)(?!们)")
_USER = re.compile(r"\bthe user\b|用户(?!名)", re.IGNORECASE)
_COMMON_WORDS = """
a an the of to in on at by for from with about and or but as is are was were be been being am do
does did have has had can could may might must shall should will would not no any all some what
which who whom whose when where why how that this these those it its he she they him her them his
their there here i me my mine we us our you your if so than then still now ever yet much many long
old own one once please tell know knows think believe say said remember back what's who's where's
when's how's live lives lived work works worked like likes name number date day days time year
month week new current currently today right exactly both
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_SPLIT = re.compile(
    "现在|目前|如今|以前|之前|原来|曾经|当时|那时候?|什么时候|什么|哪[家里儿个天些位]?|怎么|多少|几[号岁个点]?|"
    "谁|吗|呢|吧|了|请问|告诉我?|知道|记得|关于|[的在是对有会用住把给跟和到寄叫做负姓喜过]|开(?=组?会)|我们?|你们?"
)
_ZH_NAME = re.compile(
    "^[^\u3400-\u9fff]*(?P<name>(?![什哪谁怎多几现目当那这今去前])[\u3400-\u9fff]{2,4}?)"
    "(?:现在|目前|以前|之前|原来|当时|对|会|住在?|有|用|喜欢|做|的(?!时候))"
)


@dataclass(frozen=True, slots=True)
class Named:
    """Who it is, from where to where the question says so, and whether the ledger knows them."""

    subject: str
    start: int
    end: int
    known: bool = True


def read_subject(question: str, text: str, state: State) -> Named | None:
    """Whom the question names; ``text`` is the question with what was read already masked.

    A known subject first, then the one who asks, then a name that nobody is known by.
    """
    found = _known(question, _candidates(question, text), state) or _oneself(text, state)
    if found is None and HAN.search(question):
        found = _known(question, _anywhere(text), state)
    return found or _stranger(question, text)


def _known(question: str, spans: Iterable[tuple[int, int]], state: State) -> Named | None:
    """The known subject with the longest name; of equal ones, one that something belongs to."""
    best: tuple[tuple[int, ...], Named] | None = None
    for start, end in spans:
        name = fold(_BORDER.sub(" ", question[start:end]))
        if best is not None and end - start < best[1].end - best[1].start:
            break
        if state.knows(name):
            owned = _POSSESSIVE.match(question, end) is not None
            rank = (end - start, int(owned), -start)
            if best is None or rank > best[0]:
                best = rank, Named(name, start, end)
    return None if best is None else best[1]


def _oneself(text: str, state: State) -> Named | None:
    for pattern in (_USER, _OWN, _ZH_I, _I):
        found = pattern.search(text)
        if found is not None:
            return Named(state.oneself(), *found.span())
    return None


def _stranger(question: str, text: str) -> Named | None:
    """A name that is no subject: nothing is known of them."""
    found = _ZH_NAME.match(text)
    if found is not None:
        return Named(fold(found["name"]), *found.span("name"), known=False)
    tokens = _tokens(question, text)
    for place, (start, end) in enumerate(tokens):
        word = question[start:end]
        if place and word[:1].isupper() and word.lower() not in _COMMON:
            while place + 1 < len(tokens) and tokens[place + 1][0] == end + 1:
                following = question[slice(*tokens[place + 1])]
                if not following[:1].isupper():
                    break
                place, end = place + 1, tokens[place + 1][1]
            return Named(fold(question[start:end]), start, end, known=False)
    return None


def _candidates(question: str, text: str) -> Iterator[tuple[int, int]]:
    """Where names may stand, the longest first."""
    spans = dict.fromkeys(_english(question, text))
    if HAN.search(question):
        spans |= dict.fromkeys(_chinese(text))
    yield from sorted(spans, key=lambda span: (span[0] - span[1], span[0]))


def _tokens(question: str, text: str) -> list[tuple[int, int]]:
    found = []
    for match in _TOKEN.finditer(question):
        start, end = match.span()
        after_name = match[0].lower() == "s" and question[start - 1 : start] in ("'", "’")
        if MASK not in text[start:end] and not HAN.search(match[0]) and not after_name:
            found.append((start, end))
    return found


def _english(question: str, text: str) -> Iterator[tuple[int, int]]:
    tokens = _tokens(question, text)
    for first, (start, _) in enumerate(tokens):
        for last in range(first, min(first + _LONGEST, len(tokens))):
            end = tokens[last][1]
            gap = question[tokens[last - 1][1] : tokens[last][0]] if last > first else " "
            if gap.strip(" -"):
                break
            if not any(_common(question, span) for span in (tokens[first], tokens[last])):
                yield start, end


def _common(question: str, span: tuple[int, int]) -> bool:
    """Whether a word is no name; capitalised within a sentence it may be one."""
    word = question[slice(*span)]
    return word.lower() in _COMMON and (span[0] == 0 or not word[0].isupper() or len(word) == 1)


def _chinese(text: str) -> Iterator[tuple[int, int]]:
    """Pieces between the words of a question, their beginnings, and, less readily, any part."""
    yield from ((found.start(), found.end("latin")) for found in _MIXED.finditer(text))
    for run in _RUN.finditer(text):
        if not HAN.search(run[0]):
            yield run.span()
            continue
        place = run.start()
        cuts = [*((found.start(), found.end()) for found in _SPLIT.finditer(text, *run.span()))]
        for start, end in (*cuts, (run.end(), run.end())):
            yield from ((place, stop) for stop in range(place + 1, min(start, place + 6) + 1)
                        if stop - place > 1)  # fmt: skip
            place = end


def _anywhere(text: str) -> Iterator[tuple[int, int]]:
    """Every stretch of two to four Chinese characters, the longest first."""
    for length in range(_LONGEST, 1, -1):
        for run in _RUN.finditer(text):
            if HAN.search(run[0]):
                for start in range(run.start(), run.end() - length + 1):
                    yield start, start + length
