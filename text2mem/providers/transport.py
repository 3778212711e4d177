"""Transport faults: told apart, tried again by tenacity, and never a repair attempt.

A provider says which error of ours an exception of its client is; this module decides what is worth
another try, how long to wait, and when to stop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from math import isfinite
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
"""From a client's exception to the error of ours that it means, and the cause that may be shown."""
ATTEMPTS = 4
LOOK = 5.0
"""For how many seconds a server is asked what it has, after it has refused."""
_NAMED = 10
"""How many models a hint names."""
_LONGEST = 80
_FAULTS = (RateLimited, ServiceTimeout, ServiceUnreachable)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by a Retry-After header (RFC 9110, section 10.2.3): a number or a date."""
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
    """The error for an answer that is none, by its HTTP status; below 0 there was no answer.

    ``said`` is what the service says, without secrets, ``key`` the variable of its key.
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


def instead(model: str, held: Sequence[str]) -> str:
    """Which models there are, those first whose names are alike; empty where none is known."""
    held = [name[:_LONGEST] for name in held if name.isprintable()]
    alike = get_close_matches(model, held, n=_NAMED, cutoff=0.5)
    named = list(dict.fromkeys((*alike, *sorted(held))))
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"it has {', '.join(named[:_NAMED])}{more}" if named else ""


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, RateLimited) and error.retry_after is not None:
        return error.retry_after
    return float(tenacity.wait_random_exponential(multiplier=0.25, max=8)(state))


def _policy(deadline: float) -> dict[str, object]:
    # Waiting past the deadline helps nobody: a service that says "in ten minutes" is an error now.
    return {
        "retry": tenacity.retry_if_exception_type(_FAULTS),
        "wait": _wait,
        "stop": tenacity.stop_after_attempt(ATTEMPTS) | tenacity.stop_before_delay(deadline),
        "reraise": True,
    }


def call(attempt: Callable[[], T], *, deadline: float, translate: Translate) -> T:
    """The attempt's result, within ``deadline`` seconds over all tries.

    Raises the error that ``translate`` has for what the attempt raised at last.
    """

    def once() -> T:
        try:
            return attempt()
        except Text2MemError:
            raise
        except Exception as error:
            raised = error
        # Out here what is logged and raised does not have the client's exception as its context.
        meant, cause = translate(raised)
        raise meant from cause

    return tenacity.Retrying(**_policy(deadline))(once)  # type: ignore[arg-type]


async def acall(attempt: Callable[[], Awaitable[T]], *, deadline: float, translate: Translate) -> T:
    """The same for an awaitable attempt; ``translate`` may block."""

    async def once() -> T:
        try:
            return await attempt()
        except Text2MemError:
            raise
        except Exception as error:
            raised = error
        meant, cause = await asyncio.to_thread(translate, raised)
        raise meant from cause

    return await tenacity.AsyncRetrying(**_policy(deadline))(once)  # type: ignore[arg-type]
