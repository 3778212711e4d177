"""Statements: a model reads the facts of a turn, and code checks them (docs/statements.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from text2mem.adapters.shipped import shipped_registry
from text2mem.errors import ContextOverflow, ModelOutputError
from text2mem.ir.ports import Embedder
from text2mem.ir.values import as_text
from text2mem.ir.words.mentions import ME, mine
from text2mem.ir.words.naming import find_name, is_pattern, name_key
from text2mem.ir.words.segment import HAN
from text2mem.ledger.candidate import Reading
from text2mem.ledger.episode import Episode, speaker
from text2mem.ledger.known import Known
from text2mem.ledger.name_vectors import name_vectors
from text2mem.ledger.statements.asking import (
    OF_EACH,
    SUBJECTS,
    TURNS,
    Said,
    nearest,
    offered,
    question,
)
from text2mem.ledger.statements.candidates import check
from text2mem.ledger.statements.contract import (
    BEGUN,
    Statement,
    read_statements,
    statements_grammar,
)
from text2mem.ledger.statements.doubt import again, doubts_nothing, weighed
from text2mem.ledger.statements.names import told_of
from text2mem.providers.base import Completion, Provider, Request, Sampling
from text2mem.services.embedding.asking import vectors_of

__all__ = ["read", "shown"]

_NAMES = 120
"""The most names of attributes that are shown."""
_MOST_KNOWN = 12
"""The most facts that are shown."""
_GIVEN, _MARK = re.compile(r"\.{20,}"), "[text]"
"""What ``without_given`` leaves in place of a quoted text, and what the reader is shown for it."""
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


def shown(episode: Episode, known: Known) -> Said:
    """What a reader is shown of an episode (docs/statements.md, "What code makes of it")."""
    before = tuple(
        ("assistant" if turn.episode.role == "assistant" else "user", turn.episode.text)
        for turn in known.before[-TURNS:]
        if turn.episode.message.structured is None
    )
    me = speaker(episode)
    turn = name_key(episode.text)
    every = (*known.facts(), *known.waiting())
    with_said_value = [f for f in every if _stands(f.value, turn)][:OF_EACH]
    words = name_key(" ".join((episode.text, *(text for _, text in before))))
    named = [s for s in known.subjects() if s != me and _named(s, me, words)]
    earlier = [s for s in told_of(known) if s != me]
    subjects = dict.fromkeys((*named, *earlier, me))
    of_subjects = [fact for s in subjects for fact in known.facts(subject=s)[:OF_EACH]]
    others = [fact for fact in every if fact.subject not in subjects]
    facts = {fact.id: fact for fact in (*with_said_value, *of_subjects, *others)}.values()
    triples = tuple(
        (_spoken(f.subject, me), (f.attribute or "").replace("_", " "), as_text(f.value))
        for f in islice(facts, _MOST_KNOWN)
    )
    own_names, common = _names(known, chinese=bool(HAN.search(episode.text)))
    about = dict.fromkeys((*earlier, *(fact.subject for fact in every if fact.subject != me)))
    return Said(
        _GIVEN.sub(_MARK, episode.text), before, triples, own_names, common,
        tuple(_spoken(subject, me) for subject in about if subject)[:SUBJECTS],
    )  # fmt: skip


def _names(known: Known, *, chinese: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of attributes that the store uses or has declared itself, and those of the shipped
    registry in the turn's script (Chinese or not); ``_NAMES`` together at most."""
    declared = [name for name in known.registry.attributes if not is_pattern(name)]
    shipped = shipped_registry().attributes
    used = (*known.attributes(), *(name for name in declared if name not in shipped))
    own = tuple(dict.fromkeys(used))[:_NAMES]
    others = (name for name in declared if name not in own and bool(HAN.search(name)) == chinese)
    return own, tuple(others)[: _NAMES - len(own)]


def _named(subject: str, me: str, words: str) -> bool:
    """Whether folded words contain a subject's name, or what the speaker ``me`` calls it."""
    return any(find_name(name, words) for name in (subject, name_key(_spoken(subject, me))))


def _stands(value: object, words: str) -> bool:
    """Whether folded words contain a value of two characters or more."""
    written = name_key(as_text(value))
    return len(written) > 1 and find_name(written, words) is not None


def _spoken(subject: str | None, me: str) -> str:
    """What the speaker (the folded name ``me``) calls a subject: ``me``, "my sister"."""
    if subject == me:
        return ME
    noun = (subject or "").removeprefix(f"{me}_")
    shown_as = noun.replace("_", " ")
    return shown_as if noun == subject or not noun else mine(shown_as)
