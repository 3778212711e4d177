"""The parser: a legal surface form in, typed and normalised ops out.

It takes what the validator has passed; a value that it cannot read all the same is a ParseError
with a pointer into the canonical form. How the value of a key is read stands in one table; what
holds where a key is absent, in ``text2mem.ir.ops`` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, TypeVar, cast
from unicodedata import normalize

from text2mem.errors import ParseError
from text2mem.ir import ops as typed
from text2mem.ir.content import CONTENTS
from text2mem.ir.times.duration import Duration, UnreadableTime
from text2mem.ir.times.rrule import normalise_rule
from text2mem.ir.times.temporal import read_duration, read_instant
from text2mem.ir.words.priority import LEVELS, read_priority

Raw = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the document a value stands, and the clock and the zone that it is read by."""

    now: datetime
    tz: tzinfo
    at: str

    def below(self, key: str) -> _Place:
        """The place of what an object here has under a key."""
        return _Place(self.now, self.tz, f"{self.at}/{key}")


def parse(instances: Sequence[Raw], *, now: datetime, tz: tzinfo) -> tuple[typed.Op, ...]:
    """The typed ops of a canonical program, in order."""
    return tuple(
        parse_instance(raw, now=now, tz=tz, at=f"/{index}") for index, raw in enumerate(instances)
    )


def parse_instance(raw: Raw, *, now: datetime, tz: tzinfo, at: str = "") -> typed.Op:
    """The typed op of one canonical instance; ``at`` is its pointer."""
    place = _Place(now, tz, at)
    args, within = raw.get("args", {}), place.below("args")
    if raw["op"] == "Encode":
        return _encode(args, within)
    target = _target(raw["target"], place.below("target"))
    if raw["op"] == "Update":
        return _update(target, args, within)
    if raw["op"] == "Merge":
        args = {key: args[key] for key in args if key != "strategy"}  # there is but one
    made = cast(Callable[..., typed.Op], typed.OPS[raw["op"]])
    return made(target=target, **_args(args, within))


# --- ops -----------------------------------------------------------------------------------


def _args(args: Raw, place: _Place) -> dict[str, Any]:
    """Those of an op that has them as its fields; a priority is a weight by its name."""
    flat = {key: args[key] for key in args if key != "params"}
    values = _values({**flat, **args.get("params", {})}, place)
    priority = values.pop("priority", None)
    if priority is not None and values.get("weight") is None:
        values["weight"] = priority
    return values


_APART = frozenset({"expire_at", "remind", "skip_embedding", "lineage_parents"})
"""What an Encode has beside its content and the attributes of its memory."""


def _encode(args: Raw, place: _Place) -> typed.Op:
    payload = args["payload"]
    kind = next(key for key in CONTENTS if key in payload)
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
    return typed.Update(
        target=target, edits=cast(typed.Edits, _values(args["set"], place.below("set")))
    )


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


# --- values --------------------------------------------------------------------------------


def _values(raw: Raw, place: _Place) -> dict[str, Any]:
    """Every value that is there, as a typed op holds it; null stays null."""
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
    """A time range; a relative one stays relative until it runs."""
    if "relative" in raw:
        return typed.RelativeRange(raw["relative"], raw["amount"], raw["unit"])
    return typed.AbsoluteRange(**_values(raw, place))


def _priority(value: str, place: _Place) -> float:
    """The weight that a priority or its alias stands for."""
    weight = read_priority(value)
    if weight is None:
        raise ParseError(
            f"{value!r} is not a priority", pointer=place.at, hint=f"one of {', '.join(LEVELS)}"
        )
    return weight


def _tags(raw: Iterable[str], _: _Place) -> tuple[str, ...]:
    """Trimmed, composed (NFC) and deduplicated, order and case kept."""
    return tuple(dict.fromkeys(normalize("NFC", tag.strip()) for tag in raw))


def _each_once(raw: Iterable[str], _: _Place) -> tuple[str, ...]:
    return tuple(dict.fromkeys(raw))


def _ref(raw: str) -> typed.Ref:
    """An id, or the step that ``$n`` stands for."""
    return typed.StepRef(int(raw[1:])) if raw.startswith("$") else raw


def _refs(raw: Iterable[str]) -> tuple[typed.Ref, ...]:
    """Ids and step references, each once, in order."""
    return tuple(_ref(item) for item in dict.fromkeys(raw))


def _episode(raw: str, _: _Place) -> typed.Ref:
    """Where a fact was heard: a name of any form, or the step that ``$n`` stands for."""
    return _ref(raw) if typed.STEP.fullmatch(raw) else raw


_ROWS: tuple[tuple[str, Callable[[Any, _Place], Any]], ...] = (
    ("time valid_from valid_to expire_at expire_before expire_after", _instant),
    ("until as_of known_at expires start end at", _instant),
    ("ttl older_than", _span),
    ("weight weight_delta weight_gte weight_lte alpha confidence", lambda value, _: float(value)),
    ("vector", lambda value, _: tuple(map(float, value))),
    ("tags has_tags not_tags", _tags),
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
"""How the value of a key is read, wherever the key stands; any other is taken as it is."""
