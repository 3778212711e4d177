"""The rows of people with words of their own: a word's first use with its meaning, and later uses.

A line with ``first`` is a word: the request in which it was used first, what the person said of it
when asked (``told``), the draft that was meant, and requests with the same word (``again``). A line
with ``u`` is an ordinary request of the same person, for which no own word is needed.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from text2mem.planner.ask import Example
from text2mem.planner.draft import Draft, read_draft
from training.rows import DATA, Row, by_author

_FIRST = 0.7
"""How often a request is read with the first use of its word, rather than another one."""
_PLAIN = 0.3
"""How often an ordinary request is read without an earlier one."""
_BESIDE = 0.15
"""How often another author's request is read with a similar one of that author."""
_POOL = 60
"""Among how many requests of an author the most similar one is looked for."""


def load(folder: Path = DATA / "own", authors: Sequence[str] = (), seed: int = 0) -> list[Row]:
    """The rows of a folder, by all authors or by some; a file is an author.

    Raises ValueError with the file and line of a row whose draft breaks the contract.
    """
    rng = random.Random(seed)
    return [row for path in by_author(folder, authors) for row in _read(path, rng)]


def _read(path: Path, rng: random.Random) -> Iterator[Row]:
    firsts: dict[str, list[Example]] = defaultdict(list)
    lines = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        held = json.loads(line)
        at = f"{path}:{number}"
        lines.append((held, at))
        if "first" in held:
            firsts[held["person"]].append(Example(held["first"], _draft(held["draft"], at)))
    for held, at in lines:
        if "first" in held:
            yield from _word(held, at, path.stem, rng)
        else:
            once = None if rng.random() < _PLAIN else rng.choice(firsts[held["person"]])
            yield Row(held["u"], (), _draft(held["draft"], at), "plain", path.stem, once)


def _word(held: dict[str, Any], at: str, author: str, rng: random.Random) -> Iterator[Row]:
    """A word's requests, each with another one that has it."""
    uses = [Example(held["first"], _draft(held["draft"], at))]
    uses += [Example(again["u"], _draft(again["draft"], at)) for again in held["again"]]
    for number, use in enumerate(uses):
        others = [other for other in uses[1:] if other is not use]
        early = number > 0 and (rng.random() < _FIRST or not others)
        once = uses[0] if early else rng.choice(others)
        yield Row(use.request, (), use.draft, "own", author, once)


def _draft(raw: Any, at: str) -> Draft:
    draft = read_draft(raw)
    if isinstance(draft, list):
        raise ValueError(f"{at}: {draft[0].pointer} {draft[0].message}")
    return draft


def beside(rows: Sequence[Row], vectors: np.ndarray, rng: random.Random) -> list[Row]:
    """The rows, some of them with a similar earlier request of their author, whether it means the
    same or not. Most similar requests mean something else. ``vectors`` are those of the rows."""
    by_author: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        if row.draft.steps and not row.before:
            by_author[row.author].append(number)

    def placed(number: int) -> Row:
        row = rows[number]
        others = [other for other in by_author[row.author] if other != number]
        if row.once is not None or not others or rng.random() > _BESIDE:
            return row
        pool = rng.sample(others, min(_POOL, len(others)))
        like = rows[pool[int((vectors[pool] @ vectors[number]).argmax())]]
        return replace(row, once=Example(like.utterance, like.draft))

    return [placed(number) for number in range(len(rows))]
