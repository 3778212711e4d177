"""``text2mem bench``."""

from __future__ import annotations

import json
import statistics
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from text2mem.cli import options, show

if TYPE_CHECKING:
    from text2mem.bench.replay import Outcome, Report

_NAMED = 10
"""How many rows the figures name under one reason."""


@click.group("bench")
def command() -> None:
    """Measure."""


@command.command("stages")
@click.option("--rounds", type=click.IntRange(10), default=1000, show_default=True)
@click.option("--json", "form", flag_value="json", help="One JSON row a figure.")
def stages(rounds: int, form: str | None) -> None:
    """The cost of the model-free stages for a one-op program, in microseconds."""
    from text2mem.adapters.registry import open_adapter
    from text2mem.bench.machine import machine
    from text2mem.bench.stages import import_time, measure

    with tempfile.TemporaryDirectory() as folder:
        adapter = open_adapter(Path(folder) / "bench.db")
        try:
            timings = [*measure(adapter, rounds), import_time()]
        finally:
            adapter.close()
    where = {**machine(), "command": f"text2mem bench stages --rounds {rounds}"}
    if form == "json" or not show.on_terminal():
        show.emit(where)
        for timing in timings:
            show.emit(asdict(timing))
        return
    for key, value in where.items():
        click.echo(f"{key:<10} {value}")
    click.echo(f"\n{'op':<9} {'stage':<17} {'median µs':>10} {'p95 µs':>10} {'rounds':>7}")
    for t in timings:
        click.echo(f"{t.op:<9} {t.stage:<17} {t.median:>10.0f} {t.p95:>10.0f} {t.rounds:>7}")


@command.command("phrasings")
@click.argument("path", type=click.Path(exists=True, dir_okay=False))
@click.option("--model", "-m", metavar="PROVIDER:MODEL", help="Which model plans.")
@click.option("--seed", type=int, default=0, help="Seed of the sampler.")
@click.option("--json", "form", flag_value="json", help="One JSON row a phrasing.")
def phrasings(path: str, model: str | None, seed: int, form: str | None) -> None:
    """How many phrasings of PATH become the right verbs; every miss is printed."""
    from text2mem.bench.machine import machine
    from text2mem.bench.phrasings import cases, listen
    from text2mem.cli.batch import tracked
    from text2mem.providers.registry import open_provider
    from text2mem.settings import Settings

    spec = model or Settings.from_environment().model
    where = {**machine(), "model": spec, "seed": str(seed)}
    click.echo(
        json.dumps(where) if form == "json" else "  ".join(f"{k}={v}" for k, v in where.items())
    )
    heard = []
    for one in listen(tracked(cases(path), "compiling"), open_provider(spec), seed=seed):
        heard.append(one)
        if form == "json":
            show.emit({**asdict(one), "right": one.right})
        elif not one.right:
            got = ", ".join(one.got) or one.error.splitlines()[0]
            click.echo(f"miss {one.id}: {one.input} -> {got}; expected {', '.join(one.expected)}")
    right = sum(one.right for one in heard)
    seconds = sorted(one.seconds for one in heard)
    redrafts = sum(one.redrafts for one in heard)
    click.echo(
        f"{right} of {len(heard)} right, {redrafts} redrafts, "
        f"median {statistics.median(seconds):.1f} s a compile",
        err=form == "json",
    )


@command.command("store")
@click.option(
    "--n",
    "sizes",
    default="10000,100000",
    show_default=True,
    metavar="N[,N…]",
    help="At how many memories.",
)
@click.option("--seed", type=int, default=0, help="Seed of the made-up memories.")
@click.option("--rounds", type=click.IntRange(9), default=60, show_default=True)
@click.option("--without-vectors", is_flag=True, help="Measure words and filters alone.")
@click.option("--figure", type=click.Path(dir_okay=False), help="Draw the figures as SVG.")
@click.option("--json", "form", flag_value="json", help="One JSON row a figure.")
def store(
    sizes: str, seed: int, rounds: int, without_vectors: bool, figure: str | None, form: str | None
) -> None:
    """How quick a SQLite store is with N made-up memories, and how that grows.

    The vectors are random directions: they cost what real ones cost, and find nothing.
    """
    from text2mem.bench.figure import draw
    from text2mem.bench.machine import machine
    from text2mem.bench.store import as_row, measure

    try:
        wanted = [int(size) for size in sizes.split(",")]
    except ValueError as error:
        raise click.UsageError(f"--n takes numbers, such as 10000,100000: {error}") from error
    said = f"text2mem bench store --n {sizes} --seed {seed} --rounds {rounds}"
    where = {**machine(), "command": said + (" --without-vectors" if without_vectors else "")}
    people = form is None and show.on_terminal()
    if people:
        for key, value in where.items():
            click.echo(f"{key:<10} {value}")
        click.echo(f"\n{'n':>8}  {'what':<44} {'p50':>11} {'p95':>11}  {'unit':<9} {'rounds':>6}")
    else:
        show.emit(where)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for f in measure(
            wanted, Path(folder), seed=seed, rounds=rounds, vectors=not without_vectors
        ):
            found.append(f)
            if people:
                click.echo(
                    f"{f.n:>8}  {f.what:<44} {f.p50:>11.3f} {f.p95:>11.3f}  {f.unit:<9} "
                    f"{f.rounds:>6}"
                )
            else:
                show.emit(as_row(f))
    if figure is not None:
        draw(found, Path(figure), title=f"{where['processor']}, {where['date']}, {said}")


@command.command("replay")
@click.argument("path", type=click.Path(exists=True, dir_okay=False))
@click.option("--limit", type=click.IntRange(1), help="The first rows only.")
@click.option("--failures", is_flag=True, help="Every row that did not pass, with its reasons.")
@options.output_options
def replay_corpus(path: str, limit: int | None, failures: bool, form: str | None) -> None:
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
