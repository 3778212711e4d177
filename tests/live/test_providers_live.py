"""The real small model behind every provider: in process, over OpenAI's API and over Ollama's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import ollama
import pytest

from tests.conftest import MODEL
from tests.servers import OllamaShim
from text2mem import Clarification, FixedClock, Program, acompile, compile, open_provider
from text2mem.compiled import Compiled, Nothing, Undo
from text2mem.errors import ConfigurationError, ContextOverflow, TruncatedOutput
from text2mem.ir.ops import Delete, Encode
from text2mem.providers.base import Message, Provider, Request, Sampling
from text2mem.providers.llamacpp_ import LlamaCppProvider

pytestmark = pytest.mark.model

CLOCK = FixedClock(datetime(2026, 3, 4, 10, 30, tzinfo=UTC))
FORGET = "Throw away the note about the ferry."
REMEMBER = "记住我对花生过敏。"
HELLO = (Message("user", "Say hello."),)
GREETING = {
    "type": "object",
    "properties": {"greeting": {"type": "string", "maxLength": 40}},
    "required": ["greeting"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def shim(local_model: LlamaCppProvider) -> Iterator[OllamaShim]:
    with OllamaShim(local_model.address, [MODEL]) as server:
        yield server


@pytest.fixture(scope="module")
def providers(local_model: LlamaCppProvider, shim: OllamaShim) -> dict[str, Provider]:
    return {
        "local": local_model,
        "openai": open_provider(f"openai:{MODEL}", base_url=f"{local_model.address}/v1"),
        "ollama": open_provider(f"ollama:{MODEL}", host=shim.address),
    }


@pytest.fixture(params=["local", "openai", "ollama"])
def provider(request: pytest.FixtureRequest, providers: dict[str, Provider]) -> Provider:
    return providers[request.param]


@pytest.fixture(scope="module")
def compiled() -> Callable[[Provider, str], Compiled]:
    """What a provider makes of an utterance, asked once: a small model takes its time."""
    known: dict[tuple[str, str], Compiled] = {}

    def get(provider: Provider, utterance: str) -> Compiled:
        key = (provider.name, utterance)
        if key not in known:
            known[key] = compile(utterance, model=provider, clock=CLOCK)
        return known[key]

    return get


Compile = Callable[[Provider, str], Compiled]


def test_a_request_comes_to_something_legal(provider: Provider, compiled: Compile) -> None:
    found = compiled(provider, FORGET)
    assert isinstance(found, Program | Clarification | Nothing | Undo)
    if isinstance(found, Program):
        assert Program.load(found.to_list(), now=CLOCK.now()).ops == found.ops


def test_the_tuned_model_reads_both_languages(local_model: LlamaCppProvider) -> None:
    for said in (REMEMBER, "Remember that I am allergic to peanuts."):
        kept = asyncio.run(acompile(said, model=local_model, clock=CLOCK))
        assert isinstance(kept, Program) and [type(op) for op in kept.ops] == [Encode]
    # What destroys may be asked back, in the words of the request's own language.
    forget = compile(FORGET, model=local_model, clock=CLOCK)
    if isinstance(forget, Program):
        assert [type(op) for op in forget.ops] == [Delete]
        assert "ferry" in json.dumps(forget.to_list()).lower()
    else:
        assert isinstance(forget, Clarification) and forget.question.isascii()


def test_every_answer_is_counted(provider: Provider, compiled: Compile) -> None:
    trace = compiled(provider, FORGET).trace
    assert trace is not None
    assert trace.questions
    for _, answer in trace.questions:
        assert answer.usage.prompt > 0
        assert answer.model == provider.name
    assert trace.usage.output == sum(answer.usage.output for _, answer in trace.questions)


def test_a_tuned_model_is_shown_the_request_and_no_more(local_model: LlamaCppProvider) -> None:
    found = compile(FORGET, model=local_model, clock=CLOCK)
    assert found.trace is not None
    request, answer = found.trace.questions[0]
    assert request.prompt == f"Request: {FORGET}\nDraft: "
    assert answer.usage.prompt <= 80


def test_the_same_request_again_comes_from_the_cache(local_model: LlamaCppProvider) -> None:
    first = compile(REMEMBER, model=local_model, clock=CLOCK)
    again = compile(REMEMBER, model=local_model, clock=CLOCK)
    assert isinstance(first, Program) and isinstance(again, Program)
    assert again.to_list() == first.to_list()
    assert again.trace is not None and again.trace.usage.output == 0


def test_a_chat_is_answered_without_the_adapter(local_model: LlamaCppProvider) -> None:
    answer = local_model.complete(Request(HELLO, GREETING, None, Sampling(max_tokens=60)))
    assert set(answer.data) == {"greeting"}


def test_a_prompt_longer_than_the_context_is_an_overflow(provider: Provider) -> None:
    long = Request((Message("user", "lunch and dinner " * 2_500),))
    with pytest.raises(ContextOverflow):
        provider.complete(long)


def test_an_overflow_in_process_tells_the_sizes(local_model: LlamaCppProvider) -> None:
    with pytest.raises(ContextOverflow) as caught:
        local_model.complete(Request((Message("user", "lunch and dinner " * 2_500),)))
    assert caught.value.available == local_model.profile.context
    assert caught.value.needed > caught.value.available


def test_an_answer_beyond_the_limit_of_tokens_is_truncated(provider: Provider) -> None:
    with pytest.raises(TruncatedOutput) as caught:
        provider.complete(Request(HELLO, GREETING, sampling=Sampling(max_tokens=3)))
    assert caught.value.raw
    assert not caught.value.raw.rstrip().endswith("}")


def test_the_schema_is_enforced(provider: Provider) -> None:
    answer = provider.complete(Request(HELLO, GREETING, sampling=Sampling(max_tokens=40)))
    assert list(answer.data) == ["greeting"]
    assert len(answer.data["greeting"]) <= 40


def test_questions_at_the_same_time_are_all_answered(local_model: LlamaCppProvider) -> None:
    async def ask() -> list[Any]:
        request = Request(HELLO, GREETING, sampling=Sampling(max_tokens=40))
        answers = await asyncio.gather(*(local_model.acomplete(request) for _ in range(2)))
        return [answer.data for answer in answers]

    first, second = asyncio.run(ask())
    assert first == second


def test_a_model_that_ollama_has_not_pulled_is_a_mistake_of_the_caller(shim: OllamaShim) -> None:
    with pytest.raises(ConfigurationError, match="ollama pull llama9"):
        open_provider("ollama:llama9", host=shim.address).complete(Request(HELLO))


# --- the stand-in for Ollama answers the official client as Ollama does ---------------------


def test_the_stand_in_streams_what_it_says_whole(shim: OllamaShim) -> None:
    client = ollama.Client(host=shim.address)
    asked: dict[str, Any] = {
        "model": MODEL,
        "messages": [{"role": "user", "content": "Say hello."}],
        "format": GREETING,
        "keep_alive": "1m",
        "options": {"temperature": 0, "seed": 1, "num_ctx": 2048, "num_predict": 40},
    }
    whole = client.chat(**asked, stream=False)
    parts = list(client.chat(**asked, stream=True))
    assert "".join(part.message.content or "" for part in parts) == whole.message.content
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    assert parts[-1].eval_count == whole.eval_count
    assert parts[-1].done_reason == whole.done_reason == "stop"
    client.close()


def test_the_stand_in_lists_and_shows_its_models(shim: OllamaShim) -> None:
    client = ollama.Client(host=shim.address)
    assert [one.model for one in client.list().models] == [MODEL]
    assert client.show(MODEL).capabilities == ["completion"]
    with pytest.raises(ollama.ResponseError, match="try pulling it first"):
        client.show("llama9")
    client.close()
