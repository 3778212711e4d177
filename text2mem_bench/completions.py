"""Completions kept in a file, so that a long measurement goes on where it was stopped."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from text2mem.errors import ModelOutputError
from text2mem.providers.answers import read_answer
from text2mem.providers.base import Completion, Provider, Request, Usage
from text2mem.providers.profiles import Profile

_WAIT = 60.0
_TABLE = (
    "CREATE TABLE IF NOT EXISTS completion"
    "(key TEXT PRIMARY KEY, text TEXT NOT NULL, usage TEXT NOT NULL, tokens TEXT)"
)


class Completions:
    """A provider that keeps what another one answered, by model and question; several processes may
    share the file. Questions are taken to be deterministic: one at a temperature is kept as well.
    """

    def __init__(self, path: Path, provider: Provider) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._provider = provider
        self._held = sqlite3.connect(
            path, timeout=_WAIT, isolation_level=None, check_same_thread=False
        )
        self._held.execute("PRAGMA journal_mode = WAL")
        self._held.execute(_TABLE)

    @property
    def name(self) -> str:
        return self._provider.name

    @property
    def profile(self) -> Profile:
        return self._provider.profile

    def complete(self, request: Request) -> Completion:
        """The answer, as it was given or as it is given now.

        Raises ModelOutputError for one that is none, each time it is asked for.
        """
        key = _key(self.name, request)
        found = self._held.execute(
            "SELECT text, usage, tokens FROM completion WHERE key = ?", (key,)
        ).fetchone()
        if found is None:
            found = self._asked(request)
            self._held.execute(
                "INSERT OR REPLACE INTO completion VALUES (?, ?, ?, ?)", (key, *found)
            )
        text, usage, tokens = found
        spent = Usage(**json.loads(usage))
        read = read_answer(text, finish="stop", model=self.name, usage=spent)
        return replace(read, **_tokens(json.loads(tokens))) if tokens else read

    async def acomplete(self, request: Request) -> Completion:
        return await asyncio.to_thread(self.complete, request)

    def __len__(self) -> int:
        return int(self._held.execute("SELECT count(*) FROM completion").fetchone()[0])

    def close(self) -> None:
        """Release the file, and the model."""
        self._held.close()
        self._provider.close()

    def _asked(self, request: Request) -> tuple[str, str, str | None]:
        try:
            answer = self._provider.complete(request)
        except ModelOutputError as error:
            return error.raw, json.dumps(asdict(error.usage or Usage())), None
        told = json.dumps([answer.tokens, answer.likeliest]) if answer.tokens else None
        return answer.text, json.dumps(asdict(answer.usage)), told


def _tokens(told: Any) -> dict[str, Any]:
    tokens, likeliest = told
    return {
        "tokens": tuple((text, p) for text, p in tokens),
        "likeliest": tuple(tuple((text, p) for text, p in place) for place in likeliest),
    }


def _key(model: str, request: Request) -> str:
    said: dict[str, Any] = {
        "model": model, "turns": [(turn.role, turn.content) for turn in request.messages],
        "schema": request.schema, "sampling": asdict(request.sampling),
    }  # fmt: skip
    if request.prompt or request.grammar:
        said |= {
            "prompt": request.prompt, "grammar": request.grammar, "adapter": request.adapter,
            "begin": request.begin,
        }  # fmt: skip
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
