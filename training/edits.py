"""The rows of edits: a memory, a request that changes it, and its text afterwards.

An author writes the whole new text. The model learns to write the stretches that differ, each with
enough of its neighbours to occur only once in the text. The memories of one author make up stores;
what was said about each memory is a request over its store.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from text2mem.editing.edit import Exchange
from text2mem.planner.draft import Draft, Step
from training.rows import DATA, Row, Store, by_author, record

_LETTERS = r"[^\W\d_\u3400-\u9fff]"
_TOKEN = re.compile(
    rf"\d+(?:[.,:/-]\d+)*|{_LETTERS}[^\W\u3400-\u9fff]*(?:[-'’./@][^\W\u3400-\u9fff]+)*|\S"
)
_GAP, _WIDER = 2, 4
"""The most equal tokens between two changes that are joined, and how many neighbours are tried."""
_WHOLE = 0.3
"""Below this similarity, a text counts as written anew."""
_TOGETHER = 16
"""How many memories make up a store."""


Hunk = tuple[int, int, int, int]
"""Start and end in the tokens of the old text, and of the new one."""


def stores(
    folder: Path = DATA / "edits", authors: Sequence[str] = (), seed: int = 0
) -> list[Store]:
    """Stores of the memories of a folder, by all authors or by some; a file is an author. ``seed``
    decides which memories stand together."""
    return [
        store for path in by_author(folder, authors) for store in _read(path, random.Random(seed))
    ]


def _read(path: Path, rng: random.Random) -> list[Store]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["new"] != row["memory"]]  # other rows have no edit
    rng.shuffle(rows)
    return [
        _store(rows[begin : begin + _TOGETHER], f"{path.stem}-{begin}", path.stem)
        for begin in range(0, len(rows), _TOGETHER)
    ]


def _store(rows: Sequence[dict[str, Any]], name: str, author: str) -> Store:
    memories, asked = [], []
    for number, row in enumerate(rows, 1):
        memories.append(record({"id": str(number), "text": row["memory"]}))
        steps = tuple(_step(edit) for edit in edits_between(row["memory"], row["new"]))
        hits = ((str(number),),) * len(steps)
        before = tuple(row.get("before", ()))
        asked.append(Row(row["u"], before, Draft(steps), "news", author, hits=hits))
    return Store(name, tuple(memories), author, asked)


def _step(edit: Exchange) -> Step:
    said = {"old": edit.old, "new": edit.new} if edit.old else {"text": edit.new}
    return Step("Update", {key: words for key, words in said.items() if words})


def applied(text: str, edits: Sequence[Exchange]) -> str | None:
    """The text after edits; None if one of them does not occur in it once. An empty ``old`` means
    the whole text."""
    for edit in edits:
        if not edit.old:
            text = edit.new
        elif text.count(edit.old) == 1:
            text = text.replace(edit.old, edit.new)
        else:
            return None
    return text


def edits_between(old: str, new: str) -> tuple[Exchange, ...]:
    """The changes from one text to another, in order; the whole text if little stays."""
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
        if all(edit.old for edit in edits) and applied(old, edits) == new:
            return edits
    return (Exchange("", new),)


def _joined(hunks: Sequence[Hunk], gap: int) -> list[Hunk]:
    """The changes, joined where at most ``gap`` equal tokens stand between them."""
    joined: list[Hunk] = []
    for a, b, c, d in hunks:
        if joined and a - joined[-1][1] <= gap:
            first, second = joined[-1][0], joined[-1][2]
            joined[-1] = (first, max(b, joined[-1][1]), second, max(d, joined[-1][3]))
        else:
            joined.append((a, b, c, d))
    return joined


def _widened(old: str, was: Sequence[re.Match[str]], a: int, b: int, c: int, d: int) -> Hunk:
    """A change with a neighbour if one of its sides is empty, and with as many more as make its old
    side occur once."""
    if a == b or c == d:
        a, b, c, d = (a - 1, b, c - 1, d) if a else (a, b + 1, c, d + 1)
    while a > 0 and (old.count(_span(old, was, a, b)) > 1 or _bare(old, was, a, b)):
        a, c = a - 1, c - 1
    while b < len(was) and old.count(_span(old, was, a, b)) > 1:
        b, d = b + 1, d + 1
    return a, b, c, d


def _bare(old: str, was: Sequence[re.Match[str]], a: int, b: int) -> bool:
    """Whether the old side is one Chinese character or has no letter or digit, which is too little
    to be found by."""
    said = _span(old, was, a, b)
    return (len(said) == 1 and not said.isascii()) or not any(map(str.isalnum, said))


def _span(text: str, tokens: Sequence[re.Match[str]], start: int, end: int) -> str:
    return text[tokens[start].start() : tokens[end - 1].end()] if start < end else ""
