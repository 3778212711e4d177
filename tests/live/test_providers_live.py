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
from text2mem import FixedClock, Program, acompile, compile, open_provider
from text2mem.errors import ConfigurationError, ContextOverflow, TruncatedOutput
from text2mem.ir.ops import Delete, Encode
from text2mem.planner.aids import Aids
from text2mem.providers.base import Message, Provider, Request, Sampling
from text2mem.providers.llamacpp_ import LlamaCppProvider

pytestmark = pytest.mark.model

CLOCK = FixedClock(datetime(2026, 3, 4, 10, 30, tzinfo=UTC))
BLIND = Aids.without(["evidence"])
"""Nothing is read from the utterance by code, so that the model is asked for all of it."""
FORGET = "Forget everything about lunch."
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
def compiled() -> Callable[[Provider, str], Program]:
    """What a provider makes of an utterance, asked once: a small model takes its time."""
    known: dict[tuple[str, str], Program] = {}

    def get(provider: Provider, utterance: str) -> Program:
        key = (provider.name, utterance)
        if key not in known:
            program = compile(utterance, model=provider, clock=CLOCK, aids=BLIND)
            assert isinstance(program, Program)
            known[key] = program
        return known[key]

    return get


Compiled = Callable[[Provider, str], Program]


def test_a_request_to_forget_becomes_a_delete(provider: Provider, compiled: Compiled) -> None:
    program = compiled(provider, FORGET)
    assert [type(op) for op in program.ops] == [Delete]
    assert "lunch" in json.dumps(program.to_list()).lower()
    assert Program.load(program.to_list(), now=CLOCK.now()).ops == program.ops


def test_a_chinese_request_to_remember_becomes_an_encode(provider: Provider) -> None:
    program = asyncio.run(acompile(REMEMBER, model=provider, clock=CLOCK, aids=BLIND))
    assert isinstance(program, Program)
    assert [type(op) for op in program.ops] == [Encode]
    assert Program.load(program.to_list(), now=CLOCK.now()).ops == program.ops


def test_every_answer_is_counted(provider: Provider, compiled: Compiled) -> None:
    trace = compiled(provider, FORGET).trace
    assert trace is not None
    assert trace.questions
    for _, answer in trace.questions:
        assert answer.usage.prompt > 0
        assert answer.usage.output > 0
        assert answer.model == provider.name
    assert trace.usage.output == sum(answer.usage.output for _, answer in trace.questions)


def test_the_same_words_make_the_same_program(
    local_model: LlamaCppProvider, compiled: Compiled
) -> None:
    again = compile(FORGET, model=local_model, clock=CLOCK, aids=BLIND)
    assert isinstance(again, Program)
    assert again.to_list() == compiled(local_model, FORGET).to_list()


@pytest.mark.parametrize("name", ["local", "openai"])
def test_a_common_opening_is_not_computed_again(
    name: str, providers: dict[str, Provider], compiled: Compiled
) -> None:
    compiled(providers[name], FORGET)
    again = compile(FORGET, model=providers[name], clock=CLOCK, aids=BLIND)
    assert again.trace is not None
    _, answer = again.trace.questions[0]
    assert answer.usage.prompt / 2 < answer.usage.cached < answer.usage.prompt


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
