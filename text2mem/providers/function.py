"""``function:``: a callable of the user as the model, also for tests of users' code."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from inspect import iscoroutinefunction
from typing import Any

from text2mem.errors import ConfigurationError, MalformedOutput
from text2mem.providers.answers import read_answer
from text2mem.providers.base import Completion, Named, Request, Usage
from text2mem.providers.profiles import Profile

Answerer = Callable[[Request], Any]
"""What stands in for a model; see ``FunctionProvider``."""


class FunctionProvider(Named):
    """The provider ``function:package.module:callable``, or of a callable itself.

    The callable gets the Request. It returns the answer as a text, as a value that is then written
    as JSON, or as a Completion. Its errors are passed on.
    """

    def __init__(self, function: str | Answerer, *, profile: Profile | None = None) -> None:
        self._function = _load(function) if isinstance(function, str) else function
        hint = "give a function that takes a Request and returns the answer itself"
        if not callable(self._function):
            raise ConfigurationError(f"{function!r:.80} is not callable", hint=hint)
        if iscoroutinefunction(self._function):
            raise ConfigurationError(f"{function!r:.80} is a coroutine function", hint=hint)
        label = function if isinstance(function, str) else getattr(function, "__name__", "callable")
        super().__init__(f"function:{label}", profile)

    def complete(self, request: Request) -> Completion:
        try:
            answer = self._function(request)
        except StopIteration as error:  # a generator or future would take it for its end
            raise RuntimeError(f"{self._name} raised StopIteration") from error
        if isinstance(answer, Completion):
            return answer
        if isinstance(answer, str) or answer is None:
            return read_answer(answer, finish="stop", model=self._name, usage=Usage())
        try:
            written = json.dumps(answer, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise MalformedOutput(f"what the function answers is no JSON: {error}") from error
        return Completion(written, answer, Usage(), self._name)


def _load(path: str) -> Answerer:
    """Import the callable of ``package.module:callable``. Raises ConfigurationError."""
    module, _, attribute = path.rpartition(":")
    try:
        function: Answerer = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ConfigurationError(
            f"cannot load the function '{path}': {error}",
            hint="write function:package.module:callable",
        ) from error
    return function
