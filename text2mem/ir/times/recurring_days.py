"""Tell the day of every week or month in a text from a single one: "Tuesdays", 每周四, the 5th of
each month."""

from __future__ import annotations

import re
from collections.abc import Mapping

from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.moments import as_known
from text2mem.ir.times.rrule import WEEKDAYS
from text2mem.ir.words.calendar_names import weekday
from text2mem.ir.words.folding import fold

_MANY = re.compile(rf"\b({en.DAY_NAME})s\b", re.IGNORECASE)
_OF_WEEK = re.compile(
    rf"\b(?:every|each) {en.WEEKDAY}\b|\b{en.DAY_NAME}s\b|(?:每个?|逢){zh.WEEKS}{zh.OF_WEEK}"
)
_OF_MONTH = re.compile(
    rf"\b(?:the )?{en.ORDINAL} of (?:the|each|every) month\b|每个?月的?{zh.BARE_DAY}"
)
_ANY_WEEKDAY = re.compile(rf"(?<![a-z])(?:{en.WEEKDAY})s?(?![a-z'])|{zh.WEEKS}{zh.OF_WEEK}")
_SINGLE = re.compile(
    r"(?<!from )(?<!starting )(?<!as of )\b(?:this|next|last|coming)\b(?! week on)"
    r"|\b(?:the|that|one) week\b(?! on)"
    rf"|{zh.NEAR}{zh.WEEKS}(?!的?(?:起|开始|以后|之后))"
)
_ONE_DAY = re.compile(
    r"\b(?:today|tonight|tomorrow|once)\b|[今明][天日晚早]|[后後]天|[这這下今][一]?[次回]"
)
_FOR_GOOD = re.compile(
    rf"\b(?:from|starting|as of) (?!{en.WEEKDAY})|\bany ?more\b|\bno (?:more|longer)\b|\bfor good\b"
    r"|\b(?:every|each)\b|起|开始|以后|往后|今后|每[周天月个年星礼]"
)
_ITS_DAY = re.compile("在?(?:当天|当日|那一?天|那日|同一?天)")
_HOUR = re.compile(
    rf"\b({en.WEEKDAY}) (?=\d{{1,2}}(?:\s?[-–]\s?\d{{1,2}})?(?:[,;.)]|\s|$))", re.IGNORECASE
)
_EACH = re.compile(r",?\s*\b(?:each|every) time\b,?|[,，]?每[次回][,，]?", re.IGNORECASE)


def recurring_day(text: str, rule: Mapping[str, str]) -> bool:
    """Whether a text names one weekday (else, one day of the month), and that of every week, as
    "Tuesdays" is; or a bare Tuesday, if the ``rule`` of its reminder rings on that day."""
    folded, of_week = fold(text), rule["FREQ"] == "WEEKLY"
    if len((_OF_WEEK if of_week else _OF_MONTH).findall(folded)) == 1:
        return not of_week or len(_ANY_WEEKDAY.findall(folded)) == 1
    named = _ANY_WEEKDAY.findall(folded) if of_week else []
    same = len(named) == 1 and WEEKDAYS[weekday(named[0])] == rule.get("BYDAY")
    return same and not (_SINGLE.search(folded) or _names_date(text))


def is_day_of_all(words: str, said: str, *, of_week: bool) -> bool:
    """Whether the new words of an edit may name the day of every week or month: a bare weekday or
    an hour, and no date, nor one of "this week" by the request ``said``."""
    if _SINGLE.search(fold(words)) or is_of_one(said, dated=of_week):
        return False
    return not (of_week and _names_date(words))


def is_of_one(words: str, *, dated: bool = True) -> bool:
    """Whether words speak of one time of several, as of "this week" or "tomorrow", or, where a date
    is none that recurs (``dated``), of "the 17th"; and not of all from some time on."""
    folded = fold(as_known(words))
    one = _SINGLE.search(folded) or _ONE_DAY.search(folded) or (dated and _names_date(words))
    return bool(one) and not _FOR_GOOD.search(folded)


def _names_date(words: str) -> bool:
    """Whether words name a day that is more than a weekday, and not 当天, that of the event."""
    rest = re.sub("当[天日]", " ", _ANY_WEEKDAY.sub(" ", fold(words)))
    return any((en.DAY_ALONE.search(rest), re.search(zh.WHOLE_DAY, rest)))


def once_named(words: str) -> str:
    """The words without those that say that every time is meant: "an hour before each time"."""
    return _EACH.sub("", words).strip()


def of_its_day(words: str) -> bool:
    """Whether words are about the day of what a memory is about: 当天早上, which may be today."""
    return _ITS_DAY.match(fold(as_known(words))) is not None


def plainly(words: str) -> str:
    """The words of a text whose reminder recurs with their weekdays in the singular, since
    "Tuesdays" is every Tuesday, and with "at" before a bare hour: "Wed 7"."""
    return _HOUR.sub(r"\1 at ", _MANY.sub(r"\1", words))
