"""Since when and until when a clause says that something holds, and days as values."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo

from text2mem.ir.phrases_zh import LENGTH, POINT, WHOLE_DAY
from text2mem.ir.temporal import TimeRange, UnreadableTime, read_instant, read_range
from text2mem.ledger.extraction.chinese.piece import Piece

_BARE_DAY = r"(?<!\d)\d{1,2}[日号](?![\d楼院])"
_AGO = f"(?:{LENGTH}|好?几年|多年)(?:以前|之前|前)"
_ANY = f"(?:{_AGO}|{POINT})"
_RANGE = re.compile(
    rf"(?:从|自|在)?(?P<a>{POINT})(?:一?直)?(?:到|至|-|~|—|–)(?P<b>{POINT}|"
    rf"{_BARE_DAY})(?P<late>底|末|为止|止)?"
    r"(?:之间|期间|这段时间)?,?"
)
_SINCE = re.compile(
    rf"(?:(?P<lead>自从|自|从|打)(?:我)?(?P<a>{_ANY})(?:就|便|起|开始|以后|之后|以来|后)?|"
    rf"(?P<b>{_ANY})(?:就)?(?:以?起(?!草|来)|开始|以来|之后|以后|后(?!天|面|来|年)))(?:就)?,?"
)
_UNTIL = re.compile(
    rf"(?:(?P<lead>(?:一直|直)(?:到|至)|截至|截止到?|到(?=.{{2,10}}(?:为止|止|"
    rf"前)))(?P<a>{POINT})(?:为止|止|之前|以前|前)?|"
    rf"(?P<b>{POINT})(?:为止|之前|以前|前))(?:都|一直)?,?"
)
_AT = re.compile(
    rf"(?:在|于|是|就|,)?(?P<a>{_ANY})(?:的?时候|那[天年会]|当天)?(?:就|才|刚|便|已经|正式)?"
)
_PAST = re.compile(r"了(?!解|不)|过(?!敏|期|年)|以来|一直|的$|曾|那时|当时")
_LASTING = re.compile(r"以来|一直|曾|过(?!敏|期|年)")
_MOVES = re.compile("改|挪|移|调|换|推迟|延|提前")
"""After 从周三: what a time is changed from."""
_COMING = re.compile(r"将|会(?!议|员)|就[去要]|要(?!求)|即将|开始")
_CLOSED = re.compile("[底末](?:为止|止|之前|以前|前)?,?$")
_EARLY = 8
"""How far into a clause a time may stand that is neither its end nor its value."""
_DAY = re.compile(f"(?:{WHOLE_DAY})$")


@dataclass(frozen=True, slots=True)
class Days:
    """What the days of an episode are read by."""

    at: datetime
    tz: tzinfo

    def range(self, words: str, *, back: bool | None = None) -> TimeRange | None:
        """The stretch that words name. ``back``: before, or (False) after; None is the nearest."""
        words = words.strip(" ,")
        past, ahead = self._behind(words), self._ahead(words)
        if past is None or ahead is None or back is True:
            return past or ahead
        if back is False:
            return ahead
        near = abs(past.start - self.at) <= abs(ahead.start - self.at)
        return past if near else ahead

    def _behind(self, words: str) -> TimeRange | None:
        try:
            return read_range(words, now=self.at, tz=self.tz)
        except UnreadableTime:
            return None

    def _ahead(self, words: str) -> TimeRange | None:
        try:
            start = read_instant(words, now=self.at, tz=self.tz)
            if start.second == 59:  # the end of a month, which a range reads as its last day
                return TimeRange(start - timedelta(hours=23, minutes=59, seconds=59), start)
            past = self._behind(words)
            return TimeRange(start, start + (past.end - past.start) if past else start)
        except UnreadableTime:
            return None

    def day(self, words: str, *, back: bool | None = False) -> str | None:
        """The one day that all of the words name, as YYYY-MM-DD."""
        if _DAY.fullmatch(words.strip()) is None:
            return None
        found = self.range(words, back=back)
        if found is None:
            return None
        first, last = (each.astimezone(self.tz).date() for each in (found.start, found.end))
        return first.isoformat() if first == last else None


@dataclass(frozen=True, slots=True)
class Told:
    """A clause without its times, and what they say."""

    piece: Piece
    since: datetime | None = None
    until: datetime | None = None


def told(piece: Piece, days: Days) -> Told:
    """The times of a clause that say how long it holds. A time at its end is a value."""
    plain = piece.plain
    past, coming = _PAST.search(plain) is not None, _COMING.search(plain) is not None
    back = None if past == coming else past
    for read in (_between, _from, _up_to, _then):
        if (found := read(piece, days, back)) is not None:
            return found
    return Told(piece)


def _between(piece: Piece, days: Days, _: bool | None) -> Told | None:
    found = _RANGE.search(piece.plain)
    if found is None or not _adverbial(piece.plain, found):
        return None
    both = _stretch(found, days)
    if both is None:
        return None
    return Told(piece.without(*found.span()), both.start, both.end)


def _from(piece: Piece, days: Days, back: bool | None) -> Told | None:
    for found in _SINCE.finditer(piece.plain):
        words = found["a"] or found["b"]
        coming = found[0].rstrip(",就").endswith("起") and not _LASTING.search(piece.plain)
        start = _ago(words, days) or days.range(words, back=None if coming else back)
        if _MOVES.match(piece.plain, found.end()):
            continue
        if start is not None and (found["lead"] or _adverbial(piece.plain, found)):
            return Told(piece.without(*found.span()), start.start)
    return None


def _up_to(piece: Piece, days: Days, back: bool | None) -> Told | None:
    for found in _UNTIL.finditer(piece.plain):
        end = days.range(found["a"] or found["b"], back=back)
        if end is not None and _adverbial(piece.plain, found):
            closed = _CLOSED.search(found[0]) is not None
            last = end.end + timedelta(seconds=1) if closed else end.start
            return Told(piece.without(*found.span()), None, last)
    return None


def _then(piece: Piece, days: Days, back: bool | None) -> Told | None:
    for found in _AT.finditer(piece.plain):
        start = _ago(found["a"], days) or days.range(found["a"], back=back)
        if start is not None and found.start() <= _EARLY and _adverbial(piece.plain, found):
            return Told(piece.without(*found.span()), start.start)
    return None


def only(piece: Piece, days: Days) -> Told | None:
    """The times of a clause that says nothing else: 从下周一起."""
    found = told(
        replace(piece, plain=f"{piece.plain},那么", places=(*piece.places, *[0] * 3)), days
    )
    if (found.since or found.until) and found.piece.plain.strip(",") == "那么":
        return found
    return None


def _adverbial(plain: str, found: re.Match[str]) -> bool:
    """Whether a time stands before what it is about, and is neither its end nor its owner."""
    after = plain[found.end() :]
    before = plain[: found.start()].rstrip()
    if _MOVES.match(after) and (found[0].startswith("从") or before.endswith("从")):
        return False
    if found[0].startswith("是") and not after.rstrip().endswith(("的", "了")):
        return False
    if before.endswith(("是", "为", "在", "到", "成", "于", "至", "叫", "每")) and not found[
        0
    ].endswith(","):
        return after.rstrip().endswith("的") and before.endswith(("是", "在"))
    return bool(after.strip(" 的了。")) and not after.startswith(("的", "日", "号"))


def _stretch(found: re.Match[str], days: Days) -> TimeRange | None:
    """Both ends of 从A到B, the second one being the first instant after it."""
    first = days.range(found["a"], back=None)
    if first is None:
        return None
    words = found["b"]
    if re.fullmatch(_BARE_DAY, words) and (month := re.search(r"\d{1,2}月", found["a"])):
        words = month[0] + words
    end = days.range(words, back=None)
    if end is None:
        return None
    if end.end < first.start:
        end = Days(first.start, days.tz).range(words, back=False) or end
    return TimeRange(first.start, end.end + timedelta(seconds=1))


def _ago(words: str, days: Days) -> TimeRange | None:
    """三年前: that day."""
    if not re.fullmatch(_AGO, words):
        return None
    return days.range(words.replace("以前", "前").replace("之前", "前"), back=True)
