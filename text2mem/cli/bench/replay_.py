"""``text2mem bench replay``: the gold programs of a corpus."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from text2mem.cli import options, show

if TYPE_CHECKING:
    from text2mem.bench.replay import Outcome, Report

_NAMED = 10
"""How many rows the figures name under one reason."""


@click.command("replay")
@click.argument("path", type=click.Path(exists=True, dir_okay=False))
@click.option("--limit", type=click.IntRange(1), help="The first rows only.")
@click.option("--failures", is_flag=True, help="Every row that did not pass, with its reasons.")
@options.output_options
def command(path: str, limit: int | None, failures: bool, form: str | None) -> None:
    """Run the gold programs of the corpus PATH and check what each row expects.

    A row passed, missed an assertion or its ranking, is illegal, or was refused by the store. With
    --jsonl a row each (with --failures those that did not pass), and the figures on stderr.
    """
    from text2mem.bench.corpus import read_corpus
    from text2mem.bench.machine import machine
    from text2mem.bench.replay import Report, replay
    from text2mem.cli.batch import tracked

    outcomes = []
    for outcome in replay(tracked(read_corpus(path, limit), "replaying")):
        outcomes.append(outcome)
        if form == "jsonl" and not (failures and outcome.status == "passed"):
            show.emit(outcome.as_dict())
    report = Report(tuple(outcomes))
    if form == "json" or (form is None and not show.on_terminal()):
        listed = {"failures": [o.as_dict() for o in report.failures]} if failures else {}
        show.emit({**machine(), "path": path, **report.as_dict(), **listed})
        return
    to_stderr = form == "jsonl"
    if not to_stderr:
        click.echo("  ".join(f"{k}={v}" for k, v in {**machine(), "path": path}.items()))
        for outcome in report.failures if failures else ():
            click.echo(show.visible(_told(outcome)))
    click.echo(show.visible(_figures(report)), err=to_stderr)


def _told(outcome: Outcome) -> str:
    """Why one row did not pass."""
    lines = [f"{f.part}{f.pointer}: {f.message} [{f.code}]" for f in outcome.faults]
    for check in outcome.checks if not lines else ():
        if not check.held:
            asked = check.assertion
            got = check.error or f"{check.after}, expected {asked.compare} {asked.value}"
            bound = json.dumps(dict(asked.params), ensure_ascii=False)
            lines.append(f"{asked.name}: {got}: {asked.sql} {bound}")
    if outcome.ranked is not None and not outcome.ranked.held:
        lines.append(f"ranking: {json.dumps(outcome.ranked.as_dict())}")
    return "\n  ".join([f"{outcome.status} {outcome.id}", *lines])


def _figures(report: Report) -> str:
    """The figures of a replay, and the rows that did not pass by reason."""
    checks = report.checks
    lines = [
        f"{len(report.outcomes)} rows, {report.legal} legal, {report.count('illegal')} illegal",
        f"{report.count('passed')} passed, {report.share:.2%} of the legal; "
        f"{report.count('missed')} missed, {report.count('refused')} refused",
        f"{sum(check.held for check in checks)} of {len(checks)} assertions hold, "
        f"{sum(check.effective for check in checks)} because of the program",
        f"{sum(outcome.seconds for outcome in report.outcomes):.1f} s",
    ]
    for status in ("illegal", "refused", "missed"):
        for reason, ids in report.by_reason(status).items():
            more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
            lines.append(f"{status:<8} {len(ids):>4}  {reason}: {', '.join(ids[:_NAMED])}{more}")
    return "\n".join(lines)
