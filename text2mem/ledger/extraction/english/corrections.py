"""What takes the place of what was said before, and what is said again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from text2mem.ir.record import Record
from text2mem.ir.written_dates import read_date
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.english import held
from text2mem.ledger.extraction.english.answers import REFUSAL, VERBAL
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.nouns import fitted
from text2mem.ledger.extraction.english.people import is_name
from text2mem.ledger.extraction.english.projects import tool
from text2mem.ledger.extraction.english.values import EMAIL, Value, number, phone, trimmed

_I = re.IGNORECASE
_MARK = re.compile(
    r"(?:(?:wait|no|nope|sorry|oops|oh|ah|hang on|hold on|correction|actually|pardon|apologies|"
    r"my mistake|my bad|scratch "
    r"that|well|rather|let me correct (?:that|myself)|not quite|that's wrong|that was wrong|"
    r"that's not right|i mean|i "
    r"meant(?: to say| to write)?|typo|i misspoke|i got that wrong|i was wrong|excuse me|"
    r"i made a mistake|to correct myself)"
    r"(?![\w-])[\s,:;.!—–-]*)+",
    _I,
)
_WRONGED = re.compile(
    r"\b(?:no|sorry|oops|correction|i mean(?:t)?|mistake|wrong|scratch|typo|misspoke|wait|hang on|"
    r"hold on|actually|not quite|"
    r"my bad|pardon|apologies)\b",
    _I,
)
_IS_IT = re.compile(
    r"(?:(?:it's|it is|that's|that is|it was|it should (?:be|read|say)|should (?:be|read)|"
    r"that should (?:be|read)|make (?:it|that)|(?:my|her|his|our|their|its) [\w ]{2,25}?(?:'s| is|"
    r" was| should be)|"
    r"i meant|i mean|we said|it's really|it'll be|the right one is|the correct one is|"
    r"the correct (?:\w+) is|to|on|it is "
    r"(?:really|actually)|it's actually|number|the number is|on the|by)\s+)*",
    _I,
)
_NOT = re.compile(
    r"(?P<x>.+?),?\s+(?:and |but )?(?:not|instead of|rather than|in place of)\s+(?:on |in |at |"
    r"the |by |number )*(?P<y>[^,.;:!?]+)",
    _I,
)
_NOT_FIRST = re.compile(
    r"(?:it's |it is |that's |it was |i'm )?not\s+(?:on |in |at |the |by |"
    r"number )*(?P<y>[^,.;:!?]+?)[,;]?\s+(?:but|it's|it is|rather)?\s*(?P<x>[^,.;:!?]+)",
    _I,
)


def corrected(clause: Clause, sentence: str) -> tuple[Candidate, int] | None:
    """What a sentence puts in the place of what was said before, and how far it was read."""
    mark = _MARK.match(sentence)
    words = sentence[mark.end() :] if mark else sentence
    skipped = len(sentence) - len(words)
    wronged = bool(mark and _WRONGED.search(mark[0]))
    lead = _IS_IT.match(words)
    body = words[lead.end() :] if lead else words
    swapped = _NOT.match(body)
    if not swapped and (swapped := _NOT_FIRST.match(words)):
        wronged = True
    if not wronged and not swapped:
        return None
    if swapped and VERBAL.search(swapped["x"]):
        return None
    x = swapped["x"] if swapped else re.split(r"[,;:.!]\s|[.!]$|\s(?:because|as|since)\s", body)[0]
    y = swapped["y"].strip() if swapped else None
    x = x.strip(" .,!'\"")
    if not x or len(x.split()) > 6 or VERBAL.search(x) or re.match(r"mine|hers|his|ours", x, _I):
        return None
    made = _replacing(clause, x, y, sure=wronged)
    if made is None:
        return None
    end = sentence.find(x, skipped) + len(x)
    if swapped and y:
        end = max(end, sentence.find(y, skipped) + len(y))
    return made, end


def _replacing(clause: Clause, x: str, y: str | None, *, sure: bool) -> Candidate | None:
    scene = clause.scene
    lately = [r for r in scene.lately if r.subject and r.attribute]
    if y is not None:
        for record in [*lately, *(r for r in scene.facts(scene.speaker) if r not in lately)]:
            right = _swapped(clause, record, x, y)
            if right is not None:
                return _correction(clause, record, right)
    if not sure:
        return None
    for record in lately:
        right = _like(clause, record, x)
        if right is not None:
            return _correction(clause, record, right)
    return None


def _correction(clause: Clause, record: Record, right: Any) -> Candidate:
    return clause.candidate(
        record.subject or "", record.attribute or "", right, kind="correct", replaces=record.value,
        timed=False, project=record.type == "project",
    )  # fmt: skip


def _swapped(clause: Clause, record: Record, x: str, y: str) -> Any:
    """A value with ``x`` in place of ``y``; None where it does not hold ``y``."""
    old = record.value
    if isinstance(old, bool) or old is None:
        return None
    if isinstance(old, int | float):
        return number(x) if number(y) == old else None
    old_day = read_date(str(old))
    if old_day is not None:
        said = _day(clause, y, old_day)
        return _day(clause, x, old_day) if said == old_day.isoformat() else None
    if held.same(old, y):
        return _fit(clause, record, x)
    found = re.search(rf"(?<!\w){re.escape(y)}(?!\w)", str(old), _I)
    if found and len(y) < len(str(old)):
        return str(old)[: found.start()] + x + str(old)[found.end() :]
    return None


def _like(clause: Clause, record: Record, x: str) -> Any:
    """``x`` where it is of the kind of the fact's value, else None."""
    old = record.value
    if isinstance(old, bool) or old is None:
        return None
    if isinstance(old, int | float):
        return number(x)
    old_day = read_date(str(old))
    if old_day is not None:
        return _day(clause, x, old_day)
    known = clause.scene.known.registry.attribute(record.attribute or "")
    if known.normaliser == "phone":
        return phone(x)
    if known.normaliser == "email":
        mail = re.search(EMAIL, x)
        return mail[0] if mail else None
    if phone(x) or number(x) is not None or clause.scene.day(x) or re.search(EMAIL, x):
        return None
    if str(old)[:1].isupper() != x[:1].isupper() or REFUSAL.match(x):
        return None
    return _fit(clause, record, x)


def _fit(clause: Clause, record: Record, x: str) -> Any:
    value = trimmed(x, 0, len(x))
    return fitted(clause, record.attribute or "", value.text) if value else None


def _day(clause: Clause, words: str, like: date) -> str | None:
    """A day; where only its number is said, in the month of another one."""
    only = re.fullmatch(r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?", words.strip(" ."), _I)
    if only:
        try:
            return like.replace(day=int(only["day"])).isoformat()
        except ValueError:
            return None
    return clause.scene.day(words)


def repeated(clause: Clause) -> Iterator[Candidate]:
    """ "It's still Ghent", "a hundred it is", "only the peanuts": what is held is said again."""
    scene = clause.scene
    words = scene.text[clause.start : clause.end]
    cue = re.search(
        r"\bstill\b|\bit is\b|\bit's\b|^only\b|^just\b|\bkept\b|\bremains?\b|\bstays?\b|"
        r"\bas before\b|\bunchanged\b|\bsame\b|"
        r"\bcorrect\b|\bsticks?\b|\bhasn't changed\b|\bkeeps?\b", words, _I,
    )  # fmt: skip
    if (
        not cue
        or len(words.split()) > 12
        or re.search(r"\bn't\b|n't\b|\bnot\b|\bnever\b", words, _I)
    ):
        return
    subjects = [scene.speaker, *reversed(scene.projects)]
    for subject in subjects:
        for record in scene.facts(subject):
            if held.within(record.value, words) and not read_date(str(record.value)):
                yield clause.candidate(subject, record.attribute or "", record.value,
                                       project=record.type == "project")  # fmt: skip
                return


def pronoun_value(clause: Clause) -> Iterator[Candidate]:
    """ "Mine is still 07700 …", "from 2023 to 2024 it was npm"."""
    scene = clause.scene
    found = re.match(
        r"\s*(?P<who>mine|hers|his|ours|it|that|this|the number|the new one)\s*(?:is|'s|was|"
        r"should be)\s+(?P<v>.+)$",
        clause.text,
        _I,
    )
    if not found:
        return
    value: Value | None = trimmed(clause.text, *found.span("v"))
    if value is None:
        return
    who = found["who"].lower()
    owner = scene.people.last(who) if who in ("hers", "his") else scene.speaker
    if who in ("the number", "the new one", "it") and scene.topic:
        owner = scene.topic.owner
    said, mail = phone(value.text), re.search(EMAIL, value.text)
    if owner and (said or mail):
        concept = "email" if mail else "phone"
        yield clause.candidate(
            owner, scene.words.concept(concept, owner), mail[0] if mail else said
        )
        return
    if who in ("it", "that", "this") and scene.topic:
        attribute, sure = scene.words.noun(scene.topic.noun, scene.topic.owner)
        telling = re.search(r"[A-Z0-9@]", value.text) and len(value.text.split()) <= 6
        if telling and (sure or re.search(r"favou?rite|number|code|name|address|id$", attribute)):
            made = fitted(clause, attribute, value.text)
            if made is not None and attribute != "city":
                yield clause.candidate(scene.topic.owner, attribute, made)
                return
    if who in ("it", "that"):
        concept = tool(value.text) or ""
        project = scene.project(clause.text)
        if concept and project:
            yield clause.candidate(
                project, scene.words.concept(concept, project), value.text, project=True
            )
        elif (
            concept == ""
            and who == "it"
            and is_name(value.text)
            and scene.topic
            and scene.topic.noun == "city"
        ):
            yield clause.candidate(
                owner or scene.speaker, scene.words.concept("city", scene.speaker), value.text
            )
