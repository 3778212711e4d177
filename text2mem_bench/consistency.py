"""What two backends make of the same typed ops, and in plain words where they differ.

Compared are the results of every step, every field of every memory, and what reads return. Left
out is how long a step took, and how a refusal is worded; floats count to five digits, because sums
may be taken in any order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from text2mem.ir.result import Change, ExecutionResult, ProgramResult
from text2mem_bench.running import Memories, Stopped

_LENGTH = 80
"""From how many characters a value is cut short."""
_DIGITS = 5
_LISTS = {
    "affected": "touches", "created": "makes", "rows": "returns", "warnings": "warns",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What one backend made of a program.

    ``reads`` are rows by what was asked; ``later`` the memories once everything was due.
    """

    outcome: ProgramResult | Stopped
    memories: Memories = field(default_factory=dict)
    reads: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    later: Memories = field(default_factory=dict)


def differences(one: str, first: Account, other: str, second: Account) -> list[str]:
    """Every difference between the accounts of two backends, named ``one`` and ``other``.

    Empty where they agree. The state later on is compared only of memories that agree before.
    """
    names = (one, other)
    said = [*_outcomes(names, first.outcome, second.outcome)]
    now = [*_memories(names, first.memories, second.memories, "")]
    said += [text for _, text in now]
    for asked in dict.fromkeys([*first.reads, *second.reads]):
        said += _rows(names, f"{asked}:", first.reads.get(asked, ()), second.reads.get(asked, ()))
    differ = {id_ for id_, _ in now}
    later = _memories(names, first.later, second.later, "once everything is due, ")
    return said + [text for id_, text in later if id_ not in differ]


# --- results -------------------------------------------------------------------------------


def _outcomes(
    names: tuple[str, str], first: ProgramResult | Stopped, second: ProgramResult | Stopped
) -> Iterator[str]:
    told = [_ending(first), _ending(second)]
    if told[0] != told[1]:
        yield f"the program is {told[0]} on {names[0]} and {told[1]} on {names[1]}"
    elif isinstance(first, ProgramResult) and isinstance(second, ProgramResult):
        for number, (one, other) in enumerate(zip(first.results, second.results, strict=True), 1):
            yield from _step(names, f"step {number} ({one.op})", one, other)


def _ending(outcome: ProgramResult | Stopped) -> str:
    if isinstance(outcome, ProgramResult):
        return "done"
    return " and ".join([outcome.status, *(f"{f.code} at {f.pointer}" for f in outcome.faults)])


def _step(
    names: tuple[str, str], at: str, one: ExecutionResult, other: ExecutionResult
) -> Iterator[str]:
    if one.matched != other.matched:
        yield f"{at} matches {one.matched} on {names[0]} and {other.matched} on {names[1]}"
    for key in ("affected", "created"):
        ids, others = getattr(one, key), getattr(other, key)
        if ids != others:
            yield f"{at} {_LISTS[key]} {_ids(ids)} on {names[0]} and {_ids(others)} on {names[1]}"
    yield from _rows(names, at, one.rows, other.rows)
    for index, name in enumerate(names):
        mine, theirs = (one, other) if index == 0 else (other, one)
        for warning in mine.warnings:
            if warning not in theirs.warnings:
                yield f"{at} warns on {name} alone: {warning}"
    changes, others = _by_place(one.changes), _by_place(other.changes)
    for id_, name in dict.fromkeys([*changes, *others]):
        both = [each.get((id_, name)) for each in (changes, others)]
        if _values(both[0]) != _values(both[1]):
            told = [_change(each) for each in both]
            yield f"{at}: {name} of memory {id_} {told[0]} on {names[0]}, {told[1]} on {names[1]}"


def _by_place(changes: Sequence[Change]) -> dict[tuple[str, str], Change]:
    return {(change.id, change.field): change for change in changes}


def _values(change: Change | None) -> str:
    return "" if change is None else plain([change.before, change.after])


def _change(change: Change | None) -> str:
    if change is None:
        return "is said to stay"
    return f"is said to go from {shown(change.before)} to {shown(change.after)}"


# --- memories and rows ---------------------------------------------------------------------


def _memories(
    names: tuple[str, str], first: Memories, second: Memories, when: str
) -> Iterator[tuple[str, str]]:
    """The id and the words of each difference."""
    for id_ in sorted({*first, *second}, key=int):
        here = [name for name, held in zip(names, (first, second), strict=True) if id_ in held]
        if len(here) == 1:
            (there,) = (name for name in names if name not in here)
            yield id_, f"{when}memory {id_} is there on {here[0]} and not on {there}"
            continue
        one, other = first[id_].as_dict(), second[id_].as_dict()
        for name, value in one.items():
            if plain(value) != plain(other[name]):
                yield id_, when + _differing(names, f"memory {id_}", name, value, other[name])


def _rows(
    names: tuple[str, str], at: str, first: Sequence[Mapping[str, Any]],
    second: Sequence[Mapping[str, Any]],
) -> Iterator[str]:  # fmt: skip
    ids, others = _ids(_named(first)), _ids(_named(second))
    if ids != others:
        yield f"{at} returns {ids} on {names[0]} and {others} on {names[1]}"
        return
    for one, other in zip(first, second, strict=True):
        for name in dict.fromkeys([*one, *other]):
            values = one.get(name), other.get(name)
            if plain(values[0]) != plain(values[1]):
                row = f"memory {one['id']}" if "id" in one else "the digest"
                yield f"{at} {_differing(names, row, name, *values)}"


def _named(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(row.get("id", "a digest")) for row in rows]


def _differing(names: tuple[str, str], whose: str, name: str, one: Any, other: Any) -> str:
    verb = "are" if isinstance(one, list) else "is"
    return f"{whose}: {name} {verb} {shown(one)} on {names[0]} and {shown(other)} on {names[1]}"


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(ids) or "nothing"


def shown(value: Any) -> str:
    """A JSON value in a line, cut short where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LENGTH else f"{text[: _LENGTH - 1]}…"


def plain(value: Any) -> str:
    """A JSON value as text that is equal for equal values: floats to five digits, 1 unlike 1.0."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    read = json.loads(text, parse_float=lambda digits: round(float(digits), _DIGITS))
    return json.dumps(read, sort_keys=True, ensure_ascii=False)
