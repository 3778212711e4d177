"""Tables of patterns, one for each language and family, and the one way in which they are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from text2mem.planner.evidence.model import Kind
from text2mem.planner.evidence.text import Text
from text2mem.planner.evidence.times import Found

Value = Callable[["re.Match[str]"], Any]
Finish = Callable[[str], "str | None"]


@dataclass(frozen=True, slots=True)
class Row:
    """What a pattern says: ``value`` makes it of the match, None for nothing.

    The words are those of the group ``said`` where there is one. Where ``about`` is given, the
    utterance must hold it too, and nothing of ``unless``.
    """

    kind: Kind
    pattern: re.Pattern[str]
    value: Value
    about: re.Pattern[str] | None = None
    unless: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """A value that is the words themselves, as they were written.

    ``finish`` may shorten them to words that they start with, or refuse them.
    """

    finish: Finish = str.strip

    def __call__(self, _: re.Match[str]) -> Any:
        return self


def constant(value: Any) -> Value:
    """The same value for every match."""
    return lambda _: value


def read_rows(text: Text, rows: Sequence[Row]) -> Iterator[Found]:
    """What the rows of a table say of the utterance."""
    for row in rows:
        if row.about is not None and row.about.search(text.asked) is None:
            continue
        if row.unless is not None and row.unless.search(text.asked) is not None:
            continue
        group = "said" if "said" in row.pattern.groupindex else 0
        for found in row.pattern.finditer(text.asked):
            value, (start, end) = row.value(found), found.span(group)
            if isinstance(value, Words):
                written = text.utterance[start:end].lstrip()
                start = end - len(written)
                value = value.finish(written)
                end = start + len(value) if value else end
            if value is not None and value != "":
                yield Found(row.kind, value, start, end)
