"""From an utterance to its evidence: every family reads, and what they found is put together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo

from text2mem.planner.evidence.model import Clause, Evidence, Kind
from text2mem.planner.evidence.quotes import quotations, quoted
from text2mem.planner.evidence.text import Span, Text, fold
from text2mem.planner.evidence.times import Clock, Found

_IN_NAMES: frozenset[Kind] = frozenset(
    {"flag", "lock_mode", "pronoun", "latest", "language", "order", "limit", "reviewer", "focus"}
)
"""What is not read from a name."""


_DONE: frozenset[Kind] = frozenset({"flag", "lock_mode"})
"""What is done, and is not asked for by a condition: "unless it is locked"."""


def read_evidence(utterance: str, *, now: datetime, tz: tzinfo) -> Evidence:
    """What ``utterance`` says; ``now`` is aware, naive times and days are read in ``tz``."""
    # Imported here: the patterns of a language take some hundredths of a second to compile.
    from text2mem.planner.evidence.clauses import read_clauses
    from text2mem.planner.evidence.languages import languages_of

    text, clock = as_text(utterance), Clock(now, tz)
    languages = languages_of(text.plain)
    names = [found for one in languages for found in one.names(text)]
    names = _distinct([*names, *_ids(text)])
    tags = [name for name in names if name.kind in ("tag", "facet")]
    rows = [found for one in languages for found in one.said(text)]
    rows = _outside(rows, tags)
    rest = text.without(Span(name.start, name.end) for name in names)
    times: list[Found] = []
    for one in languages:
        found = list(one.times(rest, clock))
        times += found
        rest = rest.without(Span(time.start, time.end) for time in found)
    quotes = [Found("quote", one.value, one.start, one.end) for one in text.quotations]
    found = _distinct([*quotes, *names, *rows, *times])
    conditions = [Span(one.start, one.end) for one in found if one.kind == "condition"]
    found = [one for one in found if one.kind not in _DONE or not _within(one, conditions)]
    clauses = read_clauses(text, conditions, [one.connectors for one in languages])
    found = _joined(found, clauses)
    mentions = [mention for one in found for mention in one.mentions(text)]
    mentions.sort(key=lambda one: (one.start, one.end, one.kind))
    return Evidence(utterance, tuple(mentions), clauses)


def as_text(utterance: str) -> Text:
    """The utterance with its quotations and contents masked."""
    from text2mem.planner.evidence.content import with_contents

    plain = fold(utterance)
    found = quotations(utterance)
    shown = quoted(plain, found)
    return with_contents(Text(utterance, plain, shown, shown, found))


def _ids(text: Text) -> Iterator[Found]:
    from text2mem.planner.evidence.ids import read_ids

    return read_ids(text)


def _within(one: Found, spans: Sequence[Span]) -> bool:
    return any(span.holds(one.start, one.end) for span in spans)


def _outside(rows: Iterable[Found], names: Iterable[Found]) -> list[Found]:
    """Without what would be read from names: a tag "archive" archives nothing."""
    spans = sorted((name.start, name.end) for name in names)
    starts = [start for start, _ in spans]

    def named(one: Found) -> bool:
        at = bisect_right(starts, one.start) - 1
        return one.kind in _IN_NAMES and at >= 0 and one.end <= spans[at][1]

    return [one for one in rows if not named(one)]


def _distinct(found: Sequence[Found]) -> list[Found]:
    """Without what overlaps something longer of its own kind, and tags that are facets."""
    kept: dict[str, list[Found]] = {}
    for one in sorted(found, key=lambda one: (one.start, one.end)):
        same = kept.setdefault(one.kind, [])
        while same and same[-1].end > one.start and _length(one) > _length(same[-1]):
            same.pop()
        if not same or (same[-1].end <= one.start and same[-1] != one):
            same.append(one)
    kept["tag"] = _apart(kept.get("tag", []), kept.get("facet", []))
    return [one for group in kept.values() for one in group]


def _apart(tags: list[Found], facets: list[Found]) -> list[Found]:
    """The tags that share no character with a facet, which names its value better."""
    taken = {place for facet in facets for place in range(facet.start, facet.end)}
    return [tag for tag in tags if not taken.intersection(range(tag.start, tag.end))]


def _joined(found: Iterable[Found], clauses: Sequence[Clause]) -> list[Found]:
    """The same with each recurrence up to the deadline of its clause, and one lock a clause."""
    groups: list[list[Found]] = [[] for _ in range(len(clauses) + 1)]
    starts = [clause.start for clause in clauses]
    for one in found:
        at = bisect_right(starts, one.start) - 1
        inside = at >= 0 and one.end <= clauses[at].end
        groups[at if inside else -1].append(one)
    return [one for group in groups[:-1] for one in _agreed(group)] + groups[-1]


def _agreed(group: list[Found]) -> list[Found]:
    """What one clause says, each recurrence and lock once."""
    again = next((one for one in group if one.kind == "recurrence"), None)
    limit = next((one for one in group if one.kind == "deadline"), None)
    if again is not None and limit is not None and _endless(again, limit):
        joined = replace(again, value={**again.value, "until": limit.value})
        group = [joined if one is again else one for one in group if one is not limit]
    locks = {one.value for one in group if one.kind == "lock_mode"}
    if "append_only" not in locks:
        return group
    # "Protect it, append-only": the lock says how.
    return [one for one in group if one.kind != "lock_mode" or one.value == "append_only"]


def _endless(again: Found, limit: Found) -> bool:
    """Whether a recurrence has no end of its own, and a limit follows it."""
    ended = "until" in again.value or "COUNT" in again.value["rrule"]
    return not ended and limit.start >= again.end


def _length(one: Found) -> int:
    return one.end - one.start
