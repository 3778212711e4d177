"""The read path: answer a question by exact state, cited lines, and a text if one is asked for.

Words and vectors say which line of the ledger a question means. The state of that line at the
question's instants answers it. If no line is likely enough, the nearest lines and a search follow
(docs/recall.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from text2mem.errors import ConfigurationError
from text2mem.ir.record import Record, as_count, as_words
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.values import canonical
from text2mem.ir.words.naming import name_key
from text2mem.ledger.episode import FIRST, LAST
from text2mem.ledger.holdings import sources
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.recall.answer import answered
from text2mem.ledger.recall.context import fact_line, memory_line, within
from text2mem.ledger.recall.exact import State, look
from text2mem.ledger.recall.question import Question, Timed, Vectors, read_question
from text2mem.ledger.recall.recalled import Answer, Found, Line, Recalled
from text2mem.ledger.recall.searching import searched
from text2mem.providers.base import Provider

__all__ = ["Answer", "Recalled", "recall"]

BUDGET = 600


def recall(
    ledger: Ledger,
    question: str | None = None,
    *,
    subject: str | None = None,
    attribute: str | Sequence[str] | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    budget: int = BUDGET,
    answer: Provider | bool | None = None,
) -> Recalled:
    """What holds now, or held at an instant, as the smallest cited context.

    - ``subject``, ``attribute``, ``as_of``, ``known_at``: they take precedence over the words of
      the question. If several attributes are given, all but the last are relations to follow.
    - ``budget``: the most tokens of the context.
    - ``answer``: a model that answers from the context alone. With True, code answers.

    Nothing is written. Raise ConfigurationError if nothing is asked for, if an argument has the
    wrong type, or if an instant has no time zone.
    """
    is_single = isinstance(attribute, str) or not isinstance(attribute, Iterable | None)
    path = [as_words("attribute", attribute)] if is_single else list(attribute or ())
    _check(question, subject, path, as_of, known_at, budget)
    ledger = ledger.still()
    timed = Timed.of(question or "", Clock(ledger.now(), ledger.context.tz))
    vectors = _vectors(ledger, timed)

    def read(state: State) -> _Look:
        reading = read_question(
            timed, state, vectors, subject=None if subject is None else name_key(subject),
            attribute=path[-1] if path else None, via=tuple(path[:-1]), as_of=as_of,
            known_at=known_at,
        )  # fmt: skip
        return _looked(question, reading, state)

    result = look(ledger, read)
    if vectors.learn():  # makes vectors with no lock held; then the question is read again
        result = look(ledger, read)
    facts, near = result.found.facts, result.near
    now, tz = ledger.now(), ledger.context.tz
    shown = (*_once((*result.reading.led, *facts)), *near)
    lines = [fact_line(fact, result.episodes, tz, now) for fact in shown]
    how: Found = "exact" if facts else "related" if near else "nothing"
    if question and not facts:
        hits = searched(result.reading, result.state)
        lines += _hit_lines(hits, result.episodes, ledger)
        how = "search" if hits and not near else how
    kept, spent = within(lines, budget)
    recalled = replace(result.found, lines=kept, tokens=spent, found=how)
    if answer is None or answer is False:
        return recalled
    return answered(recalled, None if answer is True else answer)


@dataclass(frozen=True, slots=True)
class _Look:
    """The result of reading the store in one transaction."""

    found: Recalled
    """The recall, still without lines."""
    reading: Question
    near: tuple[Record, ...]
    """Facts of the likeliest lines, if none answers exactly."""
    episodes: dict[str, Record]
    """The episodes that state all these facts, by id."""
    state: State
    """The state at the instants at which facts were found."""


def _looked(question: str | None, reading: Question, state: State) -> _Look:
    """Find the facts that answer a question, at the first of its instants at which one holds."""
    others = reading.others if reading.attribute is not None else ()
    first, *more = (state.at(instant, reading.known_at) for instant in (reading.as_of, *others))
    for state in (first, *more):
        if facts := _answers(reading, state):
            break
    else:
        state = first
    near = () if facts else reading.nearest
    episodes = state.find(id_ for fact in (*reading.led, *facts, *near) for id_ in sources(fact))
    values = tuple({canonical(fact.value): fact.value for fact in facts}.values())
    if reading.holders:
        values = tuple(dict.fromkeys(fact.subject for fact in facts))
    found = Recalled(
        question=question or None, subject=reading.subject, attribute=reading.attribute,
        via=reading.via, as_of=state.as_of, known_at=reading.known_at, facts=facts, values=values,
    )  # fmt: skip
    return _Look(found, reading, near, episodes, state)


def _vectors(ledger: Ledger, timed: Timed) -> Vectors:
    """The vectors for weighing a question: so far that of its words without times, if there is an
    embedder. That for its search is prepared, too, since no lock is held yet."""
    text = " ".join(timed.rest.split())
    own = ledger.prepared.ready(text) if text and ledger.prepared.embedder else None
    ledger.prepare_search(timed.words)
    return Vectors(ledger.prepared.embedder, own)


def _answers(reading: Question, state: State) -> tuple[Record, ...]:
    """The facts that answer a question exactly."""
    if reading.holders:
        return reading.holders
    if reading.attribute is None and reading.words and not reading.whole:
        return ()
    of_all = reading.attribute is not None and not reading.words and reading.subject is None
    subjects = (None,) if of_all else reading.subjects
    return _once(fact for who in subjects for fact in state.facts(who, reading.attribute))


def _once(records: Iterable[Record]) -> tuple[Record, ...]:
    return tuple({record.id: record for record in records}.values())


def _hit_lines(
    hits: Sequence[tuple[Record, bool]], episodes: dict[str, Record], ledger: Ledger
) -> list[Line]:
    """The lines of what a search has found: records, each with whether it is old."""
    now, tz = ledger.now(), ledger.context.tz
    ids = [id_ for record, _ in hits if record.is_fact for id_ in sources(record)]
    found = {**episodes, **ledger.find(ids)}
    return [
        fact_line(record, found, tz, now) if record.is_fact else memory_line(record, tz, old=old)
        for record, old in hits
    ]


def _check(
    question: str | None, subject: str | None, path: Sequence[str], as_of: datetime | None,
    known_at: datetime | None, budget: int,
) -> None:  # fmt: skip
    """Raise ConfigurationError for the first argument of ``recall`` that is not valid."""
    named = (("question", question), ("subject", subject), *(("attribute", name) for name in path))
    for name, words in named:
        if words is not None:
            as_words(name, words)
    as_count("budget", budget)
    if not (question or "").strip() and subject is None and not path:
        raise ConfigurationError(
            "nothing is asked for", hint="give a question, or a subject and an attribute"
        )
    for name, instant in (("as_of", as_of), ("known_at", known_at)):
        if instant is None:
            continue
        if not isinstance(instant, datetime):
            raise ConfigurationError(f"{name} is no datetime: {instant!r}")
        if instant.tzinfo is None:
            raise ConfigurationError(f"{name} has no time zone", hint="give an aware datetime")
        if not FIRST <= instant.year <= LAST:
            raise ConfigurationError(
                f"{name} is in the year {instant.year}", hint=f"give one of {FIRST} to {LAST}"
            )
