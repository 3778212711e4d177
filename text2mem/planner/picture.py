"""The picture: what of the store an able reader is shown beside the request.

The whole store while it fits the budget, else the nearest memories by words and vectors; every line
is data, told apart from instructions by the frame that the prompt explains.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from text2mem.ir.ops import ByFilter
from text2mem.ir.ports import StoreView
from text2mem.ir.record import Record
from text2mem.ir.temporal import format_instant
from text2mem.planner.ask import Ask

_NEAREST = 24
_TAGS = 40
_LETTERS_PER_TOKEN = 3
_LONGEST = 600


def show(ask: Ask, budget: int) -> str:
    """The store as the reader sees it, in about ``budget`` tokens at most; empty without one."""
    if ask.store is None:
        return ""
    everything = _all(ask.store)
    lines = [_line(record) for record in everything]
    room = budget * _LETTERS_PER_TOKEN
    if sum(map(len, lines)) > room or ask.total > len(everything):
        nearest = _nearest(ask)
        lines = list(_fitting((_line(record) for record in nearest), room))
    total = max(ask.total, len(lines))
    tags = _data([_folded(tag) for tag in ask.store.tags(_TAGS)])
    head = f"{len(lines)} of {total} memories shown" if len(lines) < total else f"{total} memories"
    return "\n".join(
        ("<store>", head, *lines, f"tags in use: {tags}" if tags != "[]" else "", "</store>")
    ).replace("\n\n", "\n")  # fmt: skip


def turns(ask: Ask, most: int = 6) -> str:
    """The earlier turns, a line each, with the ids of what came of them."""
    out = []
    for turn in ask.context[-most:]:
        text = " ".join(turn.text.split())
        ids = f" → memories {', '.join(turn.ids)}" if turn.ids else ""
        out.append(f"{'Asked back' if turn.question else 'Before'}: {text}{ids}")
    return "\n".join(out)


def _all(store: StoreView) -> Sequence[Record]:
    rows = store.select(ByFilter(weight_gte=0.0, include=("archived",)))
    return sorted(rows, key=lambda record: int(record.id))


def _nearest(ask: Ask) -> list[Record]:
    assert ask.store is not None
    words = ask.utterance
    vector = tuple(ask.embedder.embed([words], kind="query")[0]) if ask.embedder else None
    hits = ask.store.search(
        words, vector=vector, limit=_NEAREST, include=("archived",), floor=False
    )
    found = {hit.record.id: hit.record for hit in hits}
    for record in ask.store.find([id_ for turn in ask.context for id_ in turn.ids]).values():
        found.setdefault(record.id, record)
    return list(found.values())


def _fitting(lines: Iterable[str], room: int) -> Iterable[str]:
    for line in lines:
        room -= len(line)
        if room < 0:
            return
        yield line


def _line(record: Record) -> str:
    """One memory as a line of JSON after its id: nothing in it can end the line or the frame."""
    text = _folded(record.text)
    shown: dict[str, object] = {"text": text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"}
    if record.tags:
        shown["tags"] = [_folded(tag) for tag in record.tags]
    if record.time is not None:
        shown["time"] = format_instant(record.time)
    if record.archived:
        shown["archived"] = True
    if record.lock_mode:
        shown["locked"] = record.lock_mode
    if record.remind_rrule or record.remind_next:
        shown["remind"] = record.remind_rrule or format_instant(record.remind_next)
    if record.expire_at is not None:
        shown["expires"] = format_instant(record.expire_at)
    return f"{record.id} {_data(shown)}"


def _folded(text: str) -> str:
    """A text in one line, whatever ends lines in it."""
    return " ".join(text.split())


def _data(value: object) -> str:
    """JSON in which nothing can end the frame."""
    return json.dumps(value, ensure_ascii=False).replace("<", "‹")
