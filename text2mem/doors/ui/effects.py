"""Programs and their effects as markup: steps, rows, and changed fields before and after."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

from text2mem.doors.ui import layout
from text2mem.ir.effects import UNTOLD, by_memory, fate_of, found
from text2mem.ir.ops import READS
from text2mem.ir.record import title_of
from text2mem.ir.result import Change, ExecutionResult, ProgramResult
from text2mem.markup import Child, Markup, join, tag
from text2mem.messages import in_words
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


def effect(result: ProgramResult, tz: tzinfo, said: str = "") -> Markup:
    """Return the effect of a program, step by step, or the reason why it was refused. Warnings and
    refusals are in the language of ``said``."""
    if result.error is not None:
        return layout.failure(result.error, said=said)
    return tag("ol", *(tag("li", _step(step, tz, said)) for step in result.results), class_="steps")


def _step(step: ExecutionResult, tz: tzinfo, said: str) -> Markup:
    """The rows of a step that reads, or the changes of any other one, with its warnings."""
    notes = [tag("p", in_words(each, said), class_="warning") for each in step.warnings]
    if step.op in READS:
        return join(tag("p", tag("strong", step.op), f": {found(step)}"), _rows(step.rows), *notes)
    grouped = list(by_memory(step.changes))
    said = layout.counted(len(grouped), "memory", "memories")
    if not grouped:
        said = "changes nothing" if step.dry_run else "changed nothing"
    changed = [one(id_, each, tz) for id_, each in grouped[:MOST]]
    left = layout.more(len(grouped) - MOST)
    return join(tag("p", tag("strong", step.op), f": {said}"), *changed, left, *notes)


def _rows(rows: Sequence[Any]) -> Markup:
    """The rows of a read: memories, or digests with the memories that they rest on."""
    items = []
    for row in rows[:MOST]:
        if "summary" in row:
            digest = tag("p", str(row["summary"]), class_="text")
            items.append(join(digest, layout.memory_links(map(str, row["ids"]))))
        else:
            text = layout.short(title_of(row), 300)
            items.append(join(layout.memory_link(str(row["id"])), " ", text))
    return join(layout.bullets(items, "plain"), layout.more(len(rows) - MOST))


def one(id_: str, changes: Sequence[Change], tz: tzinfo) -> Markup:
    """Return the changes of one memory: fields before and after, or all of a new or deleted one."""
    fate = fate_of(changes)
    rows: list[tuple[Child, ...]]
    if fate == "changed":
        said, caption, heads = "changes", "changed", ["Field", "Before", "After"]
        # A payload shows the same as a text, if that has changed, too.
        told = {"payload"} if any(each.field == "text" for each in changes) else ()
        rows = [
            (each.field, *(layout.held(each.field, at, tz) for at in (each.before, each.after)))
            for each in changes if each.field not in told
        ]  # fmt: skip
    else:
        made = fate == "made"
        said = caption = "is new" if made else "is gone"
        heads = ["Field", "Value"]
        rows = [
            (each.field, layout.folded(each.field, each.after if made else each.before, tz))
            for each in changes if each.field not in UNTOLD
        ]  # fmt: skip
    listed = layout.table(f"Memory {id_} {caption}", heads, rows, class_="diff")
    return join(tag("p", layout.memory_link(id_), f" {said}", class_="whose"), listed)
