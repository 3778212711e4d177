"""``text2mem show``: show a memory with all of its fields."""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller
from text2mem.cli.past import show_entries
from text2mem.errors import ExecutionError
from text2mem.executor import history
from text2mem.executor.lineage import Lineage, lineage
from text2mem.ir.effects import short
from text2mem.ir.journal import Entry
from text2mem.ir.patch import diff
from text2mem.ir.record import Record, is_id
from text2mem.ir.values import as_text
from text2mem.planner.effects import InWords

if TYPE_CHECKING:
    from rich.tree import Tree

_ALWAYS = {"weight", "updated_at", "version"}
"""The fields that are shown even if they have their default values."""


@click.command("show")
@click.argument("id_", metavar="ID")
@click.option("--history", "with_history", is_flag=True, help="Its changes, oldest first.")
@click.option("--lineage", "with_lineage", is_flag=True, help="What it was made from, and into.")
@options.caller_options()
@options.output_options
def command(id_: str, with_history: bool, with_lineage: bool, caller: Caller) -> int:
    """Show the memory ID with all of its fields, archived and deleted ones too.

    Text leaves out what is blank, and has times as they are in --tz. JSON has every field, and
    with the options `history` and `lineage` besides.
    """
    with caller.of_existing_store().adapter() as adapter:
        record = history.find(adapter, caller.context, [id_]).get(id_)
        entries = history.history(adapter, caller.context, id_)
        family = lineage(adapter, caller.context, id_) if with_lineage else None
    if record is None:
        hint = f"it is erased; text2mem log --id {id_} says when" if entries else ""
        if not is_id(id_):
            hint = (
                f"an ID is a number, as text2mem list has it; text2mem run '{id_}' looks for words"
            )
        raise ExecutionError("not-found", f"there is no memory {id_}", hint=hint)
    if show.for_people():
        _in_words(record, entries if with_history else [], family, caller.context.tz)
        return 0
    told = record.as_dict()
    if with_history:
        told["history"] = [entry.as_dict() for entry in entries]
    if family is not None:
        told["lineage"] = family.as_dict()
    show.emit(told)
    return 0


def _in_words(record: Record, entries: list[Entry], family: Lineage | None, tz: tzinfo) -> None:
    show.line(f"memory {record.id}", "bold")
    for name, value in _fields(record, tz).items():
        show.line(f"  {name:<17} {value}")
    if entries:
        show.line("history", "bold")
        show_entries(entries, tz)
    if family is not None:
        show.line("lineage", "bold")
        show.console().print(_tree(family))


def _fields(record: Record, tz: tzinfo) -> dict[str, str]:
    words = InWords(tz)
    wanted = {change.field for change in diff(None, record)} | _ALWAYS
    told = {}
    for name, value in record.as_dict().items():
        if name in wanted:
            text = as_text(words.value(name, value))
            told[name] = text.replace("\n", f"\n{'':<20}")
    return told


def _tree(family: Lineage) -> Tree:
    from rich.tree import Tree

    tree = Tree(_leaf(family))
    for title, side in (("made from", "parents"), ("made into", "children")):
        if branches := getattr(family, side):
            _grow(tree.add(title), branches, side)
    return tree


def _grow(tree: Tree, branches: tuple[Lineage, ...], side: str) -> None:
    for branch in branches:
        _grow(tree.add(_leaf(branch)), getattr(branch, side), side)


def _leaf(family: Lineage) -> str:
    gone = " (deleted)" if family.record.deleted else ""
    return show.visible(f"{family.record.id}: {short(family.record.title)}{gone}")
