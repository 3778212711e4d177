"""How the past is shown: the programs of the log, the changes of a memory, what a tick did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from text2mem.cli import show
from text2mem.ir.effects import named, short
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.values import as_text

if TYPE_CHECKING:
    from text2mem.executor import TickResult
    from text2mem.executor.history import Logged
    from text2mem.ir.journal import Entry


def show_log(programs: Sequence[Logged]) -> None:
    """A line a program, with the words that it was made of."""
    for program in programs:
        ops = ", ".join(
            op if count == 1 else f"{op} ({count} memories)" for op, count in _counted(program.ops)
        )
        who = program.actor or "-"
        said = f"  {program.said!r}" if program.said else ""
        show.line(f"{program.trace_id}  {format_instant(program.at)}  {who}  {ops}{said}")


def _counted(ops: Iterable[tuple[str, int]]) -> Iterable[tuple[str, int]]:
    """Neighbours of one op as one."""
    for op, found in groupby(ops, key=lambda pair: pair[0]):
        yield op, sum(count for _, count in found)


def show_entries(entries: Iterable[Entry]) -> None:
    """The changes of a memory, each with its program and its fields before and after."""
    for entry in entries:
        head, lines = entry.in_words(as_text)
        show.line(head)
        for line in lines:
            show.line(f"    {line}".replace("\n", "\n      "), "dim")


def show_tick(result: TickResult) -> None:
    """What expired, what is back, what was reminded of, and what a person has to know besides."""
    dry = " (dry run)" if result.dry_run else ""
    if result.expired:
        show.line(f"  ✓ expired {named(result.expired)}{dry}", "green")
        show.show_changes(change for change in result.changes if change.id in result.expired)
    if result.resumed:
        show.line(f"  ✓ back {named(result.resumed)}{dry}", "green")
        back = set(result.resumed) - set(result.expired)
        show.show_changes(change for change in result.changes if change.id in back)
    for each in result.fired:
        following = f"next {format_instant(each.following)}" if each.following else "the last one"
        memory = f"{each.memory['id']}: {short(each.memory['text'])}"
        show.line(f"  ✓ reminder of {memory}{dry}", "green")
        show.line(f"    due {format_instant(each.due)}, {following}", "dim")
    if not result.expired and not result.resumed and not result.fired:
        show.line(f"  ✓ nothing was due{dry}", "green")
    for warning in result.warnings:
        show.line(f"    note: {warning}", "yellow")
