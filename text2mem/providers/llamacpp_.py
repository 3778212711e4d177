"""``local:``: a GGUF model in this process, by llama.cpp's own server (xllamacpp)."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from text2mem import weights
from text2mem.errors import (
    ConfigurationError,
    MissingExtra,
    RequestRejected,
    ServiceUnreachable,
    needing,
    require_installed,
)
from text2mem.providers.answers import overflow, read_answer
from text2mem.providers.base import Completion, Named, Request, Usage
from text2mem.providers.profiles import Profile, Task, profile_of
from text2mem.settings import cores, environment

_SPINS = "GOMP_SPINCOUNT"
_FEW = "300"
"""The number of spins of a waiting OpenMP thread before it sleeps. OpenMP's default is 10 % faster
on two idle cores, but seven times slower if two models share them, since threads that hold a core
then wait for threads that have none."""

_LIKELIEST = 8
"""How many of the likeliest tokens are asked for at each place of an answer."""


def _likely(entry: Mapping[str, Any]) -> tuple[str, float]:
    return entry["token"], math.exp(entry["logprob"])


def short_spins() -> AbstractContextManager[None]:
    """Set how OpenMP threads wait, unless the user has. It is read when OpenMP is loaded."""
    return environment({_SPINS: _FEW}, unless={_SPINS, "OMP_WAIT_POLICY"})


def engine() -> Any:
    """Return the module of llama.cpp. Raises MissingExtra."""
    with needing("a local model", extra="local"), short_spins():
        import xllamacpp
    return xllamacpp


def engine_first() -> None:
    """Load llama.cpp, if it is installed: after Kuzu, with its own C++ runtime, that aborts."""
    with suppress(MissingExtra):
        engine()


class LlamaCppProvider(Named):
    """The provider ``local:NAME`` for a model of the manifest, or ``local:/path/to/model.gguf``.

    ``profile`` replaces the profile by name; its constraint "grammar" decodes by a GBNF grammar in
    place of a JSON schema. ``adapters`` are files that replace the shipped adapters, by task.

    The weights are loaded at the first request and are kept until ``close``. One request runs at a
    time. Requests with a common prefix share llama.cpp's prompt cache.
    """

    def __init__(
        self,
        model: str,
        *,
        context: int | None = None,
        threads: int | None = None,
        profile: Profile | None = None,
        adapters: Mapping[Task, Path] | None = None,
    ) -> None:
        require_installed("a local model", "xllamacpp", extra="local")
        self.model = model
        # The profile goes by the name of the file: that of a folder says nothing about the model.
        super().__init__(f"local:{model}", profile or profile_of(f"local:{Path(model).name}"))
        self._context = context or self._profile.context
        self._threads = threads or cores()
        self._server: Any = None
        self._given = adapters
        self._adapters: tuple[str, ...] = ()  # their tasks, in the order in which they are loaded
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Completion:
        with self._lock:
            server = self._loaded()
            ask = server.handle_completions if request.prompt else server.handle_chat_completions
            answer = ask(self._body(request))
        if "error" in answer:
            raise self._failure(answer["error"])
        choice = answer["choices"][0]
        counts = answer["usage"]
        usage = Usage(
            prompt=counts["prompt_tokens"],
            output=counts["completion_tokens"],
            cached=(counts.get("prompt_tokens_details") or {}).get("cached_tokens", 0),
        )
        text = choice["text"] if request.prompt else choice["message"].get("content")
        if request.begin:
            text = f"{request.begin}{text}"
        read = read_answer(text, finish=choice["finish_reason"], model=self._name, usage=usage)
        places = (choice.get("logprobs") or {}).get("content") or ()
        begun = ((request.begin, 1.0),) if request.begin else ()
        tokens = (*begun, *(_likely(each) for each in places))
        instead = (tuple(map(_likely, each.get("top_logprobs", ()))) for each in places)
        return replace(read, tokens=tokens, likeliest=(*((one,) for one in begun), *instead))

    def close(self) -> None:
        """Unload the model."""
        with self._lock:
            self._server = None

    @property
    def weights(self) -> tuple[tuple[str, str], ...]:
        """The task and the file of each adapter that replaces the shipped ones."""
        return tuple(sorted((name, str(path)) for name, path in (self._given or {}).items()))

    @property
    def address(self) -> str:
        """The loopback address at which the loaded model answers over HTTP."""
        with self._lock:
            return str(self._loaded().listening_address)

    def _body(self, request: Request) -> dict[str, Any]:
        asked: dict[str, Any] = {"messages": [asdict(each) for each in request.messages]}
        if request.prompt:
            asked = {"prompt": request.prompt + request.begin, "logprobs": _LIKELIEST}
        body: dict[str, Any] = {
            **asked,
            # Each adapter is for its own task; digests and other chats use the model without one.
            "lora": [
                {"id": at, "scale": float(name == request.adapter)}
                for at, name in enumerate(self._adapters)
            ],
            "temperature": request.sampling.temperature,
            "seed": request.sampling.seed,
            "max_tokens": request.sampling.max_tokens,
            "cache_prompt": True,
        }
        if request.adapter in self._adapters:
            body["id_slot"] = self._adapters.index(request.adapter)
        if request.grammar is not None:
            body["grammar"] = request.grammar
        elif request.schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"schema": dict(request.schema)},
            }
        return body

    def _failure(self, error: dict[str, Any]) -> Exception:
        if error.get("type") == "exceed_context_size_error":
            return overflow(
                str(error["message"]), error.get("n_prompt_tokens", 0), error.get("n_ctx", 0)
            )
        if error.get("type") == "invalid_request_error":
            return RequestRejected(f"llama.cpp rejected the request: {error['message']}")
        return ServiceUnreachable(f"llama.cpp failed: {error['message']}", service=self._name)

    def _loaded(self) -> Any:
        """The running server, which is started at the first call. The caller holds the lock."""
        if self._server is None:
            self._server = self._load()
        return self._server

    def _load(self) -> Any:
        """Start a server with the weights and their adapters. Raises ConfigurationError."""
        path = self._path()
        xllamacpp = engine()
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        adapters: Mapping[Any, Path] = self._given or {}
        if self._given is None and self._profile.adapters:
            adapters = weights.lookup(self.model).adapter_paths
        self._adapters = tuple(adapters)
        # A slot for each adapter: the requests of one do not evict the prompt cache of another.
        slots = max(1, len(adapters))
        parameters.n_ctx = self._context * slots
        parameters.n_parallel = slots
        for threads in (parameters.cpuparams, parameters.cpuparams_batch):
            threads.n_threads, threads.poll = self._threads, 0
        parameters.verbosity = 0
        parameters.warmup = False
        parameters.lora_adapters = [
            xllamacpp.CommonAdapterLoraInfo(str(file), 1.0) for file in adapters.values()
        ]
        try:
            return xllamacpp.Server(parameters)
        except RuntimeError as error:
            raise ConfigurationError(
                f"llama.cpp cannot load {path}: {error}", hint="is it a GGUF file?"
            ) from error

    def _path(self) -> Path:
        if self.model.endswith(".gguf") or os.sep in self.model:
            path = Path(self.model).expanduser()
            if not path.is_file():
                raise ConfigurationError(f"there is no file {path}")
            return path
        found = weights.find(self.model)
        if found is None:
            raise ConfigurationError(
                f"the weights of {self.model} are not on this machine",
                hint=f"text2mem models pull {self.model}",
            )
        return found
