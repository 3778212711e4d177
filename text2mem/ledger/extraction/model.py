"""What a model reads: clauses that state something which code cannot complete.

The model chooses and does not write: which stored fact, which of the values that code has found.
An answer outside of what was offered is refused, and asked for once more with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from text2mem.ir.naming import fold, stands_in
from text2mem.ir.record import Record
from text2mem.ir.values import as_text
from text2mem.ledger.candidate import Candidate, Known, Reading
from text2mem.ledger.episode import Episode, speaker
from text2mem.ledger.extraction.asking import NAME, Counts, asked, data, schema
from text2mem.ledger.extraction.english.vocabulary import Vocabulary
from text2mem.ledger.extraction.spans import Found, kind_of, values_in
from text2mem.prompts import load
from text2mem.providers.base import Provider

NOTHING = "nothing"
_MOST_FACTS = 12
_MOST_CLAUSES = 2
_SURE = 0.7
"""The confidence of what a model has chosen: it counts, and less than what code has read."""
_UNSURE = 0.45
"""Where it has chosen among several facts: a small model takes the wrong one now and then, so that
the change waits for a yes."""
_ANAPHOR = re.compile(
    r"(?<![\w'])(?:mine|ours|it|it's|this one|that one|the (?:new|other|right) one|one|both|"
    r"them)(?![\w])"
    r"|我的|它|这个|那个|改|换",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:must|has to|have to|had to|needs?|due|by|before|until|now|moved?|changed?|instead|"
    r"make it|earlier|later|"
    r"should be|is wanted|required|extended|put off|postponed|brought forward|no longer|new|from|"
    r"switch\w*)\b"
    r"|必须|得|要|改|换|延|提前|推迟|现在|之前|截止",
    re.IGNORECASE,
)
"""Words without which a clause that points back at something changes nothing of it."""
_COINED = re.compile(r"[a-z\u3400-\u9fff][\w]{0,59}")


def complete(
    episode: Episode,
    known: Known,
    reading: Reading,
    open_: Sequence[tuple[int, int]],
    provider: Provider,
    *,
    seed: int = 0,
) -> Reading:
    """A reading with what a model makes of the clauses that are open, two at most.

    Raises the errors of services that are down.
    """
    counts = Counts()
    found: list[Candidate] = []
    for start, end in open_:
        if counts.asked >= _MOST_CLAUSES:
            break
        values = values_in(episode, start, end)
        facts = _alike(known, speaker(episode), values)
        words = episode.text[start:end]
        if facts and _ANAPHOR.search(words) and _CHANGES.search(words):
            made = _changed(episode, (start, end), facts, values, provider, seed, counts)
            if made and len(facts) > 1:
                made = replace(made, confidence=_UNSURE)
        elif values and reading.explicit and not reading.candidates and not found:
            made = _new(episode, known, (start, end), values, provider, seed, counts)
        else:
            continue
        found += [made] if made else []
    if not counts.asked:
        return reading
    candidates = (*reading.candidates, *found)
    nothing = reading.nothing if not candidates else None
    return replace(reading, candidates=candidates, nothing=nothing, counts=counts.as_dict())


def _alike(known: Known, who: str, values: Sequence[Found]) -> list[Record]:
    """The speaker's facts whose value is of the kind of one that was found."""
    kinds = {one.kind for one in values}
    alike = [r for r in known.facts(subject=who) if kind_of(r.value) in kinds and r.attribute]
    return [r for r in alike if kind_of(r.value) != "text"][:_MOST_FACTS]


def _changed(
    episode: Episode,
    clause: tuple[int, int],
    facts: Sequence[Record],
    values: Sequence[Found],
    provider: Provider,
    seed: int,
    counts: Counts,
) -> Candidate | None:
    """Which stored fact a clause gives another value, where it does."""
    named = {f"{r.subject}.{r.attribute}": r for r in reversed(facts)}
    offered = {one.shown: one for one in values}
    shape = schema(fact=[*named, NOTHING], value=[*offered, ""])
    turns = load("extract").filled(
        facts="\n".join(f"- {name} = {_shown(r.value)}" for name, r in named.items()),
        said=data(episode.text), statement=data(episode.text[slice(*clause)]),
        values=", ".join(offered),
    )  # fmt: skip

    def check(answer: Mapping[str, Any]) -> str | None:
        fact, value = str(answer.get("fact")), str(answer.get("value"))
        if fact == NOTHING:
            return None
        if fact not in named:
            return f"'fact' has to be one of: {', '.join([*named, NOTHING])}"
        if value not in offered:
            return f"'value' has to be one of: {', '.join(offered)}"
        if kind_of(named[fact].value) != offered[value].kind:
            return f"{value} is no value for {fact}"
        return None

    answer = asked(provider, turns, shape, check, seed, counts)
    if answer is None or answer["fact"] == NOTHING:
        return None
    record, value = named[str(answer["fact"])], offered[str(answer["value"])]
    return Candidate(
        subject=record.subject or "", attribute=record.attribute or "", value=value.value,
        type=record.type or "fact", confidence=_SURE, quote=clause, by="model",
    )  # fmt: skip


def _new(
    episode: Episode,
    known: Known,
    clause: tuple[int, int],
    values: Sequence[Found],
    provider: Provider,
    seed: int,
    counts: Counts,
) -> Candidate | None:
    """What is asked to be remembered, under a name of the model's."""
    who = speaker(episode)
    text = episode.text
    lower = fold(text)
    others = [s for s in known.subjects() if s != who and stands_in(s, lower)]
    subjects = [who, *others[:8]]
    offered = {one.shown: one for one in values}
    shape = schema(subject=[*subjects, NOTHING], attribute=NAME, value=[*offered, ""])
    turns = load("extract_new").filled(
        subjects=", ".join(subjects), said=data(text), values=", ".join(offered)
    )

    def check(answer: Mapping[str, Any]) -> str | None:
        subject, value = str(answer.get("subject")), str(answer.get("value"))
        if subject == NOTHING:
            return None
        if subject not in subjects:
            return f"'subject' has to be one of: {', '.join([*subjects, NOTHING])}"
        if value not in offered:
            return f"'value' has to be one of: {', '.join(offered)}"
        if not _COINED.fullmatch(str(answer.get("attribute"))):
            return "'attribute' has to be a short name in snake_case"
        return None

    answer = asked(provider, turns, shape, check, seed, counts)
    if answer is None or answer["subject"] == NOTHING:
        return None
    attribute = fold(str(answer["attribute"]))
    return Candidate(
        subject=str(answer["subject"]), attribute=attribute,
        value=offered[str(answer["value"])].value,
        type=Vocabulary(known).type_of(attribute), confidence=_SURE, quote=clause, by="model",
    )  # fmt: skip


def _shown(value: Any) -> str:
    return data(as_text(value))
