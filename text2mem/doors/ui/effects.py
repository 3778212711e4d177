"""Programs and their effects as markup: steps, rows, and changed fields before and after."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

from text2mem.doors.ui.layout import counted, failure, folded, held, memory_link, more, short, table
from text2mem.ir.effects import UNTOLD, by_memory, fate_of, found
from text2mem.ir.ops import READS
from text2mem.ir.result import Change, ExecutionResult, ProgramResult
from text2mem.markup import Child, Markup, join, tag
from text2mem.program import Program

MOST = 40
"""The most memories, and the most rows, that are shown of one step."""


def program_shown(program: Program) -> Markup:
    """Return a program as JSON, a step per line."""
    lines = [json.dumps(each, ensure_ascii=False) for each in program.to_list()]
    return code("\n".join(lines), "Program")


def code(text: str, name: str) -> Markup:
    """Return preformatted text that can be scrolled with the keyboard."""
    return tag("pre", tag("code", text), tabindex="0", role="region", aria_label=name)


def effect(result: ProgramResult, tz: tzinfo) -> Markup:
    """Return the effect of a program, step by step, or the reason why it was refused."""
    if result.error is not None:
        return failure(result.error)
    return tag("ol", *(tag("li", _step(step, tz)) for step in result.results), class_="steps")


def _step(step: ExecutionResult, tz: tzinfo) -> Markup:
    """The rows of a step that reads, or the changes of any other one, with its warnings."""
    notes = [tag("p", each, class_="warning") for each in step.warnings]
    if step.op in READS:
        return join(tag("p", tag("strong", step.op), f": {found(step)}"), _rows(step.rows), *notes)
    grouped = list(by_memory(step.changes))
    said = counted(len(grouped), "memory", "memories")
    if not grouped:
        said = "changes nothing" if step.dry_run else "changed nothing"
    changed = [one(id_, each, tz) for id_, each in grouped[:MOST]]
    left = more(len(grouped) - MOST)
    return join(tag("p", tag("strong", step.op), f": {said}"), *changed, left, *notes)


def _rows(rows: Sequence[Any]) -> Markup:
    """The rows of a read: memories, or digests with the memories that they rest on."""
    items = []
    for row in rows[:MOST]:
        if "summary" in row:
            ids = [join(memory_link(str(id_)), " ") for id_ in row["ids"]]
            items.append(tag("li", tag("p", str(row["summary"]), class_="text"), *ids))
        else:
            items.append(tag("li", memory_link(str(row["id"])), " ", short(row.get("text"), 300)))
    return join(tag("ul", *items, class_="plain") if items else None, more(len(rows) - MOST))


def one(id_: str, changes: Sequence[Change], tz: tzinfo) -> Markup:
    """Return the changes of one memory: fields before and after, or all of a new or deleted one."""
    fate = fate_of(changes)
    rows: list[tuple[Child, ...]]
    if fate == "changed":
        said, caption, heads = "changes", "changed", ["Field", "Before", "After"]
        # A payload shows the same as a text, if that has changed, too.
        told = {"payload"} if any(each.field == "text" for each in changes) else ()
        rows = [
            (each.field, held(each.field, each.before, tz), held(each.field, each.after, tz))
            for each in changes if each.field not in told
        ]  # fmt: skip
    else:
        said = caption = "is new" if fate == "made" else "is gone"
        heads = ["Field", "Value"]
        rows = [
            (each.field, folded(each.field, each.after if fate == "made" else each.before, tz))
            for each in changes if each.field not in UNTOLD
        ]  # fmt: skip
    listed = table(f"Memory {id_} {caption}", heads, rows, class_="diff")
    return join(tag("p", memory_link(id_), f" {said}", class_="whose"), listed)
