"""Keeps keys and passwords out of messages, chains of errors, and logs.

A service may repeat the key that it was sent, and a client's exception repeats the service.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from text2mem.providers.addresses import login

_PLACEHOLDER = 8
_muted: ContextVar[bool] = ContextVar("text2mem_muted", default=False)


def secrets_in(*texts: str | None, address: str | None = None) -> tuple[str, ...]:
    """The texts that must not be shown: keys, and the login in an address.

    What has fewer than 8 characters is a placeholder ("none", "ollama") and hides nothing.
    """
    found = [*texts, *(login(address) if address else ())]
    return tuple(text for text in found if text and len(text) >= _PLACEHOLDER)


def redacted(text: str, secrets: Sequence[str]) -> str:
    """The text with ``***`` in the place of every secret."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


def fit_as_cause(error: Exception, secrets: Sequence[str]) -> Exception | None:
    """The error, unless it or anything that it came from repeats a secret."""
    seen: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None or any(one is other for other in seen):
            continue
        seen.append(one)
        waiting += [one.__cause__, one.__context__]
        said = f"{one!s} {one!r}"
        if any(secret in said for secret in secrets):
            return None
    return error


@contextmanager
def muted(library: str) -> Iterator[None]:
    """A context in which the loggers of a library are silent: it logs what it also raises.

    Elsewhere, and in other threads and tasks, they go on as the user has set them.
    """
    for name in list(logging.root.manager.loggerDict):
        if name == library or name.startswith(f"{library}."):
            logging.getLogger(name).addFilter(_passes)  # one that is there is not added twice
    token = _muted.set(True)
    try:
        yield
    finally:
        _muted.reset(token)


def _passes(record: logging.LogRecord) -> bool:
    return not _muted.get()
