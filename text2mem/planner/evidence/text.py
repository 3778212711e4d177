"""An utterance as the scanners see it: folded, and with what is not said to them masked.

All versions are as long as the utterance, so that a place in one is the place in all of them.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from text2mem.planner.evidence.model import Kind, Mention

OPENING, INSIDE, CLOSING = "\ue000", "\ue001", "\ue002"
"""What stands for the first, the inner and the last character of a quotation."""
HIDDEN = "\ue003"
"""What stands for a character that a scanner must not see."""
NOT_DELETING = "(?<![删移清去解消免废扣排铲剔])"
"""Before 除 where it means "except": not the end of 删除, 移除, 清除 …"""
_APOSTROPHES = {"’": "'", "‘": "'", "`": "'", "´": "'", "ʼ": "'"}
_SIMPLIFIED = dict(
    zip(
        "標籤記憶筆條為鎖檔優級總結過關內時間從當禮來幾週後點個兩這鐘號還給掉刪除編輯權設歸類復還"
        "備錄處發現開閉並對應讓請幫麼嗎們別於與無沒貼帶頭項數舊長語英",
        "标签记忆笔条为锁档优级总结过关内时间从当礼来几周后点个两这钟号还给掉删除编辑权设归类复还"
        "备录处发现开闭并对应让请帮么吗们别于与无没贴带头项数旧长语英",
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class Span:
    """From ``start`` up to ``end``, which is not part of it."""

    start: int
    end: int

    def holds(self, start: int, end: int) -> bool:
        """Whether a stretch lies inside."""
        return self.start <= start and end <= self.end

    def meets(self, start: int, end: int) -> bool:
        """Whether a stretch shares a character with it."""
        return self.start < end and start < self.end


@dataclass(frozen=True, slots=True)
class Quotation(Span):
    """A quotation with its marks, and the words between them."""

    value: str


@dataclass(frozen=True, slots=True)
class Text:
    """``plain`` is the folded utterance, ``open`` the same with its quotations masked, and
    ``asked`` also without what is only to be stored."""

    utterance: str
    plain: str
    open: str
    asked: str
    quotations: tuple[Quotation, ...] = ()
    contents: tuple[Span, ...] = ()

    def mention(self, kind: Kind, value: Any, start: int, end: int) -> Mention:
        """A mention of this stretch, without the blanks at its ends."""
        words = self.utterance[start:end]
        start += len(words) - len(words.lstrip())
        words = words.strip()
        return Mention(kind, value, start, start + len(words), words)

    def quotation(self, start: int) -> Quotation | None:
        """The quotation that starts at a place."""
        at = bisect_left(self.quotations, start, key=lambda one: one.start)
        found = self.quotations[at] if at < len(self.quotations) else None
        return found if found is not None and found.start == start else None

    def in_content(self, start: int, end: int) -> bool:
        """Whether a stretch touches what is only to be stored."""
        return HIDDEN in self.asked[start:end]

    def without(self, spans: Iterable[Span]) -> Text:
        """The same with these spans hidden from ``open`` and ``asked``."""
        spans = tuple(spans)
        return replace(self, open=masked(self.open, spans), asked=masked(self.asked, spans))


def fold(utterance: str) -> str:
    """Lower case, compatibility forms and traditional characters folded, character by character."""
    return "".join(map(_folded, utterance))


def _folded(char: str) -> str:
    if char < "\x7f":
        return " " if char in "\t\r\f\v" else char.lower()
    if char in _APOSTROPHES:
        return _APOSTROPHES[char]
    if OPENING <= char <= HIDDEN:
        return " "
    normal = unicodedata.normalize("NFKC", char).lower()
    if len(normal) != 1:
        return char
    return " " if normal.isspace() else _SIMPLIFIED.get(normal, normal)


def masked(text: str, spans: Iterable[Span], mark: str = HIDDEN) -> str:
    """``text`` with every character of the spans replaced."""
    pieces, place = [], 0
    for span in sorted(spans, key=lambda one: one.start):
        start = max(span.start, place)
        if span.end > start:
            pieces += [text[place:start], mark * (span.end - start)]
            place = span.end
    return "".join((*pieces, text[place:]))


def english(source: str) -> re.Pattern[str]:
    """A pattern of whole English words, with the blanks of ``phrase``."""
    return re.compile(rf"(?<![a-z0-9_'])(?:{_spaced(source)})(?![a-z0-9_])")


def phrase(source: str) -> re.Pattern[str]:
    """A pattern in which a blank stands for one to three, and " ?" for up to three."""
    return re.compile(_spaced(source))


def before(source: str) -> re.Pattern[str]:
    """A pattern of whole English words that end a text, blanks after them included."""
    return re.compile(rf"(?<![a-z0-9_'])(?:{_spaced(source)})\s{{0,3}}$")


def any_of(words: Iterable[str]) -> str:
    """The source of a pattern for one of the words, the longest first."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


def _spaced(source: str) -> str:
    return source.replace(" ?", r"\s{0,3}").replace(" ", r"\s{1,3}")
