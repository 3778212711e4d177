"""Files of JSON lines, read with errors that name file and line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from text2mem.errors import ConfigurationError

T = TypeVar("T")


def rows(path: str | Path) -> Iterator[tuple[int, Any]]:
    """The JSON of every line with its number, from 1. Raises ConfigurationError."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"cannot read {path}: {error}") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ConfigurationError(f"{path}, line {number}: not JSON: {error}") from error


def read(
    path: str | Path, limit: int | None, make: Callable[[Any], T], *, what: str, hint: str
) -> list[T]:
    """What is made of the rows of a file, the first ``limit`` of them.

    ``make`` raises KeyError, TypeError, ValueError or AttributeError where a row is not ``what`` it
    should be; then this raises ConfigurationError.
    """
    found: list[T] = []
    for number, row in islice(rows(path), limit):
        try:
            found.append(make(row))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            said = f"'{error.args[0]}' is missing" if isinstance(error, KeyError) else str(error)
            raise ConfigurationError(
                f"{path}, line {number}: not {what}: {said}", hint=hint
            ) from error
    return found


def files(paths: tuple[str, ...]) -> list[Path]:
    """The files that paths name; of a folder, every ``*.jsonl``. Raises ConfigurationError."""
    found: list[Path] = []
    for path in map(Path, paths):
        own = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        if not own:
            raise ConfigurationError(f"there is no *.jsonl in {path}")
        found += own
    return found
