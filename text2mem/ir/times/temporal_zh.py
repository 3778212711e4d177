"""Read Chinese phrases for times: 下周五, 三天后, 半年后, 月底前, 明天上午9点.

The conventions are those of ``temporal``. 前 and 之前 after a day include that day; after a longer
period, or a part of the day, they mean its beginning. 底, 末 and 内 mean the last second.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from text2mem.ir.times import named_days
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.duration import DAY, HOUR, MINUTE, WEEK, Duration
from text2mem.ir.times.numerals import han_number
from text2mem.ir.times.temporal_calendar import Calendar, Days, Named, Part, Reading, clock_in
from text2mem.ir.words.calendar_names import weekday
from text2mem.ir.words.folding import SIMPLIFIED, any_of

_SIMPLIFIED = str.maketrans({**SIMPLIFIED, "俩": "两", "仨": "三"})
_DIGITS = {char: n for n, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
UNITS = {
    "秒": (0, 1), "秒钟": (0, 1), "分": (0, MINUTE), "分钟": (0, MINUTE), "刻钟": (0, 15 * MINUTE),
    "小时": (0, HOUR), "钟头": (0, HOUR), "天": (0, DAY), "日": (0, DAY), "周": (0, WEEK),
    "星期": (0, WEEK), "礼拜": (0, WEEK), "月": (1, 0), "季度": (3, 0), "年": (12, 0),
}  # fmt: skip
_HALVES = {"月": (0, 15 * DAY), "季度": (0, 45 * DAY), "年": (6, 0)}
_DAWN, _MORNING, _NOON, _AFTERNOON, _EVENING, _NIGHT = Part
PARTS = {
    "凌晨": _DAWN, "清晨": _MORNING, "早晨": _MORNING, "早上": _MORNING, "上午": _MORNING,
    "正午": _NOON, "中午": _NOON, "晌午": _NOON, "下午": _AFTERNOON, "傍晚": _EVENING,
    "晚上": _NIGHT, "晚间": _NIGHT, "夜里": _NIGHT, "夜间": _NIGHT, "半夜": _NIGHT,
}  # fmt: skip
_NUMERAL = re.compile("(?:{0}百)?零?(?:{0}?十)?{0}?".format(f"[{''.join(_DIGITS)}]"))
_NUM = r"(?:\d{1,4}|[零〇一二两三四五六七八九十百]{1,7})"
_NEAR_RE = f"(?P<near>{any_of(zh.PERIODS_AWAY)})个?"
_YEAR = rf"(?P<year>{zh.YEARS}|[\d零〇一二三四五六七八九]{{4}}年)"
_YEAR_RE = f"(?:{_YEAR}的?)?"
_MONTH = f"(?:{_NEAR_RE}月|{_YEAR_RE}(?P<month>{_NUM})月份?)"
_LENGTH = re.compile(
    rf"(?P<n>{_NUM}|半)(?P<half>个?半|\.5)?(?P<ge>个)?(?P<unit>{any_of(UNITS)})(?P<tail>半)?"
)
_CLOCK = re.compile(
    rf"(?:在|的)?(?P<part>{any_of(PARTS)})?(?:的)?"
    rf"(?:(?P<hour>{_NUM})(?:[点时:](?:钟|整)?)"
    rf"(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute>(?!.$){_NUM})分?(?::(?P<second>\d\d))?)?)?"
)
_DATES = [
    re.compile(pattern)
    for pattern in (
        rf"(?P<day>{any_of(zh.DAYS_AWAY)})",
        rf"{_NEAR_RE}{zh.WEEKS}(?P<weekday>{zh.OF_WEEK})",
        rf"{_NEAR_RE}(?:(?P<weekend>周末)|(?P<week>周|星期|礼拜)(?P<edge>[初底])?)",
        r"(?P<weekend>周末)",
        rf"{zh.WEEKS}(?P<weekday>{zh.OF_WEEK})",
        rf"(?:{_NEAR_RE})?{zh.WEEKS}(?P<weekday>{zh.OF_WEEK}),?"
        rf"(?:(?P<figures>{zh.NO_HOUR}{zh.FIGURES})[日号]?|(?P<mday>{_NUM})[号日])",
        rf"(?:{_YEAR_RE}(?P<month>{_NUM})月)?(?P<mday>{_NUM})(?:[号日]|(?<=月\d)|(?<=月\d\d)),?"
        rf"{zh.WEEKS}(?P<weekday>{zh.OF_WEEK})",
        rf"{_NEAR_RE}(?P<quarter>季度|季)(?P<edge>[初底末])?",
        rf"{_YEAR_RE}第(?P<nth>[一二三四1-4])季度(?P<edge>[初底末])?",
        rf"{_YEAR_RE}(?P<half>[上下])半年",
        rf"{_MONTH}(?P<third>[上中下])旬",
        rf"{_MONTH}的?(?P<side>[上下])半个?月",
        rf"{_MONTH}的?(?P<which>最后一|第[一二三四1-4])个?"
        f"(?:{zh.WEEKS}(?P<weekday>{zh.OF_WEEK})|(?P<ends>周末)|周|星期|礼拜)",
        rf"{_NEAR_RE}月(?:份?(?P<edge>[初底末])|的?(?P<mday>{_NUM})[日号])?",
        r"(?P<this>月)(?P<edge>[初底末])",
        rf"{_YEAR_RE}(?P<month>{_NUM})月(?:份?(?P<edge>[初底末])|(?P<mday>{_NUM})[日号]?|份)?",
        rf"{_YEAR}(?:年?(?P<edge>[初底末])|全年)?",
        r"(?P<this>年)(?P<edge>[初底末])",
        rf"(?P<mday>{_NUM})[号日]",
        r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<mday>\d{1,2})",
    )
]
_SINCE = re.compile("(?:自从|自從|自|从|從)?(?P<origin>.+?)以[来來]")
_RECENT = re.compile(r"(?P<word>最近|过去|近|此前|未来|接下来|今后)的?这?(?P<length>.+)")
_LIMIT = re.compile(r"(?:为止|截止|结束(?:之前|以前|前)?|之前|以前|前|[之以]?内)$")
_BEFORE = re.compile(r"(?<!结束)(?<!结束[之以])前$")
"""The word "before", which excludes a week or a longer period: 明年之前 is before that year."""
_BESIDE = re.compile(
    rf"(?P<day>.+?)的?[之以提]?(?P<side>[前后])的?(?P<long>{_LENGTH.pattern})(?P<rest>.*)"
)
_SAME = re.compile("的?(?:那[一天日]天?|当[天日])(?=.|$)")
_SHORT = re.compile("(今|明|昨|当)(晚|早)上?")
_HALVES_OF_DAY = re.compile(
    r"(?<![a-z\d.:])(?:(1[0-2]|0?[1-9])(?::([0-5]\d))?([ap])m|((?:1[3-9]|2[0-3]):[0-5]\d)pm"
    r"|(00?:[0-5]\d)am)(?![a-z\d])"
)


def normalise(text: str) -> str:
    """The text in simplified characters, without blanks and outer punctuation, 今晚 and 3pm in
    full."""
    compact = re.sub(r"\s+", "", text).translate(_SIMPLIFIED).strip("。,、!?.")
    return _HALVES_OF_DAY.sub(_of_day, _SHORT.sub(r"\1天\2上", compact))


def _of_day(found: re.Match[str]) -> str:
    """The time for "3pm", "8:30am" or "15:30pm"."""
    if found[1] is None:
        return found[4] or found[5]
    return f"{int(found[1]) % 12 + 12 * (found[3] == 'p')}:{found[2] or '00'}"


def number(text: str) -> int:
    """The number of digits or Chinese numerals from 0 to 999. Raises ValueError for other text."""
    if text.isascii() and text.isdigit():
        return int(text)
    if _NUMERAL.fullmatch(text) is None:
        raise ValueError("not a numeral")
    return han_number(text)


def nth(said: str) -> int:
    """The number of an ordinal: 2 for 第二, -1 for 最后一."""
    return -1 if said == "最后一" else number(said.removeprefix("第"))


def half(unit: str) -> tuple[int, int]:
    """The size of half a unit, in months and seconds."""
    return _HALVES.get(unit) or (0, UNITS[unit][1] // 2)


def _year(text: str, calendar: Calendar) -> int:
    """The year that a text names: 去年, 2026年, 二〇二六年."""
    if text in zh.YEARS_AWAY:
        return calendar.today.year + zh.YEARS_AWAY[text]
    return int("".join(str(_DIGITS.get(char, char)) for char in text.removesuffix("年")))


def _length(text: str) -> tuple[Duration, bool] | None:
    """The duration that a text as a whole names, and whether all its units are days or longer."""
    months, seconds, place, days = 0, 0, 0, True
    while match := _LENGTH.match(text, place):
        unit = match["unit"]
        month, second = UNITS[unit]
        # 三月 is March, 三个月 a length; 2026年 is a year, 三年 a length.
        if unit == "月" and not (match["ge"] or match["half"] or match["n"] == "半"):
            return None
        if unit == "年" and len(match["n"]) == 4:
            return None
        half_month, half_second = half(unit)
        if match["n"] != "半":
            count = number(match["n"])
            months, seconds = months + count * month, seconds + count * second
        if match["n"] == "半" or match["half"] or match["tail"]:
            months, seconds = months + half_month, seconds + half_second
        days = days and (month > 0 or second >= DAY)
        place = match.end()
        if text[place : place + 1] in ("零", "又"):
            place += 1
    return (Duration(months, seconds), days) if place and place == len(text) else None


def read_duration(text: str) -> Duration | None:
    """The length that a text names: 三天, 半年, 两个半小时, 7天内; None if it names none."""
    found = _length(re.sub("(?:以内|之内|内|的?时间)$", "", normalise(text)))
    return found[0] if found else None


def _offset(text: str, calendar: Calendar) -> tuple[Named | Reading, str] | None:
    """A distance from now at the beginning of a text (三天后, 两周内), and the rest of the text."""
    match = re.match(r"(?:再过|过|在)?(.+?)(以内|之内|内|之后|以后|后|之前|以前|前)", text)
    found = _length(match[1]) if match else None
    if match is None or found is None:
        return None
    length, days = found
    within = "内" in match[2]
    back = "前" in match[2] or (within and not calendar.forward)
    moment = calendar.shifted(length, -1 if back else 1)
    rest = text[match.end() :]
    if within:
        return Reading(min(moment, calendar.now), max(moment, calendar.now), moment), rest
    return Named(moment=moment, whole_days=days and length.seconds % DAY == 0), rest


def _beside(text: str, calendar: Calendar) -> tuple[Named, str] | None:
    """A day that is a length before or after another one (冬至前十天), and the rest of the text."""
    match = _BESIDE.fullmatch(text)
    found = _length(match["long"]) if match else None
    if match is None or found is None or not found[1]:
        return None
    day, end = _date(match["day"], calendar)
    if end != len(match["day"]) or not day.days or day.days[0] != day.days[1]:
        return None
    moved = found[0].shift(day.days[0], 1 if match["side"] == "后" else -1)
    return Named((moved, moved)), match["rest"]


def _date(text: str, calendar: Calendar) -> tuple[Named, int]:
    """The days named at the beginning of a text, if any, and the position behind their name."""
    named = named_days.read_start(text, calendar)
    if named is not None:
        return Named(named[0]), named[1]
    # The longest match counts: 下周五, not 下周. A bare 9点 or 三天 matches none of the patterns.
    matches = filter(None, (pattern.match(text) for pattern in _DATES))
    best = max(matches, key=lambda match: match.end(), default=None)
    if best is None:
        return Named(), 0
    said = {key: value for key, value in best.groupdict().items() if value}
    days, edge = _named_days(said, calendar), said.get("edge")
    if edge:
        days = (days[0 if edge == "初" else 1],) * 2
    return Named(days, limit=edge in ("底", "末")), best.end()


def _named_days(said: dict[str, str], calendar: Calendar) -> Days:
    """The days of a match of ``_DATES``, given by its groups."""
    near = zh.PERIODS_AWAY[said["near"]] if "near" in said else None
    if "day" in said:
        return calendar.period("day", zh.DAYS_AWAY[said["day"]])
    if which := said.pop("which", None):
        named, of = said.pop("weekday", None), "weekend" if said.pop("ends", None) else "week"
        within = _named_days(said, calendar)
        if named is None:
            return calendar.nth_week(*within, nth(which), of=of)
        return (calendar.nth_weekday(*within, weekday(named), nth(which)),) * 2
    if "weekday" in said:
        return _of_weekday(said, weekday(said["weekday"]), near, calendar)
    for unit in ("weekend", "week", "quarter"):
        if unit in said:
            return calendar.period(unit, near or 0)
    if "this" in said:
        return calendar.period("month" if said["this"] == "月" else "year", 0)
    year = _year(said["year"], calendar) if "year" in said else calendar.today.year
    if "half" in said:
        return calendar.months(date(year, 1 if said["half"] == "上" else 7, 1), 6)
    if "nth" in said:
        return calendar.months(date(year, 3 * number(said["nth"]) - 2, 1), 3)
    if side := said.pop("side", None):
        return calendar.nth_week(*_named_days(said, calendar), 1 + (side == "下"), of="half")
    if third := said.pop("third", None):
        first, last = _named_days(said, calendar)
        begin = {"上": 1, "中": 11, "下": 21}[third]
        return first.replace(day=begin), last if third == "下" else first.replace(day=begin + 9)
    mday = number(said["mday"]) if "mday" in said else None
    month = number(said["month"]) if "month" in said else None
    if near is not None:
        first, last = calendar.period("month", near)
    elif "year" not in said:
        return calendar.nearest(month, mday)
    elif month is None:
        return date(year, 1, 1), date(year, 12, 31)
    else:
        first, last = calendar.months(date(year, month, 1))
    return (first, last) if mday is None else (first.replace(day=mday),) * 2


def _of_weekday(said: dict[str, str], index: int, near: int | None, calendar: Calendar) -> Days:
    """The day of a match of ``_DATES`` that has a weekday, and maybe a date."""
    month, day = map(int, re.findall(r"\d+", said.get("figures", "0/0")))
    if near is not None or said.keys() == {"weekday"}:
        days = (calendar.weekday(index, near),) * 2
    elif "figures" in said:
        found = calendar.of_figures((month, day), index) if "/" in said["figures"] else None
        days = found or calendar.nearest(month, day)
    elif "month" in said:
        del said["weekday"]
        days = _named_days(said, calendar)
    else:
        return calendar.nearest(None, number(said["mday"]), index)
    known = "month" in said and not calendar.forward  # what is past is told by its date
    other = days[0].weekday() != index and not known
    other |= "mday" in said and days[0].day != number(said["mday"])
    if other or (month and {month, day} != {days[0].month, days[0].day}):
        raise ValueError("no such day")
    return days


def _clock(text: str, usual: Part | None) -> tuple[int | None, Part | None] | None:
    """The time that a text as a whole names, in seconds since midnight, and the part of the day, if
    they are named. None if it names something else. ``usual`` is the part of a bare hour."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    part = PARTS[match["part"]] if match["part"] else None
    if match["hour"] is None:
        return None, part
    part = part or usual
    minute = 30 if match["half"] else 15 * number(match["quarter"] or "零")
    minute = number(match["minute"]) if match["minute"] else minute
    return clock_in(part, number(match["hour"]), minute, int(match["second"] or 0)), part


def read(text: str, calendar: Calendar) -> Reading | None:
    """The reading of a phrase. Raises ValueError or OverflowError for days that do not exist."""
    text = normalise(text)
    if text in ("现在", "此刻", "目前", "立刻", "马上"):
        return Reading(calendar.now, calendar.now, calendar.now)
    said, usual = text, None
    text = re.sub("^(?:截至|截止到?|直到|到|在|于)", "", said)
    away = _offset(text, calendar) or _beside(text, calendar)
    if away is not None:
        named, rest = away
        if isinstance(named, Reading):
            return named if not rest else None
        limit = False
    else:
        rest = _LIMIT.sub("", _LIMIT.sub("", text))
        limit = rest != text or re.match("截|直到", said) is not None
        named, end = _date(rest, calendar)
        if limit and named_days.read_start(rest, calendar) and not re.search("[为截]止$", text):
            limit = False  # 春节前 excludes the festival
        if named.days and named.days[0] != named.days[1] and _BEFORE.search(text):
            named, limit = Named((named.days[0],) * 2), False
        usual = _NIGHT if rest[:end].endswith("夜") else None
        rest = _SAME.sub("", rest[end:], count=1) if end else rest
    timed = _clock(rest, usual)
    if timed is None:
        return None
    clock, part = timed
    limit = limit and not (part and _BEFORE.search(text))
    return calendar.place(replace(named, clock=clock, part=part, limit=limit or named.limit))


def read_recent(text: str) -> tuple[int, Duration] | None:
    """The direction and length of a range beside now: (-1, P7D) for 最近七天 and 七天以来."""
    text = normalise(text)
    match = _RECENT.fullmatch(text.removesuffix("以来"))
    if match is None:
        # 5日以来 and 98年以来 name a date.
        if not text.endswith("以来") or re.search(r"日以来$|\d\d年以来$", text):
            return None
        length = read_duration(text.removesuffix("以来"))
        return (-1, length) if length else None
    ahead = match["word"] in ("未来", "接下来", "今后")
    length = read_duration(match["length"])
    if length is None or (ahead and text.endswith("以来")):
        return None
    return (1 if ahead else -1), length


def read_since(text: str) -> str | None:
    """The words for the start of a range that ends now: 上周 in 上周以来 and 自上周以来."""
    match = _SINCE.fullmatch(text.strip("。、"))
    if match is None or re.fullmatch(rf"{_NUM}日", match["origin"]):
        return None  # 五日 is five days, or the 5th
    return match["origin"].strip()
