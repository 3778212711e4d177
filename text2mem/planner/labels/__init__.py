"""Labels: which tags and facets a step gives to memories, and which only say what is meant.

"Tag the notes labelled 'a' as 'b'" gives 'b' to what has 'a'. Each name is judged by the words
right before and after it; names of one list go together.
"""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.ir.segment import HAN
from text2mem.planner.evidence import Mention
from text2mem.planner.labels.chinese import CHINESE
from text2mem.planner.labels.english import ENGLISH
from text2mem.planner.labels.model import LabelWords
from text2mem.planner.requests import Span, Step
from text2mem.planner.told import Raw, Told, spans

_NEAR = 96
_APART = 8
GIVEN, OPEN, LIKELY, MEANT = range(4)
"""What a name is: given to memories for sure; perhaps; likely what they have; that for sure."""


def labels(step: Step) -> Told:
    """The tags and facets that a step gives, takes away or exchanges; incomplete without any."""
    words = _words(step)
    tags, facets = step.own("tag"), step.own("facet")
    classes = _classes(step, tags, words)
    given_facets = [m for m in facets if _gives_facet(step, m, words)]
    given = _given(tags, classes, bool(given_facets), bool(words.has.search(step.words)))
    quotes = [] if given or given_facets else _loose_quotes(step, (*tags, *facets))
    if not (given or given_facets or quotes):
        return _unquoted(step, words)
    args: Raw = {}
    names = [m.value["name"] for m in given]
    values = {m.value["key"]: m.value["value"] for m in given_facets}
    if quotes and words.status.search(step.words):
        values["status"] = quotes[-1].value
    else:
        names += [m.value for m in quotes]
    if names:
        args["tags"] = list(dict.fromkeys(names))
    if values:
        args["facets"] = values
    args["mode"] = _mode(step, words, bool(names))
    return Told(args, spans(*given, *given_facets, *quotes))


def _words(step: Step) -> LabelWords:
    return CHINESE if HAN.search(step.words) else ENGLISH


def _mode(step: Step, words: LabelWords, names: bool) -> str:
    if names and words.removes.search(step.words):
        return "remove"
    return "replace" if names and words.replaces.search(step.words) else "add"


def _around(step: Step, mention: Mention) -> tuple[str, str]:
    said = step.evidence.utterance
    before = said[max(step.clause.start, mention.start - _NEAR) : mention.start]
    return before, said[mention.end : min(step.clause.end, mention.end + _NEAR)]


def _classes(step: Step, tags: Sequence[Mention], words: LabelWords) -> list[int]:
    found: list[int] = []
    for index, tag in enumerate(tags):
        before, after = _around(step, tag)
        joined = index and words.joint.fullmatch(
            step.evidence.utterance[tags[index - 1].end : tag.start]
        )
        if joined:
            found.append(found[-1])
        elif tag.value.get("negated"):
            found.append(MEANT)
        elif words.gives.search(before) or words.given.match(after):
            found.append(GIVEN)
        elif words.means.search(before) or words.meant.match(after):
            found.append(MEANT)
        else:
            found.append(LIKELY if words.likely.search(before) else OPEN)
    return found


def _given(
    tags: Sequence[Mention], classes: Sequence[int], facets: bool, has: bool
) -> list[Mention]:
    """The names of the surest class that is there; without facets, at least the last list of them.

    ``has``: the step asks to have memories that are tagged so.
    """
    plain = [
        (tag, kind) for tag, kind in zip(tags, classes, strict=True) if not tag.value.get("negated")
    ]
    surest = min((kind for _, kind in plain), default=MEANT)
    if facets and surest > OPEN:
        return []
    if surest < MEANT:
        return [tag for tag, kind in plain if kind == surest]
    lists = _lists([tag for tag, _ in plain])
    if plain and plain[-1][0] is tags[-1] and (len(lists) > 1 or has):
        return lists[-1]
    return []


def _lists(tags: Sequence[Mention]) -> list[list[Mention]]:
    """Names as the lists in which they stand: few characters lie between those of one."""
    found: list[list[Mention]] = []
    for tag in tags:
        if found and tag.start - found[-1][-1].end <= _APART:
            found[-1].append(tag)
        else:
            found.append([tag])
    return found


def _gives_facet(step: Step, mention: Mention, words: LabelWords) -> bool:
    before, after = _around(step, mention)
    said = before + mention.words.rstrip("\"”’'」")
    if words.facet_meant.search(said) or words.meant.match(after):
        return bool(words.facet_given.search(said))
    return True


def _loose_quotes(step: Step, known: Sequence[Mention]) -> list[Mention]:
    """Quotations that are no tag's or facet's name."""
    return [
        quote
        for quote in step.own("quote")
        if not any(m.start <= quote.start and quote.end <= m.end for m in known)
    ]


def _unquoted(step: Step, words: LabelWords) -> Told:
    """A name without marks: "mark this case as resolved"."""
    matches = list(words.unquoted.finditer(step.words))
    if not matches:
        return Told({"mode": _mode(step, words, True)}, (), complete=False)
    found = matches[-1] if words is ENGLISH else matches[0]
    group = "name" if found.group("name") else "other"
    place = step.clause.start
    span: Span = (place + found.start(), place + found.end(group))
    name = found.group(group).strip()
    return Told({"tags": [name], "mode": _mode(step, words, True)}, (span,))
