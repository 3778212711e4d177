"""``text2mem forget``: a subject or an episode, erased with everything derived from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller
from text2mem.ir.effects import named

if TYPE_CHECKING:
    from text2mem.ledger.forgetting import Forgotten


@click.command("forget")
@click.option("--subject", metavar="NAME", help="Everything about this subject.")
@click.option("--episode", metavar="ID", help="This episode, and what rests on it alone.")
@click.option(
    "--thorough", is_flag=True,
    help="With every turn that names the subject, and the facts that rest on these alone.",
)  # fmt: skip
@options.caller_options(dry_run=True, yes=True)
@options.output_options
def command(
    subject: str | None, episode: str | None, thorough: bool, caller: Caller, form: str | None
) -> int:
    """Erase a subject or an episode, with everything that was derived from it, for good.

    A subject: its facts, past, waiting and deleted ones too, those whose value it is, its other
    memories, the episodes that stated them, and turns that name it and were not read. Nothing that
    was superseded comes back, and undo does not bring it back either: look at a --dry-run first.
    """
    from text2mem.memory import Memory

    named_one = [bool(each and each.strip()) for each in (subject, episode)]
    if sum(named_one) != 1:
        raise click.UsageError("name what to forget: --subject NAME or --episode ID")
    if thorough and subject is None:
        raise click.UsageError("--thorough goes with --subject: an episode has no other turns")
    caller.of_existing_store()
    with Memory(caller.store, embedder="none", context=caller.context) as memory:
        report = memory.forget(subject=subject, episode=episode, thorough=thorough)
    if report.error is not None:
        show.complain(f"{report.error.message} [{report.error.code}]", report.error.hint)
    if show.for_people(form):
        _show(report)
    else:
        show.emit(report.as_dict())
    return 0 if report.ok else 1


def _show(report: Forgotten) -> None:
    out = show.console()
    dry = " (dry run)" if report.dry_run else ""
    told = {"fact": report.facts, "episode": report.episodes, "other memory": report.others}
    for what, ids in told.items():
        if ids:
            out.print(show.visible(f"  ✓ {_counted(len(ids), what)} erased: {named(ids)}{dry}"),
                      style="green")  # fmt: skip
    if report.ok and not any(told.values()):
        out.print(f"  ✓ nothing of it is held{dry}", style="green")
    for kept in report.kept:
        out.print(show.visible(f"    kept {kept.what} {kept.id}: {kept.reason}"), style="yellow")
    for warning in report.warnings:
        out.print(show.visible(f"    note: {warning}"), style="yellow")


def _counted(count: int, what: str) -> str:
    several = "other memories" if what == "other memory" else f"{what}s"
    return f"1 {what}" if count == 1 else f"{count} {several}"
