"""Text cut into the terms that lexical search goes by, in English and Chinese.

Latin words are lower-cased and lose a plural s; a run of CJK characters becomes its characters and
its pairs of neighbours, so that two-character Chinese words are found (no tokenizer of SQLite's
FTS5 does that). What is indexed and what is asked go through the same cut.
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
"""A Chinese character: what tells Chinese words from English ones."""
CJK = "㐀-䶿一-鿿豈-﫿ぁ-ヿ"
"""Characters that are cut without spaces, Japanese ones too, as a range of a pattern."""
# \w also covers CJK: a mixed run such as "wifi密码" is cut at the border.
_PIECES = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+")
_CJK = re.compile(f"[{CJK}]")

SHORT = ("type", "subject", "location", "topic", "source")
"""The short fields that search looks into."""

_STOPWORDS = """
a about all an and any are as at be been but by can could did do does for from had has have he her
his how i if in into is it its just me my no not of on or our she should so some such than that the
their them then there these they this those to too us was we were what when where which who will
with would you your everything anything something memory note
的 了 吗 呢 是 我 你 他 她 它 和 与 在 把 关于 一切 所有 那条 这条
"""
STOPWORDS = frozenset(_STOPWORDS.split())
"""Words that say nothing about what a memory holds."""

_GRAMMATICAL = """
is are was were be been has have had the a an and or of to in on at by for since from until that it
its their they he she his her him them there currently now then as with do does did also only will
can must s t yes
的 是 在 了 和 与 有 为 住 叫 从 起 到 对 会 用 现 目 前 当 时 自 开 始 人 名 她 他 它 这 那 就 也
都 以 及 年 月 日 号
"""
GRAMMATICAL = frozenset(_GRAMMATICAL.split())
"""Words that hold a sentence together and say nothing that could be wrong."""


def _fold(word: str) -> str:
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word


def _split(text: str) -> list[str]:
    return _PIECES.findall(unicodedata.normalize("NFKC", text).lower())


def index_terms(text: str) -> list[str]:
    """Every term of a text, repeats kept, in order: words, CJK characters and CJK pairs."""
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
    """The terms of a name or a value; what was cut is kept, as the same ones come again."""
    return tuple(index_terms(name))


def without(text: str, terms: Collection[str]) -> str:
    """What a text says besides some terms, folded: of a CJK run the characters that belong to none
    of the pairs among them, or to another pair."""
    kept: list[str] = []
    for piece in _split(text):
        if not _CJK.match(piece):
            kept += [] if _fold(piece) in terms else [piece]
            continue
        pairs = [piece[i : i + 2] in terms for i in range(len(piece) - 1)] or [piece in terms]
        gone = {place for i, pair in enumerate(pairs) if pair for place in (i, i + 1)}
        rest = "".join(" " if i in gone else char for i, char in enumerate(piece))
        kept += rest.split()
    return " ".join(kept)


def query_terms(text: str) -> list[str]:
    """The distinct terms that a question asks for, in order.

    Stop words are left out, unless nothing else is there; of a CJK run its pairs are asked for,
    or the character itself where it stands alone.
    """
    found: dict[str, None] = {}
    spare: dict[str, None] = {}
    for piece in _split(text):
        if _CJK.match(piece):
            pairs = [piece[i : i + 2] for i in range(len(piece) - 1)] or [piece]
        else:
            pairs = [_fold(piece)]
        for term in pairs:
            stop = term in STOPWORDS or (len(piece) > 1 and piece in STOPWORDS)
            (spare if stop else found)[term] = None
    return list(found or spare)


def width(text: str, wide: int) -> int:
    """How wide a text is, in letters, of which a full-width character takes ``wide``."""
    return sum(wide if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def beginning(text: str, wide: int, most: int) -> str:
    """As much of a text as is at most so wide."""
    if len(text) * wide <= most:
        return text
    room = most
    for place, char in enumerate(text):
        room -= width(char, wide)
        if room < 0:
            return text[:place]
    return text


def search_text(record: Record) -> str:
    """What search finds a memory by: its text, its short fields and its tags."""
    return searched(record.text, [getattr(record, name) for name in SHORT], record.tags)


def searched(text: str, short: Iterable[str | None], tags: Iterable[str]) -> str:
    """The same of a text, the fields of ``SHORT`` in order, and tags."""
    return " ".join([text, *(field for field in short if field is not None), *tags])
