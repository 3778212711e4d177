"""Units of measure behind a number, and how many of one unit another one is: a 斤 is 0.5 公斤."""

from __future__ import annotations

import re

_SIZES: dict[str, dict[str, float]] = {
    "mass": {"mg|毫克": 0.001, "g|grams?|克": 1, "kg|kgs|kilos?|kilograms?|公斤|千克": 1000,
             "市?斤": 500, "t|tonnes?|tons?|吨": 1_000_000, "lbs?": 453.59237,
             "oz|ounces?": 28.349523},
    "length": {"mm|毫米": 0.001, "cm|公分|厘米": 0.01, "m|met(?:re|er)s?|米": 1,
               "km|kms|kilomet(?:re|er)s?|公里|千米": 1000, "miles?": 1609.344},
    "area": {"sqm|m2|平方?米?": 1, "亩": 666.6667},
    "volume": {"ml|毫升": 0.001, "cl": 0.01, "l|lit(?:re|er)s?|升": 1},
    "sterling": {"p|pence": 0.01, "£|pounds?|quid": 1},
    "dollars": {"cents?": 0.01, r"\$|dollars?|bucks?": 1},
    "euros": {"ct|eurocents?": 0.01, "€|euros?|欧元?": 1},
    "yuan": {"毛|角": 0.1, "元|块": 1},
    "count": {"打(?![给到过进了去来回款折包印出电])": 12},
}  # fmt: skip
"""The size of each unit, in one unit of its kind. A 打 before 给 or 到 is the verb."""
ONE, DOZEN = ("count", 1.0), ("count", 12.0)
_UNITS = {
    re.compile(form): (kind, size) for kind, each in _SIZES.items() for form, size in each.items()
}
_FORMS = "|".join(form.pattern for form in _UNITS)
_LETTERS = re.compile(r"[£$€]|\b[a-z]{2,}\b")
BEHIND = re.compile(rf"\s?(?P<unit>{_FORMS})(?![a-z/²³\d]|\.[a-z])", re.IGNORECASE)
"""A unit behind a number."""
PER = re.compile(rf"\s?/\s?\d*\s?(?:{'|'.join(_SIZES['length'])}|lap|圈)(?![a-z])", re.IGNORECASE)
"""What makes a pace of a time behind which it stands."""


FRACTION = r"(?:1/[234]|2/3|3/4)(?!\d)"
"""Figures that are rather a part of something than a day and a month."""


def unit_at(words: str, start: int, end: int) -> tuple[str, float] | None:
    """The kind and the size of the unit of the number at this place of folded words."""
    behind = BEHIND.match(words, end)
    unit = behind["unit"] if behind else words[max(0, start - 1) : start]
    return _of(unit)


def unit_in(words: str) -> tuple[str, float] | None:
    """The kind and the size of the one unit that folded words spell out; None if there is none."""
    found = {unit for said in _LETTERS.findall(words) if (unit := _of(said))}
    return found.pop() if len(found) == 1 else None


def _of(unit: str) -> tuple[str, float] | None:
    return next((size for form, size in _UNITS.items() if form.fullmatch(unit)), None)
