"""What the memory adapter finds: visibility, filters, and lexical search.

The ranking is BM25 as SQLite's FTS5 computes it (sqlite.org/fts5.html, "The bm25() function"),
with its sign turned so that higher is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from text2mem.adapters.base import Scope
from text2mem.adapters.memory_state import same
from text2mem.adapters.refusals import no_embedder
from text2mem.ir.ops import ByFilter, BySearch, Range, RelativeRange
from text2mem.ir.record import Record
from text2mem.ir.rights import may_read
from text2mem.ir.segment import index_terms, query_terms
from text2mem.ir.temporal import relative_range

K1 = 1.2
B = 0.75
LEAST_IDF = 1e-6


# --- visibility ----------------------------------------------------------------------------


def existed(record: Record, scope: Scope) -> bool:
    """Whether a memory was valid at ``as_of`` and recorded at ``known_at``, where given."""
    if scope.known_at is not None and record.created_at > scope.known_at:
        return False
    if scope.as_of is None:
        return True
    if not record.is_fact:
        return record.created_at <= scope.as_of
    return (record.valid_from is None or record.valid_from <= scope.as_of) and (
        record.valid_to is None or scope.as_of < record.valid_to
    )


def by_id(record: Record, scope: Scope) -> bool:
    """Whether a memory named by its id may be seen: archived ones may, and those of any time."""
    return may_read(record, scope.context) and (scope.deleted or not record.deleted)


def by_search(
    record: Record, scope: Scope, *, archived: bool = False, deleted: bool = False
) -> bool:
    """Whether a memory that is not named may be seen; the flags add to those of the scope."""
    if not may_read(record, scope.context) or not existed(record, scope):
        return False
    if record.deleted and not (scope.deleted or deleted):
        return False
    if record.archived and not (scope.archived or archived):
        return False
    return scope.as_of is not None or scope.known_at is not None or not _is_history(record, scope)


def _is_history(record: Record, scope: Scope) -> bool:
    return record.is_fact and record.valid_to is not None and record.valid_to <= scope.now


# --- filters -------------------------------------------------------------------------------


def matches(record: Record, wanted: ByFilter, scope: Scope) -> bool:
    """Whether a memory meets every condition of a filter and may be seen."""
    has = [tag in record.tags for tag in wanted.has_tags]
    conditions = [
        not has or (any(has) if wanted.match == "any" else all(has)),
        not any(tag in record.tags for tag in wanted.not_tags),
        wanted.type is None or record.type == wanted.type,
        wanted.subject is None or record.subject == wanted.subject,
        wanted.location is None or record.location == wanted.location,
        wanted.topic is None or record.topic == wanted.topic,
        wanted.attribute is None or record.attribute == wanted.attribute,
        all(
            key in record.facets and same(record.facets[key], value)
            for key, value in wanted.facets.items()
        ),
        wanted.time_range is None or _within(record, wanted.time_range, scope),
        wanted.weight_gte is None or record.weight >= wanted.weight_gte,
        wanted.weight_lte is None or record.weight <= wanted.weight_lte,
        wanted.expire_before is None
        or (record.expire_at is not None and record.expire_at < wanted.expire_before),
        wanted.expire_after is None
        or (record.expire_at is not None and record.expire_at > wanted.expire_after),
        by_search(
            record,
            scope,
            archived="archived" in wanted.include,
            deleted="deleted" in wanted.include,
        ),
    ]
    return all(conditions)


def _within(record: Record, span: Range, scope: Scope) -> bool:
    if isinstance(span, RelativeRange):
        resolved = relative_range(
            span.direction, span.amount, span.unit, now=scope.now, tz=scope.context.tz
        )
        return resolved.start <= record.when <= resolved.end
    return (span.start is None or span.start <= record.when) and (
        span.end is None or record.when <= span.end
    )


def newest_first(records: Sequence[Record]) -> list[Record]:
    """By time descending, then by id ascending."""
    return sorted(records, key=lambda record: (-record.when.timestamp(), int(record.id)))


# --- search --------------------------------------------------------------------------------


def document(record: Record) -> list[str]:
    """The terms by which a memory is found, repeats kept. Anonymised memories have none."""
    if not is_indexed(record):
        return []
    named = (record.type, record.subject, record.location, record.topic, record.source)
    words = (record.text, *(part for part in named if part is not None), *record.tags)
    return index_terms(" ".join(words))


def is_indexed(record: Record) -> bool:
    """Whether a memory is in the search index; only anonymising leaves an empty payload."""
    return bool(record.payload)


def search(
    records: Sequence[Record], wanted: BySearch, scope: Scope
) -> tuple[list[Record], dict[str, float]]:
    """The hits of a search in its order, before any limit, and their scores by id.

    ``records`` are all of the tenant's memories: they make the statistics.
    """
    if wanted.query is None:
        raise no_embedder()
    terms = query_terms(wanted.query)
    documents = {record.id: document(record) for record in records if is_indexed(record)}
    hits = []
    for record in records:
        found = set(terms) & set(documents.get(record.id, []))
        enough = 2 * len(found) >= len(terms) if scope.floor else True
        if found and enough and by_search(record, scope):
            hits.append(record)
    scores = {
        record.id: bm25(terms, documents[record.id], list(documents.values())) for record in hits
    }
    if wanted.order_by == "time":
        return newest_first(hits), scores
    if wanted.order_by == "weight":
        return sorted(hits, key=lambda record: (-record.weight, int(record.id))), scores
    # Rounded, so that sums taken in another order do not decide between equals.
    return sorted(hits, key=lambda hit: (-round(scores[hit.id], 9), int(hit.id))), scores


def bm25(
    terms: Sequence[str], terms_of: Sequence[str], documents: Sequence[Sequence[str]]
) -> float:
    """The score of one document (``terms_of``) among ``documents`` for the distinct ``terms``."""
    average = sum(len(each) for each in documents) / len(documents)
    score = 0.0
    for term in terms:
        holding = sum(term in each for each in documents)
        idf = log((len(documents) - holding + 0.5) / (holding + 0.5))
        frequency = terms_of.count(term)
        length = 1 - B + B * len(terms_of) / average
        score += (idf if idf > 0 else LEAST_IDF) * frequency * (K1 + 1) / (frequency + K1 * length)
    return score
