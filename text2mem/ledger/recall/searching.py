"""Search memories for a question that exact state does not answer.

Superseded values are never returned as current: facts must hold at the question's instants, and an
episode whose facts hold no longer is left out or marked as old.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from text2mem.ir.record import Record
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import query_terms, search_text
from text2mem.ledger.about import WITHHELD
from text2mem.ledger.episode import EPISODE
from text2mem.ledger.holdings import state_of
from text2mem.ledger.recall.exact import State
from text2mem.ledger.recall.question import Question
from text2mem.planner.rank import terms_of

_KEPT = 6
"""The most memories that are returned."""


def searched(question: Question, state: State) -> list[tuple[Record, bool]]:
    """The memories that a search finds for the words of a question, each with whether it is old
    (whether what it states holds no longer); the best first, old ones last.

    These are left out: facts about another subject or attribute than the question's, memories with
    less than half of its words, turns of an assistant, and turns that state what the policy denies.
    """
    terms = set(query_terms(question.words))
    if not terms or question.known_at is not None:
        return []  # a search knows only the present store
    ledger = state.ledger
    found = [
        record for record in state.search(question.words, question.as_of)
        if _fits(record, question, terms)
    ]  # fmt: skip
    facts_of = ledger.heard_in([record.id for record in found if record.type == EPISODE])
    hits = [(hit, _is_old(facts_of.get(hit.id, ()), question, ledger.now())) for hit in found]
    # An old episode that states a pending fact is left out: no question finds pending facts.
    pending = {id_ for id_, facts in facts_of.items() if any(fact.pending for fact in facts)}
    fresh = [(hit, old) for hit, old in hits if not old]
    stale = [(hit, old) for hit, old in hits if old and hit.id not in pending]
    return [*fresh, *(stale if question.attribute is None else ())][:_KEPT]


def _fits(record: Record, question: Question, terms: set[str]) -> bool:
    """Whether a memory that a search has found may be returned. ``terms`` are the question's."""
    if record.is_fact:
        subjects = {question.subject, *question.subjects}
        if question.subject is not None and name_key(record.subject or "") not in subjects:
            return False
        asked = question.attribute
        return asked is None or name_key(record.attribute or "") == name_key(asked)
    if record.facets.get("role") == "assistant" or record.facets.get(WITHHELD):
        return False
    return 2 * len(terms & terms_of(search_text(record))) >= len(terms)


def _is_old(facts: Sequence[Record], question: Question, now: datetime) -> bool:
    """Whether an episode has facts, and none of them holds at the question's instant.

    For a question that is not about the past, a fact that has yet to begin counts as holding. If
    the episode has facts of the attribute that is asked for, only these count.
    """
    if question.attribute is not None:
        name = name_key(question.attribute)
        facts = [fact for fact in facts if name_key(fact.attribute or "") == name] or facts
    at = question.as_of or now
    holding = ("current", "ahead") if at >= now else ("current",)
    return bool(facts) and all(state_of(fact, at) not in holding for fact in facts)
