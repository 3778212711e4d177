"""What changes a store is carried out to its end, also where the reader of the output has gone."""

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
    """A pipe's end, which swallows what nobody reads any more."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return super().write(data)


def lasting(function: F) -> F:
    """A command that goes on without a reader: ``| head`` leaves nothing of its input undone.

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
