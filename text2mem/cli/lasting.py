"""Let commands that write run to their end, even if nobody reads their output any more."""

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
    """A file that discards what is written after the reader of its pipe has gone."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return super().write(data)


def lasting(function: F) -> F:
    """Decorate a command so that it goes on after the reader of its output has gone (``| head``):
    all of its input is handled, and its exit code is the same."""

    @wraps(function)
    def call(*arguments: Any, **others: Any) -> Any:
        out = sys.stdout
        buffer = getattr(out, "buffer", None)
        raw = getattr(buffer, "raw", buffer)  # with PYTHONUNBUFFERED there is no buffer
        if isinstance(out, io.TextIOWrapper) and isinstance(raw, io.FileIO) and not raw.isatty():
            out.flush()
            sys.stdout = io.TextIOWrapper(
                io.BufferedWriter(_Output(raw.fileno(), "w", closefd=False)),
                encoding=out.encoding, errors=out.errors,
            )  # fmt: skip
        return function(*arguments, **others)

    return call  # type: ignore[return-value]
