"""Conditions: what a step states of the memories that it means, as a filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from text2mem.ir.ops import AbsoluteRange, ByFilter, RelativeRange
from text2mem.ir.ports import Vocabulary
from text2mem.planner.requests import Span, Step

Raw = dict[str, Any]


def stated(step: Step, vocabulary: Vocabulary) -> tuple[Raw, tuple[Span, ...], list[str]]:
    """The filter that a step states, where it states it, and the names that the store lacks.

    A name is taken as the store spells it. Tags that a step gives are no condition: the caller has
    taken them out.
    """
    spans: list[Span] = []
    unknown: list[str] = []
    out: Raw = {}
    spelt = {tag.casefold(): tag for tag in vocabulary.tags}
    for mention in step.of("tag"):
        name = mention.value["name"]
        known = spelt.get(name.casefold())
        if known is None and not mention.value.get("negated"):
            unknown.append(name)
        key = "not_tags" if mention.value.get("negated") else "has_tags"
        out.setdefault(key, []).append(known or name)
        spans.append((mention.start, mention.end))
    if "has_tags" in out and any(m.value == "any" for m in step.of("match")):
        out["match"] = "any"
    for mention in step.of("facet"):
        out.setdefault("facets", {})[mention.value["key"]] = mention.value["value"]
        spans.append((mention.start, mention.end))
    for mention in step.of("window"):
        out["time_range"] = mention.value
        spans.append((mention.start, mention.end))
    for mention in step.of("limit"):
        out["limit"] = mention.value
        spans.append((mention.start, mention.end))
    return out, tuple(spans), unknown


def as_filter(raw: Mapping[str, Any]) -> ByFilter:
    """A stated filter as the store's view takes it."""
    out: dict[str, Any] = dict(raw)
    for key in ("has_tags", "not_tags", "include"):
        if key in out:
            out[key] = tuple(out[key])
    if "time_range" in out:
        out["time_range"] = _range(out["time_range"])
    return ByFilter(**out)


def _range(raw: Mapping[str, Any]) -> AbsoluteRange | RelativeRange:
    if "relative" in raw:
        return RelativeRange(raw["relative"], raw["amount"], raw["unit"])
    return AbsoluteRange(_instant(raw.get("start")), _instant(raw.get("end")))


def _instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def within(row_ids: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """The ids that are in both, in the first order."""
    wanted = set(chosen)
    return [id_ for id_ in row_ids if id_ in wanted]
