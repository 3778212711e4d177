"""Read which times something that recurs is left out: "this week", "tomorrow and Monday", "twice",
"until 1 October", 下次."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from text2mem.ir.times.moments import as_known, read_when
from text2mem.ir.times.numerals import read_number
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.stretches import NEVER, completed, read_stretches
from text2mem.ir.times.temporal import TimeRange
from text2mem.ir.words.folding import fold

_NEXT = re.compile(
    r"(?:just |only )?(?:the |this |for )*(?:next )?(?:(?P<en>[a-z]+|\d+) )?(?:times?|ones?|round)"
    r"|(?:the )?next (?P<few>two|three|four|\d)"
    r"|[就只]?(?:接下来|往后|[下这這今])?[面个一]?(?P<zh>[\d一二两兩三四五六])?[次回趟]"
)
_TWICE = {"twice": 2, "once": 1}
_UNTIL = re.compile(
    r"(?:not |nothing |off |out )?(?:till?|until|'til|up to|before) (?P<en>.+)"
    r"|(?:一?直?到|至|等到?)(?P<zh>.+?)(?:为止|之前|以前|前|再.*|才.*)?|(?P<before>.+?)(?:之前|以前|前)"
)
_MOST = 12
"""How many times words may list."""
_AND = re.compile(r",? (?:and|nor|or|plus) | ?[&+/] ?|, ?|[和跟与及或、，]|以及|还有")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The times that are left out: so many of the next ones, or those in some stretches."""

    count: int = 0
    stretches: tuple[TimeRange, ...] = ()


def read_left_out(words: str, clock: Clock) -> LeftOut | None:
    """The times that words name; None if they name none. What is "until" a day goes on that day."""
    text = fold(as_known(words)).strip(" .,;!?。，")
    if (several := _NEXT.fullmatch(text)) is not None:
        number = next(filter(None, several.groups()), None)
        count = read_number(number) if number else 1
        return LeftOut(count=int(count)) if count else None
    if text in _TWICE:
        return LeftOut(count=_TWICE[text])
    if (until := _UNTIL.fullmatch(text)) is not None:
        named = next(filter(None, until.groups()))
        end = read_when(named, clock)
        return LeftOut(stretches=(TimeRange(clock.now, end),)) if end else None
    length = clock.length(text.removeprefix("for ").removeprefix("the next "))
    if length is not None and (end := clock.after(length)):
        return LeftOut(stretches=(TimeRange(clock.now, end),))
    parts = [*filter(None, _AND.split(text))][: _MOST + 1]
    found = [_coming(completed(part, parts), clock) for part in parts]
    whole = all(found) and len(parts) <= _MOST
    return LeftOut(stretches=tuple(each for each in found if each)) if whole else None


def _coming(words: str, clock: Clock) -> TimeRange | None:
    """The days to come, or the present ones, that words name; None if they never end."""
    ahead = [each for each in read_stretches(words, clock) if each.end > clock.now]
    if not ahead or ahead[-1].end >= NEVER:
        return None
    last = clock.midnight(ahead[-1].end) + timedelta(hours=30)
    return TimeRange(clock.midnight(ahead[-1].start), clock.midnight(last) - timedelta(seconds=1))
