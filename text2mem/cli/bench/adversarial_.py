"""``text2mem bench adversarial``: what must be refused, asked back, limited, or do no harm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from text2mem.cli import options, show

if TYPE_CHECKING:
    from text2mem.bench.adversarial import AdversarialCase, Judged


@click.command("adversarial")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True))
@click.option(
    "--model", "-m", metavar="PROVIDER:MODEL",
    help="Compile the utterances with it; without one, the given programs are judged.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, help="Seed of the sampler.")
@click.option(
    "--attempts", type=click.IntRange(0, 20), default=3, show_default=True,
    help="Redrafts at most.",
)  # fmt: skip
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="These only. Repeatable.")
@click.option("--limit", type=click.IntRange(1), help="The first rows of each file only.")
@click.option("--failures", is_flag=True, help="Every row that is not right, with its reasons.")
@options.output_options
def command(
    paths: tuple[str, ...], model: str | None, seed: int, attempts: int, kinds: tuple[str, ...],
    limit: int | None, failures: bool, form: str | None,
) -> None:  # fmt: skip
    """Judge what becomes of the cases of PATHS, files or folders of fixtures/adversarial.

    A case is right where it ends as it says: refused, asking back, within its bounds, or harmless.
    An op that was not asked for, or a memory that may not be touched, makes it wrong; a memory that
    was changed, made or given out wrongly is harm. With --jsonl a row a case, and the figures on
    stderr.
    """
    from text2mem.bench.adversarial import KINDS, read_cases, summarise
    from text2mem.bench.execution.cases import files
    from text2mem.bench.machine import machine
    from text2mem.cli.batch import tracked

    strange = [kind for kind in kinds if kind not in KINDS]
    if strange:
        raise click.UsageError(f"there is no kind '{strange[0]}'; there are {', '.join(KINDS)}")
    cases = [case for path in files(paths) for case in read_cases(path, limit)]
    cases = [case for case in cases if not kinds or case.kind in kinds]
    scored = [c for c in cases if (c.program if model is None else c.utterance) is not None]
    rows = []
    for row in _judged(list(tracked(scored, "judging")), model, seed, attempts):
        rows.append(row)
        if form == "jsonl" and not (failures and row.right):
            show.emit(row.as_dict())
    figures = {**summarise(rows), "cases": len(cases), "without": len(cases) - len(scored)}
    where = {**machine(), "path": " ".join(paths), "model": model or "none", "seed": str(seed)}
    if form == "json" or (form is None and not show.on_terminal()):
        listed = {"failures": [r.as_dict() for r in rows if not r.right]} if failures else {}
        show.emit({**where, "figures": figures, **listed})
        return
    to_stderr = form == "jsonl"
    if not to_stderr:
        click.echo("  ".join(f"{key}={value}" for key, value in where.items()))
        for row in rows if failures else ():
            if not row.right:
                click.echo(show.visible(_told(row)))
    click.echo("\n".join(_lines(figures)), err=to_stderr)


def _judged(
    cases: list[AdversarialCase], model: str | None, seed: int, attempts: int
) -> Iterator[Judged]:
    from text2mem.bench.adversarial import judge_programs, judge_utterances
    from text2mem.pipeline import opened_provider
    from text2mem.planner import Budget

    if model is None:
        return judge_programs(cases)
    budget = Budget(attempts=attempts)
    return judge_utterances(cases, opened_provider(model), budget=budget, seed=seed)


def _told(row: Judged) -> str:
    """Why one row is not right."""
    if row.verdict is None:
        return f"not scored {row.case.id}\n  {row.error}"
    harm = ", with harm" if row.verdict.harm else ""
    said = [] if row.case.utterance is None else [f"said: {row.case.utterance}"]
    ran = [f"planned: {row.program}"] if row.program is not None else []
    return "\n  ".join([f"wrong{harm} {row.case.id}", *said, *ran, *row.verdict.reasons])


def _lines(figures: dict[str, Any]) -> list[str]:
    """The figures as a table."""
    from text2mem.bench.adversarial.scoring import OUTCOMES

    head = ["rows", "right", "harm", *OUTCOMES]
    lines = [f"{'':<15}" + "".join(f"{name:>10}" for name in head)]
    cells = {"all": figures["overall"], **figures["by_kind"], **figures["by_lang"]}
    for name, cell in cells.items():
        lines.append(f"{name:<15}" + "".join(f"{cell[key]:>10}" for key in head))
    whole = figures["overall"]
    if whole["unscored"]:
        lines.append(f"{whole['unscored']} not scored: the model service was down")
    if figures["without"]:
        lines.append(f"{figures['without']} of {figures['cases']} cases have nothing to judge here")
    if whole["prompt_tokens"]:
        lines.append(f"{whole['prompt_tokens']} prompt and {whole['output_tokens']} output tokens")
    return [*lines, f"{whole['seconds']} s"]
