"""Decide which words around a time can be ignored because they cannot change it.

"the hearing on 3 June" is on 3 June, but "the Friday before" and 每逢单周三 are not just a Friday
and a Wednesday. Words are ignored only if they say nothing of times; else the person is asked.
"""

from __future__ import annotations

import re

from text2mem.ir.times import named_days
from text2mem.ir.times.phrases_en import DAY_NAME, MONTH, WEEKDAY
from text2mem.ir.times.temporal_en_lengths import NUMBERS, UNITS
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import HAN

_COUNTS = "|".join(sorted((word for word in NUMBERS if len(word) > 2 and word != "one"), key=len))
_LENGTHS = "|".join(sorted((word for word in UNITS if len(word) > 2), key=len))
_ENGLISH = re.compile(
    rf"\d|(?<![a-z])(?:{_COUNTS}|{_LENGTHS}|{MONTH}|{WEEKDAY}s?|"
    "week(?:day|end|night)s?|fortnights?|quarters?|every|each|other|alternate|first|second|third|"
    "fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|[a-z]+teenth|twentieth|thirtieth|"
    "last|next|later|earlier|ago|thru|through|before|after|half|middle|mid|end|start|beginning|early|late|"
    "mornings?|noon|afternoons?|evenings?|nights?|midnight|midday|dawn|dusk|"
    "sunrise|sunset|lunch|lunchtime|dinner|dinnertime|supper|suppertime|tea|teatime|breakfast|bedtime|utc|gmt|[pecm][sd]t|[bi]st|ce?s?t|cest|eest|jst|kst|hkt|sgt|"
    "a[cew][sd]t|nz[sd]t|msk|o'?clock|time|today|tomorrow|yesterday|daily|weekly|"
    "monthly|yearly|except|not)(?![a-z])"
)
_CHINESE = re.compile(
    r"[\d〇零二三四五六七八九十两半每逢隔初末底月周年早晚午夜整刻差第最除外别不没]|礼拜|星期|农历|阴历|"
    r"天天|一次|一[天日周月年点]|[之以]前|提前|[今昨明][天日晚早]|或|还是|哪|时间|(?:这|同一)个?时候?|"
    r" 中(?![一-龥])|前一(?:个|小时|刻)|头一?个|(?<!前)后(?!台|门|院|勤)"
)
_UNIT_FIRST = re.compile(r"(?:week|month|quarter|year)(?:[ -]|$)")
_LED = re.compile(r"(?:.* )?(?:by|until|till|at|on|the|before|in|for|of) ?|")
"""The words that may precede a bare unit. Others may change it, as in "the fiscal year"."""
_BESIDE_ANOTHER = re.compile(r"[前完](?:的|了的?|试的?)?$")
"""The end of words that make a day relative to something else: 国庆前的周五, 考完试的周五."""
_ENGLISH_BOUNDS = re.compile(
    r"(?<![a-z])(?:since|until|till?|to|from|between|up|on(?:ward)?s|around|about|roughly|nearly|few|"
    r"couple|several|recent(?:ly)?|past|prior|previous|older|newer|younger|more|less|over|under|"
    r"than|and|or|but|without)(?![a-z])"
)
_CHINESE_BOUNDS = re.compile(
    "[到至从自起来多少几和跟与或、]|左右|期间|上下|过去|最近|近|开始|大概|大约|差不多"
)
_HOURS = "|".join(word for word, number in NUMBERS.items() if number <= 12)
_CLOCK = re.compile(
    rf"(?<![a-z\d])(?:\d{{1,2}}(?:[:.h]\d\d)?(?: ?(?:[ap]\.?m\b|h\b))?|{_HOURS}|half|quarter|"
    "o'clock|"
    "(?:in the )?(?:morning|afternoon|evening)|at night|noon|midnight|dinner|lunch|tea|"
    "breakfast|before)(?![a-z\\d])"
    r"|(?:凌晨|早上?|上午|中午|下午|傍晚|晚上?|夜里)"
    r"|(?:\d{1,2}|[一二两三四五六七八九十]{1,3})"
    r"(?:[点时:：](?:半|\d\d分?|[一二三四五六七八九十]{1,3}分?)?|(?=[到至-]))"
)
_OF_ANOTHER = re.compile(r"当[天日晚]")
"""The day of something that was mentioned before. With words beside it, it is not clear of what."""


_AROUND = re.compile(
    rf"(?<![a-z])(?:\d+|{_COUNTS}|an?|few|couple(?: of)?|several|last|past|next|previous|recent|"
    "coming)"
    rf" (?:few |couple of |\w+ )?(?:{_LENGTHS}|week(?:day|end|night)s?)(?![a-z])"
    rf"|(?<![a-z])(?:{MONTH}|{DAY_NAME}s?|q[1-4]|before|after|"
    r"since|until|till|between|prior to|older|newer|younger|ago|early|late|mid|around|end of|"
    r"start of|beginning of|today|tomorrow|yesterday|recent(?:ly)?|lately)(?![a-z])|\d"
    r"|[\d一二三四五六七八九十两半廿](?:个?半)?个?(?:天|周|月|年(?!级)|号|日|星期|礼拜|季度|点)"
    r"|(?<!那)几个?(?:天|周|月|年|星期|礼拜)|[上下这本当]个?(?:周|月|星期|礼拜|季)|(?:周|星期|礼拜)[一-龥]"
    r"|[之以][前后内来]|[今明昨前去后]年(?!级)|[今明昨]天|前天|后天|最近|过去|近来|年[初底末]|月[初底末]|期间"
)
"""Words that say when something was, but not by an event: "the hospital week", 疫情那年."""


def of_times(words: str) -> bool:
    """Whether words contain a time that says when something was."""
    return bool(_AROUND.search(fold(words))) or named_days.stands_in(fold(words))


def timeless(phrase: str, text: str, *, but_clocks: bool = False, but_bounds: bool = True) -> bool:
    """Whether the words of a folded text around ``phrase`` say nothing of times, ``but_clocks`` of
    times of the day, ``but_bounds`` of where a stretch of time begins or ends."""
    before, _, after = text.partition(phrase)
    rest = f"{before} {after}"
    if but_clocks:
        rest = _CLOCK.sub(" ", rest)
    if not rest.strip():
        return True
    said, bounds = (_CHINESE, _CHINESE_BOUNDS) if HAN.search(text) else (_ENGLISH, _ENGLISH_BOUNDS)
    return not (
        _OF_ANOTHER.fullmatch(phrase)
        or (_UNIT_FIRST.match(phrase) and not _LED.fullmatch(before))
        or _BESIDE_ANOTHER.search(before)
        or _of_a_name(before, phrase)
        or said.search(rest)
        or (not but_bounds and bounds.search(rest))
    )


def _of_a_name(before: str, phrase: str) -> bool:
    """Whether the first word of a phrase is the last one of a day's name: "Easter Monday at 7"."""
    words = (*before.split()[-2:], phrase.split()[0])
    return any(named_days.is_name(" ".join(words[-size:])) for size in (2, 3))
