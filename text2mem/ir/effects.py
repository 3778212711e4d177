"""Programs and what they changed, in words: steps, rows, which memories became what, and how."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from text2mem.ir.ops import READS
from text2mem.ir.values import as_text

if TYPE_CHECKING:
    from text2mem.ir.result import Change, ExecutionResult, Failure, ProgramResult

Kind = Literal["done", "refused", "hint", "row", "change", "note"]
"""What a line tells of: what a step did, or why it was refused, and what belongs to that."""
_LISTED = 12
"""How many ids one line names."""
_SHORT = 60
_LEAD = 12
"""How many characters at least are shown before a difference and after it."""
_LONG, _WHOLE = 160, 400
"""How many characters are shown of a text that changes, and of a long difference."""
_CHANGES = 12
"""How many changes are told of."""
UNTOLD = frozenset({"created_at", "schema_version", "owner", "payload", "sources"})
"""Fields of a new memory that say nothing new: the text tells of the payload."""
_HIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters but newlines, other ends of lines, and marks that set the order of reading."""


def visible(text: str) -> str:
    """Text without what would steer a terminal or turn its order round: escaped; newlines stay."""
    return _HIDDEN.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def short(value: Any, limit: int = _SHORT) -> str:
    """A value in one line, cut where it is long."""
    text = " ".join(as_text(value).split())
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def exchange_in_words(before: Any, after: Any) -> str:
    """A value and what takes its place, each in one line; of long ones the whole of what differs,
    with a few words around it."""
    was, will = (" ".join(as_text(each).split()) for each in (before, after))
    least = min(len(was), len(will))
    same = _alike(was, will)
    rest = min(_alike(was[::-1], will[::-1]), least - same)
    begin = 0
    if max(len(was), len(will)) > _SHORT and same > _SHORT - _LEAD:
        begin = min(same - _LEAD, max(len(was), len(will)) - _SHORT)
        begin = was.find(" ", begin, same) + 1 or begin
    mark = "…" if begin else ""
    told = (
        short(each[begin:], min(max(_LONG, len(each) - rest + _LEAD - begin), _WHOLE))
        for each in (was, will)
    )
    return " → ".join(f"{mark}{each}" for each in told)


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    longest = min(len(one), len(other))
    return next((place for place, (left, right) in pairs if left != right), longest)


def instance_in_words(instance: Mapping[str, Any]) -> str:
    """A step of a program in the canonical form, in one line: ``Label ids "3": tags "travel"``."""
    head = " ".join(filter(None, (instance["op"], _brief(instance.get("target", {})))))
    args = _brief(instance.get("args", {}))
    return visible(f"{head}: {args}" if args else head)


def _brief(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_brief(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_brief, value))
    return json.dumps(short(value) if isinstance(value, str) else value, ensure_ascii=False)


def found(step: ExecutionResult) -> str:
    """How many memories a read found, in words; of how many, if it returned only some of them."""
    count = len(step.affected)
    if count < step.matched:
        return f"{count} of {step.matched} matching memories"
    return f"found {count or 'no'} {'memory' if count < 2 else 'memories'}"


class Words:
    """How results are put: in English, with names and instants as they are stored."""

    def summary(self, step: ExecutionResult) -> str:
        """One line on what a step did."""
        dry = " (dry run)" if step.dry_run else ""
        if step.op in READS:
            return f"{step.op}: {found(step)}{dry}"
        told = [f"{fate} {memories(ids)}" for fate, ids in fates(step).items() if ids]
        return f"{step.op}: {', '.join(told) or 'changed nothing'}{dry}"

    def field(self, name: str) -> str:
        """A field of a memory."""
        return name

    def value(self, name: str, value: Any) -> Any:
        """What a field holds."""
        return value


PLAIN = Words()


def outcome(result: ProgramResult, words: Words = PLAIN) -> str:
    """What a program did, or would do, with the trace by which it can be taken back."""
    lines = [
        f"{'' if kind in ('done', 'refused') else '  '}{told}"
        for step in result.results
        for kind, text in step_in_words(step, words=words)
        for told in [visible(text).replace("\n", "\n    ")]
    ]
    if result.ok and not result.dry_run and changes(result):
        lines.append(f"trace {result.trace_id}")
    return "\n".join(lines) or "nothing was asked of the memory"


def step_in_words(
    step: ExecutionResult, row: Callable[[Mapping[str, Any]], str] | None = None,
    words: Words = PLAIN,
) -> Iterator[tuple[Kind, str]]:  # fmt: skip
    """What a step did, its rows, and its first changes, a line each; or why it was refused."""
    if step.error is not None:
        yield "refused", f"{step.op}: {refusal(step.error)}"
        if step.error.hint:
            yield "hint", step.error.hint
        return
    yield "done", words.summary(step)
    yield from (("row", (row or row_in_words)(each)) for each in step.rows)
    yield from (("change", each) for each in changes_in_words(step.changes, words))
    yield from (("note", f"note: {each}") for each in step.warnings)


def fates(step: ExecutionResult) -> dict[str, list[str]]:
    """Which memories a step made, changed and removed."""
    found = {"made": list[str](), "changed": list[str](), "removed": list[str]()}
    for id_, changes in by_memory(step.changes):
        found[fate_of(changes)].append(id_)
    return found


def memories(ids: Sequence[str]) -> str:
    """Memories by their ids, as one speaks of them."""
    return f"{'memory' if len(ids) == 1 else 'memories'} {named(ids)}"


def refusal(failed: Failure) -> str:
    """What a refusal says; each conflict of an undo on a line of its own."""
    if failed.code != "undo-conflict":
        return failed.message
    conflicts = failed.message.replace("; memory ", "\nmemory ")
    return f"changed since\n{conflicts}"


def row_in_words(row: Mapping[str, Any]) -> str:
    """A row of a read: id, text, tags; of a digest the text and what it rests on."""
    if "summary" in row:
        return f"{row['summary']}  [{', '.join(row['ids'])}]"
    tags = f"  #{' #'.join(row['tags'])}" if row.get("tags") else ""
    return f"{row['id']}: {row.get('text', '')}{tags}"


def named(ids: Sequence[str]) -> str:
    """Ids in a line; of many, the first."""
    if len(ids) <= _LISTED:
        return ", ".join(ids)
    return f"{', '.join(ids[:_LISTED])} and {len(ids) - _LISTED} more"


def changes(result: ProgramResult) -> bool:
    """Whether a program changed something, or would."""
    return any(step.changes for step in result.results)


def touched(result: ProgramResult) -> tuple[str, ...]:
    """The memories that a program affected, returned or made; of a dry run those that it read."""
    return tuple(dict.fromkeys(
        id_
        for step in result.results
        if step.op in READS or not step.dry_run
        for id_ in (*step.affected, *step.created)
    ))  # fmt: skip


def changes_in_words(changes: Iterable[Change], words: Words = PLAIN) -> Iterator[str]:
    """The first changes, a line a field: of a new memory what it holds, of a removed one its text
    alone."""
    lines = list(_each_change(changes, words))
    yield from lines[:_CHANGES]
    if len(lines) > _CHANGES:
        yield f"and {len(lines) - _CHANGES} more changes"


def _each_change(changes: Iterable[Change], words: Words) -> Iterator[str]:
    for id_, found in by_memory(changes):
        fields = {change.field: change for change in found}
        fate = fate_of(found)
        if fate == "removed":
            text = fields.get("text")
            yield f"{id_} was: {short(text.before)}" if text else f"{id_}: gone"
        elif fate == "made":
            left_out = UNTOLD | ({"text"} if "attribute" in fields else set())
            for name, change in fields.items():
                if name not in left_out:
                    yield f"{id_}.{words.field(name)}: {short(words.value(name, change.after))}"
        else:
            for name, change in fields.items():
                if name != "payload" or "text" not in fields:
                    both = (words.value(name, each) for each in (change.before, change.after))
                    yield f"{id_}.{words.field(name)}: {exchange_in_words(*both)}"


def by_memory(changes: Iterable[Change]) -> Iterator[tuple[str, list[Change]]]:
    """The changes of each memory; those of one stand together."""
    for id_, found in groupby(changes, key=lambda change: change.id):
        yield id_, list(found)


def fate_of(changes: Iterable[Change]) -> str:
    """Whether a memory was made, changed or removed: only a memory that is there has a creation."""
    born = next((change for change in changes if change.field == "created_at"), None)
    if born is None:
        return "changed"
    return "made" if born.before is None else "removed"
