"""A model that is counted: questions, tokens, and answers that broke their schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from text2mem.errors import ModelOutputError, ServiceError
from text2mem.providers.base import Completion, Provider, Request, Usage
from text2mem.providers.profiles import Profile


@dataclass(slots=True)
class CountingProvider:
    """Passes questions on to a model and counts what they cost."""

    within: Provider
    _counts: dict[str, int] = field(default_factory=dict)
    _down: ServiceError | None = None

    @property
    def name(self) -> str:
        return self.within.name

    @property
    def profile(self) -> Profile:
        return self.within.profile

    def take(self) -> Mapping[str, int]:
        """What was counted since the last time: asked, unfit, prompt, output, cached."""
        taken, self._counts = self._counts, {}
        return taken

    def require_service(self) -> None:
        """Raises the ServiceError of a question that got no answer, if there was one."""
        if self._down is not None:
            raise self._down

    def complete(self, request: Request) -> Completion:
        with self._faults():
            return self._counted(request, self.within.complete(request))

    async def acomplete(self, request: Request) -> Completion:
        with self._faults():
            return self._counted(request, await self.within.acomplete(request))

    def close(self) -> None:
        """The model stays open: whoever opened it closes it."""

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Counts an answer that is none, and keeps what is down."""
        try:
            yield
        except ModelOutputError as error:
            self._add(getattr(error, "usage", None) or Usage(), fits=False)
            raise
        except ServiceError as error:
            self._down = error
            raise

    def _counted(self, request: Request, answer: Completion) -> Completion:
        self._add(answer.usage, fits=fits(answer.data, request.schema))
        return answer

    def _add(self, usage: Usage, *, fits: bool) -> None:
        counted = {
            "asked": 1, "unfit": int(not fits), "prompt": usage.prompt, "output": usage.output,
            "cached": usage.cached,
        }  # fmt: skip
        for name, count in counted.items():
            self._counts[name] = self._counts.get(name, 0) + count


def fits(data: Any, schema: Mapping[str, Any] | None) -> bool:
    """Whether an answer keeps the schema that it was asked for; without one any does."""
    if schema is None:
        return True
    from jsonschema import Draft202012Validator

    return bool(Draft202012Validator(dict(schema)).is_valid(data))
