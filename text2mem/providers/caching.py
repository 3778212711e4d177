"""A cache of answers: a process asks a local model the same question only once."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import replace
from threading import Lock
from typing import Any

from text2mem.providers.base import Completion, Provider, Request, Usage
from text2mem.providers.profiles import Profile

_MANY = 512
"""The most answers that are kept by default."""
_Key = tuple[str, Any, Profile, str, Request]


class Answers:
    """The last answers of local models at temperature 0. Other requests are ignored."""

    def __init__(self, many: int = _MANY) -> None:
        self._many = many
        self._lock = Lock()
        self._held: OrderedDict[_Key, Completion] = OrderedDict()

    def find(self, provider: Provider, request: Request) -> Completion | None:
        """Return the earlier answer, with a usage that counts no new tokens; None without one."""
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
        """Keep an answer. If there are too many, drop the least recently used one."""
        key = _key(provider, request)
        if key is None:
            return
        with self._lock:
            self._held[key] = answer
            if len(self._held) > self._many:
                self._held.popitem(last=False)

    def clear(self) -> None:
        """Drop all answers."""
        with self._lock:
            self._held.clear()


ANSWERS = Answers()
"""The answers of this process."""


def _key(provider: Provider, request: Request) -> _Key | None:
    """The key of a request; None if its answer is not kept."""
    if not provider.name.startswith("local:") or request.sampling.temperature > 0:
        return None
    weights = getattr(provider, "weights", ())  # providers of one name may have different adapters
    schema = json.dumps(request.schema, sort_keys=True)  # a dict is not hashable
    return provider.name, weights, provider.profile, schema, replace(request, schema=None)
