"""Ids of memories: "memory 12", "ids 3, 5 and 7", 第12条, and what is another number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from text2mem.planner.evidence.text import Text, phrase
from text2mem.planner.evidence.times import Found

_NOUN = r"(?:memor(?:y|ies)|notes?|entr(?:y|ies)|records?|items?)"
_UNITS = (
    "(?:minutes?|hours?|days?|weeks?|months?|years?|am|pm|o'clock|euros?|dollars?|km|"
    "kg|people|times|"
    "percent|characters?|sentences?|tokens?|words?|pieces?|notes?|memories|entries|"
    "items?|others?|"
    r"newest|latest|oldest|most|million|thousand)(?![a-z])"
)
_ALONE = rf"(?![\d%€$£:]|[.,]\d|\s{{0,2}}-?\s{{0,2}}{_UNITS}|(?:st|nd|rd|th)\b)"
_NUMBER = rf"(?P<mark>#\s?)?(?P<id>[1-9]\d{{0,17}}){_ALONE}"
_YEAR = re.compile(r"(?:19|20)\d\d")
_VERB = (
    "(?:delete|forget|lock|unlock|archive|unarchive|show|merge|split|promote|demote|"
    "restore|undelete|"
    r"tag|untag|label|update|summari[sz]e|expire|remove|erase|protect|freeze|combine)"
)
_ENGLISH = (
    phrase(
        rf"(?<![a-z])(?:(?:{_NOUN} )?(?:with )?(?:the )?ids?|{_NOUN} (?:with )?(?:the )?"
        rf"(?:numbers?|nos?\.))(?: is| are)?\s?[:=]? ?{_NUMBER}"
    ),
    phrase(rf"(?<![a-z-]){_NOUN}\s?(?::\s?)?(?=#|\s?\d){_NUMBER}"),
)
_BARE = phrase(
    rf"(?<![a-z]){_VERB} {_NUMBER}(?=\s{{0,3}}(?:[.,;!?]|$)|\s{{1,3}}(?:and|as|to|from|"
    "for|until|in|into|"
    rf"with|please|by|under|too|again)(?![a-z]))"
)
_INTO = phrase(
    rf"(?<![a-z])(?:merge|combine|join|fold)[^.;:!?\n]{{1,40}}? (?:into|"
    rf"with) {_NUMBER}(?=\s{{0,3}}(?:[.,;!?]|$))"
)
_HASHED = re.compile(r"(?<![\w&#])(?P<mark>#)\s?(?P<id>\d{1,18})(?![\d\w.])")
_CHINESE = (
    re.compile(r"第(?P<id>\d{1,18})(?=(?:[到至、,和~-]第?\d{1,18}){1,9}(?:条|号|个))"),
    re.compile(r"第(?P<id>\d{1,18})(?:条|号|个)"),
    re.compile(
        "(?:记忆|笔记|记录|条目|编号|序号|(?<![a-z])id)(?:为|是|"
        r"号)?[:]?\s?(?P<mark>#)?(?P<id>\d{1,18})"
        r"(?![\d%:]|[.,]\d|[次天周个月年日元分秒点]|小时|公里|号楼|万|千|百)"
    ),
    re.compile(r"(?<![\d月第街路巷弄])(?P<id>\d{1,18})号(?:记忆|笔记|条目|记录|那条)"),
)
_NEXT = phrase(
    rf"\s{{0,2}}(?P<to>-|–|~|to|through|到|至|,|、|;|&|(?:,\s?)?(?:and|or)(?![a-z])|和|"
    rf"与|跟|及|以及)\s{{0,2}}(?:also )?"
    rf"(?:第|{_NOUN} )?{_NUMBER}(?:条|号(?!楼))?"
)
_RANGED = ("-", "–", "~", "to", "through", "到", "至")
_MOST = 100
"""How many ids a range may stand for."""


def read_ids(text: Text) -> Iterator[Found]:
    """The ids that are named, one by one.

    Those between the ends of a range have no words of their own: they stand at its last, empty.
    """
    for pattern in (*_ENGLISH, *_CHINESE, _HASHED, _BARE, _INTO):
        end = 0
        for found in pattern.finditer(text.asked):
            # "notes 2024" are of a year, "id 2024" is one.
            unsure = pattern in (_ENGLISH[1], _BARE, _INTO) and not found["mark"]
            if found.start("id") < end or (unsure and _YEAR.fullmatch(found["id"])):
                continue
            for one in _listed(text.asked, found):
                yield one
                end = one.end


def _listed(text: str, first: re.Match[str]) -> Iterator[Found]:
    yield _found(first)
    previous, place = int(first["id"]), first.end()
    while following := _NEXT.match(text, place):
        number, mark = int(following["id"]), following["mark"]
        if not mark and _YEAR.fullmatch(following["id"]):
            return
        if following["to"] in _RANGED:
            if not previous < number <= previous + _MOST:
                return
            start = following.start("id")
            for between in range(previous + 1, number):
                yield Found("id", str(between), start, start)
        yield _found(following)
        previous, place = number, following.end()


def _found(match: re.Match[str]) -> Found:
    marked = match.groupdict().get("mark")
    start = match.start("mark") if marked else match.start("id")
    return Found("id", str(int(match["id"])), start, match.end("id"))
