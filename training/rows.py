"""The training data: rows of JSON, and what becomes of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from text2mem.planner.draft import Draft, read_draft
from text2mem.planner.reader import tuned_prompt

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Row:
    """A request with the draft that is meant, and who wrote it."""

    utterance: str
    before: tuple[str, ...]
    draft: Draft
    register: str
    author: str

    @property
    def prompt(self) -> str:
        """What the model is shown."""
        return tuned_prompt(self.utterance, self.before)


def load(folder: Path = DATA, authors: Sequence[str] = ()) -> list[Row]:
    """The rows of a folder's ``*.jsonl``, of all authors or of some; the author is the file's name.

    Raises ValueError with the file and line of a row whose draft breaks the contract.
    """
    paths = [path for path in sorted(folder.glob("*.jsonl")) if not authors or path.stem in authors]
    return [row for path in paths for row in _read(path)]


def _read(path: Path) -> Iterator[Row]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        held: dict[str, Any] = json.loads(line)
        if "u" not in held:
            continue  # a store that the rows after it speak of
        draft = read_draft(held["draft"])
        if isinstance(draft, list):
            raise ValueError(f"{path}:{number}: {draft[0].pointer} {draft[0].message}")
        before = tuple(held.get("before", ()))
        yield Row(held["u"], before, _canonical(draft), held.get("reg", "plain"), path.stem)


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


def split(rows: Sequence[Row], held_out: Sequence[str]) -> tuple[list[Row], list[Row]]:
    """The rows to train on, and those of the authors who are kept out."""
    kept = [row for row in rows if row.author in held_out]
    return [row for row in rows if row.author not in held_out], kept


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
