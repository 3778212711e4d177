"""``text2mem run``: compile and execute."""

from __future__ import annotations

from typing import Any

import click

from text2mem.cli import options, show
from text2mem.cli.batch import tracked, usage
from text2mem.cli.inputs import require_unicode, utterances
from text2mem.errors import ConfigurationError, ServiceError, Text2MemError


@click.command("run")
@click.argument("text", nargs=-1)
@options.model_options
@options.store_options
@options.time_options
@options.output_options
def command(
    text: tuple[str, ...], model: str | None, seed: int, attempts: int, db: str | None,
    tenant: str, actor: str | None, roles: tuple[str, ...], dry_run: bool, yes: bool,
    now: str | None, tz: str | None, form: str | None,
) -> int:  # fmt: skip
    """Compile TEXT, or each line of stdin, and run it: utterance, program, effect."""
    from text2mem.adapters.registry import open_adapter
    from text2mem.pipeline import compile as compile_text
    from text2mem.pipeline import execute
    from text2mem.planner import Budget

    at = options.when(now, tz)
    context = options.execution_context(
        at, tenant=tenant, actor=actor, roles=roles, dry_run=dry_run, yes=yes
    )
    adapter = open_adapter(options.store_name(db), tenant=tenant)
    failed = 0
    try:
        for utterance in tracked(utterances(text), "running"):
            try:
                require_unicode(utterance)
                program = compile_text(
                    utterance, model=model, store=adapter.view(context), clock=at.clock, tz=at.tz,
                    seed=seed, budget=Budget(attempts=attempts),
                )  # fmt: skip
                result = execute(program, adapter, context=context)
            except (ServiceError, ConfigurationError):
                raise
            except Text2MemError as error:
                failed += 1
                show.complain(error.message, error.hint, about=utterance)
                if not show.for_people(form):
                    show.emit({"utterance": utterance, "ok": False, "error": show.failure(error)})
                continue
            failed += not result.ok
            _shown(utterance, program, result, form)
    finally:
        adapter.close()
    return 1 if failed else 0


def _shown(utterance: str, program: Any, result: Any, form: str | None) -> None:
    if show.for_people(form):
        show.console().print(show.visible(f"› {utterance}"), style="bold")
        show.show_program(program)
        show.show_result(result)
        return
    show.complain_of_refusal(result, about=utterance)
    row = {"utterance": utterance, "program": program.to_list(), **usage(program.trace)}
    show.emit({**row, **result.as_dict()})
