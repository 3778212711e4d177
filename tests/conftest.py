"""For every test: no network but the loopback, no keys of the user's; and the one local model."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import settings

from tests.apart import outcome
from tests.properties.profile import HUNT
from text2mem.providers.llamacpp_ import LlamaCppProvider

# A slow machine fails no test, and neither does chance.
settings.register_profile("text2mem", deadline=None, derandomize=not HUNT)
settings.load_profile("text2mem")

MODEL = "qwen2.5-coder-0.5b"
_FOREIGN = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST", "OLLAMA_API_KEY", "LETTA_API_KEY")


class NetworkGuard:
    """Refuses every connection and every name look-up that would leave the machine.

    The refusal is recorded too: code under test may swallow it, and the test fails all the same.
    """

    def __init__(self) -> None:
        self.refused: list[str] = []

    def check(self, host: object, doing: str) -> None:
        """Fails the running test unless ``host`` is this machine."""
        if not _is_here(host):
            self._refuse(f"{doing} {host!r}")

    def _refuse(self, what: str) -> NoReturn:
        self.refused.append(what)
        pytest.fail(complaint([what]))


def complaint(refused: list[str]) -> str:
    """What is said to the author of a test that leaves the machine."""
    return f"no test may leave the loopback, and this one tried to {'; '.join(refused)}"


def _is_here(host: object) -> bool:
    if host is None:
        return True
    name = host.decode("idna") if isinstance(host, bytes) else str(host)
    if name in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _guarded_method(guard: NetworkGuard, name: str, doing: str) -> Callable[..., Any]:
    original = getattr(socket.socket, name)

    def method(self: socket.socket, *args: Any) -> Any:
        # The address of sendto and sendmsg is the last argument; a sendmsg may have none.
        address = args[-1] if name != "sendmsg" or len(args) > 3 else None
        if self.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple):
            guard.check(address[0], doing)
        return original(self, *args)

    return method


def _guarded_lookup(guard: NetworkGuard, name: str) -> Callable[..., Any]:
    original = getattr(socket, name)

    def look_up(host: Any, *args: Any, **options: Any) -> Any:
        guard.check(host, "look up")
        return original(host, *args, **options)

    return look_up


@pytest.fixture(scope="session", autouse=True)
def network_guard() -> Iterator[NetworkGuard]:
    """Stands for the whole session. It sees this process, not the ones that a test starts."""
    guard = NetworkGuard()
    with pytest.MonkeyPatch.context() as patch:
        for name, doing in (
            ("connect", "connect to"),
            ("connect_ex", "connect to"),
            ("sendto", "send to"),
            ("sendmsg", "send to"),
        ):
            patch.setattr(socket.socket, name, _guarded_method(guard, name, doing))
        for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
            patch.setattr(socket, name, _guarded_lookup(guard, name))
        yield guard


@pytest.fixture(autouse=True)
def nothing_refused(network_guard: NetworkGuard) -> None:
    """What an earlier test was refused is not held against this one."""
    network_guard.refused.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fails a test that was refused the network and went on as if nothing had happened."""
    result = yield
    guard = getattr(item, "funcargs", {}).get("network_guard")
    if isinstance(guard, NetworkGuard) and guard.refused:
        pytest.fail(complaint(guard.refused), pytrace=False)
    return result


@pytest.fixture(autouse=True)
def no_foreign_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's keys, servers and settings do not reach a test; where weights lie does.

    No vectors are made but where a test names an embedder: by default the local one would be asked
    wherever its package is installed.
    """
    for name in list(os.environ):
        if _is_foreign(name):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TEXT2MEM_EMBEDDER", "none")


def _is_foreign(name: str) -> bool:
    """Whether a variable is a key, a server or a setting of the user, but for where weights lie."""
    return name in _FOREIGN or (name.startswith("TEXT2MEM_") and name != "TEXT2MEM_CACHE")


@pytest.fixture
def done(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """What has been done for this test in a process of its own."""
    marker = request.node.get_closest_marker("apart")
    assert marker is not None
    environment = {name: value for name, value in os.environ.items() if not _is_foreign(name)}
    return outcome(marker.args, tmp_path, environment)


def pytest_configure() -> None:
    """Where several workers run the tests, each has a core of its own: models in two processes that
    share their cores wait for each other."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker and sys.platform == "linux":
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})


@pytest.fixture(scope="session", autouse=True)
def postgres_server() -> Iterator[None]:
    """Ends the server that the first test in need of one has begun."""
    yield
    from tests import letta, postgres

    postgres.stop()
    letta.stop()


@pytest.fixture(scope="session")
def local_model() -> Iterator[LlamaCppProvider]:
    """The small local model, loaded once. ``address`` is its HTTP server on the loopback."""
    import text2mem
    from text2mem import weights

    if weights.find(MODEL) is None:
        pytest.fail("the weights of the small local model are not here; run: text2mem models pull")
    provider = text2mem.open_provider(f"local:{MODEL}")
    assert isinstance(provider, LlamaCppProvider)
    # Loads now: a test may point TEXT2MEM_CACHE elsewhere before it asks its first question.
    assert provider.address.startswith("http://127.0.0.1:")
    yield provider
    provider.close()
