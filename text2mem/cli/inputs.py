"""What a command reads: arguments, a file, or stdin; a pipe and ``-`` mean stdin."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click


def utterances(words: tuple[str, ...]) -> Iterator[str]:
    """The argument words as one utterance, else one utterance a line of stdin, as they come."""
    if words and words != ("-",):
        yield " ".join(words)
        return
    if not words and sys.stdin.isatty():
        raise click.UsageError("nothing to compile: give an utterance, or pipe one a line")
    for line in stdin_lines():
        if line.strip():
            yield line.strip()


def stdin_lines() -> Iterator[str]:
    """The lines of stdin as UTF-8, each as soon as it is there."""
    for number, raw in enumerate(sys.stdin.buffer, 1):
        try:
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise click.ClickException(
                f"stdin, line {number}: not UTF-8 ({error.reason})"
            ) from error


def text_of(source: str | None) -> str:
    """The whole text of a file, or of stdin."""
    if source in (None, "-"):
        if source is None and sys.stdin.isatty():
            raise click.UsageError("nothing to read: name a file, or pipe a document")
        return "\n".join(stdin_lines())
    try:
        return Path(str(source)).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{source}: not UTF-8 ({error.reason})") from error
    except OSError as error:
        raise click.UsageError(f"cannot read {source}: {error.strerror}") from error


def documents(source: str | None, *, lines: bool) -> Iterator[Any]:
    """JSON documents: the whole text is one, or with ``lines`` each line is.

    A text that is no JSON as a whole, and is JSON line by line, is read line by line, too. What is
    no JSON comes out as the exception, so that a batch can go on.
    """
    if lines and source in (None, "-"):
        for line in stdin_lines():
            if line.strip():
                yield _load(line)
        return
    text = text_of(source)
    whole = _load(text)
    rows = [line for line in text.splitlines() if line.strip()]
    if not lines and not isinstance(whole, ValueError):
        yield whole
    elif lines or (len(rows) > 1 and not isinstance(_load(rows[0]), ValueError)):
        yield from map(_load, rows)
    else:
        yield whole


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        return error if isinstance(error, ValueError) else ValueError("nested too deeply")
