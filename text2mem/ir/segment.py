"""Text cut into the terms that lexical search goes by, in English and Chinese.

Latin words are lower-cased and lose a plural s; a run of CJK characters becomes its characters and
its pairs of neighbours, so that two-character Chinese words are found (no tokenizer of SQLite's
FTS5 does that). What is indexed and what is asked go through the same cut.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from text2mem.ir.record import Record

HAN = re.compile("[\u3400-\u9fff]")
"""A Chinese character: what tells Chinese words from English ones."""
CJK = "㐀-䶿一-鿿豈-﫿ぁ-ヿ"
"""Characters that are cut without spaces, Japanese ones too, as a range of a pattern."""
_PIECES = re.compile(rf"[{CJK}]+|[^\W_]+", re.UNICODE)
_CJK = re.compile(rf"[{CJK}]")
_CJK_RUN = re.compile(rf"([{CJK}]+)")

_STOPWORDS = """
a about all an and any are as at be been but by can could did do does for from had has have he her
his how i if in into is it its just me my no not of on or our she should so some such than that the
their them then there these they this those to too us was we were what when where which who will
with would you your everything anything something memory note
的 了 吗 呢 是 我 你 他 她 它 和 与 在 把 关于 一切 所有 那条 这条
"""
STOPWORDS = frozenset(_STOPWORDS.split())
"""Words that say nothing about what a memory holds."""


def _fold(word: str) -> str:
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word


def _split(text: str) -> list[str]:
    # \w also covers CJK, so a mixed run such as "wifi密码" is cut at the border by hand.
    folded = unicodedata.normalize("NFKC", text).lower()
    spaced = _CJK_RUN.sub(r" \1 ", folded)
    return _PIECES.findall(spaced)


def index_terms(text: str) -> list[str]:
    """Every term of a text, repeats kept, in order: words, CJK characters and CJK pairs."""
    terms: list[str] = []
    for piece in _split(text):
        if _CJK.match(piece):
            terms.extend(piece)
            terms.extend(piece[i : i + 2] for i in range(len(piece) - 1))
        else:
            terms.append(_fold(piece))
    return terms


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


def search_text(record: Record) -> str:
    """What search finds a memory by: its text, its short fields and its tags."""
    fields = (record.type, record.subject, record.location, record.topic, record.source)
    return " ".join([record.text, *(field for field in fields if field is not None), *record.tags])
