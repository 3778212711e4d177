"""The entry point. It loads commands on demand, and turns every error into a line and an exit code.

Exit codes: 0 done; 1 rejected or failed; 2 wrong usage; 3 a service or store is unreachable, or a
store in use; 130 Ctrl-C.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any

import click

from text2mem import __version__
from text2mem.cli import show
from text2mem.cli.loading import LazyGroup
from text2mem.errors import (
    ConfigurationError,
    ServiceError,
    StoreBusy,
    StoreError,
    StoreUnreachable,
    Text2MemError,
)

COMMANDS = {
    "compile": "Turn utterances into programs, without running them.",
    "run": "Compile utterances and run the programs on a store.",
    "exec": "Run programs on a store.",
    "validate": "Say everything that is wrong with a program.",
    "repl": "Talk to a store.",
    "observe": "Store what is said, and remember what is worth it.",
    "worker": "Read what waits in the queue.",
    "queue": "List what waits to be read, or was given up.",
    "experience": "List and forget what was learnt of a person's own words.",
    "pending": "List facts that wait; approve or reject them.",
    "recall": "Recall what is so, or was at an instant, with its sources.",
    "forget": "Erase a subject or an episode, with all derived from it.",
    "export": "Print all that is held on a subject.",
    "stats": "Count what a store holds, and what waits.",
    "evolve": "Carry facts over to another schema.",
    "undo": "Take back what a program changed.",
    "log": "List the programs that changed something.",
    "list": "List the memories in sight.",
    "show": "Show a memory: fields, history, lineage.",
    "tick": "Carry out what is due, and fire reminders.",
    "reindex": "Make the indexes of words and vectors anew.",
    "sync": "Take in what others changed in a memory framework.",
    "migrate": "Move a store to another backend.",
    "registry": "Show, set and check what is known of attributes and types.",
    "schema": "Print the JSON Schema of programs, results or registries.",
    "grammar": "Print the grammar of programs (GBNF or Lark).",
    "models": "List, fetch and locate the weights of local models.",
    "bench": "Measure.",
    "mcp": "Serve a store to clients of the Model Context Protocol.",
    "ui": "Look into a store with a browser.",
    "doctor": "Check what this machine can do.",
}
FAILED, USAGE, UNREACHABLE, INTERRUPTED = 1, 2, 3, 130


class Commands(LazyGroup):
    """The commands of ``text2mem``."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Unlike in click, it is no failure if the reader of stdout has gone.

        An error that ends a command with ``--json`` is JSON on stdout, too.
        """
        try:
            try:
                return super().invoke(ctx)
            except (Text2MemError, click.ClickException) as error:
                show.show_last_error(error)
                raise
        except BrokenPipeError:
            return _drop_stdout()


@click.group(
    cls=Commands, package="text2mem.cli", helps=COMMANDS, groups={"bench": "text2mem_bench.cli"},
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
@click.version_option(__version__, prog_name="text2mem")
def cli() -> None:
    """Compile what a person says about memory into a typed program, check it, and run it."""


def exit_code(error: Text2MemError) -> int:
    """Return the exit code for an error."""
    if isinstance(error, ServiceError | StoreBusy | StoreUnreachable):
        return UNREACHABLE
    return USAGE if isinstance(error, ConfigurationError | StoreError) else FAILED


def failure_code(error: Text2MemError) -> int:
    """Return the exit code for an error about one of several inputs, after which others follow."""
    return UNREACHABLE if exit_code(error) == UNREACHABLE else FAILED


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line, and end the process with its exit code.

    An unexpected error gives a traceback only in Python's development mode (``PYTHONDEVMODE=1``).
    """
    _prepare_streams()
    code, faulty = FAILED, False
    try:
        code = cli.main(arguments, prog_name="text2mem", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    except Text2MemError as error:
        show.complain(str(error))
        code = exit_code(error)
    except OSError as error:
        faulty = True
        show.complain(f"cannot read or write: {error.strerror or error}")
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        show.complain(f"unexpected {type(error).__name__}: {error}")
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _drop_stdout()
    except OSError as error:
        if not faulty:  # else it has been told
            show.complain(f"cannot write to stdout: {error.strerror}")
        _drop_stdout()
        code = FAILED
    sys.exit(code)


def _prepare_streams() -> None:
    """Set the encodings of the standard streams.

    UTF-8 in a pipe; on a terminal an escape for what it cannot show. A stream that is closed is
    replaced by the null device.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            errors = "surrogateescape" if stream is sys.stdin else "backslashreplace"
            stream.reconfigure(encoding=encoding, errors=errors)


def _drop_stdout() -> int:
    """Redirect stdout to the null device. Return 0: it is no failure if its reader has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
