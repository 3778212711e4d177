"""The input of commands: arguments, a file, or stdin (also by the name ``-``)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedReader
from itertools import chain, count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from text2mem.compiled import CLARIFICATION
from text2mem.errors import ConfigurationError, PlannerError, Text2MemError
from text2mem.ir.json_values import flaws, read_json

if TYPE_CHECKING:
    from text2mem.planner import Budget

T = TypeVar("T")
_GROUP = 256
"""The most lines of a file that are yielded together."""
_READ = 1 << 16
"""The most bytes of one read of stdin."""
_STRAY_BYTE = re.compile("[\udc80-\udcff]")  # a byte that was not UTF-8, by ``surrogateescape``


class Document(NamedTuple):
    """A JSON document of the input."""

    value: Any
    """Its value, or the ValueError that says why it is not JSON."""
    line: int | None = None
    """The number of its line, from 1; None if the whole text is one document."""


class NoProgram(Text2MemError):
    """A row has no program. ``error`` says why, in the form of ``as_dict``."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.error = error
        super().__init__(error["message"])

    def as_dict(self) -> dict[str, Any]:
        return self.error


def alone(words: tuple[str, ...]) -> bool:
    """Whether the arguments are the only utterance, so that none is read from stdin."""
    return bool(words) and words != ("-",)


def budget(words: tuple[str, ...], attempts: int) -> Budget:
    """Return the budget of each compile. For a single one, reading all of the store is too much."""
    from text2mem.planner import NEAREST_TOKENS, Budget

    return Budget(attempts=attempts, picture=NEAREST_TOKENS if alone(words) else None)


def begun(items: Iterable[T]) -> Iterator[T]:
    """Read the first item, and return an iterator over all: no input must make no store."""
    rest = iter(items)
    return chain(list(islice(rest, 1)), rest)


def utterances(words: tuple[str, ...]) -> Iterator[str]:
    """Yield the arguments as one utterance; without any, yield each line of stdin as it comes.

    Bytes that are not UTF-8 become lone surrogates, which ``require_unicode`` refuses. Raises
    UsageError if there are no words.
    """
    if alone(words):
        if not " ".join(words).strip():
            raise click.UsageError("no words are given")
        yield " ".join(words)
        return
    if not words and sys.stdin.isatty():
        raise click.UsageError("nothing is said: give an utterance, or pipe one a line")
    yield from filter(None, map(str.strip, _stdin_lines()))


def is_utf8(line: str) -> bool:
    """Whether a line of stdin was valid UTF-8."""
    return _STRAY_BYTE.search(line) is None


def require_unicode(utterance: str) -> None:
    """Raise PlannerError if an utterance has bytes that are not UTF-8."""
    if found := _STRAY_BYTE.search(utterance):
        raise PlannerError(f"the utterance is {_not_utf8(found)}")


def groups(source: str | None, *, lines: bool) -> Iterator[Sequence[Document]]:
    """Yield the JSON documents of a file or stdin, in groups.

    The whole text is one document, or with ``lines`` each line. A text that is not JSON as a whole,
    but whose first line is, is read by lines, too. A document that is not JSON has an exception as
    its value, so that a batch can go on. A group of stdin has the lines that are there already; it
    does not wait for more.
    """
    if lines and source in (None, "-"):
        _require_input(source)
        yield from map(_rows, _stdin_groups())
        return
    text = text_of(source)
    rows = text.split("\n")  # ``splitlines`` would split at other characters, too
    whole = None if lines else _load(text)
    first = next((row for row in rows if row.strip()), "")
    if lines or (isinstance(whole, ValueError) and not isinstance(_load(first), ValueError)):
        numbered = enumerate(rows, 1)
        while group := list(islice(numbered, _GROUP)):
            yield _rows(group)
    else:
        yield [Document(whole)]


def require_json(text: str) -> Any:
    """Return the JSON value of a text. Raises ConfigurationError if it is not JSON."""
    if isinstance(value := _load(text), ValueError):
        raise ConfigurationError(f"not JSON: {value}")
    return value


def program_of(value: Any) -> Any:
    """Return the program of a row of ``compile --jsonl``; any other value is a program itself.

    Raises NoProgram for a row with an error or a question.
    """
    if not isinstance(value, dict) or "op" in value or "status" not in value:
        return value
    if value["status"] == "ok" and "program" in value:
        return value["program"]
    error = value.get("error")
    if value["status"] == CLARIFICATION and isinstance(value.get("question"), str):
        hint = "answer it: compile what was meant, or take the program of an option"
        error = {"type": "ClarificationNeeded", "message": value["question"], "hint": hint}
    if not (isinstance(error, dict) and isinstance(error.get("message"), str)) or any(flaws(error)):
        error = {"type": "NoProgram", "message": "the row has no program", "hint": ""}
    raise NoProgram(error)


def _rows(lines: Sequence[tuple[int, str]]) -> list[Document]:
    """The documents of numbered lines; blank lines are left out."""
    return [Document(_load(line), number) for number, line in lines if line.strip()]


def _stdin_lines() -> Iterator[str]:
    """The lines of stdin, each as soon as it is there."""
    return map(_line, sys.stdin.buffer, count(1))


def _stdin_groups() -> Iterator[list[tuple[int, str]]]:
    """Yield the numbered lines of stdin, in groups that one read returns."""
    number = 0
    unfinished: list[bytes] = []
    stdin = cast(BufferedReader, sys.stdin.buffer)
    while read := stdin.read1(_READ):
        *ended, rest = read.split(b"\n")
        if ended:
            ended[0] = b"".join((*unfinished, ended[0]))
            unfinished = []
            yield [(number + n, _line(raw, number + n)) for n, raw in enumerate(ended, 1)]
            number += len(ended)
        unfinished.append(rest)
    yield [(number + 1, _line(b"".join(unfinished), number + 1))]


def _line(raw: bytes, number: int) -> str:
    """A line of stdin as text, without its line break, and without a byte order mark in line 1."""
    encoding = "utf-8-sig" if number == 1 else "utf-8"
    return raw.decode(encoding, "surrogateescape").rstrip("\r\n")


def text_of(source: str | None) -> str:
    """Return the text of a file or stdin. Raises UsageError, ConfigurationError."""
    _require_input(source)
    if source is None or source == "-":
        return "\n".join(_stdin_lines())
    try:
        return Path(source).read_text(encoding="utf-8-sig", errors="surrogateescape")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigurationError(f"cannot read {source}: {reason}") from error


def _require_input(source: str | None) -> None:
    if source is None and sys.stdin.isatty():
        raise click.UsageError("nothing to read: name a file, or pipe a document")


def _load(text: str) -> Any:
    """The JSON value of a text, or the ValueError that says why it is not JSON."""
    if found := _STRAY_BYTE.search(text):
        return ValueError(_not_utf8(found))
    if not text.strip():
        return ValueError("the text is empty")
    try:
        return read_json(text)
    except ValueError as error:
        return error


def _not_utf8(found: re.Match[str]) -> str:
    return f"not UTF-8: byte 0x{ord(found[0]) - 0xDC00:02x} after {found.start()} characters"
