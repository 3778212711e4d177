"""Read a question: find the line of the ledger that it means, and the instants it is about.

``text2mem.ir.times`` reads the times. The line is chosen among those that the ledger holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from text2mem.ir.ports import Embedder
from text2mem.ir.record import Record
from text2mem.ir.times.asked_times import MASK, Instants, masked, read_before, read_instants
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.words.folding import fold
from text2mem.ir.words.likeness import Vector, alike, dot
from text2mem.ir.words.mentions import speaks_of_self
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import index_terms, query_terms, search_text
from text2mem.ledger.holdings import by_attribute, sources
from text2mem.ledger.recall.exact import NEWEST, State
from text2mem.ledger.recall.places import SUBJECTS, Place, Way, places, subjects_named
from text2mem.ledger.recall.space import moved, others
from text2mem.ledger.recall.weighing import Asked, holding, is_own, names_stranger, spoken, weighed
from text2mem.planner.rank import terms_of
from text2mem.services.embedding.asking import name_vectors

_SECOND = timedelta(seconds=1)
_LONGEST = 1000
"""How many characters of a question are read."""
_SHOWN, _LEAST = 6, 0.02
"""The most lines that are shown if none is likely enough, and their least probability."""
_WIDE = 24
"""The most lines that a model is shown which decides among them."""
_ENOUGH, _ALIKE = 16, 0.5
"""From so many lines on no unheld one is added; from such a cosine on, its name is too similar."""
_FEW, _MOST = 2, 0.6
"""The least number, and the least share, of a question's words in a memory that answers it."""
_NEAREST = 24
"""How many lines, the nearest by their facts' vectors, are compared by their names', too."""


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """How a question was read."""

    words: str
    subject: str | None = None
    """The subject where the relations start; without any, the one that is asked about."""
    via: tuple[str, ...] = ()
    """The attributes (relations) to follow from it."""
    attribute: str | None = None
    """The one that is asked for; None if no line is likely enough, or for ``whole``."""
    as_of: datetime | None = None
    known_at: datetime | None = None
    others: tuple[datetime, ...] = ()
    """Further instants to look at if nothing holds at ``as_of``."""
    subjects: tuple[str, ...] = ()
    """The subjects that the relations lead to."""
    led: tuple[Record, ...] = ()
    """The facts of the relations."""
    holders: tuple[Record, ...] = ()
    """For a question that asks who has a value: the facts with that value."""
    whole: bool = False
    """Whether everything about the subject is asked for."""
    nearest: tuple[Record, ...] = ()
    """The facts of the likeliest lines, whether one of them is likely enough or not."""
    over: tuple[Record, ...] = ()
    """What held before on the likeliest of these lines, if more of them were asked for."""


@dataclass(slots=True)
class Vectors:
    """The vectors by which a question is weighed, under a lock, when the embedder must not be
    called. So names without one are ``wanted``, ``learn`` makes their vectors with no lock held,
    once, and the question is read again."""

    embedder: Embedder | None
    own: Vector | None = None
    """The vector of the question without times."""
    names: dict[str, Vector] = field(default_factory=dict)
    """The vectors of the lines' names (``weighing.spoken``)."""
    wanted: set[str] = field(default_factory=set)
    learnt: bool = False

    def learn(self) -> bool:
        """Make the wanted vectors. Return False if none is wanted, or if the embedder fails."""
        self.learnt = True
        names = sorted(self.wanted)
        self.wanted.clear()
        made = name_vectors(self.embedder, names) if names else None
        if made is None:
            return False
        self.names.update(zip(names, made, strict=True))
        return True


@dataclass(frozen=True, slots=True)
class Timed:
    """A question with its times."""

    words: str
    text: str
    """The question with its times masked."""
    times: Instants

    @classmethod
    def of(cls, words: str, clock: Clock, names: Iterable[str] = ()) -> Timed:
        """Read the times of a question, except in ``names``. Only its first ``_LONGEST`` characters
        count."""
        words = words[:_LONGEST]
        plain = fold(words)
        times = read_instants(plain, clock, names)
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
    wide: bool = False,
) -> ReadQuestion:
    """Read a question. What the caller names takes precedence over the words of the question. With
    ``wide``, more of the likeliest lines are the nearest."""
    words, times = asked.words, asked.times
    if as_of is not None or known_at is not None:
        times = Instants(as_of, known_at, times.spans)
    state = state.at(times.as_of, times.known_at)
    question = ReadQuestion(
        words, as_of=times.as_of, known_at=times.known_at, others=times.others,
        attribute=attribute,
    )  # fmt: skip
    if subject is not None and (attribute is not None or not words.strip()):
        return _along(question, subject, via, state)
    if not words.strip():
        return question
    possible = candidates(words, asked.text, subject, attribute, state)
    return _meant(question, possible, state, vectors, wide=wide)


def known_names(words: str, state: State) -> tuple[str, ...]:
    """The subjects whose names are in a question."""
    return subjects_named(words, words, state, state.ledger.view.recent_subjects(NEWEST))


def candidates(
    words: str, text: str, subject: str | None, attribute: str | None, state: State
) -> Asked:
    """The question with the lines (of ``subject`` and ``attribute``, if named) that it could mean.
    ``text`` is the question with its times masked."""
    newest = state.ledger.view.recent_subjects(NEWEST)  # one for each of the newest facts
    near = tuple(dict.fromkeys(newest))
    oneself = state.oneself()
    named = (subject,) if subject else subjects_named(words, text, state, (*near, oneself))
    is_small = len(newest) < NEWEST and len(near) <= SUBJECTS
    if not is_small:  # in a large store, instead of the newest subjects those that a search finds
        no_search = named or state.known_at is not None
        hits = () if no_search else state.search(words, state.as_of)
        subjects = (name_key(hit.subject) for hit in hits if hit.is_fact and hit.subject)
        near = tuple(dict.fromkeys(subjects))
    text = text.replace(MASK, " ")
    before = set(index_terms(read_before(fold(text)) or ""))  # Tom holds nothing "before Tom"
    possible = tuple(
        place for place in places(state, named, oneself, near, text)
        if not (place.holders and place.values <= before)
        and (attribute is None or _is(place, attribute))
        and (subject is None or subject in (name_key(place.subject), place.way.start))
    )  # fmt: skip
    return Asked(text, oneself, named, possible)


def with_vectors(asked: Asked, state: State, vectors: Vectors) -> Asked:
    """The question with the vectors by which it is weighed; unchanged without an embedder. Vectors
    of names are wanted only for the ``_NEAREST`` lines by the vectors of their facts."""
    own, embedder = vectors.own, vectors.embedder
    if own is None or embedder is None:
        return asked
    fact_ids = [fact.id for place in asked.places for fact in place.told]
    texts = state.ledger.view.vectors(fact_ids)
    nearest = sorted(asked.places, key=lambda place: -_nearness(place, own, texts))
    if not vectors.learnt:
        vectors.wanted |= {spoken(place) for place in nearest[:_NEAREST]} - vectors.names.keys()
    to = moved(own, embedder.model)
    return replace(asked, vector=own, texts=texts, names=vectors.names, moved=to)


def _nearness(place: Place, own: Vector, texts: Mapping[str, Vector]) -> float:
    """The cosine of the question and the nearest fact of a place; 1 for those that are no line."""
    if place.whole or place.holders:
        return 1.0
    return holding(own, texts, place) or 0.0


def beside_others(asked: Asked, vectors: Vectors) -> Asked:
    """The question with further lines of its subject that the ledger does not hold, if it could
    mean fewer than ``_ENOUGH``. A line whose name is similar to that of a held one is not added."""
    if vectors.embedder is None or not asked.texts or len(asked.places) >= _ENOUGH:
        return asked
    held = [asked.names[spoken(place)] for place in asked.places if spoken(place) in asked.names]
    new = [
        (Place(asked.about, other.name, (), Way(asked.about), other=True), other)
        for other in others(vectors.embedder.model)
        if max((dot(other.called, vector) for vector in held), default=0.0) < _ALIKE
    ]
    return replace(
        asked, places=(*asked.places, *(place for place, _ in new)),
        texts={**asked.texts, **{place.attribute: other.text for place, other in new}},
        names={**asked.names, **{spoken(place): other.called for place, other in new}},
    )  # fmt: skip


def _meant(
    question: ReadQuestion, asked: Asked, state: State, vectors: Vectors, *, wide: bool
) -> ReadQuestion:
    """The question with the line that it means, or with the nearest facts if none is likely."""
    asked = with_vectors(asked, state, vectors)
    among = beside_others(asked, vectors)
    likely = sorted(zip(weighed(among), among.places, strict=True), key=lambda pair: -pair[0])
    least, most = (0.0, _WIDE) if wide else (_LEAST, _SHOWN)
    shown = (place for probability, place in likely[:most] if probability >= least)
    facts = {fact.id: fact for place in shown for fact in place.facts}
    near, about = tuple(facts.values()), asked.about
    over = _over([place for _, place in likely[:_SHOWN]], state) if wide else ()
    question = replace(question, subject=about, subjects=(about,), nearest=near, over=over)
    if not likely or likely[0][0] < asked.network.sure:
        return question
    best = likely[0][1]
    subject = name_key(best.subject)
    if best.other or _answered_by_memory(question, asked.text, best, state):
        return question
    if names_stranger(asked) and subject not in asked.named:
        return question  # "Where does Zed live?", if Zed is not known
    way = best.way
    named = asked.named or way.start or is_own(asked, subject)
    if speaks_of_self(asked.text) and not (named or state.knows(asked.oneself)):
        return question  # "Where do I live?", if nothing is known of who asks
    if best.holders:
        return replace(question, subject=None, attribute=best.attribute, holders=best.facts)
    question = replace(
        question, subject=subject, subjects=(subject,), whole=best.whole,
        attribute=best.attribute or None,
    )  # fmt: skip
    if way.path and subject not in asked.named:
        question = replace(question, subject=way.start, via=way.path, led=way.led)
    before = read_before(fold(asked.text))
    if before is None or question.as_of is not None or question.known_at is not None:
        return question
    return _earlier(question, before, state, asked.places)


def _over(among: Sequence[Place], state: State) -> tuple[Record, ...]:
    """What held before on some lines, the latest first."""
    lines = (place for place in among if not (place.whole or place.holders or place.other))
    found = (
        fact
        for place in lines
        for fact in by_attribute(state.over(name_key(place.subject))).get(place.attribute, ())
        if fact.valid_to is not None and fact.begins < fact.valid_to
    )
    return tuple(sorted(found, key=lambda fact: fact.begins, reverse=True))[: _WIDE // 2]


def _answered_by_memory(question: ReadQuestion, text: str, best: Place, state: State) -> bool:
    """Whether a memory that is no fact has most of a question's words, and the best line has none:
    "What happened to the boat at the harbour?" does not ask for ``port``."""
    terms = query_terms(text)
    if question.known_at is not None or len(terms) < _FEW:
        return False
    if any(alike(term, best.words) for term in terms):
        return False
    stating = {id_ for fact in best.told for id_ in sources(fact)}
    return any(
        len(terms_of(search_text(record)).intersection(terms)) >= max(_FEW, _MOST * len(terms))
        for record in state.search(question.words, question.as_of)
        if not record.is_fact and record.id not in stating
    )


def _along(question: ReadQuestion, subject: str, via: Sequence[str], state: State) -> ReadQuestion:
    """The question of a caller who names a subject, after following the relations ``via`` from it.
    Where the attribute has no facts, those of it around the subject are the nearest."""
    subjects: tuple[str, ...] = (subject,)
    led: list[Record] = []
    for name in via:
        step = [fact for who in subjects for fact in state.facts(who, name)]
        led += step
        subjects = tuple(dict.fromkeys(name_key(str(fact.value)) for fact in step))
    question = replace(question, subject=subject, via=tuple(via), subjects=subjects, led=tuple(led))
    if question.attribute is None or any(state.facts(who, question.attribute) for who in subjects):
        return question
    around = places(state, (subject,), subject, (), "")
    near = (fact for place in around if _is(place, question.attribute) for fact in place.facts)
    return replace(question, nearest=tuple(near))


def _is(place: Place, attribute: str) -> bool:
    return name_key(place.attribute) == name_key(attribute)


def _earlier(
    question: ReadQuestion, event: str, state: State, around: Sequence[Place]
) -> ReadQuestion:
    """The question at the last instant at which another value held than the one that holds now; if
    there is none, before a change of another attribute of the subject whose name is in ``event``,
    the words for what happened; else unchanged."""
    event_words = set(event.split())
    for subject in question.subjects:
        past = by_attribute(state.over(subject))
        named = (place.attribute for place in around if name_key(place.subject) == subject
                 and event_words & set(place.attribute.split("_")))  # fmt: skip
        for name in (question.attribute, *named):
            begin = state.begins(subject, name) if name else None
            line = past.get(name or "", [])
            if line and begin is not None:
                ends = (
                    fact.valid_to for fact in line
                    if fact.valid_to and fact.begins < fact.valid_to <= begin
                )  # fmt: skip
                return replace(question, as_of=max(ends, default=begin) - _SECOND)
    return question
