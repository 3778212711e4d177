"""Planning without I/O: planners are generators, and two drivers answer them.

A planner yields a Request and is sent the Completion. A provider's error is thrown into it. So one
planner with its repair serves ``compile`` and ``acompile``.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar, cast

from text2mem.errors import Text2MemError
from text2mem.providers.base import Completion, Provider, Request
from text2mem.providers.caching import Answers

T = TypeVar("T")
Steps = Generator[Request, Completion, T]


def drive(steps: Steps[T], provider: Provider, answers: Answers | None = None) -> T:
    """Run a planner. ``answers`` has the answers to questions that were asked before."""
    asked = _asked(steps, provider, answers)
    answer: Completion | Text2MemError | None = None
    try:
        while True:
            request = asked.send(answer)
            try:
                answer = provider.complete(request)
            except Text2MemError as error:
                answer = error
    except StopIteration as done:
        return cast("T", done.value)


async def adrive(steps: Steps[T], provider: Provider, answers: Answers | None = None) -> T:
    """The same as ``drive``, without blocking."""
    asked = _asked(steps, provider, answers)
    answer: Completion | Text2MemError | None = None
    try:
        while True:
            request = asked.send(answer)
            try:
                answer = await provider.acomplete(request)
            except Text2MemError as error:
                answer = error
    except StopIteration as done:
        return cast("T", done.value)


def _asked(
    steps: Steps[T], provider: Provider, answers: Answers | None
) -> Generator[Request, Completion | Text2MemError | None, T]:
    """The planner, which yields only the questions that ``answers`` does not hold."""
    try:
        request = next(steps)
        while True:
            kept = answers.find(provider, request) if answers else None
            answer = kept or (yield request)
            if not isinstance(answer, Completion):
                assert answer is not None
                request = steps.throw(answer)
                continue
            if answers and not kept:
                answers.keep(provider, request, answer)
            request = steps.send(answer)
    except StopIteration as done:
        return cast("T", done.value)
