"""Mentions: noun phrases that name somebody or something, split into noun and owner."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from text2mem.ir.words.segment import HAN

ME = "me"
"""The name of the speaker in a ``Mention``."""
_MINE = re.compile(r"(?:my|our)\s+|(?:我们|咱们|我|咱|俺)(?:家)?的?(?=.)", re.IGNORECASE)
_OWNED = re.compile(r"(?P<owner>.+?)(?:['’]s\s+|s['’]\s+|的)(?P<noun>.+)")
_ARTICLE = re.compile(
    r"(?:the|a|an|this|that|these|those)\s+|(?:这|那)(?:个|位|只|条|款|家)?(?=..)", re.IGNORECASE
)
_SPEAKER = re.compile(
    r"i|me|myself|we|us|my|mine|our|ours|我|我们|咱|咱们|俺|本人|自己", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"he|she|it|they|him|her|them|his|its|their|他|她|它|他们|她们|它们|这个|那个", re.IGNORECASE
)
OWNS = re.compile("['’]|的")
"""The mark of the possessive, which follows the name of the owner."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A noun, without its article, and the owner."""

    noun: str
    owner: str | None = None
    """The name of the owner; ``ME`` for the speaker; None if there is none."""


def mine(noun: str) -> str:
    """A noun with the speaker as its owner: "my sister", 我妹妹."""
    return f"我{noun}" if HAN.search(noun) else f"my {noun}"


def is_pronoun(words: str) -> bool:
    """Whether the words are a pronoun of the third person or a demonstrative: "she", 它."""
    return _PRONOUN.fullmatch(words.strip()) is not None


def _finding(words: str) -> Callable[[str], bool]:
    """Return a test whether a text contains a match of a pattern, in any case."""
    pattern = re.compile(words, re.IGNORECASE)
    return lambda text: pattern.search(text) is not None


speaks_of_self = _finding(r"(?<![\w'’])(?:i|me|my|mine|myself|we|us|our|ours)(?!\w)|[我咱俺]|本人")
"""Whether a text contains a word for the speaker: "my", 我."""
speaks_of_own = _finding(r"(?<!\w)(?:my|mine|our|ours)(?!\w)|[我咱俺]们?家?的")
"""Whether a text contains a possessive of the speaker: "my", 我的."""
speaks_of_another = _finding(r"(?<![\w'’])(?:he|she|they|him|her|them|his|hers|their)(?!\w)|[他她]")
"""Whether a text contains a pronoun for another person: "her", 她."""
denies = _finding(r"\b(?:not|no|never|none|neither|cannot|without)\b|n['’]t\b|[不没未无非]")
"""Whether a text contains a negation."""


def mention(words: str) -> Mention:
    """The mention that a noun phrase is: "my sister", "Lena's car", "the boiler", 我妹妹."""
    said = " ".join(words.split())
    if _SPEAKER.fullmatch(said):
        return Mention(ME)
    if mine := _MINE.match(said):
        rest = said[mine.end() :]
        return Mention(_bare(rest), ME) if rest else Mention(ME)
    if owned := _OWNED.fullmatch(said):
        return Mention(_bare(owned["noun"]), _bare(owned["owner"]))
    return Mention(_bare(said))


def _bare(said: str) -> str:
    """A noun phrase without its article or demonstrative."""
    article = _ARTICLE.match(said)
    return said[article.end() :] if article else said
