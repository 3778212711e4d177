"""``text2mem recall``: recall what is or was so, in cited lines."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from text2mem.cli import options, show
from text2mem.cli.inputs import require_unicode, utterances
from text2mem.cli.options import Caller
from text2mem.cli.services import embedder_option
from text2mem.errors import ENDING, ConfigurationError, Text2MemError
from text2mem.messages import message

if TYPE_CHECKING:
    from text2mem.ledger.recall import Recalled

_INEXACT = {"related": "related-facts", "search": "found-by-search"}
"""The messages above lines that are no exact answer."""


@click.command("recall")
@click.argument("question", nargs=-1)
@click.option("--subject", metavar="NAME", help="Whom it is about, whatever the question says.")
@click.option(
    "--attribute",
    "path",
    multiple=True,
    metavar="NAME",
    help="Which attribute. Given two or three times, the first ones are relations to follow.",
)
@click.option("--as-of", metavar="INSTANT", help="When it was so.")
@click.option("--known-at", metavar="INSTANT", help="As it was known then.")
@click.option(
    "--budget", type=click.IntRange(1), default=600, show_default=True,
    help="Tokens of the context at most, by estimate.",
)  # fmt: skip
@click.option("--answer", "answers", is_flag=True, help="Answer, from these lines alone.")
@options.model_option("Which model answers; none for code alone.")
@options.caller_options()
@embedder_option
@options.output_options
def command(
    question: tuple[str, ...], subject: str | None, path: tuple[str, ...], as_of: str | None,
    known_at: str | None, budget: int, answers: bool, model: str | None, caller: Caller,
    embedder: str | None,
) -> int:  # fmt: skip
    """Recall what QUESTION, or each line of stdin, asks for: exact state first, each line cited.

    With --subject or --attribute no question is needed. Where nothing is found, the exit code is
    still 0. The citation e12 is the episode 12, m7 the memory 7: text2mem show 12.
    """
    from text2mem.ledger.recall import recall

    caller.of_existing_store()
    instants = (_instant(as_of, "--as-of", caller), _instant(known_at, "--known-at", caller))
    asked = utterances(question) if question or not (subject or path) else iter(("",))
    failed = 0
    with caller.memory(embedder, reader=model) as memory:
        answerer = (memory.reader() or True) if answers else None
        for words in asked:
            try:
                require_unicode(words)
                found = recall(
                    memory.ledger, words or None, subject=subject, attribute=path,
                    as_of=instants[0], known_at=instants[1], budget=budget, answer=answerer,
                )  # fmt: skip
            except ENDING:
                raise
            except Text2MemError as error:
                failed += 1
                show.show_error(words, error, question=words, ok=False)
                continue
            _show(found)
    return 1 if failed else 0


def _instant(words: str | None, option: str, caller: Caller) -> datetime | None:
    """Read an instant as in a question: without a year, it is the nearest one in the past."""
    if words is None:
        return None
    from text2mem.ir.times.asked_times import read_moment
    from text2mem.ir.times.reading_clock import Clock

    context = caller.context
    found = read_moment(words, Clock(context.clock.now(), context.tz))
    if found is None:
        raise ConfigurationError(
            f"{option}: cannot read '{words}' as a time",
            hint="write 2026-06-02, 2026-06-02T09:00 or '2 June'",
        )
    return found


def _show(found: Recalled) -> None:
    if not show.for_people():
        show.emit({"ok": True, **found.as_dict()})
        return
    words = found.question or ""
    if words:
        show.line(f"› {words}", "bold")
    if found.answer is not None:
        cited = f"  [{' '.join(found.answer.citations)}]" if found.answer.citations else ""
        show.line(f"  {found.answer.text}{cited}", "green")
    elif words and found.lines and found.found in _INEXACT:
        show.line(f"  {message(_INEXACT[found.found], words)}", "yellow")
    for line in found.lines:
        show.line(f"  {line.text}", "dim" if found.answer else None)
    if not found.lines and found.answer is None:
        left_out = found.found != "nothing"
        show.line(f"  {message('over-budget' if left_out else 'nothing-known', words)}")
        if words and not left_out:
            click.echo(f"({message('look-among-all', words)})", err=True)
