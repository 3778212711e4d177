"""A cache of answers: a process asks a local model the same question once."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import replace
from threading import Lock
from typing import Any

from text2mem.providers.base import Completion, Provider, Request, Usage
from text2mem.providers.profiles import Profile

_MANY = 512
_Key = tuple[str, Any, Profile, str, Request]


class Answers:
    """The last answers of deterministic questions (temperature 0), by model and question."""

    def __init__(self, many: int = _MANY) -> None:
        self._many = many
        self._lock = Lock()
        self._held: OrderedDict[_Key, Completion] = OrderedDict()

    def find(self, provider: Provider, request: Request) -> Completion | None:
        """The answer that was given before, at no cost; None where there was none."""
        key = _key(provider, request)
        if key is None:
            return None
        with self._lock:
            found = self._held.get(key)
            if found is None:
                return None
            self._held.move_to_end(key)
        return replace(found, usage=Usage(found.usage.prompt, 0, found.usage.prompt))

    def keep(self, provider: Provider, request: Request, answer: Completion) -> None:
        """Keep an answer; the one that was not used for longest goes."""
        key = _key(provider, request)
        if key is None:
            return
        with self._lock:
            self._held[key] = answer
            if len(self._held) > self._many:
                self._held.popitem(last=False)

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._held.clear()


ANSWERS = Answers()
"""Those of this process."""


def _key(provider: Provider, request: Request) -> _Key | None:
    if not provider.name.startswith("local:") or request.sampling.temperature > 0:
        return None
    weights = getattr(provider, "weights", ())  # one name may stand for several adapters
    schema = json.dumps(request.schema, sort_keys=True)  # a dict is no key
    return provider.name, weights, provider.profile, schema, replace(request, schema=None)
