"""The parser: turn a legal surface form into typed and normalised ops.

The input has passed the validator. A value that cannot be read nevertheless raises ParseError with
a pointer into the canonical form. The table ``_ROWS`` says how the value of each key is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any, TypeVar, cast

from text2mem.errors import ParseError
from text2mem.ir import ops as typed
from text2mem.ir.record import as_tags
from text2mem.ir.times.duration import Duration, UnreadableTime
from text2mem.ir.times.rrule import normalise_rule
from text2mem.ir.times.temporal import read_duration, read_instant
from text2mem.ir.words.priority import LEVELS, read_priority

Raw = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Place:
    """The JSON Pointer ``at`` of a value, with the instant and the zone that times are read by."""

    now: datetime
    tz: tzinfo
    at: str

    def below(self, key: str) -> _Place:
        """The place of the value under a key."""
        return replace(self, at=f"{self.at}/{key}")


def parse(instances: Sequence[Raw], *, now: datetime, tz: tzinfo) -> tuple[typed.Op, ...]:
    """Return the typed ops of a canonical program, in order. Relative times count from ``now``,
    which is aware; ``tz`` is the zone of times without an offset. Raises ParseError."""
    return tuple(_op(raw, _Place(now, tz, f"/{index}")) for index, raw in enumerate(instances))


def _op(raw: Raw, place: _Place) -> typed.Op:
    args, within = raw.get("args", {}), place.below("args")
    if raw["op"] == "Encode":
        return _encode(args, within)
    target = _target(raw["target"], place.below("target"))
    if raw["op"] == "Update":
        return _update(target, args, within)
    if raw["op"] == "Merge":
        args = {key: args[key] for key in args if key != "strategy"}  # there is only one strategy
    made = cast(Callable[..., typed.Op], typed.OPS[raw["op"]])
    return made(target=target, **_args(args, within))


def _args(args: Raw, place: _Place) -> dict[str, Any]:
    """The fields of an op from its ``args`` object, for ops whose fields are named like their
    args. ``params`` is flattened. A priority sets the weight if no weight is given."""
    flat = {key: args[key] for key in args if key != "params"}
    values = _values({**flat, **args.get("params", {})}, place)
    priority = values.pop("priority", None)
    if priority is not None and values.get("weight") is None:
        values["weight"] = priority
    return values


_APART = frozenset({"expire_at", "remind", "skip_embedding", "lineage_parents"})
"""The args of an Encode that are fields of their own, neither content nor attributes."""


def _encode(args: Raw, place: _Place) -> typed.Op:
    payload = args["payload"]
    kind = next(key for key in typed.CONTENTS if key in payload)
    values = _values({key: args[key] for key in args if key != "payload"}, place)
    apart = {key: values.pop(key) for key in _APART & values.keys()}
    return typed.Encode(
        content=typed.Content(kind, payload[kind], {k: v for k, v in payload.items() if k != kind}),
        attributes=cast(typed.Attributes, values),
        **apart,
    )


def _update(target: typed.Target, args: Raw, place: _Place) -> typed.Op:
    if "replace" in args:
        words = args["replace"]
        return typed.Update(target=target, replace=typed.Exchange(words["old"], words["new"]))
    edits = cast(typed.Edits, _values(args["set"], place.below("set")))
    return typed.Update(target=target, edits=edits)


def _target(raw: Raw, place: _Place) -> typed.Target:
    if "ids" in raw:
        return typed.ByIds(_refs(raw["ids"]))
    if "filter" in raw:
        return typed.ByFilter(**_values(raw["filter"], place.below("filter")))
    if "search" in raw:
        search = raw["search"]
        values = _values({**search["intent"], **search.get("overrides", {})}, place)
        return typed.BySearch(**values, limit=search.get("limit"))
    return typed.AllMemories()


def _values(raw: Raw, place: _Place) -> dict[str, Any]:
    """The values of an object by key, read as ``_READ`` says. Null stays None."""
    return {
        key: _READ[key](value, place.below(key)) if key in _READ and value is not None else value
        for key, value in raw.items()
    }


def _time(read: Callable[[], T], place: _Place) -> T:
    try:
        return read()
    except UnreadableTime as error:
        raise ParseError(str(error), pointer=place.at) from error


def _instant(value: str, place: _Place) -> datetime:
    return _time(lambda: read_instant(value, now=place.now, tz=place.tz), place)


def _span(value: str, place: _Place) -> Duration:
    return _time(lambda: read_duration(value), place)


def _range(raw: Raw, place: _Place) -> typed.Range:
    """A time range. A relative one is resolved only when the op runs."""
    if "relative" in raw:
        return typed.RelativeRange(raw["relative"], raw["amount"], raw["unit"])
    return typed.AbsoluteRange(**_values(raw, place))


def _priority(value: str, place: _Place) -> float:
    weight = read_priority(value)
    if weight is None:
        hint = f"one of {', '.join(LEVELS)}"
        raise ParseError(f"{value!r} is not a priority", pointer=place.at, hint=hint)
    return weight


def _each_once(raw: Iterable[str], _: _Place) -> tuple[str, ...]:
    """The strings of a list without duplicates, in order."""
    return tuple(dict.fromkeys(raw))


def _ref(raw: str) -> typed.Ref:
    """An id, or the step reference that ``$n`` is."""
    return typed.StepRef(int(raw[1:])) if raw.startswith("$") else raw


def _refs(raw: Iterable[str]) -> tuple[typed.Ref, ...]:
    """Ids and step references without duplicates, in order."""
    return tuple(_ref(item) for item in dict.fromkeys(raw))


def _episode(raw: str, _: _Place) -> typed.Ref:
    """The id of an episode, which is any text, or a step reference ``$n``."""
    return _ref(raw) if typed.STEP.fullmatch(raw) else raw


_ROWS: tuple[tuple[str, Callable[[Any, _Place], Any]], ...] = (
    ("time valid_from valid_to expire_at expire_before expire_after", _instant),
    ("until as_of known_at expires start end at", _instant),
    ("ttl older_than", _span),
    ("weight weight_delta weight_gte weight_lte alpha confidence", lambda value, _: float(value)),
    ("vector", lambda value, _: tuple(map(float, value))),
    ("tags has_tags not_tags", lambda raw, _: as_tags(raw)),
    ("read_whitelist read_blacklist write_whitelist write_blacklist", _each_once),
    ("include allow deny reviewers", _each_once),
    ("facets", lambda value, _: dict(value)),
    ("lineage_parents", lambda value, _: _refs(value)),
    ("primary_id", lambda value, _: _ref(value)),
    ("source_episode_id", _episode),
    ("priority", _priority),
    ("time_range", _range),
    ("rrule", lambda value, _: normalise_rule(value)),
    ("remind", lambda value, place: typed.Remind(**_values(value, place))),
    ("policy", lambda value, place: typed.LockPolicy(**_values(value, place))),
)
_READ = {key: read for keys, read in _ROWS for key in keys.split()}
"""The reader of each key's value, in any object. Other values are taken as they are."""
