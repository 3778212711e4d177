"""Tags and facets: which names a request gives, in quotations or without, and which it excludes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from text2mem.planner.evidence.text import OPENING, Text
from text2mem.planner.evidence.times import Found


@dataclass(frozen=True, slots=True)
class TagWords:
    """How one language names tags.

    ``leads`` stand before a list of names, quoted or not; ``quoted_leads`` before quoted ones
    alone. ``trails`` follow a quoted list. ``bare`` holds a group ``name``. ``joint`` stands
    between two names, ``any`` for one of them; it is ``sure`` where it is no mere comma. What
    follows a ``contrast`` is excluded where the list before it is not, and the other way round.
    ``holding`` ends what stands before a quoted list with a trail that says which memories are
    meant, ``negated`` what stands before a list that is excluded, and ``plain`` is one name without
    marks. A lead with the group ``condition`` says which memories are meant, so that the joint of
    its list counts; one with ``without`` excludes.
    """

    leads: Sequence[re.Pattern[str]]
    quoted_leads: Sequence[re.Pattern[str]]
    trails: re.Pattern[str]
    bare: Sequence[re.Pattern[str]]
    joint: re.Pattern[str]
    contrast: re.Pattern[str]
    holding: re.Pattern[str]
    negated: re.Pattern[str]
    plain: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class FacetWords:
    """How one language names facets: patterns with groups ``key`` and ``value`` (or a quotation
    right after them), and the key that each word stands for."""

    patterns: Sequence[re.Pattern[str]]
    keys: dict[str, str]


@dataclass(frozen=True, slots=True)
class Name:
    """One name and where it stands, with its marks."""

    value: str
    start: int
    end: int


_BEFORE, _NEAR = 32, 24
"""How many characters before a list may exclude it, and may lie between a key and its value."""


def read_facets(text: Text, words: FacetWords) -> Iterator[Found]:
    """``{"key": "status", "value": "on hold"}`` of "with the status "on hold""."""
    for pattern in words.patterns:
        for found in pattern.finditer(text.asked):
            name = _name(text, found.end("lead"), None) if "lead" in pattern.groupindex else None
            if name is None and "value" in pattern.groupindex and found["value"]:
                start, end = found.span("value")
                name = Name(text.utterance[start:end], start, end)
            if name is not None:
                value = {"key": words.keys[found["key"]], "value": name.value}
                # "the status of the notes tagged … to "done"": what lies between says other things.
                near = name.start - found.start("key") <= _NEAR
                yield Found("facet", value, found.start("key") if near else name.start, name.end)


def read_tags(text: Text, words: TagWords) -> Iterator[Found]:
    """``{"name": "work", "negated": false}`` for each tag, and the joint of several."""
    for leads, plain in ((words.leads, words.plain), (words.quoted_leads, None)):
        for lead in leads:
            end = 0
            for found in lead.finditer(text.asked):
                if found.end() >= end:
                    for one in _list(text, words, found, plain):
                        yield one
                        end = max(end, one.end)
    yield from _trailed(text, words)
    for pattern in words.bare:
        for found in pattern.finditer(text.asked):
            start, end = found.span("name")
            value = text.utterance[start:end].strip()
            if value:
                negated = _negated(text, words, found)
                yield Found("tag", {"name": value, "negated": negated}, start, end)


def _list(
    text: Text, words: TagWords, lead: re.Match[str], plain: re.Pattern[str] | None
) -> Iterator[Found]:
    names, joint, end = _names(text, words, lead.end(), plain)
    if not names:
        return
    negated = _negated(text, words, lead)
    yield from _tags(names, negated)
    if len(names) > 1 and lead.groupdict().get("condition"):
        yield Found("match", joint, names[0].start, names[-1].end)
    if turn := words.contrast.match(text.asked, end):
        others, _, _ = _names(text, words, turn.end(), plain)
        yield from _tags(others, not negated)


def _trailed(text: Text, words: TagWords) -> Iterator[Found]:
    """Quoted names that "tag" or 标签 follows."""
    end = -1
    for quotation in text.quotations:
        if quotation.start < end or text.asked[quotation.start] != OPENING:
            continue
        names, joint, end = _names(text, words, quotation.start, None)
        trail = words.trails.match(text.asked, end)
        if not names or trail is None:
            continue
        negated = _excluded(text, words, names[0].start)
        yield from _tags(names, negated)
        said = text.asked[max(0, names[0].start - _BEFORE) : names[0].start]
        if len(names) > 1 and words.holding.search(said):
            yield Found("match", joint, names[0].start, names[-1].end)


def _tags(names: Sequence[Name], negated: bool) -> Iterator[Found]:
    for name in names:
        yield Found("tag", {"name": name.value, "negated": negated}, name.start, name.end)


def _names(
    text: Text, words: TagWords, start: int, plain: re.Pattern[str] | None
) -> tuple[list[Name], str, int]:
    """The names of a list, how they are joined, and where the list ends."""
    names: list[Name] = []
    joint, place, end = "all", start, start
    while name := _name(text, place, plain):
        names.append(name)
        end = name.end
        following = words.joint.match(text.asked, end)
        if following is None:
            break
        place = following.end()
        # A quoted name is followed by quoted ones; after a mere comma a plain one needs another:
        # 'tagged "draft", get them' names one tag, "tagged a, b and c" three.
        quoted = text.asked[place : place + 1] == OPENING
        if text.asked[name.start] == OPENING:
            plain = None
        elif not quoted and not following["sure"]:
            later = _name(text, place, plain)
            if later is None or words.joint.match(text.asked, later.end) is None:
                break
        if following["any"] and _name(text, place, plain):
            joint = "any"
    return names, joint, end


def _name(text: Text, place: int, plain: re.Pattern[str] | None) -> Name | None:
    """The name that starts at a place: a quotation, or a plain word."""
    if text.asked[place : place + 1] == OPENING:
        quotation = text.quotation(place)
        if quotation is None:
            return None
        return Name(quotation.value, quotation.start, quotation.end)
    found = plain.match(text.asked, place) if plain is not None else None
    if found is None or not found[0].strip():
        return None
    start, end = found.span()
    mark = text.utterance[start : start + 1] == "#"
    return Name(text.utterance[start + mark : end], start, end)


def _negated(text: Text, words: TagWords, lead: re.Match[str]) -> bool:
    """Whether a lead excludes, by its own words or by those before it."""
    return bool(lead.groupdict().get("without")) or _excluded(text, words, lead.start())


def _excluded(text: Text, words: TagWords, start: int) -> bool:
    return words.negated.search(text.asked[max(0, start - _BEFORE) : start]) is not None
