"""Values as they are said: phone numbers, names, lists, and where a value ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

PHONE = r"(?<![\w.-])(?:\+|00|\(0)?\d[\d ()/.-]{4,18}\d(?![\w-])"
EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
URL = r"(?:https?://|www\.)[^\s,;]+"
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
_NUMBERS = {word: number for number, word in enumerate(_COUNTED.split())} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "a hundred": 100, "one hundred": 100, "a dozen": 12, "a thousand": 1000,
    "two hundred": 200, "one hundred and twenty": 120, "a hundred and twenty": 120,
}  # fmt: skip
NUMBER = r"(?:[$€£]\s?)?(?:\d{1,3}(?:[, ]\d{3})+(?![\d])|\d+)(?:\.\d+)?k?|" + "|".join(
    sorted(_NUMBERS, key=len, reverse=True)
)
_STOP = re.compile(
    r"\s+(?:because|since|so|but|when|whenever|if|which|who|whom|whose|that|unless|until|while|"
    r"where|though|although|as|in case|for emergencies|for now|for short|instead|rather than|"
    r"any ?more|any longer|after all|thanks|please|with me|to me|for me|every|twice|once|"
    r"together|already|by the way|btw|you know|at home|at work|at school|at the moment|too|also|"
    r"this (?:week|weekend|month|evening|morning|sprint)|"
    r"from now(?: on)?|there|here|in its place|in their place|in place of|to be exact|to be "
    r"precise|"
    r"if you)(?![\w-]).*$",
    re.IGNORECASE | re.DOTALL,
)
_EDGES = ' \t\n,;:.!?…"“”«»()[]\ue003'
_LEAD = re.compile(
    r"(?:(?:to|the|a|an|both|some|my|our|any|all|also|either|called|named|about)\s+)+",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"\s*,\s*(?:and|or|but also|plus|&)?\s+|\s+(?:and also|and|or|plus|as well as|&)\s+(?:also\s+)?"
    r"(?:to\s+|in\s+|for\s+)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Value:
    """A value as it was said, from where to where."""

    text: str
    start: int
    end: int


def trimmed(text: str, start: int, end: int, *, articles: bool = True) -> Value | None:
    """A stretch without what follows on a value and without its marks; None if nothing is left.

    ``articles`` drops a leading article or preposition.
    """
    words = text[start:end]
    stop = _STOP.search(words)
    if stop:
        words = words[: stop.start()]
    lead = len(words) - len(words.lstrip(_EDGES))
    words = words.strip(_EDGES)
    if articles and (head := _LEAD.match(words)) and head.end() < len(words):
        lead, words = lead + head.end(), words[head.end() :]
    words = words.strip(_EDGES)
    if not words:
        return None
    begin = start + lead
    return Value(" ".join(words.split()), begin, begin + len(words))


def listed(value: Value, text: str) -> Iterator[Value]:
    """The items of a list, "Polish, Czech and a little German"."""
    place = value.start
    pieces: list[tuple[int, int]] = []
    for joint in _JOINT.finditer(text, value.start, value.end):
        pieces.append((place, joint.start()))
        place = joint.end()
    pieces.append((place, value.end))
    for start, end in pieces:
        found = trimmed(text, start, end)
        if found is not None:
            text_ = re.sub(
                r"^(?:(?:a )?(?:little|bit of|some|fluent|basic|mostly|mainly|especially|"
                r"even)\s+)+",
                "", found.text, flags=re.IGNORECASE,
            )  # fmt: skip
            yield Value(text_, found.start, found.end)


def number(text: str) -> int | float | None:
    """The number that a text is: "2,400", "twelve", "a hundred"; None for any other."""
    plain = " ".join(text.lower().strip(" .,;!?$€£").split())
    if plain in _NUMBERS:
        return _NUMBERS[plain]
    grouped = re.sub(r"(?<=\d)[, ](?=\d{3}(?!\d))", "", plain)
    if re.fullmatch(r"\d{1,15}k", grouped):
        return int(grouped[:-1]) * 1000
    if re.fullmatch(r"\d{1,15}", grouped):
        return int(grouped)
    if re.fullmatch(r"\d{1,15}\.\d{1,9}", grouped):
        return float(grouped)
    return None


def phone(text: str) -> str | None:
    """A telephone number within a text: seven digits or more; None where there is none."""
    for found in re.finditer(PHONE, text):
        digits = re.sub(r"\D", "", found[0])
        if 6 <= len(digits) <= 15 and not re.fullmatch(r"\d{4}-\d\d-\d\d", found[0]):
            return found[0].strip()
    return None
