"""Conflicts: where a draft contradicts what code read from the request, or goes beyond it.

They are diagnostics like any other and go to repair. A program may only use ops and scopes that
the request supports; what stands in stored text is no request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.duration import UnreadableTime
from text2mem.ir.ops import READS
from text2mem.ir.segment import HAN
from text2mem.ir.temporal import read_duration
from text2mem.planner.asking import Choice, Question
from text2mem.planner.requests import Step

CONTRADICTS = "contradicts-request"
UNSUPPORTED = "unsupported-by-request"
GUARDED = frozenset({"Delete", "Expire", "Merge", "Lock", "Demote", "Split", "Update"})
"""Ops that a request has to ask for: they destroy, hide, bind or rewrite what is there."""
_KIN: Mapping[str, frozenset[str]] = {
    "Delete": frozenset({"Delete", "Expire"}),
    "Expire": frozenset({"Expire", "Delete", "Update"}),
    "Merge": frozenset({"Merge"}),
    "Lock": frozenset({"Lock"}),
    "Demote": frozenset({"Demote", "Expire"}),
    "Split": frozenset({"Split"}),
    "Update": frozenset({"Update", "Label", "Promote", "Demote", "Expire"}),
}
_EVERYTHING = re.compile(
    r"\b(?:all|every\w*|whole|entire|anything|clear|wipe|reset)\b|所有|全部|一切|清空|统统",
    re.IGNORECASE,
)


def conflicts(program: Sequence[Any], steps: Sequence[Step]) -> list[Diagnostic]:
    """What a draft says otherwise than its request, or beyond it."""
    found: list[Diagnostic] = []
    for index, instance in enumerate(program):
        if isinstance(instance, Mapping):
            found.extend(_of(instance, f"/{index}", steps))
    return found


def _of(instance: Mapping[str, Any], at: str, steps: Sequence[Step]) -> Iterator[Diagnostic]:
    op, args, target = instance.get("op"), instance.get("args"), instance.get("target")
    said = _heads(steps)
    if op in GUARDED and said and not said & _KIN[str(op)]:
        yield Diagnostic(
            UNSUPPORTED, at, f"nobody asked for {op}: the request "
                             f"asks for {', '.join(sorted(said))}",
            "do only what the request itself asks for",
        )  # fmt: skip
    everything = isinstance(target, Mapping) and target.get("all") is True
    if everything and not _speaks_of_all(steps) and not _of_an_age(args, steps):
        yield Diagnostic(
            UNSUPPORTED, f"{at}/target/all", "the request does not speak of all memories",
            "select what it names",
        )  # fmt: skip
    if isinstance(args, Mapping):
        yield from _lengths(op, args, at, steps)


def _heads(steps: Sequence[Step]) -> set[str]:
    """The ops that the heads allow; nothing where a step has none that is known."""
    ops: set[str] = set()
    for step in steps:
        own = step.head.ops or (step.earlier.head.ops if step.earlier else ())
        if not own:
            return set()
        ops.update(own)
    return ops


def _speaks_of_all(steps: Sequence[Step]) -> bool:
    return any(
        _EVERYTHING.search(step.evidence.utterance)
        or (step.earlier and _EVERYTHING.search(step.earlier.evidence.utterance))
        for step in steps
    )


def _of_an_age(args: Any, steps: Sequence[Step]) -> bool:
    """Whether all of them are only those of an age, and the request names one."""
    aged = isinstance(args, Mapping) and "older_than" in args
    return aged and any(step.of("age") for step in steps)


def _lengths(
    op: Any, args: Mapping[str, Any], at: str, steps: Sequence[Step]
) -> Iterator[Diagnostic]:
    """A length of time other than those that are said, where some are."""
    key = {"Expire": "ttl", "Delete": "older_than"}.get(str(op))
    value = args.get(key) if key else None
    if not isinstance(value, str):
        return
    mentions = [m for step in steps for m in step.of("duration", "age")]
    lengths = {
        m.value if isinstance(m.value, str) else m.value.get("older_than", ""): m.words
        for m in mentions
    }
    lengths.pop("", None)
    if lengths and not any(_same(value, length) for length in lengths):
        named = ", ".join(f"{words} ({length})" for length, words in lengths.items())
        yield Diagnostic(
            CONTRADICTS, f"{at}/args/{key}", f"the request names {named}, the draft says {value}",
            f"use {next(iter(lengths))}",
        )  # fmt: skip


def _same(one: str, other: str) -> bool:
    try:
        return read_duration(one) == read_duration(other)
    except UnreadableTime:
        return False


def question(diagnostic: Diagnostic, program: Sequence[Any], utterance: str) -> Question | None:
    """What to ask where a model goes on doing what nobody asked for; None for a harmless read."""
    if program[int(diagnostic.pointer.split("/")[1])].get("op") in READS:
        return None
    han = bool(HAN.search(utterance))
    text = (
        "这个请求没有明确要求这样做。确定要执行吗？"
        if han
        else "The request does not ask for this in so many words. Is it what you mean?"
    )
    return Question(
        text, "unsupported-by-request",
        (Choice("是" if han else "yes", list(program), diagnostic.message),),
    )  # fmt: skip
