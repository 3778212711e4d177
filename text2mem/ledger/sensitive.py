"""Detect values that are sensitive by their form, whatever their attribute is.

The forms are those of standards: a number with an issuer's prefix, its length and a check digit,
the layout of an identity number, the prefix of a key. Words are not looked at. The policy decides
what happens to a fact with such a value (docs/typed-memory.md, "Policy").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Literal

from text2mem.ledger.credentials import holds_credential

Kind = Literal["card", "account", "identity", "credential", "health"]

_LONGEST = 20_000
"""How many characters of a text are checked."""
_LEFT, _RIGHT = r"(?<![0-9A-Za-z+.])", r"(?![0-9A-Za-z])"
"""The boundaries of a number. A Chinese character may be next to it, a Latin letter may not."""


def kinds_in(value: Any) -> tuple[Kind, ...]:
    """The kinds of sensitive values in a value, at any depth of it; each kind once."""
    return tuple(dict.fromkeys(kind for text in _texts(value) for kind in _kinds(text)))


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts and whole numbers in a value, normalised by NFKC and cut to ``_LONGEST``."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            yield unicodedata.normalize("NFKC", part[:_LONGEST])
        elif isinstance(part, int) and not isinstance(part, bool):
            yield str(part)
        elif isinstance(part, Mapping):
            pending.extend(part.values())
        elif isinstance(part, list | tuple):
            pending.extend(part)


def _kinds(text: str) -> Iterator[Kind]:
    checks: Mapping[Kind, Callable[[str], object]] = {
        "card": _holds_card, "account": _holds_account, "identity": _holds_identity,
        "credential": holds_credential, "health": _DIAGNOSIS.search,
    }  # fmt: skip
    return (kind for kind, check in checks.items() if check(text))


# --- cards ---------------------------------------------------------------------------------

_CARD = re.compile(
    rf"{_LEFT}(?:\d{{14,19}}|\d{{4}}([ -])\d{{4}}\1\d{{4}}\1\d{{4}}(?:\1\d{{1,3}})?"
    rf"|\d{{4}}([ -])\d{{6}}\2\d{{4,5}}){_RIGHT}"
)
_ISSUERS = (
    (4, 4, 16, 16), (51, 55, 16, 16), (2221, 2720, 16, 16), (34, 34, 15, 15), (37, 37, 15, 15),
    (6011, 6011, 16, 19), (644, 659, 16, 19), (3528, 3589, 16, 19), (300, 305, 14, 14),
    (36, 36, 14, 14), (38, 39, 14, 14), (62, 62, 16, 19), (81, 82, 16, 19), (2200, 2204, 16, 19),
    (6304, 6304, 16, 19), (6759, 6763, 16, 19),
)  # fmt: skip
"""The issuers' first and last prefix, and least and greatest number of digits (ISO/IEC 7812)."""


def _holds_card(text: str) -> bool:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        issued = any(
            first <= int(digits[: len(str(first))]) <= last and least <= len(digits) <= most
            for first, last, least, most in _ISSUERS
        )
        if issued and _valid("luhn", digits):
            return True
    return False


# --- accounts ------------------------------------------------------------------------------

_IBAN = re.compile(r"(?<![0-9A-Za-z])[A-Za-z]{2}\d{2}(?: ?[0-9A-Za-z]{1,4}){3,8}")
_ROUTED = re.compile(rf"{_LEFT}(\d{{9}})[ /,;:|-]{{1,3}}\d{{6,17}}{_RIGHT}")
"""A routing number of the USA with an account number. A routing number alone is public."""
_SORTED = re.compile(rf"{_LEFT}(\d\d)-(\d\d)-(\d\d)[ /,;:|]{{1,3}}\d{{8}}{_RIGHT}")
"""A sort code of the United Kingdom with an account number. It must not look like a date."""
_SPANISH = re.compile(rf"{_LEFT}\d{{4}}([ -]?)\d{{4}}\1\d{{2}}\1\d{{10}}{_RIGHT}")


def _holds_account(text: str) -> bool:
    return (
        any(_is_iban(match[0]) for match in _IBAN.finditer(text))
        or any(_valid("us.rtn", match[1]) for match in _ROUTED.finditer(text))
        or any(not _DAY.match(f"20{''.join(match.groups())}") for match in _SORTED.finditer(text))
        or any(_valid("es.ccc", match[0]) for match in _SPANISH.finditer(text))
    )


def _is_iban(text: str) -> bool:
    """Whether a text begins with a valid IBAN. Words after it may look like more of its groups."""
    groups = text.split(" ")
    return any(_valid("iban", "".join(groups[:count])) for count in range(1, len(groups) + 1))


# --- identity ------------------------------------------------------------------------------

_DAY = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$")
"""A date as eight digits, YYYYMMDD."""
_NUMBERS = (
    ("cn.ric", r"\d{17}[\dXx]"),
    ("us.ssn", r"\d{3}-\d{2}-\d{4}"),
    ("us.itin", r"9\d{2}-\d{2}-\d{4}"),
    ("ca.sin", r"\d{3}-\d{3}-\d{3}"),
    ("kr.rrn", r"\d{6}-\d{7}"),
    ("in_.aadhaar", r"\d{4} \d{4} \d{4}"),
    ("in_.pan", r"[A-Z]{5}\d{4}[A-Z]"),
    ("br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}"),
    ("es.dni", r"\d{8}-?[A-Z]"),
    ("es.nie", r"[XYZ]-?\d{7}-?[A-Z]"),
    ("it.codicefiscale", r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]"),
    ("fr.nir", r"[12] ?\d{2} ?\d{2} ?\d[\dAB] ?\d{3} ?\d{3} ?\d{2}"),
    ("de.idnr", r"\d{2} \d{3} \d{3} \d{3}"),
    ("mx.curp", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d"),
    ("nl.bsn", r"\d{4}\.\d{2}\.\d{3}"),
    ("be.nn", r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}"),
    ("ch.ssn", r"756\.\d{4}\.\d{4}\.\d{2}"),
    ("fi.hetu", r"\d{6}[-+A]\d{3}[0-9A-Y]"),
)
"""Validators of stdnum, each with the layout in which such a number is written.

Bare digits with a single check digit are not listed: one in ten order numbers would match.
"""
_IDENTITY = tuple((name, re.compile(f"{_LEFT}{form}{_RIGHT}")) for name, form in _NUMBERS)
_INSURED = re.compile(rf"{_LEFT}[A-CEGHJ-PR-TW-Z]{{2}} ?\d{{2}} ?\d{{2}} ?\d{{2}} ?[A-D]{_RIGHT}")
"""A national insurance number of the United Kingdom. It has no check digit."""
_PASSPORT = re.compile(r"\s*(?:[A-Z](\d{8})|E[A-Z]\d{7})\s*")
"""The number of a passport, as a whole value."""
_MACHINE_READ = re.compile(r"([A-Z0-9<]{9})(\d)[A-Z<]{3}(\d{6})(\d)[MFX<]\d{7}[A-Z0-9<]{14,16}")
"""The second line of a passport's machine-readable zone (ICAO 9303, part 4)."""


def _holds_identity(text: str) -> bool:
    if any(_valid(name, match[0]) for name, form in _IDENTITY for match in form.finditer(text)):
        return True
    zones = _MACHINE_READ.finditer(text)
    if any(_check(m[1]) == m[2] and _check(m[3]) == m[4] for m in zones) or _INSURED.search(text):
        return True
    # A passport's number has no check digit. So it must be the whole value, and no date.
    passport = _PASSPORT.fullmatch(text)
    return passport is not None and not (passport[1] and _DAY.match(passport[1]))


def _check(field: str) -> str:
    """The check digit of a field by ICAO 9303, part 3."""
    values = [0 if char == "<" else int(char, 36) for char in field]
    return str(sum(value * (7, 3, 1)[place % 3] for place, value in enumerate(values)) % 10)


# --- health --------------------------------------------------------------------------------

_DIAGNOSIS = re.compile(
    r"(?<![0-9A-Za-z.-])[A-TV-Z]\d[0-9AB]\.[0-9]{1,2}[0-9A-Z]{0,2}(?![0-9A-Za-z-]|\.\d)"
)
"""A subdivided code of the ICD-10, such as E11.9. Without a dot "B12" may mean other things."""


def _valid(name: str, number: str) -> bool:
    """Whether the validator ``name`` of stdnum accepts a number. It is imported only if needed."""
    validator: Callable[[str], bool] = import_module(f"stdnum.{name}").is_valid
    return validator(number)
