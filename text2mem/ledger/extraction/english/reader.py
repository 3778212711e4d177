"""A whole English text: sentence by sentence through the gate, clause by clause to candidates."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime

from text2mem.ir.naming import fold
from text2mem.ledger.candidate import Candidate, Known, Reading
from text2mem.ledger.episode import Episode
from text2mem.ledger.explicit import explicit
from text2mem.ledger.extraction.english import (
    answers,
    antecedents,
    beside,
    corrections,
    dates,
    declared,
    ending,
    gate,
    held,
    nouns,
    predicates,
    projects,
    requests,
    tickets,
)
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.people import NAME, RELATED, Tie, is_name, relation
from text2mem.ledger.extraction.english.scene import Scene
from text2mem.ledger.extraction.english.subjects import Subject, read_subject
from text2mem.ledger.extraction.english.text import HIDDEN, Sentence, clauses, sentences

_I = re.IGNORECASE
_ASKS = re.compile(
    r"(?:(?:and|but|so|or|oh|hey|hi|ok|okay|well|by the way|also|please)[, ]+)*(?:who|whom|whose|"
    r"what|which|where|when|why|how|do|does|did|is|"
    r"are|am|was|were|has|have|had|can|could|should|shall|will|would|may|might|must|isn't|aren't|"
    r"don't|doesn't|didn't|won't|any|"
    r"what's|who's|where's|how's|when's)\b(?!'t)",
    _I,
)
_POLITE = re.compile(
    r"(?:(?:and|but|so|oh|hi|hello|hey|ok|okay),? )*(?:could|can|would|will) you (?:please |"
    r"kindly |also |just )*",
    _I,
)
_ASIDE = re.compile(
    r"\b(?:by the way|btw|incidentally|fyi|for the record|remember that|just so you know)\b", _I
)
_WRONG = re.compile(
    r"\b(?:i (?:was|got (?:that|it)) wrong|that(?:'s| was| is) (?:wrong|not right|incorrect|"
    r"a mistake|a typo)|misspoke|my mistake|"
    r"mixed (?:it|them|that) up|typo|mistyped|correction|gave you the wrong|wrote the wrong)\b",
    _I,
)
_TIED_AFTER = re.compile(
    rf"(?:Meet |This is )?(?P<who>{NAME}), (?:my|our) (?:new )?{RELATED.pattern}(?=[,.!;]|\s|$)"
)
_GROUND = re.compile(
    r"(?:\b(?:given(?: that)?|since|because|as|now that|considering(?: that)?|seeing(?: that)?|"
    r"knowing(?: that)?|bearing in mind that|for)|,)\s+$", _I,
)  # fmt: skip
_SOMEBODY = re.compile(rf"(?:I|I'm|we|we're|my|our|he|she|his|her|{NAME})\b")
_WHO = re.compile(r"who(?:(?='s)|\s+)", _I)
_TIED = re.compile(
    rf"\b(?P<who>[Mm]y|[Oo]ur|[Hh]is|[Hh]er|(?P<owner>{NAME})'s)\s+(?:{RELATED.pattern})"
)


@dataclass
class _Text:
    """A text while it is read."""

    scene: Scene
    found: list[Candidate] = field(default_factory=list)
    reasons: list[str | None] = field(default_factory=list)
    opened: list[Clause] = field(default_factory=list)
    replaced: list[Clause] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reading, and the clauses that state something which no table reads: from where to where."""

    reading: Reading
    open: tuple[tuple[int, int], ...] = ()


def parse(episode: Episode, known: Known) -> Parsed:
    """Everything that a text says is so, and what of it is left open."""
    scene = Scene(episode, known)
    text = _Text(scene)
    for one in sentences(scene.text):
        _sentence(text, one)
    for clause in text.replaced:
        text.found += ending.replaced(clause, text.found, clause)
    found = _settled(text)
    nothing = None
    if not found and not text.opened:
        nothing = next((r for r in text.reasons if r and r != "chatter"), None) or next(
            (r for r in text.reasons if r), "chatter"
        )
    asked = explicit(episode.message)
    reading = Reading(candidates=tuple(found), nothing=nothing, explicit=asked)
    return Parsed(reading, tuple((c.start, c.end) for c in text.opened))


def _sentence(text: _Text, one: Sentence) -> None:
    scene = text.scene
    words = scene.text[one.start : one.end]
    reason = gate.whole(words)
    if reason is not None:
        text.reasons.append(reason)
        return
    start = one.start
    answer, records = answers.consent(scene, words)
    if answer and start == _first(scene):
        clause = Clause.of(scene, one.start, one.end)
        for record in records:
            text.found.append(
                clause.candidate(record.subject or "", record.attribute or "", record.value,
                                 kind="reject" if answer == "reject" else "confirm", timed=False)
            )  # fmt: skip
        comma = re.search(rf"[,;:]\s+(?:and |but )?(?=(?:I|we|my|our|{NAME})\b)", words)
        if comma is None:
            return
        start = one.start + comma.end()
    if start == _first(scene) and not answer:
        clause = Clause.of(scene, one.start, one.end)
        made = corrections.corrected(clause, words)
        if made is not None:
            scene.stated = text.found
            text.found.append(replace(made[0], quote=(one.start, one.start + made[1])))
            start = one.start + made[1]
        elif not one.asks:
            given, length = answers.answer(clause, words)
            text.found += given
            start = one.start + length if given else start
            if given:
                _ties(text, Clause.of(scene, one.start, start), text.found)
                scene.stated = text.found
    if label := list(nouns.labelled(Clause.of(scene, start, one.end))):
        text.found += label
        return
    pieces = list(clauses(scene.text, start, one.end))
    if not pieces:
        return
    if gate.hearsay(words.lstrip()):
        text.reasons.append("hearsay")
        return
    _pieces(text, one, pieces)


def _pieces(text: _Text, one: Sentence, pieces: list[tuple[int, int]]) -> None:
    """The clauses of a sentence that has passed the gate."""
    scene = text.scene
    if not one.asks:
        text.found += beside.bracketed(Clause.of(scene, one.start, one.end))
    words = scene.text[one.start : one.end]
    if one.asks:
        pieces = _stated(scene, pieces)
        if not pieces:
            polite = _POLITE.match(words)
            if polite:
                clause = Clause.of(scene, one.start + polite.end(), one.end)
                found = list(requests.read(clause, None)) or list(ending.read(clause, None))
                _ties(text, clause, found)
                text.found += found
                if found:
                    return
            text.found += beside.places(Clause.of(scene, one.start, one.end))
            text.reasons.append("question")
            return
    pieces = [part for piece in pieces for part in _after_condition(scene, piece)]
    condition = any(gate.conditional(_bare(scene, *piece)) for piece in pieces) or bool(
        re.search(r"\bif\s+(?!i (?:remember|recall)\b|i'm not (?:mistaken|wrong)\b)", words, _I)
        and re.search(r"\b(?:would|'d|will|'ll|could)\b|\w'd\b", words, _I)
    )
    hedged = bool(gate.HEDGE.search(words))
    subject: Subject | None = None
    before = len(text.found)
    when: datetime | None = None
    for start, end in pieces:
        if HIDDEN in scene.text[start:end] and not re.search(
            r"\w", scene.text[start:end].replace(HIDDEN, "")
        ):
            continue
        bare = _bare(scene, start, end)
        if gate.conditional(bare) or gate.hearsay(bare):
            continue
        clause = Clause.of(scene, start, end, hedged=hedged)
        clause.requests = condition
        scene.stated = text.found
        named = len(scene.people.named)
        found, subject = _clause(text, clause, subject)
        fresh = scene.people.named[named:]
        scene.people.note(scene.text[start:end])
        scene.people.named += fresh  # whom the clause speaks of, rather than whom it mentions
        if not found and _not(text, bare):
            continue
        if not found and not condition and not gate.unsettled(bare) and _open(clause):
            text.opened.append(clause)
        found = [_so(scene, one, c, start, when) for c in found]
        when = clause.changed or when
        text.found += found
    if len(text.found) == before:
        text.reasons.append(gate.reason(words, asks=one.asks))
        if text.reasons[-1] is not None:
            text.opened = [c for c in text.opened if c.start < one.start]


def _so(
    scene: Scene, one: Sentence, made: Candidate, start: int, when: datetime | None
) -> Candidate:
    """An end without an instant has that of what it follows from: "I sold it on …, so I'm no …"."""
    joined = re.search(r"\b(?:so|and|therefore|hence)\s*$", scene.text[one.start : start], _I)
    if made.kind == "retract" and made.valid_to is None and not made.never and when and joined:
        return replace(made, valid_to=when)
    return made


def _after_condition(scene: Scene, piece: tuple[int, int]) -> list[tuple[int, int]]:
    """A clause that begins with a condition in two: "if you need me, ring …"."""
    words = scene.text[slice(*piece)]
    comma = words.find(", ")
    if comma < 0 or not gate.conditional(words.strip(" ,;:")):
        return [piece]
    return [(piece[0], piece[0] + comma), (piece[0] + comma + 2, piece[1])]


def _bare(scene: Scene, start: int, end: int) -> str:
    return scene.text[start:end].strip(" ,;:")


def _first(scene: Scene) -> int:
    return len(scene.text) - len(scene.text.lstrip())


def _stated(scene: Scene, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The clauses of a question that only state something: those before what is asked."""
    asking = [n for n, piece in enumerate(pieces) if _ASKS.match(_bare(scene, *piece))]
    if not asking:
        return [p for p in pieces if _ASIDE.search(_bare(scene, *p))]
    stated = pieces[: asking[0]] + [p for p in pieces[asking[0] :] if _given(scene, p)]
    stated += [p for n, p in enumerate(pieces) if n > asking[0] and n not in asking
               and _ASIDE.search(_bare(scene, *p))]  # fmt: skip
    return stated


def _given(scene: Scene, piece: tuple[int, int]) -> bool:
    """Whether a clause of a question is what the question rests on: "… since I live in Leith"."""
    words = _bare(scene, *piece)
    if _WHO.match(words) and antecedents.last_named(scene, piece[0]):
        return True
    told = _GROUND.search(scene.text[: piece[0]]) and _SOMEBODY.match(words)
    return bool(told) and not _ASKS.match(words)


def _clause(
    text: _Text, clause: Clause, before: Subject | None
) -> tuple[list[Candidate], Subject | None]:
    """What one clause states, and who it is about: a clause without a subject goes on with that."""
    scene = clause.scene
    ties: list[Tie] = []
    subjects = read_subject(scene, clause.text, clause.begin, ties)
    if relative := _WHO.match(clause.text, clause.begin):
        if gate.commanded(scene.text[: clause.start]):
            return [], before
        who = antecedents.last_named(scene, clause.start)
        if not who:
            return [], before
        subjects = [Subject("person", who, "", "he", relative.end())]
    if not subjects and before is not None and antecedents.headless(clause):
        subjects = [replace(before, rest=clause.begin)]
    subject = subjects[0] if subjects else None
    if clause.requests:
        found = list(requests.read(clause, subject))
        return found, subject
    if ending.old_one(clause):
        text.replaced.append(clause)
        return [], subject
    found = list(ending.read(clause, subject)) or list(nouns.bare(clause))
    if not found and gate.unsettled(_bare(scene, clause.start, clause.end)):
        _ties(text, clause, found, ties)
        return found, subject
    found = found or list(requests.read(clause, subject))
    found = found or list(dates.read(clause, subject, ties))
    found = found or list(dates.recurring(clause, ties))
    found = found or list(predicates.given(clause, subjects))
    found = found or list(beside.introduced(clause))
    if not found and (one := tickets.order(clause.text, clause.begin)):
        found = [clause.candidate(one[0], scene.words.concept("status", fold(one[0])), one[1])]
    found = found or list(beside.read(clause, subject.who if subject else ""))
    found = found or list(beside.related(clause))
    for each in subjects:
        if found:
            break
        found = predicates.read(clause, each, ties)
        found += [replace(one, subject=who) for who in each.others for one in found
                  if one.subject == each.who]  # fmt: skip
        subject = each if found else subject
    found = found or list(projects.read(clause, subject))
    found = found or list(nouns.inverse(clause, ties))
    found = found or list(declared.read(clause, subject))
    found = found or list(beside.titles(clause))
    found += beside.places(clause)
    found += beside.degrees(clause, subject.who if subject else "")
    found += beside.contacts(clause, found)
    found = found or list(corrections.pronoun_value(clause))
    found = found or list(corrections.repeated(clause))
    _ties(text, clause, found, ties)
    return found, subject


def _ties(
    text: _Text, clause: Clause, found: list[Candidate], ties: list[Tie] | None = None
) -> None:
    """Relations that name somebody, "my sister Leela", beside what else the clause states."""
    scene = clause.scene
    seen = {(c.subject, c.attribute, fold(str(c.value))) for c in (*found, *text.found)}
    out: list[Candidate] = []
    words = scene.text[clause.start : clause.end]
    told = list(ties or ())
    for one in _TIED.finditer(words):
        if not one["name"] or one["name"].split(" ")[0].lower() in ("i", "i'm"):
            continue
        owner = fold(one["owner"]) if one["owner"] else scene.speaker
        if one["who"].lower() in ("his", "her"):
            owner = antecedents.antecedent(scene, one["who"].lower(), clause.start + one.start())
            if not owner:
                continue
        _, attribute, gender = relation(one["word"])
        scene.people.name(fold(one["name"]), gender)
        told.append(
            Tie(owner, attribute, one["name"], clause.start + one.start(), clause.start + one.end())
        )
    for one in _TIED_AFTER.finditer(words):
        if is_name(one["who"]) and not one["name"]:
            _, attribute, gender = relation(one["word"])
            scene.people.name(fold(one["who"]), gender)
            told.append(Tie(scene.speaker, attribute, one["who"], clause.start + one.start(),
                            clause.start + one.end()))  # fmt: skip
    for tie in told:
        attribute = scene.words.concept(tie.attribute, tie.owner)
        key = (tie.owner, attribute, fold(tie.name))
        if key not in seen and tie.name:
            seen.add(key)
            made = clause.candidate(
                tie.owner, attribute, tie.name, quote=(tie.start, tie.end), timed=False
            )
            out.append(made)
    found[:0] = out


def _not(text: _Text, bare: str) -> bool:
    """ "…, not Nice" after what was stated: that was wrong."""
    denied = re.match(r"(?:and |but )?not\s+(?P<y>[^,.;]+)$", bare, _I)
    if not denied or not text.found:
        return False
    last = text.found[-1]
    for record in text.scene.facts(last.subject):
        if record.attribute == last.attribute and held.same(record.value, denied["y"]):
            text.found[-1] = replace(last, kind="correct", replaces=record.value)
            return True
    return False


def _open(clause: Clause) -> bool:
    """Whether a clause that no table reads states something that may last."""
    words = clause.scene.text[clause.start : clause.end]
    return bool(re.search(r"[\w]", words)) and len(words.split()) >= 3


def _settled(text: _Text) -> list[Candidate]:
    """The candidates each once; what corrects an earlier statement as a correction."""
    scene = text.scene
    wrong = bool(_WRONG.search(scene.text))
    out: dict[tuple[str, str, str, str], Candidate] = {}
    for each in text.found:
        if wrong and each.kind == "state":
            lately = [
                r
                for r in scene.lately
                if (r.subject, r.attribute) == (each.subject, each.attribute)
            ]
            if lately and not held.same(lately[0].value, each.value):
                each = replace(each, kind="correct", replaces=lately[0].value)
        key = (each.subject, fold(each.attribute), fold(str(each.value)), each.kind)
        out.setdefault(key, each)
    return list(out.values())
