"""The rows of conversations: turns with the facts that they state.

A line with ``names`` says which attributes the store of a dialogue ``d`` declares. Nothing is made
of it: a reader that is offered names files under them what they do not fit (README.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from text2mem.ir.mentions import ME
from text2mem.ir.naming import fold
from text2mem.ledger.statements.asking import Said, tuned_prompt
from text2mem.ledger.statements.contract import Statement, dump, read_statements
from training.rows import DATA, by_author
from training.seen import Branch, Tree


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn with the facts that it states, and who wrote it."""

    said: Said
    statements: tuple[Statement, ...]
    author: str

    def tree(self) -> Tree:
        """What the model is shown, and what it is to write."""
        return Tree("", (Branch(tuned_prompt(self.said), dump(self.statements)),), self.author)


def load(folder: Path = DATA / "statements", authors: Sequence[str] = ()) -> list[Turn]:
    """The turns of a folder, of all authors or of some; a file is an author.

    Raises ValueError with the file and line of a row that breaks the contract.
    """
    return [turn for path in by_author(folder, authors) for turn in _read(path)]


def _read(path: Path) -> Iterator[Turn]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row = json.loads(line)
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
        yield Turn(said, statements, path.stem)


def _shown(subject: str) -> str:
    """A subject as a store has it."""
    return subject if subject == ME else fold(subject).replace("_", " ")
