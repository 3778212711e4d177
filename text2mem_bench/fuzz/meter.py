"""Calls under watch: what came of each, how long it took, and what no call may do."""

from __future__ import annotations

import io
import json
import logging
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, TypeVar

from text2mem.errors import Text2MemError

T = TypeVar("T")
LIMIT = 2.0
"""Seconds of CPU that a call may take."""
_PATIENCE = 15
"""How many times the limit a call may take by the wall clock before it is stopped."""


class Broken(Exception):
    """Something is not as the documents say, and no exception told."""


class TooSlow(BaseException):
    """A call took longer than it may. No Exception, so that nothing under test catches it."""


@dataclass(slots=True)
class Meter:
    """Counts and times the calls of a case. ``limit`` is in seconds of CPU a call.

    ``outcomes`` counts by call and outcome; ``slowest`` holds the longest seconds by call.
    """

    limit: float = LIMIT
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)

    def call(
        self, what: str, function: Callable[[], T], told: Callable[[T], str] | None = None
    ) -> T | Text2MemError:
        """What the function returns, or the Text2MemError that it raises.

        ``told`` names the outcome of what it returns. Raises TooSlow, Broken for an error of ours
        that was only logged, and whatever else it raises.
        """
        begun = time.process_time()
        found: T | Text2MemError
        try:
            with _stopped_after(self.limit * _PATIENCE), _logged() as bugs:
                found = function()
        except Text2MemError as error:
            found = error
        taken = time.process_time() - begun
        self.slowest[what] = max(taken, self.slowest.get(what, 0.0))
        if taken > self.limit:
            raise TooSlow(f"{what} took {taken:.1f} s of CPU")
        if bugs.getvalue():
            raise Broken(f"{what}: {bugs.getvalue().splitlines()[0]}")
        if isinstance(found, Text2MemError):
            self.outcomes[what, type(found).__name__] += 1
        else:
            self.outcomes[what, told(found) if told else "done"] += 1
        return found


def strict(told: Any) -> None:
    """What is told has to be strict JSON in UTF-8. Raises what json raises."""
    json.dumps(told, ensure_ascii=False, allow_nan=False).encode()


def innermost(error: BaseException) -> str:
    """Where in the package an error was raised: ``file:line in function``.

    Of an endless recursion, which ends anywhere, where it was entered.
    """
    import traceback

    frames = [
        f"{frame.filename.rpartition('/text2mem/')[2]}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
        if "/text2mem/" in frame.filename and "/text2mem_bench/" not in frame.filename
    ]
    if not frames:
        return "-"
    return frames[0] if isinstance(error, RecursionError) else frames[-1]


@contextmanager
def _stopped_after(seconds: float) -> Iterator[None]:
    """Raises TooSlow within the block after so long, where the platform has such an alarm."""
    alarmed: Any = getattr(signal, "setitimer", None)
    if alarmed is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlow(f"not done after {seconds:.0f} s")

    begun = time.perf_counter()
    before = signal.signal(signal.SIGALRM, stop)
    left = alarmed(signal.ITIMER_REAL, seconds)[0]  # of an alarm that somebody else has set
    try:
        yield
    finally:
        alarmed(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            alarmed(signal.ITIMER_REAL, max(left - (time.perf_counter() - begun), 0.001))


@contextmanager
def _logged() -> Iterator[io.StringIO]:
    """What the package logs meanwhile of errors that it did not expect (``log_unexpected``)."""
    told = io.StringIO()
    logger, handler = logging.getLogger("text2mem"), logging.StreamHandler(told)
    handler.setLevel(logging.ERROR)
    logger.addHandler(handler)
    try:
        yield told
    finally:
        logger.removeHandler(handler)
