"""Where exact state does not answer: what a search finds.

Nothing that has been superseded comes in as current: a fact is one that holds at the question's
instants, and an episode whose facts hold no longer is left out or marked as old.
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


def searched(question: Question, state: State) -> list[tuple[Record, bool]]:
    """Memories that a search finds for the words of a question, the best first, old ones last,
    each with whether it is old: what it says holds no longer.

    A fact about somebody else than the one who is asked about is no hit, nor is a memory that
    holds less than half of the question's words, nor what an assistant said, nor a turn with
    something that the policy denies.
    """
    terms = set(query_terms(question.words))
    if not terms or question.known_at is not None:
        return []  # a search knows the store as it is now
    ledger = state.ledger
    found = [
        record for record in state.search(question.words, question.as_of)
        if _bears(record, question, terms)
    ]  # fmt: skip
    heard = ledger.heard_in([one.id for one in found if one.type == EPISODE])
    hits = [(one, _is_old(heard.get(one.id, ()), question, ledger.now())) for one in found]
    # What waits for a yes is found by no question.
    waits = {id_ for id_, facts in heard.items() if any(fact.pending for fact in facts)}
    fresh = [(one, old) for one, old in hits if not old]
    stale = [(one, old) for one, old in hits if old and one.id not in waits]
    return [*fresh, *(stale if question.attribute is None else ())][:_KEPT]


def _bears(record: Record, question: Question, terms: set[str]) -> bool:
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
    """Whether none of the facts of an episode holds at the question's instant; for a question that
    is not about the past, one that is yet to begin counts as well. Where the episode has facts of
    the attribute that is asked for, only these count.
    """
    if question.attribute is not None:
        name = name_key(question.attribute)
        facts = [one for one in facts if name_key(one.attribute or "") == name] or facts
    at = question.as_of or now
    so = ("current", "ahead") if at >= now else ("current",)
    return bool(facts) and all(state_of(one, at) not in so for one in facts)
