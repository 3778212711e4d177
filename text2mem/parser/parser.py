"""The parser: a legal surface form in, typed and normalised ops out.

It takes what the validator has passed; a value that it cannot read all the same is a ParseError
with a pointer into the canonical form. How the value of a key is read stands in one table; what
holds where a key is absent, in ``text2mem.ir.ops`` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, cast

from text2mem.ir.content import CONTENTS
from text2mem.ir.ops import (
    OPS,
    AllMemories,
    Attributes,
    ByFilter,
    ByIds,
    BySearch,
    Content,
    Edits,
    Encode,
    Exchange,
    LockPolicy,
    Op,
    Target,
    Update,
)
from text2mem.parser.normalise import ValueReader, episode, ref, refs, tags

Raw = Mapping[str, Any]


def parse(instances: Sequence[Raw], *, now: datetime, tz: tzinfo) -> tuple[Op, ...]:
    """The typed ops of a canonical program, in order."""
    return tuple(
        parse_instance(raw, now=now, tz=tz, at=f"/{index}") for index, raw in enumerate(instances)
    )


def parse_instance(raw: Raw, *, now: datetime, tz: tzinfo, at: str = "") -> Op:
    """The typed op of one canonical instance; ``at`` is its pointer."""
    reader = ValueReader(now, tz, at)
    args, within = raw.get("args", {}), reader.within("args")
    if raw["op"] == "Encode":
        return _encode(args, within)
    target = _target(raw["target"], reader.within("target"))
    if raw["op"] == "Update":
        return _update(target, args, within)
    if raw["op"] == "Merge":
        args = {key: args[key] for key in args if key != "strategy"}  # there is but one
    made = cast(Callable[..., Op], OPS[raw["op"]])
    return made(target=target, **_args(args, within))


# --- ops -----------------------------------------------------------------------------------


def _args(args: Raw, reader: ValueReader) -> dict[str, Any]:
    """Those of an op that has them as its fields; a priority is a weight by its name."""
    flat = {key: args[key] for key in args if key != "params"}
    values = _values({**flat, **args.get("params", {})}, reader)
    priority = values.pop("priority", None)
    if priority is not None and values.get("weight") is None:
        values["weight"] = priority
    return values


_APART = frozenset({"payload", "expire_at", "remind", "skip_embedding", "lineage_parents"})
"""What an Encode has beside the attributes of its memory."""


def _encode(args: Raw, reader: ValueReader) -> Op:
    payload = args["payload"]
    kind = next(key for key in CONTENTS if key in payload)
    attributes = _values({k: v for k, v in args.items() if k not in _APART}, reader)
    return Encode(
        content=Content(kind, payload[kind], {k: v for k, v in payload.items() if k != kind}),
        attributes=cast(Attributes, attributes),
        **_values({k: args[k] for k in args if k in _APART and k != "payload"}, reader),
    )


def _update(target: Target, args: Raw, reader: ValueReader) -> Op:
    if "replace" in args:
        words = args["replace"]
        return Update(target=target, replace=Exchange(words["old"], words["new"]))
    return Update(target=target, edits=cast(Edits, _values(args["set"], reader.within("set"))))


def _target(raw: Raw, reader: ValueReader) -> Target:
    if "ids" in raw:
        return ByIds(refs(raw["ids"]))
    if "filter" in raw:
        return ByFilter(**_values(raw["filter"], reader.within("filter")))
    if "search" in raw:
        return _search(raw["search"], reader)
    return AllMemories()


def _search(raw: Raw, reader: ValueReader) -> BySearch:
    values = _values({**raw["intent"], **raw.get("overrides", {})}, reader)
    if "vector" in values:
        values["vector"] = tuple(float(x) for x in values["vector"])
    return BySearch(**values, limit=raw.get("limit"))


# --- values --------------------------------------------------------------------------------


def _values(raw: Raw, reader: ValueReader) -> dict[str, Any]:
    """Every value that is there, as a typed op holds it."""
    return {key: _READ.get(key, _as_it_is)(raw, key, reader) for key in raw}


def _as_it_is(raw: Raw, key: str, _: ValueReader) -> Any:
    return raw[key]


def _float(raw: Raw, key: str, _: ValueReader) -> float | None:
    return None if raw[key] is None else float(raw[key])


def _instant(raw: Raw, key: str, reader: ValueReader) -> datetime | None:
    return reader.instant(raw, key)


def _each_once(raw: Raw, key: str, _: ValueReader) -> tuple[str, ...]:
    return tuple(dict.fromkeys(raw[key]))


def _policy(raw: Raw, key: str, reader: ValueReader) -> LockPolicy:
    return LockPolicy(**_values(raw[key], reader.within(key)))


_Read = Callable[[Raw, str, ValueReader], Any]


def _all(keys: str, read: _Read) -> Iterable[tuple[str, _Read]]:
    return ((key, read) for key in keys.split())


_READ: Mapping[str, _Read] = dict(
    [
        *_all("time valid_from valid_to expire_at expire_before expire_after", _instant),
        *_all("until as_of known_at expires", _instant),
        *_all("ttl older_than", lambda raw, key, reader: reader.span(raw, key)),
        *_all("weight weight_delta weight_gte weight_lte alpha confidence", _float),
        *_all("tags has_tags not_tags", lambda raw, key, _: tags(raw[key])),
        *_all("read_whitelist read_blacklist write_whitelist write_blacklist", _each_once),
        *_all("include allow deny reviewers", _each_once),
        ("facets", lambda raw, key, _: dict(raw[key])),
        ("lineage_parents", lambda raw, key, _: refs(raw[key])),
        ("primary_id", lambda raw, key, _: ref(raw[key])),
        ("source_episode_id", lambda raw, key, _: episode(raw[key])),
        ("priority", lambda raw, key, reader: reader.priority(raw, key)),
        ("time_range", lambda raw, key, reader: reader.within(key).range(raw[key])),
        ("remind", lambda raw, key, reader: reader.within(key).remind(raw[key])),
        ("policy", _policy),
    ]
)
"""How the value of a key is read, wherever the key stands; any other is taken as it is."""
