"""Providers at a server: the classification of transport errors, and retries by tenacity.

A provider translates the exceptions of its client into errors of ours. This module decides which of
these are retried, how long to wait before, and when to stop. None of them starts a repair.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import copy_context
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from functools import partial
from math import isfinite
from typing import TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import tenacity

from text2mem.clock import SystemClock
from text2mem.errors import (
    ConfigurationError,
    RateLimited,
    RequestRejected,
    ServiceTimeout,
    ServiceUnreachable,
    Text2MemError,
)
from text2mem.providers.answers import overflow
from text2mem.providers.base import Named
from text2mem.providers.secrecy import fit_as_cause, login, redacted, secrets_in, shown
from text2mem.timed import within

T = TypeVar("T")
ATTEMPTS = 4
"""The most tries of a call."""
LOOK = 5.0
"""The timeout, in seconds, of asking a server for its models after it refused a request."""
_OVERFLOW = ("length", "size", "window", "exceed")
"""Words by which services report that a prompt is too long, together with the word "context"."""
_READ = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""The variables of the environment that HTTP libraries read."""
_NAMED = 10
"""The most models that a hint names."""
_LONGEST = 80
"""The most characters of a model's name in a hint."""


def made(make: Callable[[], T], where: str) -> T:
    """The client of ``where`` that ``make`` makes. Raises ConfigurationError if it fails.

    HTTP libraries read proxies and certificates of the environment then.
    """
    try:
        return make()
    except Exception as error:
        raised = error
    secrets = secrets_in(*(part for each in getproxies().values() for part in login(each)))
    raise ConfigurationError(
        f"no client of {where} can be made here: {redacted(str(raised), secrets)}",
        hint=f"look at what the environment sets: {', '.join(_READ)}",
    ) from fit_as_cause(raised, secrets)


def by_proxy(address: str) -> str:
    """What to add to an address that could not be reached; empty without a proxy before it."""
    parts = urlsplit(address if "://" in address else f"http://{address}")
    set_for = getproxies()
    proxy = set_for.get(parts.scheme) or set_for.get("all")
    if not proxy or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return ""
    return f" through the proxy {shown(proxy)} (NO_PROXY={parts.hostname} goes there directly)"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait by a Retry-After header (RFC 9110, 10.2.3); None without one, or
    if it is neither a number nor a date."""
    value = next((v for k, v in headers.items() if k.lower() == "retry-after"), None)
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - SystemClock().now()).total_seconds()
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds) if isfinite(seconds) else None


class Remote(Named):
    """The base class of the providers at a server. Transport errors are retried.

    ``where`` names the server in errors. ``key`` is its key, else that of the environment variable
    ``setting``.
    """

    def __init__(
        self, scheme: str, model: str, *, address: str | None, where: str, key: str, setting: str
    ) -> None:
        super().__init__(f"{scheme}:{model}")
        self.model = model
        self._address = address
        self._where = where
        self._key = key
        self._setting = setting

    @property
    def _secrets(self) -> Sequence[str]:
        """The texts that no error may contain."""
        return secrets_in(self._key or os.environ.get(self._setting), address=self._address)

    def _failure(self, error: Exception) -> Exception:
        """The error of ours for an exception of the client. No message contains a secret."""
        raise NotImplementedError

    def _models(self) -> Sequence[str]:
        raise NotImplementedError

    def _without_model(self, listed: str | None) -> str:
        """The hint where the model is missing. ``listed`` names the others; None if unknown."""
        raise NotImplementedError

    def _call(self, attempt: Callable[[], T], deadline: float) -> T:
        """The result of ``attempt``, called until it succeeds or the deadline (seconds) is over."""

        def once() -> T:
            try:
                # A client's own timeout counts from byte to byte, so that an answer that trickles
                # never ends. It is left to its thread then, until the client is closed.
                return within(deadline, partial(copy_context().run, attempt), "text2mem-call")
            except Text2MemError:
                raise
            except Exception as error:
                raised = error
            # Raised outside the handler, so that the client's exception is not its context.
            raise self._failure(raised) from fit_as_cause(raised, self._secrets)

        return tenacity.Retrying(**_policy(deadline))(once)  # type: ignore[arg-type]

    async def _acall(self, attempt: Callable[[], Awaitable[T]], deadline: float) -> T:
        """Await ``attempt`` until it succeeds, as ``_call`` does."""

        async def once() -> T:
            try:
                async with asyncio.timeout(deadline):
                    return await attempt()
            except Text2MemError:
                raise
            except Exception as error:
                raised = error
            meant = await asyncio.to_thread(self._failure, raised)
            raise meant from fit_as_cause(raised, self._secrets)

        return await tenacity.AsyncRetrying(**_policy(deadline))(once)  # type: ignore[arg-type]

    def _refusal(self, status: int, said: str, headers: Mapping[str, str]) -> Exception:
        """The error for an HTTP status other than success; one below 0 means no answer."""
        said = redacted(said, self._secrets)
        where, service = self._where, self._name
        if status == 404:
            try:
                listed = redacted(_listed(self.model, self._models()), self._secrets)
            except Exception:  # the error of the request itself is reported, not this one
                listed = None
            silent = f", and does not say which it has: {said}" if listed is None else ""
            return ConfigurationError(
                f"{where} has no model '{self.model}'{silent}", hint=self._without_model(listed)
            )
        if status == 429:
            return RateLimited(
                f"{where} limits the rate: {said}", service=service,
                retry_after=retry_after(headers),
            )  # fmt: skip
        if status in (401, 403):
            return ConfigurationError(
                f"{where} does not accept the key (status {status})", hint=f"check {self._setting}"
            )
        if status == 408:
            return ServiceTimeout(f"{where} timed out: {said}", service=service)
        if status < 0 or status >= 500:
            return ServiceUnreachable(f"{where} failed: {said}", service=service)
        folded = said.casefold()
        if "context" in folded and any(word in folded for word in _OVERFLOW):
            return overflow(said)
        of_content = status in (400, 413, 422)
        kind = RequestRejected if of_content else ConfigurationError
        return kind(f"{where} rejected the request: {said}")


def _listed(model: str, names: Sequence[str]) -> str:
    """The models of a server in words, those with similar names first; empty if there are none."""
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
    faults = (RateLimited, ServiceTimeout, ServiceUnreachable)
    # If the wait would exceed the deadline ("retry in ten minutes"), the error is raised at once.
    return {
        "retry": tenacity.retry_if_exception_type(faults),
        "wait": _wait,
        "stop": tenacity.stop_after_attempt(ATTEMPTS) | tenacity.stop_before_delay(deadline),
        "reraise": True,
    }
