"""What is held already, as a text speaks of it: found by its value, its attribute, its subject."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from text2mem.ir.naming import fold
from text2mem.ir.record import Record
from text2mem.ledger.extraction.english.scene import Scene
from text2mem.ledger.extraction.english.text import words
from text2mem.ledger.extraction.english.values import number

_ARTICLE = re.compile(r"^(?:the|a|an|my|our|any|to)\s+", re.IGNORECASE)
_SMALL = words(
    "the a an my our your his her their its of to in on at for from that this it is was one about "
    "bit part thing line note fact entry old and or with what i said me us all please"
)


def same(one: Any, other: Any) -> bool:
    """Whether two values are one, as far as words show it."""
    if isinstance(one, str) and isinstance(other, str):
        return _plain(one) == _plain(other)
    if isinstance(one, str) or isinstance(other, str):
        text, count = (one, other) if isinstance(one, str) else (other, one)
        return not isinstance(count, bool) and number(text) == count
    return bool(one == other)


def _plain(value: str) -> str:
    words = _ARTICLE.sub("", value.strip(" .,'\"`")).lower()
    digits = re.sub(r"\D", "", words)
    if len(digits) >= 6 and re.fullmatch(r"[+\d ()./-]+", words):
        return digits
    return fold(words)


def by_value(scene: Scene, subject: str, words: Any) -> list[Record]:
    """The facts of somebody with a value."""
    return [r for r in scene.facts(subject) if same(r.value, words)]


def within(value: Any, text: str) -> bool:
    """Whether a text has a value in it, as words."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        found = re.findall(r"\d[\d, ]*(?:\.\d+)?|a hundred(?: and twenty)?|[a-z]+", text.lower())
        return any(number(one) == value for one in found)
    plain = _ARTICLE.sub("", str(value)).strip().lower()
    if len(plain) < 2:
        return False
    singular = plain[:-1] if plain.endswith("s") and len(plain) > 4 else plain
    return bool(re.search(rf"(?<!\w){re.escape(singular)}(?:s|es)?(?!\w)", text.lower()))


def meant(scene: Scene, words: str, among: Iterable[Record] | None = None) -> list[Record]:
    """The facts that words speak of: "the budget", "Arjun and okra", "my old phone number"."""
    lower = words.lower()
    tokens = [t for t in re.findall(r"[\w'-]+", lower.replace("'s", "")) if t not in _SMALL]
    noun = " ".join(tokens)
    scored: list[tuple[int, Record]] = []
    for record in among if among is not None else _held(scene):
        attribute = fold(record.attribute or "")
        parts = set(attribute.split("_")) | {attribute.replace("_", " ")}
        score = 3 if within(record.value, lower) else 0
        named = {_stem(t) for t in tokens} & {_stem(p) for p in parts}
        if (
            named
            or attribute in lower
            or scene.words.noun(noun, record.subject or "")[0] == attribute
        ):
            score += 2
        if score and _about(record.subject or "", lower, tokens):
            score += 1
        elif score and record.subject not in (scene.speaker, *scene.projects):
            score -= 1
        if score >= 2:
            scored.append((score, record))
    best = max((score for score, _ in scored), default=0)
    return [record for score, record in scored if score == best]


def _held(scene: Scene) -> Sequence[Record]:
    return scene.known.facts()


def _about(subject: str, lower: str, tokens: Sequence[str]) -> bool:
    return any(part in tokens for part in subject.split("_")) or subject.replace("_", " ") in lower


def _stem(word: str) -> str:
    for end in ("ies", "es", "s"):
        if word.endswith(end) and len(word) > len(end) + 3:
            return word[: -len(end)]
    return word[:-1] if word.endswith("y") and len(word) > 4 else word


def last_stated(scene: Scene) -> list[Record]:
    """The facts of the latest turn of the user's that stated any."""
    for turn in reversed(scene.before[-6:]):
        if turn.episode.role == "user" and turn.facts:
            return list(turn.facts)
    return []
