"""``text2mem repl``: talk to a store."""

from __future__ import annotations

import sys
from contextlib import suppress

import click

from text2mem.cli import options, show
from text2mem.cli.inputs import is_utf8, require_unicode
from text2mem.cli.lasting import lasting
from text2mem.cli.options import Caller
from text2mem.cli.past import show_log, show_tick
from text2mem.cli.progress import spinner
from text2mem.cli.questions import show_question
from text2mem.cli.services import PLANNING_SUMMARISER, ServiceOptions, service_options
from text2mem.compiled import Nothing
from text2mem.conversation import Conversation, Reply
from text2mem.conversation.answers import plain, spoken
from text2mem.conversation.dialogue import Asks
from text2mem.errors import ENDING, NoSuchOption, Text2MemError
from text2mem.memory import Memory
from text2mem.messages import complaint, message
from text2mem.planner import Budget

_HELP = """\
Say something about your memories: "remember that …", "forget …", "what do I know about …".
A program that changes something is shown with its effect, and run when you agree.
What is not clear is asked back: answer with a number or in words; an empty line drops it.
/undo   take back the last program of this conversation; "undo that" does the same
/log    the last programs       /tick   carry out what is due, and fire reminders
/tags   the tags in use         /help   this text
/quit   leave (or Ctrl-D)"""
_ALONE = {"quit": "quit", "exit": "quit", "help": "help", "?": "help"}
"""Words that count as commands without a slash, as at the prompts of other programs."""
_LOGGED = 10
_ASK = "› "


class _Leaves(Exception):
    """Ends the conversation."""


@click.command("repl")
@options.model_options
@options.learn_option(options.LEARNS)
@options.caller_options(dry_run=True, yes=True)
@service_options(PLANNING_SUMMARISER)
@lasting
def command(
    model: str | None, seed: int, attempts: int, learns: bool, caller: Caller,
    services: ServiceOptions,
) -> int:  # fmt: skip
    """Talk to a store: see a program and its effect before it runs. --yes does not ask.

    From a pipe, y or n after a program that changes something is the answer; other words are the
    next request. The line after a question is its answer: the number of an option, other words, or
    "no" and an empty line to drop it.
    """
    failed = 0
    with services.memory(caller, model, learns=learns) as memory:
        context = caller.context
        asks: Asks = "never" if context.confirmed or context.dry_run else "changes"
        talk = Conversation(memory, asks=asks, seed=seed, budget=Budget(attempts=attempts))
        if _talking():
            with suppress(ImportError):
                import readline  # noqa: F401  (gives ``input`` a history and keys that edit)
            click.echo(_HELP, err=True)
            memory.warm()
        with suppress(_Leaves):
            while (line := _next_line(_prompt(talk) if _talking() else "")) is not None:
                _repeat(_prompt(talk), line)
                if line or talk.question is not None:
                    failed += not _turn(memory, talk, line)
                    if _talking():  # prepare the model while the person reads and types
                        memory.warm()
    return 1 if failed and not _talking() else 0


def _talking() -> bool:
    """Whether a person types: then an error does not end the command."""
    return sys.stdin.isatty()


def _prompt(talk: Conversation) -> str:
    """The prompt for the next line, which may be the answer to a question."""
    asked = talk.question
    return _ASK if asked is None else message("answer-here", asked.request)


def _repeat(prompt: str, line: str) -> None:
    """Show a request that came from a pipe, as a person would have typed it."""
    if line and not _talking() and _command_in(line) is None:
        show.line(f"{prompt}{line}", "bold")


def _next_line(prompt: str) -> str | None:
    """Read the next line. None at the end of the input; empty if Ctrl-C dropped the line.

    The prompt goes to stderr if stdout is no terminal.
    """
    try:
        if not show.on_terminal():  # the prompt is no data
            click.echo(prompt, nl=False, err=True)
        return input(prompt if show.on_terminal() else "").removeprefix("\ufeff").strip()
    except EOFError:
        if prompt:
            click.echo("", err=True)
        return None
    except KeyboardInterrupt:
        _require_person()
        return ""


def _require_person() -> None:
    """Handle Ctrl-C: on a terminal, start a new line and go on; else raise KeyboardInterrupt."""
    if not _talking():
        raise KeyboardInterrupt
    click.echo("", err=True)


def _command_in(line: str) -> str | None:
    """The command of a line that begins with a slash or a colon, or is one without; else None."""
    is_command = line[:1] in ("/", ":") and line[1:].partition(" ")[0].isalpha()
    return line[1:] if is_command else _ALONE.get(line.lower())


def _turn(memory: Memory, talk: Conversation, line: str) -> bool:
    """Handle one line. Return whether it succeeded, which includes that the person did not agree.

    An empty line answers the question that waits.
    """
    command, said = _command_in(line), _said(talk, line)
    try:
        require_unicode(line)
        if command is not None:
            return _command(memory, talk, command, said)
        if talk.question is None and spoken(line) in ("yes", "no", "again"):
            click.echo(message("no-question", said), err=True)
            return True
        with spinner():
            reply = talk.say(line)
        return _show_reply(memory, talk, reply)
    except Text2MemError as error:
        if not _talking() and isinstance(error, ENDING):
            raise
        if not _talking() and isinstance(error, NoSuchOption):  # a person may try again
            talk.drop()
        show.complain(*complaint(error, said), said=said)
        return False
    except KeyboardInterrupt:
        _require_person()
        click.echo("interrupted", err=True)
        return False


def _said(talk: Conversation, line: str) -> str:
    """The words in whose language a line is answered: for a yes, no, number or command, the request
    that the question is about, or else the last turn."""
    if _command_in(line) is None and spoken(line) is None:
        return line
    asked = talk.question
    return talk.transcript.latest or line if asked is None else asked.request


def _show_reply(memory: Memory, talk: Conversation, reply: Reply) -> bool:
    """Print a reply, and ask whether to run what would change something. Return as ``_turn``.

    Other words than yes or no are handled as the next line.
    """
    if reply.program is not None:
        show.show_program(reply.program)
    while reply.question is not None:
        question = reply.question
        if question.clarification is not None:
            show_question(question.clarification, memory.context.tz)
            return True
        (offer,) = question.offers
        if question.moved:
            click.echo(question.text, err=True)
        elif offer.program is not None:
            show.show_program(offer.program)
        for effect in offer.effect.splitlines():
            show.line(f"    {effect}")
        words = _next_line(message("run-it-now", question.request)) or ""
        if spoken(words) == "yes":
            reply = talk.answer(1)
            continue
        if spoken(words) == "again":
            continue
        if words and spoken(words) is None:
            click.echo(message("left", question.request), err=True)
            _repeat(_ASK, words)
            again = plain(words) == plain(question.request)  # the request is to be shown again
            if _command_in(words) is not None or not is_utf8(words) or again:
                talk.drop()  # a later yes must not be taken as the answer to this question
            return _turn(memory, talk, words)  # a correction ("no, 3pm") or another request
        reply = talk.drop()
    if reply.status == "dropped":
        click.echo(message("left", reply.request), err=True)
    elif reply.status == "nothing":
        show.line(str(Nothing(reply.request, reply.trace, reply.missing)), "dim")
    elif reply.result is not None:
        show.show_result(reply.result, memory.context.tz, reply.request)
    return reply.ok


def _command(memory: Memory, talk: Conversation, name: str, said: str) -> bool:
    """Carry out a command, without its slash, in the language of ``said``. Return as ``_turn``."""
    match name:
        case "help":
            click.echo(_HELP, err=True)
        case "tags":
            click.echo(show.visible(", ".join(memory.view().tags())) or "none yet")
        case "log":
            show_log(memory.log(limit=_LOGGED), memory.context.tz)
        case "tick":
            show_tick(memory.tick(), memory.context.tz, said)
        case "quit" | "exit" | "q":
            raise _Leaves
        case "undo":
            return _show_reply(memory, talk, talk.undo())
        case _:
            show.complain(f"there is no command '/{name}'", "/help lists them")
    return True
