"""The rows of edits: a memory, a request that changes it, and how it reads afterwards.

An author writes the whole text; what the model learns to write are the stretches that differ, each
with enough of its neighbours to stand in the text but once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from text2mem.ir.folding import fold
from text2mem.planner.edit import Exchange, appended, exchange, revised
from text2mem.planner.rank import rank
from text2mem.planner.revise import revised_prompt, revision
from text2mem.providers.base import Completion
from training.rows import DATA, by_author
from training.stores import query, with_stores

_LETTERS = r"[^\W\d_\u3400-\u9fff]"
_TOKEN = re.compile(
    rf"\d+(?:[.,:/-]\d+)*|{_LETTERS}[^\W\u3400-\u9fff]*(?:[-'’./@][^\W\u3400-\u9fff]+)*|\S"
)
_OTHERS = 3
"""Of requests that change no text, which of so many is read beside a memory."""
_PLAIN = 3
"""How many keys a step has that only adds: its op, which one, and the words."""
_GAP, _WIDER = 2, 4
"""How many equal tokens between two changes belong to them, and how many are tried beside one."""
_WHOLE = 0.3
"""Under which likeness a text is taken to be written anew."""


Hunk = tuple[int, int, int, int]
"""From and to in the tokens of the old text, and of the new one."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A memory and a request, with what changes."""

    memory: str
    utterance: str
    before: tuple[str, ...]
    edits: tuple[Exchange, ...]
    author: str

    @property
    def prompt(self) -> str:
        """What the model is shown."""
        return revised_prompt(self.memory, self.utterance, self.before)

    @property
    def answer(self) -> str:
        """What the model is to write."""
        pairs = [[edit.old, edit.new] for edit in self.edits]
        return json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))


def load(folder: Path = DATA / "edits", authors: Sequence[str] = ()) -> list[Edited]:
    """The edits of a folder, of all authors or of some; a file is an author.

    Raises ValueError with the file and line of a text that says what nobody said.
    """
    return [edited for path in by_author(folder, authors) for edited in _read(path)]


def _read(path: Path) -> Iterator[Edited]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row = json.loads(line)
        before = tuple(row.get("before", ()))
        edits = edits_between(row["memory"], row["new"])
        pairs = Completion("", [[edit.old, edit.new] for edit in edits])
        if revision(row["memory"], pairs, " ".join((row["u"], *before))) is None:
            raise ValueError(f"{path}:{number}: the new text has words that nobody says")
        yield Edited(row["memory"], row["u"], before, edits, path.stem)


def of_stores(folder: Path = DATA, authors: Sequence[str] = ()) -> list[Edited]:
    """What requests over stores change in the memories that they mean, and that they change nothing
    in one that they do not mean but that fits their words."""
    return [edited for path in by_author(folder, authors) for edited in _over(path)]


def _over(path: Path) -> Iterator[Edited]:
    for number, (store, row) in enumerate(with_stores(path)):
        said, before = row["u"], tuple(row.get("before", ()))
        texts = {record.id: record.text for record in store.pool}
        steps = row["draft"].get("steps", ())
        hit = {id_ for hits in row["hits"] for id_ in hits}
        for step, hits in zip(steps, row["hits"], strict=True):
            changed = step["op"] == "Update" and len(hits) == 1 and steps.count(step) == 1
            edits = _edits_of(step, texts[hits[0]], said) if changed else None
            if edits:
                yield Edited(texts[hits[0]], said, before, edits, path.stem)
        changes = any(step["op"] in ("Update", "Encode") for step in steps)
        if steps and (changes or number % _OTHERS == 0):
            words = " ".join((*before[-1:], said))
            fits = rank(words, store.pool, query(words), store.vectors)
            other = next((fit.record for fit in fits if fit.record.id not in hit), None)
            if other is not None:
                yield Edited(other.text, said, before, (), path.stem)


def _edits_of(step: Mapping[str, Any], text: str, said: str) -> tuple[Exchange, ...]:
    """The edits of an Update that says all of it."""
    if step.get("add") and len(step) == _PLAIN:
        return edits_between(text, appended(text, step["add"]))
    old, new = step.get("old", ""), step.get("new", "")
    found = exchange(text, old, new, said) if old or new else None
    if found is None or text.count(found.old) != 1 or (old and fold(old) not in fold(text)):
        return ()
    return edits_between(text, text.replace(found.old, found.new))


def edits_between(old: str, new: str) -> tuple[Exchange, ...]:
    """What changes from one text to another, in the order of the text; the whole where little
    stays."""
    if old == new:
        return ()
    was, now = [*_TOKEN.finditer(old)], [*_TOKEN.finditer(new)]
    matcher = SequenceMatcher(None, [m[0] for m in was], [m[0] for m in now], autojunk=False)
    if matcher.ratio() < _WHOLE:
        return (Exchange("", new),)
    hunks = [code[1:] for code in matcher.get_opcodes() if code[0] != "equal"]
    hunks = _joined(hunks, _GAP)
    for more in range(_WIDER):
        wide = [_widened(old, was, a - more, b, c - more, d) for a, b, c, d in hunks if a >= more]
        edits = tuple(
            Exchange(_span(old, was, a, b), _span(new, now, c, d))
            for a, b, c, d in _joined(wide, 0)
        )
        made = revised(old, edits)
        if made is not None and made.text == new:
            return edits
    return (Exchange("", new),)


def _joined(hunks: Sequence[Hunk], gap: int) -> list[Hunk]:
    """Changes with at most so many equal tokens between them as one."""
    joined: list[Hunk] = []
    for a, b, c, d in hunks:
        if joined and a - joined[-1][1] <= gap:
            first, second = joined[-1][0], joined[-1][2]
            joined[-1] = (first, max(b, joined[-1][1]), second, max(d, joined[-1][3]))
        else:
            joined.append((a, b, c, d))
    return joined


def _widened(old: str, was: Sequence[re.Match[str]], a: int, b: int, c: int, d: int) -> Hunk:
    """A change with a neighbour, where one of its sides is empty, and with so many more that its
    old side stands in the text once."""
    if a == b or c == d:
        a, b, c, d = (a - 1, b, c - 1, d) if a else (a, b + 1, c, d + 1)
    while a > 0 and (old.count(_span(old, was, a, b)) > 1 or _bare(old, was, a, b)):
        a, c = a - 1, c - 1
    while b < len(was) and old.count(_span(old, was, a, b)) > 1:
        b, d = b + 1, d + 1
    return a, b, c, d


def _bare(old: str, was: Sequence[re.Match[str]], a: int, b: int) -> bool:
    """Whether a change stands on one Chinese character or one mark: too little to be found by."""
    said = _span(old, was, a, b)
    return (len(said) == 1 and not said.isascii()) or not any(map(str.isalnum, said))


def _span(text: str, tokens: Sequence[re.Match[str]], start: int, end: int) -> str:
    return text[tokens[start].start() : tokens[end - 1].end()] if start < end else ""
