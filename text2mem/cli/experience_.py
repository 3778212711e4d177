"""``text2mem experience``: the bank of what a person's own words turned out to mean."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller
from text2mem.ir.times.temporal import format_instant

if TYPE_CHECKING:
    from text2mem.experience import Bank, Episode


@click.group("experience")
def command() -> None:
    """List, show and forget what was learnt of a person's own words (docs/experience.md).

    Only the episodes of the actor who asks are seen.
    """


@command.command("list")
@options.caller_options()
@options.output_options
def list_(caller: Caller) -> None:
    """List what was said and what it meant, newest first."""
    with _bank(caller) as bank:
        found = list(bank.all())
    show.rows(
        found, lambda each: f"{each.id}: “{each.request}” meant {each.draft.dump()}", as_row,
        nothing="nothing was learnt",
    )  # fmt: skip


@command.command("show")
@click.argument("id_", metavar="ID")
@options.caller_options()
@options.output_options
def show_(id_: str, caller: Caller) -> int:
    """Show an episode.

    The words, how they were explained, the draft, and what it rests on.
    """
    with _bank(caller) as bank:
        episode = bank.show(id_)
    if episode is None:
        show.complain(f"there is no episode '{id_}'", "text2mem experience list")
        return 1
    row = as_row(episode)
    show.row(row, "\n".join(f"{name}: {value}" for name, value in row.items()))
    return 0


@command.command("forget")
@click.argument("ids", metavar="ID...", nargs=-1)
@click.option("--all", "every", is_flag=True, help="All of the actor's.")
@options.caller_options()
@options.output_options
def forget(ids: tuple[str, ...], every: bool, caller: Caller) -> int:
    """Erase episodes for good.

    The memories that they were about stay as they are.
    """
    if bool(ids) == every:
        raise click.UsageError("name the episodes to forget, or --all")
    with _bank(caller) as bank:
        count = bank.forget(ids or [each.id for each in bank.all()])
    show.row({"forgotten": count}, f"{count} forgotten")
    return 0 if count or every else 1


@command.command("stats")
@options.caller_options()
@options.output_options
def stats(caller: Caller) -> None:
    """Count the episodes.

    By how they came out, and by the ops that were meant.
    """
    with _bank(caller) as bank:
        found = list(bank.all())
    counts: dict[str, Any] = {
        "episodes": len(found),
        "outcomes": Counter(each.outcome for each in found),
        "ops": Counter(step.op for each in found for step in each.draft.steps),
    }
    lines = []
    for name in ("outcomes", "ops"):
        listed = ", ".join(f"{count} {what}" for what, count in sorted(counts[name].items()))
        lines.append(f"{name}: {listed or 'none'}")
    show.row(counts, "\n".join(lines))


def _bank(caller: Caller) -> closing[Bank]:
    from text2mem.experience import bank_of

    caller.of_existing_store()
    return closing(bank_of(caller.store, caller.context))


def as_row(episode: Episode) -> dict[str, Any]:
    """Return an episode as a JSON object."""
    return {
        "id": episode.id, "request": episode.request, "told": episode.told,
        "draft": episode.draft.as_dict(), "outcome": episode.outcome,
        "at": None if episode.at is None else format_instant(episode.at),
        "trace_id": episode.trace_id, "rests_on": list(episode.rests_on),
    }  # fmt: skip
