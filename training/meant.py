"""The rows of links: a memory that a step of a request may mean, and whether it does.

They are made of the requests over stores: what each step means, and of what it does not mean, what
fits its words best.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from text2mem.planner.rank import rank
from text2mem.planner.reader import meant_prompt
from training.rows import DATA, by_author
from training.stores import query, with_stores

_OTHERS = 2
"""How many memories that are not meant are read beside one that is."""


@dataclass(frozen=True, slots=True)
class Meant:
    """A request, an op that it asks for, a memory, and whether that is meant."""

    utterance: str
    before: tuple[str, ...]
    op: str
    memory: str
    right: bool
    author: str

    @property
    def prompt(self) -> str:
        """What the model is shown."""
        return meant_prompt(self.memory, self.utterance, self.before, self.op)

    @property
    def answer(self) -> str:
        """What the model is to write."""
        return "true" if self.right else "false"


def load(folder: Path = DATA, authors: Sequence[str] = ()) -> list[Meant]:
    """The links of requests over stores, of all authors or of some; a file is an author."""
    return [meant for path in by_author(folder, authors) for meant in _of(path)]


def _of(path: Path) -> Iterator[Meant]:
    for store, row in with_stores(path):
        said, before = row["u"], tuple(row.get("before", ()))
        steps = row["draft"].get("steps", ())
        for step, hits in zip(steps, row["hits"], strict=True):
            if step["op"] == "Encode" or not step.get("about"):
                continue
            words = step["about"]
            same = {
                id_ for each, found in zip(steps, row["hits"], strict=True) for id_ in found
                if each["op"] == step["op"]
            }  # fmt: skip
            fits = rank(words, store.pool, query(words), store.vectors)
            meant = [fit.record for fit in fits if fit.record.id in hits][:_OTHERS]
            others = [fit.record for fit in fits if fit.record.id not in same][:_OTHERS]
            for record in (*meant, *others):
                right = record.id in hits
                yield Meant(said, before, step["op"], record.text, right, path.stem)
