"""``text2mem worker``: read the episodes that wait in the queue."""

from __future__ import annotations

import time
from datetime import timedelta
from math import isnan
from typing import TYPE_CHECKING

import click

from text2mem.cli import options, show
from text2mem.cli.conversations import (
    complain_of_failure,
    policy_option,
    reader_option,
    show_outcomes,
)
from text2mem.cli.lasting import lasting
from text2mem.cli.options import Caller
from text2mem.cli.services import embedder_option

if TYPE_CHECKING:
    from text2mem.ledger.working import Worked


_DAY, _YEAR = 86_400, 365 * 86_400
"""In seconds."""


def _is_number(ctx: click.Context, option: click.Parameter, value: float) -> float:
    """Return the value. Raises BadParameter for NaN, which click's range accepts."""
    if isnan(value):
        raise click.BadParameter("it is no number of seconds", ctx, option)
    return value


@click.command("worker")
@click.option("--once", is_flag=True, help="Stop when nothing is due.")
@click.option("--limit", type=click.IntRange(1), help="Stop after so many episodes.")
@click.option(
    "--poll", type=click.FloatRange(0.1, _DAY), default=2.0, show_default=True, metavar="SECONDS",
    callback=_is_number, help="How often to look for work.",
)  # fmt: skip
@click.option(
    "--lease", type=click.IntRange(1, _YEAR), default=300, show_default=True, metavar="SECONDS",
    help="How long a worker may take for an episode before another one may take it.",
)  # fmt: skip
@reader_option
@policy_option
@options.caller_options()
@embedder_option
@options.output_options
@lasting
def command(
    once: bool, limit: int | None, poll: float, lease: int, model: str | None, policy: str | None,
    caller: Caller, embedder: str | None,
) -> int:  # fmt: skip
    """Read what `text2mem observe` has queued: facts out of episodes, one episode after the other.

    Several workers may run beside each other. One that is killed leaves its episode to the next,
    once the lease has run out; what it had not finished has had no effect. Ctrl-C stops it.
    """
    from text2mem.ledger.working import Worker

    code = done = 0
    with caller.of_existing_store().memory(embedder, policy=policy, reader=model) as memory:
        worker = Worker(memory.ledger, memory.reader(), lease=timedelta(seconds=lease))
        while limit is None or done < limit:
            for worked in worker.run(limit=None if limit is None else limit - done):
                done += 1
                _show(worked, caller)
                if worked.error is not None:
                    code = max(code, complain_of_failure(worked.error, worked.episode))
            if once:
                break
            if limit is None or done < limit:
                time.sleep(poll)
    return code


def _show(worked: Worked, caller: Caller) -> None:
    if not show.for_people():
        show.emit(worked.as_dict())
        return
    given_up = ", given up: text2mem queue --dead" if worked.fate == "dead" else ""
    fate = "failed" if given_up else worked.fate
    show.line(f"episode {worked.episode}: {fate}{given_up}")
    show_outcomes(worked.outcomes, caller.context.tz)
