"""Reading a question: which line of the ledger it means, and when.

Times are read by ``ir``; of whom and of what it asks is weighed out of what the ledger holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from text2mem.ir.ports import Embedder
from text2mem.ir.record import Record
from text2mem.ir.times.asked_times import MASK, Instants, masked, read_instants
from text2mem.ir.times.earlier import read_before
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.words.folding import fold
from text2mem.ir.words.likeness import Vector, alike, dot
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import query_terms, search_text
from text2mem.ledger.holdings import sources
from text2mem.ledger.name_vectors import name_vectors
from text2mem.ledger.recall.exact import NEWEST, State
from text2mem.ledger.recall.places import SUBJECTS, Place, places, subjects_named
from text2mem.ledger.recall.space import moved, others
from text2mem.ledger.recall.weighing import Asked, holding, names_stranger, spoken, sure, weighed
from text2mem.planner.rank import terms_of

_SECOND = timedelta(seconds=1)
_LONGEST = 1000
"""How many characters of a question are read."""
_SHOWN, _LEAST = 6, 0.02
"""How many lines are shown where none is likely enough, and how likely they are at least."""
_ENOUGH, _ALIKE = 16, 0.5
"""From how many lines on they are enough to choose from, and which names are much alike."""
_FEW, _MOST = 2, 0.6
"""How many words of a question a memory has that says it outright, and what share of them."""
_NEAREST = 24
"""Of how many lines, those nearest by what they hold, the names are compared by vectors."""


@dataclass(frozen=True, slots=True)
class Question:
    """How a question was read.

    ``subject`` is whom it starts from, ``via`` the attributes to go along, ``led`` the facts that
    lead along and ``subjects`` where they lead. ``attribute`` is None where no line is meant
    surely. ``holders`` are the facts of those of whom it asks who they are. ``whole``: everything
    about the subject is asked for. ``others`` are further instants to look at where nothing holds
    at ``as_of``. ``nearest`` are the facts of the likeliest lines, also where none is likely
    enough.
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
    whole: bool = False
    nearest: tuple[Record, ...] = ()


@dataclass(slots=True)
class Vectors:
    """The vectors that a question is weighed by: its own, and those of what lines are called.

    They are needed under a lock, where none can be made. So names without a vector are noted in
    ``wanted``; ``learn`` makes them later, with no lock held, and the question is read again.
    """

    embedder: Embedder | None
    own: Vector | None = None
    names: dict[str, Vector] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)

    def learn(self) -> bool:
        """Make the vectors that are wanted; False where none is, or the embedder fails."""
        names = sorted(self.wanted)
        self.wanted.clear()
        made = name_vectors(self.embedder, names) if names else None
        if made is None:
            return False
        self.names.update(zip(names, made, strict=True))
        return True


@dataclass(frozen=True, slots=True)
class Timed:
    """A question with its times read: ``text`` has these masked."""

    words: str
    text: str
    times: Instants

    @classmethod
    def of(cls, words: str, clock: Clock) -> Timed:
        """Read the times of a question, of which the first ``_LONGEST`` characters count."""
        words = words[:_LONGEST]
        plain = fold(words)
        times = read_instants(plain, clock)
        text = masked(words, times.spans) if len(plain) == len(words) else words
        return cls(words, text, times)

    @property
    def rest(self) -> str:
        """The text without times."""
        return self.text.replace(MASK, " ")


def read_question(
    asked: Timed,
    state: State,
    vectors: Vectors,
    *,
    subject: str | None = None,
    attribute: str | None = None,
    via: Sequence[str] = (),
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> Question:
    """Read a question. What the caller names counts before what the words say."""
    words, times = asked.words, asked.times
    if as_of is not None or known_at is not None:
        times = Instants(as_of, known_at, times.spans)
    state = state.at(times.as_of, times.known_at)
    found = Question(
        words, as_of=times.as_of, known_at=times.known_at, others=times.others,
        attribute=attribute,
    )  # fmt: skip
    if subject is not None and (attribute is not None or not words.strip()):
        return _along(found, subject, via, state)
    if not words.strip():
        return found
    return _meant(found, candidates(words, asked.text, subject, attribute, state), state, vectors)


def candidates(
    words: str, text: str, subject: str | None, attribute: str | None, state: State
) -> Asked:
    """A question with the lines that it could mean, and no vectors yet; ``text`` is the question
    with times masked. A subject or an attribute that the caller names leaves only lines of it."""
    newest = state.ledger.view.recent_subjects(NEWEST)  # one a fact: of all, in a small store
    known = tuple(dict.fromkeys(newest))
    oneself = state.oneself()
    named = (subject,) if subject else subjects_named(words, text, state, (*known, oneself))
    whole = len(newest) < NEWEST and len(known) <= SUBJECTS
    if not whole:  # of a large store those who are named, else those whom a search finds
        looked = named or state.known_at is not None
        found = () if looked else state.search(words, state.as_of)
        subjects = (name_key(one.subject) for one in found if one.is_fact and one.subject)
        known = tuple(dict.fromkeys(subjects))
    text = text.replace(MASK, " ")
    there = tuple(
        place for place in places(state, named, oneself, known, text)
        if (attribute is None or _is(place, attribute))
        and (subject is None or subject in (name_key(place.subject), place.start))
    )  # fmt: skip
    return Asked(text, oneself, named, there)


def with_vectors(asked: Asked, state: State, vectors: Vectors) -> Asked:
    """The question with the vectors that it is weighed by; names only of the lines that are nearest
    by what they hold."""
    own, embedder = vectors.own, vectors.embedder
    if own is None or embedder is None:
        return asked
    told = [fact.id for place in asked.places for fact in place.told]
    texts = state.ledger.view.vectors(told)
    likely = sorted(asked.places, key=lambda place: -_nearness(place, own, texts))
    vectors.wanted |= {spoken(place) for place in likely[:_NEAREST]} - vectors.names.keys()
    learnt = moved(own, embedder.model)
    return replace(asked, vector=own, texts=texts, names=vectors.names, moved=learnt)


def _nearness(place: Place, own: Vector, texts: Mapping[str, Vector]) -> float:
    if place.whole or place.holders:
        return 1.0
    return holding(own, texts, place) or 0.0


def beside_others(asked: Asked, vectors: Vectors) -> Asked:
    """The question, and where the lines that it could mean are few, with others that nobody holds,
    of whom it is about; none that is called much like one that is held."""
    if vectors.embedder is None or not asked.texts or len(asked.places) >= _ENOUGH:
        return asked
    called = [asked.names[spoken(place)] for place in asked.places if spoken(place) in asked.names]
    new = [
        (Place(asked.about, other.name, (), asked.about, other=True), other)
        for other in others(vectors.embedder.model)
        if max((dot(other.called, each) for each in called), default=0.0) < _ALIKE
    ]
    return replace(
        asked, places=(*asked.places, *(place for place, _ in new)),
        texts={**asked.texts, **{place.attribute: other.text for place, other in new}},
        names={**asked.names, **{spoken(place): other.called for place, other in new}},
    )  # fmt: skip


def _meant(found: Question, asked: Asked, state: State, vectors: Vectors) -> Question:
    """The question with the line that it means; unchanged where none is likely enough."""
    found = replace(found, subject=asked.about, subjects=(asked.about,))
    asked = with_vectors(asked, state, vectors)
    among = beside_others(asked, vectors)
    likely = sorted(zip(weighed(among), among.places, strict=True), key=lambda each: -each[0])
    facts = (fact for chance, place in likely[:_SHOWN] if chance >= _LEAST for fact in place.facts)
    found = replace(found, nearest=tuple({fact.id: fact for fact in facts}.values()))
    chance, best = likely[0] if likely else (0.0, None)
    if best is None or chance < sure(asked) or best.other:
        return found
    if _told_elsewhere(found, asked.text, best, state):
        return found
    subject = name_key(best.subject)
    if names_stranger(asked) and subject not in asked.named:
        return found  # "Where does Zed live?": nobody knows Zed
    if best.holders:
        return replace(found, subject=None, attribute=best.attribute, holders=best.facts)
    if best.path and subject not in asked.named:
        found = replace(found, subject=best.start, via=best.path, led=best.led)
    else:
        found = replace(found, subject=subject)
    found = replace(found, subjects=(subject,), whole=best.whole, attribute=best.attribute or None)
    before = read_before(fold(asked.text))
    if before is None or found.as_of is not None or found.known_at is not None:
        return found
    return _earlier(found, before, state, asked.places)


def _told_elsewhere(found: Question, text: str, best: Place, state: State) -> bool:
    """Whether a memory that is no fact says most of a question's words, and the line none of them:
    "What happened to the boat at the harbour?" asks for no ``port``."""
    terms = query_terms(text)
    if found.known_at is not None or len(terms) < _FEW or any(alike(t, best.words) for t in terms):
        return False
    heard = {id_ for fact in best.told for id_ in sources(fact)}
    return any(
        len(terms_of(search_text(record)).intersection(terms)) >= max(_FEW, _MOST * len(terms))
        for record in state.search(found.words, found.as_of)
        if not record.is_fact and record.id not in heard
    )


def _along(found: Question, subject: str, via: Sequence[str], state: State) -> Question:
    """Follow the relations that the caller names."""
    subjects: tuple[str, ...] = (subject,)
    led: list[Record] = []
    for name in via:
        step = [one for who in subjects for one in state.facts(who, name)]
        led += step
        subjects = tuple(dict.fromkeys(name_key(str(one.value)) for one in step))
    found = replace(found, subject=subject, via=tuple(via), subjects=subjects, led=tuple(led))
    if found.attribute is None or any(state.facts(who, found.attribute) for who in subjects):
        return found
    there = places(state, (subject,), subject, (), "")
    near = (one for each in there if _is(each, found.attribute) for one in each.facts)
    return replace(found, nearest=tuple(near))


def _is(place: Place, attribute: str) -> bool:
    return name_key(place.attribute) == name_key(attribute)


def _earlier(found: Question, event: str, state: State, there: Sequence[Place]) -> Question:
    """The instant before what is asked for became what it is; where it has never changed, before
    an ``event``: the change of another line of the same subject that it names."""
    said = set(event.split())
    for subject in found.subjects:
        changed = {record.attribute for record in state.over(subject)}
        named = (place.attribute for place in there if name_key(place.subject) == subject
                 and said & set(place.attribute.split("_")))  # fmt: skip
        for name in (found.attribute, *named):
            begin = state.begins(subject, name) if name in changed and name else None
            if begin is not None:
                return replace(found, as_of=begin - _SECOND)
    return found
