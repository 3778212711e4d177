"""What a legal structure must still keep: rules across keys, values and steps.

See docs/language.md, "Invariants".

Each rule is a small generator over one canonical instance. None of them trusts the structure, so
that everything that is wrong with a document is said at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any, NamedTuple, get_args

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.dialect import SELECTOR_ALIASES, escape
from text2mem.ir.export import submodels
from text2mem.ir.ops import READS, SPLIT_PARAMS, STEP, Unit
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
    """One instance under examination."""

    op: str
    raw: dict[str, Any]
    at: str
    step: int
    now: datetime
    tz: tzinfo

    def found(self, path: str) -> Any:
        """What the instance holds at a path such as "args/set"; None where there is nothing."""
        held: Any = self.raw
        for key in path.split("/"):
            held = held.get(key) if isinstance(held, dict) else None
        return held

    def object(self, path: str) -> dict[str, Any]:
        """The object at a path; an empty one where there is none."""
        held = self.found(path)
        return held if isinstance(held, dict) else {}

    def instant(self, value: Any) -> datetime | None:
        """A time that can be read; what cannot has a diagnostic of its own."""
        try:
            return read_instant(value, now=self.now, tz=self.tz) if isinstance(value, str) else None
        except UnreadableTime:
            return None


def check_invariants(
    instance: Any, at: str, *, step: int, now: datetime, tz: tzinfo
) -> Iterator[Diagnostic]:
    """Every broken invariant of one canonical instance; ``step`` is its 1-based place."""
    op = instance.get("op") if isinstance(instance, dict) else None
    if not isinstance(op, str) or op not in INSTANCES:
        return
    stage = instance.get("stage")
    if isinstance(stage, str) and stage != STAGES[op]:
        yield Diagnostic(
            "stage-mismatch", f"{at}/stage", f"{op} does not belong to stage '{stage}'",
            f"write '{STAGES[op]}'",
        )  # fmt: skip
    yield from _groups(INSTANCES[op], instance, at)
    case = _Case(op, instance, at, step, now, tz)
    for pointer, key, value in _scalars(instance, at):
        yield from _value(case, pointer, key, value)
    for rule in (_horizons, _ranges, _reminder, *_OF_ONE_OP.get(op, ()), _search):
        yield from rule(case)


def _groups(model: type[Surface], raw: dict[str, Any], at: str) -> Iterator[Diagnostic]:
    for rule in model.groups:
        present = [key for key in rule.keys if key in raw]
        if model is Target:
            present = [*(key for key in SELECTOR_ALIASES if key in raw), *present]
        count = len(present)
        fits = {"exactly_one": count == 1, "at_most_one": count <= 1, "at_least_one": count >= 1}
        if not fits[rule.kind]:
            hint = f"{rule.kind.replace('_', ' ')} of {', '.join(rule.keys)}"
            said = ", ".join(present) if present else "none of them"
            yield Diagnostic(rule.code, at, f"has {said}", hint)
    for key, child in submodels(model).items():
        if isinstance(raw.get(key), dict):
            yield from _groups(child, raw[key], f"{at}/{key}")


def _scalars(node: Any, at: str, key: str = "") -> Iterator[tuple[str, str, Any]]:
    """Every leaf outside open objects, with its pointer and the nearest key."""
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
    """Rules on one leaf by its key."""
    if not isinstance(value, str) or not value:
        return
    if key in TIME_KEYS and case.instant(value) is None:
        yield Diagnostic(
            "unreadable-time", pointer, f"cannot read {value!r} as a time",
            _time_hint(value),
        )  # fmt: skip
    elif key in SPAN_KEYS:
        yield from _span(case, pointer, key, value)
    elif key == "priority" and read_priority(value) is None:
        yield Diagnostic(
            "unknown-priority",
            pointer,
            f"{value!r} is not a priority",
            f"one of {', '.join(LEVELS)}",
        )
    elif key in ("has_tags", "not_tags", "tags") and not value.strip():
        yield Diagnostic("blank-tag", pointer, "a tag must have a visible character")
    elif key in ("ids", "primary_id", "lineage_parents", "source_episode_id"):
        found = STEP.fullmatch(value)
        if found and int(found[1]) >= case.step:
            yield Diagnostic(
                "forward-reference", pointer,
                f"'{value}' does not point to an earlier step; this is step {case.step}",
                f"use $1 to ${case.step - 1}" if case.step > 1 else "nothing stands before it",
            )  # fmt: skip


def _time_hint(value: str) -> str:
    # No example: a small model would copy it into its answer.
    if re.search(r"(?<!\d)(?:29|30|31)(?!\d)", value):
        return "no such day: write a day that this month has, such as its 28th"
    return "write the date in ISO 8601, or as a plain phrase of day and time"


def _span(case: _Case, pointer: str, key: str, value: str) -> Iterator[Diagnostic]:
    try:
        span = read_duration(value)
        # A horizon is finite: what leads out of the calendar is no duration.
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
    for path in (
        "args/expire_at", "args/until", "args/set/expire_at", "args/policy/expires",
        "args/remind/at", "args/remind/until", "args/set/remind/at", "args/set/remind/until",
    ):  # fmt: skip
        said = case.found(path)
        instant = case.instant(said)
        if instant is not None and instant <= case.now:
            yield Diagnostic(
                "horizon-past", f"{case.at}/{path}",
                f"{said!r} is not in the future", f"it is {case.now:%Y-%m-%dT%H:%M:%SZ} now",
            )  # fmt: skip


def _ranges(case: _Case) -> Iterator[Diagnostic]:
    for path in ("target/filter/time_range", "args/time_range"):
        held = case.found(path)
        if isinstance(held, dict):
            yield from _time_range(case, held, f"{case.at}/{path}")
    for path, low, high in (
        ("target/filter", "expire_after", "expire_before"),
        ("args", "valid_from", "valid_to"),
        ("args/set", "valid_from", "valid_to"),
    ):
        first, last = (case.instant(case.found(f"{path}/{key}")) for key in (low, high))
        if first is not None and last is not None and first > last:
            yield Diagnostic(
                "range-reversed", f"{case.at}/{path}/{high}", f"{high} lies before {low}"
            )
    least, most = (case.found(f"target/filter/{key}") for key in ("weight_gte", "weight_lte"))
    if isinstance(least, int | float) and isinstance(most, int | float) and least > most:
        yield Diagnostic(
            "range-reversed",
            f"{case.at}/target/filter/weight_lte",
            "weight_lte is below weight_gte",
        )


def _time_range(case: _Case, raw: dict[str, Any], at: str) -> Iterator[Diagnostic]:
    absolute: list[str] = [key for key in ("start", "end") if key in raw]
    relative: list[str] = [key for key in ("relative", "amount", "unit") if key in raw]
    if bool(absolute) == bool(relative) or (relative and len(relative) != 3):
        yield Diagnostic(
            "range-form", at, f"has {', '.join(absolute + relative) or 'nothing'}",
            "either start and/or end, or relative with amount and unit",
        )  # fmt: skip
    if len(relative) == 3 and not absolute:
        yield from _relative(case, raw, at)
    start, end = case.instant(raw.get("start")), case.instant(raw.get("end"))
    if start is not None and end is not None and start > end:
        yield Diagnostic(
            "range-reversed", at, "the end lies before the start", "swap start and end"
        )


def _relative(case: _Case, raw: dict[str, Any], at: str) -> Iterator[Diagnostic]:
    amount = raw["amount"]
    if not isinstance(amount, int) or isinstance(amount, bool) or amount < 1:
        return
    # A unit or direction that is none has a diagnostic of its own.
    if raw["unit"] not in get_args(Unit) or raw["relative"] not in ("last", "next"):
        return
    try:
        relative_range(raw["relative"], amount, raw["unit"], now=case.now, tz=case.tz)
    except UnreadableTime as error:
        yield Diagnostic("out-of-range", f"{at}/amount", str(error))


def _reminder(case: _Case) -> Iterator[Diagnostic]:
    for path in ("args/remind", "args/set/remind"):
        rule = case.found(f"{path}/rrule")
        if not isinstance(rule, str) or not rule:
            continue
        pointer = f"{case.at}/{path}/rrule"
        until = case.instant(case.found(f"{path}/until"))
        try:
            following = next_occurrence(
                rule, after=case.now, start=case.now, tz=case.tz, until=until
            )
        except UnreadableRule as error:
            yield Diagnostic(
                "bad-rrule",
                pointer,
                str(error),
                "FREQ is DAILY, WEEKLY, MONTHLY or YEARLY; INTERVAL=n and BYDAY=.. may follow",
            )
            continue
        if following is None:
            yield Diagnostic("rrule-exhausted", pointer, "the rule has no occurrence after now")


def _delta(case: _Case) -> Iterator[Diagnostic]:
    delta = case.found("args/weight_delta")
    if not isinstance(delta, int | float):
        return
    up = case.op == "Promote"
    if delta == 0 or (delta > 0) != up:
        other = "Demote" if up else "Promote"
        yield Diagnostic(
            "delta-sign", f"{case.at}/args/weight_delta",
            f"{case.op} takes a {'positive' if up else 'negative'} weight_delta, not {delta}",
            f"write {-delta} or use {other}" if delta else "a delta of 0 changes nothing",
        )  # fmt: skip


def _label(case: _Case) -> Iterator[Diagnostic]:
    args = case.object("args")
    named = [args[key] for key in ("tags", "facets") if key in args]
    if named and not any(named) and args.get("mode") != "replace":
        yield Diagnostic(
            "label-empty", f"{case.at}/args", "names no tag and no facet",
            "list at least one; an empty list only clears with mode 'replace'",
        )  # fmt: skip


def _update(case: _Case) -> Iterator[Diagnostic]:
    if case.found("args/set") == {}:
        yield Diagnostic(
            "update-empty", f"{case.at}/args/set", "sets nothing", "name at least one field"
        )


def _merge(case: _Case) -> Iterator[Diagnostic]:
    ids = case.found("target/ids")
    if not isinstance(ids, list) or not ids:
        return
    primary = case.object("args").get("primary_id", ids[0])
    if not isinstance(primary, str):
        return
    if any(isinstance(i, str) and i.startswith("$") for i in [*ids, primary]):
        return  # what a reference stands for is known when the program runs
    if not {i for i in ids if isinstance(i, str)} - {primary}:
        yield Diagnostic(
            "merge-one-memory", f"{case.at}/target/ids",
            f"no other memory than the primary '{primary}'", "name at least two different ids",
        )  # fmt: skip


def _split(case: _Case) -> Iterator[Diagnostic]:
    strategy = case.found("args/strategy")
    if not isinstance(strategy, str) or strategy not in SPLIT_PARAMS:
        return
    params = case.object("args/params")
    at = f"{case.at}/args/params"
    takes = sorted(SPLIT_PARAMS[strategy])
    for key in params:
        if key not in SPLIT_PARAMS[strategy]:
            yield Diagnostic(
                "split-params", f"{at}/{escape(key)}", f"{strategy} does not take '{key}'",
                f"it takes {', '.join(takes)}",
            )  # fmt: skip
    if strategy == "custom" and "instruction" not in params:
        yield Diagnostic(
            "split-params", f"{case.at}/args", "custom needs params.instruction",
            "say in words how to split",
        )  # fmt: skip
    size, overlap = params.get("chunk_size"), params.get("overlap")
    if isinstance(overlap, int) and overlap >= (size if isinstance(size, int) else 500):
        yield Diagnostic("split-params", f"{at}/overlap", "the overlap is not below chunk_size")


def _lock(case: _Case) -> Iterator[Diagnostic]:
    policy = case.object("args/policy")
    allow, deny = policy.get("allow"), policy.get("deny")
    if isinstance(allow, list) and isinstance(deny, list):
        for op in sorted({str(o) for o in allow} & {str(o) for o in deny}):
            yield Diagnostic(
                "policy-conflict", f"{case.at}/args/policy", f"{op} is both allowed and denied",
                "name it in one of the lists",
            )  # fmt: skip
    if policy and case.found("args/mode") == "none":
        yield Diagnostic(
            "unlock-policy",
            f"{case.at}/args/policy",
            "unlocking takes no policy",
            "drop the policy",
        )


def _search(case: _Case) -> Iterator[Diagnostic]:
    search = case.found("target/search")
    if case.op in READS or not isinstance(search, dict) or "limit" in search:
        return
    yield Diagnostic(
        "search-needs-limit", f"{case.at}/target/search",
        f"{case.op} changes what a search finds, so it must say how many hits at most",
        "add 'limit'",
    )  # fmt: skip


_OF_ONE_OP = {
    "Promote": (_delta,), "Demote": (_delta,), "Label": (_label,), "Update": (_update,),
    "Merge": (_merge,), "Split": (_split,), "Lock": (_lock,),
}  # fmt: skip
