"""``text2mem observe``: store messages as episodes, and extract facts from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from text2mem.cli import options, show
from text2mem.cli.conversations import (
    NO_READER,
    complain_of_failure,
    policy_option,
    reader_option,
    show_outcomes,
)
from text2mem.cli.inputs import begun, require_unicode, utterances
from text2mem.cli.lasting import lasting
from text2mem.cli.main import failure_code
from text2mem.cli.options import Caller
from text2mem.cli.progress import spinner
from text2mem.cli.services import embedder_option
from text2mem.errors import ConfigurationError, Text2MemError
from text2mem.ir.json_values import read_json
from text2mem.ledger.candidate import Observation


@click.command("observe")
@click.argument("text", nargs=-1)
@click.option("--session", metavar="ID", help="Which conversation it belongs to.")
@click.option("--speaker", metavar="NAME", help="Who says it.")
@click.option("--read", "when", flag_value="now", help="Read it at once.")
@click.option("--queue", "when", flag_value="later", help="Leave it to a worker.")
@reader_option
@policy_option
@options.caller_options()
@embedder_option
@options.output_options
@lasting
def command(
    text: tuple[str, ...], session: str | None, speaker: str | None, when: str | None,
    model: str | None, policy: str | None, caller: Caller, embedder: str | None,
) -> int:  # fmt: skip
    """Store TEXT, or each line of stdin, as an episode, and read typed facts out of it.

    A line that is a JSON object is a message: role (user, assistant, tool, event), text or
    structured, speaker, at. A worker reads it (`text2mem worker`), or this command with --read, or
    where the policy says so.
    """
    code = 0
    given = begun(utterances(text))
    at_once = None if when is None else when == "now"
    with caller.memory(embedder, policy=policy, reader=model) as memory:
        reader = memory.reader()  # an unknown model is reported once, before anything is stored
        readable = reader is not None and reader.profile.reads
        for line in given:
            try:
                require_unicode(line)
                message = _message(line, speaker)
                with spinner():
                    (seen,) = memory.observe(message, session=session, extract=at_once)
            except Text2MemError as error:
                code = max(code, failure_code(error))
                show.show_error(line, error, said=line, ok=False)
                continue
            unread = "structured" not in message and not readable
            _show(line, seen, caller, unread=unread)
            if seen.error is not None:
                code = max(code, complain_of_failure(seen.error, seen.episode))
    return code


def _message(line: str, speaker: str | None) -> Mapping[str, Any]:
    """The message of a line: a JSON object, or else a text of the user."""
    if line.startswith("{"):
        try:
            read = read_json(line)
        except ValueError as error:
            raise ConfigurationError(
                f"the message is no JSON: {error}",
                hint="write one JSON object, or begin the text with another character",
            ) from error
        return {"speaker": speaker, **read} if "name" not in read else read
    return {"text": line, "speaker": speaker}


def _show(line: str, seen: Observation, caller: Caller, *, unread: bool) -> None:
    """Print what became of a line. ``unread`` says that no model is there to read it."""
    if not show.for_people():
        show.emit({"said": line, "ok": seen.error is None, **seen.as_dict()})
        return
    show.line(f"› {line}", "bold")
    if seen.error is not None:
        return
    if seen.queued:
        why = f": {NO_READER}" if unread else ""
        show.line(f"  episode {seen.episode}, queued{why}")
    else:
        show.line(f"  episode {seen.episode}{_nothing(seen)}")
        show_outcomes(seen.outcomes, caller.context.tz)


def _nothing(seen: Observation) -> str:
    """The reason why an episode gave no facts, as text; empty if it gave some."""
    if seen.reading is None:
        return ": an assistant's words are not read"
    if seen.outcomes:
        return ""
    if seen.reading.nothing == "document":
        return ": kept as a document; a text of that length is not read for facts"
    return f": nothing to remember{f' ({seen.reading.nothing})' if seen.reading.nothing else ''}"
