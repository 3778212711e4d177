"""Estimate whether a note that names a bare day means the past one or the one to come.

"The boiler was serviced on Friday" and "boiler man Friday" name a day in the same words. A logistic
regression over the rest of the note tells which is meant (``training/tense.py`` makes the weights).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
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
"""The name of the constant term in the file."""
_LIKELY = 0.9
"""The least probability for the past day, since most notes are about what is to come."""
_LATELY, _FAR, _LIKELY_FAR = timedelta(days=60), timedelta(days=270), 0.7
"""The least probability where the past day was lately, and the day to come is far ahead: who means
a day of next year mostly says so."""
_WEEK = timedelta(days=7)
_HERE = "\u2316"
"""The mark that replaces the words of the day."""
_LATIN = re.compile(rf"[a-z]+(?:'[a-z]+)?|\d+|{_HERE}|[^\w\s]")
_BEFORE = re.compile(r"^[a-z]{2} ")
"""A short word before a day ("on Friday", "by the 12th"), which belongs to the note."""
_LONGEST = 3
"""The most words or characters of a feature."""
_ENDINGS = (2, 3)
"""The lengths of the endings of words that are features."""


def gone(note: str, words: str, clock: Clock, least: float = 0.0) -> datetime | None:
    """The past instant that ``words``, a bare day, name in a note that is about the past; with
    ``least``, at that probability or more where that day is not much further away."""
    stretches = read_stretches(words, clock)
    if len(stretches) < 2:
        return None
    ago, ahead = clock.now - stretches[0].start, stretches[-1].start - clock.now
    rather = 0 < least <= past(note, words) and ago <= max(ahead, _WEEK)
    if not (rather or is_past(note, words, ago, ahead)):
        return None
    eve = clock.midnight(stretches[0].start) - timedelta(seconds=1)
    found = read_when(words, Clock(eve, clock.tz))
    return found if found is not None and found <= clock.now else None


def is_past(note: str, words: str, ago: timedelta, ahead: timedelta) -> bool:
    """Whether the day that ``words`` name in a note is rather the one so long ago than the one so
    far ahead."""
    least = _LIKELY_FAR if ago < _LATELY and ahead > _FAR else _LIKELY
    return past(note, words) >= least


def past(note: str, words: str) -> float:
    """The probability that the day that ``words`` name in a note is the past one."""
    return likely(features(note, words), _weights())


def likely(found: Collection[str], weights: Mapping[str, float]) -> float:
    """The probability that the day is the past one, for a note with the features ``found``."""
    total = sum(weights.get(feature, 0.0) for feature in found)
    return logistic(weights[BIAS] + total / len(found) ** 0.5)


def features(note: str, words: str) -> frozenset[str]:
    """The features of a note: runs of up to three words or characters; of words also the endings,
    and the side of the day that they are on. A mark replaces the day, and 0 any number."""
    text = fold(note).replace(_BEFORE.sub("", fold(words)), f" {_HERE} ", 1)
    if HAN.search(text):
        row = ["^", *re.sub(r"\d+", "0", "".join(text.split())), "$"]
        return frozenset(_runs(row, ""))
    row = ["^", *("0" if word.isdigit() else word for word in _LATIN.findall(text)), "$"]
    ends = {f"~{word[-n:]}" for word in row for n in _ENDINGS if len(word) > 4 and word.isalpha()}
    here = row.index(_HERE) if _HERE in row else len(row)
    sides = {f"<{word}" for word in row[:here]} | {f">{word}" for word in row[here + 1 :]}
    return frozenset(_runs(row, " ")) | ends | sides


def _runs(row: list[str], joint: str) -> set[str]:
    """All runs of up to ``_LONGEST`` items of a row, joined by ``joint``."""
    lengths = range(1, _LONGEST + 1)
    return {joint.join(row[i : i + n]) for n in lengths for i in range(len(row) - n + 1)}


@cache
def _weights() -> dict[str, float]:
    weights: dict[str, float] = json.loads(FILE.read_text(encoding="utf-8"))
    return weights
