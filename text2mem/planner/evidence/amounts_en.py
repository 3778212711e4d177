"""English amounts: priorities, weights, sizes of pieces and summaries, limits and orders."""

from __future__ import annotations

import re

from text2mem.ir.temporal_en_lengths import spelt
from text2mem.planner.evidence.amounts import less, level, share
from text2mem.planner.evidence.rows import Row, constant
from text2mem.planner.evidence.text import english, phrase

_ONES = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|"
    "thirty|forty|fifty|sixty|a hundred|one hundred|two hundred"
)
_N = rf"(?P<n>\d{{1,5}}|{_ONES})"
_DECIMAL = r"(?P<x>0?\.\d{1,3}|1\.0|0\.0|[01](?![\d.,]\d))"
_THINGS = (
    "(?:notes?|memor(?:y|ies)|entr(?:y|ies)|records?|items?|ones?|results?|hits?|"
    "matches|events?|tasks?|ideas?|decisions?|facts?)"
)
_LEVEL = (
    "(?P<level>top|highest|high|higher|low|lowest|lower|normal|medium|default|standard|"
    "average|moderate|urgent|critical|maximum|max|minimum|minor|major|important)"
)
_LEVELS = {"lower": "low", "minimum": "low", "higher": "high", "average": "normal"}
_HUNDREDS = {"a hundred": 100, "one hundred": 100, "two hundred": 200}


def _count(found: re.Match[str]) -> int | None:
    words = " ".join(found["n"].split())
    digits = spelt(words) if words not in _HUNDREDS else str(_HUNDREDS[words])
    return int(digits) if digits.isdigit() and int(digits) > 0 else None


def _several(found: re.Match[str]) -> int | None:
    """A count that is no "one" of "the last one"."""
    return None if found["n"] == "one" else _count(found)


def _level(found: re.Match[str]) -> str | None:
    said = found["level"].lower()
    if said in _LEVELS:
        return _LEVELS[said]
    return level(said)


def _delta(found: re.Match[str]) -> float | None:
    """By how much; the way is that of the nearest verb before, and up where there is none."""
    size = share(found)
    if not size:
        return None
    way = found["way"]
    if way is None:
        said = found.string[max(0, found.start() - 160) : found.start()]
        ways = list(_WAY.finditer(re.split(r"[.;!?\n]", said)[-1]))
        way = ways[-1].lastgroup if ways else "up"
    return -size if way == "down" else size


def _percent(found: re.Match[str]) -> float | None:
    value = int(found["p"])
    return value / 100 if value <= 100 else None


_SUMMARY = re.compile(
    "summar|digest|condens|recap|overview|boil|gist|main points|in short|in a nutshell|"
    "sum up|outline|brief"
)
_CUT = re.compile(
    "split|divide|break|cut|chop|separat|piece|chunk|each|per |apart|part|shorter|too long"
)
_READING = (
    "(?:show|give|get|find|list|fetch|bring|return|retrieve|display|see|look up|"
    "pull up|search for|want|need)(?: me| us)?"
)
_WAY = english(
    r"(?P<up>raise|raising|increas\w{1,3}|lift|boost|promote|bump|upgrade|up|add|elevate)|"
    r"(?P<down>lower\w{0,3}|reduc\w{1,3}|decreas\w{1,3}|demote|drop|downgrade|decrement|"
    "down|cut)"
)
_NEWEST = r"(?:newest|latest|most recent|last|freshest)"
_OLDEST = r"(?:oldest|earliest|first)"
_BEST = r"(?:best|most relevant|closest|top|best[- ]matching|nearest)".replace("[- ]", r"[-\s]")

ENGLISH_AMOUNTS = (
    # priorities
    Row("priority", english(rf"(?:the )?{_LEVEL}[ -]priority".replace("[ -]", r"[\s-]")), _level),
    Row(
        "priority",
        english(
            "(?:priority|importance)(?: level)?(?: to| as| of| is| at|:|"
            f" =)?(?: the)? (?P<said>{_LEVEL})(?! than)"
        ),
        _level,
    ),
    Row(
        "priority",
        english(r"(?:the )?(?:most important|top of (?:the|my) (?:list|pile)|utmost importance)"),
        constant("urgent"),
    ),
    Row(
        "priority",
        english(
            r"(?:make|mark|flag|treat|rank|rate|consider|set) [^.;:!?\n]{1,100}? (?:as |"
            "to )?(?P<said>(?:very |really )?(?P<level>urgent|critical|"
            "important))(?! (?:notes?|memor|entr|than|for|in|to [a-z]))"
        ),
        _level,
    ),
    Row(
        "priority",
        english(
            "(?:(?:is|are|it's|they're) (?:very |really )?(?P<said>(?P<level>urgent|"
            "critical)))(?! (?:notes?|memor|that))"
        ),
        _level,
    ),
    Row(
        "priority",
        english(
            "(?:(?:(?:are|is|it's|they're) )?not(?: so| that| very)? (?:urgent|important|"
            "pressing)|(?:isn't|aren't)(?: so| that| very)? (?:urgent|important)|no (?:rush|"
            "hurry)|can wait|unimportant|not a priority)"
        ),
        constant("low"),
    ),
    Row(
        "priority",
        english(
            "(?:priority|to|as|at|make it|make them|set it|set them|:|"
            "=)(?: priority)? (?P<said>p(?P<p>[0-4]))"
        ),
        lambda m: level("p" + m["p"]),
    ),
    Row(
        "priority",
        english(r"p(?P<p>[0-4])(?= priority|\s{0,2}(?:[.,;!?]|$))"),
        lambda m: level("p" + m["p"]),
    ),
    # weights
    Row(
        "weight",
        english(
            "(?:weight|importance)(?: of| to| at| is|:| =| should be|"
            rf" set to)?\s?=?\s?(?P<said>{_DECIMAL})"
        ),
        share,
    ),
    Row(
        "weight",
        english(rf"(?:weight|importance) [^.;:!?\n]{{1,80}}? to (?P<said>{_DECIMAL})"),
        share,
    ),
    Row(
        "weight",
        english(
            r"(?:weight|importance)(?: [^.;:!?\n]{1,80}?)?(?: of| to| at| is|"
            r":) (?P<said>(?P<p>\d{1,3})\s?(?:%|percent))"
        ),
        _percent,
    ),
    Row("weight_delta", english(rf"(?P<said>(?:(?P<way>up|down) )?by {_DECIMAL})(?!\s?%)"), _delta),
    Row("weight_delta", english(rf"(?P<said>(?P<way>up|down) {_DECIMAL})(?!\s?%)"), _delta),
    Row("weight_delta", phrase(r"(?<![\d.\w+])(?P<said>\+\s?(?P<x>0?\.\d{1,3}))(?!\d)"), share),
    Row("weight_delta", phrase(r"(?<![\d.\w-])(?P<said>[-−]\s?(?P<x>0?\.\d{1,3}))(?!\d)"), less),
    # sizes of pieces
    Row(
        "sentences",
        phrase(
            rf"(?<![a-z])(?<!than\s)(?P<said>{_N}[ -]sentences?)(?! (?:long|old))(?![a-z])".replace(
                "[ -]", r"[\s-]"
            )
        ),
        _count,
    ),
    Row(
        "sentences",
        english(
            "(?:(?:single|individual|separate|one|its own|each|every|a|per) sentences?|"
            r"sentence by sentence|by sentences?)(?<!than\sone\ssentence)(?! (?:long|at most))"
        ),
        constant(1),
        _CUT,
    ),
    Row(
        "characters",
        phrase(
            (
                rf"(?<![a-z\d])(?<!than\s)(?P<said>{_N}[ -](?:characters?|chars?|"
                "letters?))(?![a-z])(?! (?:of )?overlap)"
            ).replace("[ -]", r"[\s-]")
        ),
        _count,
    ),
    Row(
        "overlap",
        phrase(
            rf"(?<![a-z\d])(?P<said>{_N}[ -](?:characters?|chars?) (?:of )?overlap)".replace(
                "[ -]", r"[\s-]"
            )
        ),
        _count,
    ),
    Row(
        "overlap",
        english(rf"overlap(?:ping|s)?(?: each other)?(?: of| by|:| =)? (?P<said>{_N})"),
        _count,
    ),
    # sizes of summaries
    Row(
        "tokens",
        phrase(rf"(?<![a-z\d])(?P<said>{_N}[ -]tokens?)(?![a-z])".replace("[ -]", r"[\s-]")),
        _count,
    ),
    Row(
        "words",
        phrase(rf"(?<![a-z\d])(?P<said>{_N}[ -]words?)(?![a-z])".replace("[ -]", r"[\s-]")),
        _count,
        _SUMMARY,
    ),
    Row(
        "words",
        phrase(
            "(?<![a-z])(?:in|within|under|at most|no more than|up to|max(?:imum)?) (?:at most |"
            f"no more than |about |under )?(?P<said>{_N} words)(?![a-z])"
        ),
        _count,
    ),
    # limits and orders
    Row(
        "limit",
        english(
            f"(?:the |my )?(?:{_NEWEST}|{_OLDEST}|{_BEST}) (?P<said>{_N})(?! (?:days?|weeks?|"
            "months?|years?|hours?|minutes?|quarters?|fortnights?|decades?|priority|"
            rf"seconds?))(?:(?= {_THINGS})|(?=\s{{0,3}}(?:[.,;!?]|$))|(?= (?:about|on|of|from|"
            "tagged|with|that|i|we)(?![a-z])))"
        ),
        _several,
    ),
    Row(
        "limit",
        english(
            f"(?:the |my |these )?(?P<said>{_N}) (?:{_NEWEST}|{_OLDEST}|{_BEST})(?! (?:days?|"
            "weeks?|months?|years?|hours?|priority))"
        ),
        _count,
    ),
    Row(
        "limit",
        english(
            f"{_READING} (?:the |only |just |at most |up to |no more than |"
            f"any ){{0,2}}(?P<said>{_N}) (?:of (?:the|my) )?(?:[a-z-]{{1,14}} )?{_THINGS}"
        ),
        _count,
    ),
    Row(
        "limit",
        english(
            "(?:only|just|at most|up to|no more than|limit(?:ed)?(?: it| them)? to|"
            f"max(?:imum)?(?: of)?|limit:?) (?P<said>{_N}) (?:results?|hits?|matches|notes|"
            "memories|entries|items)"
        ),
        _count,
    ),
    Row("limit", english(rf"limit(?: of|:|=)? (?P<said>{_N})"), _count),
    Row(
        "limit",
        english(
            f"(?:the|my|your|our) (?P<said>{_NEWEST[3:-1].replace('|last', '')}|very last|"
            "last) (?:note|memory|entry|record|one|item|event|task|idea|decision)(?!s)"
        ),
        constant(1),
    ),
    Row(
        "limit",
        english(
            "(?:the|my) (?P<said>oldest|earliest) (?:note|memory|entry|record|"
            "one)(?!s)(?! of| (?:every|each))"
        ),
        constant(1),
    ),
    Row(
        "order",
        english(
            r"(?<!at\x20the\x20)(?P<said>(?:newest|latest|most recent)(?: first)?|freshest|"
            "(?:sort(?:ed)?|order(?:ed)?) by (?:date|time|recency)|by (?:date|"
            "recency)|in reverse chronological order)(?! (?:priority|version|state))"
        ),
        constant("newest"),
    ),
    Row(
        "order", english(rf"(?:the|my|your) (?P<said>last) (?:{_N} )?{_THINGS}"), constant("newest")
    ),
    Row(
        "order",
        english(r"(?P<said>oldest|earliest|oldest first|in chronological order|chronologically)"),
        constant("oldest"),
    ),
    Row(
        "order",
        english(
            (
                "(?P<said>most relevant|best[ -]matching|best match(?:es)?|closest match(?:es)?|"
                "closest|by relevance|most similar|best hits?)"
            ).replace("[ -]", r"[\s-]")
        ),
        constant("relevance"),
    ),
)
