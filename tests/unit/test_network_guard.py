"""The guard of ``tests/conftest.py``: what leaves the machine fails, the loopback does not."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import NetworkGuard

AWAY = "192.0.2.1"  # RFC 5737: belongs to nobody


def _connect() -> None:
    socket.create_connection((AWAY, 80), timeout=1)


def _connect_without_raising() -> None:
    with socket.socket() as one:
        one.connect_ex((AWAY, 80))


def _connect_over_ipv6() -> None:
    with socket.socket(socket.AF_INET6) as one:
        one.connect(("2001:db8::1", 80))


def _send() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as one:
        one.sendto(b"hello", (AWAY, 53))


def _send_message() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as one:
        one.sendmsg([b"hello"], [], 0, (AWAY, 53))


def _look_up() -> None:
    socket.getaddrinfo("api.openai.com", 443)


def _look_up_by_name() -> None:
    socket.gethostbyname("api.openai.com")


@pytest.mark.parametrize(
    "leave",
    [
        _connect,
        _connect_without_raising,
        _connect_over_ipv6,
        _send,
        _send_message,
        _look_up,
        _look_up_by_name,
    ],
)
def test_what_leaves_the_machine_fails_the_test(
    leave: Callable[[], None], network_guard: NetworkGuard
) -> None:
    with pytest.raises(pytest.fail.Exception, match="no test may leave the loopback"):
        leave()
    network_guard.refused.clear()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "::1"])
def test_the_loopback_is_free(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:
        port = server.getsockname()[1]
        assert socket.getaddrinfo(host, port)
        socket.create_connection((host, port), timeout=10).close()


def test_local_sockets_are_free() -> None:
    # A path of its own: the folders of pytest are too long for an AF_UNIX address.
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/s")
        server.listen()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"{folder}/s")


def test_a_refusal_that_the_code_swallows_fails_the_test_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "test_swallows.py").write_text(
        textwrap.dedent("""
        import socket

        def test_swallows():
            try:
                socket.create_connection(("192.0.2.1", 80), timeout=1)
            except BaseException:
                pass

        def test_afterwards():
            pass
        """)
    )
    root = Path(__file__).parents[2]
    # Options for the run around this one are not for the run within.
    quiet = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "COV_"))}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(tmp_path),
         "-p", "no:cacheprovider", "-p", "tests.conftest", str(tmp_path)],
        cwd=root, env=quiet, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 1, run.stdout + run.stderr
    assert "1 failed, 1 passed" in run.stdout
    assert "tried to look up '192.0.2.1'" in run.stdout


def test_keys_and_settings_of_the_user_do_not_reach_a_test() -> None:
    mine = [name for name in os.environ if name.startswith("TEXT2MEM_")]
    assert set(mine) <= {"TEXT2MEM_CACHE", "TEXT2MEM_EMBEDDER"}
    assert os.environ["TEXT2MEM_EMBEDDER"] == "none"
    assert not {"OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST"} & set(os.environ)
