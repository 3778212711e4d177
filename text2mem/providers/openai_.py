"""``openai:``: OpenAI, and every server with the same chat API, through its official client."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from text2mem.errors import ConfigurationError, ServiceTimeout, ServiceUnreachable, needing
from text2mem.providers import transport
from text2mem.providers.answers import read_answer
from text2mem.providers.base import Completion, Request, Usage
from text2mem.providers.secrecy import checked, redacted, require_sendable, shown, with_causes

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

_OPENAI = "https://api.openai.com/v1"
_ADDRESS = "is OPENAI_BASE_URL right? it mostly ends in /v1"


class OpenAIProvider(transport.Remote):
    """The provider ``openai:MODEL`` at ``base_url``, else OPENAI_BASE_URL, else OpenAI.

    The key is ``api_key``, else OPENAI_API_KEY. Another server than OpenAI's needs none. Raises
    ConfigurationError.
    """

    def __init__(
        self, model: str, *, base_url: str | None = None, api_key: str | None = None
    ) -> None:
        with needing("an OpenAI model", extra="openai"):
            import openai
        self.base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        key = api_key or os.environ.get("OPENAI_API_KEY") or ("none" if self.base_url else "")
        if not key:
            raise ConfigurationError(
                "OPENAI_API_KEY is not set", hint="set it, or OPENAI_BASE_URL for a server of yours"
            )
        require_sendable(key, setting="OPENAI_API_KEY")
        if self.base_url:
            checked(self.base_url, setting="OPENAI_BASE_URL")
        super().__init__(
            "openai", model, address=self.base_url, key=key, setting="OPENAI_API_KEY",
            where=shown(self.base_url) if self.base_url else "OpenAI",
        )  # fmt: skip
        self._openai = openai

    def complete(self, request: Request) -> Completion:
        with self._client(self._openai.OpenAI, request.deadline) as client:
            create = client.chat.completions.create
            return self._call(lambda: self._read(create(**self._body(request))), request.deadline)

    async def acomplete(self, request: Request) -> Completion:
        async with self._client(self._openai.AsyncOpenAI, request.deadline) as client:
            create = client.chat.completions.create

            async def attempt() -> Completion:
                return self._read(await create(**self._body(request)))

            return await self._acall(attempt, request.deadline)

    def vectors(self, texts: Sequence[str], *, deadline: float) -> Any:
        """Return the vectors of an embedding model, unchecked."""
        with self._client(self._openai.OpenAI, deadline) as client:
            create = partial(client.embeddings.create, encoding_format="float")
            return self._call(lambda: create(model=self.model, input=list(texts)).data, deadline)

    def __repr__(self) -> str:
        return f"OpenAIProvider({self.model!r}, at {self._where})"

    def _client(self, kind: Any, seconds: float) -> Any:
        how = {"api_key": self._key, "base_url": self.base_url, "timeout": seconds}
        return transport.made(partial(kind, **how, max_retries=0), self._where)

    def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [asdict(each) for each in request.messages],
        }
        sampling = request.sampling
        if self._profile.free_sampling:
            body.update(temperature=sampling.temperature, seed=sampling.seed)
            body["max_tokens"] = sampling.max_tokens
        else:
            body["max_completion_tokens"] = sampling.max_tokens
        schema = request.schema or {"type": "object"}
        if self._profile.constraint == "json_object":
            body["response_format"] = {"type": "json_object"}
            told = f"Answer with a JSON object that fits this JSON schema:\n{json.dumps(schema)}"
            body["messages"][0]["content"] += f"\n\n{told}"
        else:
            named: dict[str, Any] = {"name": "Answer", "schema": schema}
            if self._profile.constraint == "strict":
                named["strict"] = True
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        return body

    def _read(self, raw: ChatCompletion) -> Completion:
        """The completion for an answer of the client. Raises as ``complete`` does."""
        try:
            choice = raw.choices[0]
            content, refusal = choice.message.content, choice.message.refusal
        except (AttributeError, IndexError, TypeError) as error:
            # The SDK does not check an answer: it makes a ChatCompletion of any JSON.
            raise self._unreadable(raw) from error
        details = getattr(raw.usage, "prompt_tokens_details", None)
        usage = Usage(
            prompt=_count(raw.usage, "prompt_tokens"),
            output=_count(raw.usage, "completion_tokens"),
            cached=_count(details, "cached_tokens"),
        )
        return read_answer(
            content, finish=str(choice.finish_reason), model=self._name, usage=usage,
            refusal=refusal if refusal is None else str(refusal),
        )  # fmt: skip

    def _failure(self, error: Exception) -> Exception:
        sdk = self._openai
        for link in with_causes(error):
            if isinstance(link, sdk.APITimeoutError | TimeoutError):
                return ServiceTimeout(f"{self._where} did not answer in time", service=self._name)
            if isinstance(link, sdk.APIConnectionError):
                cause = redacted(str(link.__cause__ or link), self._secrets)
                through = transport.by_proxy(self.base_url or _OPENAI)
                address = "is the server running, and is OPENAI_BASE_URL (base_url=) right?"
                return ServiceUnreachable(
                    f"cannot reach {self._where}{through}: {cause}", service=self._name,
                    hint=address if self.base_url else "is this machine online?",
                )  # fmt: skip
            if isinstance(link, sdk.APIStatusError):
                said = link.message
                if link.body and said.endswith(str(link.status_code)):  # it quotes no other body
                    said = f"{said} - {link.body}"
                return self._refusal(link.status_code, said, link.response.headers)
        return self._unreadable(error)

    def _unreadable(self, what: object) -> Exception:
        """The error for an answer that cannot be read: itself, or what reading it raised."""
        as_json = getattr(what, "model_dump_json", None)
        said = as_json(exclude_unset=True, warnings=False) if as_json else str(what)
        return ServiceUnreachable(
            f"{self._where} answered something unreadable: {redacted(said, self._secrets)}",
            service=self._name,
            hint=_ADDRESS if self.base_url else "",
        )

    def _models(self) -> Sequence[str]:
        with self._client(self._openai.OpenAI, transport.LOOK) as client:
            return [each.id for each in client.models.list().data if each.id]

    def _without_model(self, listed: str | None) -> str:
        return _ADDRESS if listed is None else listed


def _count(counts: object, name: str) -> int:
    """A number of tokens as a service tells it; 0 if it tells none."""
    number = getattr(counts, name, None)
    return number if isinstance(number, int) else 0
