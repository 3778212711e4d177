"""Transport errors: their classification, and retries by tenacity. They never start a repair.

A provider translates the exceptions of its client into errors of ours. This module decides which of
these are retried, how long to wait before, and when to stop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from math import isfinite
from threading import Thread
from typing import TypeVar

import tenacity

from text2mem.clock import SystemClock
from text2mem.errors import (
    ConfigurationError,
    RateLimited,
    ServiceTimeout,
    ServiceUnreachable,
    Text2MemError,
)
from text2mem.providers.answers import overflow, speaks_of_overflow

T = TypeVar("T")
Translate = Callable[[Exception], tuple[Exception, Exception | None]]
"""Translates an exception of a client into the error of ours, and the cause that may be shown."""
ATTEMPTS = 4
"""The most tries of a call."""
LOOK = 5.0
"""The timeout, in seconds, of asking a server for its models after it refused a request."""
_NAMED = 10
"""The most models that a hint names."""
_LONGEST = 80
"""The most characters of a model's name in a hint."""
_FAULTS = (RateLimited, ServiceTimeout, ServiceUnreachable)
"""The errors that are retried."""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait by a Retry-After header (RFC 9110, section 10.2.3).

    None if there is none, or if it is neither a number nor a date.
    """
    value = next((v for k, v in headers.items() if k.lower() == "retry-after"), None)
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if isfinite(seconds) else None
    try:
        return max(0.0, (parsedate_to_datetime(value) - SystemClock().now()).total_seconds())
    except (TypeError, ValueError):
        return None


def refusal(
    status: int, said: str, *, where: str, service: str, key: str, headers: Mapping[str, str]
) -> Exception:
    """Return the error for an HTTP status other than success; a status below 0 means no answer.

    ``said`` is the message of the service, without secrets. ``key`` is the environment variable of
    its key.
    """
    if status == 429:
        return RateLimited(
            f"{where} limits the rate: {said}", service=service, retry_after=retry_after(headers)
        )
    if status in (401, 403):
        return ConfigurationError(
            f"{where} does not accept the key (status {status})", hint=f"check {key}"
        )
    if status == 408:
        return ServiceTimeout(f"{where} timed out: {said}", service=service)
    if status < 0 or status >= 500:
        return ServiceUnreachable(f"{where} failed: {said}", service=service)
    if speaks_of_overflow(said):
        return overflow(said)
    return ConfigurationError(f"{where} rejected the request: {said}")


def instead(model: str, names: Sequence[str]) -> str:
    """Return a hint that lists the models of a server, those with similar names first.

    It is empty if there are none.
    """
    known = [name[:_LONGEST] for name in names if name.isprintable()]
    alike = get_close_matches(model, known, n=_NAMED, cutoff=0.5)
    named = list(dict.fromkeys((*alike, *sorted(known))))
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"it has {', '.join(named[:_NAMED])}{more}" if named else ""


def _wait(state: tenacity.RetryCallState) -> float:
    """Seconds before the next try: as the service says, else random, growing exponentially."""
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, RateLimited) and error.retry_after is not None:
        return error.retry_after
    return float(tenacity.wait_random_exponential(multiplier=0.25, max=8)(state))


def _policy(deadline: float) -> dict[str, object]:
    # If the wait would exceed the deadline ("retry in ten minutes"), the error is raised at once.
    return {
        "retry": tenacity.retry_if_exception_type(_FAULTS),
        "wait": _wait,
        "stop": tenacity.stop_after_attempt(ATTEMPTS) | tenacity.stop_before_delay(deadline),
        "reraise": True,
    }


def _within(seconds: float, attempt: Callable[[], T]) -> T:
    """Return the result of ``attempt``. Raises TimeoutError if it takes longer.

    A client's own timeout counts from byte to byte, so that an answer that trickles never ends. It
    is left to its thread then, until the client is closed.
    """
    answered: Future[T] = Future()

    def run() -> None:
        try:
            answered.set_result(attempt())
        except BaseException as error:
            answered.set_exception(error)

    Thread(target=copy_context().run, args=(run,), daemon=True).start()
    return answered.result(seconds)


def call(attempt: Callable[[], T], *, deadline: float, translate: Translate) -> T:
    """Call ``attempt`` until it succeeds, and return its result.

    ``deadline`` is in seconds, over all tries. Raises the last error of the attempt, translated.
    """

    def once() -> T:
        try:
            return _within(deadline, attempt)
        except Text2MemError:
            raise
        except Exception as error:
            raised = error
        # Raised outside the handler, so that the client's exception is not the error's context.
        meant, cause = translate(raised)
        raise meant from cause

    return tenacity.Retrying(**_policy(deadline))(once)  # type: ignore[arg-type]


async def acall(attempt: Callable[[], Awaitable[T]], *, deadline: float, translate: Translate) -> T:
    """Await ``attempt`` until it succeeds, as ``call`` does. ``translate`` runs in a thread."""

    async def once() -> T:
        try:
            async with asyncio.timeout(deadline):
                return await attempt()
        except Text2MemError:
            raise
        except Exception as error:
            raised = error
        meant, cause = await asyncio.to_thread(translate, raised)
        raise meant from cause

    return await tenacity.AsyncRetrying(**_policy(deadline))(once)  # type: ignore[arg-type]
