"""The training data: rows of JSON, and what becomes of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from text2mem.planner.ask import Example
from text2mem.planner.draft import Draft, read_draft
from text2mem.planner.reader import second_prompt, tuned_prompt

DATA = Path(__file__).parent / "data"
_MAY_HIDE = ("Delete", "Expire", "Demote", "Merge")
_MISLEADING = ("hard", "hardneg", "negated", "changed", "chat", "indirect")
_LOOKS_LIKE = 0.8
_AFTER = 0.35
"""How often a request comes after others that it has nothing to do with."""


@dataclass(frozen=True, slots=True)
class Row:
    """A request with the draft that is meant, and who wrote it."""

    utterance: str
    before: tuple[str, ...]
    draft: Draft
    register: str
    author: str
    once: Example | None = None

    @property
    def ops(self) -> frozenset[str]:
        """The ops that are asked for."""
        return frozenset(step.op for step in self.draft.steps)

    @property
    def prompt(self) -> str:
        """What the model is shown."""
        return tuned_prompt(self.utterance, self.before, self.once)

    @property
    def answer(self) -> str:
        """What the model is to write."""
        return self.draft.dump()


@dataclass(frozen=True, slots=True)
class Check:
    """A request read a second time: whether an op is asked for."""

    row: Row
    op: str

    @property
    def author(self) -> str:
        """Who wrote the request."""
        return self.row.author

    @property
    def prompt(self) -> str:
        """What the model is shown."""
        return second_prompt(self.row.utterance, self.row.before, self.op, self.row.once)

    @property
    def answer(self) -> str:
        """What the model is to write."""
        return "true" if self.op in self.row.ops else "false"


def checks(rows: Sequence[Row], rng: random.Random) -> list[Check]:
    """Second readings of rows: of every op that may hide memories where it is asked for, and of
    one that is not asked for where a request sounds like it, and now and then elsewhere.
    """
    made = []
    for row in rows:
        asked = [op for op in _MAY_HIDE if op in row.ops]
        made += [Check(row, op) for op in asked]
        likely = _LOOKS_LIKE if row.register in _MISLEADING else 0.5 if asked else 0.15
        others = [op for op in _MAY_HIDE if op not in row.ops]
        if others and rng.random() < likely:
            made.append(Check(row, "Delete" if "Delete" in others else rng.choice(others)))
    return made


def load(folder: Path = DATA, authors: Sequence[str] = ()) -> list[Row]:
    """The rows of a folder's ``*.jsonl``, of all authors or of some; the author is the file's name.

    Of requests over a store the words that only the store has are left out.

    Raises ValueError with the file and line of a row whose draft breaks the contract.
    """
    return [row for path in by_author(folder, authors) for row in _read(path)]


def by_author(folder: Path, authors: Sequence[str] = ()) -> list[Path]:
    """The files of a folder, of all authors or of some: a file is an author."""
    return [path for path in sorted(folder.glob("*.jsonl")) if not authors or path.stem in authors]


def _read(path: Path) -> Iterator[Row]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        held: dict[str, Any] = json.loads(line)
        if "memories" in held:
            continue
        draft = read_draft(held["draft"])
        if isinstance(draft, list):
            raise ValueError(f"{path}:{number}: {draft[0].pointer} {draft[0].message}")
        draft = _canonical(draft)
        before = tuple(held.get("before", ()))
        if "store" in held:
            draft = _unseen(draft, " ".join((held["u"], *before)))
        yield Row(held["u"], before, draft, held.get("reg", "plain"), path.stem)


def _unseen(draft: Draft, said: str) -> Draft:
    """The draft without the old words of an edit that nobody said: only the store has them."""
    steps = [
        replace(step, values={k: v for k, v in step.values.items() if k != "old"})
        if isinstance(old := step.values.get("old"), str) and old.casefold() not in said.casefold()
        else step
        for step in draft.steps
    ]
    return replace(draft, steps=tuple(steps))


def _canonical(draft: Draft) -> Draft:
    """The draft without ``many`` where a number, ids or "everything" say it already.

    Authors differed in that, and what is said twice costs tokens.
    """
    steps = []
    for step in draft.steps:
        narrowed = {"about", "tags", "from"} & set(step.values)
        said = {"count", "ids"} & set(step.values)
        said |= {"which"} if step.values.get("which") == "all" and not narrowed else set()
        kept = {k: v for k, v in step.values.items() if k != "many" or not said}
        steps.append(replace(step, values=kept))
    return replace(draft, steps=tuple(steps))


def in_talk(rows: Sequence[Row], rng: random.Random) -> list[Row]:
    """The rows as a talk brings them: now and then one comes after one or two others of its author,
    which it has nothing to do with.

    What is undone or asked back leans on the turns before it, and stays as it is.
    """
    said: dict[str, list[str]] = {}
    for row in rows:
        if row.draft.steps and not row.before:
            said.setdefault(row.author, []).append(row.utterance)

    def placed(row: Row) -> Row:
        others = said.get(row.author, [])
        if row.before or row.draft.undo or row.draft.ask or rng.random() > _AFTER:
            return row
        turns = rng.sample(others, min(len(others), rng.choice((1, 1, 2))))
        return replace(row, before=tuple(turn for turn in turns if turn != row.utterance))

    return [placed(row) for row in rows]


def varied(row: Row, rng: random.Random) -> Row:
    """The row as someone else might have typed it: now and then in lower case, or unpunctuated.

    Copied words change with the request, so that the draft stays one of copies.
    """
    draw = rng.random()
    if draw < 0.1:
        return _typed(row, str.lower)
    if draw < 0.2:
        return replace(row, utterance=row.utterance.rstrip(".!?。！？"))
    return row


def _typed(row: Row, how: Any) -> Row:
    draft = row.draft
    copied = {"about", "from", "except", "date", "until", "remind", "when", "old", "as_of", "text"}
    steps = tuple(
        replace(
            step, values={k: how(v) if k in copied else v for k, v in step.values.items()}
        )
        for step in draft.steps
    )  # fmt: skip
    return replace(row, utterance=how(row.utterance), draft=replace(draft, steps=steps))
