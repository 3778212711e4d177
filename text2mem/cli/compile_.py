"""``text2mem compile``: turn utterances into programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import click

from text2mem.cli import options, show
from text2mem.cli.inputs import alone, budget, require_unicode, utterances
from text2mem.cli.progress import spinner, with_progress
from text2mem.cli.questions import show_unplanned
from text2mem.cli.services import embedder_option
from text2mem.compiled import Clarification, Compiled
from text2mem.errors import ENDING, Text2MemError
from text2mem.memory import Memory
from text2mem.pipeline import compile as compile_text
from text2mem.program import Program


@click.command("compile")
@click.argument("text", nargs=-1)
@options.model_options
@click.option("--db", metavar="STORE", help="Let the planner look at this store.")
@embedder_option
@click.option("--context", "turns", multiple=True, help="An earlier turn. Repeatable.")
@options.time_options
@options.output_options
def command(
    text: tuple[str, ...], model: str | None, seed: int, attempts: int, db: str | None,
    embedder: str | None, turns: tuple[str, ...], now: str | None, tz: str | None,
) -> int:  # fmt: skip
    """Turn TEXT, or each line of stdin, into a program. Nothing is run.

    One utterance gives the program as JSON; several, or --jsonl, a row each. Where the planner
    asks back, the question is the result, and the exit code is 1. What asks nothing of the memory,
    or to take back the last change, is said so.
    """
    if db is not None:
        options.require_store(db)
    context = options.when(now, tz)
    compiling: Callable[..., Compiled]
    if db is None:
        compiling = partial(compile_text, model=model, clock=context.clock, tz=context.tz)
    else:
        memory = Memory(db, model=model, context=context, embedder=embedder)
        compiling = click.get_current_context().with_resource(memory).compile
    rows = show.form() == "jsonl" or not alone(text)
    cost = budget(text, attempts)
    failed = 0
    for utterance in with_progress(utterances(text), "compiling"):
        try:
            require_unicode(utterance)
            with spinner():
                compiled = compiling(utterance, context=turns, seed=seed, budget=cost)
        except ENDING:
            raise
        except Text2MemError as error:
            failed += 1
            show.show_error(utterance, error, utterance=utterance, status="failed")
            continue
        if isinstance(compiled, Program):
            _show(compiled, rows=rows)
        else:
            failed += isinstance(compiled, Clarification)
            show_unplanned(compiled, context.tz)
    return 1 if failed else 0


def _show(program: Program, *, rows: bool) -> None:
    if show.for_people():
        show.show_program(program)
    elif rows:
        made = {"utterance": program.utterance, "status": "ok", "program": program.to_list()}
        show.emit({**made, **show.remarks(program)})
    else:
        click.echo(json.dumps(program.to_list(), ensure_ascii=False, indent=2))
        for each in program.warnings:
            click.echo(show.visible(f"note: {each.message}"), err=True)
