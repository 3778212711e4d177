"""Count the words for times in the drafts of the data that code cannot read: ``python -m
training.times``, with ``--show N`` to list that many of each slot.

They are read at one instant, beside a memory that is due at another. Some name no time ("until he
is back"); others are of a weekday that does not fit the instant.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from text2mem.ir.times.moments import read_end, read_reminder, read_when
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.stretches import read_stretches
from text2mem.ir.words.segment import HAN
from text2mem.planner.draft import Draft
from training.rows import load, stores

_AT = Clock(datetime(2026, 11, 30, 10, tzinfo=UTC), ZoneInfo("Europe/Oslo"))
_DUE = datetime(2026, 12, 10, 14, tzinfo=UTC)
_READERS = {
    "remind": lambda words: read_reminder(words, _AT, _DUE),
    "until": lambda words: read_end(words, _AT),
    "date": lambda words: read_when(words, _AT),
    "from": lambda words: read_stretches(words, _AT, roughly=True),
    "as_of": lambda words: read_stretches(words, _AT),
}


def unread(drafts: Iterable[Draft]) -> tuple[Counter[str], dict[str, Counter[str]]]:
    """How many words each slot has, by language ("remind en"), and those that cannot be read."""
    said: Counter[str] = Counter()
    left: dict[str, Counter[str]] = defaultdict(Counter)
    for draft in drafts:
        for step in draft.steps:
            for slot, read in _READERS.items():
                if words := step.words(slot):
                    key = f"{slot} {'zh' if HAN.search(words) else 'en'}"
                    said[key] += 1
                    if not read(words):
                        left[key][words] += 1
    return said, left


def main() -> None:
    """Print the counts, and with ``--show`` the words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", type=int, default=0, metavar="N")
    shown = parser.parse_args().show
    said, left = unread(row.draft for row in (*load(), *(r for s in stores() for r in s.rows)))
    for key in sorted(said):
        print(f"{key}: {left[key].total()} of {said[key]} are not read")
        for words, _ in left[key].most_common(shown):
            print(f"    {words}")


if __name__ == "__main__":
    main()
