"""The types of facts' values, and their normalised form, which is stored and compared."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from text2mem.ir.times.temporal import format_instant
from text2mem.ir.times.written_dates import read_date

ValueType = Literal["any", "text", "number", "boolean", "date", "instant"]
Normaliser = Literal["none", "trim", "lower", "email", "phone", "url"]
FOR_TEXT: tuple[Normaliser, ...] = ("lower", "email", "phone", "url")
"""Normalisers for strings. They cannot be declared for numbers, booleans, dates and instants."""

_EXACT = 2**53  # a float represents every whole number up to this one
_NUMBER = re.compile(r"[+-]?\d{1,400}(\.\d{1,400})?(e[+-]?\d{1,3})?", re.ASCII)
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
_PHONE = re.compile(r"\+?[\d ().\-/\u2010]+", re.ASCII)


def as_text(value: Any) -> str:
    """A string as it is, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class UnfitValue(ValueError):
    """A value of another type than its attribute. The message names the type of the attribute."""


def normalised(name: str, value_type: ValueType, normaliser: Normaliser, value: Any) -> Any:
    """Return the stored form of a value of the attribute ``name``: a date as YYYY-MM-DD, an instant
    as YYYY-MM-DDTHH:MM:SSZ, a number in a string as a number, a float without a fraction as an int.
    The normaliser applies to strings of the types any and text only. Raises UnfitValue."""
    reader, takes = _TYPES[value_type]
    try:
        read = reader(value)
    except (ValueError, OverflowError):
        raise UnfitValue(f"'{name}' takes {takes}{_but(value)}") from None
    if isinstance(read, str) and value_type in ("any", "text"):
        return _NORMALISERS[normaliser](read)
    return read


def canonical(value: Any) -> str:
    """The JSON text of a value, the same for equal ones: sorted keys, no blanks, 1 for 1.0."""
    return json.dumps(
        _plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return _whole(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _whole(number: float) -> int | float:
    """A float as an int if it has no fraction and represents its number exactly."""
    return int(number) if number.is_integer() and abs(number) <= _EXACT else number


# --- types: readers raise ValueError or OverflowError for a value of another type ------------


def _fitting(value: Any, fits: bool) -> Any:
    if not fits:
        raise ValueError("of another type")
    return value


def _finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(map(_finite, value.values()))
    return not isinstance(value, list | tuple) or all(map(_finite, value))


def _text(value: Any) -> Any:
    return _fitting(value, isinstance(value, str))


def _number(value: Any) -> Any:
    if isinstance(value, str):
        digits = unicodedata.normalize("NFKC", value).strip().lower()
        _fitting(digits, _NUMBER.fullmatch(digits) is not None)
        value = int(digits) if digits.lstrip("+-").isdecimal() else float(digits)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    _fitting(value, number and math.isfinite(value))
    return _whole(value) if isinstance(value, float) else value


def _boolean(value: Any) -> Any:
    read = _BOOLEANS.get(value.strip().lower()) if isinstance(value, str) else value
    return _fitting(read, isinstance(read, bool))


def _date(value: Any) -> Any:
    read = read_date(_text(value))
    return _fitting(read, read is not None).isoformat()


def _instant(value: Any) -> Any:
    read = datetime.fromisoformat(_text(value).strip())
    return format_instant(_fitting(read, read.tzinfo is not None))


_TYPES: Mapping[ValueType, tuple[Callable[[Any], Any], str]] = {
    "any": (lambda value: _fitting(value, _finite(value)), "a JSON value without NaN and infinity"),
    "text": (_text, "text"),
    "number": (_number, "a finite number"),
    "boolean": (_boolean, "true or false"),
    "date": (_date, "a date that reads in one way only, such as 2026-03-31"),
    "instant": (_instant, "an instant with its offset, such as 2026-03-31T09:00:00Z"),
}
"""The reader of each type, which returns the normalised value, and the type in words."""


def _but(value: Any) -> str:
    """The type of a value, for a message. Only null and booleans are sure not to be secret."""
    if value is None or isinstance(value, bool):
        return f", not {json.dumps(value)}"
    kinds = {int: "a number", float: "a number", list: "a list", dict: "an object"}
    return f", not {kinds[type(value)]}" if type(value) in kinds else ""


# --- normalisers ---------------------------------------------------------------------------


def _trim(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _lower(text: str) -> str:
    return unicodedata.normalize("NFC", _trim(text).lower())


def _phone(text: str) -> str:
    """The digits of a phone number, with a leading +. Any other text is only trimmed."""
    trimmed = _trim(text)
    number = unicodedata.normalize("NFKC", trimmed).lower().removeprefix("tel:").strip()
    digits = re.sub(r"\D", "", number)
    if not digits or not _PHONE.fullmatch(number):
        return trimmed
    return "+" * number.startswith("+") + digits


def _url(text: str) -> str:
    """A url with its host in lower case, without fragment or path "/"; other texts only trimmed."""
    trimmed = _trim(text)
    try:
        url = urlsplit(trimmed)
    except ValueError:
        return trimmed
    if not url.scheme or not url.netloc:
        return trimmed
    user, at, host = url.netloc.rpartition("@")
    path = "" if url.path == "/" else url.path
    # There may be a blank before the fragment that was removed.
    return urlunsplit((url.scheme, f"{user}{at}{host.lower()}", path, url.query, "")).strip()


_NORMALISERS: Mapping[Normaliser, Callable[[str], str]] = {
    "none": str,
    "trim": _trim,
    "lower": _lower,
    "email": lambda text: re.sub(r"^(?:mailto: ?)+", "", _lower(text)),
    "phone": _phone,
    "url": _url,
}
