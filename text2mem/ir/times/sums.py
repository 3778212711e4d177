"""Increase or decrease the number, time of the day or day in a text by an amount.

The other words stay: "12 kg" and two more is "14 kg", "28 March" and a week is "4 April".
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta

from text2mem.ir.times import measures
from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.beginnings import first_hours
from text2mem.ir.times.duration import DAY, HOUR, Duration, UnreadableTime
from text2mem.ir.times.moments import read_when
from text2mem.ir.times.numerals import HAN_CHARS, WRITTEN, ordinal_ending, read_number
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.sums_zh import clock_moved, in_figures, in_numerals
from text2mem.ir.times.temporal import read_duration
from text2mem.ir.words.calendar_names import HAN_WEEKDAYS, MONTHS, SHORT, WEEKDAYS, weekday
from text2mem.ir.words.folding import Rewriting, any_of, fold

_PERCENT = re.compile(r"%|\bper ?cent\b|百分之")
_TENTHS = re.compile(r"(?:一倍|(?P<tenths>[一二两三四五六七八九])成)(?!\S)")
_SIGN = re.compile("[$€£¥]")
_CENTS, _THOUSANDS = 100, 3
_HALF_OF_ONE = re.compile(r"半(?=\D)|half (?:of )?an? ")
_HALF = re.compile(r"(?:(?:a|one) )?half|一半")
_SPELT = re.compile(
    rf"\b(?:{any_of(en.TENS)}(?:-{any_of(en.ONES)})?|{any_of(en.ONES + en.TEENS)})\b(?!-)", re.I
)
_KUAI = re.compile(
    rf"(?P<whole>\d+(?=[块塊万萬])|[{HAN_CHARS}]+(?=[块塊]))(?P<unit>.)"
    r"(?P<tenths>[1-9一二两三四五六七八九])"
    r"毛?(?![\d.%\u4e00-\u9fff])"
)
"""3块5, which is 3.5块, and 3万4."""
_COMMA = re.compile(r"(?<![\d.,])(?:\d+|\d{1,3}(?:\.\d{3})+),\d\d(?![\d.,])")
"""412,50 and 2.340,75, as most of Europe writes them."""
_POINT = re.compile(r"(?<=\d)[.,](?=\d)")
_SWAP = str.maketrans(".,", ",.")
_TIMES = re.compile(r"(?<![a-z\d])[x×](?=\d+(?![\d.]*[x×\d]))", re.IGNORECASE)
"""The sign before how many there are: "glasses x11"."""
_MORE = Rewriting(
    (r"\b(?:more|further|extra|additional)\s+", ""),
    (rf"^another (?=\d|half\b|(?:{any_of(en.TENS + en.ONES + en.TEENS)})\b)", ""),
    (r"^another ", "a "),
    (r"^[再又多]+", ""),
)
_ONE_OF = re.compile(r"an? (?P<of>[a-z]+)")
_MONTHS = re.compile(rf"(?i:\b{en.MONTH}\b.*\b{en.MONTH}\b)|月.*月")
_POINTS = re.compile(r"(\d+)\.(?:0|([1-9]))([块塊万萬])")
_OF_DAY = re.compile(r"(?P<hour>\d{1,2})(?P<mark>[:.：])(?P<minute>\d\d)(?!\d)")
_SPLIT = re.compile(
    r"(?<![\d:.])(?:(?P<hours>\d+):)?(?P<minutes>\d+):(?P<seconds>[0-5]\d)(?![\d:]|\s?[ap]\.?m\b)"
    rf"(?P<per>{measures.PER.pattern})?",
    re.IGNORECASE,
)
"""A length or a pace with its seconds: 58:30, 1:04:15, 5:40/km."""
_OF_FOUR = re.compile(
    r"(?:(?<![\d.:$€£/-])(?!19|20)|^(?=\d{4}$))(?P<hour>[01]\d|2[0-3])(?P<mark>)(?P<minute>[0-5]\d)"
    r"(?![\d.:/-]|[.,]\d)"
)
"""1540; among other words 2030 is a year."""
_OF_HALF = re.compile(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?(?P<gap> ?)(?P<half>[ap])(?=\.?m)", re.IGNORECASE
)
_DAY_AND_MONTH = re.compile(
    r"(?<![\d.:/])(?P<first>\d{1,2})(?P<mark>[./])(?P<second>\d{1,2})(?![\d:%-])"
)
_ORDINAL = re.compile(rf"(\d{{1,2}})({en.ENDING})?(?!\d)")
_OTHER = rf"(?P<day>\d{{1,2}})(?P<ending>{en.ENDING})?"
_TO = r"(?:\s?[-–—~至到]\s?|\s(?:to|till?|until|through|and)\s)"
_BEGIN = re.compile(rf"(?<![\d.:/-]){_OTHER}[日号.]?{_TO}$")
_END = re.compile(rf"^[日号.]?{_TO}{_OTHER}(?!\.?\d|[:/-])")
_WEEKDAY = re.compile(rf"(?i:\b(?:{en.WEEKDAY})\b)|{zh.WEEKS}{zh.OF_WEEK}(?!天)")
_BARE = re.compile(rf"(?:the\s+)?\d{{1,2}}{en.ENDING}|{zh.BARE_DAY}", re.I)
"""A day of the month without its month."""


def amount_in(words: str) -> str:
    """The words of an amount without those that say that it comes to what is there: "two more
    weeks" is "two weeks", "another week" "a week", 再两周 两周."""
    return _MORE(fold(words).strip())


def shifted(words: str, amount: str, *, up: bool, clock: Clock) -> str | None:
    """Return ``words`` with their number, time or day increased (``up``) or decreased by an amount.
    None if they do not name exactly one, or if the result would be negative."""
    with suppress(UnreadableTime):
        if _measures(words) is not None and length_of(words) is None:
            return _counted(words, amount, up=up)  # 500 m are minutes, too
        length = read_duration(amount)
        if (held := length_of(words)) is not None:
            return _lengthened(words, held, length, up=up)
        sign = 1 if up else -1
        if length.months == 0 and length.seconds % DAY:
            return _clock_moved(words, sign * length.seconds)
        moved = _day_moved(words, length, sign, clock)
        figures = _DAY_AND_MONTH.search(words)  # 15.09 and a week is not 16.09
        if moved is not None or figures or _WEEKDAY.search(words) or _BARE.fullmatch(words):
            return moved
        if WRITTEN.fullmatch(words.strip()) and (read_number(amount) or 0) * DAY != length.seconds:
            return None  # 12 and two weeks
    return _counted(words, amount, up=up)


def length_of(words: str) -> Duration | None:
    """The length of time that words name; None for a day of the month (15日), and other words."""
    with suppress(UnreadableTime):
        return None if _BARE.fullmatch(words) else read_duration(words)
    return None


def _lengthened(words: str, held: Duration, length: Duration, *, up: bool) -> str | None:
    """``words``, which name the length ``held``, with their number changed by another length in
    their unit, to the hundredth: "40 minutes" and an hour are "100 minutes"."""
    number = read_number(words)
    whole, size = (held.months, length.months) if held.months else (held.seconds, length.seconds)
    other = held.seconds or length.seconds if held.months else length.months
    if not number or not whole or other or not _exact(more := size * number / whole, 2):
        return None
    return _counted(words, f"{more:g}", up=up)


def _counted(words: str, amount: str, *, up: bool) -> str | None:
    """``words`` with their one number changed by an amount, in the form that it is written in."""
    amount = _COMMA.sub(_swapped, _KUAI.sub(_in_points, _TIMES.sub(" ", amount)))
    if (sign := _TIMES.search(words)) is not None:
        before, after = words[: sign.start()], words[sign.end() :]
        made = _counted(f"{before} {after}", amount, up=up)
        return made and f"{before}{sign[0]}{made[sign.end() :]}"
    if _COMMA.search(words):
        made = _in_figures_counted(_COMMA.sub(_swapped, words), amount, up=up)
        return made and _POINT.sub(_swapped, made)
    if _KUAI.search(words):
        made = _in_figures_counted(_KUAI.sub(_in_points, words), amount, up=up)
        return made and _POINTS.sub(r"\1\3\2", made)
    spelt = [*_SPELT.finditer(words)]
    if len(spelt) != 1 or WRITTEN.search(words):
        return _in_figures_counted(words, amount, up=up)
    run = spelt[0]
    before, after = words[: run.start()], words[run.end() :]
    made = _in_figures_counted(f"{before}{read_number(run[0])}{after}", amount, up=up)
    total = made and made[len(before) : len(made) - len(after)]
    if not total or not total.isdecimal() or not 1 <= int(total) < len(en.ONES + en.TEENS) + 1:
        return made
    word = (en.ONES + en.TEENS)[int(total) - 1]
    return f"{before}{word.capitalize() if run[0][0].isupper() else word}{after}"


def _swapped(found: re.Match[str]) -> str:
    """A number with its points for commas, and its commas for points."""
    return found[0].translate(_SWAP)


def _in_points(found: re.Match[str]) -> str:
    """3块5 as 3.5块."""
    return f"{read_number(found['whole'])}.{read_number(found['tenths']):d}{found['unit']}"


def _in_figures_counted(words: str, amount: str, *, up: bool) -> str | None:
    plain = _PERCENT.sub(" ", fold(amount))
    held, more = read_number(words), read_number(plain)
    runs = [*WRITTEN.finditer(fold(words))]
    if _HALF.fullmatch(plain.strip()) and held is not None and len(runs) == 1:
        return _in_percent(words, runs[0], held, 50 if up else -50)
    if "半" in plain and isinstance(more, int):  # 三斤半 is more than 3
        return None
    if more is None and _HALF_OF_ONE.match(plain):
        more = 0.5
    one = _ONE_OF.fullmatch(plain.strip())
    if more is None and one and len(runs) == 1:  # "an egg" of "6 brown eggs"
        found = re.match(rf"\s?(?:\w+\s)?{one['of']}", fold(words)[runs[0].end() :])
        more = 1 if found and bool(_measures(words)) == bool(measures.unit_in(plain)) else None
    if held is None or more is None or len(runs) != 1:
        return None
    if (tenths := _TENTHS.fullmatch(plain)) or "倍" in plain:
        more = 10 * (read_number(tenths["tenths"] or "十") or 0) if tenths else 0
        return _in_percent(words, runs[0], held, more if up else -more) if more else None
    more = _in_its_unit(more, plain, _measures(words))
    if more is None:
        return None
    if plain != fold(amount) and not _PERCENT.search(fold(words)):
        return _in_percent(words, runs[0], held, more if up else -more)
    scale = (held / (read_number(runs[0][0]) or 1)) or 1  # 1,000 in "85k"
    total = (held + more if up else held - more) / scale
    said = (run[0] for run in WRITTEN.finditer(plain) if read_number(run[0]) == more)
    written = next(said, more)  # 10.50, not 10.5
    places = max(map(_places, (runs[0][0], written, more) if scale == 1 else (runs[0][0],)))
    places += places == scale == 1 and _SIGN.search(words) is not None  # £85.50, not £85.5
    # With 3.50 and "fifty" it is not clear whether cents are meant, and 1.150 may be thousands.
    clear = more >= _CENTS and _places(runs[0][0]) < _THOUSANDS
    unclear = "." in runs[0][0] and isinstance(more, int) and held < more and not clear
    if total < 0 or unclear or not _exact(total, places):
        return None
    grouped = f"{total:,.{places}f}" if "," in runs[0][0] else f"{total:.{places}f}"
    return words[: runs[0].start()] + grouped + words[runs[0].end() :]


def _measures(words: str) -> tuple[str, float] | None:
    """The kind and the size of the unit of the one number that words hold."""
    runs = [*WRITTEN.finditer(fold(words))]
    return measures.unit_at(fold(words), *runs[0].span()) if len(runs) == 1 else None


def _in_its_unit(more: float, plain: str, unit: tuple[str, float] | None) -> float | None:
    """An amount in the unit of the number that it changes; as it is, if either has none, but a
    dozen is twelve of anything. None if they measure different things, or if that is no thousandth.
    """
    runs = [*WRITTEN.finditer(plain)]
    of_half = _HALF_OF_ONE.match(plain)
    span = of_half.span() if of_half else runs[0].span() if len(runs) == 1 else None
    said = (span and measures.unit_at(plain, *span)) or measures.unit_in(plain)
    if measures.DOZEN in (unit, said):
        unit, said = unit or measures.ONE, said or measures.ONE
    if unit is None or said is None or unit == said:
        return more
    made = round(more * said[1] / unit[1], 6)
    if unit[0] != said[0] or not _exact(made, 3):
        return None
    return int(made) if made.is_integer() else made


def _in_percent(words: str, run: re.Match[str], held: float, more: float) -> str | None:
    """``words`` with their number changed by ``more`` per cent, to the hundredth if need be."""
    total, number = held * (100 + more) / 100, read_number(run[0])
    places = next((each for each in (_places(run[0]), 2) if _exact(total, each)), None)
    if number != held or total < 0 or places is None:
        return None
    grouped = f"{total:{',' if ',' in run[0] else ''}.{places}f}"
    return words[: run.start()] + grouped + words[run.end() :]


def _exact(total: float, places: int) -> bool:
    return math.isclose(round(total, places), total)


def _places(number: object) -> int:
    return len(str(number).partition(".")[2])


def _clock_moved(words: str, seconds: int) -> str | None:
    """``words`` with their one time of the day moved, within the same day; None for both ends of a
    stretch of hours, which may be later or longer."""
    if first_hours(words) != words:
        return None
    split = [*_SPLIT.finditer(words)]
    if seconds % 60 or any(each["per"] or each["hours"] for each in split):
        return _seconds_moved(words, split, seconds)
    of_half = [*_OF_HALF.finditer(words)]
    found = of_half or [*_OF_DAY.finditer(words)] or [*_OF_FOUR.finditer(words)]
    if not found:
        return clock_moved(words, seconds // 60)
    if len(found) != 1:
        return None
    said = found[0].groupdict()
    hour, minute = int(said["hour"]), int(said["minute"] or 0)
    if of_half:
        hour = hour % 12 + (12 if said["half"] in "pP" else 0)
    if hour >= 24:  # 52:10 is a length
        return _seconds_moved(words, split, seconds)
    moved = hour * 60 + minute + seconds // 60
    if not 0 <= moved < 24 * 60:
        return None
    hour, minute = divmod(moved, 60)
    if of_half:
        shown = f":{minute:02}" if minute or said["minute"] else ""
        half = "p" if hour >= 12 else "a"
        half = half.upper() if said["half"].isupper() else half
        made = f"{(hour - 1) % 12 + 1}{shown}{said['gap']}{half}"
    else:
        made = f"{hour:0{len(said['hour'])}}{said['mark']}{minute:02}"
    return words[: found[0].start()] + made + words[found[0].end() :]


def _seconds_moved(words: str, found: Sequence[re.Match[str]], by: int) -> str | None:
    """``words`` with the one length or pace in them moved by some seconds: 5:40/km is 5:50/km."""
    if len(found) != 1:
        return None
    hours, minutes, seconds = (int(found[0][each] or 0) for each in (1, 2, 3))
    total = 60 * (60 * hours + minutes) + seconds + by
    if total < 0 or (found[0]["hours"] and hours < 24 <= total // HOUR):
        return None  # 23:30:00 may be a time of the day
    minutes, seconds = divmod(total, 60)
    if found[0]["hours"] is None:
        made = f"{minutes:0{len(found[0]['minutes'])}}:{seconds:02}"
    else:
        made = f"{minutes // 60:0{len(found[0]['hours'])}}:{minutes % 60:02}:{seconds:02}"
    return words[: found[0].start()] + made + words[found[0].end("seconds") :]


def _day_moved(words: str, length: Duration, sign: int, clock: Clock) -> str | None:
    if _WEEKDAY.fullmatch(words):
        days = sign * length.seconds // DAY
        if length.months or not 0 < abs(days) < 7:
            return None
        return weekday_anew(words, (weekday(words.casefold()) + days) % 7)
    day = read_number(words) if _BARE.fullmatch(words) else None
    found = read_when(f"the {day}{ordinal_ending(int(day))}" if day else words, clock)
    if found is None:
        return None
    old = found.astimezone(clock.tz).date()
    try:
        new = length.shift(old, sign)
    except OverflowError:
        return None
    plain = in_figures(words)
    made = None if plain is None else written_anew(plain, old, new)
    return None if made is None else in_numerals(made, words)


def weekday_anew(name: str, which: int) -> str:
    """The name of the weekday ``which`` (0 is Monday) in the form of another weekday's name."""
    if name > "\u2e80":
        return f"{name[:-1]}{HAN_WEEKDAYS[which]}"
    other = WEEKDAYS[which][: SHORT if len(name) <= len("thur") else None]
    return other.capitalize() if name[0].isupper() else other


def written_anew(words: str, old: date, new: date) -> str | None:
    """``words``, which name the day ``old``, rewritten for the day ``new`` in the same form. None
    if they lack the number of the day, or the month, if that changes, or name two months."""
    if _MONTHS.search(words):
        return None
    if old.isoformat() in words:
        return words.replace(old.isoformat(), new.isoformat())
    if str(old.year) in words:
        words = words.replace(str(old.year), str(new.year))
    figures = [*_DAY_AND_MONTH.finditer(words)]
    if figures:
        return _figures_anew(words, figures[0], old, new) if len(figures) == 1 else None
    if old.month != new.month:
        month, to = _month(words, old, new)
        if month is None:
            return None
        words = words[: month.start()] + to + words[month.end() :]
    # A number before 月 is that of the month.
    numbers = (m for m in _ORDINAL.finditer(words) if int(m[1]) == old.day)
    days = [m for m in numbers if not words[m.end() :].lstrip().startswith("月")]
    if len(days) != 1:
        return None
    ending = ordinal_ending(new.day) if days[0][2] else ""
    by = new - old
    before = _other_moved(_BEGIN, words[: days[0].start()], old, by)
    after = _other_moved(_END, words[days[0].end() :], old, by)
    if before is None or after is None:
        return None
    return f"{before}{new.day}{ending}{after}"


def _figures_anew(words: str, found: re.Match[str], old: date, new: date) -> str | None:
    """``words`` with the day and the month in figures of ``new``, in the order of ``old``."""
    said = int(found["first"]), int(found["second"])
    made = (new.day, new.month) if said == (old.day, old.month) else (new.month, new.day)
    if sorted(said) != sorted((old.day, old.month)):
        return None
    width = 2 if len(found["first"]) == len(found["second"]) == 2 else 1
    first, second = (f"{each:0{width}}" for each in made)
    return f"{words[: found.start()]}{first}{found['mark']}{second}{words[found.end() :]}"


def _month(words: str, old: date, new: date) -> tuple[re.Match[str] | None, str]:
    """The match of the month of ``old`` in words, and the month of ``new`` in the same form."""
    for length in (None, SHORT):
        before, after = (MONTHS[day.month - 1][:length] for day in (old, new))
        found = re.search(rf"(?i)\b{before}\b", words)
        if found is not None:
            return found, after if found[0].islower() else after.capitalize()
    return re.search(rf"(?<!\d){old.month}(?=\s?月)", words), str(new.month)


def _other_moved(form: re.Pattern[str], words: str, day: date, by: timedelta) -> str | None:
    """The words beside a day, with the other end of its range of days moved as well, if any. None
    if that would be in another month."""
    found = form.search(words)
    try:
        other = day.replace(day=int(found["day"])) if found is not None else None
    except ValueError:
        return None
    if found is None or other is None or (other < day) != (form is _BEGIN):
        return words
    if (other + by).month != (day + by).month:
        return None
    ending = ordinal_ending((other + by).day) if found["ending"] else ""
    said = words[found.end("ending" if found["ending"] else "day") :]
    return f"{words[: found.start('day')]}{(other + by).day}{ending}{said}"
