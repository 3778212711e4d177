"""Planning without I/O: generators that ask, and two drivers that answer.

A planner yields a Request and is sent the Completion; what the provider raises is thrown into it.
The same planner and the same repair loop so serve ``compile`` and ``acompile``.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from text2mem.errors import Text2MemError
from text2mem.providers.base import Completion, Provider, Request

T = TypeVar("T")
Steps = Generator[Request, Completion, T]


def drive(steps: Steps[T], provider: Provider) -> T:
    """Run the steps, each question answered by the provider."""
    try:
        request = next(steps)
        while True:
            try:
                answer = provider.complete(request)
            except Text2MemError as error:
                request = steps.throw(error)
            else:
                request = steps.send(answer)
    except StopIteration as done:
        result: T = done.value
        return result


async def adrive(steps: Steps[T], provider: Provider) -> T:
    """The same without blocking."""
    try:
        request = next(steps)
        while True:
            try:
                answer = await provider.acomplete(request)
            except Text2MemError as error:
                request = steps.throw(error)
            else:
                request = steps.send(answer)
    except StopIteration as done:
        result: T = done.value
        return result
