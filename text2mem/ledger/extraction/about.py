"""Of whom or what a sentence is, as code reads it: who a model is not asked about."""

from __future__ import annotations

import re

from text2mem.ir.naming import find_name, fold
from text2mem.ir.segment import HAN
from text2mem.ledger.candidate import Known
from text2mem.ledger.episode import Episode, speaker
from text2mem.ledger.extraction.chinese.concepts import RELATION
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.scene import Scene as ChineseScene
from text2mem.ledger.extraction.chinese.who import lead, who
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.people import RELATED
from text2mem.ledger.extraction.english.scene import Scene
from text2mem.ledger.extraction.english.subjects import read_subject

_KIN = re.compile(rf"(?:[Mm]y|[Oo]ur)\s+(?:{RELATED.pattern})(?!')")
_CHINESE_KIN = re.compile(rf"(?:我|我们|我家|咱)的?{RELATION}")
_PRONOUN = re.compile(r"(?P<who>she|he|they)(?:'s|'re|\b)", re.IGNORECASE)


def about(episode: Episode, known: Known, span: tuple[int, int]) -> str | None:
    """The subject of a sentence: a relative, what is known by the name, else the speaker.

    None where a pronoun leaves it open.
    """
    said = episode.text[slice(*span)]
    chinese = bool(HAN.search(said))
    own = speaker(episode)
    first = _chinese(episode, known, said) if chinese else _english(episode, known, span)
    if first and any(one.match(said) for one in (_KIN, _CHINESE_KIN, _PRONOUN)):
        return first
    if first == "":
        return None
    named = [s for s in known.subjects() if s != own and _stands(s, said)]
    tied = first is not None and first.startswith(f"{own}_")
    if first is not None and (tied or first in known.subjects() or first in _named(known)):
        return first
    if named:
        return max(named, key=len)
    return own


def _chinese(episode: Episode, known: Known, said: str) -> str | None:
    """By the words that the sentence begins with; "" where a pronoun's is not known."""
    piece = next(iter(Piece.of(said).clauses()), None)
    if piece is None:
        return None
    found = who(lead(piece.unquoted()), ChineseScene(episode, known))
    return "" if found.lost else found.subject


def _english(episode: Episode, known: Known, span: tuple[int, int]) -> str | None:
    clause = Clause.of(Scene(episode, known), *span)
    people = clause.scene.people
    if kin := _KIN.match(clause.text, clause.begin):
        return people.relative(people.speaker, kin["word"], kin["name"])
    if (one := _PRONOUN.match(clause.text, clause.begin)) and (last := people.last(one["who"])):
        return last
    subjects = read_subject(clause.scene, clause.text, clause.begin, [])
    if not subjects:
        return None
    if subjects[0].word and not subjects[0].who:
        return None if subjects[0].word == "you" else ""
    return subjects[0].who or None


def _named(known: Known) -> set[str]:
    """Who is the value of a fact that holds."""
    return {fold(record.value) for record in known.facts() if isinstance(record.value, str)}


def _stands(subject: str, said: str) -> bool:
    return len(subject) > 1 and find_name(subject, fold(said)) is not None
