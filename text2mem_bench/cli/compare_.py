"""``text2mem bench compare``: what got better and worse from one run to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from text2mem.cli import show

if TYPE_CHECKING:
    from text2mem_bench.report.compare import Change, Comparison


@click.command("compare")
@click.argument("a", type=click.Path(exists=True, path_type=Path))
@click.argument("b", type=click.Path(exists=True, path_type=Path))
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the resampling.")
@click.option("--json", "form", flag_value="json", help="JSON, on a terminal too.")
@click.option("--text", "form", flag_value="text", help="As on a terminal.")
def command(a: Path, b: Path, seed: int, form: str | None) -> None:
    """What got better and worse from run A to run B, case by case and on average.

    Both are planning runs, or both wild runs. A case got better where its deciding scores (op
    accuracy, ESR, EMR, effective EMR, the row; of a wild run the right effect, no harm, no loss)
    changed and none fell. The interval of each mean difference is a paired bootstrap's.
    """
    from text2mem_bench.report.compare import compare
    from text2mem_bench.report.run import PLAN, WILD, load

    compared = compare(*load([a, b], (PLAN, WILD)), seed=seed)
    for warning in compared.warnings:
        click.echo(show.visible(f"note: {warning}"), err=True)
    if form == "json" or (form is None and not show.on_terminal()):
        show.emit(compared.as_dict())
        return
    click.echo(show.visible(_told(compared)))


def _told(compared: Comparison) -> str:
    """The differences as a table, and the cases that changed."""
    from text2mem_bench.report.bootstrap import LEVEL, RESAMPLES
    from text2mem_bench.report.wording import title

    a, b = compared.a, compared.b
    in_a, in_b = compared.asked
    lines = [
        f"A = {a}, B = {b}: {compared.common} cases in common"
        + (f"; asked back: {in_a} in A, {in_b} in B" if in_a or in_b else ""),
        f"mean of A and of B, B less A, and its {LEVEL:.0%} interval "
        f"({RESAMPLES:,} paired resamples, seed {compared.seed}), in per cent",
        "",
        f"{'score':<15}{'n':>5}{'A':>8}{'B':>8}{'B-A':>8}  {'interval':<17}{'better':>7}"
        f"{'worse':>7}{'same':>6}",
    ]  # fmt: skip
    for one in compared.differences:
        span = f"[{100 * one.low:+.1f}, {100 * one.high:+.1f}]"
        lines.append(
            f"{title(one.score):<15}{one.n:>5}{100 * one.a:>8.1f}{100 * one.b:>8.1f}"
            f"{100 * one.difference:>+8.1f}  {span:<17}{one.better:>7}{one.worse:>7}{one.same:>6}"
        )
    for direction in ("better", "worse", "mixed"):
        changes = compared.of(direction)
        lines += ["", f"{direction}: {len(changes)}", *(f"  {_change(one)}" for one in changes)]
    return "\n".join(lines)


def _change(change: Change) -> str:
    """One case: what it is, and its scores before and after."""
    from text2mem_bench.report.wording import title

    def said(value: float | None) -> str:
        return "none" if value is None else f"{value:.3g}"

    scores = [f"{title(s)} {said(x)} → {said(change.after[s])}" for s, x in change.before.items()]
    old, new = change.statuses
    status = f", {old} → {new}" if old != new else ""
    return f"{change.id} ({' → '.join(change.ops)}, {change.lang}{status}): {'; '.join(scores)}"
