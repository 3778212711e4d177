"""A clause as the short form of a correction: 不对，是31日; 端口不是8080，是8088."""

from __future__ import annotations

import re

from text2mem.ir.naming import fold
from text2mem.ir.record import Record
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.chinese import attributes, corrections, values
from text2mem.ledger.extraction.chinese.amending import amended, whole
from text2mem.ledger.extraction.chinese.claims import Basis
from text2mem.ledger.extraction.chinese.elliptic import is_noun, written
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.turn import Heard
from text2mem.ledger.extraction.chinese.who import who

_OF_NOUN = re.compile(
    r"^(?P<noun>[^,。是]{1,10}?)(?:那天|应该|其实|那边)?(?:是|为|在|叫|改成|"
    r"改到)(?P<v>[^,。]{1,30}?)(?:才对|才是)?$"
)
_SHORT = 10
_WRONGLY = re.compile("(?:我|你|您|刚才|刚刚|之前|上次|那里|又|是|给)+$|的$")


def put_right(bare: Piece, heard: Heard, basis: Basis) -> bool:
    """Read a clause as the short form of a correction. Whether it was one."""
    if corrections.sorry(bare.plain):
        return True
    scene = heard.scene
    named = who(bare, scene)
    short = corrections.only(bare.plain)
    if named.subject is not None and (named.owned or not short):
        heard.subject = named.subject
        scene.name(named.subject)
    if short:
        noun = corrections.CUE.split(named.rest.plain)[0]
        noun = _WRONGLY.sub("", noun)
        heard.noun = noun if noun and is_noun(noun, scene) else heard.noun
        return True
    piece = named.rest if named.subject else bare
    if denied := corrections.denied(piece.plain):
        before, heard.wrong = denied
        if before and is_noun(before, scene):
            heard.noun = before
        _drop(heard)
        return True
    said = corrections.elliptic(piece.plain)
    short = len(piece.plain) <= _SHORT and not re.search("[是叫在住姓会]", piece.plain)
    if said is None and heard.wrong and short:
        one = corrections.correction(piece.words(), heard.wrong, basis, heard.found, heard.subject)
        if one is not None and one.kind == "correct":
            return heard.add([one])
    if said is None:
        return _of_noun(piece, heard, basis)
    value, wrong = written(piece, said[0]), said[1] or heard.wrong
    if heard.noun is not None and (one := _known(heard.noun, value, heard, basis)):
        return heard.add([one])
    one = corrections.correction(value, wrong, basis, heard.found, heard.subject)
    if one is None:
        return False
    if one.kind == "state":
        heard.replace(one)
        return True
    return heard.add([one])


def _drop(heard: Heard) -> None:
    """Take back what the turn itself has said and now denies."""
    for one in list(heard.found):
        if heard.wrong and one.kind == "state" and fold(str(one.value)) == fold(heard.wrong):
            heard.found.remove(one)


def _of_noun(piece: Piece, heard: Heard, basis: Basis) -> bool:
    """例会是周四: the part of a known value that a noun's value has wrong."""
    found = _OF_NOUN.match(piece.plain)
    if found is None:
        return False
    said = values.cleaned(piece.words(*found.span("v")))
    noun = found["noun"].strip().removeprefix("的")
    one = _known(noun, said, heard, basis, exact=True)
    return one is not None and heard.add([one])


def _known(
    noun: str, said: str, heard: Heard, basis: Basis, *, exact: bool = False
) -> Candidate | None:
    """The correction of a noun's known value. ``exact``: of a part of it only."""
    for fact in _facts_of(noun, heard):
        value = amended(fact.value, said, heard.scene.days)
        if value is None and not exact:
            value = whole(fact.value, said)
        if value is not None and fold(str(value)) != fold(str(fact.value)):
            return _correcting(fact, value, basis)
    return None


def _facts_of(noun: str, heard: Heard) -> list[Record]:
    scene = heard.scene
    found: list[Record] = []
    for kind in ("", "time", "day", "place"):
        if kind:
            named = attributes.of_event(scene, noun, heard.subject, kind)
        else:
            named = attributes.attribute(scene, noun, heard.subject)
        if named.sure:
            found += scene.facts(heard.subject, named.name)
    return found


def _correcting(fact: Record, value: object, basis: Basis) -> Candidate:
    return Candidate(
        subject=fact.subject or "", attribute=fact.attribute or "", value=value, kind="correct",
        type=fact.type or "fact", replaces=fact.value, confidence=basis.confidence,
        quote=basis.clause.span,
    )  # fmt: skip
