"""Planning without I/O: generators that ask, and two drivers that answer.

A planner yields a Request and is sent the Completion; what the provider raises is thrown into it.
The same planner and the same repair loop so serve ``compile`` and ``acompile``.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from text2mem.errors import Text2MemError
from text2mem.providers.base import Completion, Provider, Request
from text2mem.providers.caching import Answers

T = TypeVar("T")
Steps = Generator[Request, Completion, T]


def drive(steps: Steps[T], provider: Provider, answers: Answers | None = None) -> T:
    """Run the steps, each question answered by the provider, or as it was ``answers`` before."""
    try:
        request = next(steps)
        while True:
            try:
                answer = answers.find(provider, request) if answers else None
                if answer is None:
                    answer = provider.complete(request)
                    if answers is not None:
                        answers.keep(provider, request, answer)
            except Text2MemError as error:
                request = steps.throw(error)
            else:
                request = steps.send(answer)
    except StopIteration as done:
        result: T = done.value
        return result


async def adrive(steps: Steps[T], provider: Provider, answers: Answers | None = None) -> T:
    """The same without blocking."""
    try:
        request = next(steps)
        while True:
            try:
                answer = answers.find(provider, request) if answers else None
                if answer is None:
                    answer = await provider.acomplete(request)
                    if answers is not None:
                        answers.keep(provider, request, answer)
            except Text2MemError as error:
                request = steps.throw(error)
            else:
                request = steps.send(answer)
    except StopIteration as done:
        result: T = done.value
        return result
