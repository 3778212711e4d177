"""``ollama:``: a model of Ollama, by its official client. The lowered schema is its ``format``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from text2mem.errors import ConfigurationError, ServiceTimeout, ServiceUnreachable, needing
from text2mem.providers import transport
from text2mem.providers.addresses import checked, shown
from text2mem.providers.answers import overflow, read_answer
from text2mem.providers.base import Completion, Named, Request, Usage
from text2mem.providers.profiles import profile_of
from text2mem.providers.secrecy import fit_as_cause, redacted, require_sendable, secrets_in

DEFAULT_HOST = "http://127.0.0.1:11434"


class OllamaProvider(Named):
    """The provider ``ollama:MODEL`` at ``host``, else OLLAMA_HOST, else the local default.

    ``keep_alive`` is how long Ollama keeps the model loaded after an answer, such as "5m".
    ``context`` is the size of its context in tokens, else that of the profile.
    """

    def __init__(
        self, model: str, *, host: str | None = None, keep_alive: str = "5m",
        context: int | None = None,
    ) -> None:  # fmt: skip
        with needing("an Ollama model", extra="ollama"):
            import ollama
        self.model = model
        chosen = host or os.environ.get("OLLAMA_HOST") or DEFAULT_HOST
        self.host = checked(chosen, setting="OLLAMA_HOST", bare=True)
        # Ollama's client sends it.
        require_sendable(os.environ.get("OLLAMA_API_KEY") or "", setting="OLLAMA_API_KEY")
        super().__init__(f"ollama:{model}", profile_of(f"ollama:{model}"))
        self._where = f"Ollama at {shown(self.host)}"
        self._keep_alive = keep_alive
        self._context = context or self._profile.context
        self._ollama = ollama

    def complete(self, request: Request) -> Completion:
        """Return the answer to a request. Transport errors are retried."""
        with self._ollama.Client(host=self.host, timeout=request.deadline) as client:
            ask = client.generate if request.prompt else client.chat
            return transport.call(
                lambda: self._read(ask(**self._body(request))),
                deadline=request.deadline, translate=self._translate,
            )  # fmt: skip

    async def acomplete(self, request: Request) -> Completion:
        """Return the answer to a request, without blocking. Transport errors are retried."""
        async with self._ollama.AsyncClient(host=self.host, timeout=request.deadline) as client:
            ask = client.generate if request.prompt else client.chat

            async def attempt() -> Completion:
                return self._read(await ask(**self._body(request)))

            return await transport.acall(
                attempt, deadline=request.deadline, translate=self._translate
            )

    def vectors(self, texts: Sequence[str], *, deadline: float) -> Any:
        """Return the vectors that an embedding model answers, unchecked.

        Transport errors are retried.
        """
        with self._ollama.Client(host=self.host, timeout=deadline) as client:
            # By default Ollama silently truncates a text that is too long.
            return transport.call(
                lambda: client.embed(
                    self.model, list(texts), truncate=False, keep_alive=self._keep_alive
                ).embeddings,
                deadline=deadline, translate=self._translate,
            )  # fmt: skip

    def _body(self, request: Request) -> dict[str, Any]:
        """The arguments of the client's call for a request."""
        asked: dict[str, Any] = (
            {"prompt": request.prompt, "raw": True}
            if request.prompt
            else {"messages": [{"role": m.role, "content": m.content} for m in request.messages]}
        )
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

    def _translate(self, error: Exception) -> tuple[Exception, Exception | None]:
        """The error of ours for an exception of the client, and its cause if that has no
        secrets."""
        return self._failure(error), fit_as_cause(error, self._secrets)

    def _failure(self, error: Exception) -> Exception:
        """The error of ours for an exception of the client. No message contains a secret."""
        import httpx

        if isinstance(error, httpx.TimeoutException | TimeoutError):
            return ServiceTimeout(f"{self._where} did not answer in time", service=self._name)
        if isinstance(error, self._ollama.ResponseError):
            return self._status(error)
        said = redacted(str(error), self._secrets)
        if isinstance(error, ConnectionError | httpx.TransportError | OSError):
            return ServiceUnreachable(
                f"cannot reach {self._where}: {said}", service=self._name,
                hint="is it running? start it with 'ollama serve', or set OLLAMA_HOST",
            )  # fmt: skip
        return ServiceUnreachable(
            f"{self._where} answered something unreadable: {said}", service=self._name
        )

    def _models(self) -> tuple[str, ...] | None:
        """The names of the models that the server has; None if it does not say."""
        try:
            with self._ollama.Client(host=self.host, timeout=transport.LOOK) as client:
                return tuple(each.model for each in client.list().models if each.model)
        except Exception:  # the error of the request itself is reported, not this one
            return None

    def _status(self, error: Any) -> Exception:
        """The error of ours for an answer with an HTTP status of an error."""
        status = error.status_code
        said = redacted(str(error.error).strip(), self._secrets) or f"status {status}"
        if status == 404:
            names = self._models()
            silent = "" if names is not None else f", and does not say which it has: {said}"
            lead = "is it Ollama that answers there? then"
            if names is not None:
                listed = redacted(transport.instead(self.model, names), self._secrets)
                lead = f"{listed or 'it has none yet'}; to fetch this one"
            return ConfigurationError(
                f"{self._where} has no model '{self.model}'{silent}",
                hint=f"{lead}: ollama pull {self.model}",
            )
        # The client's error lacks the headers; that of its HTTP library has them.
        response = getattr(error.__context__, "response", None)
        return transport.refusal(
            status, said, where=self._where, service=self._name, key="OLLAMA_API_KEY",
            headers=getattr(response, "headers", {}),
        )  # fmt: skip

    @property
    def _secrets(self) -> tuple[str, ...]:
        """The texts that no message may contain."""
        return secrets_in(os.environ.get("OLLAMA_API_KEY"), address=self.host)
