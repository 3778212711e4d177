"""What a model may choose from for one sentence: attributes by how well they fit, and subjects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from text2mem.adapters.shipped import shipped_registry as shipped
from text2mem.ir.naming import fold, is_pattern
from text2mem.ir.registry import Attribute
from text2mem.ir.segment import HAN
from text2mem.ledger.candidate import Known
from text2mem.ledger.extraction.cues import cue

_MOST_ATTRIBUTES = 12
_SAME = (
    ("email_address", "email"), ("phone_number", "phone"), ("allergy", "allergies"),
    ("language", "languages"), ("date_of_birth", "birthday"),
)  # fmt: skip
"""Declared names of the same thing; the first one is offered only where it is in use."""


def offered(known: Known, subject: str, said: str) -> dict[str, int]:
    """The names to choose from for a sentence about a subject, the best first.

    With each, how much speaks for it: twice the signs in the sentence, one for being in use for the
    subject, one for being declared by the tenant. What nothing speaks for is not offered.
    """
    ranked: list[tuple[int, int, str]] = []
    used = {fold(r.attribute) for r in known.facts(subject=subject) if r.attribute}
    for place, one in enumerate(_attributes(known, used, said)):
        signs = cue(one.name, said) + _typed(one, said)
        bonus = (fold(one.name) in used) + (one.name not in shipped().attributes)
        if signs >= 0 and signs + bonus > 0:
            ranked.append((-2 * signs - bonus, place, one.name))
    best = sorted(ranked)[:_MOST_ATTRIBUTES]
    return {name: -score for score, _, name in best}


def _attributes(known: Known, used: Iterable[str], said: str) -> Iterator[Attribute]:
    """Those that are declared by name or in use, in the script of the sentence."""
    in_use = {fold(name) for name in known.attributes()}
    doubled = {a for a, b in _SAME if a not in in_use and b in known.registry.attributes}
    chinese = bool(HAN.search(said))
    for name in dict.fromkeys([*known.registry.attributes, *known.attributes()]):
        one = known.registry.attribute(name)
        if is_pattern(name) or one.sensitivity == "secret" or name in doubled:
            continue
        own = bool(HAN.search(name)) == chinese or name not in shipped().attributes
        if own or fold(name) in used:
            yield one


def _typed(one: Attribute, said: str) -> int:
    """1 where a value of the attribute's type stands in the words, -99 where none can."""
    if one.normaliser == "email":
        return 1 if "@" in said else -99
    if one.normaliser == "phone":
        return 1 if re.search(r"\d[\d ()./-]{4,}\d", said) else -99
    if one.normaliser == "url":
        return 1 if re.search(r"\w\.\w", said) else -99
    if one.value_type in ("number", "date"):
        return (
            0
            if re.search(r"\d|[一二三四五六七八九十百]|\b[a-z]+(?:teen|ty)\b|day\b", said)
            else -99
        )
    return 0
