"""Describe programs and their results in words, for people."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from text2mem.ir.ops import READS
from text2mem.ir.record import TITLE, title_of, titled
from text2mem.ir.values import as_text

if TYPE_CHECKING:
    from text2mem.ir.result import Change, ExecutionResult, Failure, ProgramResult

_Row = Callable[[Mapping[str, Any]], str]
Kind = Literal["done", "refused", "hint", "row", "change", "note"]
"""What a line of ``step_in_words`` holds."""
LISTED = 12
"""The most ids that are listed in one line."""
_SHORT = 60
"""The most characters that ``short`` leaves of a value by default."""
_LEAD = 12
"""The least number of characters that are shown before and after a difference."""
_LONG, _WHOLE = 160, 400
"""The most characters shown of a changed value: of one with a short difference, and of any one."""
_CHANGES = 12
"""The most changes that are listed."""
_INNER = frozenset({"remind_start"})
"""Fields that only the program needs. JSON has them; nobody is told of them."""
UNTOLD = _INNER | {"created_at", "schema_version", "owner", "payload", "sources"}
"""Fields of a new memory that are not listed. The text already shows the payload."""
_HIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters except newlines, Unicode line separators, and bidirectional controls."""


def visible(text: str) -> str:
    """The text with all characters of ``_HIDDEN`` escaped, so that it can be printed safely."""
    return _HIDDEN.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    r"""A character as ``\xNN`` or ``\uNNNN``."""
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def short(value: Any, limit: int = _SHORT) -> str:
    """A value in one line, of at most ``limit`` characters."""
    text = " ".join(as_text(value).split())
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def exchange_in_words(before: Any, after: Any) -> str:
    """A value and its new value as "before → after", in one line. Of long values only the part that
    differs is shown, up to ``_WHOLE`` characters of it, with a few words around it."""
    was, will = (" ".join(as_text(value).split()) for value in (before, after))
    least = min(len(was), len(will))
    same = _alike(was, will)
    rest = min(_alike(was[::-1], will[::-1]), least - same)
    begin = 0
    if max(len(was), len(will)) > _SHORT and same > _SHORT - _LEAD:
        begin = min(same - _LEAD, max(len(was), len(will)) - _SHORT)
        begin = was.find(" ", begin, same) + 1 or begin
    mark = "…" if begin else ""
    shown = (
        short(text[begin:], min(max(_LONG, len(text) - rest + _LEAD - begin), _WHOLE))
        for text in (was, will)
    )
    return " → ".join(f"{mark}{text}" for text in shown)


def _alike(one: str, other: str) -> int:
    """The length of the longest common prefix of two texts."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def instance_in_words(instance: Mapping[str, Any]) -> str:
    """A step of a program in the canonical form, in one line: ``Label ids "3": tags "travel"``."""
    head = " ".join(filter(None, (instance["op"], _brief(instance.get("target", {})))))
    return visible(": ".join(filter(None, (head, _brief(instance.get("args", {}))))))


def _brief(value: Any) -> str:
    """A JSON value in one line, without braces and brackets and with long strings cut."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_brief(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_brief, value))
    return json.dumps(short(value) if isinstance(value, str) else value, ensure_ascii=False)


def found(step: ExecutionResult) -> str:
    """How many memories a read returned, in words, and how many matched if they are more."""
    count = len(step.affected)
    if count < step.matched:
        return f"{count} of {step.matched} matching memories"
    return f"found {count or 'no'} {'memory' if count < 2 else 'memories'}"


class Words:
    """The wording of results, for subclasses: English, with names and values as they are stored."""

    def summary(self, step: ExecutionResult) -> str:
        """What a step did, in one line."""
        dry = " (dry run)" if step.dry_run else ""
        if step.op in READS:
            return f"{step.op}: {found(step)}{dry}"
        parts = [f"{fate} {memories(ids)}" for fate, ids in fates(step).items() if ids]
        return f"{step.op}: {', '.join(parts) or 'changed nothing'}{dry}"

    def refused(self, step: ExecutionResult, error: Failure) -> tuple[str, str]:
        """Why a step was refused, and a hint, which may be empty."""
        return f"{step.op}: {refusal(error)}", error.hint

    def note(self, warning: str) -> str:
        return f"note: {warning}"

    def row(self, row: Mapping[str, Any]) -> str:
        """A memory or a digest that a read returned."""
        return row_in_words(row)

    def gone(self, id_: str, text: str) -> str:
        """A memory that was removed, with its text, if that is known."""
        return f"{id_} was: {text}" if text else f"{id_}: gone"

    def change(self, id_: str, name: str, what: str) -> str:
        """A field of a memory, with its value or its exchange."""
        return f"{id_}.{name}: {what}"

    def more_changes(self, count: int) -> str:
        return f"and {count} more changes"

    def untold(self, name: str) -> bool:
        """Whether a field is not told of."""
        return name in _INNER

    def field(self, name: str) -> str:
        return name

    def value(self, name: str, value: Any) -> Any:
        return value


PLAIN = Words()


def outcome(result: ProgramResult, words: Words = PLAIN) -> str:
    """What a program did, or would do, with its trace in the last line if it changed something."""
    lines = [
        f"{'' if kind in ('done', 'refused') else '  '}{line}"
        for step in result.results
        for kind, text in step_in_words(step, words=words)
        for line in [visible(text).replace("\n", "\n    ")]
    ]
    if result.ok and not result.dry_run and changes(result):
        lines.append(f"trace {result.trace_id}")
    return "\n".join(lines) or "nothing was asked of the memory"


def step_in_words(
    step: ExecutionResult, row: _Row | None = None, words: Words = PLAIN
) -> Iterator[tuple[Kind, str]]:
    """Yield (kind, line) for what a step did: a summary, its rows (written by ``row``, by default
    ``words.row``), its first changes and its warnings; of a refused step, the reason and a hint.
    """
    if step.error is not None:
        why, hint = words.refused(step, step.error)
        yield "refused", why
        if hint:
            yield "hint", hint
        return
    yield "done", words.summary(step)
    yield from (("row", (row or words.row)(returned)) for returned in step.rows)
    yield from (("change", line) for line in changes_in_words(step.changes, words))
    yield from (("note", words.note(warning)) for warning in step.warnings)


def fates(step: ExecutionResult) -> dict[str, list[str]]:
    """The ids of the memories that a step made, changed and removed, by these three words."""
    found = {"made": list[str](), "changed": list[str](), "removed": list[str]()}
    for id_, changes in by_memory(each for each in step.changes if each.field not in _INNER):
        found[fate_of(changes)].append(id_)
    return found


def memories(ids: Sequence[str]) -> str:
    """Ids with the word for them: "memory 3" or "memories 3, 4"."""
    return f"{'memory' if len(ids) == 1 else 'memories'} {named(ids)}"


def refusal(failed: Failure) -> str:
    """The message of a refusal, with each conflict of an undo on its own line."""
    conflicts = failed.message.replace("; memory ", "\nmemory ")
    return f"changed since\n{conflicts}" if failed.code == "undo-conflict" else failed.message


def row_in_words(row: Mapping[str, Any]) -> str:
    """A row of a read in one line: id, text, tags; of a digest, its text and ids."""
    if "summary" in row:
        return f"{row['summary']}  [{', '.join(row['ids'])}]"
    tags = f"  #{' #'.join(row['tags'])}" if row.get("tags") else ""
    return f"{row['id']}: {title_of(row)}{tags}"


def named(ids: Sequence[str]) -> str:
    """Ids in one line. Of more than ``LISTED`` the first are listed and the others counted."""
    more = f" and {len(ids) - LISTED} more" if len(ids) > LISTED else ""
    return ", ".join(ids[:LISTED]) + more


def changes(result: ProgramResult) -> bool:
    """Whether a program changed something that is told, or would, if it was a dry run."""
    return any(any(fates(step).values()) for step in result.results)


def touched(result: ProgramResult) -> tuple[str, ...]:
    """The ids of the memories that a program returned, affected or made, without duplicates. Of a
    dry run, only those that its reads returned."""
    return tuple(dict.fromkeys(
        id_
        for step in result.results
        if step.op in READS or not step.dry_run
        for id_ in (*step.affected, *step.created)
    ))  # fmt: skip


def changes_in_words(changes: Iterable[Change], words: Words = PLAIN) -> Iterator[str]:
    """Yield the first changes, a line for each field; of a removed memory its text only."""
    lines = [line for of_one in by_memory(changes) for line in _each_change(*of_one, words)]
    yield from lines[:_CHANGES]
    if len(lines) > _CHANGES:
        yield words.more_changes(len(lines) - _CHANGES)


def _each_change(id_: str, changes: Sequence[Change], words: Words) -> Iterator[str]:
    """Yield the lines about one memory."""
    fields = {change.field: change for change in changes}
    fate = fate_of(changes)
    if fate == "removed":
        known = {name: fields[name].before for name in TITLE if name in fields}
        yield words.gone(id_, short(titled(**known)) if known else "")
        return
    untold = UNTOLD | ({"text"} if "attribute" in fields else set())
    for name, change in fields.items():
        if words.untold(name):
            continue
        was, is_ = (words.value(name, value) for value in (change.before, change.after))
        if was == is_:  # the words leave out what differs
            was, is_ = change.before, change.after
        if fate == "made" and name not in untold:
            yield words.change(id_, words.field(name), short(is_))
        elif fate == "changed" and (name != "payload" or "text" not in fields):
            yield words.change(id_, words.field(name), exchange_in_words(was, is_))


def by_memory(changes: Iterable[Change]) -> Iterator[tuple[str, list[Change]]]:
    """Yield each id with its changes. The changes of one memory have to be adjacent."""
    return ((id_, list(found)) for id_, found in groupby(changes, key=attrgetter("id")))


def fate_of(changes: Iterable[Change]) -> str:
    """``made``, ``changed`` or ``removed``, from the changes of one memory."""
    born = next((change for change in changes if change.field == "created_at"), None)
    return "changed" if born is None else "made" if born.before is None else "removed"
