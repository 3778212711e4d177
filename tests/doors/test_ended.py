"""Ctrl-C while a model thinks: each door ends soon, and leaves a store that is closed."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2
import pytest

from tests.doors.scripted import NOTE, SLOWLY
from tests.doors.talking import SECRET, surroundings
from text2mem import Memory

SOON = 5
"""Seconds in which a door ends, on a busy machine; the model thinks for a minute."""
HEADERS = {
    "Authorization": f"Bearer {SECRET}", "Accept": "application/json, text/event-stream",
}  # fmt: skip


def message(method: str, number: int | None = None, **params: Any) -> dict[str, Any]:
    numbered = {} if number is None else {"id": number}
    return {"jsonrpc": "2.0", "method": method, "params": params, **numbered}


HELLO = message(
    "initialize", 1, protocolVersion="2025-06-18", capabilities={},
    clientInfo={"name": "test", "version": "1"},
)  # fmt: skip
GREETED = message("notifications/initialized")
ASK = message("tools/call", 2, name="ask_memory", arguments={"request": SLOWLY})


def by_stdio(server: subprocess.Popen[str]) -> None:
    assert server.stdin is not None
    for each in (HELLO, GREETED, ASK):
        server.stdin.write(json.dumps(each) + "\n")
    server.stdin.flush()


def by_http(server: subprocess.Popen[str]) -> None:
    url = first_line(server).split()[-1]
    with httpx2.Client(timeout=60, headers=HEADERS) as http:
        session = {"mcp-session-id": http.post(url, json=HELLO).headers["mcp-session-id"]}
        http.post(url, json=GREETED, headers=session)
        with suppress(httpx2.HTTPError):
            http.post(url, json=ASK, headers=session)


def by_page(server: subprocess.Popen[str]) -> None:
    address = first_line(server).split()[-1]
    site = address.partition("/?")[0]
    with httpx2.Client(timeout=60) as http, suppress(httpx2.HTTPError):
        http.get(address)
        found = re.search(r'name="csrf" value="([^"]*)"', http.get(site).text)
        assert found is not None
        form = {"csrf": found[1], "text": SLOWLY}
        http.post(f"{site}/ask", data=form, headers={"Origin": site})


def first_line(server: subprocess.Popen[str]) -> str:
    assert server.stderr is not None
    return server.stderr.readline()


@contextmanager
def ctrl_c_can_be_pressed() -> Iterator[None]:
    """A shell that runs tests in the background has them, and their children, ignore Ctrl-C."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("arguments", "ask"),
    [
        (["mcp"], by_stdio),
        (["mcp", "--http", "127.0.0.1:0", "--token", SECRET], by_http),
        (["ui", "--port", "0"], by_page),
    ],
    ids=["stdio", "http", "page"],
)
def test_ctrl_c_ends_a_door_whose_model_thinks(
    tmp_path: Path, arguments: list[str], ask: Callable[[subprocess.Popen[str]], None]
) -> None:
    path, thinking = tmp_path / "a.db", tmp_path / "thinking"
    with Memory(path, model="none", embedder="none") as memory:
        memory.add(NOTE)
    command = [sys.executable, "-m", "text2mem", *arguments, "--db", str(path)]
    given = {**surroundings(), "THINKING": str(thinking)}
    pipe = subprocess.PIPE
    with (
        ctrl_c_can_be_pressed(),
        subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=given, text=True
        ) as server,
    ):
        asking = Thread(target=ask, args=[server])
        asking.start()
        while not thinking.exists():
            assert server.poll() is None
            time.sleep(0.02)
        server.send_signal(signal.SIGINT)
        try:
            assert server.wait(SOON) == 130
        finally:
            server.kill()
            asking.join()
        assert server.stderr is not None and "Traceback" not in server.stderr.read()
    assert not path.with_name("a.db-wal").exists()
    with Memory(path, model="none", embedder="none") as memory:
        assert [each.text for each in memory.list()] == [NOTE]
