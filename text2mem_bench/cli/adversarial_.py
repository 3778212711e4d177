"""``text2mem bench adversarial``: what must be refused, asked back, limited, or do no harm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from text2mem.cli import options, show
from text2mem_bench.cli.resuming import going_on, said

if TYPE_CHECKING:
    from text2mem_bench.adversarial.cases import AdversarialCase
    from text2mem_bench.adversarial.scoring import Judged

_HEAD = ("rows", "clean", "right", "harm")


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
@click.option(
    "--set", "chosen", type=click.Choice(["absent", "injection", "all"]), default="all",
    show_default=True, help="About what is not there, with controls; orders in stored text; all.",
)  # fmt: skip
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="These only. Repeatable.")
@click.option("--limit", type=click.IntRange(1), help="The first rows of each file only.")
@click.option("--out", type=click.Path(file_okay=False), help="Keep the run in this folder.")
@click.option("--failures", is_flag=True, help="Every row that is not right, with its reasons.")
@options.output_options
@click.pass_context
def command(
    ctx: click.Context, paths: tuple[str, ...], model: str | None, seed: int, attempts: int,
    chosen: str, kinds: tuple[str, ...], limit: int | None,
    out: str | None, failures: bool,
) -> None:  # fmt: skip
    """Judge what becomes of the cases of PATHS: of fixtures/adversarial and fixtures/absent.

    A case is right where it ends as it says: refused, asking back, within its bounds, harmless, or
    with exactly the memories changed that were meant. It is clean where nothing happened that
    nobody asked for: no op, and no memory changed, made or given out (harm). With --out a run can
    be stopped and goes on where it stood. With --jsonl a row a case, and the figures on stderr.
    """
    form = show.form()
    from text2mem.cli.progress import with_progress
    from text2mem_bench.adversarial.cases import KINDS, SETS, read_cases
    from text2mem_bench.adversarial.figures import summarise
    from text2mem_bench.lines import files
    from text2mem_bench.runs import data_of, open_run

    strange = [kind for kind in kinds if kind not in KINDS]
    if strange:
        raise click.UsageError(f"there is no kind '{strange[0]}'; there are {', '.join(KINDS)}")
    read = {str(path): read_cases(path, limit) for path in files(paths)}
    wanted = [
        case for cases in read.values() for case in cases
        if case.kind in SETS[chosen] and (not kinds or case.kind in kinds)
    ]  # fmt: skip
    scored = [c for c in wanted if (c.program if model is None else c.utterance) is not None]
    identity = {
        "kind": "adversarial", "model": model or "none", "seed": seed, "attempts": attempts,
        "set": chosen, "kinds": sorted(kinds), "limit": limit,
        "data": [data_of(path, len(cases)) for path, cases in read.items()],
    }  # fmt: skip
    folder = None if out is None else Path(out)
    with open_run(folder, identity, said(ctx, whole_paths=False)) as run:
        left = [case for case in scored if case.id not in run.done]
        with going_on(ctx, run, len(scored)):
            for judged in _judged(list(with_progress(left, "judging")), model, seed, attempts):
                row = judged.as_dict()
                run.append(row)
                if form == "jsonl" and not (failures and judged.right):
                    show.emit(row)
        run.finish()
    figures = {**summarise(run.rows), "cases": len(wanted), "without": len(wanted) - len(scored)}
    where = {**run.config["machine"], "path": " ".join(paths), "model": model or "none",
             "seed": str(seed)}  # fmt: skip
    wrong = [row for row in run.rows if not row.get("right")]
    if form == "json" or (form is None and not show.on_terminal()):
        show.emit({**where, "figures": figures, **({"failures": wrong} if failures else {})})
        return
    to_stderr = form == "jsonl"
    if not to_stderr:
        click.echo("  ".join(f"{key}={value}" for key, value in where.items()))
        for row in wrong:
            if failures or row.get("unasked"):
                click.echo(show.visible(_told(row)))
    click.echo("\n".join(_lines(figures)), err=to_stderr)


def _judged(
    cases: Sequence[AdversarialCase], model: str | None, seed: int, attempts: int
) -> Iterator[Judged]:
    from text2mem.planner import Budget
    from text2mem.providers.registry import opened_provider
    from text2mem_bench.adversarial.scoring import judge_programs, judge_utterances

    if model is None:
        return judge_programs(cases)
    budget = Budget(attempts=attempts)
    return judge_utterances(
        cases, opened_provider(model), budget=budget, seed=seed
    )  # fmt: skip


def _told(row: Mapping[str, Any]) -> str:
    """Why one row is not right."""
    if "outcome" not in row:
        return f"not scored {row['id']}\n  {row['error']}"
    how = ", with harm" if row["harm"] else ", unasked" if row["unasked"] else ""
    request = [] if row["utterance"] is None else [f"said: {row['utterance']}"]
    answer = [] if row["program"] is None else [f"planned: {row['program']}"]
    answer += [] if row["question"] is None else [f"asked back: {row['question']}"]
    return "\n  ".join([f"wrong{how} {row['id']}", *request, *answer, *row["reasons"]])


def _lines(figures: dict[str, Any]) -> list[str]:
    """The figures as a table."""
    from text2mem_bench.adversarial.figures import OUTCOMES

    head = [*_HEAD, *OUTCOMES]
    whole = figures["overall"]
    lines = [f"{'':<15}" + "".join(f"{name:>9}" for name in head)]
    cells = {"all": whole, **figures["by_kind"], **figures["by_lang"]}
    for name, cell in cells.items():
        lines.append(f"{name:<15}" + "".join(f"{cell[key]:>9}" for key in head))
    if whole["rows"]:
        lines.append(
            f"nothing that nobody asked for happened in {whole['clean']} of {whole['rows']} cases "
            f"({whole['clean_share']:.1%})"
        )
    if whole["unscored"]:
        lines.append(f"{whole['unscored']} not scored: the model service was down")
    if figures["without"]:
        lines.append(f"{figures['without']} of {figures['cases']} cases have nothing to judge here")
    if whole["prompt_tokens"]:
        lines.append(f"{whole['prompt_tokens']} prompt and {whole['output_tokens']} output tokens")
    return [*lines, f"{whole['seconds']} s"]
