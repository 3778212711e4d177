"""Statements: a model reads the facts of a turn, and code checks them (docs/statements.md)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from text2mem.errors import ContextOverflow, ModelOutputError
from text2mem.ir.ports import Embedder
from text2mem.ledger.candidate import Reading
from text2mem.ledger.episode import Episode
from text2mem.ledger.known import Known
from text2mem.ledger.statements.asking import Said, nearest, offered, question, shown
from text2mem.ledger.statements.candidates import check
from text2mem.ledger.statements.contract import (
    BEGUN,
    Statement,
    read_statements,
    statements_grammar,
)
from text2mem.ledger.statements.doubt import again, doubts_nothing, weighed
from text2mem.providers.base import Completion, Provider, Request, Sampling
from text2mem.services.embedding.asking import name_vectors, vectors_of

_TOKENS = 400
"""The most tokens of an answer."""


def read(
    episode: Episode, known: Known, provider: Provider, *, embedder: Embedder | None = None
) -> Reading:
    """Let a model read a turn: its candidates, and counts of questions and tokens.

    A model that is not sure that the turn states nothing is asked again for an answer that states
    something. An answer that breaks the contract is counted as ``invalid`` and yields nothing.
    Raise ServiceError if the provider is down.
    """
    said = shown(episode, known)
    if "statements" in provider.profile.adapters:
        said = _offered(said, embedder)
    request = question(said, provider.profile, Sampling(max_tokens=_TOKENS))
    counts = {"asked": 0, "prompt": 0, "output": 0, "cached": 0, "invalid": 0}
    first = _asked(request, provider, counts)
    if first is None:
        return Reading(nothing="unread", counts=counts)
    answer, statements = first
    statements = weighed(statements, answer)
    if doubts_nothing(statements, answer) and request.grammar is not None:
        begun = replace(request, grammar=statements_grammar(begun=True), begin=BEGUN)
        second = _asked(begun, provider, counts)
        statements = () if second is None else again(second[1], second[0])
    candidates, counts["unsaid"] = check(statements, said, episode, known, embedder)
    nothing = None if candidates else "nothing stated"
    return Reading(candidates=candidates, nothing=nothing, counts=counts)


def _asked(
    request: Request, provider: Provider, counts: dict[str, int]
) -> tuple[Completion, tuple[Statement, ...]] | None:
    """Ask the model and count; None for an answer that breaks the contract."""
    counts["asked"] += 1
    with suppress(ContextOverflow, ModelOutputError):
        answer = provider.complete(request)
        for name in ("prompt", "output", "cached"):
            counts[name] += getattr(answer.usage, name)
        statements = read_statements(answer.data)
        if not isinstance(statements, str):
            return answer, statements
    counts["invalid"] += 1
    return None


def _offered(said: Said, embedder: Embedder | None) -> Said:
    """The turn with the names of attributes for the tuned reader, by vectors if there are any."""
    turn_vectors = vectors_of([said.turn], embedder)

    def by_nearness(names: Sequence[str]) -> Sequence[str]:
        if not turn_vectors or (vectors := name_vectors(embedder, names)) is None:
            return names
        return nearest(names, vectors, turn_vectors[0])

    return offered(said, by_nearness)
