"""``text2mem mcp``: what it refuses before it serves, and what it needs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import Any

import pytest

from tests.doors.talking import House, surroundings
from text2mem.cli.main import main
from text2mem.doors.mcp import require
from text2mem.doors.mcp.server import build
from text2mem.doors.mcp.transports import Address, check_exposure, serve_http
from text2mem.errors import ConfigurationError, MissingExtra

LONG = "x" * 32


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command says before it ends with a mistake of usage."""
    with pytest.raises(SystemExit) as ended:
        main(["mcp", "--db", "memory:", *arguments])
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == "" and "Traceback" not in printed.err
    return printed.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--http", "8765"], "cannot read '8765' as an address"),
        (["--http", "127.0.0.1:http"], "as an address"),
        (["--http", "localhost:8973:1"], "as an address"),
        (["--http", "127.0.0.1:70000"], "as an address"),
        (["--http", "0.0.0.0:0"], "there is no token"),
        (["--http", "[::]:0"], "there is no token"),
        (["--http", "192.0.2.1:0"], "there is no token"),
        (["--http", "memory.example:0"], "there is no token"),
        (["--http", "0.0.0.0:0", "--token", LONG], "--allow-host"),
        (["--http", "127.0.0.1:0", "--token", "short"], "16 characters or more"),
        (["--http", "127.0.0.1:0", "--token", "with a blank, but long"], "without blanks"),
        (["--http", "127.0.0.1:0", "--role", "team"], "a --role needs an --actor"),
    ],
)
def test_what_would_expose_a_store_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    said = refused(capsys, *arguments)
    assert complaint in said
    assert "short" not in said and "but long" not in said


def test_a_token_of_the_environment_counts_and_an_empty_one_does_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXT2MEM_MCP_TOKEN", "")
    assert "there is no token" in refused(capsys, "--http", "0.0.0.0:0")
    monkeypatch.setenv("TEXT2MEM_MCP_TOKEN", "short")
    assert "16 characters" in refused(capsys, "--http", "127.0.0.1:0")


@pytest.mark.parametrize(
    ("text", "host", "local"),
    [
        ("127.0.0.1:80", "127.0.0.1", True), ("localhost:1", "localhost", True),
        ("[::1]:1", "::1", True), ("127.9.9.9:1", "127.9.9.9", True),
        ("10.0.0.1:1", "10.0.0.1", False), ("localhost.example:1", "localhost.example", False),
    ],
)  # fmt: skip
def test_which_addresses_are_this_machine(text: str, host: str, local: bool) -> None:
    address = Address.read(text)
    assert (address.host, address.local) == (host, local)


def test_an_exposed_address_with_a_token_and_a_name_is_taken() -> None:
    check_exposure(Address("0.0.0.0", 1), LONG, ["memory.example"])
    check_exposure(Address("10.0.0.1", 1), LONG, [])
    with pytest.raises(ConfigurationError):
        check_exposure(Address("10.0.0.1", 1), None, ["memory.example"])


@pytest.mark.parametrize(
    ("host", "token", "names"),
    [("127.0.0.1", "", []), ("127.0.0.1", "short", []), ("0.0.0.0", LONG, [])],
)
def test_nobody_who_calls_the_server_can_expose_a_store(
    host: str, token: str, names: list[str]
) -> None:
    house = House()
    with pytest.raises(ConfigurationError):
        serve_http(
            build(house.verbs), Address(host, 0), token, names, close=house.shared.close,
            ready=pytest.fail,
        )  # fmt: skip
    house.shared.close()


def test_a_port_in_use_is_a_mistake_of_usage(capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = refused(capsys, "--http", f"127.0.0.1:{taken.getsockname()[1]}")
    assert "cannot listen on 127.0.0.1" in said


def test_without_the_sdk_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec

    def without(name: str, *rest: Any) -> Any:
        return None if name == "mcp" else found(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    with pytest.raises(MissingExtra) as raised:
        require()
    assert raised.value.extra == "mcp" and "pip install '.[mcp]'" in raised.value.hint
    assert "pip install '.[mcp]'" in refused(capsys)


def test_nothing_imports_the_sdk_before_the_server_is_wanted() -> None:
    code = (
        "import sys, text2mem, text2mem.memory, text2mem.cli.main, text2mem.cli.mcp_, "
        "text2mem.doors.mcp, text2mem.doors.agent.verbs, text2mem.doors.agent.tools\n"
        "assert not {'mcp', 'mcp_types', 'uvicorn', 'starlette'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=surroundings())
