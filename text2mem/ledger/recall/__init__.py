"""The read path: a question → exact state, cited lines, and an answer where one is asked for.

``recall`` is the way in. Which line of the ledger a question means is weighed by words and vectors;
the exact state of that line at the question's instants answers it; where no line is meant surely,
relations and search come after (docs/recall.md).
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
    """What is so, or was at an instant, as the smallest cited context of ``budget`` tokens.

    What is named wins over what the question says. Of several attributes all but the last are
    relations to go along. ``answer`` is a model that answers from the context alone; True has
    code answer. Nothing is written. Raises ConfigurationError where nothing is asked for, or an
    instant has no zone.
    """
    one = isinstance(attribute, str) or not isinstance(attribute, Iterable | None)
    path = [as_words("attribute", attribute)] if one else list(attribute or ())
    _check(question, subject, path, as_of, known_at, budget)
    ledger = ledger.still()
    timed = Timed.of(question or "", Clock(ledger.now(), ledger.context.tz))
    vectors = _vectors(ledger, timed)

    def read(state: State) -> _Look:
        said = read_question(
            timed, state, vectors, subject=None if subject is None else name_key(subject),
            attribute=path[-1] if path else None, via=tuple(path[:-1]), as_of=as_of,
            known_at=known_at,
        )  # fmt: skip
        return _looked(question, said, state)

    seen = look(ledger, read)
    if vectors.learn():  # outside of what the look locks
        seen = look(ledger, read)
    facts, near = seen.found.facts, seen.near
    now, tz = ledger.now(), ledger.context.tz
    shown = (*_once((*seen.said.led, *facts)), *near)
    lines = [fact_line(one, seen.episodes, tz, now) for one in shown]
    how: Found = "exact" if facts else "related" if near else "nothing"
    if question and not facts:
        hits = searched(seen.said, seen.state)
        lines += _hit_lines(hits, seen.episodes, ledger)
        how = "search" if hits and not near else how
    kept, spent = within(lines, budget)
    recalled = replace(seen.found, lines=kept, tokens=spent, found=how)
    if answer is None or answer is False:
        return recalled
    return answered(recalled, None if answer is True else answer)


@dataclass(frozen=True, slots=True)
class _Look:
    """What one transaction showed: how the question was read, and what answers it.

    ``near`` are facts that may be meant where none answers exactly, ``episodes`` by id what all of
    these were heard in. ``state`` is at the instants of what was found.
    """

    found: Recalled
    said: Question
    near: tuple[Record, ...]
    episodes: dict[str, Record]
    state: State


def _looked(question: str | None, said: Question, state: State) -> _Look:
    state = state.at(said.as_of, said.known_at)
    facts = _answers(said, state)
    for other in said.others if said.attribute is not None and not facts else ():
        elsewhere = state.at(other, said.known_at)
        facts = _answers(said, elsewhere)
        if facts:
            state = elsewhere
            break
    near = said.nearest if not facts else ()
    episodes = state.find(id_ for one in (*said.led, *facts, *near) for id_ in sources(one))
    values = tuple({canonical(one.value): one.value for one in facts}.values())
    if said.holders:
        values = tuple(dict.fromkeys(one.subject for one in facts))
    found = Recalled(
        question=question or None, subject=said.subject, attribute=said.attribute,
        via=said.via, as_of=state.as_of, known_at=said.known_at, facts=facts, values=values,
    )  # fmt: skip
    return _Look(found, said, near, episodes, state)


def _vectors(ledger: Ledger, timed: Timed) -> Vectors:
    """The vectors for weighing a question: that of its words without times, where an embedder makes
    it. The one for its search is prepared as well, because no lock is held yet."""
    text = " ".join(timed.rest.split())
    own = ledger.prepared.ready(text) if text and ledger.prepared.embedder else None
    ledger.prepare_search(timed.words)
    return Vectors(ledger.prepared.embedder, own)


def _answers(said: Question, state: State) -> tuple[Record, ...]:
    """The facts that answer a question exactly."""
    if said.holders:
        return said.holders
    if said.attribute is not None:
        if not said.words and said.subject is None:
            return state.facts(None, said.attribute)
        return _once(one for who in said.subjects for one in state.facts(who, said.attribute))
    if said.whole or not said.words:
        return _once(one for who in said.subjects for one in state.facts(who))
    return ()


def _once(records: Iterable[Record]) -> tuple[Record, ...]:
    return tuple({record.id: record for record in records}.values())


def _hit_lines(
    hits: Sequence[tuple[Record, bool]], episodes: dict[str, Record], ledger: Ledger
) -> list[Line]:
    now, tz = ledger.now(), ledger.context.tz
    ids = [id_ for record, _ in hits if record.is_fact for id_ in sources(record)]
    heard = {**episodes, **ledger.find(ids)}
    return [
        fact_line(record, heard, tz, now) if record.is_fact else memory_line(record, tz, old=old)
        for record, old in hits
    ]


def _check(
    question: str | None, subject: str | None, path: Sequence[str], as_of: datetime | None,
    known_at: datetime | None, budget: int,
) -> None:  # fmt: skip
    named = (("question", question), ("subject", subject), *(("attribute", each) for each in path))
    for name, words in named:
        if words is not None:
            as_words(name, words)
    as_count("budget", budget)
    if not (question or "").strip() and subject is None and not path:
        raise ConfigurationError(
            "nothing is asked for", hint="give a question, or a subject and an attribute"
        )
    for name, instant in (("as_of", as_of), ("known_at", known_at)):
        if instant is not None and not isinstance(instant, datetime):
            raise ConfigurationError(f"{name} is no datetime: {instant!r}")
        if instant is not None and instant.tzinfo is None:
            raise ConfigurationError(f"{name} has no time zone", hint="give an aware datetime")
        if instant is not None and not FIRST <= instant.year <= LAST:
            raise ConfigurationError(
                f"{name} is in the year {instant.year}", hint=f"give one of {FIRST} to {LAST}"
            )
