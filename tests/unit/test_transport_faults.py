"""Servers that fail in every way that servers do: what the caller is told, and what is retried."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.servers import (
    HTML,
    NOT_JSON,
    Behaviour,
    Cut,
    Dripping,
    FaultServer,
    Reply,
    Reset,
    Slow,
    ollama_answer,
    openai_answer,
    openai_error,
    refusing_address,
)
from text2mem import Program, acompile, compile, open_provider
from text2mem.errors import (
    ConfigurationError,
    ContextOverflow,
    EmptyAnswer,
    MalformedOutput,
    MissingExtra,
    ModelOutputError,
    ModelRefusal,
    RateLimited,
    RepairExhausted,
    ServiceTimeout,
    ServiceUnreachable,
    Text2MemError,
    TruncatedOutput,
)
from text2mem.ir.ops import Delete
from text2mem.providers import transport
from text2mem.providers.base import Completion, Message, Provider, Request, Sampling, Usage

KEY = "sk-a-secret-of-the-user-0123456789"
GOOD = '{"answer": 42}'
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "integer"}},
    "required": ["answer"],
    "additionalProperties": False,
}
BROKEN = {"steps": [{"op": "Delete", "query": "lunch"}]}
SOUND = {"steps": [{"op": "Delete", "about": "lunch"}]}


@dataclass(frozen=True)
class Service:
    """How one provider is opened at an address, and what its service's answers look like."""

    provider: str
    base: Callable[[str], dict[str, Any]]
    answer: Callable[..., dict[str, Any]]
    error: Callable[[str], dict[str, Any]]

    def open(self, address: str, model: str = "small") -> Provider:
        """The provider, talking to ``address``."""
        return open_provider(f"{self.provider}:{model}", **self.base(address))

    def good(self, content: str | None = GOOD, **details: Any) -> Reply:
        """An answer with this content."""
        return Reply(200, self.answer(content, **details))

    def listing(self, *models: str) -> Reply:
        """The models that the server has."""
        if self.provider == "ollama":
            return Reply(200, {"models": [{"model": name, "name": name} for name in models]})
        held = [{"id": name, "object": "model", "created": 1, "owned_by": "x"} for name in models]
        return Reply(200, {"object": "list", "data": held})

    @property
    def listed(self) -> str:
        """Where it says so."""
        return "/api/tags" if self.provider == "ollama" else "/v1/models"

    def bad(self, status: int, message: str = "out of order", **headers: str) -> Reply:
        """An error of this status. A header's underscores stand for dashes."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return Reply(status, self.error(message), sent)


SERVICES = {
    "openai": Service(
        "openai", lambda address: {"base_url": f"{address}/v1"}, openai_answer, openai_error
    ),
    "ollama": Service(
        "ollama", lambda address: {"host": address}, ollama_answer, lambda said: {"error": said}
    ),
}


def ask_sync(provider: Provider, request: Request) -> Completion:
    return provider.complete(request)


def ask_async(provider: Provider, request: Request) -> Completion:
    return asyncio.run(provider.acomplete(request))


Ask = Callable[[Provider, Request], Completion]
Serve = Callable[..., FaultServer]


@pytest.fixture(params=["openai", "ollama"])
def service(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Service:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    return SERVICES[request.param]


@pytest.fixture(params=[ask_sync, ask_async], ids=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Ask:
    chosen: Ask = request.param
    return chosen


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server with a script. At the end nobody may have asked past the script."""
    servers: list[FaultServer] = []

    def start(*script: Behaviour) -> FaultServer:
        servers.append(FaultServer(*script))
        return servers[-1]

    yield start
    for server in servers:
        server.close()
    assert [server.past_the_script for server in servers] == [0] * len(servers)


@pytest.fixture(autouse=True)
def no_random_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the service does not say how long to wait, nobody waits. Retry-After still counts."""
    monkeypatch.setattr(
        transport.tenacity, "wait_random_exponential", lambda **_: lambda state: 0.0
    )


@pytest.fixture(autouse=True)
def no_certificates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every client loads all certificates that it may trust; nothing here speaks TLS."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))


def question(*, deadline: float = 60.0, schema: dict[str, Any] | None = None) -> Request:
    return Request(
        (Message("system", "You count."), Message("user", "How many?")),
        SCHEMA if schema is None else schema,
        None,
        Sampling(seed=7, max_tokens=64),
        deadline,
    )


def chain_of(error: BaseException) -> list[BaseException]:
    """The error and everything that it came from, by either road."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and all(one is not other for other in found):
            found.append(one)
            waiting += [one.__cause__, one.__context__]
    return found


# --- a good answer --------------------------------------------------------------------------


def test_a_good_answer_arrives_with_its_text_data_and_counts(
    service: Service, ask: Ask, serve: Serve
) -> None:
    server = serve(service.good())
    answer = ask(service.open(server.address), question())
    assert (answer.text, answer.data) == (GOOD, {"answer": 42})
    assert answer.model == f"{service.provider}:small"
    assert answer.usage == Usage(11, 7, 5 if service.provider == "openai" else 0)


def test_openai_is_asked_with_the_lowered_schema_and_the_sampling(ask: Ask, serve: Serve) -> None:
    server = serve(SERVICES["openai"].good())
    provider = open_provider("openai:small", base_url=f"{server.address}/v1", api_key=KEY)
    ask(provider, question())
    (sent,) = server.requests
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body["messages"] == [
        {"role": "system", "content": "You count."},
        {"role": "user", "content": "How many?"},
    ]
    assert sent.body["response_format"]["type"] == "json_schema"
    assert sent.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert (sent.body["temperature"], sent.body["seed"], sent.body["max_tokens"]) == (0, 7, 64)


def test_openai_is_told_that_a_strict_schema_is_strict(ask: Ask, serve: Serve) -> None:
    server = serve(SERVICES["openai"].good())
    provider = open_provider("openai:gpt-4o", base_url=f"{server.address}/v1", api_key=KEY)
    assert provider.profile.constraint == "strict"
    ask(provider, question())
    (sent,) = server.requests
    assert sent.body["response_format"]["json_schema"]["strict"] is True
    assert sent.body["response_format"]["json_schema"]["schema"] == SCHEMA


def test_a_model_without_schemas_is_asked_for_an_object(ask: Ask, serve: Serve) -> None:
    server = serve(SERVICES["openai"].good())
    provider = open_provider("openai:deepseek-chat", base_url=f"{server.address}/v1", api_key=KEY)
    assert provider.profile.constraint == "json_object"
    assert ask(provider, question()).data == {"answer": 42}
    (sent,) = server.requests
    assert sent.body["response_format"] == {"type": "json_object"}
    told, asked = sent.body["messages"]
    assert told["content"].endswith(json.dumps(SCHEMA)), "JSON mode does not say which object"
    assert (told["role"], asked["content"]) == ("system", "How many?")


def test_ollama_is_asked_with_the_lowered_schema_and_the_sampling(ask: Ask, serve: Serve) -> None:
    server = serve(SERVICES["ollama"].good())
    ask(open_provider("ollama:small", host=server.address, keep_alive="1m"), question())
    (sent,) = server.requests
    assert sent.path == "/api/chat"
    assert sent.body["model"] == "small"
    assert sent.body["format"] == SCHEMA
    assert sent.body["stream"] is False
    assert sent.body["keep_alive"] == "1m"
    assert sent.body["options"] == {
        "temperature": 0, "seed": 7, "num_predict": 64, "num_ctx": 8192,
    }  # fmt: skip


def test_braces_in_a_message_are_not_a_template(service: Service, ask: Ask, serve: Serve) -> None:
    server = serve(service.good())
    said = "Remember {{ 6 * 7 }} and {% raw %} and {name}"
    ask(service.open(server.address), Request((Message("user", said),), SCHEMA))
    assert server.requests[0].body["messages"] == [{"role": "user", "content": said}]


# --- faults of the transport ----------------------------------------------------------------


def test_a_limited_rate_is_waited_out(service: Service, ask: Ask, serve: Serve) -> None:
    server = serve(service.bad(429, Retry_After="0"), service.good())
    assert ask(service.open(server.address), question()).data == {"answer": 42}
    assert len(server.requests) == 2


def test_a_wait_beyond_the_deadline_ends_at_once(service: Service, ask: Ask, serve: Serve) -> None:
    server = serve(service.bad(429, "slow down", Retry_After="86400"))
    with pytest.raises(RateLimited, match="slow down") as caught:
        ask(service.open(server.address), question())
    assert caught.value.retry_after == 86400
    assert len(server.requests) == 1


def test_a_rate_that_stays_limited_is_said(service: Service, ask: Ask, serve: Serve) -> None:
    server = serve(*[service.bad(429)] * 4)
    with pytest.raises(RateLimited) as caught:
        ask(service.open(server.address), question())
    assert caught.value.retry_after is None
    assert len(server.requests) == 4


@pytest.mark.parametrize("status", [500, 503])
def test_a_service_that_keeps_failing_is_unreachable(
    service: Service, ask: Ask, serve: Serve, status: int
) -> None:
    server = serve(*[service.bad(status)] * 4)
    with pytest.raises(ServiceUnreachable) as caught:
        ask(service.open(server.address), question())
    assert server.address in str(caught.value)
    assert caught.value.service == f"{service.provider}:small"
    assert len(server.requests) == 4


def test_a_service_that_recovers_answers(service: Service, ask: Ask, serve: Serve) -> None:
    server = serve(service.bad(500), service.bad(503), service.good())
    assert ask(service.open(server.address), question()).data == {"answer": 42}


def test_a_refused_connection_is_unreachable(service: Service, ask: Ask) -> None:
    with refusing_address() as address, pytest.raises(ServiceUnreachable) as caught:
        ask(service.open(address), question())
    assert address in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    "proxy", ["socks5://ann:a-secret-word@127.0.0.1:1", "socks://ann:a-secret-word@x", "x:y"]
)
def test_a_proxy_that_no_client_can_use_is_a_setting_to_correct(
    service: Service, ask: Ask, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    monkeypatch.delitem(sys.modules, "ollama", raising=False)  # its import makes a client
    with pytest.raises(ConfigurationError) as caught:
        ask(service.open("http://127.0.0.1:1"), question())
    assert not isinstance(caught.value, MissingExtra)
    assert "ALL_PROXY" in caught.value.hint
    assert not any("a-secret-word" in f"{link!s}{link!r}" for link in chain_of(caught.value))


def test_a_proxy_that_is_down_is_named(
    service: Service, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refusing_address() as address:
        monkeypatch.setenv("http_proxy", address.replace("//", "//ann:a-secret-word@"))
        with pytest.raises(ServiceUnreachable) as caught:
            ask(service.open("http://memory.invalid:1"), question())
        assert f"through the proxy {address}" in caught.value.message
        assert "a-secret-word" not in caught.value.message
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        with pytest.raises(ServiceUnreachable) as caught:
            ask(service.open(address), question())
    assert "proxy" not in str(caught.value)


def test_an_ollama_host_that_is_no_address_is_a_setting_to_correct(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:::99")
    monkeypatch.delitem(sys.modules, "ollama", raising=False)  # its import reads it
    for options in ({}, {"host": "http://127.0.0.1:1"}):
        with pytest.raises(ConfigurationError, match="not the address of a server"):
            open_provider("ollama:m", **options)


def test_no_answer_before_the_deadline_is_a_timeout(
    service: Service, ask: Ask, serve: Serve
) -> None:
    server = serve(Slow())
    with pytest.raises(ServiceTimeout) as caught:
        ask(service.open(server.address), question(deadline=0.3))
    assert server.address in str(caught.value)
    assert len(server.requests) == 1


def test_an_answer_that_trickles_past_the_deadline_is_a_timeout(
    service: Service, ask: Ask, serve: Serve
) -> None:
    server = serve(Dripping(Reply(200, " " * 60)))
    with pytest.raises(ServiceTimeout):
        ask(service.open(server.address), question(deadline=0.5))
    assert len(server.requests) == 1


class Panic(BaseException):
    """What a library in another language may raise."""


def test_what_is_no_exception_is_raised_at_once(
    service: Service, ask: Ask, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def panics(answer: Any) -> Completion:
        raise Panic

    server = serve(service.good())
    provider = service.open(server.address)
    monkeypatch.setattr(provider, "_read", panics)
    with pytest.raises(Panic):
        ask(provider, question(deadline=3.0))
    assert len(server.requests) == 1


@pytest.mark.parametrize("page", ["It works!", "It works! " * 10_000])
def test_a_page_in_place_of_an_answer_is_quoted_in_short(ask: Ask, serve: Serve, page: str) -> None:
    for status, retried in ((200, 4), (500, 4), (400, 1)):
        server = serve(*[Reply(status, f"<p>{page}</p>", content_type="text/html")] * retried)
        with pytest.raises(Text2MemError) as caught:
            ask(SERVICES["openai"].open(server.address), question())
        said = str(caught.value)
        assert "<p>It works!" in said
        assert len(said) < 1500
        assert "failed_attempts" not in said


@pytest.mark.parametrize("fault", ["cut", "reset", "html", "not json"])
def test_an_answer_that_does_not_arrive_whole_is_asked_for_again(
    service: Service, ask: Ask, serve: Serve, fault: str
) -> None:
    broken = {"cut": Cut(service.good()), "reset": Reset(), "html": HTML, "not json": NOT_JSON}
    server = serve(broken[fault], service.good())
    assert ask(service.open(server.address), question()).data == {"answer": 42}
    assert len(server.requests) == 2


@pytest.mark.parametrize("fault", ["cut", "reset", "html", "not json", "odd object", "list"])
def test_a_service_that_never_answers_whole_is_unreachable(
    service: Service, ask: Ask, serve: Serve, fault: str
) -> None:
    broken: dict[str, Behaviour] = {
        "cut": Cut(service.good()),
        "reset": Reset(),
        "html": HTML,
        "not json": NOT_JSON,
        "odd object": Reply(200, {"choices": [{"finish_reason": "length"}], "message": 1}),
        "list": Reply(200, [1, 2]),
    }
    server = serve(*[broken[fault]] * 4)
    with pytest.raises(ServiceUnreachable) as caught:
        ask(service.open(server.address), question())
    assert server.address in str(caught.value)
    assert len(server.requests) == 4


# --- the caller's mistakes ------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 403, 404, 400, 422])
def test_a_wrong_key_model_or_request_is_not_tried_again(
    service: Service, ask: Ask, serve: Serve, status: int
) -> None:
    server = serve(service.bad(status), *[service.listing()] * (status == 404))
    with pytest.raises(ConfigurationError):
        ask(service.open(server.address), question())
    assert [request.method for request in server.requests].count("POST") == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_says_which_variable_holds_it(
    service: Service, ask: Ask, serve: Serve, status: int
) -> None:
    server = serve(service.bad(status))
    with pytest.raises(ConfigurationError) as caught:
        ask(service.open(server.address), question())
    assert f"{service.provider.upper()}_API_KEY" in str(caught.value)


def test_an_unknown_model_is_named(service: Service, ask: Ask, serve: Serve) -> None:
    server = serve(service.bad(404, "model 'small' not found"), service.listing("smaller", "big"))
    with pytest.raises(ConfigurationError, match="no model 'small'") as caught:
        ask(service.open(server.address), question())
    assert "it has smaller, big" in caught.value.hint
    assert (server.requests[1].method, server.requests[1].path) == ("GET", service.listed)
    if service.provider == "ollama":
        assert "ollama pull small" in caught.value.hint


@pytest.mark.parametrize("fault", ["none", "html", "many", "refused", "key"])
def test_a_server_that_does_not_say_what_it_has_is_no_second_error(
    service: Service, ask: Ask, serve: Serve, fault: str
) -> None:
    listing = {
        "none": service.listing(), "html": HTML, "refused": service.bad(401), "key":
        service.listing(KEY, "x\x1b[31m"), "many": service.listing(*(f"m{n}" for n in range(40))),
    }[fault]  # fmt: skip
    server = serve(service.bad(404, "404 page not found"), listing)
    with pytest.raises(ConfigurationError, match="no model 'small'") as caught:
        ask(service.open(server.address), question())
    said = str(caught.value)
    assert KEY not in said and "\x1b" not in said and len(said) < 400
    assert ("does not say" in said) == (fault in ("html", "refused"))
    assert ("and 30 more" in said) == (fault == "many")


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 4096 tokens.",
        "the input length exceeds the context length",
        "the request exceeds the available context size, try increasing it",
    ],
)
def test_a_prompt_that_is_too_long_is_a_context_overflow(
    service: Service, ask: Ask, serve: Serve, said: str
) -> None:
    reply = Reply(400, openai_error(said, "context_length_exceeded"))
    server = serve(reply if service.provider == "openai" else service.bad(400, said))
    with pytest.raises(ContextOverflow) as caught:
        ask(service.open(server.address), question())
    assert caught.value.hint
    assert len(server.requests) == 1


def test_a_request_that_the_service_gave_up_on_is_tried_again(
    service: Service, ask: Ask, serve: Serve
) -> None:
    server = serve(*[service.bad(408)] * 4)
    with pytest.raises(ServiceTimeout):
        ask(service.open(server.address), question())
    assert len(server.requests) == 4


def test_a_prompt_that_ollama_cuts_in_silence_is_a_context_overflow(ask: Ask, serve: Serve) -> None:
    server = serve(SERVICES["ollama"].good(prompt=512))
    with pytest.raises(ContextOverflow) as caught:
        ask(open_provider("ollama:small", host=server.address, context=512), question())
    assert (caught.value.needed, caught.value.available) == (512, 512)


# --- the model's misbehaviour ---------------------------------------------------------------

HALF = '{"answer": '


@pytest.mark.parametrize(
    ("content", "finish", "kind"),
    [
        (HALF, "length", TruncatedOutput),
        ("", "stop", EmptyAnswer),
        ("  \n", "stop", EmptyAnswer),
        (None, "stop", EmptyAnswer),
        (HALF, "stop", MalformedOutput),
        ("The answer is 42.", "stop", MalformedOutput),
        ("[" * 100_000, "stop", MalformedOutput),
        ("[" * 100_000, "length", TruncatedOutput),
    ],
    ids=["cut off", "empty", "blank", "none", "half", "prose", "deep", "deep and cut off"],
)
def test_an_unusable_answer_is_kept_and_not_asked_for_again(
    service: Service,
    ask: Ask,
    serve: Serve,
    content: str | None,
    finish: str,
    kind: type[ModelOutputError],
) -> None:
    server = serve(service.good(content, finish=finish))
    with pytest.raises(ModelOutputError) as caught:
        ask(service.open(server.address), question())
    assert type(caught.value) is kind
    assert caught.value.raw == (content or "")
    assert caught.value.model == f"{service.provider}:small"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("content", "raw"),
    [
        ({"answer": 42}, '{"answer": 42}'),
        (5, "5"),
        ([{"type": "text", "text": 5}], '[{"type": "text", "text": 5}]'),
        ([{"type": "image"}], '[{"type": "image"}]'),
        ([None], "[null]"),
    ],
)
def test_what_is_no_text_is_malformed_and_kept(
    ask: Ask, serve: Serve, content: Any, raw: str
) -> None:
    server = serve(SERVICES["openai"].good(content))
    provider = open_provider("openai:small", base_url=f"{server.address}/v1", api_key=KEY)
    with pytest.raises(MalformedOutput) as caught:
        ask(provider, question())
    assert caught.value.raw == raw
    assert len(server.requests) == 1


def test_an_answer_in_parts_is_one(ask: Ask, serve: Serve) -> None:
    parts: Any = [{"type": "text", "text": GOOD[:5]}, {"type": "text", "text": GOOD[5:]}]
    server = serve(SERVICES["openai"].good(parts))
    provider = open_provider("openai:small", base_url=f"{server.address}/v1", api_key=KEY)
    assert ask(provider, question()).data == {"answer": 42}


@pytest.mark.parametrize("usage", [{"prompt_tokens": 3}, {"completion_tokens": "?"}, "none", None])
def test_an_answer_counts_where_its_tokens_are_not_told(
    ask: Ask, serve: Serve, usage: object
) -> None:
    good = SERVICES["openai"].good()
    server = serve(Reply(200, {**good.body, "usage": usage}))
    provider = open_provider("openai:small", base_url=f"{server.address}/v1", api_key=KEY)
    answer = ask(provider, question())
    assert answer.usage + answer.usage == Usage(6 if usage == {"prompt_tokens": 3} else 0)


def test_an_answer_of_odd_parts_is_quoted_without_a_warning(ask: Ask, serve: Serve) -> None:
    server = serve(*[Reply(200, {"choices": [KEY]})] * 4)
    provider = open_provider("openai:small", base_url=f"{server.address}/v1", api_key=KEY)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ServiceUnreachable, match=r'unreadable: {"choices":\["\*\*\*"\]}'):
            ask(provider, question())


def test_a_refusal_in_its_own_field_is_a_refusal(ask: Ask, serve: Serve) -> None:
    service = SERVICES["openai"]
    server = serve(service.good(None, refusal="I would rather not."))
    provider = open_provider("openai:small", base_url=f"{server.address}/v1", api_key=KEY)
    with pytest.raises(ModelRefusal) as caught:
        ask(provider, question())
    assert caught.value.raw == "I would rather not."


@pytest.mark.parametrize("content", [None, "", HALF, GOOD])
def test_a_filtered_answer_is_a_refusal(ask: Ask, serve: Serve, content: str | None) -> None:
    server = serve(SERVICES["openai"].good(content, finish="content_filter"))
    provider = open_provider("openai:small", base_url=f"{server.address}/v1", api_key=KEY)
    with pytest.raises(ModelRefusal):
        ask(provider, question())


def test_a_whole_answer_at_the_token_limit_counts(service: Service, ask: Ask, serve: Serve) -> None:
    server = serve(service.good(finish="length"))
    assert ask(service.open(server.address), question()).data == {"answer": 42}


def test_json_in_a_fence_counts(service: Service, ask: Ask, serve: Serve) -> None:
    server = serve(service.good(f"```json\n{GOOD}\n```"))
    assert ask(service.open(server.address), question()).data == {"answer": 42}


def test_an_answer_of_another_shape_is_for_the_validator_to_judge(
    service: Service, ask: Ask, serve: Serve
) -> None:
    server = serve(service.good('["not", "an", "object"]'))
    assert ask(service.open(server.address), question()).data == ["not", "an", "object"]


@pytest.mark.parametrize("content", [HALF, "", "I'm sorry, I can't help with that."])
def test_no_error_is_its_own_cause(service: Service, ask: Ask, serve: Serve, content: str) -> None:
    server = serve(service.good(content))
    with pytest.raises(ModelOutputError) as caught:
        ask(service.open(server.address), question())
    for one in chain_of(caught.value):
        assert one.__cause__ is not one
        assert one.__context__ is not one


# --- secrets --------------------------------------------------------------------------------


def everything_said(error: BaseException) -> str:
    """Whatever a log, a traceback or a user gets to see of an error."""
    chain = chain_of(error)
    said = [f"{one!s}\n{one!r}\n{one.args}" for one in chain]
    return "\n".join([*said, *traceback.format_exception(error)])


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_a_service_that_repeats_the_key_does_not_leak_it(
    service: Service,
    ask: Ask,
    serve: Serve,
    status: int,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    server = serve(*[service.bad(status, f"Incorrect API key provided: {KEY}")] * 4)
    provider = service.open(server.address)
    with pytest.raises(Text2MemError) as caught:
        ask(provider, question(deadline=20))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in everything_said(caught.value)
    assert KEY not in caplog.text
    assert KEY not in "".join(capfd.readouterr())


@pytest.mark.parametrize("fault", ["cut", "reset", "html"])
def test_a_broken_answer_does_not_leak_the_key(
    service: Service, ask: Ask, serve: Serve, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    broken = {
        "cut": Cut(service.good()),
        "reset": Reset(),
        "html": Reply(200, f"<p>{KEY}</p>", content_type="text/html"),
    }
    server = serve(*[broken[fault]] * 4)
    with pytest.raises(ServiceUnreachable) as caught:
        ask(service.open(server.address), question())
    assert KEY not in everything_said(caught.value)
    assert KEY not in caplog.text


def test_a_provider_does_not_show_its_key(service: Service) -> None:
    provider = service.open("http://127.0.0.1:1")
    assert KEY not in f"{provider!r} {provider!s} {provider.name} {provider.profile}"


def test_a_password_in_the_address_is_not_shown(service: Service, ask: Ask) -> None:
    with refusing_address() as address:
        provider = service.open(address.replace("//", "//me:a-password@"))
        with pytest.raises(ServiceUnreachable) as caught:
            ask(provider, question())
    assert address in str(caught.value)
    assert "a-password" not in everything_said(caught.value)
    assert "a-password" not in f"{provider!r} {provider!s}"


@pytest.mark.parametrize("content", [None, HALF])
def test_what_is_raised_is_not_logged_as_well(
    service: Service, ask: Ask, serve: Serve, content: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    # With no logging set up, what a library logs as an error lands on the terminal.
    server = serve(service.bad(401) if content is None else service.good(content))
    with pytest.raises(Text2MemError):
        ask(service.open(server.address), question())
    assert [record.getMessage() for record in caplog.records] == []


# --- faults of the transport and repair -----------------------------------------------------


@pytest.mark.parametrize("compiling", ["compile", "acompile"])
def test_a_fault_of_the_transport_uses_up_no_repair_attempt(
    service: Service, serve: Serve, compiling: str
) -> None:
    server = serve(
        service.bad(429, Retry_After="0"),
        service.good(json.dumps(BROKEN)),
        service.bad(503),
        service.good(json.dumps(SOUND)),
    )
    provider = service.open(server.address, "large-70b")
    if compiling == "compile":
        program = compile("Forget everything about lunch.", model=provider)
    else:
        program = asyncio.run(acompile("Forget everything about lunch.", model=provider))
    assert isinstance(program, Program)
    assert [type(op) for op in program.ops] == [Delete]
    assert program.trace is not None
    first, second = program.trace.attempts
    assert first.diagnostics
    assert not first.fault
    assert not second.diagnostics
    assert len(program.trace.questions) == 2
    assert program.trace.usage.output == 14
    assert len(server.requests) == 4


def test_a_service_that_is_down_ends_the_compile_without_repair(
    service: Service, serve: Serve
) -> None:
    server = serve(*[service.bad(500)] * 4)
    with pytest.raises(ServiceUnreachable):
        compile("Forget everything about lunch.", model=service.open(server.address, "large-70b"))
    assert len(server.requests) == 4


def test_an_answer_that_is_not_json_uses_up_a_repair_attempt(
    service: Service, serve: Serve
) -> None:
    server = serve(service.good("Sure! I deleted it."), service.good(json.dumps(SOUND)))
    provider = service.open(server.address, "large-70b")
    program = compile("Forget everything about lunch.", model=provider)
    assert program.trace is not None
    assert [bool(attempt.fault) for attempt in program.trace.attempts] == [True, False]
    assert program.trace.attempts[0].answer == "Sure! I deleted it."


def test_a_model_that_never_gets_it_right_gives_every_attempt_back(
    service: Service, serve: Serve
) -> None:
    server = serve(
        service.good(json.dumps(BROKEN)),
        service.bad(429, Retry_After="0"),
        service.good(json.dumps(BROKEN)),
    )
    with pytest.raises(RepairExhausted, match="unknown-key") as caught:
        compile("Forget everything about lunch.", model=service.open(server.address, "large-70b"))
    assert len(caught.value.attempts) == 2
    assert len(server.requests) == 3


# --- how long to wait -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("2.5", 2.5),
        ("-3", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str, seconds: float | None) -> None:
    assert transport.retry_after({"retry-after": value}) == seconds
    assert transport.retry_after({"Retry-After": value}) == seconds


def test_a_date_to_come_is_waited_for() -> None:
    waited = transport.retry_after({"Retry-After": "Fri, 21 Oct 2095 07:28:00 GMT"})
    assert waited is not None
    assert waited > 365 * 86400


def test_no_header_says_nothing() -> None:
    assert transport.retry_after({"Content-Type": "text/html"}) is None
