"""Conditions: what a step states of the memories that it means, as a filter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from text2mem.ir.ops import AbsoluteRange, ByFilter, RelativeRange
from text2mem.ir.ports import Vocabulary
from text2mem.planner.evidence import Mention
from text2mem.planner.grounding.words import singulars
from text2mem.planner.requests import Span, Step

Raw = dict[str, Any]
_WEIGHTS: Mapping[str, Raw] = {
    "urgent": {"weight_gte": 1.0}, "high": {"weight_gte": 0.8},
    "low": {"weight_lte": 0.2},
}  # fmt: skip
_MEMORY_NOUNS = "note notes memory memories record records entry entries 笔记 记忆 记录 条目"
_MEMORIES = frozenset(_MEMORY_NOUNS.split())
_WEIGHS = frozenset({"Promote", "Demote", "Update", "Encode"})
"""Ops to which a priority is an argument."""


@dataclass(frozen=True, slots=True)
class Stated:
    """The filter that a step states and where, and the names that the store does not have.

    ``order`` is that of a limit: "newest", "oldest" or "relevance", empty where none is said.
    ``loose``: its time is that of what the memories are about ("last month's review").
    """

    raw: Raw = field(default_factory=dict)
    spans: tuple[Span, ...] = ()
    unknown: tuple[str, ...] = ()
    order: str = ""
    loose: bool = False

    @property
    def conditions(self) -> Raw:
        """The filter without its limit."""
        return {key: value for key, value in self.raw.items() if key != "limit"}


def stated(op: str, step: Step, vocabulary: Vocabulary) -> Stated:
    """The filter that a step states.

    A name is taken as the store spells it. What a step gives to memories is no condition: the
    caller has taken it out.
    """
    raw: Raw = {}
    spans: list[Span] = []
    unknown: list[str] = []
    loose = False
    for mention in step.own("tag"):
        spans.append((mention.start, mention.end))
        name = mention.value["name"]
        known = spelt(name, vocabulary.tags)
        if mention.value.get("negated"):
            raw.setdefault("not_tags", []).append(known or name)
        elif known is None:
            unknown.append(name)
        elif known not in raw.setdefault("has_tags", []):
            raw["has_tags"].append(known)
    if len(raw.get("has_tags", ())) > 1 and any(m.value == "any" for m in step.own("match")):
        raw["match"] = "any"
    for mention in step.own("facet"):
        key, value = _facet(mention, vocabulary)
        raw.setdefault("facets", {})[key] = value
        spans.append((mention.start, mention.end))
    for mention in step.own("window"):
        if _names_tag(mention.words, vocabulary):
            continue
        raw["time_range"] = mention.value
        loose = _owned(mention, step)
        spans.append((mention.start, mention.end))
    if "time_range" not in raw and op not in _SETS_TIMES:
        for mention in step.own("moment"):
            if day := _day(mention, step):
                raw["time_range"] = day
                spans.append((mention.start, mention.end))
    for location, span in _locations(step, vocabulary):
        raw["location"] = location
        spans.append(span)
    if op not in _WEIGHS:
        for mention in step.own("priority"):
            if _describes(mention, step) and mention.value in _WEIGHTS:
                raw.update(_WEIGHTS[mention.value])
                spans.append((mention.start, mention.end))
    for mention in step.own("limit"):
        raw["limit"] = mention.value
        spans.append((mention.start, mention.end))
    orders = step.own("order")
    if "limit" not in raw and any(_ONLY_ONE.match(m.words) for m in orders):
        raw["limit"] = 1
    spans += [(m.start, m.end) for m in (*orders, *step.own("match"))]
    order = orders[0].value if orders else ""
    return Stated(raw, tuple(spans), tuple(unknown), order, loose)


def spelt(name: str, names: Sequence[str]) -> str | None:
    """A name as the store spells it, whatever its case, plural and joints; None without it."""
    for same in (str.casefold, _joined):
        for known in names:
            if same(known) == same(name):
                return known
    return None


def called_by(noun: str, vocabulary: Vocabulary) -> Raw:
    """The condition that a noun for memories states: their type, or a tag; nothing for "notes"."""
    if known := spelt(noun, vocabulary.types):
        return {"type": known}
    known = spelt(noun, vocabulary.tags)
    return {"has_tags": [known]} if known and noun not in _MEMORIES else {}


def _names_tag(words: str, vocabulary: Vocabulary) -> bool:
    """Whether what reads as a time is what the store calls something: "the Q3 review"."""
    said = [_TIME_LEAD.sub("", words), *re.findall(r"[\w-]+", words)]
    return any(name.casefold() in map(str.casefold, vocabulary.tags) for name in said)


def _owned(mention: Mention, step: Step) -> bool:
    """Whether a time is that of something, and not of the memories themselves."""
    after = step.evidence.utterance[mention.end :][:24]
    return mention.words.endswith(("'s", "s'", "’s", "s’")) and not _THING.match(after)


_SETS_TIMES = frozenset({"Update", "Encode", "Expire"})
_OF_NOTES = re.compile(r"^的?(?:关于|有关|和|跟|记|存|写|那些|所有|全部|笔记|记忆|记录|条目)")


def _day(mention: Mention, step: Step) -> Raw | None:
    """The day of the memories that are meant, 昨天关于房子的笔记; or all before it, 一年以前的."""
    after = step.evidence.utterance[mention.end :][:8]
    if not _OF_NOTES.match(after):
        return None
    if mention.words.endswith(("以前", "之前")):
        return {"end": mention.value}
    if not mention.value.endswith("T00:00:00Z"):
        return None
    return {"start": mention.value, "end": mention.value.replace("00:00:00", "23:59:59")}


_ONLY_ONE = re.compile(r"最(?:早|新|老|旧)")
_TIME_LEAD = re.compile(r"^(?:from|in|of|during|since) (?:the )?|['’]s$|的$", re.IGNORECASE)


def _joined(name: str) -> str:
    return " ".join(singulars(re.sub(r"[-_\s]+", " ", name)))


def _facet(mention: Mention, vocabulary: Vocabulary) -> tuple[str, Any]:
    """A facet as the store spells it; the key that has such a value, where the one said has not."""
    key, value = mention.value["key"], mention.value["value"]
    pairs = [pair for pair in vocabulary.facets if pair[1].casefold() == str(value).casefold()]
    for known, spelled in sorted(pairs, key=lambda pair: pair[0] != key):
        return known, spelled
    return key, value


# --- places --------------------------------------------------------------------------------

_FROM = (
    r"(?:\bfrom|(?:notes?|memor(?:y|ies)|entr(?:y|ies)|records?|taken|made|written|recorded|"
    r"saved) (?:in|at))\s+"
)
_PLACED = r"\b(?:with|whose|where|of) (?:the )?(?:location|place)(?: is| being| of|:)?\s+"
_ZH_PLACED = (
    r"(?:地点|位置|地方)(?:是|为|在|写的是|:|：)?|(?:在|来自|记于)(?=[^，。]{1,12}(?:记|"
    r"写|存|做|的))"
)


def _locations(step: Step, vocabulary: Vocabulary) -> list[tuple[str, Span]]:
    """Places of the store that the step says its memories are from."""
    if not vocabulary.locations:
        return []
    names = {_bare(name): name for name in vocabulary.locations}
    spelled = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    pattern = re.compile(
        rf"(?:{_FROM}|{_PLACED})(?:the )?[\"“']?(?P<name>{spelled})(?!\w)|"
        rf"(?:{_ZH_PLACED})[“‘「]?(?P<zh>{spelled})[”’」]?",
        re.IGNORECASE,
    )
    found = []
    for match in pattern.finditer(step.words):
        said = match["name"] or match["zh"]
        start = step.clause.start
        found.append((names[_bare(said)], (start + match.start(), start + match.end())))
    return found


def _bare(name: str) -> str:
    return name.casefold().removeprefix("the ")


# --- weights -------------------------------------------------------------------------------

_THING = re.compile(r"^[\s-]*(?:priority )?(?:notes?|memor(?:y|ies)|entr(?:y|"
                    r"ies)|records?|items?)\b|^的?(?:笔记|记忆|记录|条目)", re.I)  # fmt: skip
_HAVING = re.compile(
    r"\b(?:with|having|of|have|has|are)(?: an?| the)?\s*$|(?:是|为|"
    r"有)$",
    re.IGNORECASE,
)


def _describes(mention: Mention, step: Step) -> bool:
    """Whether a priority says which memories are meant."""
    said = step.evidence.utterance
    before, after = said[: mention.start][-24:], said[mention.end :][:24]
    return bool(_THING.match(after) or (_HAVING.search(before) and not step.flagged("everything")))


# --- filters -------------------------------------------------------------------------------


def as_filter(raw: Mapping[str, Any]) -> ByFilter:
    """A stated filter as the store's view takes it."""
    out: dict[str, Any] = dict(raw)
    for key in ("has_tags", "not_tags", "include"):
        if key in out:
            out[key] = tuple(out[key])
    if "time_range" in out:
        out["time_range"] = _range(out["time_range"])
    return ByFilter(**out)


def merged(one: Raw, other: Raw) -> Raw | None:
    """One filter of two; None where they speak of the same key in different ways."""
    if (
        "any" in (one.get("match"), other.get("match"))
        and "has_tags" in one
        and "has_tags" in other
    ):
        return None
    out: Raw = {**one, **other}
    for key in ("has_tags", "not_tags"):
        if key in one and key in other:
            out[key] = list(dict.fromkeys([*one[key], *other[key]]))
    if "facets" in one and "facets" in other:
        out["facets"] = {**one["facets"], **other["facets"]}
    same = set(one) & set(other) - {"has_tags", "not_tags", "facets", "match", "limit", "include"}
    return None if any(one[key] != other[key] for key in same) else out


def _range(raw: Mapping[str, Any]) -> AbsoluteRange | RelativeRange:
    if "relative" in raw:
        return RelativeRange(raw["relative"], raw["amount"], raw["unit"])
    return AbsoluteRange(_instant(raw.get("start")), _instant(raw.get("end")))


def _instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    return datetime.fromisoformat(text).astimezone(UTC)
