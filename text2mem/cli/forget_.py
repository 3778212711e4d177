"""``text2mem forget``: erase a subject or an episode, with all that was derived from it."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller
from text2mem.conversation.answers import spoken
from text2mem.ir.effects import named, short
from text2mem.memory import Memory

if TYPE_CHECKING:
    from text2mem.ledger.forgetting import Forgotten

_TOLD = 12
"""The most memories of a preview that are shown in words."""


@click.command("forget")
@click.option("--subject", metavar="NAME", help="Everything about this subject.")
@click.option("--episode", metavar="ID", help="This episode, and what rests on it alone.")
@click.option("--taken-back", is_flag=True, help="All memories that an undo has removed.")
@click.option(
    "--thorough", is_flag=True,
    help="With every turn that names the subject, and the facts that rest on these alone.",
)  # fmt: skip
@options.caller_options(dry_run=True, yes=True)
@options.output_options
def command(
    subject: str | None, episode: str | None, taken_back: bool, thorough: bool, caller: Caller
) -> int:
    """Erase a subject or an episode, with everything that was derived from it, for good.

    A subject: its facts, past, waiting and deleted ones too, those whose value it is, its other
    memories, the episodes that stated them, and turns that name it and were not read. Nothing that
    was superseded comes back, and undo does not bring it back either. In a terminal this shows what
    would go and what would stay, and asks; anywhere else it needs --yes. --dry-run only shows.
    What an undo has removed can come back until --taken-back erases it.
    """
    named_one = [bool(each and each.strip()) for each in (subject, episode)]
    if sum(named_one) + taken_back != 1:
        raise click.UsageError("name what to forget: --subject NAME, --episode ID or --taken-back")
    if thorough and subject is None:
        raise click.UsageError("--thorough goes with --subject: nothing else has other turns")
    people, context = show.for_people(), caller.context
    with caller.of_existing_store().memory() as memory:
        forget = partial(memory.forget, subject=subject, episode=episode, taken_back=taken_back)
        asks = people and sys.stdin.isatty() and not (context.dry_run or context.confirmed)
        memory.context = context.dry() if asks else context
        report = forget(thorough=thorough)
        if people and report.dry_run and report.ok and _erased(report):
            _preview(memory, report)
            if subject is not None and not thorough:
                more = _listed(forget(thorough=True), but={*_erased(report)}) or "nothing more"
                text = f"--thorough, with every turn that names it, would erase {more}"
                show.line(f"    {text}", "dim")
            if not asks:
                return 0
            if not _confirm():
                show.complain("nothing was erased")
                return 1
            memory.context = context
            report = forget(thorough=thorough, confirmed=True)
        elif asks:
            report = replace(report, dry_run=False)
    if report.error is not None:
        show.complain(f"{report.error.message} [{report.error.code}]", report.error.hint)
    if people:
        _show(report)
    else:
        show.emit(report.as_dict())
    return 0 if report.ok else 1


def _confirm() -> bool:
    click.echo("Erase it for good? [y/N] ", nl=False)
    try:
        return spoken(input()) == "yes"
    except (EOFError, KeyboardInterrupt):
        click.echo("")
        return False


def _preview(memory: Memory, found: Forgotten) -> None:
    """Print what would be erased, the first memories in words, and what would be kept and why."""
    show.line(f"  would erase {_listed(found)}", "yellow")
    erased = _erased(found)
    for id_ in erased[:_TOLD]:
        if (record := memory.show(id_)) is not None:
            show.line(f"    {id_}: {short(record.title)}")
    if len(erased) > _TOLD:
        show.line(f"    and {len(erased) - _TOLD} more")
    _show_kept(found)


def _show(report: Forgotten) -> None:
    dry = " (dry run)" if report.dry_run else ""
    for counted, ids in _kinds(report):
        show.line(f"  ✓ {counted} erased: {ids}{dry}", "green")
    if report.ok and not _erased(report):
        show.line(f"  ✓ nothing of it is held{dry}", "green")
    _show_kept(report)


def _show_kept(report: Forgotten) -> None:
    for kept in report.kept:
        show.line(f"    kept {kept.what} {kept.id}: {kept.reason}", "yellow")
    if report.lost_source:
        lost = named(report.lost_source)
        show.line(f"    kept without one of its sources: {lost}", "yellow")
    for warning in report.warnings:
        show.line(f"    note: {warning}", "yellow")


def _erased(report: Forgotten) -> tuple[str, ...]:
    return (*report.facts, *report.episodes, *report.others)


def _listed(report: Forgotten, *, but: Collection[str] = ()) -> str:
    return "; ".join(f"{counted}: {ids}" for counted, ids in _kinds(report, but=but))


def _kinds(report: Forgotten, *, but: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield the number and the ids of the erased memories of each kind, without the ids ``but``."""
    for one, several, erased in (
        ("fact", "facts", report.facts),
        ("episode", "episodes", report.episodes),
        ("other memory", "other memories", report.others),
    ):
        if ids := [id_ for id_ in erased if id_ not in but]:
            yield f"1 {one}" if len(ids) == 1 else f"{len(ids)} {several}", named(ids)
