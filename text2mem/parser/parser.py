"""The parser: a legal surface form in, typed and normalised ops out.

It takes what the validator has passed; a value that it cannot read all the same is a ParseError
with a pointer into the canonical form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, Literal, cast

from text2mem.ir.ops import (
    AllMemories,
    Attributes,
    ByFilter,
    ByIds,
    BySearch,
    Content,
    Delete,
    Demote,
    Edits,
    Encode,
    Exchange,
    Expire,
    Label,
    Lock,
    LockPolicy,
    Merge,
    Op,
    Promote,
    Retrieve,
    Split,
    Summarize,
    Target,
    Update,
)
from text2mem.parser.normalise import Reader, episode, ref, refs, tags

Raw = Mapping[str, Any]


def parse(instances: Sequence[Raw], *, now: datetime, tz: tzinfo) -> tuple[Op, ...]:
    """The typed ops of a canonical program, in order."""
    return tuple(
        parse_instance(raw, now=now, tz=tz, at=f"/{index}") for index, raw in enumerate(instances)
    )


def parse_instance(raw: Raw, *, now: datetime, tz: tzinfo, at: str = "") -> Op:
    """The typed op of one canonical instance; ``at`` is its pointer."""
    reader = Reader(now, tz, at)
    return _PARSERS[raw["op"]](raw, reader.within("args"), raw.get("args", {}), reader)


def _target(raw: Raw, reader: Reader) -> Target:
    target = raw["target"]
    if "ids" in target:
        return ByIds(refs(target["ids"]))
    if "filter" in target:
        return _filter(target["filter"], reader.within("target").within("filter"))
    if "search" in target:
        return _search(target["search"])
    return AllMemories()


def _filter(raw: Raw, reader: Reader) -> ByFilter:
    return ByFilter(
        has_tags=tags(raw.get("has_tags", ())),
        match=raw.get("match", "all"),
        not_tags=tags(raw.get("not_tags", ())),
        type=raw.get("type"),
        subject=raw.get("subject"),
        location=raw.get("location"),
        topic=raw.get("topic"),
        attribute=raw.get("attribute"),
        facets=dict(raw.get("facets", {})),
        time_range=reader.within("time_range").range(raw.get("time_range")),
        weight_gte=_float(raw.get("weight_gte")),
        weight_lte=_float(raw.get("weight_lte")),
        expire_before=reader.instant(raw, "expire_before"),
        expire_after=reader.instant(raw, "expire_after"),
        include=tuple(dict.fromkeys(raw.get("include", ()))),
        order=raw.get("order", "newest"),
        limit=raw.get("limit"),
    )


def _search(raw: Raw) -> BySearch:
    intent, overrides = raw["intent"], raw.get("overrides", {})
    vector = intent.get("vector")
    return BySearch(
        query=intent.get("query"),
        vector=None if vector is None else tuple(float(x) for x in vector),
        context=intent.get("context"),
        k=overrides.get("k"),
        alpha=_float(overrides.get("alpha")),
        order_by=overrides.get("order_by", "relevance"),
        limit=raw.get("limit"),
    )


_INSTANTS = ("time", "valid_from", "valid_to")
_LISTS = ("read_whitelist", "read_blacklist", "write_whitelist", "write_blacklist")
_PLAIN = (
    "type", "subject", "location", "topic", "source", "read_perm_level", "write_perm_level",
    "source_episode_id", "retention_policy",
)  # fmt: skip


def _attributes(raw: Raw, reader: Reader) -> Attributes:
    out: dict[str, Any] = {key: raw[key] for key in _PLAIN if key in raw}
    out.update({key: tuple(dict.fromkeys(raw[key])) for key in _LISTS if key in raw})
    out.update({key: reader.instant(raw, key) for key in _INSTANTS if key in raw})
    if "tags" in raw:
        out["tags"] = tags(raw["tags"])
    if "facets" in raw:
        out["facets"] = dict(raw["facets"])
    if "confidence" in raw:
        out["confidence"] = float(raw["confidence"])
    return cast(Attributes, out)


def _encode(_: Raw, reader: Reader, args: Raw, __: Reader) -> Op:
    payload = args["payload"]
    kinds: tuple[Literal["text", "url", "structured"], ...] = ("text", "url", "structured")
    kind = next(key for key in kinds if key in payload)
    attributes = _attributes(args, reader)
    if "source_episode_id" in args:
        attributes["source_episode_id"] = episode(args["source_episode_id"])
    return Encode(
        content=Content(kind, payload[kind], {k: v for k, v in payload.items() if k != kind}),
        attributes=attributes,
        expire_at=reader.instant(args, "expire_at"),
        remind=reader.within("remind").remind(args.get("remind")),
        skip_embedding=args.get("skip_embedding", False),
        lineage_parents=refs(args.get("lineage_parents", ())),
    )


def _update(raw: Raw, reader: Reader, args: Raw, top: Reader) -> Op:
    if "replace" in args:
        words = args["replace"]
        return Update(target=_target(raw, top), replace=Exchange(words["old"], words["new"]))
    values, at = args["set"], reader.within("set")
    out: dict[str, Any] = dict(_attributes(values, at))
    for key in ("text", "url", "structured", "value", "deleted", "archived", "skip_embedding"):
        if key in values:
            out[key] = values[key]
    if "weight" in values:
        out["weight"] = float(values["weight"])
    if "ttl" in values:
        out["ttl"] = at.span(values, "ttl")
    if "expire_at" in values:
        out["expire_at"] = at.instant(values, "expire_at")
    if "remind" in values:
        out["remind"] = at.within("remind").remind(values["remind"])
    return Update(target=_target(raw, top), edits=cast(Edits, out))


def _label(raw: Raw, _: Reader, args: Raw, top: Reader) -> Op:
    return Label(
        target=_target(raw, top),
        tags=tags(args["tags"]) if "tags" in args else None,
        facets=dict(args["facets"]) if "facets" in args else None,
        mode=args.get("mode", "add"),
    )


def _promote(raw: Raw, reader: Reader, args: Raw, top: Reader) -> Op:
    return Promote(
        target=_target(raw, top),
        weight=_weight(args, reader),
        weight_delta=_float(args.get("weight_delta")),
        remind=reader.within("remind").remind(args.get("remind")),
        reason=args.get("reason"),
    )


def _demote(raw: Raw, reader: Reader, args: Raw, top: Reader) -> Op:
    return Demote(
        target=_target(raw, top),
        archive=args.get("archive", False),
        weight=_weight(args, reader),
        weight_delta=_float(args.get("weight_delta")),
        until=reader.instant(args, "until"),
        reason=args.get("reason"),
    )


def _merge(raw: Raw, _: Reader, args: Raw, top: Reader) -> Op:
    return Merge(
        target=_target(raw, top),
        primary_id=ref(args["primary_id"]) if "primary_id" in args else None,
        soft_delete_children=args.get("soft_delete_children", True),
    )


def _split(raw: Raw, _: Reader, args: Raw, top: Reader) -> Op:
    return Split(
        target=_target(raw, top),
        strategy=args["strategy"],
        inherit_all=args.get("inherit_all", True),
        keep_parent=args.get("keep_parent", False),
        **args.get("params", {}),
    )


def _delete(raw: Raw, reader: Reader, args: Raw, top: Reader) -> Op:
    return Delete(
        target=_target(raw, top),
        soft=args.get("soft", True),
        older_than=reader.span(args, "older_than"),
        time_range=reader.within("time_range").range(args.get("time_range")),
        cascade=args.get("cascade", False),
        reason=args.get("reason"),
    )


def _lock(raw: Raw, reader: Reader, args: Raw, top: Reader) -> Op:
    policy = args.get("policy", {})
    return Lock(
        target=_target(raw, top),
        mode=args["mode"],
        reason=args.get("reason"),
        policy=LockPolicy(
            allow=tuple(dict.fromkeys(policy.get("allow", ()))),
            deny=tuple(dict.fromkeys(policy.get("deny", ()))),
            reviewers=tuple(dict.fromkeys(policy.get("reviewers", ()))),
            expires=reader.within("policy").instant(policy, "expires"),
        ),
    )


def _expire(raw: Raw, reader: Reader, args: Raw, top: Reader) -> Op:
    return Expire(
        target=_target(raw, top),
        ttl=reader.span(args, "ttl"),
        until=reader.instant(args, "until"),
        on_expire=args.get("on_expire", "soft_delete"),
    )


def _read(reader: Reader, args: Raw) -> dict[str, Any]:
    return {
        "as_of": reader.instant(args, "as_of"),
        "known_at": reader.instant(args, "known_at"),
        "include_archived": args.get("include_archived", False),
        "include_deleted": args.get("include_deleted", False),
    }


def _retrieve(raw: Raw, reader: Reader, args: Raw, top: Reader) -> Op:
    include = tuple(dict.fromkeys(args.get("include", ())))
    return Retrieve(target=_target(raw, top), include=include, **_read(reader, args))


def _summarize(raw: Raw, reader: Reader, args: Raw, top: Reader) -> Op:
    return Summarize(
        target=_target(raw, top),
        focus=args.get("focus"),
        max_tokens=args.get("max_tokens", 256),
        lang=args.get("lang"),
        **_read(reader, args),
    )


def _weight(args: Raw, reader: Reader) -> float | None:
    weight = _float(args.get("weight"))
    return reader.priority(args) if weight is None else weight


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


_PARSERS: dict[str, Callable[[Raw, Reader, Raw, Reader], Op]] = {
    "Encode": _encode, "Update": _update, "Label": _label, "Promote": _promote,
    "Demote": _demote, "Merge": _merge, "Split": _split, "Delete": _delete,
    "Lock": _lock, "Expire": _expire, "Retrieve": _retrieve, "Summarize": _summarize,
}  # fmt: skip
