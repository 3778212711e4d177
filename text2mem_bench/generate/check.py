"""What a generated case has to satisfy before it is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from text2mem_bench.generate.marks import Marked
from text2mem_bench.generate.model import Step

_WRITTEN = re.compile(
    r"\bP(?:\d+[YMWD])+(?:T\d+[HMS])?\b|\bPT\d|\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\bFREQ=|\bBY(?:DAY|HOUR)"
    r"|\$\d|#\d|\bids?\s*\d|\bmemory \d|[{}\[\]<>]|[a-z]+_[a-z]+|\b(?:null|true|false|None)\b"
    r"|\b(?:ENC|STO|RET)\b",
    re.ASCII,  # so that a Chinese character is no letter, and a name beside it a word
)
"""ISO instants and durations, rules, ids, step references, JSON, names with underscores."""


_NOT_WORDS = re.compile(
    r"\b(?:rrule|ttl|facets|payload|fts|json|sql|utc)\b", re.IGNORECASE | re.ASCII
)
"""Names of the language, and of what is below it, that are no words of people."""


def leaks(text: str) -> str:
    """What of the language's own spelling a request gives away; empty where it gives away nothing.

    Names that people use as well, such as "type" or "tags", are nobody's identifiers.
    """
    found = _WRITTEN.search(text) or _NOT_WORDS.search(text)
    return found[0] if found else ""


def says_all(steps: Sequence[Step], turns: Sequence[Sequence[Marked]]) -> bool:
    """Whether every value that the program needs is said in one of the turns."""
    said = {marked.slot.pointer for turn in turns for marked in turn}
    return all(step.needed <= said for step in steps)


def stands_for(program: Sequence[Any], pointer: str) -> Any:
    """What a JSON Pointer finds in a program. Raises LookupError."""
    value: Any = program
    for token in pointer.removeprefix("/").split("/"):
        value = value[int(token)] if isinstance(value, list | tuple) else value[token]
    return value
