"""``text2mem bench replay-episodes``: dialogues played turn by turn through a memory."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from text2mem.cli import show
from text2mem.cli.services import embedder_option
from text2mem_bench.cli.resuming import going_on, said

if TYPE_CHECKING:
    from text2mem_bench.episodes.cases import Case

CODE, GOLD = "code", "gold"


@click.command("replay-episodes")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True))
@click.option(
    "--model", "-m", metavar="PROVIDER:MODEL",
    help="Which model reads; 'code' asks none, and reads structured messages alone. "
    "[TEXT2MEM_MODEL, local:qwen2.5-coder-0.5b]",
)  # fmt: skip
@click.option("--gold", is_flag=True, help="Hand the gold candidates over in place of a reading.")
@click.option(
    "--answer", is_flag=True, help="Have the questions answered, by the model or by code."
)
@click.option(
    "--split", type=click.Choice(["tune", "held-out", "all"]), default="tune", show_default=True,
    help="Which dialogues; nothing is to be fitted to the held-out ones.",
)  # fmt: skip
@click.option("--thorough", is_flag=True, help="Have subjects forgotten thoroughly.")
@click.option("--store", metavar="memory:|DIR", help="Where the stores are. [a temporary folder]")
@click.option("--out", type=click.Path(file_okay=False), help="Keep the run in this folder.")
@click.option("--limit", type=click.IntRange(1), help="The first dialogues only.")
@embedder_option
@click.option("--json", "form", flag_value="json", help="The figures as JSON, on a terminal too.")
@click.option("--jsonl", "form", flag_value="jsonl", help="One JSON row a dialogue.")
@click.option("--markdown", "form", flag_value="markdown", help="Tables, as on a terminal.")
@click.option("--text", "form", flag_value="text", help="Tables and misses, gold beside found.")
@click.pass_context
def command(
    ctx: click.Context, paths: tuple[str, ...], model: str | None, gold: bool, answer: bool,
    split: Any, thorough: bool, store: str | None, out: str | None, limit: int | None,
    embedder: str | None, form: str | None,
) -> None:  # fmt: skip
    """Play the dialogues of PATHS through a memory and score what it keeps and answers.

    A path is a dialogue as in fixtures/episodes, or a folder of them. Tables on a terminal, else
    JSON; with --jsonl a row each, and the tables on stderr. With --out a run can be stopped and
    goes on where it stood when the command is repeated.
    """
    from text2mem.opening import opened_embedder
    from text2mem.providers.registry import opened_provider
    from text2mem_bench.episodes.cases import read_cases
    from text2mem_bench.episodes.play import Players, replay
    from text2mem_bench.episodes.table import markdown, misses
    from text2mem_bench.episodes.tally import summarise
    from text2mem_bench.runs import open_run

    if gold and model is not None and not answer:
        raise click.UsageError("--gold needs no --model, but for --answer")
    cases = read_cases(paths, split=None if split == "all" else split, limit=limit)
    if not cases:
        raise click.UsageError(f"there is no dialogue to play, of those that are {split}")
    asked = model != CODE and (answer or not gold)
    provider = opened_provider(model) if asked else None
    vectors = opened_embedder(embedder)
    name = GOLD if gold else CODE if provider is None else provider.name
    if provider is not None:
        ctx.params["model"] = provider.name
    identity = {
        "kind": "replay-episodes", "model": name,
        "answer": None if not answer else CODE if provider is None else provider.name,
        "split": split, "thorough": thorough,
        "limit": limit, "store": "folder" if store not in (None, "memory:") else store,
        "embedder": None if vectors is None else vectors.model, "data": _data(cases),
    }  # fmt: skip
    players = Players(
        model=provider, gold=gold, answer=answer, thorough=thorough, embedder=vectors, store=store
    )
    with open_run(
        None if out is None else Path(out), identity, said(ctx, whole_paths=False)
    ) as run:
        left = [case for case in cases if case.id not in run.done]
        with going_on(ctx, run, len(cases)), closing(replay(left, players, run)) as rows:
            for number, row in enumerate(rows, 1):
                click.echo(f"{number} of {len(left)}  {row['id']}", err=True)
                if form == "jsonl":
                    show.emit(row)
        run.finish()
        summary = summarise(run.rows)
    if form == "json" or (form is None and not show.on_terminal()):
        show.emit({"config": run.config, "summary": summary})
        return
    told = [markdown(run.config, summary)]
    if form == "text":
        told += misses(run.rows)
    click.echo(show.visible("\n".join(told)), err=form == "jsonl")


def _data(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """What is played: the dialogues by name, with a hash of what each holds."""
    from hashlib import sha256

    return [
        {"id": case.id, "sha256": sha256(case.model_dump_json().encode()).hexdigest()}
        for case in cases
    ]
