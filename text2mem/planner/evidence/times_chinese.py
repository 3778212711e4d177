"""Chinese times of an utterance: deadlines, windows, ages, lengths and moments."""

from __future__ import annotations

from collections.abc import Iterator

from text2mem.ir.temporal import format_instant
from text2mem.planner.evidence import times_zh as zh
from text2mem.planner.evidence.text import Text
from text2mem.planner.evidence.times import (
    Clock,
    Found,
    Phrase,
    Shape,
    older,
    scan,
    since,
    until,
    window,
)


def read_chinese(text: Text, clock: Clock) -> Iterator[Found]:
    """The times that are said in Chinese, in order and without overlap."""
    return scan(text, clock, zh.FIRST, _SHAPES)


def _said(one: Phrase, *names: str) -> str:
    """The words of the first group that took part."""
    return next(one.shape[name] for name in names if one.shape[name])


def _age(one: Phrase) -> Found | None:
    length = None if one.stored else one.clock.length(_said(one, "long", "than", "back"))
    if length is None:
        return None
    return Found("age", {"older_than": length.isoformat()}, one.start, one.end)


def _younger(one: Phrase) -> Found | None:
    return one.as_recent(_said(one, "less", "inside"))


def _recent(one: Phrase) -> Found | None:
    return one.as_recent(one.shape["length"])


def _ahead(one: Phrase) -> Found | None:
    return _moment_of(one) if one.stored else one.as_length(one.shape["length"])


def _moment_of(one: Phrase) -> Found | None:
    return one.as_moment() if one.shape.re is zh.LATER else None


def _plain(one: Phrase) -> Found | None:
    """A length, where it lies ahead or is all that is said."""
    if one.stored or one.after(zh.NO_TIME) is not None:
        return None
    trailing = one.before(zh.TRAILING)
    if trailing is not None or one.after(zh.AHEAD) is not None:
        return one.as_length(one.words)
    alone = one.start < 8 and not one.text.open[one.end :].strip(" 。,.!吧的了好啊?")
    return one.as_length(one.words) if alone else None


def _ago(one: Phrase) -> Found | None:
    """A moment so long ago, the day of the memories that are meant, or how old they are."""
    if one.stored:
        return one.as_moment()
    owned, made = one.before(zh.OWNED), one.before(zh.MADE)
    length = one.clock.length(one.words.removesuffix("前"))
    if owned is not None and length is not None and zh.REMOVING.search(one.text.asked):
        return Found("age", {"older_than": length.isoformat()}, one.start, owned)
    found = one.clock.range(one.words)
    if found is not None and (owned is not None or made is not None):
        return Found("window", window(found), one.start, owned or made or one.end)
    return one.as_moment()


def _between(one: Phrase) -> Found | None:
    return one.as_window(one.words.removesuffix("之间").removesuffix("期间").lstrip("在"))


def _point(one: Phrase) -> Found | None:
    """A point or stretch of time, by the words before and after it."""
    if one.after(zh.LUNAR) is not None:
        return None
    if one.stored:
        return one.as_moment() if _timed(one) else None
    instant, back = one.clock.instant(one.words), one.clock.range(one.words)
    if instant is None:
        return None
    now = one.clock.now
    start, trail = one.after(zh.AS_OF_LEAD), one.before(zh.AS_OF)
    cut_off = one.after(zh.CUT_OFF)
    if (start is not None and trail is not None) or (cut_off is not None and instant <= now):
        begin = start if start is not None else cut_off
        return Found("as_of", format_instant(instant), begin or 0, trail or one.end)
    trail, start = one.before(zh.LIMITED), one.after(zh.LIMIT)
    if trail is not None and start is None:
        return _before(one, trail)
    if start is not None:
        limit = one.clock.instant(f"到{one.words}为止") or instant
        return until(limit, now, start, trail or one.end)
    if (start := one.after(zh.EARLIER)) is not None and back is not None:
        return older(back, start, one.end)
    trail, start = one.before(zh.OPEN_ENDED), one.after(zh.SINCE)
    if (trail is not None or start is not None) and back is not None and back.start <= now:
        words = one.text.open[one.end : trail or one.end]
        if one.before(zh.NEGATED, trail) is not None:
            return None
        certain = instant <= now or words in ("以来", "至今", "到现在") or _noted(one, trail)
        if certain:
            begin, after = one.start if start is None else start, words in ("之后", "以后", "后")
            return since(back, begin, trail or one.end, after=after)
    return _window(one) or (one.as_moment() if _timed(one) else None)


def _noted(one: Phrase, end: int | None) -> bool:
    """Whether what follows is what memories are called, or how they came to be."""
    return one.before(zh.NOTED, end) is not None or one.before(zh.MADE, end) is not None


def _before(one: Phrase, trail: int) -> Found | None:
    """周五前: what is older, where it says which memories are meant, else a deadline."""
    words = one.text.open[one.end : trail]
    instant, back = one.clock.instant(one.words), one.clock.range(one.words)
    ended = words.endswith(("止",))
    if instant is not None and back is not None and not ended:
        past = instant <= one.clock.now
        if back.start <= one.clock.now and (past or _noted(one, trail)):
            return older(back, one.start, trail)
    limit = one.clock.instant(f"{one.words}{words}")
    return None if limit is None else until(limit, one.clock.now, one.start, trail)


def _window(one: Phrase) -> Found | None:
    found = one.clock.range(one.words)
    if found is None or found.start > one.clock.now:
        return None
    whole = zh.WHOLE.fullmatch(one.words) is not None
    owned = one.before(zh.OWNED)
    if owned is not None and not whole:
        instant = one.clock.instant(one.words)
        sure = instant is not None and instant <= one.clock.now
        owned = owned if sure or one.before(zh.NOTED) is not None else None
    made = one.before(zh.MADE)
    if whole and one.before(zh.UNFINISHED) is not None:
        return None
    if not whole and owned is None and made is None:
        return None
    return Found("window", window(found), one.start, owned or made or one.end)


def _timed(one: Phrase) -> bool:
    """Whether a clock alone is one: 9点 is, 三点 of 三点要求 and 一点 of 高一点 are not."""
    if zh.HOUR_ALONE.fullmatch(one.words) is None:
        return True
    return one.words[0].isdigit() and one.before(zh.AFTER_HOUR) is not None


_SHAPES: tuple[Shape, ...] = (
    Shape(zh.AGE, _age),
    Shape(zh.YOUNGER, _younger),
    Shape(zh.RECENT, _recent),
    Shape(zh.COMING, _ahead),
    Shape(zh.LATER, _ahead),
    Shape(zh.WITHIN, _ahead),
    Shape(zh.AGO, _ago),
    Shape(zh.BETWEEN, _between, parts=True),
    Shape(zh.POINTED, _point),
    Shape(zh.PLAIN, _plain),
)
