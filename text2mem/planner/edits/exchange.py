"""Exchanges: one expression of a text for another, however dates, times and amounts are spelled.

"10 May" is found in "May 10th", 2400 in "2,400"; where only the new value is told, it takes the
place of the only expression of its kind. No word enters a text that nobody said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from text2mem.ir import temporal_zh
from text2mem.planner.grounding.words import content_words

_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_NAMES = _MONTH_NAMES.split()
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_WEEK = "一二三四五六日"
_FLAGS = re.IGNORECASE | re.ASCII
"""Of ASCII: a Chinese character next to a number is no part of its word."""
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", _FLAGS)),
    ("iso", re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})\b", _FLAGS)),
    ("date", re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<mon>{_MONTHS})\b(?:,? (?P<y>\d{{4}})\b)?"
        rf"|\b(?P<mon2>{_MONTHS})\b\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y2>\d{{4}})\b)?"
        r"|(?:(?P<y3>\d{4})年)?(?P<m3>\d{1,2}|[一二三四五六七八九十]{1,2})月(?P<d3>\d{1,2}|"
        r"[一二三四五六七八九十]{1,3})[日号]",
        _FLAGS)),
    ("clock", re.compile(
        r"\b(?P<h>\d{1,2})(?:[:.](?P<min>\d{2}))? ?(?P<ap>[ap](?:m\b|\.m\.))|"
        r"\b(?P<h2>\d{1,2}):(?P<min2>\d{2})\b"
        r"|\b(?P<noon>noon|midnight)\b"
        r"|(?P<part>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里)?(?P<h3>\d{1,2}|"
        r"[一二两三四五六七八九十]{1,3})点(?P<half>半|"
        r"[一三]刻|(?:\d{1,2}|[一二三四五六七八九十]{1,3})分)?",
        _FLAGS)),
    ("weekday", re.compile(rf"\b(?P<day>{_DAYS})\b|(?:下|上|这|本)?(?:周|星期|"
                           rf"礼拜)(?P<han>[一二三四五六日天])(?!的?[一二三四五六日]?次)", _FLAGS)),
    ("amount", re.compile(
        r"[€$£¥]\s?(?P<n>\d(?:[\d,]*\d)?(?:\.\d+)?)|"
        r"(?<![\w.])(?P<n2>\d(?:[\d,]*\d)?(?:\.\d+)?)(?![\w.]*@|:\d|\d)"
        r"(?:(?P<gap>\s?)(?P<unit>%|percent|euros?|dollars?|pounds?|yuan|元|万元|万|块|千米|公里|"
        r"米|克|公斤|斤|"
        r"个|人|位|分钟|小时|天|条|份|平方米))?"
        r"|(?P<n3>[零一二两三四五六七八九十百千万]{2,12})(?P<unit3>元|块|个|人|位|米|公里|公斤|斤|平方米)",
        _FLAGS)),
    ("number", re.compile(
        r"\b(?P<word>one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|"
        r"fourteen|fifteen|sixteen|"
        r"seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty)\b", _FLAGS)),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expression:
    """A date, a clock time, a weekday or an amount in a text: its kind, its value, and where."""

    kind: str
    value: str
    start: int
    end: int


def expressions(text: str) -> tuple[Expression, ...]:
    """The expressions of a text that can be told apart by their kind, in order."""
    found: list[Expression] = []
    for kind, pattern in _KINDS:
        for match in pattern.finditer(text):
            if any(one.start < match.end() and match.start() < one.end for one in found):
                continue
            found.append(_expression(kind, match))
    return tuple(sorted(found, key=lambda one: one.start))


def exchanged(text: str, old: str, new: str) -> str | None:
    """The text with ``new`` wherever it says ``old``; None where it does not, or has it."""
    old, new = bare(old), bare(new)
    unit = _COUNTED.fullmatch(old)
    if unit and re.fullmatch(r"\d[\d,.]*", new):
        new += unit["unit"]
    if not old or not new or old.casefold() == new.casefold():
        return None
    edges = (r"(?<![\w])" if _latin(old[0]) else "", r"(?!\w)" if _latin(old[-1]) else "")
    literal = re.compile(edges[0] + re.escape(old) + edges[1], _FLAGS)
    if literal.search(text):
        return literal.sub(
            lambda found: _fitting(new, old, text[: found.start()], text[found.end() :]), text
        )
    return _respelled(text, old, new)


def replaced(text: str, new: str) -> str | None:
    """The text with ``new`` for the only expression of its kind; None where there is no such one.

    Of a new value with several expressions ("Thursday at 4 pm") each takes its own place.
    """
    new = bare(new)
    new = trimmed(new)
    own, there = expressions(new), expressions(text)
    if not own or _words_beside(new, own):
        return None
    places: list[tuple[Expression, str]] = []
    for one in own:
        same = [each for each in there if _alike(each, one, text, new)]
        if len(same) != 1:
            return None
        places.append((same[0], new[one.start : one.end]))
    out = text
    for place, value in sorted(places, key=lambda pair: -pair[0].start):
        out = out[: place.start] + value + out[place.end :]
    return out if out != text else None


def bare(words: str) -> str:
    """Words without their quotation marks and the articles of speech."""
    return re.sub(r"^(?:the |about |around )(?=\d)", "", words.strip(" \"'“”‘’「」『』.,;，。；"))


def trimmed(words: str) -> str:
    """An expression without the one or two Chinese characters that go on after it: 5月12日来."""
    found = expressions(words)
    rest = words[found[-1].end :] if found else ""
    return words[: found[-1].end] if re.fullmatch(r"[\u3400-\u9fff]{1,2}", rest) else words


def _latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _respelled(text: str, old: str, new: str) -> str | None:
    """An exchange of what is spelled in another way in the text."""
    old = trimmed(old)
    wanted = expressions(old)
    if len(wanted) != 1 or _words_beside(old, wanted):
        return None
    same = [each for each in expressions(text) if _equal(each, wanted[0])]
    if not same:
        return None
    out = text
    for each in reversed(same):
        said = text[each.start : each.end]
        before, after = out[: each.start], out[each.end :]
        out = before + _fitting(new, said, before, after) + after
    return out


def _equal(one: Expression, other: Expression) -> bool:
    """Whether two expressions say the same; an amount may be told without its unit."""
    if one.kind != other.kind:
        return False
    bare_number = other.value.replace(".", "").isdecimal()
    if one.kind == "amount" and bare_number:
        return re.sub(r"[^\d.].*$", "", one.value) == other.value
    return one.value == other.value


_PART = re.compile(r"^(?:凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里)")


def _fitting(new: str, old: str, before: str, after: str) -> str:
    """A new value as it fits in place: no word twice ("for 5 guests" for the 6 of "for 6 guests"),
    and in the part of the day that only the old one names."""
    words = new.split()
    while len(words) > 1 and re.search(rf"(?<!\w){re.escape(words[0])}\s*$", before, _FLAGS):
        words = words[1:]
    new = " ".join(words)
    for count in range(len(words) - 1, 0, -1):
        tail = " ".join(words[-count:])
        if after.lstrip().casefold().startswith(tail.casefold()):
            return " ".join(words[:-count])
    part = _PART.match(old)
    if part and re.match(r"[\d一二两三四五六七八九十]+点", new):
        return part[0] + new
    return new


_COUNTED = re.compile(r"\d[\d,.]*(?P<unit>\s*[^\W\d][^\d]*)")


def valued(text: str, new: str, said: str) -> str | None:
    """ "Address: 4 Mill Lane" with a new value, where ``said`` names what it is the value of."""
    found = _VALUED.match(text.strip())
    if found is None or not bare(new) or _TELLS.match(bare(new)):
        return None
    if bare(new).casefold().startswith(found["label"].strip().casefold()):
        return None
    asked = {word.stem for word in content_words(said)}
    label = content_words(found["label"])
    if not label or any(word.stem not in asked and word.text not in said for word in label):
        return None
    return f"{found['label']}{found['link']}{bare(new)}{found['stop']}"


_VALUED = re.compile(
    r"^(?P<label>[^.:：。，,;；=]{2,60}?)(?P<link>\s*[:：=]\s*|\s+(?:is|are)\s+(?:now\s+)?|是|为)"
    r"(?P<value>[^.。;；!?！？]{1,80}?)(?P<stop>[.。]?)$",
    re.IGNORECASE,
)


_TELLS = re.compile(
    r"(?:mention|include|reflect|show|say|add|note|state|contain|highlight|cover|account|use|match|"
    r"be|read|explain|describe|list|tell)\b",
    re.IGNORECASE,
)
"""Words after "to" that ask for a change; a value begins with none of them."""


def _words_beside(text: str, found: tuple[Expression, ...]) -> bool:
    """Whether a text says more than its expressions."""
    rest = list(text)
    for one in found:
        rest[one.start : one.end] = " " * (one.end - one.start)
    left = re.sub(
        r"\b(?:on|at|the|of|by|about|to|until|in|and)\b|"
        r"[在于到,，\s]",
        "",
        "".join(rest),
        flags=re.I,
    )
    return bool(left)


def _alike(one: Expression, other: Expression, text: str, new: str) -> bool:
    if one.kind != other.kind:
        return False
    if one.kind != "amount":
        return True
    return _unit(text[one.start : one.end]) == _unit(new[other.start : other.end]) or not _unit(
        new[other.start : other.end]
    )


def _unit(said: str) -> str:
    return re.sub(r"[\d.,\s零一二两三四五六七八九十百千万]", "", said).casefold().rstrip("s")


def _expression(kind: str, match: re.Match[str]) -> Expression:
    groups = match.groupdict()
    if kind in ("iso", "date"):
        return Expression("date", _date(groups), match.start(), match.end())
    if kind == "clock":
        return Expression(kind, _clock(groups), match.start(), match.end())
    if kind == "weekday":
        day = groups["day"]
        number = (
            _DAYS.split("|").index(day.lower()) + 1
            if day
            else _WEEK.index(groups["han"].replace("天", "日")) + 1
        )
        return Expression(kind, str(number), match.start(), match.end())
    if kind == "amount":
        number_said = (groups["n"] or groups["n2"] or groups["n3"]).replace(",", "").rstrip(".")
        return Expression(kind, f"{number_said}{_unit(match[0])}", match.start(), match.end())
    return Expression(kind, match[0].casefold(), match.start(), match.end())


def _date(groups: dict[str, str | None]) -> str:
    month = groups.get("m") or groups.get("m3")
    name = groups.get("mon") or groups.get("mon2")
    if name:
        month = str(_NAMES.index(name[:3].lower()) + 1)
    day = groups.get("d") or groups.get("d2") or groups.get("d3")
    return f"{_number(month or '0')}-{_number(day or '0')}"


def _clock(groups: dict[str, str | None]) -> str:
    if groups["noon"]:
        return "12:0" if groups["noon"].lower() == "noon" else "0:0"
    if groups["h3"]:
        hour, late = _number(groups["h3"]), groups["part"] in ("下午", "傍晚", "晚上", "夜里")
        return f"{hour + 12 if late and hour < 12 else hour}:{_minutes(groups['half'])}"
    hour = int(groups["h"] or groups["h2"] or 0)
    meridiem = (groups["ap"] or "").lower()
    if meridiem.startswith("p") and hour < 12:
        hour += 12
    midnight = meridiem.startswith("a") and hour == 12
    return f"{0 if midnight else hour}:{int(groups['min'] or groups['min2'] or 0)}"


def _minutes(said: str | None) -> int:
    if not said:
        return 0
    return {"半": 30, "一刻": 15, "三刻": 45}.get(said) or _number(said.rstrip("分"))


def _number(said: str) -> int:
    """A number; 0 for what is none (一二)."""
    try:
        return temporal_zh.number(said)
    except ValueError:
        return 0
