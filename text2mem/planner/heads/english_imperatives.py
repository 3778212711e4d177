"""English imperatives: the verb that leads a clause, with what follows it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from text2mem.planner.heads.english_masks import without_names
from text2mem.planner.heads.english_verbs import FRAMES, IRREGULAR, OPEN, PLAIN
from text2mem.planner.heads.model import Head, words

_BY_WORD: dict[str, tuple[str, ...]] = {
    **{verb: (op,) for op, verbs in PLAIN.items() for verb in verbs.split()},
    **{verb: tuple(ops.split()) for verb, ops in OPEN.items()},
}
VERBS = frozenset(_BY_WORD).union(*(one.verbs for one in FRAMES))
WORD = re.compile(r"[a-z][a-z-]*")
SENTENCE = re.compile(r"[.;!?](?=\s|$)")
_OWN = re.compile(
    r"\s(?:(?:up|down|out|rid of|away|over|through|together)\b|(?:me|us|for me)\b|(?:at|for|"
    r"into)\b(?= (?:the|all|my|any|every|notes|memories|entries)\b)|(?:of|about)\b(?= (?:the|all|"
    r"my)\b))"
)
_REMEMBER_TO = re.compile(
    r"(?:please )?(?:remember|don't forget|do not forget|never forget) to (.*)"
)
_STORED = re.compile(
    r"\b(?:notes?|memor(?:y|ies)|entr(?:y|ies)|records?|tags?|tagged|labell?ed|it|them|those|"
    r"these|everything)\b"
)
_FORGOTTEN = re.compile(
    r"(?:please )?(?:don't|do not|never) let me forget (?:about )?(?=(?:the|my|those|"
    r"these) (?:notes|entries|memories))"
)
_REMEMBER_THAT = re.compile(
    r"(?:please )?(?:(?:don't|do not|never|let's not|not) (?:let me )?forget(?! (?:to|about)\b|"
    r" (?:the|my|those|these) (?:notes|entries|memories))|remember(?= (?:that|this|:|"
    r",)))(?: that| this)?"
)
_SUBJECT = re.compile(r"[^,.;!?]{0,120}? (?:would|will|takes?|is|are|seems?|means|costs?)\b")
"""After a gerund that is not asked for: "reading all that takes too long"."""
_GIVES = words("provide equip furnish supply mark tag label save store")
"""Verbs that give what stands after "with"."""


def stored(text: str, place: int) -> Head | None:
    """What is to be kept in mind: "don't forget that …", "remember to call Bob"."""
    if found := _REMEMBER_THAT.match(text, place):
        return Head(("Encode",), place, found.end(), first=True)
    if found := _FORGOTTEN.match(text, place):
        return Head(("Promote",), place, found.end(), first=True)
    chore = _REMEMBER_TO.match(text, place)
    if not chore:
        return None
    asked = imperative(text, chore.start(1), "") if _STORED.search(chore.group(1)) else None
    return asked or Head(("Encode",), place, chore.start(1), first=True)


def imperative(text: str, place: int, lead: str) -> Head | None:
    word = WORD.match(text, place)
    if not word:
        return None
    after = text[word.end() :]
    if word.group().endswith("ing") and _SUBJECT.match(after):
        return None
    for verb in _bases(word.group()):
        ops, own = meant(verb, after, lead)
        if ops:
            return Head(ops, place, word.end() + own, first=True)
    return None


def meant(verb: str, after: str, lead: str = "") -> tuple[tuple[str, ...], int]:
    """What a verb asks for with what follows it; and how much of that only asks, too."""
    sentence = SENTENCE.search(after)
    said = after[: sentence.start()] if sentence else after
    rest = said if verb in _GIVES else without_names(said)
    rest = rest.strip(" ,:")
    if lead:
        rest = f"{rest} {lead.rstrip(' ,')}"
    for one in FRAMES:
        if verb in one.verbs and (found := one.pattern.search(rest)):
            if one.ops == ("Encode",) and found.start() == 0:
                return one.ops, len(after) - len(after.lstrip(" ,:")) + found.end()
            return one.ops, _own(after)
    return _BY_WORD.get(verb, ()), _own(after)


def _own(after: str) -> int:
    place = 0
    while found := _OWN.match(after, place):
        place = found.end()
    return place


def _bases(word: str) -> Iterator[str]:
    """The verbs that a word can be a form of: itself, without -ing, -ed or -s."""
    if word in VERBS:
        yield word
    yield from _stems(word, "ing")
    if word.endswith("s") and word[:-1] in VERBS:
        yield word[:-1]


def participle(word: str) -> str | None:
    """The verb of a past participle."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    return next(_stems(word, "ed"), None)


def _stems(word: str, ending: str) -> Iterator[str]:
    if not word.endswith(ending) or len(word) < len(ending) + 2:
        return
    stem = word[: -len(ending)]
    forms = [stem, f"{stem}e"]
    if stem[-1:] == stem[-2:-1]:
        forms.append(stem[:-1])
    if stem.endswith("i"):
        forms.append(f"{stem[:-1]}y")
    yield from (form for form in forms if form in VERBS)
