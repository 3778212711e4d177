"""Reading a question: whom it is about, which attribute, along which relations, and when.

By code alone. What has been read is masked, so that every word counts once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from text2mem.ir.folding import fold as folded_text
from text2mem.ir.naming import fold
from text2mem.ir.reading_clock import Clock
from text2mem.ir.record import Record
from text2mem.ledger.recall.attributes import MASK, Match, Wording, declared
from text2mem.ledger.recall.before import read_before
from text2mem.ledger.recall.exact import State
from text2mem.ledger.recall.guesses import guess, kin
from text2mem.ledger.recall.instants import Instants, read_instants
from text2mem.ledger.recall.subjects import Named, read_subject

MAX_HOPS = 2
_NAMES = frozenset({"name", "full_name", "姓名", "名字"})
_SURE = 0.75
"""How surely a relation must be named to be gone along."""
_SECOND = timedelta(seconds=1)
_FOUND = 8
_LONGEST = 1000
"""How many characters of a question are read."""
_ALL = re.compile(
    r"\b(?:what|everything|all|anything)\b[^.?]*\b(?:know|have|remember|hold|stored?)\b[^.?]*"
    r"\b(?:about|on|of)\b|\btell me (?:everything |all |more )?about\b"
    rf"|\bwho (?:is|are|was) {MASK}+\W*$|{MASK}是谁\W*$"
    r"|(?:知道|记得|了解|记着)[^。？]*(?:什么|哪些)|(?:关于|有关)[^。？]*(?:什么|哪些|情况|信息)|介绍"
)
_WHO = re.compile(r"^\W*(?:who|which of (?:us|them)|whose)\b|谁|哪位|哪些人")


@dataclass(frozen=True, slots=True)
class Question:
    """How a question was read.

    ``subject`` is whom it starts from (``named`` is false where it names nobody), ``via`` the
    attributes to go along, ``led`` the facts that lead along and ``subjects`` where they lead.
    ``attribute`` is None where none is asked for. ``holders`` are the facts of those of whom it
    asks who they are. ``whole``: everything about the subject is asked for. ``rest`` is the folded
    text without what was read. ``others`` are further instants to look at where nothing holds at
    ``as_of``.
    """

    words: str
    subject: str | None = None
    via: tuple[str, ...] = ()
    attribute: str | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    others: tuple[datetime, ...] = ()
    subjects: tuple[str, ...] = ()
    led: tuple[Record, ...] = ()
    holders: tuple[Record, ...] = ()
    named: bool = True
    whole: bool = False
    rest: str = ""


def read_question(
    words: str,
    state: State,
    *,
    subject: str | None = None,
    attribute: str | None = None,
    via: Sequence[str] = (),
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> Question:
    """What a question in words asks for; what the caller says counts before what it says."""
    words = words[:_LONGEST]
    plain = folded_text(words)
    context = state.ledger.context
    clock = Clock(state.ledger.now(), context.tz)
    times = read_instants(plain, clock)
    if as_of is not None or known_at is not None:
        times = Instants(as_of, known_at, times.spans)
    text = _masked(plain, times.spans)
    state = state.at(times.as_of, times.known_at)
    named = Named(subject, 0, 0) if subject is not None else read_subject(words, text, state)
    found = Question(
        words, as_of=times.as_of, known_at=times.known_at, others=times.others, rest=text,
        attribute=attribute,
    )  # fmt: skip
    if subject is not None:
        text = _without_name(text, words, subject)
    elif named is not None:
        text = _masked(text, [(named.start, named.end)])
    if named is None and not words.strip():
        return found
    asks_who = _WHO.search(text) and (named is None or not named.known) and subject is None
    who = _of_whom(found, state) if asks_who and attribute is None else ()
    if who:
        return replace(found, attribute=who[0].attribute, holders=who)
    if named is None:
        named = _unnamed(found, state)
        found = replace(found, named=False)
    if named is None:
        match = None if attribute else Wording(text).best((), declared(state.registry))
        return found if match is None else replace(found, attribute=match.name)
    found = replace(found, subject=named.subject, subjects=(named.subject,), rest=text)
    if attribute is not None:
        return _along(found, via, state)
    found = _hop(found, state, named.end if subject is None else 0)
    before = read_before(text)
    if before is not None and found.as_of is None and found.known_at is None:
        found = _earlier(found, before, state)
    return found


def _hop(found: Question, state: State, place: int) -> Question:
    """Along the relations that the question names, and on to the attribute that it asks for."""
    held = _names(found.subjects, state)
    wording = Wording(found.rest)
    known = declared(state.registry)
    final = wording.best(held, known)
    if len(found.via) < MAX_HOPS:
        for match in _relations(wording, held, place):
            left = match.masked(found.rest)
            led = [one for who in found.subjects for one in state.facts(who, match.name)]
            onward = tuple(dict.fromkeys(fold(str(one.value)) for one in led))
            if not onward:
                continue
            told = Wording(left).best(_names(onward, state), known)
            if told is None or fold(told.name) == fold(match.name) or _is_name(told, onward, state):
                continue
            if not match.relation and not any(state.knows(who) for who in onward):
                continue
            return _hop(
                replace(
                    found, via=(*found.via, match.name), subjects=onward, rest=left,
                    led=(*found.led, *led),
                ),
                state, match.spans[0][0],
            )  # fmt: skip
        relative = kin(found.rest, found.subjects, state)
        if relative is not None:
            left = _masked(found.rest, [relative.span])
            told = Wording(left).best(_names(relative.subjects, state), known)
            if told is not None and relative.known:
                # Their name was never said: they are a subject of their own.
                (subject,) = relative.subjects
                return _hop(
                    replace(found, subject=subject, subjects=(subject,), rest=left),
                    state, relative.span[0],
                )  # fmt: skip
            if told is not None and _is_name(told, (), state):
                return replace(found, attribute=_held_as(relative.attribute, held))
            if told is not None and told.spans and not _same(final, relative.attribute):
                return replace(
                    found, via=(*found.via, relative.attribute), subjects=(), rest=left,
                    attribute=told.name,
                )  # fmt: skip
        if relative is not None and final is None:
            return replace(found, attribute=relative.attribute)
    if final is not None and _is_name(final, found.subjects, state):
        named = _relations(wording, held, place)
        final = named[0] if named and named[0].relation else final
    if final is None:
        said = _by_value(found, state)
        if said is not None:
            return replace(found, attribute=said)
        whole = found.named and _ALL.search(found.rest) is not None
        name = None if whole else guess(found.rest, state.registry)
        return replace(found, attribute=name, whole=whole)
    return replace(found, attribute=final.name, rest=final.masked(found.rest))


def _held_as(relation: str, held: Sequence[str]) -> str:
    """The name by which a relation is in use, where it is."""
    match = Wording(relation).best(held)
    return relation if match is None else match.name


def _by_value(found: Question, state: State) -> str | None:
    """The attribute of a value that the question names: "can I eat hazelnuts"."""
    for subject in found.subjects:
        for fact in state.facts(subject):
            value = fact.value.casefold() if isinstance(fact.value, str) else ""
            if len(value) > 1 and value in found.rest:
                return fact.attribute
    return None


def _is_name(told: Match, onward: Iterable[str], state: State) -> bool:
    """Whether the name of somebody is asked for that is all that is known of them."""
    return fold(told.name) in _NAMES and told.name not in _names(onward, state)


def _relations(wording: Wording, held: Iterable[str], place: int) -> list[Match]:
    """The attributes in use that the question names for sure, the nearest to a place first."""
    found = [one for name in held if (one := wording.score(name)) and one.score >= _SURE]
    sure = [one for one in found if one.spans]
    return sorted(sure, key=lambda one: (not one.relation, abs(one.spans[0][0] - place)))


def _names(subjects: Iterable[str], state: State) -> tuple[str, ...]:
    """The attributes in use for subjects, at the instants asked about and now."""
    names: dict[str, None] = {}
    for subject in subjects:
        for record in (*state.facts(subject), *state.now(subject)):
            if record.attribute is not None:
                names[record.attribute] = None
    return tuple(names)


def _along(found: Question, via: Sequence[str], state: State) -> Question:
    """Along the relations that the caller names."""
    subjects, led = found.subjects, list[Record]()
    for name in via:
        step = [one for who in subjects for one in state.facts(who, name)]
        led += step
        subjects = tuple(dict.fromkeys(fold(str(one.value)) for one in step))
    return replace(found, via=tuple(via), subjects=subjects, led=tuple(led))


def _earlier(found: Question, event: str, state: State) -> Question:
    """The instant before an attribute became what it is: ``event``, or the one that is asked for.

    "Where did I live before the new job": the city, before the employer began.
    """
    names = _names(found.subjects, state)
    changed = Wording(event).best(names) if event else None
    name = changed.name if changed is not None else found.attribute
    if name is None:
        return found
    own = (found.subject or "", *found.subjects) if changed is not None else found.subjects
    for subject in own:
        begin = state.begins(subject, state.registry.attribute(name).name)
        if begin is not None:
            return replace(found, as_of=begin - _SECOND)
    return found


def _unnamed(found: Question, state: State) -> Named | None:
    """Who is asked about where nobody is named: the one who asks, where they hold what is asked.

    Else the only one of whom a search finds the attribute.
    """
    oneself = state.oneself()
    wording, known = Wording(found.rest), declared(state.registry)
    match = wording.best(_names((oneself,), state), ())
    if match is not None:
        return Named(oneself, 0, 0)
    hits = state.search(found.words, found.as_of)[:_FOUND] if found.known_at is None else ()
    facts = [one for one in hits if one.is_fact and one.subject is not None]
    match = wording.best(tuple(dict.fromkeys(one.attribute or "" for one in facts)), known)
    if match is not None:
        holders = {one.subject for one in facts if one.attribute == match.name}
        if len(holders) == 1:
            return Named(str(holders.pop()), 0, 0)
    return Named(oneself, 0, 0) if not facts and state.knows(oneself) else None


def _of_whom(found: Question, state: State) -> tuple[Record, ...]:
    """Facts whose value the question names, of the attribute that it asks for: "who likes tea"."""
    if found.known_at is not None:
        return ()
    facts = [
        one for one in state.search(found.words, found.as_of)[:_FOUND]
        if one.is_fact and isinstance(one.value, str) and one.value.casefold() in found.rest
    ]  # fmt: skip
    match = Wording(found.rest).best(tuple(dict.fromkeys(one.attribute or "" for one in facts)))
    return () if match is None else tuple(one for one in facts if one.attribute == match.name)


def _same(match: Match | None, attribute: str) -> bool:
    return match is not None and fold(match.name) == fold(attribute) and match.score > 1


def _masked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + MASK * (end - start) + text[end:]
    return text


def _without_name(text: str, words: str, subject: str) -> str:
    """The text without a name that the caller has given already."""
    pattern = re.compile(r"[\s_\-]+".join(map(re.escape, subject.split("_"))), re.IGNORECASE)
    return _masked(text, [found.span() for found in pattern.finditer(words)])
