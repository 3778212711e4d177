"""``text2mem bench experience``: what an agent gains by what it is shown of earlier tasks."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from text2mem.cli import options, show
from text2mem_bench.cli.resuming import going_on, said

_TURNS = 8
_KEY = """\
first, then: right at the request and at what follows, per cent; READ, WRITE and the groups: of
the first; turns: of the first; shown: attempts that were shown something"""


def _is_share(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """``2/3``, the second of three parts."""
    number, _, of = value.partition("/")
    if number.isdecimal() and of.isdecimal() and 0 < int(number) <= int(of):
        return value
    raise click.BadParameter(f"{value!r} is not like 1/2", ctx, param)


@click.command("experience")
@click.argument("tasks", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--environment", type=click.Choice(["sql", "requests"]), default="sql", show_default=True,
    help="sql: databases with their seeds. requests: *.cases.own.jsonl beside their stores.",
)  # fmt: skip
@click.option(
    "--work", required=True, type=click.Path(file_okay=False, path_type=Path),
    help="A folder for what takes long: answers of the model, the bank, the table of outcomes.",
)  # fmt: skip
@click.option(
    "--method", "methods", multiple=True,
    help="A way to remember; may be given again. [all that learn nothing]",
)  # fmt: skip
@click.option(
    "--learn", type=click.IntRange(0), default=0,
    help="Find out the outcomes of so many training tasks first.",
)  # fmt: skip
@click.option(
    "--from", "source", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Outcomes to learn from, of another environment's WORK. [those of this one]",
)  # fmt: skip
@click.option("--limit", type=click.IntRange(1), help="So many of the tasks, of every group alike.")
@click.option(
    "--share", default="1/1", metavar="N/OF", callback=_is_share,
    help="A part of the tasks: 1/2 and 2/2 run beside.",
)  # fmt: skip
@click.option(
    "--nearest", type=click.IntRange(1, 50), default=10, show_default=True, help="Candidates."
)
@click.option("--many", type=click.IntRange(1, 5), default=1, help="Memories shown at once.")
@click.option(
    "--episodes", type=click.IntRange(1), help="Begin with so many of the remembered tasks only."
)
@click.option("--seed", type=int, default=0, help="Of the learners and the sample of tasks.")
@click.option("--model", "-m", metavar="PROVIDER:MODEL", help="Who acts. [TEXT2MEM_MODEL]")
@click.option("--embedder", metavar="PROVIDER:MODEL", help="For vectors. [TEXT2MEM_EMBEDDER, auto]")
@click.option(
    "--out", metavar="RUN.json", type=click.Path(path_type=Path),
    help="Keep the run in this file; a path without .json is a folder.",
)  # fmt: skip
@options.output_options
@click.pass_context
def command(
    ctx: click.Context, tasks: Path, environment: str, work: Path, methods: tuple[str, ...],
    learn: int, source: Path | None, limit: int | None, share: str, nearest: int,
    many: int, episodes: int | None, seed: int, model: str | None, embedder: str | None,
    out: Path | None,
) -> None:  # fmt: skip
    """Play the tasks of a folder with every way to remember.

    An agent looks things up, tries things, asks and submits, within a budget; a method says which
    memory of earlier tasks it is shown. Whatever is stopped goes on where it stood. With
    --jsonl a row an attempt, and the figures on stderr.
    """
    form = show.form()
    from text2mem.cli.progress import with_progress
    from text2mem.opening import opened_embedder
    from text2mem.providers.registry import open_provider
    from text2mem.settings import Settings
    from text2mem_bench.agent.loop import Budget
    from text2mem_bench.completions import Completions
    from text2mem_bench.experience.attempting import attempts, sample
    from text2mem_bench.experience.environment import Environment, opened_bank
    from text2mem_bench.experience.figures import figures, lines, outcome_figures, outcome_lines
    from text2mem_bench.experience.methods import FIXED, Ways
    from text2mem_bench.experience.outcomes import Table, read
    from text2mem_bench.requests.environment import RequestEnvironment, read_people
    from text2mem_bench.runs import open_run
    from text2mem_bench.sql.environment import SqlEnvironment
    from text2mem_bench.wild.world import worlds

    settings = Settings.from_environment()
    model, spec = model or settings.model, embedder or settings.embedder
    chosen = methods or FIXED
    part, parts = map(int, share.split("/"))
    identity = {
        "kind": "experience", "environment": environment, "model": model, "embedder": spec,
        "seed": seed, "methods": list(chosen), "limit": limit, "nearest": nearest, "many": many,
        "episodes": episodes, "share": [part - 1, parts], "from": source and source.name,
    }  # fmt: skip
    budget, opened = Budget(turns=_TURNS), opened_embedder(spec)
    with (
        closing(
            Completions(work / f"{environment}.completions.db", open_provider(model))
        ) as answers,
        worlds(opened) as copies,
        open_run(out, identity, said(ctx, whole_paths=False)) as run,
    ):
        played: Environment[Any] = SqlEnvironment(tasks, answers)
        if environment == "requests":
            played = RequestEnvironment(*read_people(tasks), copies, answers, opened)
        bank = opened_bank(work, played, opened, episodes)
        table = Table(work / f"{environment}.jsonl", bank, nearest, budget)
        learnt = sample(played.training(), learn, seed=0)[part - 1 :: parts]
        for _ in table.extend(played, with_progress(learnt, "finding out")):
            pass
        outcomes = table.rows() if source is None else list(read(source))
        example = next(played.remembered()).text if "static" in chosen else ""
        ways = Ways(
            bank=bank, table=outcomes, demonstration=example, nearest=nearest, many=many, seed=seed
        )
        posed = sample(played.evaluation(), limit, seed=0)[part - 1 :: parts]
        with going_on(ctx, run, len(chosen) * len(posed)):
            for method in chosen:
                left = [each for each in posed if f"{method}/{each.id}" not in run.done]
                of = ways.of(method) if left else None
                if of is None:
                    continue
                for row in attempts(played, with_progress(left, method), method, of, budget):
                    run.append(row)
                    if form == "jsonl":
                        show.emit(row)
        run.finish()
    found, best = figures(run.rows), outcome_figures(outcomes)
    if form == "json":
        show.emit({**run.config, "figures": found, "outcomes": best})
        return
    told = [show.visible(line) for line in (*lines(found), _KEY, *outcome_lines(best))]
    click.echo("\n".join(told), err=form == "jsonl")
