"""The training data: rows of JSON, and what becomes of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from text2mem.ir.record import Record
from text2mem.planner.draft import Draft, Step, read_draft
from text2mem.planner.near import lettered
from text2mem.planner.reader import tuned_prompt
from training.stores import Store

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Row:
    """A request with the draft that is meant, and who wrote it."""

    utterance: str
    before: tuple[str, ...]
    draft: Draft
    register: str
    author: str
    near: tuple[str, ...] = ()

    @property
    def prompt(self) -> str:
        """What the model is shown."""
        return tuned_prompt(self.utterance, self.before, self.near)

    @property
    def answer(self) -> str:
        """What the model is to write."""
        return self.draft.dump()


def load(folder: Path = DATA, authors: Sequence[str] = (), *, blind: bool = False) -> list[Row]:
    """The rows of a folder's ``*.jsonl``, of all authors or of some; the author is the file's name.

    ``blind``: without the memories that stand near a request over a store.

    Raises ValueError with the file and line of a row whose draft breaks the contract.
    """
    paths = [path for path in sorted(folder.glob("*.jsonl")) if not authors or path.stem in authors]
    return [row for path in paths for row in _read(path, blind)]


def _read(path: Path, blind: bool) -> Iterator[Row]:
    store = Store()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        held: dict[str, Any] = json.loads(line)
        if "memories" in held:
            store = Store() if blind else Store.of(held["memories"])
            continue
        draft = read_draft(held["draft"])
        if isinstance(draft, list):
            raise ValueError(f"{path}:{number}: {draft[0].pointer} {draft[0].message}")
        draft = _canonical(draft)
        before = tuple(held.get("before", ()))
        shown: tuple[Record, ...] = ()
        if "store" in held and not blind:
            shown = store.near(held["u"], before)
            draft = lettered(_aimed(draft, held["hits"]), [record.id for record in shown])
        near = tuple(record.text for record in shown)
        yield Row(held["u"], before, draft, held.get("reg", "plain"), path.stem, near)


def _aimed(draft: Draft, hits: Sequence[Sequence[str]]) -> Draft:
    """The draft with the ids of the memories that each step means, where words say which."""
    steps = [
        step
        if not ids or "tags" in step.values or step.values.get("which") in ("step", "all")
        else Step(step.op, {**step.values, "ids": list(ids)})
        for step, ids in zip(draft.steps, hits, strict=True)
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
