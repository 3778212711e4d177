"""How quick the MCP server is over HTTP without the time of a model, and whether it loses anything.

A server is a process of its own, on a free port of the loopback. The client here is a plain one of
HTTP/1.1 with a connection a caller, so that what is timed is the server and not an SDK's client.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import secrets
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.errors import ServiceUnreachable, Text2MemError
from text2mem.executor import encode_many
from text2mem.ir.context import ExecutionContext
from text2mem.providers.base import Request
from text2mem_bench.figures import p95
from text2mem_bench.synthetic import NOW, Synthetic, word

TOOLS = ("remember", "recall", "history", "run_program")
"""Called in turn. None of them plans; what is remembered is shown to ``silent``."""
PAUSE = 1.0
"""Seconds between two calls of a caller that takes its time, on average."""
_PROTOCOL = "2026-07-28"
_ASKED_FOR = 200
"""Words of questions are among the most frequent ones, so that much is found."""
_PATIENCE = 120


class CallFailed(Text2MemError):
    """A call was refused, broke off, or what it stored is not there."""


@dataclass(frozen=True, slots=True)
class Figure:
    """How long calls took, as their callers saw it, in milliseconds.

    ``cpu`` is what the server's process worked for a call, None where the system does not tell.
    """

    what: str
    calls: int
    p50: float
    p95: float
    worst: float
    cpu: float | None


@dataclass
class Caller:
    """One connection, kept open. It makes up its calls, and keeps what it stored by id."""

    port: int
    token: str
    number: int
    seed: int
    kept: dict[str, str] = field(default_factory=dict)
    _made: int = 0

    async def __aenter__(self) -> Caller:
        self._random = random.Random(f"{self.seed}-{self.number}")
        self._in, self._out = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._out.close()
        await self._out.wait_closed()

    async def call(self) -> float:
        """One call, and its milliseconds. Raises CallFailed."""
        tool = TOOLS[(self.number + self._made) % len(TOOLS)]
        self._made += 1
        arguments = self._arguments(tool)
        sent = self._request(tool, arguments)
        begun = time.perf_counter()
        self._out.write(sent)
        status, body = await self._answer()
        taken = (time.perf_counter() - begun) * 1000
        result = json.loads(body).get("result", {}) if status == 200 else {}
        if not result or result.get("isError"):
            raise CallFailed(f"{tool} was answered with {status}: {body[:200]!r}")
        if tool == "remember":
            (id_,) = result["structuredContent"]["result"]["results"][0]["created"]
            self.kept[id_] = arguments["text"]
        return taken

    def _arguments(self, tool: str) -> dict[str, Any]:
        words = " ".join(word(self._random.randrange(_ASKED_FOR)) for _ in range(2))
        if tool == "remember":
            return {"text": f"Note {self._made} of caller {self.number}: {words}"}
        if tool == "recall":
            return {"question": words}
        if tool == "history":
            return {"id": str(self._random.randrange(1, 100))}
        found = {"search": {"intent": {"query": words}, "limit": 5}}
        return {"program": [{"stage": "RET", "op": "Retrieve", "target": found}]}

    def _request(self, tool: str, arguments: dict[str, Any]) -> bytes:
        meta = {
            "io.modelcontextprotocol/protocolVersion": _PROTOCOL,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        asked = {"jsonrpc": "2.0", "id": self._made, "method": "tools/call", "params": params}
        body = json.dumps(asked).encode()
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Authorization: Bearer {self.token}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {_PROTOCOL}\r\n"
            f"Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    async def _answer(self) -> tuple[int, bytes]:
        try:
            head = (await self._in.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            status = int(head.split(" ", 2)[1])
            lines = dict(line.partition(": ")[::2] for line in head.split("\r\n")[1:])
            return status, await self._in.readexactly(int(lines["content-length"]))
        except (OSError, EOFError, ValueError, KeyError, IndexError) as error:
            raise CallFailed(f"an answer broke off: {type(error).__name__}") from error


def silent(request: Request) -> dict[str, Any]:
    """In place of a model: it takes no time, and no text states anything."""
    return {"facts": []}


def measure(
    folder: Path, *, memories: int = 1000, callers: int = 40, rounds: int = 10, seed: int = 0
) -> Iterator[Figure]:
    """Fill a store, serve it, and call it: one after another, at leisure, and all at once.

    Raises CallFailed where a call is refused or what was remembered is not there afterwards,
    ServiceUnreachable where the server does not start.
    """
    path = folder / "doors.db"
    adapter = SqliteAdapter(path)
    encode_many(list(Synthetic(seed, total=memories).encodes(memories)), adapter, _context())
    adapter.close()
    with _served(path) as (port, token, pid):
        figures, kept = asyncio.run(_called(port, token, pid, callers, rounds, seed))
    yield from figures
    adapter = SqliteAdapter(path)
    try:
        _check(adapter, kept)
    finally:
        adapter.close()


def _context() -> ExecutionContext:
    return ExecutionContext(clock=FixedClock(NOW), confirmed=True)


def _check(adapter: SqliteAdapter, kept: dict[str, str]) -> None:
    """Raises CallFailed where a note that was answered for is not there, or reads otherwise."""
    with adapter.transaction():
        found = adapter.view(_context()).find(list(kept))
    lost = [id_ for id_, text in kept.items() if id_ not in found or found[id_].text != text]
    if lost:
        raise CallFailed(f"{len(lost)} of {len(kept)} notes are not there")


async def _called(
    port: int, token: str, pid: int, callers: int, rounds: int, seed: int
) -> tuple[list[Figure], dict[str, str]]:
    pauses = random.Random(seed)
    held = [Caller(port, token, number, seed) for number in range(callers)]
    for each in held:
        await each.__aenter__()

    async def one_by_one() -> list[float]:
        return [await each.call() for _ in range(rounds) for each in held[: len(TOOLS)]]

    async def leisurely() -> list[float]:
        async def paused(each: Caller) -> list[float]:
            taken = []
            for _ in range(rounds):
                await asyncio.sleep(pauses.expovariate(1 / PAUSE))
                taken.append(await each.call())
            return taken

        return [ms for found in await asyncio.gather(*map(paused, held)) for ms in found]

    async def at_once() -> list[float]:
        taken: list[float] = []
        for _ in range(rounds):
            taken += await asyncio.gather(*(each.call() for each in held))
        return taken

    try:
        await at_once()  # imports, statements and pages of the file are warm after that
        figures = [
            await _timed("one after another", pid, one_by_one),
            await _timed(f"{callers} callers, a call a second each", pid, leisurely),
            await _timed(f"{callers} at once", pid, at_once),
        ]
    finally:
        for each in held:
            await each.__aexit__()
    return figures, {id_: text for each in held for id_, text in each.kept.items()}


async def _timed(what: str, pid: int, calls: Callable[[], Awaitable[Sequence[float]]]) -> Figure:
    before = _worked(pid)
    taken = await calls()
    after = _worked(pid)
    cpu = None if before is None or after is None else (after - before) / len(taken)
    return Figure(what, len(taken), statistics.median(taken), p95(taken), max(taken), cpu)


def _worked(pid: int) -> float | None:
    """Milliseconds of processor time of a process, user and system."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


@contextmanager
def _served(path: Path) -> Iterator[tuple[int, str, int]]:
    """``text2mem mcp`` on a free port: the port, its token, its process."""
    token = secrets.token_urlsafe(32)
    command = [
        sys.executable, "-m", "text2mem", "mcp", "--db", str(path), "--http", "127.0.0.1:0",
        "--model", f"function:{__name__}:{silent.__name__}", "--embedder", "none",
    ]  # fmt: skip
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TEXT2MEM_MCP_TOKEN": token},
    ) as process:  # fmt: skip
        assert process.stderr is not None
        try:
            said = process.stderr.readline()
            port = said.strip().removesuffix("/mcp").rpartition(":")[2]
            if not port.isdecimal():
                raise ServiceUnreachable(
                    f"the server did not start: {said.strip()}", service="text2mem mcp",
                    hint="text2mem mcp --http 127.0.0.1:0 says why",
                )  # fmt: skip
            yield int(port), token, process.pid
        finally:
            process.terminate()
            process.wait(_PATIENCE)
