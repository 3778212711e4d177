"""``text2mem bench plan``: the planning layer of the benchmark."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from text2mem.cli import options, show
from text2mem_bench.cli.resuming import going_on, said

if TYPE_CHECKING:
    from text2mem.ir.ports import Embedder
    from text2mem.providers.base import Provider
    from text2mem_bench.corpus import Case
    from text2mem_bench.planning import Predict

_FILE = click.Path(exists=True, dir_okay=False)
_COUNT = click.IntRange(1)


@click.command("plan")
@click.argument("data", type=_FILE)
@options.model_options
@click.option("--out", type=click.Path(file_okay=False), help="Keep the run in this folder.")
@click.option("--limit", type=_COUNT, help="The first cases only.")
@click.option("--sample", type=_COUNT, metavar="N", help="N cases by --seed, ops in proportion.")
@click.option("--ids", type=_FILE, help="The cases that this file names, an id a line.")
@click.option("--split", type=click.Choice(["even", "odd"]), help="Half of the cases, by SHA-256.")
@click.option("--ground-embedder", metavar="SPEC", help="Ground by these vectors, too. [none]")
@click.option("--parallel", type=_COUNT, default=1, metavar="N", help="Ask N times at once.")
@click.option("--embedder", metavar="SPEC", help="SMA-cos by these vectors, not by characters.")
@click.option("--adjudicator", metavar="PROVIDER:MODEL", help="Have a model judge, as well.")
@click.option("--neighbours", type=_FILE, help="The file whose programs a floor copies.")
@options.output_options
@click.pass_context
def command(
    ctx: click.Context, data: str, model: str | None, seed: int, attempts: int, out: str | None,
    limit: int | None, sample: int | None, ids: str | None, split: Any,
    ground_embedder: str | None, parallel: int, embedder: str | None,
    adjudicator: str | None, neighbours: str | None,
) -> None:  # fmt: skip
    """Score the programs that a model makes of the utterances of the corpus DATA.

    Instead of a model, --model takes a floor: floor:empty, floor:shuffled, floor:nearest (the gold
    program of the most similar other utterance), or floor:gold, which is the ceiling.

    With --out a run can be stopped and goes on where it stood when the command is repeated. With
    --jsonl a row each, and the figures on stderr.
    """
    form = show.form()
    from text2mem.opening import opened_embedder
    from text2mem.providers.registry import opened_provider
    from text2mem_bench.cli.running_scores import Tally, watched
    from text2mem_bench.cli.score_table import table
    from text2mem_bench.corpus import read_corpus
    from text2mem_bench.plan import Judges, pending, run_plan
    from text2mem_bench.published import PUBLISHED
    from text2mem_bench.runs import data_of, open_run
    from text2mem_bench.scores import summarise
    from text2mem_bench.selection import read_ids, select

    corpus = read_corpus(data)
    cases = select(
        corpus, split=split, ids=None if ids is None else read_ids(ids), sample=sample, seed=seed,
        limit=limit,
    )  # fmt: skip
    pool = corpus if neighbours is None else read_corpus(neighbours)
    meanings = opened_embedder(ground_embedder or "none")
    predict, provider = _predictor(model, pool, embedder=meanings, seed=seed, attempts=attempts)
    name = ctx.params["model"] = model if provider is None else provider.name
    if provider is not None and neighbours is not None:
        raise click.UsageError("--neighbours is for the floors that copy programs")
    if provider is None and meanings is not None:
        raise click.UsageError("a floor looks at no store: leave out --ground-embedder")
    judge = None if adjudicator is None else opened_provider(adjudicator)
    vectors = opened_embedder(embedder or "none")
    identity = {
        "kind": "plan", "model": name,
        "ground_embedder": None if meanings is None else meanings.model,
        "seed": seed, "attempts": attempts, "split": split, "limit": limit,
        "sample": sample, "ids": None if ids is None else data_of(ids, len(read_ids(ids))),
        "data": data_of(data, len(corpus)),
        "neighbours": None if pool is corpus else data_of(str(neighbours), len(pool)),
        "embedder": None if vectors is None else vectors.model,
        "adjudicator": None if judge is None else judge.name,
    }  # fmt: skip
    threads = _threads(parallel, [one for one in (provider, judge) if one is not None])
    folder = None if out is None else Path(out)
    with open_run(folder, identity, said(ctx, whole_paths=False)) as run:
        left = pending(cases, run)
        tally = Tally.of(run.rows)
        judges = Judges(vectors, judge, seed)
        rows = run_plan(cases, predict, run, judges, threads=threads, embedder=meanings)
        with going_on(ctx, run, len(cases)):
            done = len(cases) - len(left)
            with closing(watched(rows, tally, total=len(cases), done=done)) as shown:
                for row in shown:
                    if form == "jsonl":
                        show.emit(row)
    summary = summarise(run.rows)
    if form == "json" or (form is None and not show.on_terminal()):
        published = [row.as_dict() for row in PUBLISHED]
        show.emit({"config": run.config, "summary": summary, "published": published})
        return
    click.echo(show.visible(table(run.config, summary)), err=form == "jsonl")


def _predictor(
    model: str | None, pool: list[Case], *, embedder: Embedder | None, seed: int, attempts: int
) -> tuple[Predict, Provider | None]:
    """Who answers; the provider is None for a floor, which copies from ``pool``."""
    from text2mem.providers.registry import opened_provider
    from text2mem_bench.floors import PREFIX, floor
    from text2mem_bench.planning import ModelPredictor

    if model is not None and model.startswith(PREFIX):
        return floor(model, pool, seed=seed), None
    provider = opened_provider(model)
    predictor = ModelPredictor(provider=provider, embedder=embedder, seed=seed, attempts=attempts)
    return predictor, provider


def _threads(wanted: int, providers: list[Provider]) -> int:
    """How many cases at once: no more than whoever serves every model does at once."""
    from text2mem_bench.plan import at_once

    allowed = min((at_once(provider.name) for provider in providers), default=1)
    if wanted > allowed:
        click.echo(f"{allowed} at a time: more would wait for the model", err=True)
    return min(wanted, allowed)
