"""``text2mem bench execution``: programs run on backends, and what they did to the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from text2mem.cli import options, show
from text2mem.cli.services import embedder_option

if TYPE_CHECKING:
    from text2mem_bench.execution.scoring import Scored


@click.command("execution")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True))
@click.option(
    "--backend", "backends", default="sqlite,plain", show_default=True, metavar="NAME[,NAME…]",
    help="On which adapters; differences are told from the first.",
)  # fmt: skip
@click.option("--limit", type=click.IntRange(1), help="The first rows of each file only.")
@click.option("--failures", is_flag=True, help="Every row that is not right, with its reasons.")
@embedder_option
@options.output_options
def command(
    paths: tuple[str, ...], backends: str, limit: int | None, failures: bool,
    embedder: str | None,
) -> None:  # fmt: skip
    """Run the programs of PATHS and check the state that they leave behind.

    A path is a file of fixtures/execution, a corpus, or a folder of such files. Scored are the
    edits, the shift of what was promoted or demoted, what falls due just before, at and after its
    instant, what reads return, and whether the backends agree. With --jsonl a row for each case and
    backend, and the figures on stderr.
    """
    form = show.form()
    from text2mem.cli.progress import with_progress
    from text2mem.opening import opened_embedder
    from text2mem_bench.execution.cases import read_cases
    from text2mem_bench.execution.scoring import ORACLE, measure
    from text2mem_bench.execution.summary import summarise
    from text2mem_bench.lines import files
    from text2mem_bench.machine import machine
    from text2mem_bench.running import backends as opened
    from text2mem_bench.running import supports

    names = list(dict.fromkeys(name.strip() for name in backends.split(",") if name.strip()))
    if not names:
        raise click.UsageError("--backend names no adapter")
    cases = [case for path in files(paths) for case in read_cases(path, limit)]
    vectors = opened_embedder(embedder)
    rows = []
    with opened([*names, ORACLE]) as openers:
        for row in measure(with_progress(cases, "running"), openers, names, vectors):
            rows.append(row)
            if form == "jsonl" and not (failures and row.right):
                show.emit(row.as_dict())
    figures, ops = summarise(rows), supports(names)
    where = {
        **machine(), "path": " ".join(paths), "backends": ",".join(names),
        "embedder": "none" if vectors is None else vectors.model,
    }  # fmt: skip
    if form == "json" or (form is None and not show.on_terminal()):
        listed = {"failures": [r.as_dict() for r in rows if not r.right]} if failures else {}
        show.emit({**where, "ops": ops, "figures": figures, **listed})
        return
    to_stderr = form == "jsonl"
    if not to_stderr:
        click.echo("  ".join(f"{key}={value}" for key, value in where.items()))
        for row in rows if failures else ():
            if not row.right:
                click.echo(show.visible(_told(row)))
    click.echo("\n".join([*_table(ops), *_lines(figures)]), err=to_stderr)


def _told(row: Scored) -> str:
    """Why one row is not right."""
    lines = [f"{f.part}{f.pointer}: {f.message} [{f.code}]" for f in row.faults]
    if row.edits is not None:
        lines += [f"edit not made: {words}" for words in row.edits.missing]
        lines += [f"edit not expected: {words}" for words in row.edits.unexpected]
    lines += [
        f"memory {shift.id} went from place {shift.before} to {shift.after}"
        for shift in row.shifts
        if not shift.right
    ]
    lines += [
        f"{c.about} of memory {c.id}, {c.moment}{', ticked' if c.ticked else ''}: "
        f"expected {c.expected}; found {c.found}"
        for c in row.checks
        if not c.held
    ]
    if row.retrieved is not None and not row.retrieved.held:
        ids = ", ".join(row.retrieved.returned) or "nothing"
        lines.append(f"retrieval: recall {row.retrieved.recall:.2f}, returned {ids}")
    return "\n  ".join([f"{row.status} {row.id} on {row.backend}", *lines, *row.differences])


def _table(ops: Mapping[str, Mapping[str, str]]) -> list[str]:
    """A line an op, with how each backend carries it out."""
    widths = {name: max(len(name), len("unsupported")) for name in ops}
    named = next(iter(ops.values()))
    head = "op".ljust(12) + "  ".join(name.ljust(width) for name, width in widths.items())
    rows = [
        op.ljust(12) + "  ".join(ops[name][op].ljust(width) for name, width in widths.items())
        for op in named
    ]
    return [line.rstrip() for line in (head, *rows)]


def _lines(figures: dict[str, dict[str, Any]]) -> list[str]:
    """The figures of every backend as text."""
    lines = []
    for name, told in figures.items():
        edits, shifts, due, found = (
            told[key] for key in ("edits", "shifts", "triggers", "retrieval")
        )
        lines += [
            f"{name}: {told['rows']} rows, {told['done']} done, {told['illegal']} illegal, "
            f"{told['refused']} refused, {told['right']} right, {told['seconds']} s",
            f"  edits      {edits['right']} of {edits['expected']} expected, {edits['actual']} "
            f"made: precision {_said(edits['precision'])}, recall {_said(edits['recall'])}, "
            f"{edits['exact']} of {edits['rows']} rows exact",
            f"  shift      {shifts['right']} of {shifts['memories']} memories right "
            f"({shifts['unprobed']} not found), "
            f"{shifts['moved']} at another place, {shifts['left']} no hit any more; on average "
            f"rise {_said(shifts['places'])}, tau {_said(shifts['tau'])}",
            f"  triggers   {due['held']} of {due['checks']} checks hold",
            *(
                f"    {moment:<26} {cell['held']} of {cell['checks']}"
                for moment, cell in due["by_moment"].items()
            ),
            f"  retrieval  {found['held']} of {found['reads']} reads right: "
            f"recall@k {_said(found['recall'])}, nDCG@k {_said(found['ndcg'])}, "
            f"MRR {_said(found['mrr'])}",
            f"  agreement  {told['differences']['told']} differences from the first backend, "
            f"in {told['differences']['rows']} rows",
            "  right by op: "
            + ", ".join(f"{op} {c['right']}/{c['rows']}" for op, c in told["by_op"].items()),
        ]
    return lines


def _said(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
