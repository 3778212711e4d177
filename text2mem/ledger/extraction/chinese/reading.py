"""A turn: its sentences past the gate, and each clause by whom it is about and what it says."""

from __future__ import annotations

import re
from dataclasses import replace

from text2mem.ir.naming import fold
from text2mem.ir.quotations import quotations
from text2mem.ledger.candidate import Candidate, Known, Reading
from text2mem.ledger.episode import Episode
from text2mem.ledger.explicit import ASKS_TO_FORGET, explicit
from text2mem.ledger.extraction.chinese import (
    answers,
    copula,
    corrections,
    elliptic,
    gate,
    retractions,
    righting,
    stating,
    when,
)
from text2mem.ledger.extraction.chinese.claims import Basis, Claim, candidates
from text2mem.ledger.extraction.chinese.concepts import RELATION, RELATIONS, concept_of
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.scene import Scene
from text2mem.ledger.extraction.chinese.turn import Clause, Heard
from text2mem.ledger.extraction.chinese.when import Told, told
from text2mem.ledger.extraction.chinese.who import Who, lead, who

_TAKEN = re.compile(
    r"^(?:(?P<who>我们|咱们|大家|团队|我|他|她)?(?:已经|刚刚?|就|决定|也|又|都)*)?(?:请|"
    r"麻烦)?(?:你|您)?"
    r"(?:帮我|给我)?(?:把|将)\s*"
)
_WE = re.compile(
    r"^(?:我们|咱们|大家)(?!这|组|公司|项目|团队|队|小|部|班|店|仓库|服务|家|课题)(?:的|已经|"
    r"刚刚?|就|也|又|都)*"
)
_CONTACT = re.compile("(?:联系)?(?:电话|手机|邮箱|微信|号码)")
_BOTH = re.compile(
    rf"^(?P<one>我|(?!我)[^,。和跟与是在对]{{2,4}})(?:和|跟|与)(?P<other>(?:我(?:们|"
    rf"家)?的?)?{RELATION}[^,。是在对都]{{0,3}}?|[^,。是在对]{{2,4}}?)"
    r"(?P<rest>(?:两个人?|俩|二人)?(?:也|全)?都.+)$"
)
_CONTACTS = ("电话", "邮箱", "微信号")
_LONGEST = 200
"""How many characters a clause has that may state something."""
_KEEPS_ON = re.compile("一直|从那|此后|之后")


def read_turn(episode: Episode, known: Known) -> Reading:
    """The reading of an episode's text."""
    text = Piece.of(episode.text)
    if reason := gate.of_turn(text.plain):
        return Reading(nothing=reason)
    heard = Heard(Scene(episode, known))
    spoken = _without_speech(text)
    basis = Basis(heard.scene, spoken, Told(spoken), gate.confidence(spoken.plain))
    if not heard.add(answers.read(spoken.plain, basis)):
        for sentence in spoken.sentences():
            _sentence(sentence, heard)
        _answered(spoken, heard, basis)
    if heard.found:
        return Reading(tuple(heard.found), explicit=explicit(episode.message))
    if spoken.plain != text.plain:
        heard.reasons.insert(0, "quotation")
    reason = heard.reasons[0] if heard.reasons else gate.rest(text.plain)
    return Reading(nothing=reason, explicit=explicit(episode.message))


def _answered(text: Piece, heard: Heard, basis: Basis) -> None:
    """Read the first clause as an answer, where it states nothing by itself."""
    first = next((piece for one in text.sentences() for piece in one.clauses()), None)
    if first is None or any(one.quote[0] < first.span[1] for one in heard.found):
        return
    basis = replace(basis, clause=first, told=Told(first))
    if first.plain != text.plain and not gate.of_clause(first.plain, last=True, asked=False):
        new = answers.value(first.plain, basis)
        if new and _has_people(new[0]):
            who_ = fold(str(new[0].value))
            heard.found = [
                replace(one, subject=who_) if one.attribute in _CONTACTS else one
                for one in heard.found
            ]
        heard.found[:0] = new


def _without_speech(text: Piece) -> Piece:
    """A text without what others are quoted to have said."""
    for one in reversed(quotations(text.source)):
        if text.source[one.start] == "《":
            continue
        if gate.quoted_speech(text.plain, one.start, one.end, one.value):
            text = text.without(one.start, one.end)
    return text


def _sentence(sentence: Piece, heard: Heard) -> None:
    if reason := gate.of_sentence(sentence.plain):
        heard.reasons.append(reason)
        return
    pieces = [piece.unquoted() for piece in sentence.clauses()]
    if pieces and gate.is_tag(pieces[-1].plain):
        heard.reasons.append("question")
        return
    asked = sentence.plain.rstrip().endswith("?")
    heard.begin()
    heard.wrong = corrections.denied_after(sentence.plain)
    correcting = (
        heard.sorry
        or corrections.cued(sentence.plain)
        or any(corrections.sorry(piece.plain) for piece in pieces[:1])
    )
    sure = gate.confidence(sentence.plain, correcting=correcting)
    for piece in pieces:
        bare = lead(piece)
        last = piece is pieces[-1]
        if len(bare.plain) > _LONGEST:
            continue
        if reason := gate.of_clause(bare.plain, last=last, asked=asked):
            heard.reasons.append(reason)
        elif heard.topic and _settled(bare, heard, Basis(heard.scene, piece, Told(bare), sure)):
            heard.topic = None
        elif times := when.only(bare, heard.scene.days):
            heard.times = times
        else:
            bare, wrong = corrections.without_denial(bare)
            heard.wrong = wrong or heard.wrong
            for each in _each_of(bare):
                clause = Clause(piece, each, sentence.plain, correcting)
                basis = Basis(heard.scene, piece, Told(each), sure)
                _clause(clause, heard, basis)
    heard.sorry = correcting and len(heard.found) == heard.start


def _each_of(bare: Piece) -> list[Piece]:
    """我跟我先生都是回族 of each of the two."""
    found = _BOTH.match(bare.plain)
    if found is None:
        return [bare]
    rest = found.start("rest")
    return [
        bare.without(found.end("one"), rest),
        bare.without(0, found.start("other")).without(
            found.end("other") - found.start("other"), rest - found.start("other")
        ),
    ]


def _clause(clause: Clause, heard: Heard, basis: Basis) -> None:
    if clause.correcting and righting.put_right(clause.bare, heard, basis):
        return
    named, times = _whom(clause.bare, heard.scene)
    times = _carried(times, clause, heard)
    basis = replace(basis, told=times)
    if named.subject is not None:
        heard.subject = named.subject
        if named.subject != heard.scene.speaker:
            heard.scene.name(named.subject)
    if named.subject is None and _CONTACT.match(named.rest.plain):
        heard.subject = _contact(heard) or heard.subject
    about = named.subject or elliptic.within(clause.bare.plain, heard.scene) or heard.subject
    if heard.add(retractions.read(clause.piece.plain, about, basis, sentence=clause.sentence)):
        return
    if ASKS_TO_FORGET.search(clause.piece.plain):
        heard.reasons.append("command")
        if gate.keeps_out(clause.piece.plain):
            heard.take_back()
        return
    if named.lost:
        heard.lost = True
    if (heard.lost and named.subject is None) or (
        gate.is_past(clause.bare.plain) and times.since is None and times.until is None
    ):
        return
    stating.introduce(named, heard, basis)
    new = stating.stated(named, clause, heard, basis)
    if clause.correcting or heard.wrong is not None:
        new = [
            corrections.corrected(one, heard.scene, heard.wrong, sure=clause.correcting)
            for one in new
        ]
    new = new or elliptic.leaning(clause.bare, named, heard, basis)
    heard.add(new)
    if new and new[-1].attribute in RELATIONS.values() and len(new) == 1:
        heard.subject = fold(str(new[0].value))


def _settled(bare: Piece, heard: Heard, basis: Basis) -> bool:
    """今年10月6号, of what the clause before said to be settled."""
    words = re.sub("^(?:就|是|在|为|定在|用|选|叫)+", "", bare.plain)
    kind = copula.event_kind(words)
    if kind is None and heard.topic and words != bare.plain:
        said = bare.words(len(bare.plain) - len(words))
        return heard.add(candidates(Claim(heard.topic, said, sure=False), heard.subject, basis))
    if kind not in ("day", "time") or heard.topic is None:
        return False
    said = bare.words(len(bare.plain) - len(words))
    return heard.add(candidates(Claim(heard.topic, said, event=kind), None, basis))


def _contact(heard: Heard) -> str | None:
    """The person whom the clause before named as a value: 紧急联系人是陆川，电话139…"""
    last = heard.found[-1] if len(heard.found) > heard.start else None
    if last is None:
        return None
    return fold(str(last.value)) if _has_people(last) else None


def _has_people(one: Candidate) -> bool:
    concept = concept_of(one.attribute)
    named = one.attribute.endswith(("联系人", "负责人")) or one.attribute in RELATIONS.values()
    return named or (concept is not None and concept.people)


def _whom(bare: Piece, scene: Scene) -> tuple[Who, Told]:
    """Whom a clause is about, and since when and until when what it says holds.

    A time may stand before the subject or after it.
    """
    before = told(bare, scene.days)
    named = _subject(bare, scene)
    if named.subject is None and before.piece.plain != bare.plain:
        whole = named.rest
        named = _subject(before.piece, scene)
        return replace(named, whole=whole), replace(before, piece=named.rest)
    times = told(named.rest, scene.days)
    if times.since is None and times.until is None:
        times = replace(times, since=before.since, until=before.until)
    return replace(named, whole=named.rest), times


def _subject(bare: Piece, scene: Scene) -> Who:
    """The subject at the beginning, 把 and 我们 apart."""
    if found := _TAKEN.match(bare.plain):
        named = who(bare.part(found.end()), scene)
        own = scene.speaker if found["who"] == "我" else None
        return replace(named, subject=named.subject or own)
    if found := _WE.match(bare.plain):
        return who(bare.part(found.end()), scene)
    return who(bare, scene)


def _carried(times: Told, clause: Clause, heard: Heard) -> Told:
    """With the times of the clause before, where this one goes on with them."""
    if times.since is not None or times.until is not None:
        if _KEEPS_ON.search(clause.sentence):
            heard.times = times
        return times
    if heard.times is not None:
        return replace(times, since=heard.times.since, until=heard.times.until)
    return times
