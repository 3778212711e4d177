"""What may stand around a time: words that cannot change it.

"the hearing on 3 June" is on 3 June; "the Friday before", "first Monday of the quarter" and
每逢单周三 are not a Friday, a Monday and a Wednesday. What is passed over to read a time may say
nothing of times itself, else the time is asked about.
"""

from __future__ import annotations

import re

from text2mem.ir.times.phrases_en import MONTH
from text2mem.ir.times.temporal_en_lengths import NUMBERS, UNITS
from text2mem.ir.words.segment import HAN

_COUNTS = "|".join(sorted((word for word in NUMBERS if len(word) > 2 and word != "one"), key=len))
_LENGTHS = "|".join(sorted((word for word in UNITS if len(word) > 2), key=len))
_ENGLISH = re.compile(
    rf"\d|(?<![a-z])(?:{_COUNTS}|{_LENGTHS}|{MONTH}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|"
    "week(?:day|end|night)s?|fortnights?|quarters?|every|each|other|alternate|first|second|third|"
    "fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|[a-z]+teenth|twentieth|thirtieth|"
    "last|next|later|earlier|ago|thru|through|before|half|middle|mid|end|start|beginning|early|late|"
    "mornings?|noon|afternoons?|evenings?|nights?|midnight|midday|dawn|dusk|lunch|lunchtime|dinner|"
    "dinnertime|tea|teatime|breakfast|bedtime|o'?clock|time|today|tomorrow|yesterday|daily|weekly|"
    "monthly|yearly|except|not)(?![a-z])"
)
_CHINESE = re.compile(
    r"[\d〇零二三四五六七八九十两半每逢隔初末底月周年早晚午夜整刻差第最除外别不没]|礼拜|星期|农历|阴历|"
    r"天天|一次|一[天日周月年点]|[之以]前|提前|头一?个"
)
_HOURS = "|".join(word for word, number in NUMBERS.items() if number <= 12)
_CLOCK = re.compile(
    rf"(?<![a-z\d])(?:\d{{1,2}}(?:[:.h]\d\d)?(?: ?(?:[ap]\.?m\b|h\b))?|{_HOURS}|half|quarter|"
    "o'clock|"
    "(?:in the )?(?:morning|afternoon|evening)|at night|noon|midnight|before)(?![a-z\\d])"
    r"|(?:凌晨|早上?|上午|中午|下午|傍晚|晚上?|夜里)"
    r"|(?:\d{1,2}|[一二两三四五六七八九十]{1,3})"
    r"(?:[点时:：](?:半|\d\d分?|[一二三四五六七八九十]{1,3}分?)?|(?=[到至-]))"
)
_OF_ANOTHER = re.compile(r"当[天日晚]")
"""The day of what was spoken of before, which nobody knows where words stand beside it."""


def timeless(phrase: str, text: str, *, but_clocks: bool = False) -> bool:
    """Whether what stands in a folded text around one phrase says nothing of times, or nothing
    ``but_clocks``, which leave the day as it is."""
    before, _, after = text.partition(phrase)
    rest = f"{before} {after}"
    if but_clocks:
        rest = _CLOCK.sub(" ", rest)
    if not rest.strip():
        return True
    if _OF_ANOTHER.fullmatch(phrase):
        return False
    return (_CHINESE if HAN.search(text) else _ENGLISH).search(rest) is None
