"""Hybrid search in the plain store: words by BM25, vectors by brute force, fused.

The ranking by words is BM25 as SQLite's FTS5 computes it (sqlite.org/fts5.html, "The bm25()
function"), with its sign turned so that higher is better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from text2mem.adapters.base import Scope, Vector
from text2mem.adapters.ranking import DEFAULT_ALPHA, boost, fuse, near, ordered, pool, question
from text2mem.adapters.refusals import no_embedder
from text2mem.ir.ops import BySearch
from text2mem.ir.record import Record
from text2mem.ir.words.segment import index_terms, query_terms, search_text
from text2mem_bench.oracle.sight import newest_first, shown
from text2mem_bench.oracle.state import State
from text2mem_bench.oracle.vectors import check_dimension, check_model, cosine

K1 = 1.2
B = 0.75
LEAST_IDF = 1e-6


def search(
    state: State, wanted: BySearch, scope: Scope, limit: int | None
) -> tuple[list[Record], dict[str, float], int]:
    """The hits of a search in its order, their scores by id, and how many matched.

    The hits are those that take part in a search for ``limit`` rows.
    """
    rows = [shown(record, state, scope) for record in state.in_order()]
    tags = set(scope.tags)
    seen = {row.id: row for row in rows if row is not None and tags <= {*row.tags}}
    most = None if limit is None or wanted.order_by != "relevance" else pool(limit)
    asked = _vector(state, wanted, scope)
    words = _by_words(state, wanted.query or "", seen, floor=scope.floor)
    if asked is None:
        matched = set(words)
        scores = {id_: words[id_] for id_ in ordered(words)[:most]}
    else:
        vector, threshold, alpha = asked
        similarities = {
            id_: cosine(vector, state.vectors[id_]) for id_ in seen if id_ in state.vectors
        }
        by_words = ordered(words) if alpha < 1 else []
        by_vectors = near(similarities, threshold)[:most]
        matched = {*by_words, *by_vectors}
        scores = fuse(by_words[:most], by_vectors, alpha)
    for id_ in scores:
        scores[id_] *= boost(seen[id_].weight, seen[id_].when, scope.now)
    hits = [seen[id_] for id_ in ordered(scores)]
    if wanted.order_by == "time":
        hits = newest_first(hits)
    elif wanted.order_by == "weight":
        hits = sorted(hits, key=lambda record: (-record.weight, int(record.id)))
    return hits, scores, len(matched)


# --- vectors -------------------------------------------------------------------------------


def _vector(state: State, wanted: BySearch, scope: Scope) -> tuple[Vector, float, float] | None:
    """The vector that is searched for, the threshold and the share of the vectors.

    None where words alone decide. Raises ExecutionError "no-embedder" or "vector-dimension", and
    ConfigurationError for an embedder of another model than the store's.
    """
    held = state.held
    own = None if scope.services is None else scope.services.embedding
    alpha = 1.0 if wanted.vector is not None else wanted.alpha
    alpha = DEFAULT_ALPHA if alpha is None else alpha
    if held is None:
        if wanted.vector is not None:
            raise no_embedder()
        return None
    if own is not None:
        check_model(state, own)
    vector: Vector | None = wanted.vector
    if vector is None and scope.services is not None and own is not None and alpha > 0:
        vector = scope.services.query_vector(question(wanted.query or "", wanted.context))
    if vector is None:
        return None
    check_dimension(state, vector)
    return vector, (own or held).threshold, alpha


# --- words ---------------------------------------------------------------------------------


def _by_words(
    state: State, query: str, seen: Mapping[str, Record], *, floor: bool
) -> dict[str, float]:
    """The BM25 scores of the memories in sight that are hits by words.

    All of the tenant's memories make the statistics.
    """
    terms = query_terms(query)
    documents = {record.id: document(record) for record in state.in_order() if is_indexed(record)}
    scores: dict[str, float] = {}
    for id_ in seen:
        found = set(terms) & set(documents.get(id_, []))
        if found and (not floor or 2 * len(found) >= len(terms)):
            scores[id_] = bm25(terms, documents[id_], list(documents.values()))
    return scores


def document(record: Record) -> list[str]:
    """The terms by which a memory is found, repeats kept."""
    return index_terms(search_text(record))


def is_indexed(record: Record) -> bool:
    """Whether a memory is in the search index; only anonymising leaves an empty payload."""
    return bool(record.payload)


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
