"""``text2mem run``: compile utterances, and run their programs."""

from __future__ import annotations

from datetime import tzinfo

import click

from text2mem.cli import options, show
from text2mem.cli.inputs import begun, budget, require_unicode, utterances
from text2mem.cli.lasting import lasting
from text2mem.cli.options import Caller
from text2mem.cli.progress import spinner, with_progress
from text2mem.cli.questions import show_unplanned
from text2mem.cli.services import PLANNING_SUMMARISER, ServiceOptions, service_options
from text2mem.compiled import Clarification, Nothing, Undo
from text2mem.errors import ENDING, Text2MemError
from text2mem.ir.effects import named
from text2mem.ir.result import ProgramResult
from text2mem.program import Program


@click.command("run")
@click.argument("text", nargs=-1)
@options.model_options
@options.learn_option("Read with what `text2mem repl --learn` has kept of your own words.")
@options.caller_options(dry_run=True, yes=True)
@service_options(PLANNING_SUMMARISER)
@options.output_options
@lasting
def command(
    text: tuple[str, ...], model: str | None, seed: int, attempts: int, learns: bool,
    caller: Caller, services: ServiceOptions,
) -> int:  # fmt: skip
    """Compile TEXT, or each line of stdin, and run it: utterance, program, effect.

    What a program changed, `text2mem undo` takes back by its trace_id, and "undo that" takes back
    the last one, but nothing right after a question. Where the planner asks back, nothing is run,
    the question is the result, and the exit code is 1.
    """
    number, failed, asked = 0, list[str](), False
    given = begun(utterances(text))
    cost = budget(text, attempts)
    with services.memory(caller, model, learns=learns) as memory:
        for number, utterance in enumerate(with_progress(given, "running"), 1):
            try:
                require_unicode(utterance)
                with spinner():
                    compiled = memory.compile(utterance, seed=seed, budget=cost)
                if asked and isinstance(compiled, Undo):  # "that" has not been done
                    compiled = Nothing(utterance, compiled.trace)
                asked = isinstance(compiled, Clarification)
                if isinstance(compiled, Clarification | Nothing):
                    if show.for_people():
                        show.line(f"› {utterance}", "bold")
                    failed += [str(number)] if asked else []
                    show_unplanned(compiled, caller.context.tz, ok=False)
                    continue
                program = None if isinstance(compiled, Undo) else compiled
                with spinner("running"):
                    result = memory.undo_last() if program is None else memory.execute(program)
            except ENDING:
                raise
            except Text2MemError as error:
                failed.append(str(number))
                show.show_error(utterance, error, utterance=utterance, ok=False)
                continue
            failed += [] if result.ok else [str(number)]
            _show(utterance, program, result, caller.context.tz)
    if failed and number > 1 and show.for_people():
        click.echo(f"{len(failed)} of {number} were not done: {named(failed)}", err=True)
    return 1 if failed else 0


def _show(utterance: str, program: Program | None, result: ProgramResult, tz: tzinfo) -> None:
    if show.for_people():
        show.line(f"› {utterance}", "bold")
        if program is not None:
            show.show_program(program)
    made = {"status": "undo"} if program is None else {"program": program.to_list()}
    row = {"utterance": utterance, **made, **({} if program is None else show.remarks(program))}
    show.result(result, tz, about=utterance, **row)
