"""The rows of conversations: turns with the facts that they state.

A line with ``names`` says which attributes the store of a dialogue ``d`` declares; where there is
none, those that the dialogue uses stand for them. Of these each turn is offered the nearest, as in
use, but now and then without the right one.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from text2mem.adapters.shipped import shipped_registry
from text2mem.ir.mentions import ME
from text2mem.ir.naming import fold, is_pattern
from text2mem.ir.ports import Embedder
from text2mem.ledger.statements.asking import Said, tuned_prompt
from text2mem.ledger.statements.contract import Statement, dump, read_statements
from text2mem.ledger.statements.names import name_vectors
from training.rows import DATA, by_author

_HIDDEN, _OTHERS = 0.25, 5
"""How often a dialogue's name is not offered, and how many of other dialogues are."""
_COUNT = 10
_OWN = 0.2
"""How many names a turn is offered, and what a name of its own store is nearer by: with it, eight
names hold the right one of 86 facts in a hundred, without it of 64."""
_SHIPPED = frozenset(name for name in shipped_registry().attributes if not is_pattern(name))


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn with the facts that it states, and who wrote it."""

    said: Said
    statements: tuple[Statement, ...]
    author: str

    @property
    def prompt(self) -> str:
        """What the model is shown."""
        return tuned_prompt(self.said)

    @property
    def answer(self) -> str:
        """What the model is to write."""
        return dump(self.statements)


def load(
    folder: Path = DATA / "statements", authors: Sequence[str] = (),
    embedder: Embedder | None = None,
) -> list[Turn]:  # fmt: skip
    """The turns of a folder, of all authors or of some; a file is an author.

    By ``embedder`` each is offered the names that are nearest to it, without one none.

    Raises ValueError with the file and line of a row that breaks the contract.
    """
    return [turn for path in by_author(folder, authors) for turn in _read(path, embedder)]


def _read(path: Path, embedder: Embedder | None) -> Iterator[Turn]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for number, row in enumerate(rows, 1):
        row.setdefault("d", str(number))
    declared = {row["d"]: row["names"] for row in rows if "names" in row}
    used = _used(rows)
    for number, row in enumerate(rows, 1):
        if "names" in row:
            continue
        statements = read_statements({"facts": row["facts"]})
        if isinstance(statements, str):
            raise ValueError(f"{path}:{number}: {statements}")
        said = Said(
            row["turn"],
            tuple((turn["by"], turn["text"]) for turn in row.get("before", ())),
            tuple((_shown(subject), name, value) for subject, name, value in row.get("known", ())),
        )
        if embedder is None:
            yield Turn(said, statements, path.stem)
            continue
        own = declared.get(row["d"])
        if own is None:
            rng = random.Random(f"{path.stem} {row['d']}")
            own = [name for name in sorted(used[row["d"]]) if rng.random() > _HIDDEN]
            own += rng.sample(sorted(used[""]), _OTHERS)
        names = [*dict.fromkeys((*own, *sorted(_SHIPPED)))]
        near = _nearest(said.turn, names, set(own) - _SHIPPED, embedder)
        yield Turn(replace(said, near=near), statements, path.stem)


def _nearest(
    turn: str, names: Sequence[str], own: Collection[str], embedder: Embedder
) -> tuple[str, ...]:
    """The names that are most like the turn, the nearest first, ``_COUNT`` at most."""
    (said,) = embedder.embed([turn], kind="query")
    scores = {
        name: sum(a * b for a, b in zip(said, each, strict=True)) + (_OWN if name in own else 0.0)
        for name, each in zip(names, name_vectors(embedder, names), strict=True)
    }
    return tuple(sorted(scores, key=lambda name: -scores[name])[:_COUNT])


def _shown(subject: str) -> str:
    """A subject as a store has it."""
    return subject if subject == ME else fold(subject).replace("_", " ")


def _used(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, set[str]]:
    """The attributes that each dialogue uses; under "" those of all."""
    used: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        names = {fact["attribute"] for fact in row.get("facts", ()) if "attribute" in fact}
        names |= {name for _, name, _ in row.get("known", ())}
        used[row["d"]] |= names
        used[""] |= names
    return used
