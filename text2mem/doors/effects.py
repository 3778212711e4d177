"""What programs changed, in words: which memories were made, changed and removed, and how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from text2mem.ir.result import Change, ExecutionResult
from text2mem.ir.values import as_text

_LISTED = 12
"""How many ids one line names."""
_SHORT = 60
_UNTOLD = frozenset({"created_at", "schema_version", "owner", "payload", "sources"})
"""Fields of a new memory that say nothing new: the text tells of the payload."""


def short(value: Any) -> str:
    """A value in one line, cut where it is long."""
    text = as_text(value)
    text = text.replace("\n", " ")
    return text if len(text) <= _SHORT else text[: _SHORT - 3] + "…"


def summary(step: ExecutionResult) -> str:
    """One line on what a step did."""
    dry = " (dry run)" if step.dry_run else ""
    if step.op in ("Retrieve", "Summarize"):
        return f"{step.op}: {len(step.affected)} of {step.matched} matching memories{dry}"
    fates = {"made": list[str](), "changed": list[str](), "removed": list[str]()}
    for id_, changes in _by_memory(step.changes):
        fates[_fate(changes)].append(id_)
    told = [f"{fate} {named(ids)}" for fate, ids in fates.items() if ids]
    return f"{step.op}: {', '.join(told) or 'changed nothing'}{dry}"


def named(ids: Sequence[str]) -> str:
    """Ids in a line; of many, the first."""
    if len(ids) <= _LISTED:
        return ", ".join(ids)
    return f"{', '.join(ids[:_LISTED])} and {len(ids) - _LISTED} more"


def changes_in_words(changes: Iterable[Change]) -> Iterator[str]:
    """A line a field: of a new memory what it holds, of a removed one its text alone."""
    for id_, found in _by_memory(changes):
        fields = {change.field: change for change in found}
        fate = _fate(found)
        if fate == "removed":
            text = fields.get("text")
            yield f"{id_} was: {short(text.before)}" if text else f"{id_}: gone"
            continue
        if fate == "made":
            left_out = _UNTOLD | ({"text"} if "attribute" in fields else set())
            for name, change in fields.items():
                if name not in left_out:
                    yield f"{id_}.{name}: {short(change.after)}"
            continue
        for name, change in fields.items():
            if name != "payload" or "text" not in fields:
                yield f"{id_}.{name}: {short(change.before)} → {short(change.after)}"


def _by_memory(changes: Iterable[Change]) -> Iterator[tuple[str, list[Change]]]:
    """The changes of each memory; those of one stand together."""
    for id_, found in groupby(changes, key=lambda change: change.id):
        yield id_, list(found)


def _fate(changes: Iterable[Change]) -> str:
    """Whether a memory was made, changed or removed: only a memory that is there has a creation."""
    born = next((change for change in changes if change.field == "created_at"), None)
    if born is None:
        return "changed"
    return "made" if born.before is None else "removed"
