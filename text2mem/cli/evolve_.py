"""``text2mem evolve``: carry facts over to another schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from text2mem.cli import options, show
from text2mem.cli.inputs import require_json, text_of
from text2mem.cli.options import Caller
from text2mem.cli.services import embedder_option

if TYPE_CHECKING:
    from text2mem.ledger.evolution import Evolved, Replacement

_SHOWN = 20
"""The most changes that are listed for people."""


@click.command("evolve")
@click.argument("source", metavar="[FILE]", required=False)
@options.caller_options(dry_run=True)
@embedder_option
@options.output_options
def command(source: str | None, caller: Caller, embedder: str | None) -> int:
    """Carry the facts of a store over as the evolution of FILE, or of stdin, says.

    Attributes are renamed, split, merged, or get another type (docs/evolution.md). What does not
    fit is listed, and refuses the whole unless the document leaves it. Running it again goes on
    where it was interrupted. `text2mem undo` takes the listed traces back, in their order.
    """
    if not show.for_people():
        click.get_current_context().meta[show.FORM] = "json"  # one object, also in a pipe
    text = text_of(source)
    document = require_json(text)
    with caller.of_existing_store().memory(embedder) as memory:
        done = memory.evolve(document)
    if done.error is not None:
        show.complain(f"{done.error.message} [{done.error.code}]", done.error.hint)
    if show.for_people():
        _show(done)
    else:
        show.emit(done.as_dict())
    return 0 if done.ok else 1


def _show(done: Evolved) -> None:
    dry = " (dry run)" if done.dry_run else ""
    for change in done.changes[:_SHOWN]:
        show.line(f"    {_change_in_words(change)}", "dim")
    if len(done.changes) > _SHOWN:
        show.line(f"    and {len(done.changes) - _SHOWN} more", "dim")
    for each in done.left[:_SHOWN]:
        text = f"memory {each.id}, {each.subject}.{each.attribute} = {_json(each.value)}"
        show.line(f"    left: {text}: {each.reason}", "yellow")
    if len(done.left) > _SHOWN:
        show.line(f"    and {len(done.left) - _SHOWN} more are left", "yellow")
    for warning in done.warnings:
        show.line(f"    note: {warning}", "yellow")
    if done.ok:
        count = len(done.changes)
        text = f"{count} version{'s' * (count != 1)}, registry {done.before} → {done.version}"
        show.line(f"  ✓ {text}{dry}", "green")
    for trace in done.traces:
        show.line(f"  trace {trace}", "dim")


def _change_in_words(change: Replacement) -> str:
    after = change.version
    before = " + ".join(f"{each.attribute} = {_json(each.value)}" for each in after.origins)
    return f"{after.subject}: {before} → {after.attribute} = {_json(after.value)}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
