"""``ollama:``: a model of Ollama, by its official client. The lowered schema is its ``format``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from importlib import import_module
from typing import Any

from text2mem.errors import ServiceTimeout, ServiceUnreachable, require_installed
from text2mem.providers import transport
from text2mem.providers.answers import overflow, read_answer
from text2mem.providers.base import Completion, Request, Usage
from text2mem.providers.secrecy import checked, redacted, require_sendable, shown

DEFAULT_HOST = "http://127.0.0.1:11434"


class OllamaProvider(transport.Remote):
    """The provider ``ollama:MODEL`` at ``host``, else OLLAMA_HOST, else the local default.

    ``keep_alive`` is how long Ollama keeps the model loaded after an answer, such as "5m".
    ``context`` is the size of its context in tokens, else that of the profile.
    """

    def __init__(
        self, model: str, *, host: str | None = None, keep_alive: str = "5m",
        context: int | None = None,
    ) -> None:  # fmt: skip
        require_installed("an Ollama model", "ollama", extra="ollama")
        # Ollama's module makes a client of the environment's when it is imported.
        of_environment = os.environ.get("OLLAMA_HOST") or DEFAULT_HOST
        for address in (of_environment, host or of_environment):
            self.host = checked(address, setting="OLLAMA_HOST", bare=True)
        # Ollama's client sends it.
        require_sendable(os.environ.get("OLLAMA_API_KEY") or "", setting="OLLAMA_API_KEY")
        super().__init__(
            "ollama", model, address=self.host, where=f"Ollama at {shown(self.host)}", key="",
            setting="OLLAMA_API_KEY",
        )  # fmt: skip
        self._keep_alive = keep_alive
        self._context = context or self._profile.context
        self._ollama = transport.made(partial(import_module, "ollama"), self._where)

    def complete(self, request: Request) -> Completion:
        with self._client(self._ollama.Client, request.deadline) as client:
            ask = client.generate if request.prompt else client.chat
            return self._call(lambda: self._read(ask(**self._body(request))), request.deadline)

    async def acomplete(self, request: Request) -> Completion:
        async with self._client(self._ollama.AsyncClient, request.deadline) as client:
            ask = client.generate if request.prompt else client.chat

            async def attempt() -> Completion:
                return self._read(await ask(**self._body(request)))

            return await self._acall(attempt, request.deadline)

    def vectors(self, texts: Sequence[str], *, deadline: float) -> Any:
        """Return the vectors of an embedding model, unchecked."""
        with self._client(self._ollama.Client, deadline) as client:
            # By default Ollama silently truncates a text that is too long.
            embed = partial(client.embed, truncate=False, keep_alive=self._keep_alive)
            return self._call(lambda: embed(self.model, list(texts)).embeddings, deadline)

    def _client(self, kind: Any, seconds: float) -> Any:
        return transport.made(partial(kind, host=self.host, timeout=seconds), self._where)

    def _body(self, request: Request) -> dict[str, Any]:
        asked: dict[str, Any] = {"messages": [asdict(each) for each in request.messages]}
        if request.prompt:
            asked = {"prompt": request.prompt, "raw": True}
        return {
            "model": self.model,
            **asked,
            "format": None if request.schema is None else dict(request.schema),
            "stream": False,
            "keep_alive": self._keep_alive,
            "options": {
                "temperature": request.sampling.temperature,
                "seed": request.sampling.seed,
                "num_predict": request.sampling.max_tokens,
                "num_ctx": self._context,
            },
        }

    def _read(self, answer: Any) -> Completion:
        """The completion for an answer of the client. Raises as ``complete`` does."""
        usage = Usage(prompt=answer.prompt_eval_count or 0, output=answer.eval_count or 0)
        if usage.prompt >= self._context:
            # Ollama truncates a prompt that is too long, and does not report it.
            raise overflow(
                f"the prompt filled the whole context of {self._context} tokens",
                usage.prompt, self._context,
            )  # fmt: skip
        text = answer.response if hasattr(answer, "response") else answer.message.content
        finish = "length" if answer.done_reason == "length" else "stop"
        return read_answer(text, finish=finish, model=self._name, usage=usage)

    def _failure(self, error: Exception) -> Exception:
        import httpx

        if isinstance(error, httpx.TimeoutException | TimeoutError):
            return ServiceTimeout(f"{self._where} did not answer in time", service=self._name)
        if isinstance(error, self._ollama.ResponseError):
            # The client's error lacks the headers; that of its HTTP library has them.
            response = getattr(error.__context__, "response", None)
            said = str(error.error).strip() or f"status {error.status_code}"
            return self._refusal(error.status_code, said, getattr(response, "headers", {}))
        said = redacted(str(error), self._secrets)
        if isinstance(error, httpx.TransportError | OSError):
            through = transport.by_proxy(self.host)
            return ServiceUnreachable(
                f"cannot reach {self._where}{through}: {said}", service=self._name,
                hint="is it running? start it with 'ollama serve', or set OLLAMA_HOST",
            )  # fmt: skip
        return ServiceUnreachable(
            f"{self._where} answered something unreadable: {said}", service=self._name
        )

    def _models(self) -> Sequence[str]:
        with self._client(self._ollama.Client, transport.LOOK) as client:
            return [each.model for each in client.list().models if each.model]

    def _without_model(self, listed: str | None) -> str:
        lead = "is it Ollama that answers there? then"
        if listed is not None:
            lead = f"{listed or 'it has none yet'}; to fetch this one"
        return f"{lead}: ollama pull {self.model}"
