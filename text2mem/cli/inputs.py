"""The input of commands: arguments, a file, or stdin (also for ``-``)."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedReader
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from text2mem.clarification import STATUS
from text2mem.errors import ConfigurationError, PlannerError

if TYPE_CHECKING:
    from text2mem.planner import Budget

T = TypeVar("T")
_GROUP = 256
"""How many lines of a file are handed out together."""
_READ = 1 << 16
_STRAY_BYTE = re.compile("[\udc80-\udcff]")  # what ``surrogateescape`` makes of it


class Document(NamedTuple):
    """A JSON value, or the ValueError that says why it is none.

    ``line`` counts from 1; it is None where the whole text is one document.
    """

    value: Any
    line: int | None = None


class NoProgram(Exception):
    """A row holds no program. ``error`` says why, in the form of ``show.failure``."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.error = error
        super().__init__(error["message"])


def alone(words: tuple[str, ...]) -> bool:
    """Whether the utterance is given by arguments, so that it is the only one."""
    return bool(words) and words != ("-",)


def budget(words: tuple[str, ...], attempts: int) -> Budget:
    """The budget of each compile: a single utterance is not worth reading the whole store for."""
    from text2mem.planner import NEAREST, Budget

    return Budget(attempts=attempts, picture=NEAREST if alone(words) else None)


def begun(items: Iterable[T]) -> Iterator[T]:
    """The items, with the first already read: missing input is an error before a store is made."""
    rest = iter(items)
    return chain(list(islice(rest, 1)), rest)


def utterances(words: tuple[str, ...]) -> Iterator[str]:
    """The argument words as one utterance, else one utterance a line of stdin, as they come.

    Bytes that are not UTF-8 come as lone surrogates; ``require_unicode`` finds them.
    """
    if alone(words):
        if not " ".join(words).strip():
            raise click.UsageError("no words are given")
        yield " ".join(words)
        return
    if not words and sys.stdin.isatty():
        raise click.UsageError("nothing to compile: give an utterance, or pipe one a line")
    for line in stdin_lines():
        if line.strip():
            yield line.strip()


def is_utf8(line: str) -> bool:
    """Whether a line of stdin was valid UTF-8."""
    return _STRAY_BYTE.search(line) is None


def require_unicode(utterance: str) -> None:
    """Raises PlannerError where an utterance has bytes that are not UTF-8."""
    if found := _STRAY_BYTE.search(utterance):
        raise PlannerError(f"the utterance is {_not_utf8(found)}")


def stdin_lines() -> Iterator[str]:
    """The lines of stdin, each as soon as it has been read."""
    for number, raw in enumerate(sys.stdin.buffer, 1):
        yield _line(raw, number)


def groups(source: str | None, *, lines: bool) -> Iterator[Sequence[Document]]:
    """JSON documents: the whole text is one, or with ``lines`` each line is.

    A text that is no JSON as a whole, and is JSON line by line, is read line by line, too. What is
    no JSON comes out as the exception, so that a batch can go on. Lines come in groups: of stdin,
    those that are there to be read; more are never waited for.
    """
    if lines and source in (None, "-"):
        _require_input(source)
        for found in _stdin_groups():
            yield _rows(found)
        return
    text = _text_of(source)
    rows = text.split("\n")  # not at the other characters that ``splitlines`` takes for an end
    whole = None if lines else _load(text)
    first = next((row for row in rows if row.strip()), "")
    if lines or (isinstance(whole, ValueError) and not isinstance(_load(first), ValueError)):
        numbered = enumerate(rows, 1)
        while found := list(islice(numbered, _GROUP)):
            yield _rows(found)
    else:
        yield [Document(whole)]


def whole(source: str | None) -> Any:
    """The text of a file, or of stdin, as one JSON value, or the ValueError that says why not."""
    return _load(_text_of(source))


def require_json(value: Any) -> Any:
    """A value that ``whole`` has read. Raises ConfigurationError where it is an error."""
    if isinstance(value, ValueError):
        raise ConfigurationError(f"not JSON: {value}")
    return value


def program_of(value: Any) -> Any:
    """The program of a row of ``compile --jsonl``; any other value is a program by itself.

    Raises NoProgram for a row that failed, or that asks back.
    """
    if not isinstance(value, dict) or "op" in value or "status" not in value:
        return value
    if value["status"] == "ok" and "program" in value:
        return value["program"]
    error = value.get("error")
    if value["status"] == STATUS and isinstance(value.get("question"), str):
        hint = "answer it: compile what was meant, or take the program of an option"
        error = {"type": "ClarificationNeeded", "message": value["question"], "hint": hint}
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        error = {"type": "NoProgram", "message": "the row has no program", "hint": ""}
    raise NoProgram(error)


def _rows(lines: Sequence[tuple[int, str]]) -> list[Document]:
    return [Document(_load(line), number) for number, line in lines if line.strip()]


def _stdin_groups() -> Iterator[list[tuple[int, str]]]:
    """The numbered lines of stdin, as many at a time as one read gives."""
    number = 0
    begun: list[bytes] = []
    stdin = cast(BufferedReader, sys.stdin.buffer)
    while read := stdin.read1(_READ):
        *ended, rest = read.split(b"\n")
        if ended:
            ended[0] = b"".join((*begun, ended[0]))
            begun = []
            yield [(number + n, _line(raw, number + n)) for n, raw in enumerate(ended, 1)]
            number += len(ended)
        begun.append(rest)
    yield [(number + 1, _line(b"".join(begun), number + 1))]


def _line(raw: bytes, number: int) -> str:
    """A line of stdin as text, without a byte order mark at the start of the first one."""
    encoding = "utf-8-sig" if number == 1 else "utf-8"
    return raw.decode(encoding, "surrogateescape").rstrip("\r\n")


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
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        return ValueError("nested too deeply")
    except ValueError as error:
        return error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Raises ValueError where a key stands twice."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise ValueError(f"the key {key!r} stands twice in one object")
        made[key] = value
    return made


def _not_utf8(found: re.Match[str]) -> str:
    return f"not UTF-8: byte 0x{ord(found[0]) - 0xDC00:02x} after {found.start()} characters"
