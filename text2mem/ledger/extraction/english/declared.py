"""Attributes that are declared or in use, named by their own words: "severity went down to 3".

An attribute is named where a clause has all of its words, in any form and order. Its value stands
behind a verb or a mark after them, or before "is the …"; it fits the attribute's type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from text2mem.ir.naming import fold, is_pattern, stands_in
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.nouns import fitted
from text2mem.ledger.extraction.english.people import NAME, TIES
from text2mem.ledger.extraction.english.subjects import Subject, noun_phrase
from text2mem.ledger.extraction.english.text import words
from text2mem.ledger.extraction.english.values import NUMBER, Value, number, trimmed

_I = re.IGNORECASE
_PLAIN = words(
    "name status state owner city country team role manager address phone email language languages "
    "likes dislikes hobbies skills children pets spouse partner employer birthday website diet "
    "token password nickname allergy allergies medication priority deadline job_title timezone "
    "phone_number email_address date_of_birth api_key"
)
"""Attributes that are read by tables of their own."""
_LINK = re.compile(
    r"\s*,?\s*(?:(?:is|are|was|were|'s|will be|has been|have been|goes|go|went|has|have|stays?|"
    r"remains?|becomes?|became|got|gets|should be|must be|runs?|sits?|stands?|been|being|now)\s+)*"
    r"(?:(?:moved|changed|set|raised|lowered|bumped|cut|reduced|increased|dropped|up|down|switched|"
    r"capped|fixed|agreed|held|booked|pinned|kept|extended|shortened|upgraded|downgraded|rose|"
    r"fell|jumped|back|over|put|brought|pushed|assigned|handed|listed|expected|scheduled)\s+)*"
    r"(?:(?:to|at|as|on|by|in|for|from|with)\s+)?(?:=|:)?\s*",
    _I,
)
_MOVED = re.compile(r"\b(?:moved?|changed?|switch(?:ed|es)?|relocat\w+|transferr?\w*)\b.*\bto\s+(?:"
                    r"the |a )?(?P<v>.+)$", _I)  # fmt: skip
_BEFORE = re.compile(
    r"(?:^|,\s*)(?P<v>[\w@#./'&+ -]{1,50}?)\s+(?:is|are|'s|will be|as|becomes|became|is now|takes|"
    r"took|has|stays|remains)(?:\s+(?:the|our|my|now|on|your|their|a|new|over|being))*\s*$", _I,
)  # fmt: skip
_OF = re.compile(
    rf"\s+(?:for|of|at|in|on)\s+(?:the |our |my )?(?P<who>(?-i:{NAME})|[a-z][\w-]+(?: [a-z][\w-]+)"
    r"?)(?=\s+(?:is|are|was|were|has|will|'s|went|goes|stays|moved|changed|now)\b|\s*[:=,])",
    _I,
)
_AT_PLACE = re.compile(
    r"\b(?:at|in|to|is|are)\s+(?:now\s+)?(?P<v>(?:the |our |a )?[A-Za-z0-9][\w' .-]*)"
)
_DAYS = re.compile(
    r"\s+(?:on|every|from|each|until|starting|this|next)\s+(?:\w+ )?(?:(?:mon|tues|wednes|thurs|"
    r"fri|"
    r"satur|sun)days?|weekdays?|weekends?|week|month|evenings?|mornings?|now)\b.*$", _I,
)  # fmt: skip
_VOID = re.compile(
    r"(?:not|no|n't|what|who|when|where|how|why|that|if|a|an|the|it|to|too|so|very|really|still|"
    r"there|here|good|bad|great|fine|ok|okay|nice|late|early|broken|important|\w+ing)(?![\w'-])",
    _I,
)
_CLOCK = (
    r"\d|\b(?:noon|midnight|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|"
    r"quarter)\b"
)
_KINDS = words(
    "required max min maximum minimum default current total preferred time date day number count "
    "size limit place location venue room name id code"
)

_ORDERED = re.compile(
    r"(?:and |then |so |please |kindly )*(?:book|reserve|order|send|call|ring|add|put|schedule|"
    r"print|buy|get|pick|choose|find|check|look|show|tell|give|make|write|open)\b(?! (?:is|was)\b)",
    re.IGNORECASE,
)
"""What is to be done, and not what is so."""


def read(clause: Clause, subject: Subject | None) -> Iterator[Candidate]:
    """What a clause says of attributes that are declared, or in use, by their names."""
    light = clause.light
    if _ORDERED.match(light):
        return
    lower = light.lower()
    for attribute in _attributes(clause):
        spot = _named(attribute, lower)
        if spot is None:
            continue
        value = _value(clause, attribute, *spot)
        owner = _owner(clause, subject, attribute, spot)
        if value is not None and owner:
            project = owner in clause.scene.projects
            dated = attribute.endswith(("_date", "deadline", "_time", "_hours", "_day"))
            yield clause.candidate(owner, attribute, value, project=project, timed=not dated)


def _attributes(clause: Clause) -> list[str]:
    """The attributes to look for, longest names first."""
    known = clause.scene.known
    declared = [name for name in known.registry.attributes if not is_pattern(name)]
    found = dict.fromkeys(fold(name) for name in (*declared, *known.attributes()))
    read = (n for n in found if n.isascii() and n not in _PLAIN and n not in TIES)
    return sorted(read, key=len, reverse=True)[:64]


def _stem(word: str) -> str:
    for end in ("ment", "ing", "ion", "al", "ies", "es", "s", "y", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[: -len(end)]
    return word


def _named(attribute: str, lower: str) -> tuple[int, int] | None:
    """From where to where the words of an attribute stand; None where one is missing."""
    parts = attribute.split("_")
    named = [p for p in parts if p not in _KINDS] or parts
    found = _spots(parts, lower)
    if found is None and len(named) < len(parts):
        found = _spots(named, lower)
    return found


def _spots(parts: list[str], lower: str) -> tuple[int, int] | None:
    spots = []
    for part in parts:
        one = re.search(rf"(?<![\w@./-]){re.escape(_stem(part))}(?:s|es|ies|y|e|ing|ed|"
                        rf"'s)?(?![\w@])",
                        lower)  # fmt: skip
        if one is None:
            return None
        spots.append(one.span())
    start, end = min(s for s, _ in spots), max(e for _, e in spots)
    return (start, end) if end - start <= sum(map(len, parts)) + 8 * len(parts) else None


def _value(clause: Clause, attribute: str, start: int, end: int) -> Any:
    light = clause.light
    known = clause.scene.known.registry.attribute(attribute)
    if known.value_type == "number" or re.search(r"(?:seats|count|limit|port|size)$", attribute):
        return _number(light, start, end)
    dated = known.value_type == "date" or attribute.endswith(("_date", "deadline"))
    text = light if dated or attribute.endswith(("_time", "_hours", "_day")) else clause.text
    if attribute.endswith(("venue", "location", "place", "room", "address", "地点")):
        where = _AT_PLACE.search(text, end) or _AT_PLACE.search(text)
        if where and (value := _fits(clause, attribute, text, where.start("v"))):
            return value
    of_ = _OF.match(text, end)
    place = of_.end() if of_ else end
    link = _LINK.match(text, place)
    if link and link.end() > place and (value := _fits(clause, attribute, text, link.end())):
        return value
    if moved := _MOVED.search(text, end):
        return _fits(clause, attribute, text, moved.start("v"))
    before = _BEFORE.search(text[:start])
    if before and not re.match(
        r"(?:it|that|this|he|she|what|who|there)\b", before["v"].strip(), _I
    ):
        value = trimmed(text, *before.span("v"))
        if value is not None and not _VOID.match(value.text) and len(value.text.split()) <= 4:
            return fitted(clause, attribute, value.text)
    return None


def _fits(clause: Clause, attribute: str, text: str, place: int) -> Any:
    value = trimmed(text, place, len(text))
    raw = trimmed(text, place, len(text), articles=False)
    if value is None or raw is None or len(value.text.split()) > 6:
        return None
    if attribute.endswith(("venue", "location", "place", "room")) and (
        days := _DAYS.search(value.text)
    ):
        value = Value(value.text[: days.start()], value.start, value.start + days.start())
    if attribute.endswith("_time"):
        short = re.split(r"\s+(?:from|on|every|in)\s", value.text)[0]
        return short if re.search(_CLOCK, short, _I) else None
    if _VOID.match(value.text) and not value.text[:1].isupper():
        return None
    if attribute.endswith(("_date", "deadline")):
        return clause.scene.day(re.split(r",| at ", value.text)[0])
    return fitted(clause, attribute, value.text)


def _number(text: str, start: int, end: int) -> Any:
    """The number after a name, of several the one after "to"; else the one right before it."""
    after = list(re.finditer(rf"(?<![\w.])(?:{NUMBER})(?![\w%])", text[end : end + 60], _I))
    to_ = [n for n in after if re.search(r"\b(?:to|now)\s+$", text[end : end + n.start()], _I)]
    before = re.search(rf"(?<![\w.])(?P<n>{NUMBER})\s+(?:[a-z]+\s+)?$", text[:start], _I)
    if to_:
        return number(to_[-1][0])
    if before:
        return number(before["n"])
    if after and _LINK.fullmatch(text[end : end + after[0].start()]):
        return number(after[0][0])
    return None


def _owner(clause: Clause, subject: Subject | None, attribute: str, spot: tuple[int, int]) -> str:
    """Who or what a clause says an attribute of: named in it, its subject, or spoken of."""
    scene, light = clause.scene, clause.light
    lower = fold(light)
    subjects = [s for s in scene.known.subjects() if s != scene.speaker]
    named = [s for s in (*subjects, *scene.projects) if stands_in(s, lower)]
    if named:
        return max(named, key=len)
    if of_ := _OF.match(light, spot[1]):
        read_ = noun_phrase(scene, of_["who"], clause.start, clause.end, [])
        if read_ and read_[0] == "person":
            return read_[1]
    inside = subject and fold(light[spot[0] : spot[1]]).startswith(subject.who or "-")
    if subject and subject.who and subject.kind in ("person", "owned") and not inside:
        return subject.who
    holders = [r.subject for r in scene.known.facts(attribute=attribute) if r.subject]
    if scene.stated:
        return scene.stated[-1].subject
    if len(set(holders)) == 1:
        return holders[0]
    return scene.project(light) or scene.speaker
