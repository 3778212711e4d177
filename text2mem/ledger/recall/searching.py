"""Search memories for a question that exact state does not answer.

No superseded value is returned as current: facts must hold at the question's instants, and an
episode whose facts hold no longer is left out or marked as old.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from text2mem.ir.journal import WITHHELD
from text2mem.ir.record import Record
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import query_terms, search_text
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.holdings import state_of
from text2mem.ledger.recall.exact import State
from text2mem.ledger.recall.question import ReadQuestion
from text2mem.planner.rank import terms_of

_KEPT = 6
"""The most memories that are returned."""


def searched(question: ReadQuestion, state: State) -> list[tuple[Record, bool]]:
    """The memories that a search finds for the words of a question, each with whether it is old
    (what it states holds no longer); the best first, old ones last.

    Left out are facts about another subject or attribute than the question's, memories with less
    than half of its words, turns of an assistant, and turns that state what the policy denies.
    """
    terms = set(query_terms(question.words))
    if not terms or question.known_at is not None:
        return []  # a search knows only the present store
    hits = state.search(question.words, question.as_of)
    found = [record for record in hits if _fits(record, question, terms)]
    facts_of = state.ledger.heard_in([record.id for record in found if record.type == EPISODE])
    now, fresh, old = state.ledger.now(), [], []
    for record in found:
        facts = facts_of.get(record.id, ())
        if not _is_old(facts, question, now):
            fresh.append((record, False))
        elif question.attribute is None and not any(fact.pending for fact in facts):
            old.append((record, True))  # no question finds what a pending fact says
    return [*fresh, *old][:_KEPT]


def _fits(record: Record, question: ReadQuestion, terms: set[str]) -> bool:
    """Whether a memory that a search has found may be returned for a question of these terms."""
    if record.is_fact:
        subject, attribute = record.line
        if question.subject is not None and subject not in {question.subject, *question.subjects}:
            return False
        return question.attribute is None or attribute == name_key(question.attribute)
    if record.facets.get("role") == "assistant" or record.facets.get(WITHHELD):
        return False
    return 2 * len(terms & terms_of(search_text(record))) >= len(terms)


def _is_old(facts: Sequence[Record], question: ReadQuestion, now: datetime) -> bool:
    """Whether an episode has facts, and none of them holds at the question's instant."""
    if question.attribute is not None:  # the facts of this attribute count, if there are any
        name = name_key(question.attribute)
        facts = [fact for fact in facts if fact.line[1] == name] or facts
    at = question.as_of or now
    holding = ("current", "ahead") if at >= now else ("current",)
    return bool(facts) and all(state_of(fact, at) not in holding for fact in facts)
