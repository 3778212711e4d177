"""The picture: the part of the store that a reader is shown beside the request.

It is the whole store if it fits the budget, else the nearest memories by words and vectors. Every
line is data. An able reader tells data from instructions by the frame that the prompt explains, a
tuned one by the form that it has learnt.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import cached_property

from text2mem.ir.record import Record
from text2mem.ir.times.temporal import format_local
from text2mem.ir.turn import spoken_of
from text2mem.ir.words.priority import level_of
from text2mem.planner.ask import Ask
from text2mem.planner.sight import HIDDEN, NEAREST, Sight, distinct

_TAGS = 40
_TENS = 10
_LETTERS_PER_TOKEN = 3
_LEAST = 4
"""The least tokens of the line of a memory."""
_LONGEST = 600
_SHORT = 300
"""How many characters of a memory a tuned reader is shown."""
_NAME = 2
"""The least words, or twice as many Chinese characters, that name a memory."""
_WIDE = "\u2e80"
_PIECES = re.compile(r"[^\s\u2e80-\U0003ffff]+|[\u2e80-\U0003ffff]")


@dataclass(frozen=True)
class View:
    """The memories that a reader is shown, the oldest first, out of ``total`` visible ones."""

    records: tuple[Record, ...] = ()
    total: int = 0

    @property
    def whole(self) -> bool:
        """Whether these are all memories."""
        return len(self.records) >= self.total

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The text that is shown of each memory, by id. No two are the same."""
        shown = {record.id: _cut(one_line(record.text), _SHORT) for record in self.records}
        often = Counter(shown.values())
        return {id_: text if text and often[text] == 1 else f"{id_}: {text}"
                for id_, text in shown.items()}  # fmt: skip

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The name of each memory for a tuned reader, by id: the shortest beginning of its text, of
        ``_NAME`` or more, that no other text has."""
        return {id_: self._name(id_) for id_ in self.texts}

    def _name(self, id_: str) -> str:
        text = self.texts[id_]
        others = [other for key, other in self.texts.items() if key != id_]
        size = 0.0
        for piece in _PIECES.finditer(text):
            size += 0.5 if piece[0] > _WIDE else 1.0
            name = text[: piece.end()]
            if size >= _NAME and not any(other.startswith(name) for other in others):
                return name
        return text


def look(ask: Ask, budget: int, fewer: int = 0) -> View:
    """What can be shown in about ``budget`` tokens: everything, or else the nearest memories. These
    get ``fewer`` tokens if that is not 0."""
    assert ask.sight is not None
    everything = whole(ask.sight, budget)
    if everything is not None:
        return everything
    hits = ask.sight.search(ask.utterance, NEAREST, HIDDEN[:1])
    nearest = distinct((*hits, *ask.sight.store.find(spoken_of(ask.context)).values()))
    fitting = _fitting(nearest, fewer or budget)
    shown = tuple(sorted(fitting, key=lambda record: int(record.id)))
    return View(shown, max(ask.total, len(shown) + 1))


def whole(sight: Sight, budget: int) -> View | None:
    """Every memory that is not deleted; None if they do not fit."""
    if sight.visible.matched * _LEAST > budget:
        return None
    found = sight.everything
    if found.cut and sum(map(_size, sight.visible.rows)) <= budget:
        found = sight.store.everything(budget // _LEAST, include=HIDDEN[:1])
    rows = (record for record in found.rows if not record.deleted)
    everything = tuple(sorted(rows, key=lambda record: int(record.id)))
    fits = not found.cut and sum(map(_size, everything)) <= budget
    return View(everything, len(everything)) if fits else None


def show(ask: Ask, budget: int) -> str:
    """The store as an able reader sees it, in about ``budget`` tokens; empty without a store."""
    if ask.store is None:
        return ""
    view = look(ask, budget)
    shown = f"{len(view.records)} of {view.total} memories shown"
    lines = ["<store>", f"{view.total} memories" if view.whole else shown]
    lines += (_line(record, ask.tz) for record in view.records)
    if tags := [one_line(tag) for tag in ask.store.tags(_TAGS)]:
        lines.append(f"tags in use: {_data(tags)}")
    return "\n".join((*lines, "</store>"))


def listed(view: View) -> str:
    """The view in the form that a tuned reader has learnt: a line each, with its states in
    brackets.

    It begins the prompt, so the engine can reuse what it has read of a store for the next request.
    The number of memories is rounded up to tens, so this still works after one more memory.
    """
    shown, total = len(view.records), -(-view.total // _TENS) * _TENS
    number = f"{total}" if view.whole else f"{shown} of {total}"
    lines = (_listed(record, view.texts[record.id]) for record in view.records)
    return "".join((f"Memories: {number}\n", *lines))


def _listed(record: Record, text: str) -> str:
    """A memory as a line for a tuned reader: its text, its tags, and what is set on it."""
    tags = "".join(f" #{one_line(tag)}" for tag in record.tags)
    set_on_it = (
        ("put away", record.archived),
        ("locked", record.lock_mode == "read_only"),
        ("only added to", record.lock_mode == "append_only"),
        ("reminder", bool(record.remind_rrule or record.remind_next)),
        ("ends", record.expire_at is not None),
    )
    marks = ", ".join(name for name, holds in set_on_it if holds)
    return f"{text}{tags}{f' ({marks})' if marks else ''}\n"


def turns(ask: Ask, most: int = 6) -> str:
    """The last ``most`` turns, a line each, with the ids of their memories."""
    out = []
    for turn in ask.context[-most:]:
        text = " ".join(turn.text.split())
        ids = f" → memories {', '.join(turn.ids)}" if turn.ids else ""
        out.append(f"{'Asked back' if turn.question else 'Before'}: {text}{ids}")
    return "\n".join(out)


def _fitting(records: Sequence[Record], budget: int) -> Iterator[Record]:
    """Yield the nearest memory, however long, and each later one that still fits the budget."""
    for place, record in enumerate(records):
        size = _size(record)
        if place and size > budget:
            continue
        budget -= size
        yield record


def _size(record: Record) -> int:
    """About how many tokens a line about a memory has."""
    letters = len(_line(record, UTC))
    wide = sum(character > _WIDE for character in record.text[:_LONGEST])
    return wide + (letters - wide) // _LETTERS_PER_TOKEN


def _line(record: Record, tz: tzinfo) -> str:
    """One memory as its id and a line of JSON. Nothing in it can end the line or the frame."""
    level = level_of(record.weight)
    more = {
        "tags": [one_line(tag) for tag in record.tags],
        "time": record.time and format_local(record.time, tz),
        "priority": level if level != "normal" and not record.archived else None,
        "archived": record.archived,
        "locked": record.lock_mode,
        "remind": _rings(record, tz),
        "expires": record.expire_at and format_local(record.expire_at, tz),
    }
    given = {name: value for name, value in more.items() if value}
    return f"{record.id} {_data({'text': _cut(one_line(record.text), _LONGEST), **given})}"


def _rings(record: Record, tz: tzinfo) -> str | None:
    """By which rule, if any, and when next a memory reminds."""
    due = None if record.remind_next is None else format_local(record.remind_next, tz)
    return f"{record.remind_rrule}, next {due}" if record.remind_rrule and due else due


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"


def one_line(text: str) -> str:
    """A text in one line. It cannot contain the marks at which a model's turns begin and end."""
    return " ".join(text.split()).replace("<|", "< |")


def _data(value: object) -> str:
    """JSON in which nothing can end the frame."""
    return json.dumps(value, ensure_ascii=False).replace("<", "‹")
