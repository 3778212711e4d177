"""The question to a model: a turn, the turns before it, and what is known of whom it names."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from text2mem.ir.words.likeness import Vector, dot
from text2mem.ir.words.mentions import ME
from text2mem.ir.words.naming import find_name, name_key
from text2mem.ledger.statements.contract import statements_grammar, statements_schema
from text2mem.planner.lowering import strict
from text2mem.prompts import load
from text2mem.providers.base import Message, Request, Sampling, continued
from text2mem.providers.profiles import Profile

TURNS, OF_EACH = 2, 4
"""How many turns before it are shown beside a turn, and how many facts of each subject."""
_KNOWN = 5
NAMES, OWN = 14, 12
"""How many names of attributes the tuned reader is offered, and how many of the store's own."""
SUBJECTS = 6
"""How many subjects it is told of."""
_LONG = 300
"""How many characters of an earlier turn are shown."""
Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Said:
    """A turn as a reader is shown it.

    ``before`` are the turns before it, each with ``user`` or ``assistant``, the latest last;
    ``known`` subject, attribute and value of what is held, ``me`` for who speaks; ``names`` are
    the attributes that the store has declared or uses, ``common`` those that every store knows;
    ``subjects`` whom and what the talk has been about, beside who speaks, the latest first.
    """

    turn: str
    before: tuple[tuple[str, str], ...] = ()
    known: tuple[Triple, ...] = ()
    names: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()


def tuned_prompt(said: Said) -> str:
    """What the tuned model is shown: a line each, and no more.

    Of what is known only what is of the speaker, or of whom is named: the rest misleads it. Of the
    others it is told the names: "it closes on the 28th" is about one of them.
    """
    words = name_key(" ".join(texts(said)))
    meant = [
        triple for triple in said.known
        if triple[0] == ME or find_name(name_key(triple[0]), words)
    ]  # fmt: skip
    named = [f"Names: {' · '.join(map(_line, said.names))}"] if said.names else []
    known = [f"Known: {' · '.join(map(_line, triple))}" for triple in meant[:_KNOWN]]
    before = [f"{by.capitalize()}: {_cut(text)}" for by, text in said.before[-TURNS:]]
    about = [f"About: {' · '.join(map(_line, said.subjects[:SUBJECTS]))}"] if said.subjects else []
    shown = (*named, *about, *known, *before, f"Turn: {_line(said.turn)}", "Facts: ")
    return "\n".join(shown)


def question(said: Said, profile: Profile, sampling: Sampling) -> Request:
    """The request that asks a model what a turn states."""
    if "statements" in profile.adapters:
        return continued(
            tuned_prompt(said), "statements", profile, sampling,
            grammar=statements_grammar(), schema=statements_schema(),
        )  # fmt: skip
    grammar = statements_grammar() if profile.constraint == "grammar" else None
    schema = statements_schema()
    turns = (*load("statements").turns, Message("user", _shown(said)))
    return Request(
        turns, strict(schema) if profile.constraint == "strict" else schema, grammar, sampling
    )  # fmt: skip


def _shown(said: Said) -> str:
    """A turn for a model that was not tuned: JSON within a frame that no text in it can end."""
    shown = {
        "known": [list(triple) for triple in said.known],
        "attributes": [*said.names, *said.common],
        "before": [{"by": by, "text": _cut(text)} for by, text in said.before],
        "turn": _line(said.turn),
    }
    data = json.dumps({key: held for key, held in shown.items() if held}, ensure_ascii=False)
    return f"<data>{data.replace('<', '‹')}</data>"


def _line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    line = _line(text)
    return line if len(line) <= _LONG else f"{line[:_LONG]}…"


def offered(said: Said, by_nearness: Callable[[Sequence[str]], Sequence[str]]) -> Said:
    """The turn with the names of attributes that are offered: the nearest of the store's own, then
    the nearest of those that every store has."""
    own = by_nearness(said.names)[:OWN]
    others = by_nearness([name for name in said.common if name not in own])
    names = (*own, *others[: NAMES - len(own)])
    return replace(said, names=tuple(name.replace("_", " ") for name in names), common=())


def nearest(names: Sequence[str], vectors: Sequence[Vector], turn: Vector) -> tuple[str, ...]:
    """Names, those first whose vectors are nearest to a turn's."""
    likeness = [dot(turn, vector) for vector in vectors]
    return tuple(names[i] for i in sorted(range(len(names)), key=lambda i: -likeness[i]))


def texts(said: Said) -> Sequence[str]:
    """The turn and the turns before it, the turn first: where a fact's words may stand."""
    return (said.turn, *(text for _, text in reversed(said.before)))
