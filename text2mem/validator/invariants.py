"""The invariants: rules on keys, values and steps that the JSON structure does not express
(docs/language.md, "Invariants").

Each rule is a generator over one canonical instance. No rule assumes that the structure is legal,
so all violations of a document are reported at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any, NamedTuple, get_args

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.dialect import SELECTOR_ALIASES
from text2mem.ir.export import submodels
from text2mem.ir.ops import READS, SPLIT_PARAMS, STEP, Unit
from text2mem.ir.pointers import escape
from text2mem.ir.surface import INSTANCES, OPEN_OBJECTS, STAGES, Surface, Target
from text2mem.ir.times.duration import UnreadableTime
from text2mem.ir.times.rrule import UnreadableRule, next_occurrence
from text2mem.ir.times.temporal import read_duration, read_instant, relative_range
from text2mem.ir.words.priority import LEVELS, read_priority

TIME_KEYS = frozenset({
    "time", "expire_at", "valid_from", "valid_to", "until", "start", "end", "as_of", "known_at",
    "expires", "expire_before", "expire_after", "at",
})  # fmt: skip
SPAN_KEYS = frozenset({"ttl", "older_than"})


class _Case(NamedTuple):
    """The instance that is checked, with its JSON Pointer in the canonical program, its number from
    1, and the instant and the time zone that its times are read by."""

    op: str
    raw: dict[str, Any]
    at: str
    step: int
    now: datetime
    tz: tzinfo

    def found(self, path: str) -> Any:
        """The value at a path of keys such as "args/set", or None."""
        held: Any = self.raw
        for key in path.split("/"):
            held = held.get(key) if isinstance(held, dict) else None
        return held

    def object(self, path: str) -> dict[str, Any]:
        """The object at a path of keys; empty if no object is there."""
        held = self.found(path)
        return held if isinstance(held, dict) else {}

    def instant(self, value: Any) -> datetime | None:
        """The instant that a value means; None for no readable time, which ``_value`` reports."""
        try:
            return read_instant(value, now=self.now, tz=self.tz) if isinstance(value, str) else None
        except UnreadableTime:
            return None

    def fault(self, code: str, path: str, message: str, hint: str = "") -> Diagnostic:
        """The diagnostic for the part at a path of keys."""
        return Diagnostic(code, f"{self.at}/{path}", message, hint)


def check_invariants(
    instance: Any, at: str, *, step: int, now: datetime, tz: tzinfo
) -> Iterator[Diagnostic]:
    """Yield every violated invariant of one canonical instance.

    ``at`` is its pointer, ``step`` its number from 1. Nothing is yielded for an instance without a
    known op: ``check_structure`` reports that.
    """
    op = instance.get("op") if isinstance(instance, dict) else None
    if not isinstance(op, str) or op not in INSTANCES:
        return
    case = _Case(op, instance, at, step, now, tz)
    stage, own = instance.get("stage"), STAGES[op]
    if isinstance(stage, str) and stage != own:
        said = f"{op} does not belong to stage '{stage}'"
        yield case.fault("stage-mismatch", "stage", said, f"write '{own}'")
    yield from _groups(INSTANCES[op], instance, at)
    for pointer, key, value in _scalars(instance, at):
        yield from _value(case, pointer, key, value)
    for rule in (_horizons, _ranges, _reminder, _OF_ONE_OP.get(op), _search):
        yield from rule(case) if rule else ()


def _groups(model: type[Surface], raw: dict[str, Any], at: str) -> Iterator[Diagnostic]:
    """Check the ``Group`` rules of a surface model, and of the objects within."""
    for rule in model.groups:
        keys = (*SELECTOR_ALIASES, *rule.keys) if model is Target else rule.keys
        present = [key for key in keys if key in raw]
        count = len(present)
        fits = {
            "exactly_one": count == 1, "at_most_one": count <= 1, "at_least_one": count >= 1,
            "needs": keys[0] not in raw or keys[-1] in raw,
        }  # fmt: skip
        if not fits[rule.kind]:
            hint = f"{rule.kind.replace('_', ' ')} of {', '.join(rule.keys)}"
            if rule.kind == "needs":
                hint = f"add '{keys[-1]}', or leave '{keys[0]}' out"
            yield Diagnostic(rule.code, at, f"has {', '.join(present) or 'none of them'}", hint)
    for key, child in submodels(model).items():
        if isinstance(raw.get(key), dict):
            yield from _groups(child, raw[key], f"{at}/{key}")


def _scalars(node: Any, at: str, key: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield (pointer, key, value) of every scalar outside open objects and ``value``. An item of a
    list has the key of the list."""
    if isinstance(node, dict):
        for name, child in node.items():
            if name not in OPEN_OBJECTS and name != "value":
                yield from _scalars(child, f"{at}/{escape(str(name))}", str(name))
    elif isinstance(node, list):
        for index, child in enumerate(node):
            yield from _scalars(child, f"{at}/{index}", key)
    else:
        yield at, key, node


def _value(case: _Case, pointer: str, key: str, value: Any) -> Iterator[Diagnostic]:
    if not isinstance(value, str) or not value:
        return
    if key in TIME_KEYS and case.instant(value) is None:
        said = f"cannot read {value!r} as a time"
        yield Diagnostic("unreadable-time", pointer, said, _time_hint(value))
    elif key in SPAN_KEYS:
        yield from _span(case, pointer, key, value)
    elif key == "priority" and read_priority(value) is None:
        said, hint = f"{value!r} is not a priority", f"one of {', '.join(LEVELS)}"
        yield Diagnostic("unknown-priority", pointer, said, hint)
    elif key in ("has_tags", "not_tags", "tags") and not value.strip():
        yield Diagnostic("blank-tag", pointer, "a tag must have a visible character")
    elif key in ("ids", "primary_id", "lineage_parents", "source_episode_id"):
        found = STEP.fullmatch(value)
        if found and int(found[1]) >= case.step:
            said = f"'{value}' does not point to an earlier step; this is step {case.step}"
            hint = f"use $1 to ${case.step - 1}" if case.step > 1 else "nothing stands before it"
            yield Diagnostic("forward-reference", pointer, said, hint)


def _time_hint(value: str) -> str:
    # The hint contains no example of a date, which a small model would copy into its answer.
    if re.search(r"(?<!\d)(?:29|30|31)(?!\d)", value):
        return "no such day: write a day that this month has, such as its 28th"
    return "write the date in ISO 8601, or as a plain phrase of day and time"


def _span(case: _Case, pointer: str, key: str, value: str) -> Iterator[Diagnostic]:
    """Check a duration: it can be read, is positive, and does not lead out of the calendar."""
    try:
        span = read_duration(value)
        # Raises UnreadableTime if the result would lie outside the calendar.
        (span.before if key == "older_than" else span.after)(case.now)
    except UnreadableTime:
        yield Diagnostic(
            "unreadable-duration", pointer, f"cannot read {value!r} as a duration",
            "ISO 8601 such as P7D or PT90M, or a phrase such as 'two weeks'",
        )  # fmt: skip
        return
    if not span.is_positive:
        code = "out-of-range" if key == "older_than" else "horizon-past"
        yield Diagnostic(code, pointer, f"the duration {value!r} is not positive")


def _horizons(case: _Case) -> Iterator[Diagnostic]:
    """Check that expiries, ends of demotions and locks, and reminders lie in the future."""
    for path in (
        "args/expire_at", "args/until", "args/set/expire_at", "args/policy/expires",
        "args/remind/at", "args/remind/until", "args/set/remind/at", "args/set/remind/until",
    ):  # fmt: skip
        said = case.found(path)
        instant = case.instant(said)
        if instant is not None and instant <= case.now:
            hint = f"it is {case.now:%Y-%m-%dT%H:%M:%SZ} now"
            yield case.fault("horizon-past", path, f"{said!r} is not in the future", hint)


def _ranges(case: _Case) -> Iterator[Diagnostic]:
    """Check time ranges, and that no pair of bounds is reversed."""
    for path in ("target/filter/time_range", "args/time_range"):
        if isinstance(case.found(path), dict):
            yield from _time_range(case, path)
    for path, low, high in (
        ("target/filter", "expire_after", "expire_before"),
        ("args", "valid_from", "valid_to"),
        ("args/set", "valid_from", "valid_to"),
    ):
        first, last = (case.instant(case.found(f"{path}/{key}")) for key in (low, high))
        if first is not None and last is not None and first > last:
            yield case.fault("range-reversed", f"{path}/{high}", f"{high} lies before {low}")
    least, most = (case.found(f"target/filter/{key}") for key in ("weight_gte", "weight_lte"))
    if isinstance(least, int | float) and isinstance(most, int | float) and least > most:
        said = "weight_lte is below weight_gte"
        yield case.fault("range-reversed", "target/filter/weight_lte", said)


def _time_range(case: _Case, path: str) -> Iterator[Diagnostic]:
    """Check that a time range is either absolute or relative, complete and not reversed."""
    raw = case.object(path)
    absolute: list[str] = [key for key in ("start", "end") if key in raw]
    relative: list[str] = [key for key in ("relative", "amount", "unit") if key in raw]
    if bool(absolute) == bool(relative) or (relative and len(relative) != 3):
        said = f"has {', '.join(absolute + relative) or 'nothing'}"
        hint = "either start and/or end, or relative with amount and unit"
        yield case.fault("range-form", path, said, hint)
    if len(relative) == 3 and not absolute:
        yield from _relative(case, path)
    start, end = case.instant(raw.get("start")), case.instant(raw.get("end"))
    if start is not None and end is not None and start > end:
        said, hint = "the end lies before the start", "swap start and end"
        yield case.fault("range-reversed", path, said, hint)


def _relative(case: _Case, path: str) -> Iterator[Diagnostic]:
    """Check that a relative range stays within the calendar. ``check_structure`` reports values of
    a wrong type, and directions and units that do not exist."""
    direction, amount, unit = (case.found(f"{path}/{k}") for k in ("relative", "amount", "unit"))
    whole = isinstance(amount, int) and not isinstance(amount, bool) and amount >= 1
    if not whole or unit not in get_args(Unit) or direction not in ("last", "next"):
        return
    try:
        relative_range(direction, amount, unit, now=case.now, tz=case.tz)
    except UnreadableTime as error:
        yield case.fault("out-of-range", f"{path}/amount", str(error))


def _reminder(case: _Case) -> Iterator[Diagnostic]:
    """Check that the recurrence rule of a reminder is legal and has an occurrence to come."""
    for remind in ("args/remind", "args/set/remind"):
        path = f"{remind}/rrule"
        rule, now = case.found(path), case.now
        if not isinstance(rule, str) or not rule:
            continue
        start, until = (case.instant(case.found(f"{remind}/{end}")) for end in ("start", "until"))
        try:
            if not next_occurrence(rule, after=now, start=start or now, tz=case.tz, until=until):
                yield case.fault("rrule-exhausted", path, "the rule has no occurrence after now")
        except UnreadableRule as error:
            hint = "FREQ is DAILY, WEEKLY, MONTHLY or YEARLY; INTERVAL=n and BYDAY=.. may follow"
            yield case.fault("bad-rrule", path, str(error), hint)


def _delta(case: _Case) -> Iterator[Diagnostic]:
    """Check that ``weight_delta`` is positive for Promote and negative for Demote."""
    delta = case.found("args/weight_delta")
    if not isinstance(delta, int | float):
        return
    up = case.op == "Promote"
    if delta == 0 or (delta > 0) != up:
        sign, other = ("positive", "Demote") if up else ("negative", "Promote")
        said = f"{case.op} takes a {sign} weight_delta, not {delta}"
        hint = f"write {-delta} or use {other}" if delta else "a delta of 0 changes nothing"
        yield case.fault("delta-sign", "args/weight_delta", said, hint)


def _label(case: _Case) -> Iterator[Diagnostic]:
    """Check that a Label names a tag or a facet, unless it replaces."""
    args = case.object("args")
    named = [args[key] for key in ("tags", "facets") if key in args]
    if named and not any(named) and args.get("mode") != "replace":
        hint = "list at least one; an empty list only clears with mode 'replace'"
        yield case.fault("label-empty", "args", "names no tag and no facet", hint)


def _update(case: _Case) -> Iterator[Diagnostic]:
    """Check that ``set`` of an Update is not empty."""
    if case.found("args/set") == {}:
        yield case.fault("update-empty", "args/set", "sets nothing", "name at least one field")


def _merge(case: _Case) -> Iterator[Diagnostic]:
    """Check that a Merge by ids names a memory besides the primary."""
    ids = case.found("target/ids")
    if not isinstance(ids, list) or not ids:
        return
    primary = case.object("args").get("primary_id", ids[0])
    if not isinstance(primary, str):
        return
    if any(isinstance(i, str) and i.startswith("$") for i in [*ids, primary]):
        return  # the ids of a step reference are known only when the program runs
    if not {i for i in ids if isinstance(i, str)} - {primary}:
        said = f"no other memory than the primary '{primary}'"
        hint = "name at least two different ids"
        yield case.fault("merge-one-memory", "target/ids", said, hint)


def _split(case: _Case) -> Iterator[Diagnostic]:
    """Check that the params of a Split fit its strategy."""
    strategy = case.found("args/strategy")
    if not isinstance(strategy, str) or strategy not in SPLIT_PARAMS:
        return
    params, takes = case.object("args/params"), SPLIT_PARAMS[strategy]
    for key in params:
        if key not in takes:
            said, hint = f"{strategy} does not take '{key}'", f"it takes {', '.join(sorted(takes))}"
            yield case.fault("split-params", f"args/params/{escape(key)}", said, hint)
    if strategy == "custom" and "instruction" not in params:
        said, hint = "custom needs params.instruction", "say in words how to split"
        yield case.fault("split-params", "args", said, hint)
    size, overlap = params.get("chunk_size"), params.get("overlap")
    if isinstance(overlap, int) and overlap >= (size if isinstance(size, int) else 500):
        said = "the overlap is not below chunk_size"
        yield case.fault("split-params", "args/params/overlap", said)


def _lock(case: _Case) -> Iterator[Diagnostic]:
    """Check that a lock's policy does not contradict itself, and that an unlock has none."""
    policy = case.object("args/policy")
    allow, deny = policy.get("allow"), policy.get("deny")
    if isinstance(allow, list) and isinstance(deny, list):
        for op in sorted({str(o) for o in allow} & {str(o) for o in deny}):
            said, hint = f"{op} is both allowed and denied", "name it in one of the lists"
            yield case.fault("policy-conflict", "args/policy", said, hint)
    if policy and case.found("args/mode") == "none":
        said, hint = "unlocking takes no policy", "drop the policy"
        yield case.fault("unlock-policy", "args/policy", said, hint)


def _search(case: _Case) -> Iterator[Diagnostic]:
    """Check that a write with a search has a limit."""
    search = case.found("target/search")
    if case.op in READS or not isinstance(search, dict) or "limit" in search:
        return
    said = f"{case.op} changes what a search finds, so it must say how many hits at most"
    yield case.fault("search-needs-limit", "target/search", said, "add 'limit'")


_OF_ONE_OP = {
    "Promote": _delta, "Demote": _delta, "Label": _label, "Update": _update, "Merge": _merge,
    "Split": _split, "Lock": _lock,
}  # fmt: skip
"""The rules that concern one op only, by its name."""
