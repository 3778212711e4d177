"""Commands that write go on to their end, although nobody reads their output any more."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

F = TypeVar("F", bound=Callable[..., Any])


class _Output(io.FileIO):
    """A pipe that swallows what is written once its reader has gone."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return super().write(data)


def lasting(function: F) -> F:
    """A command that goes on without a reader: with ``| head`` all of its input is still done.

    The exit code says how it went, as it would have anyway.
    """

    @wraps(function)
    def call(*arguments: Any, **others: Any) -> Any:
        out = sys.stdout
        buffer = getattr(out, "buffer", None)
        raw = getattr(buffer, "raw", buffer)  # PYTHONUNBUFFERED leaves the buffer out
        if isinstance(out, io.TextIOWrapper) and isinstance(raw, io.FileIO) and not raw.isatty():
            out.flush()
            sys.stdout = io.TextIOWrapper(
                io.BufferedWriter(_Output(raw.fileno(), "w", closefd=False)),
                encoding=out.encoding, errors=out.errors,
            )  # fmt: skip
        return function(*arguments, **others)

    return call  # type: ignore[return-value]
