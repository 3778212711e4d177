"""``text2mem bench fuzz``: inputs at random, and what breaks the promises of the package."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import click

from text2mem.cli import show

if TYPE_CHECKING:
    from text2mem_bench.fuzz.fuzzing import Report
    from text2mem_bench.fuzz.texts import Ran

SURFACES = (
    "program", "plain", "cli", "draft", "sqlite", "planner", "observe", "tools", "pages",
)  # fmt: skip


@click.command("fuzz")
@click.option("--seconds", type=click.FloatRange(0), help="How long. [10, without --cases]")
@click.option("--cases", type=click.IntRange(0), help="How many cases.")
@click.option("--case", "only", type=click.IntRange(0), metavar="N", help="This case only.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--surface", "among", type=click.Choice(SURFACES), multiple=True,
    help="The cases of this surface only. Repeatable.",
)  # fmt: skip
@click.option("--json", "form", flag_value="json", help="One JSON document.")
def command(
    seconds: float | None, cases: int | None, only: int | None, seed: int, among: tuple[str, ...],
    form: str | None,
) -> int:  # fmt: skip
    """Look for inputs that end in anything but an answer or an error of text2mem's own.

    A finding is another exception, an exit code that is not documented, or a call of more than two
    seconds of CPU. Each is told once, with its case, the seed, and the smallest input that still
    does it; --seed and --case make it again. Exit code 1 where there is one.
    """
    from text2mem_bench.cli.fuzz_doors import surfaces
    from text2mem_bench.fuzz.fuzzing import fuzz
    from text2mem_bench.fuzz.surfaces import shipped
    from text2mem_bench.machine import machine

    if seconds is None and cases is None:
        seconds = 10.0
    every = (*shipped(invoke), *surfaces())
    report = fuzz(every, seed=seed, cases=cases, seconds=seconds, only=only, among=among)
    if form == "json" or not show.on_terminal():
        show.emit({**machine(), **report.as_dict()})
    else:
        click.echo("\n".join(_lines(report)))
    return 1 if report.findings else 0


def invoke(arguments: list[str], stdin: bytes) -> Ran:
    """A command line in this process, its streams as ``main`` sets them; exceptions come through.

    What ``main`` makes an exit code of is one here, too.
    """
    from click.testing import CliRunner

    from text2mem.cli.main import cli, exit_code
    from text2mem.errors import Text2MemError
    from text2mem_bench.fuzz.texts import Ran

    with CliRunner().isolation(input=stdin) as streams:
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                kept = "surrogateescape" if stream is sys.stdin else "backslashreplace"
                stream.reconfigure(encoding="utf-8", errors=kept)
        try:
            code = cli.main(arguments, prog_name="text2mem", standalone_mode=False) or 0
        except click.ClickException as error:
            code = error.exit_code
        except Text2MemError as error:
            code = exit_code(error)
        sys.stdout.flush()
        return Ran(code, streams[0].getvalue())


def _lines(report: Report) -> list[str]:
    """The report as tables, findings last."""
    lines = [f"seed {report.seed}, {report.seconds:.1f} s, {sum(report.cases.values())} cases", ""]
    lines.append(f"{'surface':<9} {'call':<18} {'outcome':<34} {'times':>8}")
    for (surface, what, outcome), times in sorted(report.outcomes.items()):
        lines.append(f"{surface:<9} {what:<18} {outcome:<34} {times:>8}")
    lines += ["", f"{'surface':<9} {'slowest call':<18} {'s of CPU':>9} {'case':>8}"]
    for surface, what, taken, case in report.slowest_calls():
        lines.append(f"{surface:<9} {what:<18} {taken:>9.3f} {case:>8}")
    lines += ["", f"{len(report.findings)} findings"]
    for each in report.findings:
        fault = each.fault
        where = f"{each.surface}, case {each.case}, seed {each.seed}, {each.times} times"
        lines += [
            f"{where}: {fault.error}",
            f"  {fault.message}", f"  at {fault.where}", f"  {each.smallest}",
        ]  # fmt: skip
    return [show.visible(line) for line in lines]
