"""Whether a note that names a bare day tells of the day past or of the one to come.

"The boiler was serviced on Friday" and "boiler man Friday" name a day in the same words; which one
is meant the rest of the note tells. A logistic regression over its words, or its characters in
Chinese, weighs that (``training/tense.py`` makes ``tense.json``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from datetime import datetime, time, timedelta
from functools import cache
from pathlib import Path

from text2mem.ir.times.moments import read_when
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.stretches import read_stretches
from text2mem.ir.words.folding import fold
from text2mem.ir.words.likeness import logistic
from text2mem.ir.words.segment import HAN

FILE = Path(__file__).with_name("tense.json")
BIAS = ""
"""What stands in the file for the constant."""
_LIKELY = 0.9
"""From which likelihood on the day past is meant: most notes are of what is to come."""
_HERE = "\u2316"
_LATIN = re.compile(rf"[a-z]+(?:'[a-z]+)?|\d+|{_HERE}|[^\w\s]")
_BEFORE = re.compile(r"^[a-z]{2} ")
"""What stands before a day ("on Friday", "by the 12th") is a word of the note, not of the day."""
_LONGEST = 3
_ENDINGS = (2, 3)


def gone(note: str, words: str, clock: Clock) -> datetime | None:
    """The instant past that ``words`` name in a note; None where they name no bare day, or the note
    does not tell of what has been."""
    stretches = read_stretches(words, clock)
    if len(stretches) < 2 or past(note, words) < _LIKELY:
        return None
    day = stretches[0].start.astimezone(clock.tz).date()
    eve = datetime.combine(day, time(), clock.tz) - timedelta(seconds=1)
    found = read_when(words, Clock(eve, clock.tz))
    return found if found is not None and found <= clock.now else None


def past(note: str, words: str) -> float:
    """How likely the day that ``words`` name in a note is the one past."""
    return likely(features(note, words), _weights())


def likely(found: Collection[str], weights: Mapping[str, float]) -> float:
    """How likely the day is past of a note that is weighed by ``found``."""
    total = sum(weights.get(each, 0.0) for each in found)
    return logistic(weights[BIAS] + total / len(found) ** 0.5)


def features(note: str, words: str) -> frozenset[str]:
    """What a note is weighed by: up to three words or characters in a row, with a mark in the place
    of the day's words and 0 for any number; of words also the endings, and on which side of the
    mark they stand ("was moved to Friday" and "on Friday it was moved")."""
    text = fold(note).replace(_BEFORE.sub("", fold(words)), f" {_HERE} ", 1)
    if HAN.search(text):
        row = ["^", *re.sub(r"\d+", "0", "".join(text.split())), "$"]
        return frozenset(_runs(row, ""))
    row = ["^", *("0" if each.isdigit() else each for each in _LATIN.findall(text)), "$"]
    ends = {f"~{each[-n:]}" for each in row for n in _ENDINGS if len(each) > 4 and each.isalpha()}
    here = row.index(_HERE) if _HERE in row else len(row)
    sides = {f"<{each}" for each in row[:here]} | {f">{each}" for each in row[here + 1 :]}
    return frozenset(_runs(row, " ")) | ends | sides


def _runs(row: list[str], joint: str) -> set[str]:
    lengths = range(1, _LONGEST + 1)
    return {joint.join(row[i : i + n]) for n in lengths for i in range(len(row) - n + 1)}


@cache
def _weights() -> dict[str, float]:
    held: dict[str, float] = json.loads(FILE.read_text(encoding="utf-8"))
    return held
