"""``text2mem bench wild``: requests as people make them, judged by what they do to a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from text2mem.cli import options, show
from text2mem_bench.cli.resuming import going_on, said

_WIDTH = 20
_COLUMNS = ("harm", "loss", "unmeant", "needless", "unasked", "refused", "no_program")
_KEY = """\
right: the effect is what was meant, per cent; harm: rows in which a memory is gone, is to go, or
lost words without being meant; loss: hidden, or short of words that should stay; unmeant: a change
or a new memory that nobody asked for; needless: asked back and need not; unasked: did not ask and
must; ops: rows with an acceptable sequence of ops, of those that name some"""


@click.command("wild")
@click.argument("stores", type=click.Path(exists=True, dir_okay=False))
@click.argument("cases", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--model", "-m", metavar="PROVIDER:MODEL",
    help="Which model reads; floor:empty does nothing. [TEXT2MEM_MODEL]",
)  # fmt: skip
@click.option(
    "--drafts", type=click.Path(exists=True, dir_okay=False),
    help="Recorded drafts in place of a model; the cases that have one.",
)  # fmt: skip
@click.option("--embedder", metavar="PROVIDER:MODEL", help="For vectors. [TEXT2MEM_EMBEDDER, auto]")
@click.option("--seed", type=int, default=0, help="Seed of the sampler.")
@click.option("--limit", type=click.IntRange(1), help="The first cases only.")
@click.option(
    "--door", type=click.Choice(["run", "repl"]), default="run", show_default=True,
    help="run: what compiles is run, confirmed. repl: said in a conversation, where a yes is given "
    "only to what the case asks for plainly.",
)  # fmt: skip
@click.option(
    "--learn", is_flag=True,
    help="Have the words of each person told once before, and kept as experience.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="With --door repl: programs run as they come.")
@click.option(
    "--out", metavar="RUN.json", type=click.Path(path_type=Path),
    help="Keep the run in this file; a path without .json is a folder.",
)  # fmt: skip
@click.option("--failures", is_flag=True, help="Every row that is not right, with its reasons.")
@options.output_options
@click.pass_context
def command(
    ctx: click.Context, stores: str, cases: str, model: str | None, drafts: str | None,
    embedder: str | None, seed: int, limit: int | None, door: str, learn: bool, yes: bool,
    out: Path | None, failures: bool,
) -> None:  # fmt: skip
    """Compile and run each request of CASES on its store of STORES, and judge what has changed.

    A case is right where every memory that was meant to change is as it should be, nothing else
    changed, what is new was meant, and the right memories were read; or where asking back is right
    and it asked. With --out a run can be stopped and goes on where it stood. With --jsonl a row a
    case, and the figures on stderr.
    """
    form = show.form()
    from text2mem.cli.progress import with_progress
    from text2mem.opening import opened_embedder
    from text2mem.settings import Settings
    from text2mem_bench.runs import data_of, open_run
    from text2mem_bench.wild.cases import read_cases, read_drafts, read_stores
    from text2mem_bench.wild.figures import summarise
    from text2mem_bench.wild.scoring import EMPTY, Answerer, ByDrafts, ByModel, score
    from text2mem_bench.wild.talking import ByLearning
    from text2mem_bench.wild.world import worlds

    settings = Settings.from_environment()
    model, spec = model or settings.model, embedder or settings.embedder
    known = read_stores(stores)
    wanted = read_cases(cases, known)[:limit]
    identity = {
        "kind": "wild", "model": model if drafts is None else "recorded drafts",
        "embedder": spec, "seed": seed, "limit": limit,
        "learn": learn, "door": f"{door} --yes" if yes else door,
        "data": data_of(cases, len(wanted)),
        "stores": data_of(stores, len(known)),
    }  # fmt: skip
    opened = opened_embedder(spec)
    answerer: Answerer = Answerer() if model == EMPTY else ByModel(model, opened, seed)
    if door == "repl":
        from text2mem_bench.wild.talking import InRepl

        answerer = InRepl(None if model == EMPTY else model, opened, seed, yes)
    if drafts is not None:
        recorded = read_drafts(drafts)
        wanted = [case for case in wanted if case.id in recorded]
        answerer = ByDrafts(recorded, opened)
    with open_run(out, identity, said(ctx, whole_paths=False)) as run, worlds(opened) as copies:
        left = [case for case in wanted if case.id not in run.done]
        if learn:
            answerer = ByLearning(model, opened, seed, stores=known, cases=wanted, worlds=copies)
        with going_on(ctx, run, len(wanted)):
            for scored in score(with_progress(left, "judging"), known, copies, answerer):
                row = scored.as_row()
                run.append(row)
                if form == "jsonl":
                    show.emit(row)
        run.finish()
    figures = summarise(run.rows)
    wrong = [row for row in run.rows if not row["scores"].get("right")] if failures else []
    if form == "json":
        show.emit({**run.config, "figures": figures, **({"failures": wrong} if failures else {})})
        return
    for row in wrong if form != "jsonl" else ():
        click.echo(show.visible(_told(row)))
    click.echo("\n".join(_lines(run.config, figures)), err=form == "jsonl")


def _told(row: Mapping[str, Any]) -> str:
    """One row that is not right, and why."""
    lines = [f"{row['id']} ({row['kind']}, {row['status']}): {row['utterance']}"]
    lines.append(f"meant: {row['meant']}")
    if row["program"] is not None:
        lines.append(f"planned: {row['program']}")
    if row["question"]:
        lines.append(f"asked back: {row['question']}")
    if row["error"]:
        lines.append(f"error: {row['error']}")
    return "\n  ".join([*lines, *row.get("reasons", ())])


def _lines(config: Mapping[str, Any], figures: Mapping[str, Any]) -> Iterator[str]:
    """The figures as a table: the whole, by kind, by language."""
    yield f"{config['model']} on {config['data']['name']}, {config['command']}"
    yield "  ".join(f"{key}={value}" for key, value in config["machine"].items())
    yield ", ".join(f"{n} {status}" for status, n in figures["status"].items()) or "no rows"
    if figures["status"].get("service"):
        yield "what got no answer is not scored; repeat the command to ask again"
    yield ""
    heads = "".join(f"{name.replace('_', ' '):>11}" for name in _COLUMNS)
    yield f"{'':<{_WIDTH}}{'n':>5}{'right':>7}{heads}{'ops':>9}{'p50 s':>8}"
    yield _line("all", figures["overall"])
    for group, name in (("kind", "kind"), ("lang", "language")):
        yield f"{name}:"
        for value, cell in figures[group].items():
            yield _line(f"  {value}", cell)
    yield _KEY


def _line(name: str, cell: Mapping[str, Any]) -> str:
    share, p50 = cell["scores"].get("right"), cell["seconds"]["p50"]
    counts = "".join(f"{cell[key]:>11}" for key in _COLUMNS)
    ops = f"{cell['ops_right']}/{cell['ops_of']}"
    right = "-" if share is None else f"{100 * share:.1f}"
    seconds = "-" if p50 is None else f"{p50:.2f}"
    return f"{name[:_WIDTH]:<{_WIDTH}}{cell['n']:>5}{right:>7}{counts}{ops:>9}{seconds:>8}"
