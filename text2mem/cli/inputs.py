"""What a command reads: arguments, a file, or stdin; a pipe and ``-`` mean stdin."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from text2mem.errors import ConfigurationError, PlannerError

_STRAY_BYTE = re.compile("[\udc80-\udcff]")  # what ``surrogateescape`` makes of it


class Document(NamedTuple):
    """A JSON value, or the ValueError that says why it is none.

    ``line`` counts from 1; it is None where the whole text is one document.
    """

    value: Any
    line: int | None = None


class NoProgram(Exception):
    """A row that holds no program. ``error`` is what it says went wrong, as ``show.failure``."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.error = error
        super().__init__(error["message"])


def utterances(words: tuple[str, ...]) -> Iterator[str]:
    """The argument words as one utterance, else one utterance a line of stdin, as they come.

    Bytes that are not UTF-8 come as lone surrogates; ``require_unicode`` finds them.
    """
    if words and words != ("-",):
        if not " ".join(words).strip():
            raise click.UsageError("the utterance is empty")
        yield " ".join(words)
        return
    if not words and sys.stdin.isatty():
        raise click.UsageError("nothing to compile: give an utterance, or pipe one a line")
    for line in stdin_lines():
        if line.strip():
            yield line.strip()


def require_unicode(utterance: str) -> None:
    """Raises PlannerError where an utterance has bytes that are not UTF-8."""
    if found := _STRAY_BYTE.search(utterance):
        raise PlannerError(f"the utterance is {_not_utf8(found)}")


def stdin_lines() -> Iterator[str]:
    """The lines of stdin, each as soon as it is there."""
    for number, raw in enumerate(sys.stdin.buffer, 1):
        encoding = "utf-8-sig" if number == 1 else "utf-8"
        yield raw.decode(encoding, "surrogateescape").rstrip("\r\n")


def documents(source: str | None, *, lines: bool) -> Iterator[Document]:
    """JSON documents: the whole text is one, or with ``lines`` each line is.

    A text that is no JSON as a whole, and is JSON line by line, is read line by line, too. What is
    no JSON comes out as the exception, so that a batch can go on.
    """
    if lines and source in (None, "-"):
        _require_input(source)
        yield from _rows(stdin_lines())
        return
    text = _text_of(source)
    rows = text.split("\n")  # not at the other characters that ``splitlines`` takes for an end
    if lines:
        yield from _rows(iter(rows))
        return
    whole = _load(text)
    first = next((row for row in rows if row.strip()), "")
    if isinstance(whole, ValueError) and not isinstance(_load(first), ValueError):
        yield from _rows(iter(rows))
    else:
        yield Document(whole)


def program_of(value: Any) -> Any:
    """The program of a row of ``compile --jsonl``; any other value is a program by itself.

    Raises NoProgram for a row that failed.
    """
    if not isinstance(value, dict) or "op" in value or "status" not in value:
        return value
    if value["status"] == "ok" and "program" in value:
        return value["program"]
    error = value.get("error")
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        error = {"type": "NoProgram", "message": "the row has no program", "hint": ""}
    raise NoProgram(error)


def _rows(lines: Iterator[str]) -> Iterator[Document]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield Document(_load(line), number)


def _text_of(source: str | None) -> str:
    _require_input(source)
    if source is None or source == "-":
        return "\n".join(stdin_lines())
    try:
        return Path(source).read_text(encoding="utf-8-sig", errors="surrogateescape")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigurationError(f"cannot read {source}: {reason}") from error


def _require_input(source: str | None) -> None:
    if source is None and sys.stdin.isatty():
        raise click.UsageError("nothing to read: name a file, or pipe a document")


def _load(text: str) -> Any:
    if found := _STRAY_BYTE.search(text):
        return ValueError(_not_utf8(found))
    if not text.strip():
        return ValueError("the text is empty")
    try:
        return json.loads(text)
    except RecursionError:
        return ValueError("nested too deeply")
    except ValueError as error:
        return error


def _not_utf8(found: re.Match[str]) -> str:
    return f"not UTF-8: byte 0x{ord(found[0]) - 0xDC00:02x} after {found.start()} characters"
