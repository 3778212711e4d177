"""Candidates of what a model has told of a stretch: by code, which knows names, types and days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from text2mem.ir.naming import fold
from text2mem.ir.segment import HAN
from text2mem.ir.values import UnfitValue
from text2mem.ledger.candidate import Candidate, Known
from text2mem.ledger.episode import Episode, speaker
from text2mem.ledger.extraction.chinese import attributes as chinese
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.scene import Scene as ChineseScene
from text2mem.ledger.extraction.chinese.values import cleaned, parts, valued
from text2mem.ledger.extraction.chinese.when import Days
from text2mem.ledger.extraction.chinese.when import told as times_of
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.nouns import fitted
from text2mem.ledger.extraction.english.people import NAME, is_name
from text2mem.ledger.extraction.english.scene import Scene
from text2mem.ledger.extraction.english.values import EMAIL, Value, listed, trimmed
from text2mem.ledger.extraction.english.vocabulary import Vocabulary
from text2mem.ledger.extraction.offers import CHINESE, ENGLISH, owned, told
from text2mem.ledger.extraction.unread import hedged

_MINE = re.compile(r"\b(?:me|my)\b|[给对帮]我", re.IGNORECASE)
_PHONE = re.compile("phone|电话")
_SURE = 0.6
"""Above the floor of most policies; of who is not sure of it, below."""
_UNSURE = 0.45
_OF_THINGS = frozenset(["owner", "deadline", "venue", "负责人", "截止日期", "地点"])
_PEOPLE = frozenset(["spouse", "partner", "children", "manager", "owner", "name"])
_CHINESE_PEOPLE = frozenset(["妻子", "丈夫", "儿子", "女儿", "负责人", "姓名"])
_AT = re.compile(r"\b(?:at|for|with)\s+(?:the |a |an )?$", re.IGNORECASE)
_TOWN = re.compile(rf"(?:,\s+(?:{NAME}))+")
_MORE = re.compile(
    r"(?:(?:\s*,\s*|,?\s+(?:and|or|&)\s+)(?:to |in |of )?(?!(?:I|we|he|she|they|my|our|it|that|so|"
    r"but|also|now|then|no|not|please)\b)[^\W\d][\w'’-]*)+(?=\s*[.,;!]|\s*$)"
)
"""The rest of a list, each item one word."""
_CHINESE_MORE = re.compile(
    r"(?:(?:、|和|与|以及)[^\s，。、,;；和与]{1,8})+(?=[，。,;；!！]|$|过敏|都)"
)


@dataclass(frozen=True, slots=True)
class Told:
    """An attribute that a model named for a stretch, and where the value's words stand."""

    attribute: str
    span: tuple[int, int]
    at: tuple[int, int]


def reckoned(
    episode: Episode, known: Known, who: str | None, one: Told
) -> tuple[list[Candidate], int]:
    """The candidates, none where something does not fit, and where the words of them end."""
    said = episode.text[slice(*one.span)]
    own = speaker(episode)
    one = _whole(known, one, episode.text)
    if who is None and _MINE.search(said):
        who = own
    if who == fold(episode.text[slice(*one.at)]) and one.attribute in _PEOPLE | _CHINESE_PEOPLE:
        who = None if one.attribute in _OF_THINGS else own
    if HAN.search(said):
        return _chinese(episode, known, who, own, one)
    return _english(episode, known, who, own, one)


def _whole(known: Known, one: Told, text: str) -> Told:
    """With the whole of an address, where a model has copied a part of it."""
    if known.registry.attribute(one.attribute).normaliser != "email":
        return one
    found = [each.span() for each in re.finditer(EMAIL, text[slice(*one.span)])]
    if len(found) != 1:
        return one
    return replace(one, at=(one.span[0] + found[0][0], one.span[0] + found[0][1]))


def _english(
    episode: Episode, known: Known, who: str | None, own: str, one: Told
) -> tuple[list[Candidate], int]:
    scene = Scene(episode, known)
    text = episode.text
    clause = Clause.of(scene, *one.span)
    said = text[slice(*one.span)]
    if one.attribute == "address" and not re.search(r"\d", text[slice(*one.at)]):
        one = replace(one, attribute="city")
    if one.attribute == "job_title" and _AT.search(text[one.span[0] : one.at[0]]):
        one = replace(one, attribute="employer")
    name = _here(known, who or own, one.attribute, said)
    if name == one.attribute:
        name, _ = scene.words.noun(one.attribute.replace("_", " "), who or own)
    subject = _of(known, who, own, name, scene.project(clause.text), said)
    attribute = known.registry.attribute(name)
    start, end = one.at
    if one.attribute == "address" and (more := _TOWN.match(text, end, one.span[1])):
        end = more.end()
    items: list[Value] = []
    if attribute.cardinality == "many":
        more = _MORE.match(text, end, one.span[1])
        whole = Value(text[start : more.end() if more else end], start, more.end() if more else end)
        items, end = list(listed(whole, text)), whole.end
    elif bare := trimmed(text, start, end):
        items = [bare]
    values = [fitted(clause, attribute.name, each.text) for each in items]
    if subject is None or (one.attribute in _PEOPLE and not all(map(_is_name, values))):
        return [], end
    if one.attribute == "city" and not all(re.match(NAME, str(v)) for v in values):
        return [], end
    if one.attribute in ("deadline", "birthday") and not all(
        clause.scene.times.date(each.text) for each in items
    ):
        return [], end
    times = (clause.begins or clause.changed, clause.ends)
    type_ = Vocabulary(known).type_of(attribute.name)
    return list(_made(known, subject, attribute.name, values, type_, times, one, text)), end


def _chinese(
    episode: Episode, known: Known, who: str | None, own: str, one: Told
) -> tuple[list[Candidate], int]:
    scene = ChineseScene(episode, known)
    text = episode.text
    said = text[slice(*one.span)]
    named = chinese.attribute(scene, _here(known, who or own, one.attribute, said), who or own)
    thing = None if named.personal else scene.thing()
    subject = _of(known, who, own, named.name, thing, said)
    if subject is None or (
        one.attribute == "负责人" and "负责人" not in said and fold(subject) not in fold(said)
    ):
        return [], one.at[1]
    days = Days(episode.at, episode.tz)
    words, end = text[slice(*one.at)], one.at[1]
    if named.many and (more := _CHINESE_MORE.match(text, end, one.span[1])):
        words, end = words + more[0], more.end()
    pieces = parts(words) if named.many else [cleaned(words)]
    values = [valued(each, named.declared, named.concept, days) for each in pieces if each]
    if one.attribute in _CHINESE_PEOPLE and not all(
        re.fullmatch(r"[\u4e00-\u9fff]{2,4}|[A-Za-z]+", str(value)) for value in values
    ):
        return [], end
    times = times_of(Piece.of(said), days)
    type_ = chinese.type_of(named, person=scene.is_person(subject))
    spoken = (times.since, times.until)
    return list(_made(known, subject, named.name, values, type_, spoken, one, text)), end


def _here(known: Known, who: str, attribute: str, said: str) -> str:
    """What an attribute is called here: the tenant's own longer name of it, where there is one.

    That stands in the sentence ("投稿截止日期"), or is the only one and no other is in use
    ("delivery_address" of "address").
    """
    longer = [n for n in owned(known) if fold(n).endswith(fold(attribute)) and n != attribute]
    stands = [n for n in longer if fold(n) in fold(said)]
    if stands:
        return max(stands, key=len)
    used = {fold(r.attribute) for r in known.facts(subject=who) if r.attribute}
    alone = len(longer) == 1 and fold(attribute) not in used and attribute not in _OF_THINGS
    return longer[0] if alone else attribute


def _of(
    known: Known, who: str | None, own: str, name: str, thing: str | None, said: str
) -> str | None:
    """Whom an attribute is of: where the sentence names nobody, who has it, or the last thing."""
    if who is not None and who != own:
        return who
    if re.match(r"(?:i|i'm|i've|my|we|our)\b|我", said.strip(), re.IGNORECASE) and (
        name not in _OF_THINGS
    ):
        return own
    holders = {r.subject for r in known.facts(attribute=name) if r.subject}
    if name in owned(known):
        if len(holders) == 1:
            return next(iter(holders))
        if thing and Vocabulary(known).type_of(name) == "project":
            return thing
        if thing and HAN.search(name):
            return thing
    if name in _OF_THINGS:
        return next(iter(holders)) if len(holders) == 1 else thing
    return who


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and is_name(value)


def _made(
    known: Known,
    subject: str,
    name: str,
    values: list[Any],
    type_: str,
    times: tuple[datetime | None, datetime | None],
    one: Told,
    text: str,
) -> Iterator[Candidate]:
    said = text[slice(*one.span)]
    if not told(known, name, said) and not told(known, one.attribute, said):
        return
    digits = one.attribute in (*ENGLISH.values(), *CHINESE) and not _PHONE.match(one.attribute)
    for value in values:
        if (
            value is None
            or (digits and str(value).isdigit())
            or fold(str(value)) in (subject, fold(name))
        ):
            continue
        try:
            known.registry.normalise(known.registry.attribute(name), value)
        except UnfitValue:
            continue
        yield Candidate(
            subject=subject, attribute=name, value=value, type=type_,
            valid_from=times[0], valid_to=times[1], quote=one.span, by="model",
            confidence=_UNSURE if hedged(said) else _SURE,
        )  # fmt: skip
