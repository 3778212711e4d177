"""The errors that text2mem raises, grouped by who has to act on them. Errors of a single part are
defined there.

A caller's mistake, a model's misbehaviour and a service that is down are different classes, because
they are handled in different places: by fixing the call, by repair, by waiting. Attributes carry
the facts; ``str(error)`` is a sentence made from them.
"""

from __future__ import annotations

import importlib.util
import logging
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from text2mem.compiled import Clarification
    from text2mem.ir.diagnostic import Diagnostic


@dataclass(eq=False, repr=False)
class Text2MemError(Exception):
    """The base of all errors. ``hint`` says what to do about it; it may be empty."""

    message: str
    hint: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the attributes: a subclass makes its message of other arguments."""
        return type(self).__new__, (type(self), *self.args), self.__dict__

    def as_dict(self) -> dict[str, Any]:
        """The error as JSON: its class, message and hint, and what else a program needs."""
        return {"type": type(self).__name__, "message": self.message, "hint": self.hint}


# --- the caller's mistakes -----------------------------------------------------------------


class ConfigurationError(Text2MemError):
    """A setting, name, key or installation is wrong; nothing was attempted."""


class RequestRejected(ConfigurationError):
    """A service rejected a request, perhaps for what it contains."""


class MissingExtra(ConfigurationError):
    """An optional dependency is not installed. ``extra`` is the name to install."""

    def __init__(self, what: str, *, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs the optional dependency group '{extra}'",
            hint=f"from the checkout: pip install '.[{extra}]'",
        )


@contextmanager
def needing(what: str, *, extra: str) -> Iterator[None]:
    """Import the packages of an extra in this context. Raises MissingExtra if one is absent."""
    try:
        yield
    except ImportError as error:
        raise MissingExtra(what, extra=extra) from error


def require_installed(what: str, *packages: str, extra: str) -> None:
    """Raise MissingExtra if a package of an extra is absent, without importing any."""
    if not all(map(importlib.util.find_spec, packages)):
        raise MissingExtra(what, extra=extra)


class NoSuchOption(Text2MemError):
    """A question has no option of this ``number``; they count from 1."""

    def __init__(self, number: int, *, options: int) -> None:
        self.number = number
        hint = f"the options are 1 to {options}" if options else "say what you mean in words"
        super().__init__(f"there is no option {number}", hint=hint)


class ChoiceNeeded(Text2MemError):
    """An answer that does not say which option of a question is chosen."""


# --- the language --------------------------------------------------------------------------


class ValidationError(Text2MemError):
    """A document is not a legal program. ``diagnostics`` holds every violation."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        first = self.diagnostics[0]
        more = f" (and {len(self.diagnostics) - 1} more)" if len(self.diagnostics) > 1 else ""
        super().__init__(f"{first.pointer or '/'}: {first.message}{more}", hint=first.hint)

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "diagnostics": [each.as_dict() for each in self.diagnostics]}


@dataclass(eq=False, repr=False, kw_only=True)
class ParseError(Text2MemError):
    """A value of a structurally legal document has no typed reading. ``pointer`` addresses it."""

    pointer: str


# --- the store -----------------------------------------------------------------------------


class StoreError(Text2MemError):
    """A store cannot be used: it is not ours, newer than this version, not readable, or closed."""


class StoreBusy(StoreError):
    """Another program has held the store for too long; the same call may succeed a moment later."""


class StoreUnreachable(StoreError):
    """The server of a store does not answer; the same call may succeed once it runs again."""


# --- services: nobody's mistake, try again later -------------------------------------------


@dataclass(eq=False, repr=False, kw_only=True)
class ServiceError(Text2MemError):
    """A service outside the process did not do its part. ``service`` names it."""

    service: str = ""


class ServiceUnreachable(ServiceError):
    """Refused, unresolvable, cut off, or a 5xx in every try."""


class ServiceTimeout(ServiceError):
    """No complete answer before the deadline."""


@dataclass(eq=False, repr=False, kw_only=True)
class RateLimited(ServiceError):
    """429 in every try. ``retry_after`` is in seconds, if the service gave it."""

    retry_after: float | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class WeightsUnavailable(ServiceError):
    """No source could deliver a model's weights. ``causes`` has the message of each."""

    service: str = "weights"
    causes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n  - ".join([super().__str__(), *self.causes])


class WeightsCorrupt(Text2MemError):
    """A weights file is not the one that the manifest pins (sha256, hexadecimal)."""

    def __init__(self, message: str, *, path: str, expected: str, actual: str) -> None:
        self.path = path
        self.expected = expected
        self.actual = actual
        super().__init__(
            f"{message}: {path} has sha256 {actual}, the manifest pins {expected}",
            hint="delete the file and pull again, or give the official file",
        )


ENDING = (ConfigurationError, ServiceError, StoreError)
"""Errors that further inputs would raise as well, so that they end a command or a measurement."""


# --- fetching: a page that is not taken ----------------------------------------------------


class FetchRefused(Text2MemError):
    """A URL, or what it leads to, is refused. A server that is down is a ServiceError instead.

    ``reason`` is stable: ``url`` (not one that is fetched), ``host`` (not on the list), ``address``
    (not a public one), ``certificate``, ``redirects`` (too many, or to plain http), ``status``,
    ``encoding``, ``media-type``, ``too-large``.
    """

    def __init__(self, reason: str, message: str, *, hint: str = "") -> None:
        self.reason = reason
        super().__init__(message, hint=hint)


# --- planning: the model's misbehaviour ----------------------------------------------------


class PlannerError(Text2MemError):
    """An utterance did not become a program."""


class UnusableUtterance(PlannerError):
    """An utterance that is no request: empty, or far too long."""


class ClarificationNeeded(PlannerError):
    """A program was required, but the planner asks back. ``clarification`` is its question."""

    def __init__(self, clarification: Clarification) -> None:
        self.clarification = clarification
        super().__init__(
            clarification.question,
            hint="choose one of its options, or say it more precisely"
            if clarification.options
            else "say it more precisely",
        )


@dataclass(eq=False, repr=False, kw_only=True)
class ModelOutputError(PlannerError):
    """The model answered, and the answer is unusable.

    ``raw`` is the whole answer; ``usage`` is what it cost (``providers.base.Usage``), if known. If
    it ended a plan, ``attempts`` holds every draft, as in RepairExhausted.
    """

    raw: str = ""
    model: str = ""
    usage: Any = None
    attempts: tuple[object, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), **({"raw": self.raw} if self.raw else {})}


class MalformedOutput(ModelOutputError):
    """The answer is not JSON, or not of the shape that was asked for."""


class TruncatedOutput(ModelOutputError):
    """The answer stopped at the token limit, in the middle of the JSON."""


class EmptyAnswer(ModelOutputError):
    """The model said nothing."""


class ModelRefusal(ModelOutputError):
    """The model declined; ``raw`` is what it said."""


@dataclass(eq=False, repr=False, kw_only=True)
class ContextOverflow(PlannerError):
    """The prompt does not fit into the model's context window (sizes in tokens, 0 = unknown)."""

    needed: int = 0
    available: int = 0


@dataclass(eq=False, repr=False, kw_only=True)
class RepairExhausted(PlannerError):
    """Repair gave up. ``attempts`` holds every draft with its diagnostics and token use."""

    attempts: Sequence[object]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.attempts = tuple(self.attempts)

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "attempts": len(self.attempts)}


# --- execution -----------------------------------------------------------------------------


class AdapterError(Text2MemError):
    """A backend could not do what it was asked."""


class UnsupportedOperation(AdapterError):
    """The backend declares that it cannot run ``op``; refused before any write."""

    def __init__(self, op: str, *, adapter: str) -> None:
        self.op = op
        self.adapter = adapter
        super().__init__(f"the adapter '{adapter}' does not support {op}")


def log_unexpected(error: BaseException, where: str) -> None:
    """Log the kind of an unexpected error and where it occurred, but not its message, which may
    contain a memory's words."""
    frames = traceback.extract_tb(error.__traceback__)
    at = (f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in reversed(frames))
    logging.getLogger("text2mem").error(
        "%s: unexpected %s at %s", where, type(error).__name__, " < ".join(at)
    )


class ExecutionError(Text2MemError):
    """A legal program was refused by the store, for the reason ``code``, which is stable, at the
    place ``pointer`` of the program. ``memory`` is the id of the memory in the way."""

    def __init__(
        self, code: str, message: str, *, pointer: str = "", hint: str = "", memory: str = ""
    ) -> None:
        self.code = code  # one of ``text2mem.ir.diagnostic.REFUSALS``
        self.pointer = pointer
        self.memory = memory
        super().__init__(message, hint=hint)

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "code": self.code, "pointer": self.pointer}
