"""Edits: find the words of a text that an edit exchanges, and what replaces them.

A change of one value changes nothing else, and no word is written that neither the request nor the
memory says. A value replaces a value of its kind (``kinds``). If the old words are not said, or are
of another kind, the one stretch of the text that is of the kind of the new ones is meant. If there
is none, or more than one, nothing is guessed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import islice

from text2mem.editing.days import completed, part_meant, whole
from text2mem.editing.kinds import (
    CLOCKS,
    DAYS,
    EARLY,
    LENGTHS,
    SHORT,
    fitted,
    holds_time,
    is_code,
    is_value,
    of_kind,
    said_in,
    spans,
    with_clock,
    with_unit,
)  # fmt: skip
from text2mem.editing.lists import alone, item_of, with_line, without
from text2mem.ir.exchange import places
from text2mem.ir.ops import Exchange
from text2mem.ir.times.beginnings import in_a_row
from text2mem.ir.times.clock_times import time_of_day
from text2mem.ir.times.duration import DAY
from text2mem.ir.times.measures import BEHIND, PER
from text2mem.ir.times.numerals import SPELT, WRITTEN, is_one_number, read_number
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.sums import shifted
from text2mem.ir.words.folding import fold
from text2mem.ir.words.joining import AFTER, BEFORE, SEPARATOR
from text2mem.ir.words.segment import HAN, STOPWORDS, query_terms

_MOST_WINDOWS = 20_000
"""The most stretches of a text that are compared with words that it may spell differently."""
_MOST_PLACES = 64
"""The most places of a value among which the one that is meant is looked for."""
_ALIKE = 0.84
_BEGINNING = re.compile(r"(?<!\S)\S|(?<=[\u2e80-\U0003ffff])\S")
"""Where words may begin."""
_CONTEXT, _LONGEST_VALUE = 6, 40
_LEAST_CONTEXT = {" ": 6, "": 2}
"""The least letters, or Chinese characters, of context that identify a place in a text."""
_CLAUSE = re.compile(r"[,.:](?!\d)|[;!?，。：；！？、\n]")
_WORD = re.compile(r"[^\W\d_]{2}|[\u3400-\u9fff\d]")
_WORD_BEFORE = re.compile(r"(?:[^\W\d_]+\s|[\u3400-\u9fff]{2})$")
_WORD_AFTER = re.compile(r"\s[^\W\d_]+|[\u3400-\u9fff]{1,2}")
_LETTER = re.compile("[A-Za-z]")
_RUN = re.compile(r"(?:[^\s,;]|(?<=\d),(?=\d{3}(?!\d)))+")
_CUT = re.compile(r"\d[.,]?\d$")
_CUT_OFF = re.compile(r"\d(?:,?\d|\.\d(?!\d))")  # not the 7 of 7.30
_FIGURES = re.compile(r"\d+(?:[.,:/]\d+)*")


def exchange(text: str, old: str, new: str, said: str = "") -> Exchange | None:
    """The exchange that is meant in ``text``; None if it cannot be told.

    An empty ``old`` means that nobody said the old words. An empty ``new`` takes the old words out,
    with the rest of the list item that they name, and its comma. ``said`` is the request: if the
    words before the new ones also stand in the text, what follows them there is what is replaced.
    """
    old, new = removed(text, old, whole(new, said))
    found = _stretch(text, old) if old else None
    if found is None:
        return _guessed(text, new, said) if new and new not in text else None
    if not new:
        return _removal(text, item_of(text, found) or found)
    meant = fitted(text, found, new)
    if meant is None or _part_of_a_code(meant, new):
        return None
    made = _apart(text, meant, with_unit(meant, with_clock(meant, completed(meant, new))))
    place = _place_told(text, meant, new, said)
    if place is not None:
        return None if _breaks_a_clock(text, *place, made) else _alone_at(text, *place, made)
    return None if SHORT.fullmatch(meant) else Exchange(meant, made)


def _guessed(text: str, new: str, said: str) -> Exchange | None:
    """The exchange for ``new``, where nobody said the old words: of the one stretch of its kind,
    else of what follows in the text after the same words."""
    same = [stretch for stretch in of_kind(text, new) if fold(stretch) != fold(new)]
    days = {at for span in in_a_row(text) for at in range(*span)}
    if days and len(set(same)) > _MOST_PLACES:
        return None
    held = [range(*place) for each in set(same) for place in places(text, each)] if days else []
    if not all(map(days.isdisjoint, held)):
        return None  # which end of them?
    same = part_meant(text, same, new)
    if len(set(same)) == 1 and _occurs_once(text, same[0]):
        return Exchange(same[0], with_unit(same[0], completed(same[0], new)))
    after = _after_the_same(text, new, said)
    return Exchange(after, new) if after and _occurs_once(text, after) else None


def _apart(text: str, old: str, new: str) -> str:
    """``new``; a Chinese numeral in figures, if it runs into one behind it (28 of 28一斤)."""
    behind = text[places(text, old)[0][1] :]
    number = read_number(new) if WRITTEN.fullmatch(new) and HAN.search(new) else None
    found = WRITTEN.match(new + behind) if number is not None else None
    return f"{number}" if found is not None and found.end() > len(new) else new


def _breaks_a_clock(text: str, start: int, end: int, new: str) -> bool:
    """Whether new words in place of a part of a time of the day make none: 29 of the 6 in 6pm."""
    parts = (each for each in spans(text, CLOCKS) if each[0] <= start and end <= each[1])
    if next((each for each in parts if each != (start, end)), None) is None:
        return False
    made = text[:start] + new + text[end:]
    clocks = (made[first:last] for first, last in spans(made, CLOCKS) if first <= start < last)
    return all(time_of_day(fold(each), EARLY) is None for each in clocks)


def _part_of_a_code(old: str, new: str) -> bool:
    """Whether a number replaces one at least twice as long: "it ends in 31" is no code."""
    code, part = (re.sub(r"[ -]", "", each) for each in (old, new))
    return is_code(code) and part.isdecimal() and 2 * len(part) <= len(code)


def removed(text: str, old: str, new: str) -> tuple[str, str]:
    """The old and the new words. If an item is taken off a list, only the item itself, without a
    comma that is written beside it or left in its place."""
    left, right = AFTER.match(old), BEFORE.search(old)
    bare = old[left.end() if left else 0 : right.start() if right else len(old)]
    gone = not re.sub(SEPARATOR, "", new).strip()
    return (bare, "") if gone and bare and _occurs_once(text, bare) else (old, new)


def summed(
    text: str, old: str, amount: str, said: str = "", *, up: bool, clock: Clock
) -> Exchange | None:
    """The exchange of ``old`` for the sum of it and an amount; None if it cannot be told."""
    found = _stretch(text, old)
    place = _place_told(text, found, amount, said) if found else None
    if place is None:
        return None
    start, end = _whole_number(text, *place)
    part = WRITTEN.fullmatch(text[start:end]) or _LETTER.match(text, end)
    length = clock.length(amount) if part else None
    if length is not None and not length.seconds % DAY:  # the 12 of 12 March, the Fri of Friday
        within = (day for day in spans(text, DAYS) if day[0] <= start and end <= day[1])
        start, end = next(within, (start, end))
    held = text[start:end]
    behind = BEHIND.match(fold(text), end)
    plain = text.replace("-", " ")  # a 12-week plan
    of_length = (plain[end:last] for first, last in spans(plain, LENGTHS) if first == start)
    unit = behind[0] if behind else next(of_length, "")  # the " hours" of "49.5 hours"
    pace = PER.match(fold(text), end)  # the /km of 5:40/km
    unit = unit if WRITTEN.fullmatch(held) else pace[0] if pace else ""
    new = shifted(held + unit, amount, up=up, clock=clock)
    new = new and new.removesuffix(unit)
    return _alone_at(text, start, end, new) if new and new != held else None


def other_moment(text: str, old: str) -> str | None:
    """The one day, or time of the day, of a text, where ``old`` is another one, as of several
    memories that all are a day later."""
    shapes = next((each for each in (DAYS, CLOCKS) if any(spans(old, each))), ())
    held = said_in(text, shapes)
    return held[0] if len(held) == 1 else None


def _whole_number(text: str, start: int, end: int) -> tuple[int, int]:
    """The place of the number of which this place is a part (5 of 25, one of twenty-one), or else
    this one.
    What follows a point counts by itself: in a version, and of hours and minutes."""
    folded = fold(text)
    for run in (*WRITTEN.finditer(folded), *SPELT.finditer(folded)):
        if run.start() <= start and end <= run.end() and "." not in text[run.start() : start]:
            return run.span()
    return start, end


def appended(text: str, words: str) -> str:
    """The text with words added, joined in the way of the text."""
    head = text.rstrip()
    words = words.strip()
    if not head:
        return words
    lines = with_line(head, words)
    if lines is not None:
        return lines
    listed = len(re.findall(r"[,，、]", head)) >= 1 and len(words) < 40
    if HAN.search(head):
        mark = "、" if "、" in head and listed and head[-1] not in "。！？" else "；"
        return f"{head}{words}" if head[-1] in "。！？；，、：:" else f"{head}{mark}{words}"
    if head[-1] in ".!?:;,":
        return f"{head} {words}"
    return f"{head}, {words}" if listed or ":" in head else f"{head}; {words}"


def _occurs_once(text: str, words: str) -> bool:
    return len(places(text, words)) == 1


def _stretch(text: str, words: str) -> str | None:
    """``words`` as the text spells them: exactly, in another case, with a typo, or as another form
    of the same number (4.50 for 4.5). None if the text does not hold them."""
    numbers = _numbers(words)
    if _FIGURES.fullmatch(words):
        same = [found[0] for found in _FIGURES.finditer(text) if _numbers(found[0]) == numbers]
        if same and words not in same:
            return same[0] if len(set(same)) == 1 else None
    folded, said = fold(text), fold(words)
    cut = not _FIGURES.fullmatch(words) and all(
        _CUT.search(folded[max(0, at.start() - 2) : at.start() + 1])
        or _CUT_OFF.match(folded, at.end() - 1)
        for at in re.finditer(re.escape(said), folded)
    )  # the "5 l" of "4.5 l", the "flat 2" of "flat 21"
    if words in text and not cut:
        return words
    if WRITTEN.fullmatch(words):  # 两千 where the text has 2000
        worth = read_number(words)
        same = [run for run in _runs(text) if read_number(run) == worth]
        return same[0] if len(same) == 1 else None
    at = folded.find(said)
    if at >= 0 and not cut:
        return text[at : at + len(words)]
    best, ratio = None, _ALIKE
    alike = SequenceMatcher(autojunk=False)
    alike.set_seq2(fold(words))
    for candidate in islice(_windows(text, words), _MOST_WINDOWS):
        alike.set_seq1(fold(candidate))
        # The first two are cheap upper bounds of the third.
        bounds = (alike.real_quick_ratio, alike.quick_ratio, alike.ratio)
        if all(bound() > ratio for bound in bounds) and _numbers(candidate) == numbers:
            best, ratio = candidate, alike.ratio()
    return best


def _numbers(words: str) -> list[int | float | str]:
    """The numbers of words written in digits, as values."""
    pairs = ((each[0], read_number(each[0])) for each in _FIGURES.finditer(words))
    return [figures.lstrip("0") if value is None else value for figures, value in pairs]


def _runs(text: str) -> list[str]:
    return [run[0] for run in WRITTEN.finditer(text)]


def _after_the_same(text: str, new: str, said: str) -> str | None:
    """What stands in the text after the words that precede the new ones in the request."""
    head, found, _ = fold(said).partition(fold(new))
    if not found:
        return None
    folded = fold(text)
    gap = "" if HAN.search(head) else " "
    words = head.split() if gap else list(head.replace(" ", ""))
    for size in range(min(_CONTEXT, len(words)), 1, -1):
        context = gap.join(words[-size:])
        at = folded.find(context)
        if at < 0 or folded.count(context) > 1 or len(context) < _LEAST_CONTEXT[gap]:
            continue
        rest = re.match(r"\s*(.+?)(?=[.;,!?。；，！？]|$)", text[at + len(context) :], re.DOTALL)
        if rest is not None and len(rest[1]) <= _LONGEST_VALUE:
            more = len(_numbers(rest[1])) > max(1, len(_numbers(new)))
            if WRITTEN.fullmatch(new):
                more = more or holds_time(rest[1]) or not all(map(is_one_number, _runs(rest[1])))
            return None if more else rest[1].strip()
    return None


def _windows(text: str, words: str) -> Iterator[str]:
    """Stretches of a text about as long as ``words``: of whole words, or of Chinese characters."""
    if HAN.search(words):
        for size in range(max(1, len(words) - 1), len(words) + 2):
            yield from (text[i : i + size] for i in range(len(text) - size + 1))
        return
    found = [match.span() for match in _RUN.finditer(text)]
    length = len(words.split())
    for size in range(max(1, length - 1), length + 2):
        for i in range(len(found) - size + 1):
            yield text[found[i][0] : found[i + size - 1][1]].strip(".!?。")


def _removal(text: str, words: str) -> Exchange | None:
    """The exchange that takes out words together with what joined them to others; None if several
    places may be meant, or it cannot be told what belongs to them."""
    found = places(text, words)
    if len(found) > 1:
        found = [each for each in found if alone(text, *each)]
    gone = without(text, *found[0]) if len(found) == 1 else None
    if gone is None:
        return None
    start, end, new = gone
    return _alone_at(text, start, end, new)


def _alone_at(text: str, start: int, end: int, new: str) -> Exchange | None:
    """The exchange of the words at a place of a text, with the words before or behind them where
    they also stand elsewhere: an exchange applies to every place."""
    begins = reversed([each.start() for each in _BEGINNING.finditer(text, 0, start)])
    behind = (each.end() for each in _WORD_AFTER.finditer(text, end))
    for first, last in (
        (start, end),
        *((at, end) for at in begins),
        *((start, at) for at in behind),
    ):
        if len(places(text, text[first:last])) == 1:
            return Exchange(text[first:last], text[first:start] + new + text[end:last])
    return None


def _place_told(text: str, value: str, new: str, said: str) -> tuple[int, int] | None:
    """The only place of a value, or the one of several that the request speaks of: its clause holds
    words of the request, the nearest to them ("rent £850, deposit £850"), or a short number stands
    beside the same word in both ("room 12"). None if it cannot be told, as of a code."""
    held = places(text, value)
    if len(held) == 1:
        return held[0]
    if not 2 <= len(held) <= _MOST_PLACES or is_code(value) or not is_value(value):
        return None
    numbers = {*_numbers(value), *_numbers(new)}
    rest = _FIGURES.sub(lambda found: "" if {*_numbers(found[0])} <= numbers else found[0], said)
    terms = {*filter(_WORD.search, query_terms(rest))} - {*query_terms(value)} - STOPWORDS
    clauses = [_gaps(text, place, terms) for place in held]
    everywhere = set.intersection(*map(set, clauses))
    gaps = [
        min((gap for term, gap in each.items() if term not in everywhere), default=math.inf)
        for each in clauses
    ]
    nearest = min(gaps)
    if nearest < math.inf and gaps.count(nearest) == 1:
        return held[gaps.index(nearest)]
    values = (value, new) if SHORT.fullmatch(value) else ()
    beside = [place for place in held if _says_beside(said, text, place, values)]
    return beside[0] if len(beside) == 1 else None


def _gaps(text: str, place: tuple[int, int], terms: Iterable[str]) -> dict[str, int]:
    """How far each term is from a place of a text, of those that the clause of the place holds."""
    start, end = place
    first = max((each.end() for each in _CLAUSE.finditer(text, 0, start)), default=0)
    last = next((each.start() for each in _CLAUSE.finditer(text, end)), len(text))
    clause = fold(text)[first:last]
    found = {term: places(clause, term) for term in terms}
    gaps = {
        term: min(max(start - first - after, before - end + first) for before, after in each)
        for term, each in found.items() if each
    }  # fmt: skip
    return {term: gap for term, gap in gaps.items() if gap >= 0}  # the 5 of 850 is not beside it


def _says_beside(said: str, text: str, place: tuple[int, int], values: Iterable[str]) -> bool:
    """Whether a request says one of some values beside the word before, or behind, a place."""
    near = text[max(0, place[0] - _LONGEST_VALUE) : place[0]]
    before, after = _WORD_BEFORE.search(near), _WORD_AFTER.match(text, place[1])
    beside = [before[0] + each for each in values] if before else []
    beside += [each + after[0] for each in values] if after else []
    return any(places(fold(said), fold(each)) for each in beside)
