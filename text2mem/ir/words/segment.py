"""Split English and Chinese texts into the terms of the word search.

A Latin word is lower-cased and loses a plural s. A run of CJK characters becomes its characters and
its pairs of neighbours, so that Chinese words of two characters are found (no tokenizer of SQLite's
FTS5 does that). Memories and queries are split in the same way, but for what ``query_terms`` says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import lru_cache
from operator import add
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from text2mem.ir.record import Record

HAN = re.compile("[\u3400-\u9fff]")
"""Matches a Chinese character."""
CJK = "㐀-䶿一-鿿豈-﫿ぁ-ヿ"
"""Chinese characters and kana, which are written without blanks, as ranges of a pattern."""
# \w also covers CJK: a mixed run such as "wifi密码" is split at the border.
_PIECES = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+")
_CJK = re.compile(f"[{CJK}]")

SHORT = ("type", "subject", "location", "topic", "source")
"""The fields that are searched besides the text and the tags."""

_STOPWORDS = """
a about all an and any are as at be been but by can could did do does for from had has have he her
his how i if in into is it its just me my no not of on or our she should so some such than that the
their them then there these they this those to too us was we were what when where which who will
with would you your everything anything something memory note
的 了 吗 呢 是 我 你 他 她 它 和 与 在 把 关于 一切 所有 那条 这条
"""
STOPWORDS = frozenset(_STOPWORDS.split())
"""Words without content, which are left out of queries."""

_GRAMMATICAL = """
is are was were be been has have had the a an and or of to in on at by for since from until that it
its their they he she his her him them there currently now then as with do does did also only will
can must s t yes
的 是 在 了 和 与 有 为 住 叫 从 起 到 对 会 用 现 目 前 当 时 自 开 始 人 名 她 他 它 这 那 就 也
都 以 及 年 月 日 号
"""
GRAMMATICAL = frozenset(_GRAMMATICAL.split())
"""Function words, which state nothing that could be false."""


def _fold(word: str) -> str:
    """A word in lower case without its plural s."""
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word


def _split(text: str) -> list[str]:
    """The Latin words and runs of CJK characters of a text, normalised (NFKC) and in lower case."""
    return _PIECES.findall(unicodedata.normalize("NFKC", text).lower())


def index_terms(text: str) -> list[str]:
    """All terms of a text in order, repeated ones included: words, CJK characters and CJK pairs."""
    terms: list[str] = []
    for piece in _split(text):
        if piece.isascii() or not _CJK.match(piece):
            terms.append(_fold(piece) if piece[-1] == "s" else piece)
        else:
            terms.extend(piece)
            terms.extend(map(add, piece, piece[1:]))
    return terms


@lru_cache(maxsize=16384)
def name_terms(name: str) -> tuple[str, ...]:
    """The terms of a name or a value (``index_terms``), cached."""
    return tuple(index_terms(name))


def without(text: str, terms: Collection[str]) -> str:
    """A text, folded, without its terms that are among these. Of a CJK run, their pairs go."""
    kept: list[str] = []
    for piece in _split(text):
        if not _CJK.match(piece):
            kept += [] if _fold(piece) in terms else [piece]
            continue
        pairs = enumerate(_pairs(piece))
        gone = {place for i, pair in pairs if pair in terms for place in (i, i + 1)}
        rest = "".join(" " if i in gone else char for i, char in enumerate(piece))
        kept += rest.split()
    return " ".join(kept)


def query_terms(text: str) -> list[str]:
    """The distinct terms of a query, without stop words if others remain. A CJK run gives pairs."""
    content: dict[str, None] = {}
    stops: dict[str, None] = {}
    for piece in _split(text):
        for term in _pairs(piece) if _CJK.match(piece) else [_fold(piece)]:
            (stops if term in STOPWORDS or piece in STOPWORDS else content)[term] = None
    return list(content or stops)


def telling_terms(text: str) -> set[str]:
    """The terms of a query, without stop words and grammatical words."""
    return {*query_terms(text)}.difference(STOPWORDS, GRAMMATICAL)


def _pairs(run: str) -> list[str]:
    """The pairs of neighbours of a CJK run, or its only character."""
    return list(map(add, run, run[1:])) or [run]


def width(text: str, wide: int) -> int:
    """The width of a text in letters. A full-width character counts as ``wide`` letters."""
    return sum(wide if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def beginning(text: str, wide: int, most: int) -> str:
    """The longest beginning of a text whose ``width`` is at most ``most``."""
    if len(text) * wide <= most:
        return text
    room = most
    for place, char in enumerate(text):
        room -= width(char, wide)
        if room < 0:
            return text[:place]
    return text


def search_text(record: Record) -> str:
    """The text of a memory that is searched: its text, the fields of ``SHORT`` and its tags."""
    return searched(record.text, [getattr(record, name) for name in SHORT], record.tags)


def searched(text: str, short: Iterable[str | None], tags: Iterable[str]) -> str:
    """The searched text of a memory with this text, these values of ``SHORT`` and these tags."""
    return " ".join([text, *(field for field in short if field is not None), *tags])
