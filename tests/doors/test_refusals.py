"""What both doors refuse alike: bytes that are no request, lines that are too long, ways out, and a
token in an address, which no log repeats."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from tests.doors.looking import looked_into
from tests.doors.scripted import NOTE
from tests.doors.talking import SECRET, House, call, run, served, surroundings
from text2mem.doors.mcp.server import build

DOORS = ["mcp", "ui"]
STOLEN = "a-stolen-token-that-no-log-may-hold"
PROTOCOL = {
    "Authorization": f"Bearer {SECRET}", "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}  # fmt: skip
ERAS = ["2025-06-18", "2026-07-28"]


@contextmanager
def opened(door: str, folder: Path) -> Iterator[int]:
    """The port of a door that is open while the block runs."""
    if door == "ui":
        with looked_into(folder / "a.db") as page:
            yield page.port
        return
    house = House(path=folder / "a.db")
    with served(house) as site:
        yield site.port
    house.shared.close()


def sent(port: int, head: bytes) -> bytes:
    """What a server says to bytes, until it hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        said = b""
        try:
            line.sendall(head)
            while more := line.recv(65_536):
                said += more
        except ConnectionError:
            pass  # it hung up while the rest was on its way
        return said


@pytest.mark.parametrize("door", DOORS)
def test_a_line_that_is_too_long_is_refused(
    door: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    long = STOLEN.encode() * 10_000
    with opened(door, tmp_path) as port:
        host = f"Host: 127.0.0.1:{port}\r\n".encode()
        for head in (
            b"GET / HTTP/1.1\r\n" + host + b"X-Long: " + long + b"\r\n\r\n",
            b"GET /?token=" + long + b" HTTP/1.1\r\n" + host + b"\r\n",
            b"GET / HTTP/1.1\r\n" + host + b"Cookie: a=" + long + b"\r\n\r\n",
        ):
            said = sent(port, head)
            assert said[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 431"), said[:80]
            assert STOLEN.encode() not in said
        assert httpx2.get(f"http://127.0.0.1:{port}/").status_code == 401
    assert STOLEN not in caplog.text


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "head", [b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00" * 64]
)
def test_what_is_no_request_is_refused(door: str, head: bytes, tmp_path: Path) -> None:
    with opened(door, tmp_path) as port:
        said = sent(port, head + b"\r\n\r\n")
        assert not said or said.startswith(b"HTTP/1.1 4")
        assert b"Traceback" not in said
        assert httpx2.get(f"http://127.0.0.1:{port}/").status_code == 401


@pytest.mark.parametrize("era", ERAS)
def test_what_is_no_json_is_refused(era: str, tmp_path: Path) -> None:
    bodies = [
        b"", b"{", b"null", b"[]", b'"words"', b"\xff\xfe", b'{"jsonrpc": "2.0"}',
        b'{"jsonrpc": "2.0", "id": {}, "method": 7}', b"[" * 100_000, b'{"a":' * 100_000,
    ]  # fmt: skip
    with opened("mcp", tmp_path) as port, httpx2.Client(timeout=60) as http:
        url = f"http://127.0.0.1:{port}/mcp"
        for body in bodies:
            headers = {**PROTOCOL, "MCP-Protocol-Version": era}
            said = http.post(url, content=body, headers=headers)
            assert 400 <= said.status_code < 500, (body[:20], said.status_code)
            assert "Traceback" not in said.text and "/site-packages/" not in said.text
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            headers = {**PROTOCOL, "Content-Type": kind}
            assert 400 <= http.post(url, content=b"{}", headers=headers).status_code < 500
        assert http.get(f"http://127.0.0.1:{port}/").status_code == 401


def test_what_is_no_json_on_stdin_ends_nothing(tmp_path: Path) -> None:
    opening = {"protocolVersion": "2025-06-18", "capabilities": {},
               "clientInfo": {"name": "raw", "version": "1"}}  # fmt: skip
    asked = {"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": opening}
    with subprocess.Popen(
        [sys.executable, "-m", "text2mem", "mcp", "--db", str(tmp_path / "a.db")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings(),
    ) as server:  # fmt: skip
        lines = (b"{", b"null", b"\xff", b"[" * 100_000, b"words", json.dumps(asked).encode())
        said, complaints = server.communicate(b"\n".join(lines) + b"\n", timeout=250)
    answers = [json.loads(line) for line in said.splitlines()]
    assert [each["id"] for each in answers if "result" in each] == [7]
    assert server.returncode == 0 and b"Traceback" not in complaints


@pytest.mark.parametrize(
    "uri",
    [
        "memory://../1", "memory://%2e%2e%2f1", "memory:///etc/passwd", "memory://1/../../2",
        "memory://1%00", "text2mem://../schema", "text2mem://schema/../../errors.py",
        "text2mem:///etc/passwd", "file:///etc/passwd", "/etc/passwd", "",
    ],
)  # fmt: skip
def test_no_uri_leads_out_of_the_store(uri: str) -> None:
    async def talk() -> None:
        async with Client(build(House().verbs)) as client:
            await call(client, "remember", text=NOTE)
            with pytest.raises(MCPError, match="there is no"):
                await client.read_resource(uri)

    run(talk)


@pytest.mark.parametrize(
    "named",
    [
        {"meta": {"tenant": "acme"}}, {"meta": {"actor": "root"}}, {"tenant": "acme"},
        {"args": {"tenant": "acme"}},
    ],
    ids=str,
)  # fmt: skip
def test_a_program_names_no_tenant(named: dict[str, Any], tmp_path: Path) -> None:
    """The other tenant's memory is there, under the id that the program asks for."""
    theirs = House(path=tmp_path / "a.db", tenant="acme")
    theirs.verbs.remember(theirs.talk, NOTE)
    ours = House(path=tmp_path / "a.db", tenant="other")

    async def talk() -> None:
        async with Client(build(ours.verbs)) as client:
            for op in ({"stage": "RET", "op": "Retrieve"}, {"stage": "STO", "op": "Delete"}):
                program = [{**op, "target": {"ids": ["1"]}, **named}]
                said = await call(client, "run_program", program=program)
                assert said.failed and "ferry" not in said.text

    run(talk)
    record = theirs.shared.memory.show("1")
    assert record is not None and not record.deleted
    theirs.shared.close()
    ours.shared.close()


@pytest.mark.parametrize("door", DOORS)
def test_a_token_in_an_address_is_in_no_log(door: str, tmp_path: Path) -> None:
    own = "the-token-that-this-server-was-given"
    where = ["--http", "127.0.0.1:0"] if door == "mcp" else ["--port", "0"]
    command = [sys.executable, "-m", "text2mem", door, "--db", "memory:", *where]
    given = {**surroundings(), f"TEXT2MEM_{door.upper()}_TOKEN": own}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=given, text=True
    ) as server:
        assert server.stderr and server.stdout
        watch = threading.Timer(250, server.kill)
        watch.start()
        printed = server.stderr.readline()
        address = printed.split()[-1].partition("?")[0]
        # The page's address is printed with its token: that is how its one browser gets in.
        assert (own in printed) is (door == "ui")
        for token in (STOLEN, own, own):
            with httpx2.Client(timeout=60) as http:
                found = http.get(f"{address}?token={token}&access_token={token}")
                assert own not in found.text and STOLEN not in found.text
                http.get(f"{address}/nowhere?token={token}")
        port = int(address.split(":")[2].partition("/")[0])
        sent(port, f"GET /?token={STOLEN} HTTP/1.1\r\nHost: {STOLEN}\r\n\x00\r\n\r\n".encode())
        os.kill(server.pid, signal.SIGINT)
        said = server.stdout.read() + server.stderr.read()
        watch.cancel()
    assert own not in said and STOLEN not in said and "Traceback" not in said
