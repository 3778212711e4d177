"""Names that no attribute or subject bears: what a question calls them, so that it can be said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from text2mem.ir.naming import fold
from text2mem.ir.registry import Registry
from text2mem.ledger.recall.attributes import MASK
from text2mem.ledger.recall.concept import Concept
from text2mem.ledger.recall.exact import State
from text2mem.ledger.recall.relations import RELATIONS

_ASKED = re.compile(
    r"\b(?:which|what)(?: kind of| sort of)? (?P<a>(?!(?:is|are|was|were|do|does|did"
    r"|has|have|had|can|will|must|should|may)\b)[a-z][a-z ]{2,30}?)(?= (?:is|are|was|were|do|does"
    rf"|did|has|have|had|can|will|{MASK})|[?{MASK}]|$)"
    rf"|(?:'s|\bmy|\bown) (?P<b>[a-z][a-z ]{{2,30}}?)"
    rf"(?= (?:is|are|was|were|at|in|on|for)\b|[?.,{MASK}]|$)"
    rf"|\bthe (?P<c>[a-z][a-z ]{{2,30}}?) of (?:the )?{MASK}"
)
_ZH_ASKED = re.compile(
    rf"{MASK}+的(?P<d>[^\s，。？！,?!{MASK}]{{2,8}}?)(?:是|有|在|叫|怎|如何|多少|吗|呢|[?？]|$)"
    rf"|(?:什么|哪个|哪种)(?P<e>[^\s，。？！,?!{MASK}]{{2,6}}?)(?:[?？吗呢]|$)"
)
_THEIRS = re.compile(rf"{MASK}(?:['’]s?)? (?P<who>[a-z]+(?:[ -][a-z]+)?)")
_ZH_THEIRS = re.compile(rf"{MASK}的?(?P<who>[\u3400-\u9fff]{{1,4}})")
_NO_NAMES = "kind sort time day thing things one ones way of number name own"
_NO_NAME = frozenset(_NO_NAMES.split())
_SMALL_WORDS = "the a an of kind sort own new old current exact exactly us you do"
_SMALL = frozenset(_SMALL_WORDS.split())


@dataclass(frozen=True, slots=True)
class Relative:
    """Somebody's relative without a name: the subjects that they may be, and where it says so."""

    attribute: str
    subjects: tuple[str, ...]
    span: tuple[int, int]
    known: bool


def guess(text: str, registry: Registry) -> str | None:
    """The attribute that a question names which nothing bears; None where it names none.

    The name is as the registry writes it, a pattern's included.
    """
    found = _ASKED.search(text) or _ZH_ASKED.search(text)
    if found is None:
        return None
    words = next(group for group in found.groups() if group)
    if MASK in words:
        return None
    parts = [word for word in words.split() if word not in _SMALL]
    if not parts or (len(parts) == 1 and parts[0] in _NO_NAME):
        return None
    return registry.attribute(fold(" ".join(parts[-3:]))).name


def kin(text: str, owners: Sequence[str], state: State) -> Relative | None:
    """The relative of the owners that a question names and no fact does."""
    if len(owners) != 1:
        return None
    for start, end in _named_so(text):
        subject = f"{owners[0]}_{fold(text[start:end])}"
        if state.knows(subject):
            return Relative(subject, (subject,), (start, end), known=True)
    for concept in RELATIONS:
        found = concept.cues.search(text) if concept.cues is not None else None
        if found is None:
            continue
        names = (f"{owners[0]}_{fold(word)}" for word in concept.names)
        known = next((name for name in names if state.knows(name)), None)
        if known is not None:
            return Relative(concept.names[0], (known,), found.span(), known=True)
        if _belongs(text, found.start()):
            return Relative(_called(concept, found[0]), (), found.span(), known=False)
    return None


def _named_so(text: str) -> Iterator[tuple[int, int]]:
    """Where the words stand that follow an owner: "'s youngest aunt", 的小姨; the longest first."""
    found = _THEIRS.search(text)
    if found is not None:
        start, end = found.span("who")
        yield start, end
        if " " in found["who"]:
            yield start, start + found["who"].index(" ")
    found = _ZH_THEIRS.search(text)
    if found is not None:
        start, end = found.span("who")
        yield from ((start, place) for place in range(end, start, -1))


def _belongs(text: str, place: int) -> bool:
    """Whether what stands at a place belongs to somebody who was named right before or after."""
    lead = text[max(0, place - 12) : place]
    return re.search(rf"{MASK}(?:['’]s?|的)?\s?(?:\w+ )?$", lead) is not None or re.search(
        rf"^\S+ of (?:the )?{MASK}", text[place : place + 24]
    ) is not None  # fmt: skip


def _called(concept: Concept, said: str) -> str:
    """The name of a relation: the word that was said where it is one of its names."""
    word = fold(said)
    return word if word in concept.names else concept.names[0]
