"""Rewrite colloquial English words for times into words that the readers know.

"half six" becomes "6:30", "at nine" "at 9", "tmrw" "tomorrow". The text has to be folded.

Meals and bedtime stand for the hours of ``_MEAL_HOURS`` ("after lunch", "dinner on Friday"), in a
request but not in a program.
"""

from __future__ import annotations

import re

from text2mem.ir.times.phrases_en import DAY_NAME, ENDING, FIGURES, MONTH, OF_DAY, PART, WEEKDAY
from text2mem.ir.times.temporal_en import PARTS
from text2mem.ir.times.temporal_en_lengths import NUMBERS, UNITS
from text2mem.ir.words.calendar_names import MONTHS, WEEKDAYS
from text2mem.ir.words.folding import Rewriting

_HOURS = {word: n for word, n in NUMBERS.items() if 1 <= n <= 12}
_MINUTES = {word: n for word, n in NUMBERS.items() if 10 <= n < 60} | {
    "oh-five": 5, "twenty-five": 25, "thirty-five": 35, "forty-five": 45, "fifty-five": 55,
}  # fmt: skip
_PAST = {"five": 5, "ten": 10, "quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30}
_WORDS = "|".join(_HOURS)
_HOUR = rf"(?P<hour>1[0-2]|[1-9]|{_WORDS})"
_WORD = rf"(?P<hour>{_WORDS})"
_MINUTE = rf"(?P<minute>{'|'.join(sorted(_MINUTES, key=len, reverse=True))})"
_ENDS = (
    r"(?=$|,(?!\d)|[;!?]| (?:a\.?m|p\.?m|on|in the|at night|every|each|daily|tomorrow|today|"
    rf"tonight|this|that|the same|weekdays?|weekends?|{DAY_NAME}s?|the day|"
    r"the night|the evening|the morning|before|next|o'clock)(?![a-z]))"
)
_ABOUT = "(?:around|about|roughly)"
_LIKE = "(?:like|approx(?:imately)?|say)"
"""Words that mean this only before a time."""
_COUNTED = "|".join(sorted((name for name in UNITS if len(name) > 2), key=len, reverse=True))
_ORDINARY = {"first": "1st", "second": "2nd"}


def _past(found: re.Match[str]) -> str:
    """The time for "ten past six" or "half six"."""
    return f"{_number(found['hour'])}:{_PAST.get(found['by'], 0) or int(found['by']):02}"


def _to(found: re.Match[str]) -> str:
    """The time for "ten to six"."""
    left = 60 - (_PAST.get(found["by"], 0) or int(found["by"]))
    return f"{_number(found['hour']) - 1 or 12}:{left:02}"


def _digit(found: re.Match[str]) -> str:
    """The hour for "six"."""
    return f"{found['lead']}{_number(found['hour'])}"


def _number(said: str) -> int:
    return _HOURS.get(said) or int(said)


def _at_hour(found: re.Match[str]) -> str:
    """The time for "six", maybe after a day."""
    return f"{found.groupdict().get('lead', '')}at {_number(found['hour'])}"


def _date(found: re.Match[str]) -> str:
    """The date in words for "28.08." or "10/29"."""
    return f"{int(found['day'])} {MONTHS[int(found['month']) - 1]}"


def _part_before(found: re.Match[str]) -> str:
    """The words for "the Friday evening before" in the order of "the Friday before"."""
    part = f"{'at' if found[2] == 'night' else 'in the'} {found[2]}"
    return f"the {found[1]} before, {found[3] or ''} {part}".replace(",  ", ", ")


def _at_a_meal(found: re.Match[str]) -> str:
    """The time for "after lunch"."""
    before, at, after = _MEAL_HOURS[found["meal"]]
    hour = {"before": before, "after": after}.get(found["side"], at)
    return f"{found['lead']}at {hour}:00"


_MEAL_HOURS = {
    "breakfast": (7, 8, 9), "lunch": (11, 12, 13), "tea": (16, 17, 18), "dinner": (17, 18, 20),
    "supper": (17, 18, 20), "bed": (22, 22, 22),
}  # fmt: skip
"""The hours that "before", "at" and "after" a meal or bedtime are read as."""
_MEALS = "|".join(_MEAL_HOURS)
_DAYISH = (
    rf"\b(?:{DAY_NAME}s?|{WEEKDAY}|today|tonight|tomorrow|(?:every|each|the|that) (?:day|{PART})|"
    rf"daily|week(?:day|end|night)s?|{PART}s?|(?:day|{PART}) before(?=,| at )|"
    rf"\d{{1,2}}{ENDING}(?: (?:of )?{MONTH})?|{MONTH} \d\d?|\d\d? {MONTH})\b"
)
"""The end of what names a day, before a time of the day; or its beginning."""
_ONE_BEFORE = "".join(f"(?<!the {name} )" for name in ("day", *PARTS, *WEEKDAYS))
"""No words as in "the evening before", which is the one before a day."""
_BY = f"(?:around|about|by|{_ONE_BEFORE}before)"
_UNDATED = (
    rf"\b(?:{DAY_NAME}s|(?:every|each) (?:{DAY_NAME}|{WEEKDAY}|day)|today|tonight|tomorrow|daily|"
    rf"weekdays|weekends|{PART}s?)\b"
)
"""Those after which a number is no day of a month."""
_FIGURES = r"(?:1[0-2]|[1-9])(?::[0-5]\d)?(?: ?[ap]\.?m\b\.?)?"
_OF_DAY = rf"\b(?:{WEEKDAY}|today|tonight|tomorrow)\b,?"
_FOUR = r"([01]\d|2[0-3])([0-5]\d)(?: ?h(?:ou)?rs?)?"
_THREE = r"([1-9]|1[0-2])([0-5][05])"
"""530 and 1130, as a time of the day."""
_BEHIND = (
    r"(?=$|,| (?:[-–@\d]|(?:at|in|on|by|before|after|around|from|to) |"
    rf"(?:{PART}|noon|midday|midnight|{WEEKDAY})\b))"
)
"""What may be behind "10/29", which of inches is a fraction."""
_ALWAYS = Rewriting(
    (
        r"\b(?:tmrw|tmrrw|tmr|tmw|tomoz|tomo|tommorow|2moro|2morrow|2mrw|the morrow|the morra)\b",
        "tomorrow",
    ),
    (r"\b(?:tonite|2nite|2night)\b", "tonight"),
    (r"\bwk(s?)\b", r"week\1"),
    (
        r"\b(an?|one|two|three|\d+) (?:full|whole|good) "
        r"(?=(?:hour|day|week|fortnight|month|year)s?\b)",
        r"\1 ",
    ),
    (r"\barvo\b", "afternoon"),
    (r"\b(mornin|evenin)'?(?![a-z'])", r"\1g"),
    (r"\bweds\b", "wed"),
    (r"(?<![\d.])(?<!\bat )(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0?[1-9]|1[0-2])\.(?!\d)",
     _date),
    (rf"^(?P<month>0?[1-9]|1[0-2])/(?P<day>1[3-9]|2\d|3[01]){_BEHIND}", _date),
    (rf"^(?!24/7\b)(?P<day>1[3-9]|2\d|3[01])/(?P<month>0?[1-9]|1[0-2]){_BEHIND}", _date),
    (rf"(?<![\d/.$€£-])(?!24/7\b)({FIGURES}),? (?:({WEEKDAY})\b|[(]({WEEKDAY})[)])",
     lambda found: f"{found[2] or found[3]} {found[1]}"),
    (rf"\b({WEEKDAY}),? [(]([a-z\d. ]{{4,14}})[)]", r"\1 \2"),
    (r"(?<=[a-z]), ([01]?\d|2[0-3])\.([0-5]\d)$", r" at \1:\2"),
    (rf"^([01]?\d|2[0-3])\.([0-5]\d)(?= (?:on )?(?:{WEEKDAY}\b|today|tomorrow|tonight|in the ))",
     r"\1:\2"),
    (r"\b(?:evry|evrey|eveyr|everry)\b", "every"),
    (r"\bo ?clock\b", "o'clock"),
    (r"\b(twenty|thirty) (five|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)\b",
     r"\1-\2"),
    (r"\b(thirty|forty|fifty|oh) five\b", r"\1-five"),
    (r",? (?:on the dot|sharp|promptly|precisely|exactly)(?=$|[ ,])", ""),
    (r"(?<=\w),? (?:instead|rather)(?=$|,)", ""),
    (r"^(?:by )?(.+?),? (?:at the )?latest$", r"by \1"),
    (r"\bmidnight (?:on )?((?:.* )?eve|hogmanay)$", r"\1 at 24:00"),
    (r"^(.* eve|hogmanay),? (?:at )?midnight$", r"\1 at 24:00"),
    (r" (?:as well as|and also(?: on)?) ", " and "),
    (r"\bon the (first|second)(?=$|,| of)", lambda found: f"on the {_ORDINARY[found[1]]}"),
    (rf"^(?:for )?(?:another )?(\S+) more ({_COUNTED})$", r"in \1 \2"),
    (rf"^(?:for )?another (\S+ (?:{_COUNTED}))$", r"in \1"),
    (r"(?<![\d.:])([01]?\d|2[0-3])\.([0-5]\d)(?= ?[ap]\.?m\b)", r"\1:\2"),
    (rf"({_OF_DAY}|\bat),? {_LIKE},? (?=\d|noon\b)", r"\1 about "),
    (rf"\b{_LIKE} (?=\d\d?(?::[0-5]\d)? ?[ap]m\b)", "about "),
    (rf"\b(tomorrow|today|tonight|{DAY_NAME}|noon|midday|midnight)-?ish\b", r"\1"),
    (rf"({_OF_DAY} )(?:(?:at )?{_ABOUT} )?{_THREE}-?(?:ish)?(?=$|,)", r"\1at \2:\3"),
    (rf"((?:1?\d|2[0-3]):[0-5]\d(?: ?[ap]m)?|\b1?\d ?[ap]m)-?ish{_ENDS}", r"\1"),
    (r"\b(at |@ ?)([01]?\d|2[0-3])\.([0-5]\d)(?![\d.%])", r"\1\2:\3"),
    (r"^([01]?\d|2[0-3])\.([0-5]\d)(?= on )", r"\1:\2"),
    (r"(?<![\d.:])(0?[1-9]|1[0-2])([0-5]\d)(?= ?[ap]\.?m\b)", r"\1:\2"),
    (r"\bat ([01]\d|2[0-3]|[1-9](?=\d\d(?:$|,)))([0-5]\d)(?: ?h(?:ou)?rs?)?(?=$|,| )", r"at \1:\2"),
    (r"(?<![\d.:])(0\d)([0-5]\d)(?: ?h(?:ou)?rs?)?(?=$|,| (?:today|tomorrow|tonight|on) ?)",
     r"\1:\2"),
    (rf"({_OF_DAY} ){_FOUR}(?=$|,)", r"\1at \2:\3"),
    (rf"^{_FOUR}(?= (?:on )?(?:{_OF_DAY}|(?:the )?\d{{1,2}}{ENDING}\b))", r"\1:\2"),
    (rf"((?:\d{ENDING}?|\d) {MONTH},? |\b{MONTH} \d{{1,2}}{ENDING}? )(?!19|20){_FOUR}(?=$|,)",
     r"\1at \2:\3"),  # years are of 1900 and later
    (rf"\b(?:(?:at|around|about|say) )?{_HOUR}-?ish{_ENDS}", _at_hour),
    (r"^(?:at |say )?(?:around|about|roughly) (?=noon|midday|midnight)", ""),
    (rf"^(?:at |say )?(?:around|about|roughly) {_HOUR}{_ENDS}", _at_hour),
    (rf"\b(?:at )?{_ABOUT} (?=(?:1?\d|2[0-3])(?::[0-5]\d)?(?: ?[ap]\.?m)?{_ENDS})", "at "),
    (rf"\bin (?:{_ABOUT}|{_LIKE},?) (?=an?\b|\d|[a-z]+ (?:hour|minute|day|week|month))", "in "),
    (r"\ba couple (?=(?:minute|hour|day|week|month|year)s)", "a couple of "),
    (rf"^(this|next) week,? (?:on )?({WEEKDAY})\b", r"\2 \1 week"),
    (r"^(an?|[a-z\d]+) (weeks?|fortnights?) tomorrow$", r"\1 \2 after tomorrow"),
    (rf"^(?:a )?fortnight on ({WEEKDAY})$", r"2 weeks after \1"),
    (rf"({_DAYISH},? |{MONTH} )([01]?\d|2[0-3])\.([0-5]\d)(?=$| {OF_DAY})", r"\1at \2:\3"),
    (rf"\bquarter (?:till?|of) (?={_HOUR}{_ENDS})", "quarter to "),
    (rf"\bquarter after (?={_HOUR}(?: ?[ap]\.?m\b|{_ENDS}))", "quarter past "),
    (rf"\b(?:a )?(?P<by>five|ten|quarter|twenty-five|twenty|half|[12]?\d)(?: min(?:ute)?s?)? "
     rf"past {_HOUR}\b(?!:)", _past),
    (rf"(?<!from )(?<!between )\b(?:a )?(?P<by>five|ten|quarter|twenty-five|twenty"
     rf"|(?:5|10|20|25)(?= min))(?: min(?:ute)?s?)? to {_HOUR}(?:(?=[ap]\.?m\b)|{_ENDS})", _to),
    (rf"(?P<lead>\bat |^|(?<=day )|(?<=tomorrow )|(?<=morning )|(?<=noon )"
     rf"|(?<=evening )|(?<=night )){_WORD} {_MINUTE}{_ENDS}",
     lambda found: f"{_digit(found)}:{_MINUTES[found['minute']]:02}"),
    (rf"(?P<by>\bhalf) {_HOUR}{_ENDS}", _past),
    (rf"\b(?:between|from) {_WORD} (?:and|to|till?|until) (?P<last>{_WORDS}){_ENDS}",
     lambda found: f"{_number(found['hour'])} - {_number(found['last'])}"),
    (r"\bin (?=(?:morning|afternoon|evening)(?:$|,| (?:on|of|at) ))", "in the "),
    (rf"(?P<lead>\bat ){_WORD}(?![-\w])(?! (?:hundred|thousand|point|per))", _digit),
    (rf"(?P<lead>\b){_WORD}(?= ?(?:a\.?m|p\.?m|o'clock)\b)", _digit),
    (r"^first thing(?: in the morning)?,?(?: on)? (.+?)(?: morning)?$", r"\1 morning"),
    (r"^(.+?),? first thing(?: in the morning)?$", r"\1 morning"),
    (r"^(.+?)(?<!before)(?<!after),? (?:at )?lunch(?:time)?$", r"\1 at noon"),
    (r"^(?:at )?lunch(?:time)?(?: on)? (.+)$", r"\1 at noon"),
    (rf"^(?:on |in )?(?:the )?({PART}) of ((?:(?:the )?\d|{WEEKDAY}\b).*)$",
     r"\2 in the \1"),
    (rf"^(?:in )?(?:the )?(?:mid|middle of)[- ]({MONTH})$", r"15 \1"),
    (r"^((?:an?|\d+|[a-z]+) (?:day|week|month|year)s?) today$", r"in \1"),
    (r"^(?:at )?(?:about )?(?:this|the same|same) time tomorrow$", "in 1 day"),
    (r"^(?:at )?(?:about )?(?:this|the same|same) time next (week|month|year)$", r"in 1 \1"),
    (r"^((?:this|next) month),? on (the .+)$", r"\2 of \1"),
)  # fmt: skip
_OF_POINTS = Rewriting(
    (rf"\bthe ({WEEKDAY}) ({PART}) before(?:,? (?:at )?({_FIGURES}))?$", _part_before),
    (rf"(?P<lead>{_DAYISH},? )(?:{_BY} )?(?!one){_WORD}{_ENDS}", _at_hour),
    (rf"({_DAYISH},? ){_BY} (?=noon|midday|midnight|{_FIGURES}{_ENDS})", r"\1at "),
    (rf"(?P<lead>{_UNDATED},? )(?!one){_HOUR}{_ENDS}", _at_hour),
    (rf"^by (?={_FIGURES} (?:on |tomorrow|this|that|{DAY_NAME}))", "at "),
    (rf"(?!^(?:{_MEALS})$)(?P<lead>^(?:(?:un)?till? )?|{_DAYISH},? )(?:(?P<side>at|after|{_BY}) )?"
     rf"(?P<meal>{_MEALS})(?: ?time)?(?=$| (?:on )?(?:(?:the|next|this) )?{_DAYISH}"
     "|,? (?:for|from|until|till|starting) )", _at_a_meal),
)  # fmt: skip
"""Not for stretches: "Friday before five" is a part of Friday."""
_IN_REMINDERS = Rewriting(
    (r"^(?:but )?only (?=on |at |week)|,? only(?=$|,)", ""),
    (rf"^(?:by|before|(?:at )?{_LIKE},?) (?={_FIGURES}$)", "at "),
    (rf"^(?:at )?(?:{_ABOUT}|{_LIKE},?) {_THREE}{_ENDS}", r"at \1:\2"),
    (r"(?<=of the month),? every month$", ""),
    (rf"^{_HOUR}{_ENDS}(?! ?[ap]\.?m| o'clock)", _at_hour),
    (r"^([01]?\d|2[0-3])\.([0-5]\d)$", r"\1:\2"),
    (r"^((?:every|each|daily|weekdays).*) by (?=\d|noon|midnight|midday)", r"\1 at "),
)  # fmt: skip


def plain(text: str, *, reminder: bool = False, stretch: bool = False) -> str:
    """The folded text with times in digits. In a ``reminder`` a bare number is one: "nine", "8". In
    words for a ``stretch``, an hour after a day stays as it is."""
    known = _ALWAYS(text) if stretch else _OF_POINTS(_ALWAYS(text))
    return _IN_REMINDERS(known) if reminder else known
