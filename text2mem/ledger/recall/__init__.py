"""The read path: answer a question by exact state, cited lines, and a text if one is asked for.

Words and vectors say which line of the ledger a question means. The state of that line at the
question's instants answers it. If no line is likely enough, the nearest lines and a search follow
(docs/recall.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from text2mem.errors import ConfigurationError
from text2mem.ir.arguments import as_count, as_words
from text2mem.ir.record import Record
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.values import canonical
from text2mem.ir.words.naming import name_key
from text2mem.ledger.episode import FIRST, LAST
from text2mem.ledger.holdings import sources
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.recall.answer import Deciding, answered
from text2mem.ledger.recall.exact import State, look
from text2mem.ledger.recall.question import ReadQuestion, Timed, Vectors, known_names, read_question
from text2mem.ledger.recall.recalled import Answer, Recalled, fact_line, memory_line, within
from text2mem.ledger.recall.searching import searched
from text2mem.ledger.words import day_of
from text2mem.providers.base import Provider

__all__ = ["Answer", "Recalled", "recall"]

BUDGET = 600
_FIRST = 8
"""How many of the nearest facts come before what a search finds."""


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
    - ``answer``: a model that answers from the context alone. With True, code answers. An able
      model is shown the lines nearest to the question, too, and decides which of them it means,
      unless the caller names the attribute.

    Nothing is written. Raise ConfigurationError if nothing is asked for, if an argument has the
    wrong type, or if an instant has no time zone.
    """
    is_single = isinstance(attribute, str) or not isinstance(attribute, Iterable | None)
    path = [as_words("attribute", attribute)] if is_single else list(attribute or ())
    _check(question, subject, path, as_of, known_at, budget)
    ledger = ledger.still()
    clock = Clock(ledger.now(), ledger.context.tz)
    timed = Timed.of(question or "", clock)
    if timed.times.spans:
        words = timed.words
        timed = Timed.of(words, clock, look(ledger, lambda state: known_names(words, state)))
    text = " ".join(timed.rest.split())
    own = ledger.prepared.ready(text) if text and ledger.prepared.embedder else None
    vectors = Vectors(ledger.prepared.embedder, own)
    reader = None if isinstance(answer, bool) else answer
    decides = reader is not None and reader.profile.sees_store and bool(question) and not path
    ledger.prepare_search(timed.words)  # while no lock is held

    def read(state: State) -> tuple[Recalled, Mapping[str, Record]] | None:
        reading = read_question(
            timed, state, vectors, subject=None if subject is None else name_key(subject),
            attribute=path[-1] if path else None, via=tuple(path[:-1]), as_of=as_of,
            known_at=known_at, wide=decides,
        )  # fmt: skip
        return None if vectors.wanted else _recalled(question, reading, state, budget, wide=decides)

    while (found := look(ledger, read)) is None:
        vectors.learn()  # with no lock held; then the question is read again
    recalled, shown = found
    if answer is None or answer is False:
        return recalled
    if not decides:
        return answered(recalled, reader)
    who = look(ledger, State.oneself).replace("_", " ")
    asked = f"{who} on {day_of(ledger.now(), ledger.context.tz)}"
    return answered(recalled, reader, Deciding(asked, shown))


def _recalled(
    question: str | None, reading: ReadQuestion, state: State, budget: int, *, wide: bool
) -> tuple[Recalled, Mapping[str, Record]]:
    """The recall of a question, at the first of its instants at which a fact answers it, and the
    facts of its lines by id. With ``wide``, what is nearest is shown beside that fact."""
    others = reading.others if reading.attribute is not None else ()
    first, *more = (state.at(instant, reading.known_at) for instant in (reading.as_of, *others))
    for state in (first, *more):
        if facts := _answers(reading, state):
            break
    else:
        state = first
    near = reading.nearest if wide or not facts else ()
    hits = searched(reading, state) if question and (wide or not facts) else ()
    shown = _once((*reading.led, *facts, *near[:_FIRST]))
    further = _once((*reading.over, *near[_FIRST:]))
    cited = (*shown, *further, *(record for record, _ in hits if record.is_fact))
    episodes = state.find(id_ for fact in cited for id_ in sources(fact))
    now, tz = state.ledger.now(), state.ledger.context.tz
    lines = [fact_line(fact, episodes, tz, now) for fact in shown]
    lines += [
        fact_line(record, episodes, tz, now) if record.is_fact else memory_line(record, tz, old=old)
        for record, old in hits
    ]
    lines += [fact_line(fact, episodes, tz, now) for fact in further]
    values = tuple({canonical(fact.value): fact.value for fact in facts}.values())
    if reading.holders:
        values = tuple(dict.fromkeys(fact.subject for fact in facts))
    kept, spent = within(lines, budget)
    recalled = Recalled(
        question=question or None, subject=reading.subject, attribute=reading.attribute,
        via=reading.via, as_of=state.as_of, known_at=reading.known_at, facts=facts, values=values,
        lines=kept, tokens=spent,
        found="exact" if facts else "related" if near else "search" if hits else "nothing",
    )  # fmt: skip
    return recalled, {fact.id: fact for fact in cited}


def _answers(reading: ReadQuestion, state: State) -> tuple[Record, ...]:
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
