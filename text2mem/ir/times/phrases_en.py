"""Patterns that find English phrases for times. ``temporal`` and ``recurrence`` read them."""

from __future__ import annotations

import re

from text2mem.ir.times.measures import FRACTION
from text2mem.ir.words.calendar_names import MONTHS, SHORT
from text2mem.ir.words.folding import any_of, phrase

_START = "(?<![a-z])"
"""The beginning of a word, so that "mon" is not found in "lemon"."""
ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TEENS = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
    "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
FIRSTS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
TENTHS = (
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
    "seventeenth", "eighteenth", "nineteenth", "twentieth",
)  # fmt: skip
ORDINALS = {
    **{word: n for n, word in enumerate(FIRSTS + TENTHS, 1)}, "thirtieth": 30,
    **{f"twenty-{word}": 20 + n for n, word in enumerate(FIRSTS, 1)}, "thirty-first": 31,
}  # fmt: skip
"""The number of each ordinal that is a day of a month."""
NUMBER = (
    rf"(?:\d{{1,4}}(?:\.\d)?|{any_of(TENS)}(?:[ -]{any_of(ONES)})?|"
    rf"{any_of(ONES + TEENS)}|a hundred|a couple of)"
).replace("[ -]", r"[\s-]")
UNIT = (
    "(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|wks?|fortnights?|months?|"
    "quarters?|years?|yrs?|decades?)"
)
_ONE_LENGTH = (
    rf"(?:(?:{NUMBER}|an?|half an?|half)\s{{1,3}}(?:and a half )?{UNIT}(?: and a half)?"
    rf"|{NUMBER} and a half {UNIT}|\d{{1,4}}\s?(?:h|hrs?|mins?|wks?|yrs?|d|w|mo))(?![a-z0-9])"
)
_MORE_LENGTH = rf"(?:(?:\d{{1,3}}|{any_of(ONES + TEENS)}|an?|half an?) {UNIT})"
LENGTH = rf"(?:{_START}{_ONE_LENGTH}(?:(?:,? and |, ?| ){_MORE_LENGTH}(?![a-z])){{0,2}})"
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|"
    r"sat(?:urday)?|sun(?:day)?)"
)
DAY_NAME = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
ENDING = "(?:st|nd|rd|th)"
ORDINAL = (
    rf"(?:\d{{1,2}}{ENDING}|{'|'.join(FIRSTS + TENTHS)}|thirtieth|"
    rf"(?:twenty|thirty)-(?:{'|'.join(FIRSTS)}))"
)
NTH = "(?:first|second|third|fourth|1st|2nd|3rd|4th)"
_DAY = rf"(?:\d{{1,2}}|{ORDINAL})"
YEAR = r"(?:19|20)\d\d"
_NO_HOUR = r"(?!\s?[-–—]\s?0\d[0-5]\d(?!\d))"
"""The 2000 of 2000-0730 is no year."""
_NEAR = (
    "(?:this (?:coming |past )?|next |last |previous |coming |the coming |the next |the last |the )"
)
CLOCK = (
    r"(?:\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|a\.m\.?|p\.m\.?)(?![a-z])"
    r"|(?:[01]?\d|2[0-3]):[0-5]\d(?!\d)"
    r"|(?:12 )?noon|midday|midnight|half past (?:\d{1,2}|[a-z]{3,6})|"
    r"(?:a )?quarter (?:past|to) (?:\d{1,2}|[a-z]{3,6})|(?:\d{1,2}|[a-z]{3,6}) o'clock)"
)
_OF_NO_DAY = r"(?<!\b\d\s)(?<!\b\d\d\s)(?<!\d[a-z]{2}\s)(?<!\d[a-z]{2}\sof\s)"
_NO_DAY_OF_MONTH = "".join(
    rf"(?<!{_OF_NO_DAY}\b{name}\s)(?<!{_OF_NO_DAY}\b{name}\.\s)"
    for name in sorted({*MONTHS, *(name[:SHORT] for name in MONTHS), "sept"})
)
OF_DAY = "(?:in the (?:morning|afternoon|evening)|at night)"
HOUR_OF_DAY = rf"(?<!\d)(?=\d\d? {OF_DAY}){_NO_DAY_OF_MONTH}\d\d?"
"""The 7 in "7 in the evening" and "3 May 7 in the evening", but not in "May 7 in the evening"."""
PART = "(?:morning|afternoon|evening|night)"
OF_PART = f"(?:in the |at )?{PART}"
AT_TIME = rf"(?:(?:at |@ ?){CLOCK}|(?:at |@ ?)\d{{1,2}}(?![\d:%]|\.\d)|{CLOCK})"
FIGURES = r"(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|[12]\d|3[01])(?![\d/%]|[.:]\d)"
"""A day and a month in either order. The weekday beside them may tell which is which."""
_BEHIND = (
    rf"(?=\s?(?:$|[,.;:!?()\n]|[-–—](?: |{WEEKDAY}))|"
    rf" (?:at|{CLOCK}|\d{{1,2}}\s?[-–]\s?\d\d?(?:am|pm)?|{OF_PART}|by|on|with|for|about|and|or"
    rf"|until|till|to (?:the|{WEEKDAY})|from \d\d?)(?![a-z\d])| @)"
)
"""What is behind a day that is told by few words, as it is not in "sat 2nd in the race"."""
_FEW = rf"(?:(?:\d{{1,2}}{ENDING}|{FIGURES}){_BEHIND}|(?!{FRACTION}){FIGURES}(?= [a-z]))"
_FIRST = rf"(?=\d)(?!24/7|{FRACTION})(?:^|(?<=[\n(])|(?<=[,;:]\s)|(?<=\bon\s)|(?<=\bby\s))"
"""Where figures before a weekday are a date: not "quiz 9/10 Fri"."""
_NO_VERB = r"(?=[mtwfs])(?<!\bhe\s)(?<!\bshe\s)(?<!\bthey\s)(?<!\bwe\s)(?<!\bi\s)"
"""Not "she sat 3rd"."""
_NAMED = rf"(?:(?:this (?:coming )?|next |last |^(?:the )?coming |{_NO_VERB}){WEEKDAY},? )"
_BRACKETED = f"(?: ?[(]{WEEKDAY}[)])?"
DATE = (
    rf"(?:{_NAMED}?(?:(?:the )?{_DAY},? (?:of )?{MONTH}(?:\.(?= ?\d))?"
    rf"(?:,? {YEAR}{_NO_HOUR})?(?![a-z0-9]){_BRACKETED}"
    rf"|{MONTH}\.? (?:the )?{_DAY}(?![\d:]|\.\d|\s?(?:am|pm)|\s?%)(?:,? {YEAR}{_NO_HOUR})?(?![a-z])"
    rf"{_BRACKETED}|{WEEKDAY},? [(](?:{_DAY} {MONTH}|{MONTH}\.? {_DAY})[)]"
    rf"|the {ORDINAL}(?: (?:of )?(?:this|next|last|the|each) month)?(?![a-z]))|{_NAMED}{_FEW}"
    rf"|{YEAR}-\d\d-\d\d(?:[t\s]\d\d:\d\d(?::\d\d)?(?:z|[+-]\d\d:?\d\d)?)?(?![\d-])"
    rf"|{YEAR}[/.]\d{{1,2}}[/.]\d{{1,2}}(?!\d)|\d{{1,2}}[/.]\d{{1,2}}[/.]{YEAR}(?!\d)"
    rf"|{_FIRST}{FIGURES} {WEEKDAY}{_BEHIND}|(?=\d)(?<![\d/.$€£-]){FIGURES},? [(]{WEEKDAY}[)])"
)
_RELATIVE = (
    r"(?:(?:the )?day (?:after tomorrow|before yesterday)|today|tonight|tomorrow|yesterday|"
    r"this (?:morning|afternoon|evening)|last night)"
)
_DATED = rf"(?:the {ORDINAL}|{_FEW}|(?:\d\d?|{ORDINAL}) (?:of )?{MONTH}|{MONTH} \d)"
_OF_IT = _NEAR.replace("|the )", ")").replace("coming ", f"coming (?!{WEEKDAY},? {_DATED})")
"""In "he is coming Friday the 13th", the day begins with its weekday."""
_OF_WEEK = (
    f"(?:{_OF_IT}?{WEEKDAY}(?: (?:of )?(?:this|next|last) week)?"
    f"|(?:a )?week (?:on |from )?{WEEKDAY}|{WEEKDAY} week)"
)
WHOLE_DAY = rf"(?:{_RELATIVE}|{DATE}|{_OF_WEEK})"
DAY_ALONE = phrase(rf"{_START}{WHOLE_DAY}(?![a-z0-9])")
DAY = phrase(
    f"{_START}(?:{AT_TIME}(?: {OF_PART})?,? (?:on )?)?{WHOLE_DAY}(?:,? {OF_PART})?"
    f"(?:,? {AT_TIME}(?: {OF_PART})?)?(?![a-z0-9])"
)
CLOCK_ALONE = phrase(rf"{_START}(?:{CLOCK}|{HOUR_OF_DAY} {OF_DAY})(?: {OF_DAY})?(?![a-z0-9])")
PERIOD = phrase(
    rf"(?:{_NEAR}(?:calendar )?(?:week|weekend|month|quarter|year)(?! (?:and a half|or))"
    rf"|the (?:week|month|year) (?:after next|before last)"
    rf"|(?:this|next|last|previous) {MONTH}"
    rf"|{MONTH}\.?,? (?:of )?{YEAR}|{YEAR}-\d\d(?![-\d])"
    rf"|q[1-4](?:(?:\s|\s?/\s?|\sof\s){YEAR})?|the {NTH} "
    rf"(?:quarter|half)(?: of (?:the year|{YEAR}|this year|last year|next year))?)(?![a-z0-9])"
)
WEEKDAY_ALONE = re.compile(WEEKDAY)
MONTH_ALONE = phrase(rf"{_START}{MONTH}(?!['.]?[a-z0-9])(?!\s{{1,3}}(?:the )?\d)")
YEAR_ALONE = phrase(rf"{YEAR}(?![\d/:%€$£-]|[.,]\d|[a-z]| to \d)")
EDGE = phrase(
    "(?:(?:the )?(?:very )?(?:end|close|start|beginning|first day|last day) of "
    f"(?:(?:the|this|next|last) )?(?:day|week|weekend|month|quarter|year|{MONTH}(?: {YEAR})?|"
    f"{YEAR}|q[1-4](?: {YEAR})?|business)(?: (?:today|tomorrow|(?:on )?{_OF_WEEK}|on {DATE}))?"
    rf"|eod|cob|eow|eom|eoy|(?:month|year|week)[ -]end)(?![a-z0-9])".replace("[ -]end", r"[\s-]end")
)
AGO = phrase(rf"{LENGTH} (?:ago|back|before now)(?![a-z])")
HENCE = phrase(
    f"{LENGTH} (?:from (?:now|today|tomorrow|{_OF_WEEK})|hence|"
    f"(?:after|before) {WHOLE_DAY})(?![a-z])"
)
IN_TIME = phrase(rf"{LENGTH}' time(?![a-z])|{_ONE_LENGTH}'s time(?![a-z])")
BARE_ORDINAL = re.compile(rf"(?:the\s{{1,3}})?{ORDINAL}")
