"""``text2mem bench replay``: the gold programs of a corpus."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from text2mem.cli import options, show

if TYPE_CHECKING:
    from text2mem_bench.replay import Outcome, Report

_NAMED = 10
"""How many rows the figures name under one reason."""


@click.command("replay")
@click.argument("path", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--store", "specs", multiple=True, default=["sqlite"], show_default=True, metavar="STORE",
    help="An adapter, as plain or mem0, or a whole store: postgres:URL of a schema that is not "
    "there yet, langgraph:URL?sidecar=:memory:; again for one beside it.",
)  # fmt: skip
@click.option("--limit", type=click.IntRange(1), help="The first rows only.")
@click.option("--every", type=click.IntRange(1), default=1, help="Every so many-th row only.")
@click.option("--failures", is_flag=True, help="Every row that did not pass, with its reasons.")
@options.output_options
def command(
    path: str, specs: tuple[str, ...], limit: int | None, every: int, failures: bool,
) -> None:  # fmt: skip
    """Run the gold programs of the corpus PATH and check what each row expects.

    A row passed, missed an assertion or its ranking, is illegal, or was refused by the store. With
    --jsonl a row each (with --failures those that did not pass), and the figures on stderr. Of
    several stores the rows are told that end otherwise than on the first.
    """
    form = show.form()
    from text2mem.cli.progress import with_progress
    from text2mem_bench.corpus import read_corpus
    from text2mem_bench.machine import machine
    from text2mem_bench.replay import Report, replay
    from text2mem_bench.running import backends, labelled, temporary_stores

    cases, names = read_corpus(path, limit)[::every], labelled(specs)
    reports: dict[str, Report] = {}
    with backends(specs) as openers, temporary_stores() as stores:
        for name, spec in names.items():
            outcomes = []
            played = replace(stores, opener=openers[spec])
            for outcome in replay(with_progress(cases, f"replaying on {name}"), played):
                outcomes.append(outcome)
                if form == "jsonl" and not (failures and outcome.status == "passed"):
                    show.emit({"store": name, **outcome.as_dict()})
            reports[name] = Report(tuple(outcomes))
    first = next(iter(reports.values()))
    where = {**machine(), "path": path, **({"every": every} if every > 1 else {})}
    if form == "json" or (form is None and not show.on_terminal()):
        figures = {
            name: {
                **report.as_dict(), "otherwise": report.otherwise(first),
                **({"failures": [o.as_dict() for o in report.failures]} if failures else {}),
            }
            for name, report in reports.items()
        }  # fmt: skip
        show.emit({**where, "figures": figures})
        return
    to_stderr = form == "jsonl"
    if not to_stderr:
        click.echo("  ".join(f"{k}={v}" for k, v in where.items()))
    for name, report in reports.items():
        lines = [f"{name}:"] if len(reports) > 1 else []
        lines += [_told(o) for o in report.failures if failures and not to_stderr]
        lines.append(_figures(report))
        if report is not first:
            told = report.otherwise(first)
            lines.append(f"{len(told)} rows end otherwise than on {next(iter(reports))}")
            lines += [f"{id_}: {how}" for id_, how in told.items()]
        click.echo(show.visible("\n".join(lines)), err=to_stderr)


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
    if outcome.unmirrored:
        lines.append(outcome.unmirrored)
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
